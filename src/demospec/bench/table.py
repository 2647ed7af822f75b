"""The rows of a sweep as tables of words: by demonstrations and method, by kind of task, and every miss."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from demospec.belief.labels import POSSIBLE
from demospec.bench.measures import Least
from demospec.bench.recovery import OPEN_QUESTION, Row
from demospec.wording import word_text

HEADER = (
    "demonstrations",
    "method",
    "found",
    "share ≥ 95 %",
    "agree on the truth's paths",
    "on the learned",
    "Brier",
    "truth believed",
    "mistakes doubted",
    "truth possible",
    "s to the best: median, longest",
    "s whole run",
)
KIND_HEADER = (
    "demonstrations",
    "kind",
    "found",
    "share ≥ 95 %",
    "truth believed",
    "mistakes doubted",
    "truth possible",
)
MISS_HEADER = (
    "demonstrations",
    "task",
    "world",
    "seed",
    "energy above the truth's",
    "share",
    "reason",
    "true labels believed least: truth's paths",
    "the learned task's paths",
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
                        part([row.believed for row in own]),
                        part([row.doubted for row in own]),
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
                names = ("found", "reached", "believed", "doubted", "possible")
                body.append(
                    [str(count), kind, *(part([getattr(row, name) for row in own]) for name in names)]
                )
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
            believed(row.least),
            believed(row.least_on_learned),
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
    names = ("possible", "believed", "doubted")
    told, trusted, doubted = (sum(getattr(row, name) for row in undetermined) for name in names)
    return (
        f"{method} missed {len(misses)}: {len(misses) - len(undetermined)} searched badly, "
        f"{len(undetermined)} not determined by the demonstrations. In {told} of the latter the truth's "
        "behaviour lies within what is reported as possible, on the common paths of both agents: on the "
        f"truth's with at least 5 % in {trusted}, on the learned task's in {doubted}."
    )


def believed(least: Least | None) -> str:
    """Say which common word's true label is believed least, how common it is, and how much it is believed.

    >>> believed(Least(("b", "g"), share=0.025, probability=0.464, covered=0.9, possible=True))
    '46.4 %: b g (2.5 % of the paths)'
    """
    if least is None:
        return "no word is common"
    excluded = ""
    if least.probability < POSSIBLE:
        excluded = ", not excluded" if least.possible else ", excluded"
    chance, share = 100 * least.probability, 100 * least.share
    return f"{chance:.1f} %{excluded}: {word_text(least.word)} ({share:.1f} % of the paths)"


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
