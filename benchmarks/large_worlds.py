"""Search in large worlds, by an agent of whom nothing is told: `python benchmarks/large_worlds.py`.

Grids of 100 to 4,096 cells, horizons of 40 to 200, tasks of two to three clauses over four or five letters,
one of them over eight. Printed are seconds of processor time until the search ends, until the answers are
worked out, and until everything is that a report tells, and whether the headline behaves as the truth.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace

import numpy as np

import demospec
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.tasks.clauses import Clauses, parse
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.world import Episode
from recovery.wide_measures import nearness
from recovery.wide_run import answers_in


@dataclass(frozen=True)
class Case:
    """One row: a grid, a task, and who shows it."""

    width: int
    height: int
    horizon: int
    letters: str
    task: str
    runs: int
    rationality: float
    slippery: bool = False

    @property
    def name(self) -> str:
        """Return what is told of it."""
        wind = ", windy" if self.slippery else ""
        return (
            f"{self.width * self.height} states{wind}, horizon {self.horizon}, {self.runs} runs, "
            f'rationality {self.rationality:g}: "{self.task}" of {self.letters}'
        )


CASES = (
    Case(10, 10, 40, "abcd", "a, then b; never c", 5, 10),
    Case(10, 10, 40, "abcd", "reach a; reach b; never d", 10, 30),
    Case(10, 10, 40, "abcde", "reach a; no a before b; never e", 5, 100, slippery=True),
    Case(25, 20, 40, "abcd", "a, then b; never c", 5, 30),
    Case(25, 20, 40, "abcde", "reach a; no a before b; never e", 10, 100, slippery=True),
    Case(25, 20, 80, "abcde", "a, then b, then c; never d", 5, 100),
    Case(32, 32, 80, "abcd", "a, then b; never c", 5, 100),
    Case(32, 32, 80, "abcdefgh", "a, then b; never c", 5, 100),
    Case(64, 64, 200, "abcd", "a, then b; never c", 5, 100),
)


def shown(case: Case, seed: int) -> tuple[Problem, Clauses]:
    """Draw a map, and runs of an agent that knows the task, for a learner that is told nothing."""
    rng = np.random.default_rng([seed, case.width * case.height, case.horizon])
    cells = rng.permutation(case.width * case.height)
    grid = np.full(case.width * case.height, ".", dtype="<U1")
    each = 3
    for number, letter in enumerate(case.letters):
        grid[cells[1 + number * each : 1 + (number + 1) * each]] = letter
    row, column = divmod(int(cells[0]), case.width)
    world = gridworld(
        ["".join(line) for line in grid.reshape(case.height, case.width)],
        start=(column + 1, row + 1),
        episode=Episode(horizon=case.horizon),
        wind=Wind(direction="down", probability=0.1) if case.slippery else None,
    )
    bare = Problem.of(world, name="large", code="words", merge_repeats=True, agent=Learned())
    truth = parse(case.task, bare.alphabet)
    paths = demospec.sample(replace(bare, agent=Fixed(case.rationality)), truth, count=case.runs, seed=seed)
    return bare.with_demonstrations(paths), truth


def verdict(result: Result, truth: Clauses, rationality: float) -> str:
    """Say what was learned, how sure it is, and whether its agent behaves as the truth's."""
    answers = answers_in(result)
    at = answers.all.index(answers.answer)
    near = nearness(result.problem, answers.all, at, truth.automaton, rationality, 0.0)
    told = "behaves as the truth" if near.alike[at] else f"{near.nats:.2f} nats an episode from the truth"
    behind = result.best.energy - demospec.score(result.problem, truth).energy
    return f'"{result.best.task}", {answers.answer.share:.0%}, {told}, energy {behind:+.2f} beside it'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most-states", type=int, default=4096)
    parser.add_argument("--fewest-states", type=int, default=0)
    parser.add_argument("--max-seconds", type=float, default=None)
    given = parser.parse_args()
    for case in CASES:
        if not given.fewest_states <= case.width * case.height <= given.most_states:
            continue
        problem, truth = shown(case, given.seed)
        problem = problem.with_settings(max_seconds=given.max_seconds)
        print(case.name, flush=True)
        began, wall = time.process_time(), time.perf_counter()
        result = demospec.learn(problem, seed=0)
        searched = time.process_time() - began
        _ = result.findings
        answered = time.process_time() - began
        _ = result.warnings, result.claims, result.demonstrator
        everything, elapsed = time.process_time() - began, time.perf_counter() - wall
        print(f"    {verdict(result, truth, case.rationality)}")
        print(f"    {result.evaluations} tasks, ended by {result.ended}; processor time: ", end="")
        print(f"search {searched:.1f} s, with answers {answered:.1f} s, all {everything:.1f} s", end="")
        print(f" ({elapsed:.1f} s passed)", flush=True)


if __name__ == "__main__":
    main()
