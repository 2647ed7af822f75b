"""Chains of the paper's search at several temperatures, which change places.

Hot chains wander, cold ones settle. After each round two neighbours may exchange their states: what a hot
chain has found goes on in a cold one. Energies and gradients grow with the number of demonstrations, the
paper's constants do not, so temperatures are scaled with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demospec.explain.score import Evaluator
from demospec.problem import Problem
from demospec.search.diss import Info, Search, State
from demospec.search.ingredient import Ingredient

RUNGS = 3  # the paper's last temperature, its first one, and one between
SHOWN = 2  # demonstrations in the paper's experiments, for which its constants are

EXCHANGE = Ingredient(
    "exchange",
    "Lets the paper's chains change places, so that what a hot one has found goes on in a cold one.",
)
ADAPTATION = Ingredient(
    "adaptation",
    "Scales the paper's temperatures and β with the number of demonstrations, as energies and gradients are.",
)


@dataclass(frozen=True)
class Ladder:
    """What must persist: the states of all chains, coldest first."""

    rungs: tuple[State, ...]


class Tempering:
    """The paper's search at `RUNGS` fixed temperatures, between its last and its first one."""

    def __init__(
        self,
        problem: Problem,
        *,
        evaluator: Evaluator | None = None,
        exchange: bool = True,
        adapt: bool = True,
    ) -> None:
        settings = problem.settings
        scale = max(1, len(problem.demonstrations)) / SHOWN if adapt else 1.0
        beta = settings.pivot_temperature * scale
        self.search = Search(problem.with_settings(pivot_temperature=beta), evaluator=evaluator)
        self.temperatures = ladder(
            scale * settings.final_temperature,
            scale * max(settings.initial_temperature, settings.final_temperature),
        )
        self.exchange = exchange

    def start(self) -> Ladder:
        """Return the state in which no chain has begun."""
        return Ladder((self.search.start(),) * RUNGS)

    def step(self, rng: np.random.Generator, ladder: Ladder) -> tuple[Ladder, list[Info]]:
        """Let every chain make one iteration, then let neighbours change places."""
        rungs, infos = [], []
        for state, temperature in zip(ladder.rungs, self.temperatures, strict=True):
            state, info = self.search.step(rng, state, temperature=temperature)
            rungs.append(state)
            infos.append(info)
        if self.exchange:
            for low in range(RUNGS - 1):
                if self.changes_places(rng, low, rungs[low], rungs[low + 1]):
                    rungs[low], rungs[low + 1] = rungs[low + 1], rungs[low]
        return Ladder(tuple(rungs)), infos

    def changes_places(self, rng: np.random.Generator, low: int, one: State, other: State) -> bool:
        """Draw whether two neighbours exchange: with probability min(1, exp((1/T₁ − 1/T₂)·(U₁ − U₂)))."""
        alpha = rng.random()
        if one.current is None or other.current is None:
            return False
        colder, hotter = self.temperatures[low : low + 2]
        rise = (1 / colder - 1 / hotter) * (one.current.energy - other.current.energy)
        return rise >= 0 or alpha < math.exp(rise)


def ladder(lowest: float, highest: float, rungs: int = RUNGS) -> tuple[float, ...]:
    """Return temperatures with equal ratios.

    >>> [round(t, 3) for t in ladder(1, 100)]
    [1.0, 10.0, 100.0]
    """
    return tuple(lowest * (highest / lowest) ** (k / (rungs - 1)) for k in range(rungs))
