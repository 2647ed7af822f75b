"""Planted tasks that were once missed: search finds nothing worse than the truth in its shortest way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

import demospec
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem
from demospec.tasks import DFA, Task, Word
from demospec.tasks.clauses import parse
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State

DRAWS = 2_000
ODD = ">0: a→1, b→1 | *1: a→0, b→0"  # a and b together an odd number of times
AND = "reach a; reach b; reach c"
OR = "(a, then b, then c) or (c, then b, then a)"
FIVE = "reach a; reach b; never c; no a before d; after b, no d until a"
FIVE_OTHERS = "reach a; reach b; never c; no a before d; after b, no e until a"
OFFICE = "m, then o, then c; never d"
EIGHT = "a, then b, then c; never d"

Wanted = Callable[[Sequence[Word]], bool]


def grid(side: int, letters: str, horizon: int, seed: int, *, each: int = 2, wind: float = 0.0) -> MDP:
    """Draw a map with so many cells for each letter of a text."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(side * side)
    drawn = np.full(side * side, ".", dtype="<U1")
    for number, letter in enumerate(letters):
        drawn[cells[1 + number * each : 1 + (number + 1) * each]] = letter
    row, column = divmod(int(cells[0]), side)
    return gridworld(
        ["".join(line) for line in drawn.reshape(side, side)],
        start=(column + 1, row + 1),
        episode=Episode(horizon=horizon),
        wind=Wind(direction="down", probability=wind) if wind else None,
    )


def four_places() -> MDP:
    """Return a world of four states, three of them with a letter, each a step from any other."""
    names = ["w", "a", "b", "c"]
    rows: list[tuple[State, str, dict[State, float]]] = [
        (name, f"to {other}", {other: 1.0}) for name in names for other in names
    ]
    return MDP.build(rows, start="w", episode=Episode(horizon=6), labels={name: name for name in "abc"})


def both_ways(words: Sequence[Word]) -> bool:
    """Say whether some runs visit a first, and some c."""
    first = [word.index("a") < word.index("c") for word in words if {"a", "c"} <= set(word)]
    return 1 < sum(first) < len(words) - 1


def two_slipped(words: Sequence[Word]) -> bool:
    return sum("d" in word for word in words) == 2


def shown(
    world: MDP, text: str, runs: int, rationality: float, seed: int, wanted: Wanted | None = None
) -> tuple[Problem, Task]:
    """Return runs of an agent that knows the task, the first that are as wanted; and the task."""
    bare = Problem.of(world, code="words", merge_repeats=True, agent=Learned())
    letters = bare.alphabet
    truth: Task = DFA.parse(text, letters) if text.startswith(">") else parse(text, letters)
    who = replace(bare, agent=Fixed(rationality))
    for draw in range(seed, seed + DRAWS):
        paths = demospec.sample(who, truth, count=runs, seed=draw)
        if wanted is None or wanted([bare.word(path) for path in paths]):
            return bare.with_demonstrations(paths), truth
    raise AssertionError("no runs are as wanted")


def energy_of(problem: Problem, truth: Task) -> float:
    """Return the energy of a task in the shortest of the ways to say it."""
    ways = (truth, truth.automaton, problem.shortest_way(truth.automaton))
    return min(demospec.score(problem, way).energy for way in ways)


CASES: dict[str, Callable[[], tuple[Problem, Task]]] = {
    "parity": lambda: shown(four_places(), ODD, 40, 10.0, 0),
    "parity, nearly aimless": lambda: shown(four_places(), ODD, 40, 3.0, 1),
    "divisible by 3": lambda: shown(grid(5, "abc", 14, 0, each=3), "b a multiple of 3 times", 20, 10.0, 0),
    "divisible by 3, few states": lambda: shown(four_places(), "b a multiple of 3 times", 40, 5.0, 1),
    "office 1": lambda: shown(grid(8, "mocdddd", 22, 1, wind=0.2), OFFICE, 3, 50.0, 1, two_slipped),
    "office 8": lambda: shown(grid(8, "mocdddd", 22, 8, wind=0.2), OFFICE, 3, 50.0, 8, two_slipped),
    "and, few runs": lambda: shown(grid(6, "abcd", 18, 0), AND, 5, 20.0, 0),
    "and": lambda: shown(grid(6, "abcd", 18, 2), AND, 20, 30.0, 2),
    "or": lambda: shown(grid(6, "abcd", 20, 0), OR, 6, 100.0, 0, both_ways),
    "or elsewhere": lambda: shown(grid(6, "abcd", 20, 4), OR, 6, 100.0, 4, both_ways),
    "five": lambda: shown(grid(6, "abcde", 20, 1, each=3), FIVE, 40, 100.0, 1),
    "five others": lambda: shown(grid(7, "abcde", 24, 2, each=4), FIVE_OTHERS, 40, 100.0, 2),
    "five, few runs": lambda: shown(grid(6, "abcde", 20, 0), FIVE, 10, 50.0, 0),
    "eight letters": lambda: shown(grid(7, "abcdefgh", 22, 2), EIGHT, 6, 50.0, 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_search_explains_at_least_as_well_as_the_truth(name: str) -> None:
    problem, truth = CASES[name]()
    found = min(score.energy for row in demospec.Session(problem, seed=0) for score in row.info.scored)
    assert found <= energy_of(problem, truth) + 1e-9
