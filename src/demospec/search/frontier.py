"""What is known in the middle of a search, and which task is taken next: the best, or a good one elsewhere.

What the default search is made of has names, by which each part can be left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

import numpy as np

from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.tables import Table
from demospec.worlds.mdp import Floats


def softmin(values: Sequence[float]) -> Floats:
    """Return probabilities ∝ exp(−value); uniform when all are infinite.

    >>> softmin([3.0, 3.0, math.inf]).tolist()
    [0.5, 0.5, 0.0]
    """
    array = np.asarray(values, dtype=np.float64)
    low = array.min()
    if not math.isfinite(low):
        return np.full(len(array), 1 / len(array))
    weight = np.exp(low - array)
    return np.asarray(weight / weight.sum())


def draw_softmin(rng: np.random.Generator, values: Sequence[float]) -> int:
    """Draw an index by softmin."""
    cumulative = np.cumsum(softmin(values))
    at = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
    return min(at, len(cumulative) - 1)


# -- What is known in the middle of a search -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Known:
    """A view of the search, to be read and not to be changed."""

    problem: Problem
    largest: int  # states that a proposed task may have
    scores: Mapping[DFA, Score]  # of every task that was scored, by language
    front: tuple[Score, ...]  # the best of them, in order
    taken: frozenset[DFA]  # in earlier steps
    quiet: int  # steps since the best was found
    task: DFA | None = None  # that is taken in this step; None when there is none left, or none yet

    @property
    def best(self) -> DFA | None:
        """Return the best task so far."""
        return self.front[0].language if self.front else None

    def uses(self, name: str) -> bool:
        """Say whether an ingredient is not left out."""
        return name not in self.problem.settings.without


# -- Which task is taken next ----------------------------------------------------------------------------

FRONT = 300  # so many of the best can be taken: more than a chain makes steps, unless it is asked for them
ELSEWHERE = 0.2  # how often another than the best is taken while the best leads on
LATER = 0.5  # and how often once a step brought nothing better: what is near the best is known by then
OTHERS = 50  # so many of the best may be taken instead of it
ENERGY = attrgetter("energy")

RESTARTS = "restarts"  # as `--without` calls what is no move


def take(rng: np.random.Generator, known: Known) -> DFA | None:
    """Return the best task that was not taken yet, or by chance a good one elsewhere; None without any."""
    left = [score for score in known.front if score.language not in known.taken]
    if not left:
        return None
    # Drawn without restarts as well, so that both searches go on with the same random numbers.
    elsewhere = rng.random() < (LATER if known.quiet else ELSEWHERE)
    if not elsewhere or not known.uses(RESTARTS):
        return left[0].language
    return of_some_size(rng, known) if known.quiet else behaving_otherwise(rng, left)


def of_some_size(rng: np.random.Generator, known: Known) -> DFA:
    """Draw a number of states, and return the best task that has it and was not taken yet.

    Small tasks, from which the way may lead on, are soon outnumbered by what is near the best.
    """
    left = (score for task, score in known.scores.items() if task not in known.taken)
    some = best_by_states(left, known.largest)
    return some[int(rng.integers(len(some)))]


def behaving_otherwise(rng: np.random.Generator, left: list[Score]) -> DFA:
    """Draw one of the best tasks by energy, of those that behave alike only the first."""
    some = list({behaviour(score): score for score in reversed(left[:OTHERS])}.values())[::-1]
    spread = max(1.0, (some[-1].energy - some[0].energy) / 4)
    return some[draw_softmin(rng, [score.energy / spread for score in some])].language


def behaviour(score: Score) -> tuple[float, float]:
    """Return what tasks that behave alike share, but for rounding: surprise and satisfaction."""
    return round(score.surprise, 9), round(score.satisfaction_probability, 9)


def best_of(scores: Iterable[Score]) -> tuple[Score, ...]:
    """Return the best scores in order, each language once."""
    by_energy = sorted(scores, key=ENERGY)
    first: dict[DFA, Score] = {}
    for _, alike in groupby(by_energy, key=ENERGY):  # what else they are ranked by takes longer to look at
        some = list(alike)
        for score in some if len(some) == 1 else sorted(some, key=order):
            first.setdefault(score.language, score)
        if len(first) >= FRONT:
            break
    return tuple(first.values())[:FRONT]


def best_one(scores: Sequence[Score]) -> Score | None:
    """Return the best score; None where there is none."""
    least = min(map(ENERGY, scores), default=None)
    return min((score for score in scores if score.energy == least), key=order, default=None)


def best_by_states(scores: Iterable[Score], most: int) -> list[DFA]:
    """Return the best task of each number of states up to `most`, largest first.

    A larger task may be better than all smaller ones, and yet not lie on the way to the best.
    """
    best: dict[int, Score] = {}
    for score in scores:
        states = len(score.language.table)
        known = best.get(states)
        leads = known is None or (score.energy <= known.energy and order(score) < order(known))
        if leads and states <= most:
            best[states] = score
    return [best[states].language for states in sorted(best, reverse=True)]


def order(score: Score) -> tuple[float, int | float, Table, tuple[bool, ...]]:
    """Return what tasks are ranked by: energy, then size, then anything that is the same every time."""
    return score.energy, score.size, score.language.table, score.language.accepting
