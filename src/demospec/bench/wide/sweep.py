"""What the wide suite runs: numbered cases, each a world, a task and a demonstrator; who learns from them.

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

from demospec.bench.sweep import ranges
from demospec.bench.wide.demonstrators import DEMONSTRATORS, MODEL, Demonstrator
from demospec.bench.wide.drawn import draw
from demospec.bench.wide.tasks import LETTERS, TASKS, Wanted
from demospec.bench.wide.worlds import WORLDS, world_for
from demospec.errors import InputError
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem, Weights
from demospec.tasks import DFA
from demospec.wording import listing, nearest
from demospec.worlds.mdp import MDP

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
        return shlex.join(["demospec", "bench", "recovery", *words])


def check_learner(name: str) -> str:
    """Refuse a learner that is not known."""
    if name not in LEARNERS:
        raise InputError(f'learner "{name}" is none of {listing(LEARNERS)}{nearest(name, LEARNERS)}')
    return name
