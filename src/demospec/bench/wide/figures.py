"""Figures over the rows of a wide sweep, each with a bootstrap 95 % interval, as tables of words."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from demospec.bench.measures import Bin, reliability
from demospec.bench.recovery import ENOUGH
from demospec.bench.wide.measures import calibration_error
from demospec.bench.wide.run import Believed, WideRow

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
    """Return the calibration error of how likely the headline is said to be enough to act on."""
    told = [(row.enough, row.share_well >= ENOUGH) for row in rows if row.enough is not None]
    chances, came = (np.array([one[k] for one in told]) for k in range(2))
    return calibration_error(reliability(chances, came.astype(np.bool_))) if told else None


FIGURES: dict[str, Statistic] = {
    "share, headline": mean(lambda row: row.share),
    "share, belief": mean(lambda row: row.belief_share),
    "share, belief alike": mean(lambda row: row.belief_share_alike),
    "headline ≥ 95 %": mean(lambda row: row.share >= ENOUGH),
    "… as well as one can": mean(lambda row: row.share_well >= ENOUGH),
    "enough off by": enough_off_by,
    "likeliest ≥ 95 %": mean(lambda row: row.likeliest_share >= ENOUGH),
    "belief ≥ 95 %": mean(lambda row: row.belief_share >= ENOUGH),
    "belief alike ≥ 95 %": mean(lambda row: row.belief_share_alike >= ENOUGH),
    "truth's probability": mean(of_belief(lambda one: one.truth_probability)),
    "median of it": median(of_belief(lambda one: one.truth_probability)),
    "probability of what shows the same, median": median(of_belief(lambda one: one.shown_probability)),
    "headline right": mean(of_belief(lambda one: one.right)),
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
    "headline ≥ 95 %",
    "likeliest ≥ 95 %",
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
