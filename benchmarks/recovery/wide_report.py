"""A wide sweep in figures with bootstrap 95 % intervals: as a page, in a terminal and as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from demospec.report.blocks import Block, Paragraph, Table
from demospec.report.documents import dumps
from demospec.report.folder import write_files
from recovery.measures import Bin, reliability
from recovery.planted_report import machine, markdown
from recovery.planted_run import ENOUGH
from recovery.wide_cases import WideSweep
from recovery.wide_measures import calibration_error
from recovery.wide_run import CERTAIN, Believed, WideRow

RESAMPLES = 1000
LOWER, UPPER = 0.025, 0.975

Statistic = Callable[[Sequence[WideRow]], float | None]


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; None where no row tells it."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "–"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def bootstrap(rows: Sequence[WideRow], statistic: Statistic, seed: int = 0) -> Estimate:
    """Return a statistic, and the range in which it lies in 95 % of draws of as many cases, with replacement.

    A case is drawn with all of its rows: they share a world and a task. Draws in which no row tells the
    figure do not count.
    """
    value = statistic(rows)
    if value is None:
        return Estimate(None)
    cases: dict[tuple[int, int], list[WideRow]] = {}
    for row in rows:
        cases.setdefault((row.seed, row.number), []).append(row)
    groups = list(cases.values())
    draws = np.random.default_rng(seed).integers(len(groups), size=(RESAMPLES, len(groups)))
    again = (statistic([row for k in draw for row in groups[k]]) for draw in draws.tolist())
    low, high = np.quantile([one for one in again if one is not None], (LOWER, UPPER)).tolist()
    return Estimate(value, low, high)


def mean(told: Callable[[WideRow], float | None]) -> Statistic:
    """Return the mean over the rows that tell a number."""

    def statistic(rows: Sequence[WideRow]) -> float | None:
        found = [number for number in map(told, rows) if number is not None]
        return statistics.fmean(found) if found else None

    return statistic


def of_belief(told: Callable[[Believed], float]) -> Callable[[WideRow], float | None]:
    """Return what is told of rows that have answers."""
    return lambda row: None if row.believed is None else float(told(row.believed))


def median(told: Callable[[WideRow], float | None]) -> Statistic:
    """Return the median over the rows that tell a number: a mean may be that of the worst few."""

    def statistic(rows: Sequence[WideRow]) -> float | None:
        found = [number for number in map(told, rows) if number is not None]
        return statistics.median(found) if found else None

    return statistic


def pooled(rows: Sequence[WideRow], told: Callable[[Believed], tuple[Bin, ...]]) -> list[Bin]:
    """Return the bins of all rows added up."""
    every = [told(row.believed) for row in rows if row.believed is not None]
    return [
        Bin(sum(b.count for b in tenth), sum(b.predicted for b in tenth), sum(b.accepted for b in tenth))
        for tenth in zip(*every, strict=True)
    ]


def enough_off_by(rows: Sequence[WideRow]) -> float | None:
    """Return the calibration error of how likely it is said to be that what to act on is enough."""
    told = [(row.act_on_enough, row.act_on_share >= ENOUGH) for row in rows if row.act_on_enough is not None]
    chances, came = (np.array([one[k] for one in told]) for k in range(2))
    return calibration_error(reliability(chances, came.astype(np.bool_))) if told else None


def said_enough(row: WideRow) -> float | None:
    """Return whether acting is said to be enough with 90 % or more; None where nothing is said of it."""
    return None if row.act_on_enough is None else float(row.act_on_enough >= CERTAIN)


FIGURES: dict[str, Statistic] = {
    "share, answer": mean(lambda row: row.share),
    "share, act on": mean(lambda row: row.act_on_share),
    "share, belief": mean(lambda row: row.belief_share),
    "share, belief alike": mean(lambda row: row.belief_share_alike),
    "answer ≥ 95 %": mean(lambda row: row.share >= ENOUGH),
    "… as well as one can": mean(lambda row: row.share_well >= ENOUGH),
    "act on ≥ 95 %": mean(lambda row: row.act_on_share >= ENOUGH),
    "answers added": mean(lambda row: None if row.act_on_added is None else row.act_on_added > 0),
    "enough off by": enough_off_by,
    "enough said (≥ 90 %)": mean(said_enough),
    "… and true": mean(lambda row: float(row.act_on_share >= ENOUGH) if said_enough(row) else None),
    "belief ≥ 95 %": mean(lambda row: row.belief_share >= ENOUGH),
    "belief alike ≥ 95 %": mean(lambda row: row.belief_share_alike >= ENOUGH),
    "truth's probability": mean(of_belief(lambda one: one.truth_probability)),
    "median of it": median(of_belief(lambda one: one.truth_probability)),
    "probability of what shows the same, median": median(of_belief(lambda one: one.shown_probability)),
    "answer right": mean(of_belief(lambda one: one.right)),
    "nats, median": median(of_belief(lambda one: one.nats)),
    "words off by": lambda rows: calibration_error(pooled(rows, lambda one: one.word_bins)),
    "answers off by": lambda rows: calibration_error(pooled(rows, lambda one: one.answer_bins)),
    "credible labels hold the truth": mean(of_belief(lambda one: one.credible.labels_hold)),
    "… cover a word's label": mean(of_belief(lambda one: one.credible.covers)),
    "… exclude something": mean(of_belief(lambda one: one.credible.excludes)),
    "credible answers hold the truth": mean(of_belief(lambda one: one.credible.holds)),
    "harmful": mean(lambda row: row.harmful),
    "seconds": mean(lambda row: row.seconds),
}
BRIEF = (
    "answer ≥ 95 %",
    "act on ≥ 95 %",
    "belief ≥ 95 %",
    "belief alike ≥ 95 %",
    "truth's probability",
    "credible labels hold the truth",
    "credible answers hold the truth",
    "harmful",
)


@dataclass(frozen=True)
class Line:
    """One line of a table: what its rows have in common, how many they are, and their figures by name."""

    of: tuple[str, ...]
    runs: int
    figures: dict[str, Estimate]

    @property
    def cells(self) -> list[str]:
        """Return the line as text."""
        return [*self.of, str(self.runs), *map(str, self.figures.values())]


def lines(rows: Sequence[WideRow], by: Sequence[str], figures: Sequence[str] = tuple(FIGURES)) -> list[Line]:
    """Return one line for each combination of some fields that occurs, in the order of the rows."""
    groups: dict[tuple[str, ...], list[WideRow]] = {}
    for row in rows:
        groups.setdefault(tuple(str(getattr(row, name)) for name in by), []).append(row)
    return [
        Line(key, len(own), {name: bootstrap(own, FIGURES[name]) for name in figures})
        for key, own in groups.items()
    ]


LEARNED = "demonstrations", "learner"
SPLITS = {"demonstrator": "Demonstrators", "world": "Worlds", "kind": "Kinds of tasks"}
LEGEND = """\
Brackets are bootstrap 95 % intervals over the cases of a line. Everybody pays as much for a step as the
demonstrator.

