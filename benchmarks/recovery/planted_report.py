"""A sweep as tables of words, as a page with reliability diagrams, and as JSON."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from demospec.belief.tuned import POSSIBLE
from demospec.report.blocks import Block, Paragraph, Table
from demospec.report.documents import dumps
from demospec.report.folder import write_files
from demospec.wording import word_text
from recovery.measures import Least
from recovery.planted import Sweep
from recovery.planted_run import OPEN_QUESTION, Row
from recovery.reliability import Reliability, reliability_diagram

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


LEGEND = """\
- *found*: the learned task's energy is at most the planted one's;
- *share*: how often an agent that plans with the learned task satisfies the planted one, divided by how often
  the planted task's own agent does;
- *agree*: how often both tasks give a path the same label, on paths of either agent;
- *Brier*: mean squared error of the belief's probabilities that words are accepted;
- *truth believed*: the belief gives every common word of the truth's agent (at least 1 % of 200 paths) its
  true label with at least 5 %;
- *mistakes doubted*: the same for the common words of the learned task's agent: where it often does what the
  truth rejects, the belief leaves room for that;
- *truth possible*: the true labels of the common words of both agents are reported as possible: they have
  5 %, or a task that the demonstrations do not exclude gives them (none of its size explains 3 nats more).
"""


@dataclass(frozen=True, eq=False)
class Report:
    """What a sweep gave; partial when it was stopped."""

    sweep: Sweep
    rows: tuple[Row, ...]

    @property
    def partial(self) -> bool:
        """Say whether runs are missing."""
        return len(self.rows) < len(self.sweep)

    @property
    def told_method(self) -> str:
        """Return the method whose misses are told: `explore`, or the first one."""
        return "explore" if "explore" in self.sweep.methods else self.sweep.methods[0]


def machine() -> str:
    """Say where the seconds were measured."""
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"


def fairness(sweep: Sweep) -> str:
    """Say how much time the methods have."""
    return f"Each method stops by its own rule, and has at most {sweep.limit:g} s for a run."


def document(report: Report) -> dict[str, Any]:
    """Return the sweep as JSON."""
    sweep = report.sweep
    return {
        "benchmark": "recovery",
        "command": sweep.command,
        "machine": machine(),
        "partial": report.partial,
        **asdict(sweep),
        "rows": [row_document(row) for row in report.rows],
    }


def row_document(row: Row) -> dict[str, Any]:
    """Return one run as JSON: what was measured, and what follows from it."""
    derived = {
        name: getattr(row, name)
        for name in ("excess", "found", "reached", "believed", "possible", "doubted", "reason")
    }
    return {**asdict(row), **derived}


def diagram(report: Report, demonstrations: int) -> str:
    """Draw the methods' reliability for one number of demonstrations, over all their runs."""
    lines = []
    for method in report.sweep.methods:
        own = [
            row.bins for row in report.rows if (row.demonstrations, row.method) == (demonstrations, method)
        ]
        bins = [reduce(add, tenth) for tenth in zip(*own, strict=True)]
        points = [
            (one.predicted / one.count, one.accepted / one.count, one.count) for one in bins if one.count
        ]
        lines.append(Reliability(method, points))
    return reliability_diagram(
        lines,
        title=f"{demonstrations} demonstration{'' if demonstrations == 1 else 's'}: are beliefs right?",
        x_label="probability that a word is accepted",
        y_label="share that the truth accepts",
    )


def blocks(report: Report) -> list[Block]:
    """Tell the sweep in a terminal."""
    stopped = " (stopped: finished runs only)" if report.partial else ""
    told: list[Block] = [
        Paragraph(f"{len(report.rows)} runs{stopped}; {machine()}. {fairness(report.sweep)}"),
        Table(HEADER, table(report.rows)),
        Paragraph(verdict(report.rows, report.told_method)),
    ]
    misses = miss_table(report.rows, report.told_method)
    return [*told, Table(MISS_HEADER, misses)] if misses else told


def page(report: Report, folder: Path) -> str:
    """Return the page in Markdown."""
    sweep, method = report.sweep, report.told_method
    stopped = ", which was stopped: only finished runs are here" if report.partial else ""
    weights = "by rule" if sweep.weights == "default" else "the paper's"
    parts = [
        "# Recovery of planted tasks",
        f"Made by `{sweep.command} --out {folder.as_posix()}`{stopped}. {machine()}.",
        f"{len(sweep.tasks)} planted tasks, {sweep.worlds} world{'' if sweep.worlds == 1 else 's'} each, "
        f"{len(sweep.seeds)} seed{'' if len(sweep.seeds) == 1 else 's'}; weights {weights}. "
        f"{fairness(sweep)}",
        markdown(HEADER, table(report.rows)),
        LEGEND.rstrip(),
        f"## Kinds of tasks: {method}",
        markdown(KIND_HEADER, kind_table(report.rows, method)),
        f"## Misses: {method}",
        verdict(report.rows, method),
    ]
    misses = miss_table(report.rows, method)
    if misses:
        parts.append(markdown(MISS_HEADER, misses))
    parts.append("## Reliability")
    parts.append(
        "Words of 50 paths of each of the two agents, by the probability of acceptance that the belief gives "
        "them. On the dashed line beliefs are right as often as they say; the area of a point says how many "
        "words it stands for."
    )
    parts += [
        f"![reliability, {count} demonstrations](reliability-{count}.svg)" for count in shown_counts(report)
    ]
    return "\n\n".join(parts) + "\n"


def shown_counts(report: Report) -> list[int]:
    """Return the numbers of demonstrations of which there are rows."""
    return list(dict.fromkeys(row.demonstrations for row in report.rows))


def write(report: Report, folder: Path) -> None:
    """Write README.md, recovery.json and the diagrams into a folder."""
    texts = {f"reliability-{count}.svg": diagram(report, count) for count in shown_counts(report)}
    texts["recovery.json"] = dumps(document(report)) + "\n"
    texts["README.md"] = page(report, folder)
    write_files(folder, texts, r"reliability-\d+\.svg")
