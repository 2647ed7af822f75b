"""How differently two tasks make an agent behave in a world: the divergence of what it does.

Both agents meet the same environment, so that only their choices count. With soft values
ln π(a | ξ) = Q(ξ·a) − V(ξ) and Q(ξ·a) = E[V(ξ·a·s)], the sum of ln π along an episode telescopes in
expectation: E[Σ ln π] = λ·Pr(accepted) − V(start), whoever acts. Therefore, over complete paths,

    KL(π₁ ‖ π₂) = λ₁·Pr₁(task 1 accepts) − V₁ − (λ₂·Pr₁(task 2 accepts) − V₂)

where Pr₁ is what happens when agent 1 acts. One plan for agent 1, whose monitor reads both tasks, tells all.
Where episodes begin in several states, V is its mean over them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from demospec.explain.score import Score
from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE, Plan, Planner
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.pairs import Pairs, fits
from demospec.plan.rationality import Point
from demospec.plan.tabular import TabularPlanner
from demospec.problem import Problem
from demospec.tasks import DFA, side_by_side
from demospec.tasks.tables import Table
from demospec.work.stop import NEVER, Stop
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
    nodes, table = side_by_side.product([first.table, second.table])
    at = np.array(nodes, dtype=np.intp)
    return table, first.accepting[at[:, 0]], second.accepting[at[:, 1]]


class Agents:
    """The agents of T tasks in the W worlds of a problem, to be compared with each other.

    Each has its own rationality. Steps cost all of them the same effort: then what a path costs is nothing
    that tells two of them apart. None is in haste: what they do is compared over whole episodes.

    A flag that is set while they are compared raises `Stopped`.
    """

    def __init__(
        self,
        problem: Problem,
        tasks: Sequence[DFA],
        rationalities: Sequence[float],
        stop: Stop = NEVER,
        effort: float = 0.0,
    ) -> None:
        self.problem, self.tasks, self.stop = problem, [task.minimal for task in tasks], stop
        self.rationalities = [float(rationality) for rationality in rationalities]
        self.planner: Planner = problem.planner.until(stop)
        self.worlds: list[World] = [scene.felt_by(Point(0.0, effort)) for scene in problem.scenes]
        self._pairs: dict[int, Pairs | None] = {}  # by world
        self.monitors = [make_monitor(task, merge_repeats=problem.merge_repeats) for task in self.tasks]

    @classmethod
    def of(cls, problem: Problem, scores: Sequence[Score], stop: Stop = NEVER) -> Agents:
        """Take the rationality of each agent from its task's score, and the first one's effort for all."""
        tasks, rationalities = [one.language for one in scores], [one.rationality for one in scores]
        return cls(problem, tasks, rationalities, stop, scores[0].effort if scores else 0.0)

    @property
    def is_listed(self) -> bool:
        """Say whether the worlds' states are listed, so that all of their paths can be followed."""
        return self.planner.abilities.listed

    @cached_property
    def listed(self) -> list[MDP]:
        """Return the worlds that are planned in as arrays; where one is sampled, that is the estimate."""
        return [self.planner.planned_in(world).listed() for world in self.worlds]

    @cached_property
    def worth(self) -> Floats:
        """Return [W, T, 2]: V of each agent at the start, and how often it satisfies its task."""
        asked, planner = list(zip(self.monitors, self.rationalities, strict=True)), quick(self.planner)
        found = [
            [
                (plan.expected_value(), plan.satisfaction_probability)
                for some in self.batches(asked)
                for plan in planner.plans(world, some)
            ]
            for world in self.worlds
        ]
        return np.array(found)

    def batches(self, asked: Sequence[tuple[Monitor, float]]) -> Iterator[Sequence[tuple[Monitor, float]]]:
        """Yield so many as are planned for in one pass; where plans take long, one after the other."""
        size = TOGETHER if self.is_listed else 1
        for first in range(0, len(asked), size):
            self.stop.check()
            yield asked[first : first + size]

    def divergences(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return for each pair (i, j) the largest KL(πᵢ ‖ πⱼ) of all worlds: what an episode of i tells."""
        found: Floats = self.in_each_world(pairs).max(axis=0)
        return found

    def in_each_world(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return [W, N]: KL(πᵢ ‖ πⱼ) for each pair (i, j), the nats that an episode of i tells against j."""
        return np.array([self.in_world(number, pairs) for number in range(len(self.worlds))])

    def in_world(self, number: int, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return [N]: the divergence of each pair (i, j) in one world."""
        if not pairs:
            return np.zeros(0)
        satisfied = self._seconds_satisfied(self.worlds[number], pairs)
        first, second = np.array(pairs, dtype=np.intp).T
        rationality, (value, own) = np.array(self.rationalities), self.worth[number].T
        mine = rationality[first] * own[first] - value[first]
        other = rationality[second] * satisfied - value[second]
        found: Floats = np.maximum(mine - other, 0.0)  # rounding may take it below
        return found

    def chances(self, number: int, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return for each pair (i, j) how often the agent of task i satisfies task j in one world."""
        return self._seconds_satisfied(self.worlds[number], pairs)

    def _compiled(self, world: World) -> Pairs | None:
        """Return what compares pairs of tasks in compiled code, where there is such."""
        planner = self.planner
        if not isinstance(planner, TabularPlanner) or planner.by_numpy or not self.monitors:
            return None
        mdp = world.listed()
        if id(mdp) not in self._pairs:
            self._pairs[id(mdp)] = Pairs(mdp, self.monitors, self.stop) if fits(mdp, self.monitors) else None
        return self._pairs[id(mdp)]

    def _seconds_satisfied(self, world: World, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return, for each pair (i, j), how often the agent of task i satisfies task j."""
        compiled = self._compiled(world)
        if compiled is not None:
            return compiled.seconds_satisfied(pairs, [self.rationalities[i] for i, _ in pairs])
        return self.by_plans(world, pairs)

    def by_plans(self, world: World, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return the same by a plan for each pair; where both can be done, the witness."""
        both = [(self.monitors[i], self.monitors[j], self.rationalities[i]) for i, j in pairs]
        found: list[float] = []
        if self.planner.abilities.any_marks:  # any marks will do as a label, and one label is quickest
            asked = []
            for first, second, rationality in both:
                table, mine, other = product(first, second)
                asked.append((Monitor(first.alphabet, table, mine, other, mine), rationality))
            planner = self.planner.for_labels(OPEN)
            for some in self.batches(asked):
                found += [plan.expected_chance(OPEN) for plan in planner.plans(world, some)]
        else:
            asked = [(pair_monitor(first, second), rationality) for first, second, rationality in both]
            for some in self.batches(asked):
                found += map(either, self.planner.plans(world, some))
        return np.array(found)

    def alike(self, leader: int, others: Sequence[int], threshold: float) -> list[bool]:
        """Say of each of the others whether it is nearer to the leader than the threshold in every world.

        Both ways: no episode of either tells as much against the other.
        """
        near = np.ones(len(others), dtype=np.bool_)
        for from_leader in (True, False):
            for number in range(len(self.worlds)):
                left = np.flatnonzero(near)
                pairs = [(leader, others[k]) if from_leader else (others[k], leader) for k in left.tolist()]
                near[left] = self.in_world(number, pairs) < threshold
        return [bool(one) for one in near]


def either(plan: Plan) -> float:
    """Return how often the second task of a pair is satisfied."""
    return plan.expected_chance(OPEN) + plan.expected_chance(REVOCABLE)


def quick(planner: Planner) -> Planner:
    """Return the planner for values and satisfaction alone."""
    return planner.for_labels(ACCEPTED)
