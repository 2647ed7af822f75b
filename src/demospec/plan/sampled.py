"""The planner for worlds that were sampled: the plan in the estimated world, and how far off it may be.

Standard errors come from a bootstrap: worlds that could have given the same counts are drawn, each is planned
for, and the answers spread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from demospec.errors import InputError
from demospec.plan.base import Abilities, Plan, Planner
from demospec.plan.monitor import Monitor
from demospec.plan.tabular import PLANNER, TabularPlan
from demospec.work.stop import NEVER, Stop
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.simulator import Experience, WorldSimulator
from demospec.worlds.world import World

MOST_KEPT = 1 << 26  # bytes of the plans in drawn worlds that a plan keeps; beyond, they are made again


class SampledPlan(TabularPlan):
    """A plan in an estimated world: `estimate` is that world."""

    def __init__(self, made: TabularPlan, estimate: EstimatedMDP, draws: int, seed: int) -> None:
        super().__init__(made.layers, made.place, made.monitor, made.rationality)
        self.estimate = estimate
        self._draws, self._seed = draws, seed
        self._kept: list[Plan] = []

    def draws(self) -> Iterator[Plan]:
        """Yield the plans for the same task in worlds that could have given the same counts.

        Plans for other tasks in the same estimated world yield theirs in the same drawn worlds, so that
        differences between tasks can be told from chance too.
        """
        if self._kept:
            yield from self._kept
            return
        made: list[Plan] = []
        for world in drawn_worlds(self.estimate, self._draws, self._seed):
            plan = PLANNER.plan(world, self.monitor, self.rationality)
            if self.bytes * self._draws <= MOST_KEPT:
                made.append(plan)
            yield plan
        self._kept = made

    def spread(self, statistic: Callable[[Plan], npt.ArrayLike]) -> Floats:
        """Return the standard deviation over the drawn worlds of anything that is read from a plan."""
        answers = np.stack([np.asarray(statistic(plan)) for plan in self.draws()], axis=-1)
        return np.asarray(np.std(answers, axis=-1, ddof=1))

    def _unless_unknown(self, errors: Floats, time: Ints, state: Ints) -> Floats:
        reachable = self.layers.structure.depth[state] <= time
        return np.where(reachable & self.estimate.known[state], errors, np.inf)

    def standard_errors(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the standard errors of values; inf where an action was never tried, or nobody came."""
        errors = self.spread(lambda plan: plan.values(time, monitor, state))
        return self._unless_unknown(errors, time, state)

    def chance_standard_errors(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the standard errors of chances."""
        errors = self.spread(lambda plan: plan.chances(label, time, monitor, state))
        return self._unless_unknown(errors, time, state)

    def standard_error(self, time: int, monitor: int, state: int) -> float:
        """Return the standard error of one of the values."""
        return float(self.standard_errors(*(np.array([number]) for number in (time, monitor, state)))[0])

    @property
    def satisfaction_standard_error(self) -> float:
        """Return the standard error of `satisfaction_probability`."""
        return float(self.spread(lambda plan: plan.satisfaction_probability))


@dataclass(frozen=True)
class SampledPlanner(Planner):
    """Plans in estimated worlds; `draws` worlds tell the standard errors.

    A world that is not an estimate is played first, as if it were a simulator only, for `steps` steps.
    """

    abilities: ClassVar[Abilities] = Abilities(listed=True, rewards=True)

    steps: int = 20_000
    draws: int = 100
    seed: int = 0
    stop: Stop = field(default=NEVER, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.draws < 2:
            raise InputError(f"standard errors need at least 2 draws; found {self.draws}")
        if self.steps < 1:
            raise InputError(f"a world is sampled for at least 1 step; found {self.steps}")

    def plan(self, world: World, monitor: Monitor, rationality: float) -> SampledPlan:
        return self.plans(world, [(monitor, rationality)])[0]

    def plans(self, world: World, tasks: Sequence[tuple[Monitor, float]]) -> list[SampledPlan]:
        known = self.planned_in(world)
        made = PLANNER.until(self.stop).plans(known, tasks)
        return [SampledPlan(plan, known, self.draws, self.seed) for plan in made]

    def planned_in(self, world: World) -> EstimatedMDP:
        """Return the estimate that plans are made in; a world is played when it is first asked for."""
        return estimated(world.listed(), self.steps, self.seed)

    def until(self, stop: Stop) -> SampledPlanner:
        return replace(self, stop=stop)


def estimated(mdp: MDP, steps: int, seed: int) -> EstimatedMDP:
    """Return an estimate as it is, and what playing any other world for so many steps makes of it."""
    return mdp if isinstance(mdp, EstimatedMDP) else sampled_copy(mdp, steps, seed)


@lru_cache(maxsize=4)
def sampled_copy(mdp: MDP, steps: int, seed: int) -> EstimatedMDP:
    """Return a world as it looks after playing it for so many steps, its states and actions as numbered."""
    simulator = WorldSimulator(mdp, seed=seed)
    experience = Experience(simulator, states=mdp.states, actions=mdp.actions)
    experience.explore(np.random.default_rng([seed, 1]), steps)
    return experience.world()


@lru_cache(maxsize=4)
def drawn_worlds(world: EstimatedMDP, draws: int, seed: int) -> tuple[MDP, ...]:
    """Return worlds that could have given the same counts."""
    rng = np.random.default_rng(seed)
    return tuple(world.redrawn(rng) for _ in range(draws))
