"""One plan for several tasks: the agent's reward is λ times the weight of the tasks that it satisfies.

V(ξ) = λ·Σₖ wₖ·[ξ ∈ φₖ]        when ξ is complete

With one task this is the plan for it, to the last bit. What a `Policy` says of "the task" is said of a task
that is drawn by its weight: its satisfaction is Σₖ wₖ·Pr(ξ ∈ φₖ).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.errors import WorldError
from demospec.plan.base import ACCEPTED, LABELS, Plan, Planner
from demospec.plan.monitor import Monitor
from demospec.plan.policy import NOTHING_YET, Policy, Where
from demospec.tasks import side_by_side
from demospec.tasks.mixture import Mixture
from demospec.tasks.showing import short
from demospec.worlds.mdp import Bools, Floats
from demospec.worlds.world import World


@dataclass(frozen=True, eq=False)
class MixtureMonitor(Monitor):
    """The monitor of several tasks, M states; `accepting` are those in which all of them are satisfied.

    It has a label for each task beside the usual ones, of which no path is open or revocable.
    """

    satisfied: Bools  # [T, M]
    weighed: Floats  # [M], the weight of the tasks that are satisfied

    @classmethod
    def of(cls, mixture: Mixture) -> MixtureMonitor:
        """Make the monitor of a mixture."""
        satisfied = np.array(mixture.satisfied, dtype=np.bool_).T.copy()
        never = np.zeros(mixture.states, dtype=np.bool_)
        whole: Bools = np.logical_and.reduce(satisfied)
        return cls(mixture.alphabet, mixture.table, whole, never, never, satisfied, np.array(mixture.reward))

    @cached_property
    def reward(self) -> Floats:
        """Return [M]: the weight of the tasks that are satisfied."""
        return self.weighed

    @property
    def outputs(self) -> tuple[Bools | Floats, ...]:
        """Return, by label, [M]: the reward as what is accepted, open, revocable, then each task's marks."""
        return (self.reward, self.open, self.revocable, *self.satisfied)


def plan_reading(
    planner: Planner, world: World, mixture: Mixture, rationality: float, other: Monitor
) -> Plan:
    """Plan for a mixture of tasks with another task read along: its mark is the first label of its own.

    The plan is that of the mixture alone: the other task is read, and earns nothing.
    """
    own = MixtureMonitor.of(mixture)
    nodes, table = side_by_side.product([own.table, other.table])
    mine, read = np.array(nodes, dtype=np.intp).T
    never = np.zeros(len(nodes), dtype=np.bool_)
    marks = other.accepting[read][None, :]
    both = MixtureMonitor(own.alphabet, table, own.accepting[mine], never, never, marks, own.weighed[mine])
    return planner.plan(world, both, rationality)


class MixturePolicy(Policy):
    """What an agent does that must satisfy one of several tasks, and knows their weights alone.

    Everything that a `Policy` tells of its task is told of a task that is drawn by its weight; `chances` are
    told of each.
    """

    def __init__(self, plan: Plan, mixture: Mixture) -> None:
        super().__init__(plan)
        self.mixture = mixture

    @classmethod
    def planned(cls, planner: Planner, world: World, mixture: Mixture, rationality: float) -> MixturePolicy:
        """Plan for all tasks of a mixture together."""
        if not planner.abilities.rewards:
            raise WorldError(
                f"{type(planner).__name__} plans for one task at a time, not for the "
                f"{len(mixture.tasks)} of a belief together"
            )
        quick = planner.for_labels(ACCEPTED)
        return cls(quick.plan(world, MixtureMonitor.of(mixture), rationality), mixture)

    @property
    def labels(self) -> range:
        """Return the labels of the tasks, as a plan is asked for them."""
        return range(len(LABELS), len(LABELS) + len(self.mixture.tasks))

    @cached_property
    def satisfaction_probabilities(self) -> tuple[float, ...]:
        """Return how often the agent satisfies each task, over all that episodes can begin with."""
        return tuple(self.plan.expected_chance(label) for label in self.labels)

    def chances(self, where: Where = NOTHING_YET) -> tuple[float, ...]:
        """Return the probability that each task will be satisfied when the episode ends."""
        plan, at, over = self._locate(where)
        if over:
            return tuple(map(float, self.mixture.satisfied[at.monitor]))
        place = at.time, at.monitor, self._number(at.state)
        return tuple(plan.chance(label, *place) for label in self.labels)

    def __repr__(self) -> str:
        return short([f"MixturePolicy of {len(self.mixture.tasks)} tasks", *self._told()])

    def _told(self) -> Iterator[str]:
        yield (
            f"an agent of rationality {self.plan.rationality:g}; what it satisfies has weight "
            f"{self.plan.satisfaction_probability:.4f} on average"
        )
        told = zip(self.mixture.shares, self.satisfaction_probabilities, self.mixture.tasks, strict=True)
        for weight, chance, task in told:
            yield f"weight {weight:.4f}, satisfied {chance:.4f}: {task}"
