"""Planted tasks: what was meant is known, demonstrations are drawn from the agent that pursues it.

Random 8×8 worlds with four letters; every second one has wind. Task number k is planted in the worlds 2·k,
2·k + 1, …, so that each task has its own. A sweep says which tasks, how much of them is shown, and by which
methods they are looked for.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from demospec.errors import InputError
from demospec.explain.pursuing import sample
from demospec.plan.rationality import Fixed
from demospec.problem import METHODS, Problem, Weights
from demospec.search.best_first import INGREDIENTS
from demospec.tasks import DFA
from demospec.wording import listing, nearest
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.world import Episode

LETTERS = "bgry"
SIDE, HORIZON, RATIONALITY, WIND = 8, 15, 10.0, 1 / 32
WEIGHTS = {"default": Weights(by_rule=True), "paper": Weights(size_weight=0.02)}


@dataclass(frozen=True)
class Planted:
    """A task that someone might mean, in words and as an automaton."""

    name: str
    kind: str
    line: str

    @property
    def task(self) -> DFA:
        """Return the automaton."""
        return DFA.parse(self.line, LETTERS)


# The order matters: it says in which worlds a task is planted.
TASKS = (
    Planted("reach y", "reach", ">0: y→1 | *1:"),
    Planted("reach b", "reach", ">0: b→1 | *1:"),
    Planted("reach y or g", "reach", ">0: y→1, g→1 | *1:"),
    Planted("reach b or r or y", "reach", ">0: b→1, r→1, y→1 | *1:"),
    Planted("avoid r", "avoid", ">*0: r→1 | 1:"),
    Planted("avoid r and b", "avoid", ">*0: r→1, b→1 | 1:"),
    Planted("avoid g", "avoid", ">*0: g→1 | 1:"),
    Planted("reach y before r", "reach", ">0: y→1, r→2 | *1: | 2:"),
    Planted("reach y, never r", "reach", ">0: y→1, r→2 | *1: r→2 | 2:"),
    Planted("reach g, never b or r", "reach", ">0: g→1, b→2, r→2 | *1: b→2, r→2 | 2:"),
    Planted("b, then g", "sequence", ">0: b→1 | 1: g→2 | *2:"),
    Planted("y, then b", "sequence", ">0: y→1 | 1: b→2 | *2:"),
    Planted("b, then g, never r", "sequence", ">0: b→1, r→3 | 1: g→2, r→3 | *2: r→3 | 3:"),
    Planted("b, then g, before r", "sequence", ">0: b→1, r→3 | 1: g→2, r→3 | *2: | 3:"),
    Planted("b, then g, then y", "sequence", ">0: b→1 | 1: g→2 | 2: y→3 | *3:"),
    Planted("g, then y, then b", "sequence", ">0: g→1 | 1: y→2 | 2: b→3 | *3:"),
    Planted("b and g in any order", "any order", ">0: b→1, g→2 | 1: g→3 | 2: b→3 | *3:"),
    Planted("g and y in any order", "any order", ">0: g→1, y→2 | 1: y→3 | 2: g→3 | *3:"),
    Planted("b and g, never r", "any order", ">0: b→1, g→2, r→4 | 1: g→3, r→4 | 2: b→3, r→4 | *3: r→4 | 4:"),
    Planted("the paper's", "conditional", ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2"),
    Planted("recharge after b", "conditional", ">0: b→2, y→1 | *1: | 2: g→0"),
    Planted("g before y", "conditional", ">0: g→1, y→2 | 1: y→3 | 2: | *3:"),
    Planted("b before g", "conditional", ">0: b→1, g→2 | 1: g→3 | 2: | *3:"),
    Planted("b twice", "counting", ">0: b→1 | 1: b→2 | *2:"),
    Planted("y twice", "counting", ">0: y→1 | 1: y→2 | *2:"),
    Planted("b once", "counting", ">0: b→1 | *1: b→2 | 2:"),
    Planted("an even number of b", "counting", ">*0: b→1 | 1: b→0"),
    Planted("after b, g", "response", ">*0: b→1 | 1: g→0"),
    Planted("after r, y", "response", ">*0: r→1 | 1: y→0"),
    Planted("not r until y", "until", ">*0: y→1, r→2 | *1: | 2:"),
    Planted("g until y", "until", ">0: y→1, b→2, r→2 | *1: | 2:"),
    Planted("y last", "response", ">0: y→1 | *1: b→0, g→0, r→0"),
    Planted("if b then never r", "conditional", ">*0: b→1 | *1: r→2 | 2:"),
)
KINDS = tuple(dict.fromkeys(one.kind for one in TASKS))
BY_NAME = {one.name: number for number, one in enumerate(TASKS)}


def drawn_map(number: int) -> tuple[tuple[str, ...], tuple[int, int], Wind | None]:
    """Draw a map with three to six cells of each letter, and a white start; even ones have wind."""
    rng = np.random.default_rng([number, 77])
    grid = np.full((SIDE, SIDE), ".", dtype="<U1")
    for letter in LETTERS:
        for _ in range(int(rng.integers(3, 7))):
            grid[tuple(rng.integers(SIDE, size=2))] = letter
    white = np.argwhere(grid == ".")
    row, column = white[rng.integers(len(white))].tolist()
    wind = Wind(direction="down", probability=WIND) if number % 2 == 0 else None
    return tuple("".join(line) for line in grid), (column + 1, row + 1), wind


def planted(task: DFA, number: int, demonstrations: int, seed: int, weights: str = "default") -> Problem:
    """Draw demonstrations of a task in a world; `weights` are "default" (by rule) or "paper" (0.02)."""
    rows, start, wind = drawn_map(number)
    world = gridworld(rows, start=start, episode=Episode(horizon=HORIZON), wind=wind)
    bare = Problem.of(
        world,
        alphabet=tuple(LETTERS),
        agent=Fixed(RATIONALITY),
        weights=WEIGHTS[weights],
        merge_repeats=True,
    )
    return bare.with_demonstrations(sample(bare, task, count=demonstrations, seed=seed))


WITHOUT = "explore-without-"


@dataclass(frozen=True)
class Case:
    """One run: which task is planted where, how much of it is shown, who searches."""

    demonstrations: int
    task: str
    place: int  # the task's first world, its second, …
    seed: int
    method: str
    weights: str

    @property
    def world(self) -> int:
        """Return the world's number."""
        return 2 * BY_NAME[self.task] + self.place


