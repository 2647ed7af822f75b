"""How near a learned task is to the one that was meant, and how far a belief can be trusted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief import Belief, possible
from demospec.belief.distance import monitor_product
from demospec.explain.score import agent_of, plan_task
from demospec.explain.setup import resolve
from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE
from demospec.plan.monitor import Monitor
from demospec.plan.sample import sample_path
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.worlds.mdp import Bools, Floats

BINS = 10
COMMON = 0.01  # the share of an agent's paths from which on a word counts as common


@dataclass(frozen=True)
class Reading:
    """The paths of one task's agent, read by that task and by another: probabilities of labels."""

    own: float  # the agent's task is satisfied
    other: float  # the other one is
    same: float  # both are, or neither


def read_along(problem: Problem, pursued: DFA, other: DFA) -> Reading:
    """Plan for one task with the other read along, exactly: one plan over pairs of monitor states.

    Where a planner is told which paths are open and which are revocable, any marks will do. So it also
    adds up how often the other task accepts, and how often both tasks say the same.
    """
    one, two = resolve(problem).monitor(pursued), resolve(problem).monitor(other)
    table, own, read = monitor_product(one, two)
    both = Monitor(one.alphabet, table, own, read, own == read)
    plan = PLANNER.plan(problem.mdp, both, agent_of(problem, pursued, nearest=True).rationality)
    return Reading(*(plan.expected_chance(label) for label in (ACCEPTED, OPEN, REVOCABLE)))


def share(reached: float, most: float) -> float:
    """Return how much of what can be reached is reached; all of it where there is nothing to reach."""
    return reached / most if most > 0 else 1.0


def draw_words(problem: Problem, task: DFA, count: int, rng: np.random.Generator) -> list[Word]:
    """Return the words of paths of a task's agent."""
    plan = plan_task(problem, task, nearest=True)
    return [problem.word(sample_path(plan, rng)) for _ in range(count)]


@dataclass(frozen=True)
class Bin:
    """Words whose probability of acceptance lies in one tenth: [k/10, (k + 1)/10), the last with its end."""

    count: int
    predicted: float  # the sum of their probabilities
    accepted: int  # how many of them the truth accepts

    def __add__(self, other: Bin) -> Bin:
        return Bin(self.count + other.count, self.predicted + other.predicted, self.accepted + other.accepted)


def brier(probabilities: Floats, labels: Bools) -> float:
    """Return the Brier score: the mean of (probability − label)²; 0 is perfect, always ½ gives ¼.

    >>> brier(np.array([0.5, 1.0]), np.array([True, False]))
    0.625
    """
    return float(np.mean((probabilities - labels) ** 2))


def reliability(probabilities: Floats, labels: Bools) -> tuple[Bin, ...]:
    """Sort words by the probability that they were given, and count how many are accepted.

    >>> reliability(np.array([0.05, 0.95, 1.0]), np.array([False, False, True]))[-1]
    Bin(count=2, predicted=1.95, accepted=1)
    """
    at = np.clip(np.floor(probabilities * BINS), 0, BINS - 1).astype(np.intp)
    return tuple(
        Bin(
            int(np.sum(at == k)),
            math.fsum(probabilities[at == k].tolist()),
            int(np.sum(labels[at == k])),
        )
        for k in range(BINS)
    )


@dataclass(frozen=True)
class Least:
    """The common word whose true label is believed least."""

    word: Word
    share: float  # of the paths that were drawn
    probability: float  # of the true label
    covered: float  # share of the paths that have a common word
    possible: bool  # whether the true labels of all common words are reported as possible


def least_believed(belief: Belief, truth: DFA, words: Sequence[Word]) -> Least | None:
    """Find, among the words that make up at least 1 % of those given, the one whose label is believed least.

    None when no word is so common.
    """
    common = {word: k for word, k in sorted(Counter(words).items()) if k >= COMMON * len(words)}
    if not common:
        return None
    accepted = np.array([truth.accepts(word) for word in common])
    chances = belief.acceptances(list(common))
    believed = np.clip(np.where(accepted, chances, 1 - chances), 0.0, 1.0).tolist()
    probability, word = min(zip(believed, common, strict=True))
    covered = sum(common.values()) / len(words)
    open_ones = possible(belief, list(common), accepted.tolist())
    return Least(word, common[word] / len(words), probability, covered, possible=bool(open_ones.all()))