- *share*: how often somebody who acts on what was learned satisfies the planted task, divided by how often an
  agent with the planted task does, who is as rational as the demonstrator: on the *answer*, as rationally; on
  the belief as `policy` of a result does, one plan for the leading answers, as well as one can; on the belief
  *alike*, as rationally as the demonstrator. On the answer *as well as one can*, and on what to *act on*,
  both agents act as well as they can. *≥ 95 %* is how often it is at least 0.95;
- *answers added*: how often other answers are kept to beside the likeliest;
- *enough off by*: expected calibration error of how likely it is said to be that acting is enough; *said*:
  how often that is 90 % or more; *and true*: how often the share is at least 0.95 there;
- *truth's probability*: of the answers that behave as the truth (less than 0.01 nats an episode either way,
  for agents that are as the demonstrator); *answer right*: the answer is one of them;
- *probability of what shows the same*: of the answers that explain what the truth's agent shows as well as
  the truth does: one way, an episode of that agent tells less than 0.01 nats against them; median;
- *nats*: the divergence of an episode of the truth's agent from the answer's, median;
- *words off by*, *answers off by*: expected calibration error in ten bins, of the probability that words of
  both agents are accepted, and of the probability of answers that have at least 1 %;
- *credible labels*: those with more than 5 % of the belief, for each of these words and for 50 of an aimless
  agent. They *hold the truth* where the true labels of all words are among them, *cover a word's label* where
  its own is, and *exclude something* where some word has only one;
