"""How differently two tasks make an agent behave in a world: the divergence of what it does.

Both agents meet the same environment, so that only their choices count. With soft values
ln π(a | ξ) = Q(ξ·a) − V(ξ) and Q(ξ·a) = E[V(ξ·a·s)], the sum of ln π along an episode telescopes in
expectation: E[Σ ln π] = λ·Pr(accepted) − V(start), whoever acts. Therefore, over complete paths,

    KL(π₁ ‖ π₂) = λ₁·Pr₁(task 1 accepts) − V₁ − (λ₂·Pr₁(task 2 accepts) − V₂)

where Pr₁ is what happens when agent 1 acts. One plan for agent 1, whose monitor reads both tasks, tells all.
Where episodes begin in several states, V is its mean over them.

How agents begin is a quick lower bound: the divergence of whole paths is at least that of their beginnings,

    KL ≥ Σ over the first steps ξ of Pr₁(ξ)·KL(π₁(· | ξ) ‖ π₂(· | ξ)),

and beginnings of many agents are compared at once. Histories in the same state that no agent tells apart are
one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from demospec.belief.tuned import DEEPEST, MOST_BEGINNINGS, OF_A_PLAN, PLANS_TOGETHER
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE, Plan, Planner
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.policy import log_policy
from demospec.plan.rationality import AgentPoint
from demospec.plan.tabular import Pairs, TabularPlanner, pairs_fit
from demospec.problem import Problem
from demospec.tasks import DFA, side_by_side
from demospec.tasks.side_by_side import Lockstep, Stack
from demospec.tasks.tables import Table
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Bools, Floats, Ints
from demospec.worlds.walk import PathWalk, SituationLayer
from demospec.worlds.world import World


def pair_monitor(first: Monitor, second: Monitor) -> Monitor:
    """Return a monitor that follows two: it accepts as the first does, and its labels tell the second.

    A path that the second accepts is open where the first rejects it, and revocable where it accepts it.
    """
    table, mine, other = monitor_product(first, second)
    return Monitor(first.alphabet, table, mine, other & ~mine, other & mine)


def monitor_product(first: Monitor, second: Monitor) -> tuple[Table, Bools, Bools]:
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
        self.planner: Planner = resolve(problem).planner.until(stop)
        self.worlds: list[World] = [scene.felt_by(AgentPoint(0.0, effort)) for scene in problem.scenes]
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
        asked, planner = (
            list(zip(self.monitors, self.rationalities, strict=True)),
            self.planner.for_labels(ACCEPTED),
        )
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
        size = PLANS_TOGETHER if self.is_listed else 1
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
        satisfied = self.chances(number, pairs)
        first, second = np.array(pairs, dtype=np.intp).T
        rationality, (value, own) = np.array(self.rationalities), self.worth[number].T
        mine = rationality[first] * own[first] - value[first]
        other = rationality[second] * satisfied - value[second]
        found: Floats = np.maximum(mine - other, 0.0)  # rounding may take it below
        return found

    def chances(self, number: int, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return for each pair (i, j) how often the agent of task i satisfies task j in one world."""
        world, planner = self.worlds[number], self.planner
        if isinstance(planner, TabularPlanner) and not planner.by_numpy and self.monitors:
            mdp = world.listed()
            if number not in self._pairs:
                fit = pairs_fit(mdp, self.monitors)
                self._pairs[number] = Pairs(mdp, self.monitors, self.stop) if fit else None
            if (compiled := self._pairs[number]) is not None:
                return compiled.seconds_satisfied(pairs, [self.rationalities[i] for i, _ in pairs])
        return self.by_plans(world, pairs)

    def by_plans(self, world: World, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return the same by a plan for each pair; where both can be done, the witness."""
        both = [(self.monitors[i], self.monitors[j], self.rationalities[i]) for i, j in pairs]
        found: list[float] = []
        if self.planner.abilities.any_marks:  # any marks will do as a label, and one label is quickest
            asked = []
            for first, second, rationality in both:
                table, mine, other = monitor_product(first, second)
                asked.append((Monitor(first.alphabet, table, mine, other, mine), rationality))
            planner = self.planner.for_labels(OPEN)
            for some in self.batches(asked):
                found += [plan.expected_chance(OPEN) for plan in planner.plans(world, some)]
        else:
            asked = [(pair_monitor(first, second), rationality) for first, second, rationality in both]
            for some in self.batches(asked):
                for plan in self.planner.plans(world, some):
                    found.append(plan.expected_chance(OPEN) + plan.expected_chance(REVOCABLE))
        return np.array(found)

    def alike(self, first: int, others: Sequence[int], threshold: float) -> list[bool]:
        """Say of each of the others whether it is nearer to the first than the threshold in every world.

        Both ways: no episode of either tells as much against the other.
        """
        near = np.ones(len(others), dtype=np.bool_)
        for from_first in (True, False):
            for number in range(len(self.worlds)):
                left = np.flatnonzero(near)
                pairs = [(first, others[k]) if from_first else (others[k], first) for k in left.tolist()]
                near[left] = self.in_world(number, pairs) < threshold
        return [bool(one) for one in near]


def first_layers(walk: PathWalk, deepest: int) -> list[SituationLayer]:
    """Return the layers in which the first steps are taken, while they are few beside those of a plan."""
    layers: list[SituationLayer] = []
    situations, most = 0, walk.mdp.horizon * walk.states // OF_A_PLAN
    for layer in walk:
        situations += len(layer)
        few = layer.time < deepest and (not layers or len(layer) <= MOST_BEGINNINGS)
        if not len(layer.source) or not (few or situations <= most):
            break
        layers.append(layer)
    return layers


def lower_bounds(agents: Agents, deepest: int = DEEPEST) -> Floats:
    """Return [T, T]: for each ordered pair of agents a number that their divergence is not below."""
    count = len(agents.tasks)
    if not agents.is_listed:
        return np.zeros((count, count))
    stack = Stack.of(agents.monitors)
    found = [bounds_in_world(agents, number, stack, deepest) for number in range(len(agents.worlds))]
    bounds: Floats = np.max(found, axis=0)
    return bounds


def bounds_in_world(agents: Agents, world: int, stack: Stack, deepest: int) -> Floats:
    """Return the bounds of one of the worlds."""
    reader = Lockstep(stack)
    walk = PathWalk(agents.listed[world], reader, stop=agents.stop)
    layers = first_layers(walk, deepest)
    monitors: Ints = (reader.rows - stack.base).T  # [T, J]
    asked = list(zip(agents.monitors, agents.rationalities, strict=True))
    planner = agents.planner.for_labels(ACCEPTED)
    present: list[Floats] = []
    log_chance: list[Floats] = []
    for some in agents.batches(asked):
        for plan in planner.plans(agents.worlds[world], some):
            made, chosen = first_choices(plan, walk.begin, layers, monitors[len(present)])
            present.append(made)
            log_chance.append(chosen)
    often, logs = np.array(present), np.array(log_chance)
    result: Floats = (often * logs).sum(axis=1)[:, None] - often @ logs.T
    return result


def first_choices(
    plan: Plan, begin: Floats, layers: list[SituationLayer], monitor: Ints
) -> tuple[Floats, Floats]:
    """Return, for every choice in the layers, how often it is made and ln π; monitors by node [J]."""
    arrived = begin
    made, logs = [], []
    for layer in layers:
        log_chance = log_policy(plan, layer, monitor[layer.node])
        chosen = (arrived * (1.0 - layer.ends))[layer.source[layer.first]] * np.exp(log_chance)
        made.append(chosen)
        logs.append(log_chance)
        arrived = layer.gather(chosen[layer.choice] * layer.chance)
    return np.concatenate(made), np.concatenate(logs)
