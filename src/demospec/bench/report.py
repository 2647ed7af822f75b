"""A sweep as a page with reliability diagrams, and as JSON."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from demospec.bench.recovery import Row
from demospec.bench.sweep import Sweep
from demospec.bench.table import (
    HEADER,
    KIND_HEADER,
    MISS_HEADER,
    kind_table,
    markdown,
    miss_table,
    table,
    verdict,
)
from demospec.report.blocks import Block, Paragraph, Table
from demospec.report.documents import dumps
from demospec.report.folder import write_files
from demospec.report.pictures.reliability import Reliability, reliability_diagram

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