- *credible answers hold the truth*: one of the likeliest answers with 95 % together behaves as the truth;
- *harmful*: over 90 % on an answer whose share is below 0.95;
- *irl* is maximum-causal-entropy inverse reinforcement learning on label counts. It has no answers, and acts
  on its own policy; on the "belief" nearly greedily;
- *oracle* is told the list of planted tasks, and weighs them all: what it misses, was not shown.
"""


@dataclass(frozen=True, eq=False)
class WideReport:
    """What a wide sweep gave; partial when it was stopped."""

    sweep: WideSweep
    rows: tuple[WideRow, ...]

    @property
    def partial(self) -> bool:
        """Say whether runs are missing."""
        return len(self.rows) < len(self.sweep)

    @property
    def cut_off(self) -> int:
        """Return how many runs had no time left for working out their answers."""
        return sum(row.believed is not None and not row.believed.complete for row in self.rows)

    @cached_property
    def whole(self) -> list[Line]:
        """Return the lines by demonstrations and learner."""
        ordered = sorted(self.rows, key=lambda row: row.demonstrations)
        return lines(ordered, LEARNED)

    @cached_property
    def splits(self) -> dict[str, list[Line]]:
        """Return the lines of each split, with the learner."""
        return {field: lines(sorted_by(self.rows, field), (field, "learner"), BRIEF) for field in SPLITS}


def sorted_by(rows: Sequence[WideRow], field: str) -> list[WideRow]:
    """Return the rows with those together that agree on a field, as they first occur."""
    order = {name: k for k, name in enumerate(dict.fromkeys(getattr(row, field) for row in rows))}
    return sorted(rows, key=lambda row: order[getattr(row, field)])


def told(report: WideReport) -> str:
    """Say how many runs there are, and which had too little time."""
    late = f" {report.cut_off} had no time left to work out answers." if report.cut_off else ""
    stopped = " (stopped: finished runs only)" if report.partial else ""
    return (
        f'{len(report.rows)} runs{stopped} of the part "{report.sweep.part}"; {machine()}. Each has at most '
        f"{report.sweep.limit:g} s.{late}"
    )


def document(report: WideReport) -> dict[str, Any]:
    """Return the sweep as JSON."""
    return {
        "benchmark": "recovery",
        "suite": "wide",
        "command": report.sweep.command,
        "machine": machine(),
        "partial": report.partial,
        **asdict(report.sweep),
        "figures": [line_document(LEARNED, line) for line in report.whole],
        "splits": {
            field: [line_document((field, "learner"), line) for line in found]
            for field, found in report.splits.items()
        },
        "rows": [{**asdict(row), "harmful": row.harmful} for row in report.rows],
    }


def line_document(by: Sequence[str], line: Line) -> dict[str, Any]:
    """Return one line as JSON."""
    figures = {name: asdict(one) for name, one in line.figures.items()}
    return {**dict(zip(by, line.of, strict=True)), "runs": line.runs, "figures": figures}


def blocks(report: WideReport) -> list[Block]:
    """Tell the sweep in a terminal: figures down, learners across, one table for each number shown."""
    found: list[Block] = [Paragraph(told(report))]
    for count in dict.fromkeys(line.of[0] for line in report.whole):
        own = [line for line in report.whole if line.of[0] == count]
        head = [f"demonstrations: {count}", *(f"{line.of[1]} ({line.runs})" for line in own)]
        body = [[name, *(str(line.figures[name]) for line in own)] for name in FIGURES]
        found.append(Table(head, body, align="l" + "r" * len(own)))
    return found


def page(report: WideReport, folder: Path) -> str:
    """Return the page in Markdown."""
    parts = [
        "# Recovery in many worlds, from many demonstrators",
        f"Made by `{report.sweep.command} --out {folder.as_posix()}`. {told(report)}",
        markdown([*LEARNED, "runs", *FIGURES], [line.cells for line in report.whole]),
        LEGEND.rstrip(),
    ]
    for field, title in SPLITS.items():
        body = [line.cells for line in report.splits[field]]
        parts += [f"## {title}", markdown([field, "learner", "runs", *BRIEF], body)]
    return "\n\n".join(parts) + "\n"


def write(report: WideReport, folder: Path) -> None:
    """Write README.md and recovery.json into a folder."""
    texts = {"recovery.json": dumps(document(report)) + "\n", "README.md": page(report, folder)}
    write_files(folder, texts, r"reliability-\d+\.svg")
