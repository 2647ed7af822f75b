"""The evidence of a task where its agent is not known: the likelihood, averaged over what the agent may be.

P(demonstrations | task) = Σ over (λ, c, h, ε, δ) of prior · Π over demonstrations of
    (1 − ε)·Π over choices of ((1 − δ)·π(choice) + δ/|A|)  +  ε·Π over choices of 1/|A|

λ is the rationality, c the effort and h the haste, which decide the policy π; ε is the chance that a
demonstration is not this agent's at all, and δ the chance that a choice is a slip. The grid and its prior are
the agent's (`plan/rationality.py`). Many tasks are looked at in one point of the grid, those that lead in all
of it, or in the part of it that matters: from one point on, as far as neighbours add anything to the average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from demospec.plan.base import Planner, Scorer
from demospec.plan.rationality import AgentPoint, Learned
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.worlds.mdp import Floats, Ints
from demospec.worlds.scene import Scene

NUMBERS = 1 << 22  # surprises of choices that are held at a time
NEGLIGIBLE = 40.0  # nats: forty points that are each e⁻⁴⁰ as likely as the best are lost in rounding
USUAL, MORE_RATIONAL = 10.0, 100.0  # at which tasks differ
NEARLY = 1.0  # nats: agents that explain nearly as well as another


Read = tuple[Any, Ints]  # the monitors of tasks, as a scorer takes them, and each task's number among them


class Finding(NamedTuple):
    """What is known of one task: −ln of its evidence, and the agent that explains best."""

    surprise: float
    rationality: float
    effort: float
    satisfied: float  # p_sat of that agent
    haste: float = 0.0
    log_points: tuple[float, ...] = ()  # ln (prior · likelihood) of each point; −inf where it is negligible
    strays: tuple[float, ...] = ()  # for each demonstration, the chance that it is not this agent's


class Shown:
    """The choices that demonstrations made in one world, and which demonstration made which."""

    def __init__(self, scene: Scene, scorer: Scorer) -> None:
        tree = scene.tree
        nodes = scorer.choice_nodes
        column = {int(node): at for at, node in enumerate(nodes)}
        self.scorer = scorer
        self.made = np.zeros((len(nodes), len(scene.demonstrations)))  # [E, D]
        for number, path in enumerate(scene.demonstrations):
            for node in tree.nodes_of(path):
                if node in column:
                    self.made[column[node], number] = 1.0
        offered = [len(scene.world.pairs(int(tree.state[tree.parent[node]]))) for node in nodes]
        self.evenly: Floats = np.log(np.array(offered, dtype=np.float64))  # [E], −ln of an even choice

    @cached_property
    def aimless(self) -> Floats:
        """Return [D], the surprise of each demonstration where every choice is even."""
        found: Floats = self.evenly @ self.made
        return found

    def surprises(self, nats: Floats, slip: float) -> Floats:
        """Return [T, D], the surprise of each demonstration, from that of each choice [T, E]."""
        if slip:
            nats = -np.log((1 - slip) * np.exp(-nats) + slip * np.exp(-self.evenly))
        found: Floats = nats @ self.made
        return found


def scorers_of(problem: Problem, planner: Planner) -> list[tuple[Scorer, float]]:
    """Return what scores tasks in each world where something was shown, and the share of it."""
    return [
        (planner.scorer(scene.tree, problem.alphabet, merge_repeats=problem.merge_repeats), share)
        for scene, share in zip(problem.scenes, problem.shares, strict=True)
        if share
    ]


class Evidence:
    """Works out the evidence of many tasks under one problem's demonstrations."""

    def __init__(self, problem: Problem, planner: Planner, agent: Learned) -> None:
        self.problem, self.agent = problem, agent
        scenes = [scene for scene, share in zip(problem.scenes, problem.shares, strict=True) if share]
        scorers = scorers_of(problem, planner)
        self.shares = [share for _, share in scorers]
        self.shown = [Shown(scene, scorer) for scene, (scorer, _) in zip(scenes, scorers, strict=True)]
        self._whole: dict[DFA, dict[AgentPoint, float]] = {}  # of leading tasks, at each point
        self.choices = sum(len(shown.evenly) for shown in self.shown)

    @property
    def work(self) -> int:
        """Return how many numbers a look at one point takes for each state of a task."""
        return sum(shown.scorer.work for shown in self.shown)

    @property
    def aimless(self) -> Floats:
        """Return [D], the surprise of each demonstration where every choice is even."""
        return np.concatenate([shown.aimless for shown in self.shown])

    def at(self, tasks: Sequence[DFA], points: Sequence[AgentPoint]) -> list[Finding]:
        """Return what is found at some points of the grid; the average is over these."""
        return self._spread(tasks, points, range(len(points)))

    def everywhere(self, tasks: Sequence[DFA]) -> list[Finding]:
        """Return what is found over the whole grid."""
        return self.at(tasks, self.agent.points)

    def around(self, tasks: Sequence[DFA], start: AgentPoint, *, with_strays: bool = False) -> list[Finding]:
        """Return what is found over the part of the grid that matters, for tasks that are likely at a point.

        From there on the neighbours of all points are looked at that are not negligible beside a task's best
        so far. What is negligible all around is taken to be so beyond: likelihoods have one top, mostly.
        """
        points = self.agent.points
        return self._spread(tasks, points, [points.index(start)], with_strays=with_strays)

    def mildest(self, task: DFA) -> AgentPoint:
        """Return the agent at which other tasks are looked at beside a task that leads.

        Of the agents that explain nearly as well as its likeliest one, this is the least hasty, sparing and
        rational: it forgives most, so that a task which has another agent is still seen to be near. Where
        the task has no aim, rationality changes nothing, and a usual one is taken.
        """
        found = self._everywhere(task)
        near = [point for point in found if found[point] >= max(found.values()) - NEARLY]
        usual = USUAL if task.states == 1 else 0.0
        return min(near, key=lambda one: (one.haste, one.effort, abs(one.rationality - usual)))

    def beside(self, task: DFA) -> list[AgentPoint]:
        """Return the agents at which other tasks are looked at beside a task that leads: the mildest first.

        Where that is in haste or sparing, the next is the likeliest one that is neither: a task may be far
        behind with the leader's haste, and lead without. The last is the leader's likeliest: with few
        demonstrations a task can be far behind with a mild agent alone. Where the leader has no aim, the next
        is likely, and more rational, and there is no other.
        """
        mildest, found = self.mildest(task), self._everywhere(task)
        likeliest = max(found, key=found.__getitem__)
        if task.states == 1:
            some = [one for one in found if (one.haste, one.effort) == (likeliest.haste, likeliest.effort)]
            return list(
                dict.fromkeys([mildest, min(some, key=lambda one: abs(one.rationality - MORE_RATIONAL))])
            )
        least = min((point.haste, point.effort) for point in found)
        calm = max((one for one in found if (one.haste, one.effort) == least), key=lambda one: found[one])
        hurried = (mildest.haste, mildest.effort) != least
        return list(dict.fromkeys([mildest, *([calm] if hurried else []), likeliest]))

    def _everywhere(self, task: DFA) -> dict[AgentPoint, float]:
        if task not in self._whole:
            nats = self.everywhere([task])[0].log_points
            self._whole[task] = dict(zip(self.agent.points, nats, strict=True))
        return self._whole[task]

    def _spread(
        self,
        tasks: Sequence[DFA],
        points: Sequence[AgentPoint],
        starts: Sequence[int],
        *,
        with_strays: bool = True,
    ) -> list[Finding]:
        """Look at tasks from some points on: all of those that are given, or one of the whole grid."""
        if not tasks:
            return []
        step = max(1, NUMBERS // max(1, self.choices))
        if len(tasks) > step:  # some at a time
            pieces = (tasks[first : first + step] for first in range(0, len(tasks), step))
            return [
                one for some in pieces for one in self._spread(some, points, starts, with_strays=with_strays)
            ]
        prior = self._prior(points)[:, None]
        whole = np.full((len(points), len(tasks)), -np.inf)
        satisfied = np.zeros((len(points), len(tasks)))
        known = np.zeros((len(points), len(tasks)), dtype=np.bool_)
        wanted = known.copy()
        wanted[starts] = True
        strays = np.zeros((len(points), len(tasks), len(self.aimless))) if with_strays else None
        every = self._read(tasks)
        while (new := wanted & ~known).any():
            for row in np.flatnonzero(new.any(axis=1)).tolist():
                which = np.flatnonzero(new[row])
                read = every if len(which) == len(tasks) else self._read([tasks[k] for k in which.tolist()])
                found, satisfied[row, which], guilt = self._look(read, points[row])
                whole[row, which] = found + prior[row]
                if strays is not None:
                    strays[row, which] = guilt
            known |= new
            if known.all():
                break
            likely = whole >= whole.max(axis=0) - NEGLIGIBLE
            for row, others in enumerate(self._beside):
                wanted[others] |= likely[row]
        return self._joined(points, whole, satisfied, strays)

    @cached_property
    def _beside(self) -> list[list[int]]:
        """Return the numbers of the points that are next to each in rationality, effort or haste."""
        points = self.agent.points
        values = np.array([(one.rationality, one.effort, one.haste) for one in points])
        place = np.stack([np.unique(each, return_inverse=True)[1] for each in values.T], axis=1)
        return [np.flatnonzero(np.abs(place - one).sum(axis=1) == 1).tolist() for one in place]

    def _read(self, tasks: Sequence[DFA]) -> list[Read]:
        """Return the monitors of tasks in each world, and each task's among them."""
        return [shown.scorer.reading(tasks) for shown in self.shown]

    def _look(self, read: Sequence[Read], point: AgentPoint) -> tuple[Floats, Floats, Floats]:
        """Return [T], ln of the likelihood at a point, [T], p_sat there, and [T, D], who is a stray."""
        per_choice, satisfied = [], np.zeros(len(read[0][1]))
        for shown, share, (monitors, which) in zip(self.shown, self.shares, read, strict=True):
            nats, chance = shown.scorer.of_choices(monitors, point)
            per_choice.append((shown, nats[which]))
            satisfied += share * chance[which]
        found, strays = self._likelihood(per_choice)
        return found, satisfied, strays

    def _joined(
        self, points: Sequence[AgentPoint], whole: Floats, satisfied: Floats, strays: Floats | None = None
    ) -> list[Finding]:
        """Return what numbers at points say together: ln (prior · likelihood) [P, T], p_sat, and strays."""
        top = whole.max(axis=0)
        weight = np.exp(whole - top)
        total = weight.sum(axis=0)
        evidence = top + np.log(total)
        best = whole.argmax(axis=0)
        complete = len(points) == len(self.agent.points)
        stray = None if strays is None else ((weight / total)[:, :, None] * strays).sum(axis=0)
        likeliest = [points[number] for number in best.tolist()]
        return list(
            map(
                Finding,
                (-evidence).tolist(),
                [point.rationality for point in likeliest],
                [point.effort for point in likeliest],
                satisfied[best, np.arange(whole.shape[1])].tolist(),
                [point.haste for point in likeliest],
                map(tuple, whole.T.tolist()) if complete else repeat(()),
                repeat(()) if stray is None else map(tuple, stray.tolist()),
            )
        )

    def _prior(self, points: Sequence[AgentPoint]) -> Floats:
        """Return ln of the prior of each point; of a few that stand for all, as if they were all."""
        if len(points) == len(self.agent.points):
            return np.array([math.log(self.agent.prior(point)) for point in points])
        return np.full(len(points), -math.log(len(points)))

    def _likelihood(self, per_choice: Sequence[tuple[Shown, Floats]]) -> tuple[Floats, Floats]:
        """Return [T], ln of the likelihood averaged over mistakes, and [T, D], who is a stray."""
        aimless = self.aimless
        terms, guilt = [], []
        by_slip = {
            slip: -np.concatenate([shown.surprises(nats, slip) for shown, nats in per_choice], axis=1)
            for slip in dict.fromkeys(mistake.slip for mistake in self.agent.possible_mistakes)
        }
        for mistake in self.agent.possible_mistakes:
            own = by_slip[mistake.slip]
            if mistake.stray:
                other = math.log(mistake.stray) - aimless
                both = np.logaddexp(math.log1p(-mistake.stray) + own, other)
                guilt.append(np.exp(other - both))
            else:
                both = own
                guilt.append(np.zeros_like(own))
            terms.append(math.log(mistake.prior) + both.sum(axis=1))
        stacked = np.stack(terms)
        top = stacked.max(axis=0)
        weight = np.exp(stacked - top)
        total = weight.sum(axis=0)
        strays: Floats = (weight[:, :, None] * np.stack(guilt)).sum(axis=0) / total[:, None]
        found: Floats = top + np.log(total)
        return found, strays
