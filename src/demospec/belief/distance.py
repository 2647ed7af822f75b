"""How differently two tasks make an agent behave in this world: the divergence of what it does.

Both agents meet the same environment, so that only their choices count. With soft values
ln π(a | ξ) = Q(ξ·a) − V(ξ) and Q(ξ·a) = E[V(ξ·a·s)], the sum of ln π along an episode telescopes in
expectation: E[Σ ln π] = λ·Pr(accepted) − V(start), whoever acts. Therefore, over complete paths,

    KL(π₁ ‖ π₂) = λ₁·Pr₁(task 1 accepts) − V₁ − (λ₂·Pr₁(task 2 accepts) − V₂)

where Pr₁ is what happens when agent 1 acts. One plan for agent 1, whose monitor reads both tasks, tells all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from demospec.explain.score import Score
from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE, Plan, Planner
from demospec.plan.monitor import Monitor, make_monitor
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.tables import Table, explore
from demospec.worlds.mdp import MDP, Bools, Floats
from demospec.worlds.world import World

TOGETHER = 64  # plans that are made in one pass


def pair_monitor(first: Monitor, second: Monitor) -> Monitor:
    """Return a monitor that follows two: it accepts as the first does, and its labels tell the second.

    A path that the second accepts is open where the first rejects it, and revocable where it accepts it.
    """
    table, mine, other = product(first, second)
    return Monitor(first.alphabet, table, mine, other & ~mine, other & mine)


def product(first: Monitor, second: Monitor) -> tuple[Table, Bools, Bools]:
    """Return the table of two monitors side by side, and the marks of either."""
    one, two = first.table, second.table
    nodes, table = explore((0, 0), len(first.alphabet), lambda pair, k: (one[pair[0]][k], two[pair[1]][k]))
    at = np.array(nodes, dtype=np.intp)
    return table, first.accepting[at[:, 0]], second.accepting[at[:, 1]]


class Agents:
    """The agents of some tasks in a problem's world, to be compared with each other."""

    def __init__(self, problem: Problem, tasks: Sequence[DFA], rationalities: Sequence[float]) -> None:
        self.problem, self.tasks = problem, [task.minimal for task in tasks]
        self.rationalities = [float(rationality) for rationality in rationalities]
        self.planner: Planner = problem.planner
        self.monitors = [make_monitor(task, merge_repeats=problem.merge_repeats) for task in self.tasks]

    @classmethod
    def of(cls, problem: Problem, scores: Sequence[Score]) -> Agents:
        """Take the rationality of each agent from its task's score."""
        return cls(problem, [score.task for score in scores], [score.rationality for score in scores])

    def plan(self, number: int) -> Plan:
        """Return the plan of one agent."""
        return self.planner.plan(self.problem.world, self.monitors[number], self.rationalities[number])

    @cached_property
    def world(self) -> MDP:
        """Return the world that is planned in; where it is learned from samples, that is the estimate."""
        return self.plan(0).world.listed()

    @property
    def is_listed(self) -> bool:
        """Say whether the world's states are listed, so that all of its paths can be followed."""
        return self.planner.abilities.listed

    @cached_property
    def worth(self) -> Floats:
        """Return [T, 2]: V of each agent at the start, and how often it satisfies its task."""
        asked = list(zip(self.monitors, self.rationalities, strict=True))
        planner, found = quick(self.planner), []
        for first in range(0, len(asked), TOGETHER):
            plans = planner.plans(self.problem.world, asked[first : first + TOGETHER])
            found += [(plan.expected_value(), plan.satisfaction_probability) for plan in plans]
        return np.array(found)

    def divergences(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return KL(πᵢ ‖ πⱼ) for each pair (i, j): nats that an episode of agent i tells against j."""
        result = np.zeros(len(pairs))
        for first in range(0, len(pairs), TOGETHER):
            some = pairs[first : first + TOGETHER]
            result[first : first + len(some)] = self._batch(some)
        return result

    def _batch(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        asked = [(self.monitors[i], self.monitors[j], self.rationalities[i]) for i, j in pairs]
        satisfied = seconds_satisfied(self.planner, self.problem.world, asked)
        first, second = np.array(pairs, dtype=np.intp).T
        rationality, (value, own) = np.array(self.rationalities), self.worth.T
        mine = rationality[first] * own[first] - value[first]
        other = rationality[second] * satisfied - value[second]
        found: Floats = np.maximum(mine - other, 0.0)  # rounding may take it below
        return found

    def alike(self, leader: int, others: Sequence[int], threshold: float) -> list[bool]:
        """Say of each of the others whether it is nearer to the leader than the threshold, both ways."""
        near = self.divergences([(leader, other) for other in others]) < threshold
        again = [other for other, one in zip(others, near.tolist(), strict=True) if one]
        near[near] = self.divergences([(other, leader) for other in again]) < threshold
        return [bool(one) for one in near]


def seconds_satisfied(
    planner: Planner, world: World, pairs: Sequence[tuple[Monitor, Monitor, float]]
) -> Floats:
    """Return, for each (first, second, λ), how often the first task's agent satisfies the second task."""
    if planner.abilities.any_marks:  # any marks will do as a label, and one label is quickest
        joint = [
            (product(first, second), first.alphabet, rationality) for first, second, rationality in pairs
        ]
        asked = [
            (Monitor(alphabet, table, mine, other, mine), rationality)
            for (table, mine, other), alphabet, rationality in joint
        ]
        plans = planner.for_labels(OPEN).plans(world, asked)
        return np.array([plan.expected_chance(OPEN) for plan in plans])
    plans = planner.plans(world, [(pair_monitor(first, second), own) for first, second, own in pairs])
    return np.array([plan.expected_chance(OPEN) + plan.expected_chance(REVOCABLE) for plan in plans])


def quick(planner: Planner) -> Planner:
    """Return the planner for values and satisfaction alone."""
    return planner.for_labels(ACCEPTED)
