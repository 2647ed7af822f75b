"""Search for planted tasks by several methods, and measure what was found.

A run depends on its case alone, apart from seconds, as long as it is not cut off by its limit.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from demospec.belief import Belief
from demospec.belief.tuned import POSSIBLE
from demospec.errors import InputError
from demospec.explain.score import Score, evaluate
from demospec.problem import Problem
from demospec.runs.session import Session
from recovery.measures import (
    Bin,
    Least,
    brier,
    draw_words,
    least_believed,
    read_along,
    reliability,
    share,
)
from recovery.planted import BY_NAME, TASKS, Case, planted, settings_of

AS_GOOD = 1e-9  # an energy above the truth's by more than this is a worse one
ENOUGH = 0.95  # of the truth's satisfaction probability
CALIBRATION_WORDS = 50  # of each of the two agents
BEHAVIOUR_WORDS = 200  # of each, to see which words are common
BADLY, OPEN_QUESTION = "searched badly", "not determined"


@dataclass(frozen=True)
class Row:
    """What one run gave."""

    demonstrations: int
    task: str
    kind: str
    world: int
    seed: int
    method: str
    weights: str
    learned: str
    energy: float
    truth_energy: float
    share: float  # of the truth's satisfaction probability, reached by the learned task's agent
    same_on_truth: float  # how often both tasks agree on a path of the truth's agent
    same_on_learned: float  # and on a path of the learned task's
    brier: float
    bins: tuple[Bin, ...]
    least: Least | None  # of the common words of the truth's agent
    least_on_learned: Least | None  # of those of the learned task's agent
    tasks: int  # that were scored, each language once
    seconds_to_best: float
    seconds: float
    processor_seconds: float  # less than the seconds where the machine had other work

    @property
    def excess(self) -> float:
        """Return the energy above the truth's; below 0, the demonstrations prefer another task."""
        return self.energy - self.truth_energy

    @property
    def found(self) -> bool:
        """Say whether the energy is at most the truth's."""
        return self.excess <= AS_GOOD

    @property
    def reached(self) -> bool:
        """Say whether planning with the learned task does nearly as well as planning with the truth."""
        return self.share >= ENOUGH

    @property
    def believed(self) -> bool:
        """Say whether the belief gives the labels of the truth's common words at least 5 %."""
        return self.least is None or self.least.probability >= POSSIBLE

    @property
    def possible(self) -> bool:
        """Say whether the labels of both agents' common words are reported as possible.

        They are believed so far, or not excluded.
        """
        return all(least is None or least.possible for least in (self.least, self.least_on_learned))

    @property
    def doubted(self) -> bool:
        """Say whether the belief gives the true labels of the learned task's common words at least 5 %.

        Where that task's agent often does what the truth rejects, the belief then leaves room for that.
        """
        return self.least_on_learned is None or self.least_on_learned.probability >= POSSIBLE

    @property
    def reason(self) -> str | None:
        """Say why a run missed the truth; None when it did not."""
        if not self.found:
            return BADLY
        return None if self.reached else OPEN_QUESTION


@dataclass(frozen=True)
class Searched:
    """What a search had found when it ended, or when its time was up."""

    best: Score
    scores: tuple[Score, ...]  # all tasks that were scored
    seconds_to_best: float
    seconds: float
    processor_seconds: float


def search(problem: Problem, seed: int, limit: float) -> Searched:
    """Search until the method ends; a step that ends after the limit counts only if it is the first."""
    best: Score | None = None
    scores: list[Score] = []
    found = seconds = 0.0
    began, processor = time.perf_counter(), time.process_time()
    for row in Session(problem, seed=seed):
        seconds = time.perf_counter() - began
        if seconds > limit and best is not None:
            break
        scores += row.info.scored
        if row.best is not None and (best is None or row.best.energy < best.energy):
            best, found = row.best, seconds
    if best is None:
        raise InputError(f"no task was found within {limit:g} s")
    return Searched(best, tuple(scores), found, seconds, time.process_time() - processor)


def run(limit: float, case: Case) -> Row:
    """Plant, search and measure."""
    one = TASKS[BY_NAME[case.task]]
    truth, seed = one.task, case.seed + case.place
    problem = planted(truth, case.world, case.demonstrations, seed, case.weights)
    done = search(problem.with_settings(**settings_of(case.method)), seed, limit)
    learned = done.best.language
    by_learned, by_truth = read_along(problem, learned, truth), read_along(problem, truth, learned)
    belief = Belief.of(problem, done.scores)
    rng = np.random.default_rng([case.world, seed, 99])  # other draws than the demonstrations'
    meant, done_instead = (draw_words(problem, task, BEHAVIOUR_WORDS, rng) for task in (truth, learned))
    words = [*meant[:CALIBRATION_WORDS], *done_instead[:CALIBRATION_WORDS]]
    chances, labels = belief.acceptances(words), np.array([truth.accepts(word) for word in words])
    return Row(
        demonstrations=case.demonstrations,
        task=case.task,
        kind=one.kind,
        world=case.world,
        seed=case.seed,
        method=case.method,
        weights=case.weights,
        learned=str(learned),
        energy=done.best.energy,
        truth_energy=evaluate(problem, truth).score.energy,
        share=share(by_learned.other, by_truth.own),
        same_on_truth=by_truth.same,
        same_on_learned=by_learned.same,
        brier=brier(chances, labels),
        bins=reliability(chances, labels),
        least=least_believed(belief, truth, meant),
        least_on_learned=least_believed(belief, truth, done_instead),
        tasks=len({score.task for score in done.scores}),
        seconds_to_best=done.seconds_to_best,
        seconds=done.seconds,
        processor_seconds=done.processor_seconds,
    )
