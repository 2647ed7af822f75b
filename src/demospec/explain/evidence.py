"""The evidence of a task where its agent is not known: the likelihood, averaged over what the agent may be.

P(demonstrations | task) = Σ over (λ, c, ε, δ) of prior · Π over demonstrations of
    (1 − ε)·Π over choices of ((1 − δ)·π(choice) + δ/|A|)  +  ε·Π over choices of 1/|A|

λ is the rationality and c the effort, which decide the policy π; ε is the chance that a demonstration is not
this agent's at all, and δ the chance that a choice is a slip. The grid and its prior are the agent's
(`plan/rationality.py`). Many tasks are looked at in one point of the grid, those that lead in all of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

import numpy as np

from demospec.plan.base import Planner, Scorer
from demospec.plan.rationality import Learned, Point
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.worlds.mdp import Floats
from demospec.worlds.scene import Scene

NUMBERS = 1 << 22  # surprises of choices that are held at a time


class Finding(NamedTuple):
    """What is known of one task: −ln of its evidence, and the agent that explains best."""

    surprise: float
    rationality: float
    effort: float
    satisfied: float  # p_sat of that agent
    log_points: tuple[float, ...] = ()  # ln (prior · likelihood) of each (λ, c), where all were looked at
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


class Evidence:
    """Works out the evidence of many tasks under one problem's demonstrations."""

    def __init__(self, problem: Problem, planner: Planner, agent: Learned) -> None:
        self.problem, self.agent = problem, agent
        self.shares: list[float] = []
        self.shown: list[Shown] = []
        for scene, share in zip(problem.scenes, problem.shares, strict=True):
            if share:
                scorer = planner.scorer(scene.tree, problem.alphabet, merge_repeats=problem.merge_repeats)
                self.shown.append(Shown(scene, scorer))
                self.shares.append(share)
        self.choices = sum(len(shown.evenly) for shown in self.shown)

    @property
    def aimless(self) -> Floats:
        """Return [D], the surprise of each demonstration where every choice is even."""
        return np.concatenate([shown.aimless for shown in self.shown])

    def at(self, tasks: Sequence[DFA], points: Sequence[Point]) -> list[Finding]:
        """Return what is found at some points of the grid; the average is over these."""
        result: list[Finding] = []
        for some in self.pieces(tasks):
            result += self._findings(some, points)
        return result

    def everywhere(self, tasks: Sequence[DFA]) -> list[Finding]:
        """Return what is found over the whole grid."""
        return self.at(tasks, self.agent.points)

    def pieces(self, tasks: Sequence[DFA]) -> Iterator[Sequence[DFA]]:
        """Yield some tasks at a time."""
        step = max(1, NUMBERS // max(1, self.choices))
        for first in range(0, len(tasks), step):
            yield tasks[first : first + step]

    def _findings(self, tasks: Sequence[DFA], points: Sequence[Point]) -> list[Finding]:
        grid = np.empty((len(points), len(tasks)))
        satisfied = np.zeros((len(points), len(tasks)))
        strays = np.zeros((len(points), len(tasks), len(self.aimless)))
        read = [shown.scorer.reading(tasks) for shown in self.shown]
        for row, point in enumerate(points):
            per_choice = []
            for shown, share, (monitors, which) in zip(self.shown, self.shares, read, strict=True):
                nats, chance = shown.scorer.of_choices(monitors, point.rationality, point.effort)
                per_choice.append((shown, nats[which]))
                satisfied[row] += share * chance[which]
            grid[row], strays[row] = self._likelihood(per_choice)
        whole = grid + self._prior(points)[:, None]
        top = whole.max(axis=0)
        weight = np.exp(whole - top)
        evidence = top + np.log(weight.sum(axis=0))
        best = whole.argmax(axis=0)
        share = weight / weight.sum(axis=0)
        stray = (share[:, :, None] * strays).sum(axis=0)
        complete = len(points) == len(self.agent.points)
        likeliest = [points[number] for number in best.tolist()]
        return list(
            map(
                Finding,
                (-evidence).tolist(),
                [point.rationality for point in likeliest],
                [point.effort for point in likeliest],
                satisfied[best, np.arange(len(tasks))].tolist(),
                map(tuple, whole.T.tolist()) if complete else repeat(()),
                map(tuple, stray.tolist()),
            )
        )

    def _prior(self, points: Sequence[Point]) -> Floats:
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
