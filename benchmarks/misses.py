"""Planted tasks that a search once missed: `python benchmarks/misses.py`, or some of them by name.

Printed for each is by how many nats the best task that was scored lies above the truth (below it: minus),
the truth in the shortest of its ways; the probability of all answers that behave as the truth; the headline;
and seconds of processor time. `--draws` repeats each with other maps and other runs.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np

import demospec
from demospec.identify.allowed import Parts
from demospec.plan.rationality import Agent, Fixed, Learned
from demospec.problem import Problem
from demospec.problem.problem import Code
from demospec.search.moves.shortening import shortest_way
from demospec.tasks import DFA, Composite, Task, Word
from demospec.tasks.clauses import parse
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State
from recovery.wide_measures import nearness, shares_of, true_share
from recovery.wide_run import answers_in

DRAWS = 2_000
ODD = ">0: a→1, b→1 | *1: a→0, b→0"  # a and b together an odd number of times
THIRD = "b a multiple of 3 times"
AND = "reach a; reach b; reach c"
OR = "(a, then b, then c) or (c, then b, then a)"
FIVE = "reach a; reach b; never c; no a before d; after b, no d until a"
FIVE_OTHERS = "reach a; reach b; never c; no a before d; after b, no e until a"
OFFICE = "m, then o, then c; never d"
EIGHT = "a, then b, then c; never d"
LAKE = Path(__file__).with_name("frozen_lake.py")

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
    """Say whether two runs came to a decoration."""
    return sum("d" in word for word in words) == 2


@dataclass(frozen=True, eq=False)
class Planted:
    """What was shown, by whom, and the task that was meant, in several ways to say it."""

    problem: Problem
    ways: tuple[Task, ...]  # all of one language
    rationality: float

    @property
    def energy(self) -> float:
        """Return the energy of the truth in the shortest of its ways."""
        return min(demospec.score(self.problem, way).energy for way in self.ways)


def shown(
    world: MDP,
    text: str,
    runs: int,
    rationality: float,
    seed: int,
    wanted: Wanted | None = None,
    *,
    agent: Agent | None = None,
    code: Code = "words",
) -> Planted:
    """Return runs of an agent that knows the task, the first that are as wanted; and the task."""
    bare = Problem.of(world, code=code, merge_repeats=True, agent=Learned() if agent is None else agent)
    letters = bare.alphabet
    truth: Task = DFA.parse(text, letters) if text.startswith(">") else parse(text, letters)
    who = replace(bare, agent=Fixed(rationality))
    for draw in range(seed, seed + DRAWS):
        paths = demospec.sample(who, truth, count=runs, seed=draw)
        if wanted is None or wanted([bare.word(path) for path in paths]):
            problem = bare.with_demonstrations(paths)
            ways = (truth, truth.automaton, shortest_way(problem, truth.automaton))
            return Planted(problem, ways, rationality)
    raise AssertionError("no runs are as wanted")


def as_parts(planted: Planted) -> Planted:
    """Let a task have three parts, each of which counts its own bits, as the paper's code counts them."""
    letters = planted.problem.alphabet
    parts = Composite.of("and", [parse(f"reach {letter}", letters).automaton for letter in "abc"])
    problem = replace(planted.problem, parts=Parts("and", 3))
    return Planted(problem, (parts, parts.automaton), planted.rationality)


def lake(rationality: float, seed: int, *, holes: bool) -> Planted:
    """Return six runs on Gymnasium's slippery lake of 8×8 cells, key before goal, horizon 200."""
    problem, truth = lakes().shown(rationality=rationality, runs=6, horizon=200, holes=holes, seed=seed)
    return Planted(problem, (truth,), rationality)


def lakes() -> ModuleType:
    """Load the benchmark beside this one."""
    spec = importlib.util.spec_from_file_location("frozen_lake", LAKE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def together(seed: int, runs: int, rationality: float) -> Planted:
    """Return runs that visit a, b and c, with the paper's agent and the paper's code."""
    world = grid(6, "abcd", 18, seed)
    return shown(world, AND, runs, rationality, seed, agent=Fixed(rationality), code="automaton")


CASES: dict[str, Callable[[int], Planted]] = {  # by the number of a draw
    "parity": lambda n: shown(four_places(), ODD, 40, 10.0, n),
    "parity, nearly aimless": lambda n: shown(four_places(), ODD, 40, 3.0, 1 + n),
    "divisible by 3": lambda n: shown(grid(5, "abc", 14, n, each=3), THIRD, 20, 10.0, n),
    "divisible by 3, few states": lambda n: shown(four_places(), THIRD, 40, 5.0, 1 + n),
    "office 1": lambda n: shown(grid(8, "mocdddd", 22, 1, wind=0.2), OFFICE, 3, 50.0, 1 + n, two_slipped),
    "office 8": lambda n: shown(grid(8, "mocdddd", 22, 8, wind=0.2), OFFICE, 3, 50.0, 8 + n, two_slipped),
    "and, few runs": lambda n: shown(grid(6, "abcd", 18, n), AND, 5, 20.0, n),
    "and": lambda n: shown(grid(6, "abcd", 18, 2 + n), AND, 20, 30.0, 2 + n),
    "and, as parts": lambda n: as_parts(together(n, 40, 10.0)),
    "or": lambda n: shown(grid(6, "abcd", 20, n), OR, 6, 100.0, n, both_ways),
    "or elsewhere": lambda n: shown(grid(6, "abcd", 20, 4 + n), OR, 6, 100.0, 4 + n, both_ways),
    "five": lambda n: shown(grid(6, "abcde", 20, 1 + n, each=3), FIVE, 40, 100.0, 1 + n),
    "five others": lambda n: shown(grid(7, "abcde", 24, 2 + n, each=4), FIVE_OTHERS, 40, 100.0, 2 + n),
    "five, few runs": lambda n: shown(grid(6, "abcde", 20, n), FIVE, 10, 50.0, n),
    "eight letters": lambda n: shown(grid(7, "abcdefgh", 22, 2 + n), EIGHT, 6, 50.0, 2 + n),
    "lake": lambda n: lake(300.0, 1 + n, holes=False),
    "lake with holes": lambda n: lake(300.0, 1 + n, holes=True),
}


def least_energy(result: demospec.Result) -> float:
    """Return the energy of the best task that was scored."""
    return min(score.energy for row in result.trace for score in row.info.scored)


def told(planted: Planted) -> str:
    """Learn, and say how it went."""
    began = time.process_time()
    result = demospec.learn(planted.problem, seed=0)
    answers = answers_in(result)
    seconds = time.process_time() - began
    at, truth = answers.all.index(answers.answer), planted.ways[0].automaton
    near = nearness(planted.problem, answers.all, at, truth, planted.rationality, 0.0)
    above = least_energy(result) - planted.energy
    share = true_share(shares_of(answers.all), near.alike)
    return f'{above:+8.2f} {share:8.1%} {seconds:6.1f} s  "{result.best.task}" ({answers.answer.share:.0%})'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="which, by the beginning of their names; all without any")
    parser.add_argument("--draws", type=int, default=1)
    given = parser.parse_args()
    width = max(map(len, CASES)) + 3
    print(f"{'':{width}} {'nats':>8} {'P(truth)':>8} {'time':>8}  headline")
    for name, build in CASES.items():
        if given.names and not name.startswith(tuple(given.names)):
            continue
        for draw in range(given.draws):
            print(f"{name:{width - 3}} {draw:2} {told(build(draw))}", flush=True)


if __name__ == "__main__":
    main()
