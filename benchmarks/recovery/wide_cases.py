"""Who demonstrates in the wide suite, and its numbered cases: each a world, a task and a demonstrator.

Case number i takes the i-th world, task and demonstrator, each list counted round and round. Their lengths
share no factor, so that any few cases in a row mix all three evenly, and `PERIOD` of them meet every
combination. Two parts draw from different random numbers and begin half a period apart: what is chosen by
looking at one part is reported on the other. The third draws its tasks from the prior.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.errors import InputError
from demospec.plan.base import Plan
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MOST_RATIONAL, Fixed, Learned
from demospec.plan.sample import Sampler
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem, Weights
from demospec.tasks import DFA
from demospec.wording import listing, nearest
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import Ends
from recovery.planted import ranges
from recovery.wide_worlds import LETTERS, TASKS, WORLDS, Wanted, draw, hurried, world_for

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


PARTS = ("choose", "held-out", "prior")
DRAWN = "prior"  # the part whose tasks are drawn from the prior
LEARNERS = ("default", "paper", "irl", "oracle")
PERIOD = len(WORLDS) * len(TASKS) * len(DEMONSTRATORS)
FEWEST_LETTERS, LETTER_COUNTS = 3, 3


@dataclass(frozen=True)
class WideCase:
    """One run: what is planted, how much of it is shown, who learns."""

    part: str
    number: int
    seed: int
    demonstrations: int
    learner: str

    @property
    def place(self) -> int:
        """Return the place in the period."""
        return (self.number + PARTS.index(self.part) * (PERIOD // 2)) % PERIOD

    @property
    def world(self) -> str:
        """Return the kind of world."""
        return tuple(WORLDS)[self.place % len(WORLDS)]

    @property
    def wanted(self) -> Wanted:
        """Return the task that is planted, where it is not drawn."""
        return TASKS[self.place % len(TASKS)]

    @property
    def demonstrator(self) -> Demonstrator:
        """Return who shows it."""
        return DEMONSTRATORS[self.place % len(DEMONSTRATORS)]

    def rng(self, use: int) -> np.random.Generator:
        """Return random numbers that all learners share; for each use others."""
        return np.random.default_rng([PARTS.index(self.part), self.seed, self.number, use])

    @cached_property
    def planted(self) -> tuple[str, str, DFA, MDP]:
        """Return the task over three to five letters, its name and its kind, and the world."""
        count = FEWEST_LETTERS + int(self.rng(0).integers(LETTER_COUNTS))
        ends = self.demonstrator.ends
        if self.part == DRAWN:
            task, world = draw(LETTERS[:count], self.world, ends, self.rng(1))
            return str(task), "drawn", task.automaton, world
        truth = self.wanted.task(LETTERS[: max(count, len(self.wanted.letters))])
        return self.wanted.name, self.wanted.kind, truth, world_for(self.world, truth, self.rng(1), ends)

    @property
    def truth(self) -> DFA:
        """Return the task that is planted."""
        return self.planted[2]

    @property
    def rationality(self) -> float:
        """Return how rational the demonstrator is; the model's rationality is drawn."""
        low, high = MODEL
        return self.demonstrator.rationality(low * (high / low) ** float(self.rng(4).random()))

    def plant(self) -> tuple[MDP, Problem]:
        """Return the world, and the learner's problem with the demonstrations in it."""
        (name, _, truth, world), who = self.planted, self.demonstrator
        paths = who.paths(world, truth, self.rationality, self.demonstrations, self.rng(2))
        paper = self.learner == "paper"
        problem = Problem.of(
            world,
            paths,
            name=name,
            alphabet=truth.alphabet,
            agent=Fixed(10.0) if paper else Learned(),
            code="automaton" if paper else "words",
            weights=Weights(by_rule=True),
            merge_repeats=True,
        )
        return world, problem


@dataclass(frozen=True)
class WideSweep:
    """What is run: so many cases of a part, with every number of demonstrations, by every learner."""

    part: str = "choose"
    cases_each: int = 36
    seeds: tuple[int, ...] = (0,)
    demonstrations: tuple[int, ...] = (1, 3, 10, 30)
    learners: tuple[str, ...] = LEARNERS[:3]
    limit: float = 30.0  # seconds for each run

    def cases(self) -> Iterator[WideCase]:
        """Yield the cases; learners that see the same demonstrations come one after the other."""
        for seed in self.seeds:
            for number in range(self.cases_each):
                for count in self.demonstrations:
                    for learner in self.learners:
                        yield WideCase(self.part, number, seed, count, learner)

    def __len__(self) -> int:
        return self.cases_each * len(self.seeds) * len(self.demonstrations) * len(self.learners)

    @property
    def command(self) -> str:
        """Return the command that runs this."""
        words = ["--suite", "wide", "--part", self.part, "--cases", str(self.cases_each)]
        words += ["--seeds", ranges(self.seeds), "--demonstrations", ",".join(map(str, self.demonstrations))]
        words += ["--learners", ",".join(self.learners), "--limit", f"{self.limit:g}"]
        return shlex.join(["python", "benchmarks/recover.py", *words])


def check_learner(name: str) -> str:
    """Refuse a learner that is not known."""
    if name not in LEARNERS:
        raise InputError(f'learner "{name}" is none of {listing(LEARNERS)}{nearest(name, LEARNERS)}')
    return name
