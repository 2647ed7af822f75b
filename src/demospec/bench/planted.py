"""Planted tasks: what was meant is known, demonstrations are drawn from the agent that pursues it.

Random 8×8 worlds with four letters; every second one has wind. Task number k is planted in the worlds 2·k,
2·k + 1, …, so that each task has its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.explain.acting import sample
from demospec.plan.rationality import Fixed
from demospec.problem import Problem, Weights
from demospec.tasks import DFA
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
