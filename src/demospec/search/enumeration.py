"""What the search is compared with, through the same interface: all tasks in order of size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.errors import InputError
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.search.engine import Info
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop


@dataclass(frozen=True)
class Looked:
    """What must persist: how many tasks were looked at, and the best of them."""

    iteration: int = 0
    best: Score | None = None


class Enumeration:
    """Prior-ordered enumeration: the smallest tasks that accept the complete demonstrations, in order.

    Prior, classes and given examples are kept to; a demonstration whose word they exclude is no
    constraint, since no task in the class accepts it.
    """

    def __init__(self, problem: Problem, stop: Stop = NEVER) -> None:
        accept = {
            word: True
            for word, path in zip(problem.words, problem.demonstrations, strict=True)
            if path.complete and not resolve(problem).allowed.certain[False].accepts(word)
        }
        self.problem = problem
        self.examples = Examples.from_mapping({**accept, **problem.given.mapping})
        self.evaluator = Evaluator(problem, memory=0, stop=stop)
        self.stop = stop
        self._tasks = resolve(problem).allowed.smallest(self.examples, stop)
        self._place = -1  # of the task that was asked for last
        self._task: DFA | None = None

    def start(self) -> Looked:
        """Return the state before the first task."""
        return Looked()

    def step(self, rng: np.random.Generator, state: Looked) -> tuple[Looked, Info]:
        """Look at the next task."""
        del rng  # there is no chance in it
        task = self.task(state.iteration)
        if task is None:
            raise InputError(f"there are no more than {state.iteration} tasks")
        score = self.evaluator.score(task)
        better = state.best is None or score.energy < state.best.energy
        following = Looked(state.iteration + 1, score if better else state.best)
        return following, Info(
            iteration=following.iteration,
            candidate=score,
            accepted=better,
            best=following.best,
            scored=(score,),
            origins=("enumeration",),
        )

    def over(self, state: Looked) -> bool:
        """Say whether enough tasks were looked at; fewer are there only where classes leave no more."""
        return state.iteration >= self.problem.settings.iterations or self.task(state.iteration) is None

    def task(self, place: int) -> DFA | None:
        """Return the task at a place in the order, from 0; None behind the last.

        They are listed once as long as places come in order, and from the first again when one goes back.
        """
        if place < self._place:
            self._tasks, self._place = resolve(self.problem).allowed.smallest(self.examples, self.stop), -1
        while self._place < place:
            self._task = next(self._tasks, None)
            self._place += 1
        return self._task
