"""The rows of a sweep as tables of words: by demonstrations and method, by kind of task, and every miss."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from demospec.bench.recovery import OPEN_QUESTION, Row
from demospec.errors import word_text

HEADER = (
    "demonstrations",
    "method",
    "found",
    "share ≥ 95 %",
    "agree on the truth's paths",
    "on the learned",
    "Brier",
    "truth possible",
    "s to the best: median, longest",
    "s whole run",
)
KIND_HEADER = ("demonstrations", "kind", "found", "share ≥ 95 %", "truth possible")
MISS_HEADER = (
    "demonstrations",
    "task",
    "world",
    "seed",
    "energy above the truth's",
    "share",
    "reason",
    "the belief",
)


def table(rows: Sequence[Row]) -> list[list[str]]:
    """Return one line for each number of demonstrations and each method."""
    body = []
    for count in dict.fromkeys(row.demonstrations for row in rows):
        for method in dict.fromkeys(row.method for row in rows):
            own = [row for row in rows if (row.demonstrations, row.method) == (count, method)]
            if own:
                body.append(
                    [
                        str(count),
                        method,
                        part([row.found for row in own]),
                        part([row.reached for row in own]),
                        f"{statistics.fmean(row.same_on_truth for row in own):.3f}",
                        f"{statistics.fmean(row.same_on_learned for row in own):.3f}",
                        f"{statistics.fmean(row.brier for row in own):.3f}",
                        part([row.possible for row in own]),
                        times([row.seconds_to_best for row in own]),
                        times([row.seconds for row in own]),
                    ]
                )
    return body


def kind_table(rows: Sequence[Row], method: str) -> list[list[str]]:
    """Return one line for each number of demonstrations and each kind of task, for one method."""
    body = []
    for count in dict.fromkeys(row.demonstrations for row in rows):
        for kind in dict.fromkeys(row.kind for row in rows):
            own = [row for row in rows if (row.demonstrations, row.kind, row.method) == (count, kind, method)]
            if own:
                counts = ([getattr(row, name) for row in own] for name in ("found", "reached", "possible"))
                body.append([str(count), kind, *map(part, counts)])
    return body


def miss_table(rows: Sequence[Row], method: str) -> list[list[str]]:
    """Return one line for each run of a method that missed the truth, with the reason."""
    return [
        [
            str(row.demonstrations),
            row.task,
            str(row.world),
            str(row.seed),
            f"{row.excess:+.3f}",
            f"{100 * row.share:.1f} %",
            row.reason,
            believed(row),
        ]
        for row in rows
        if row.method == method and row.reason is not None
    ]


def verdict(rows: Sequence[Row], method: str) -> str:
    """Say of how many misses the belief tells that the truth is possible."""
    misses = [row for row in rows if row.method == method and row.reason is not None]
    undetermined = [row for row in misses if row.reason == OPEN_QUESTION]
    if not misses:
        return f"{method} missed none."
    told = sum(row.possible for row in undetermined)
    return (
        f"{method} missed {len(misses)}: {len(misses) - len(undetermined)} searched badly, "
        f"{len(undetermined)} not determined by the demonstrations; in {told} of the latter the belief "
        "reports the truth's behaviour as possible."
    )


def believed(row: Row) -> str:
    """Say what a run's belief tells of the truth's behaviour."""
    if row.least is None:
        return "no word is common"
    least = row.least
    says = "possible" if row.possible else "not possible"
    return (
        f"{says}: the true label of {word_text(least.word)} ({100 * least.share:.1f} % of the truth's paths) "
        f"has {100 * least.probability:.1f} %"
    )


def part(marks: Sequence[bool]) -> str:
    """Write how many of them hold.

    >>> part([True, False, True])
    '2/3'
    """
    return f"{sum(marks)}/{len(marks)}"


def times(seconds: Sequence[float]) -> str:
    """Write median and longest."""
    return f"{statistics.median(seconds):.2f}, {max(seconds):.2f}"


def markdown(header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Write a table for a Markdown page."""
    lines = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
