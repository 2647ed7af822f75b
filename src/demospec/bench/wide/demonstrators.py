"""Who demonstrates in the wide suite: the model, and people who are not the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.bench.wide.worlds import hurried
from demospec.plan.base import Plan
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MOST_RATIONAL
from demospec.plan.sample import Sampler
from demospec.plan.tabular import PLANNER
from demospec.tasks import DFA
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import Ends

DETOUR = 3  # random actions in a row, where one mistake is made
MODEL = 14.0, 50.0  # between which the model's rationality is drawn, evenly on a logarithmic scale
HURRY = 0.1  # the chance of an end after each step that somebody fears who takes the shortest path


@dataclass(frozen=True)
class Demonstrator:
    """How somebody acts who pursues a task; `rationality` and `effort` are known to no learner.

    Without a rationality of its own it has `times` the model's, which is drawn for each case.
    """

    name: str
    own: float | None = None  # rationality
    times: float = 1.0
    effort: float = 0.0
    slip: float = 0.0  # the chance that an action is random
    shortest: bool = False  # takes the shortest path, and then does anything that keeps the task satisfied
    mistake: bool = False  # one run has a detour
    stray: bool = False  # one run is aimless
    cut: bool = False  # runs are cut between a third and two thirds
    ends: Ends = "by chance"

    def rationality(self, model: float) -> float:
        """Return how rational this demonstrator is where the model is so rational."""
        return self.times * model if self.own is None else self.own

    def plan(self, world: MDP, task: DFA, rationality: float) -> Plan:
        """Plan as this demonstrator does."""
        seen = hurried(world, HURRY) if self.shortest else world.tolled(self.effort)
        return PLANNER.plan(seen, make_monitor(task, merge_repeats=True), rationality)

    def paths(
        self, world: MDP, task: DFA, rationality: float, count: int, rng: np.random.Generator
    ) -> list[Path]:
        """Draw demonstrations. Which of them has the mistake, or is a stray, is drawn as well.

        A single run is never a stray: it would show nothing.
        """
        plan = self.plan(world, task, rationality)
        special = int(rng.integers(count))
        paths = []
        for number in range(count):
            slip, detour = self.slip, None
            if number == special and self.mistake:
                detour = int(rng.integers(max(1, world.horizon - DETOUR)))
            if number == special and self.stray and count > 1:
                slip = 1.0
            path = follow(world, plan, rng, slip, detour)
            paths.append(shortened(path, rng) if self.cut else path)
        return paths


DEMONSTRATORS = (
    Demonstrator("model"),
    Demonstrator("5 times more rational", times=5.0),
    Demonstrator("5 times less rational", times=0.2),
    Demonstrator("shortest path", own=MOST_RATIONAL, shortest=True),
    Demonstrator("one action in ten at random", slip=0.1),
    Demonstrator("one mistake", mistake=True),
    Demonstrator("one stray run", stray=True),
    Demonstrator("cut", cut=True),
    Demonstrator("stopped when done", own=100.0, effort=3.0, ends="by choice"),
)
BY_NAME = {one.name: one for one in DEMONSTRATORS}


def follow(
    world: MDP, plan: Plan, rng: np.random.Generator, slip: float = 0.0, detour: int | None = None
) -> Path:
    """Draw a complete path of an agent in a world; its plan may be for another end of episodes.

    An action is random with the chance `slip`, and `DETOUR` of them are from step `detour` on.
    """
    sampler = Sampler(plan, rng)
    state, steps = world.start, list[tuple[int, int]]()
    monitor = plan.read(0, state)
    while world.end_chance(state, len(steps)) < 1:
        time, options = len(steps), world.pairs(state)
        pair = sampler.choose(time, monitor, state, options)
        wandering = detour is not None and detour <= time < detour + DETOUR
        if pair is None or wandering or rng.random() < slip:
            pair = options[int(rng.integers(len(options)))]
        outcomes = world.outcomes(pair)
        reached = sampler.pick([one for one, _ in outcomes], [chance for _, chance in outcomes])
        assert reached is not None  # chances add up to 1
        state = reached
        steps.append((pair, state))
        monitor = plan.read(monitor, state)
    return Path(tuple(steps), complete=True)


def shortened(path: Path, rng: np.random.Generator) -> Path:
    """Cut a path between a third and two thirds of its steps."""
    steps = len(path.steps)
    return path.upto(int(rng.integers(max(1, steps // 3), max(2, 2 * steps // 3 + 1))))
