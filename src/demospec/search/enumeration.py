"""What the search is compared with, through the same interface: one `Info` for each task looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from demospec.explain.score import Evaluator, Score
from demospec.problem import Problem
from demospec.search.diss import Info
from demospec.tasks.examples import Examples


def enumeration(problem: Problem) -> Iterator[Info]:
    """Prior-ordered enumeration: the smallest tasks that accept the complete demonstrations, in order.

    Prior, classes and given examples are kept to; a demonstration whose word they exclude is no
    constraint, since no task in the class accepts it.
    """
    accept = {
        word: True
        for word, path in zip(problem.words, problem.demonstrations, strict=True)
        if path.complete and not problem.allowed.certain[False].accepts(word)
    }
    examples = Examples.from_mapping({**accept, **problem.given.mapping})
    tasks = problem.allowed.smallest(examples)
    evaluator = Evaluator(problem, memory=0)
    best: Score | None = None
    for iteration, task in enumerate(islice(tasks, problem.settings.iterations), start=1):
        score = evaluator.score(task)
        better = best is None or score.energy < best.energy
        best = score if better else best
        yield Info(iteration, math.nan, False, examples, score, better, None, best)


class Enumeration:
    """Enumeration as an engine: its state is how many tasks were looked at, and the best of them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._infos = enumeration(problem)

    def start(self) -> tuple[int, Info | None]:
        """Return the state before the first task."""
        return 0, None

    def step(
        self, rng: np.random.Generator, state: tuple[int, Info | None]
    ) -> tuple[tuple[int, Info | None], Info]:
        """Look at the next task."""
        del rng  # there is no chance in it
        info = next(self._infos)
        return (state[0] + 1, info), info

    def over(self, state: tuple[int, Info | None]) -> bool:
        """Say whether enough tasks were looked at; fewer are there only where classes leave no more."""
        if state[0] >= self.problem.settings.iterations:
            return True
        following = next(self._infos, None)
        if following is None:
            return True
        self._infos = chain([following], self._infos)
        return False

    def go_on(self, state: tuple[int, Info | None]) -> None:
        """Look at the tasks again that were looked at before."""
        self._infos = islice(enumeration(self.problem), state[0], None)
