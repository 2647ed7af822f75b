"""A way to search that takes no time: energies by chance, and an end by patience, as the explorer's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.search.engine import Info
from demospec.tasks import DFA
from demospec.work.stop import NEVER, Stop


@dataclass(frozen=True)
class Known:
    """The lowest energy so far, and since when."""

    iteration: int = 0
    best: Score | None = None
    quiet: int = 0


class Toy:
    """An engine whose steps draw an energy."""

    def __init__(self, problem: Problem, stop: Stop = NEVER) -> None:
        self.problem, self.stop = problem, stop

    @cached_property
    def tasks(self) -> list[DFA]:
        return list(islice(resolve(self.problem).allowed.smallest(self.problem.given), 5))

    def start(self) -> Known:
        return Known()

    def step(self, rng: np.random.Generator, state: Known) -> tuple[Known, Info]:
        self.stop.check()
        drawn = [int(k) for k in rng.integers(0, 5, size=int(rng.integers(0, 3)))]
        scored = tuple(Score(self.tasks[k], k, float(k), float(k), 1.0, 0.5) for k in drawn)
        candidate = min(scored, key=lambda score: score.energy, default=None)
        better = candidate is not None and (state.best is None or candidate.energy < state.best.energy)
        best = candidate if better else state.best
        known = Known(state.iteration + 1, best, 0 if better else state.quiet + 1)
        return known, Info(
            iteration=known.iteration,
            candidate=candidate,
            accepted=better,
            best=best,
            scored=scored,
            origins=("toy",) * len(scored),
        )

    def over(self, state: Known) -> bool:
        return state.iteration >= self.problem.settings.iterations or state.quiet > 5