@dataclass(frozen=True)
class Sweep:
    """What is run: every combination of these, one case each."""

    demonstrations: tuple[int, ...] = (2, 20)
    tasks: tuple[str, ...] = tuple(BY_NAME)
    worlds: int = 1
    seeds: tuple[int, ...] = (0,)
    methods: tuple[str, ...] = METHODS
    weights: str = "default"
    limit: float = 5.0  # seconds for each run

    def cases(self) -> Iterator[Case]:
        """Yield the cases; methods that see the same demonstrations come one after the other."""
        for count in self.demonstrations:
            for task in self.tasks:
                for place in range(self.worlds):
                    for seed in self.seeds:
                        for method in self.methods:
                            yield Case(count, task, place, seed, method, self.weights)

    def __len__(self) -> int:
        return len(self.demonstrations) * len(self.tasks) * self.worlds * len(self.seeds) * len(self.methods)

    @property
    def command(self) -> str:
        """Return the command that runs this."""
        words = ["--demonstrations", ",".join(map(str, self.demonstrations))]
        if self.tasks != tuple(BY_NAME):
            words += [word for name in named(self.tasks) for word in ("--tasks", name)]
        words += ["--worlds", str(self.worlds), "--seeds", ranges(self.seeds)]
        words += [
            "--methods",
            ",".join(self.methods),
            "--weights",
            self.weights,
            "--limit",
            f"{self.limit:g}",
        ]
        return shlex.join(["python", "benchmarks/recover.py", *words])


def check_method(name: str) -> str:
    """Refuse a method that is not known; `explore` may come without one of its ingredients."""
    known = (*METHODS, *(f"{WITHOUT}{part}" for part in INGREDIENTS))
    if name not in known:
        raise InputError(
            f'method "{name}" is none of {listing(METHODS)}, nor {WITHOUT} with one of '
            f"{listing(INGREDIENTS)}{nearest(name, known)}"
        )
    return name


def chosen_tasks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tasks that are named, themselves or by their kind, in their order; all without a name."""
    for name in names:
        known = list(dict.fromkeys(text for one in TASKS for text in (one.kind, one.name)))
        if name not in known:
            raise InputError(
                f'no planted task or kind is called "{name}"; known are {listing(known, len(known))}'
                f"{nearest(name, known)}"
            )
    return tuple(one.name for one in TASKS if not names or one.name in names or one.kind in names)


def named(tasks: tuple[str, ...]) -> tuple[str, ...]:
    """Name tasks by their kind where all tasks of the kind are there: the inverse of `chosen_tasks`.

    >>> named(("avoid r", "avoid r and b", "avoid g", "b twice"))
    ('avoid', 'b twice')
    """
    whole = {kind for kind in KINDS if all(one.name in tasks for one in TASKS if one.kind == kind)}
    chosen = [one for one in TASKS if one.name in tasks]
    return tuple(dict.fromkeys(one.kind if one.kind in whole else one.name for one in chosen))


def ranges(numbers: tuple[int, ...]) -> str:
    """Write numbers as `--seeds` takes them.

    >>> ranges((0, 1, 2)), ranges((4, 1))
    ('0-2', '4,1')
    """
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and numbers == tuple(range(first, last + 1)):
        return f"{first}-{last}"
    return ",".join(map(str, numbers))


def settings_of(method: str) -> dict[str, Any]:
    """Return the settings of a method: "explore-without-products" leaves one of its ingredients out."""
    _, _, ingredient = method.partition(WITHOUT)
    return {"method": "explore", "without": (ingredient,)} if ingredient else {"method": method}
