"""Redundant actions: what a search conjectures where every action has two names.

    python benchmarks/redundant.py

The paper's robot, and the robot with every action under two names; the demonstrations use the first ones. The
paper's method runs as it is, with classes of actions that no visited task tells apart (`refine`), and in the
merged world (`merge_redundant`). Counted over all seeds: conjectures; those whose path leaves the
demonstrations by a copy of what was shown there; those among them that reject a word that was shown; all that
reject one; and the seeds that reach the lowest energy.
Times are processor seconds of one run, in the median.
"""

from __future__ import annotations

import argparse
import statistics
import time

import demospec
from demospec.problem import Problem
from demospec.search.diss import next_conjecture
from world_copies import doubled_problem, leaves_by_a_copy

COLUMNS = (
    "conjectures",
    "by a copy",
    "rejecting what was shown",
    "rejecting in all",
    "best energy",
    "seeds",
    "seconds",
)


def measure(problem: Problem, seeds: int) -> list[str]:
    """Run all seeds and count."""
    unmerged = problem if problem.scene().quotient is None else None
    merged = problem.merged()
    counts = [0, 0, 0, 0]
    energies, seconds = [], []
    for seed in range(seeds):
        began = time.process_time()
        result = demospec.learn(problem, seed=seed)
        seconds.append(time.process_time() - began)
        energies.append(result.best.energy)
        for row in result.trace:
            made = next_conjecture(row.info)
            if made is not None:
                by_copy = unmerged is not None and leaves_by_a_copy(unmerged, merged, made.path)
                rejects = made.word in problem.words and not made.label
                for k, holds in enumerate((True, by_copy, by_copy and rejects, rejects)):
                    counts[k] += holds
    reached = sum(energy < min(energies) + 1e-9 for energy in energies)
    return [*map(str, counts), f"{min(energies):.3f}", str(reached), f"{statistics.median(seconds):.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()
    robot = demospec.load_example("robot-paper").with_settings(method="paper", iterations=options.iterations)
    twice = doubled_problem(robot)
    print(f"{options.seeds} seeds, {options.iterations} iterations each\n")
    print(f"| world | search | {' | '.join(COLUMNS)} |\n|---|---|{'---|' * len(COLUMNS)}")
    for name, world in (("robot", robot), ("every action twice", twice)):
        ways = {"plain": world, "refine": world.with_settings(refine=True), "merged": world.merged()}
        for way, problem in ways.items():
            print(f"| {name} | {way} | {' | '.join(measure(problem, options.seeds))} |", flush=True)


if __name__ == "__main__":
    main()
