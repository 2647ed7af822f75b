"""Planted tasks: how often each way to search finds a task that explains demonstrations as well as the truth.

    make bench-recovery

Random 8×8 worlds, with and without wind; demonstrations are drawn from the maximum-entropy agent that pursues
the planted task. A run succeeds when its best energy is at most the truth's. Beside that stands how often an
agent that plans with the learned task satisfies the planted one, as a share of what the planted task's own
agent reaches: computed exactly, by reading both tasks along one plan. All weights are the paper's.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from demospec.domains.gridworld import Wind, gridworld
from demospec.engines import chain_generator, chain_infos
from demospec.explore import Explorer
from demospec.learn import sample
from demospec.mdp import Episode
from demospec.monitor import Monitor
from demospec.plan.base import OPEN
from demospec.plan.rationality import Fixed
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.score import Score, evaluate
from demospec.search import Info
from demospec.tasks import DFA
from demospec.tasks.tables import explore as reachable

LETTERS = "bgry"
PLANTED = {
    "reach y": ">0: y→1 | *1:",
    "reach b": ">0: b→1 | *1:",
    "reach y or g": ">0: y→1, g→1 | *1:",
    "reach b or r or y": ">0: b→1, r→1, y→1 | *1:",
    "avoid r": ">*0: r→1 | 1:",
    "avoid r and b": ">*0: r→1, b→1 | 1:",
    "avoid g": ">*0: g→1 | 1:",
    "reach y before r": ">0: y→1, r→2 | *1: | 2:",
    "reach y, never r": ">0: y→1, r→2 | *1: r→2 | 2:",
    "reach g, never b or r": ">0: g→1, b→2, r→2 | *1: b→2, r→2 | 2:",
    "b, then g": ">0: b→1 | 1: g→2 | *2:",
    "y, then b": ">0: y→1 | 1: b→2 | *2:",
    "b, then g, never r": ">0: b→1, r→3 | 1: g→2, r→3 | *2: r→3 | 3:",
    "b, then g, before r": ">0: b→1, r→3 | 1: g→2, r→3 | *2: | 3:",
    "b, then g, then y": ">0: b→1 | 1: g→2 | 2: y→3 | *3:",
    "g, then y, then b": ">0: g→1 | 1: y→2 | 2: b→3 | *3:",
    "b and g in any order": ">0: b→1, g→2 | 1: g→3 | 2: b→3 | *3:",
    "g and y in any order": ">0: g→1, y→2 | 1: y→3 | 2: g→3 | *3:",
    "b and g, never r": ">0: b→1, g→2, r→4 | 1: g→3, r→4 | 2: b→3, r→4 | *3: r→4 | 4:",
    "the paper's": ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2",
    "recharge after b": ">0: b→2, y→1 | *1: | 2: g→0",
    "g before y": ">0: g→1, y→2 | 1: y→3 | 2: | *3:",
    "b before g": ">0: b→1, g→2 | 1: g→3 | 2: | *3:",
    "b twice": ">0: b→1 | 1: b→2 | *2:",
    "y twice": ">0: y→1 | 1: y→2 | *2:",
    "b once": ">0: b→1 | *1: b→2 | 2:",
    "an even number of b": ">*0: b→1 | 1: b→0",
    "after b, g": ">*0: b→1 | 1: g→0",
    "after r, y": ">*0: r→1 | 1: y→0",
    "not r until y": ">*0: y→1, r→2 | *1: | 2:",
    "g until y": ">0: y→1, b→2, r→2 | *1: | 2:",
    "y last": ">0: y→1 | *1: b→0, g→0, r→0",
    "if b then never r": ">*0: b→1 | *1: r→2 | 2:",
}


def world(number: int) -> tuple[tuple[str, ...], tuple[int, int], Wind | None]:
    """Draw a map with three to six cells of each letter, and a white start; even ones have wind."""
    rng = np.random.default_rng([number, 77])
    grid = np.full((8, 8), ".", dtype="<U1")
    for letter in LETTERS:
        for _ in range(int(rng.integers(3, 7))):
            grid[tuple(rng.integers(8, size=2))] = letter
    white = np.argwhere(grid == ".")
    row, column = white[rng.integers(len(white))].tolist()
    wind = Wind(direction="down", probability=1 / 32) if number % 2 == 0 else None
    return tuple("".join(line) for line in grid), (column + 1, row + 1), wind


def planted(task: DFA, number: int, demonstrations: int, seed: int) -> Problem:
    """Draw demonstrations of a task in a world."""
    rows, start, wind = world(number)
    mdp = gridworld(rows, start=start, episode=Episode(horizon=15), wind=wind)
    bare = Problem(
        mdp=mdp,
        demonstrations=(),
        alphabet=tuple(LETTERS),
        agent=Fixed(10.0),
        merge_repeats=True,
        grid=rows,
    )
    return replace(bare, demonstrations=tuple(sample(bare, task, count=demonstrations, seed=seed)))


def satisfied(problem: Problem, learned: DFA, truth: DFA) -> float:
    """Return how often an agent that plans with one task satisfies another.

    The second is read along as what the planner calls an open path: any marks will do there.
    """
    one, other = problem.monitor(learned), problem.monitor(truth)
    nodes, table = reachable(
        (0, 0), len(one.alphabet), lambda node, a: (one.table[node[0]][a], other.table[node[1]][a])
    )
    accepting = np.array([one.accepting[p] for p, _ in nodes])
    both = Monitor(
        one.alphabet, table, accepting, np.array([other.accepting[q] for _, q in nodes]), accepting
    )
    plan = PLANNER.plan(problem.mdp, both, evaluate(problem, learned).score.rationality)
    return plan.chance(OPEN, 0, plan.start, problem.mdp.start)


def infos(problem: Problem, method: str, seed: int) -> Iterator[Info]:
    """Search by a method; "explore-without-products" leaves one of its ingredients out."""
    _, _, ingredient = method.partition("-without-")
    if not ingredient:
        yield from chain_infos(problem.with_settings(method=method), seed, 0)
        return
    left_out: dict[str, Any] = {f"with_{ingredient}": False}
    engine, rng = Explorer(problem.with_settings(method="explore"), **left_out), chain_generator(seed, 0)
    state = engine.start()
    while not engine.over(state):
        state, info = engine.step(rng, state)
        yield info


def run(problem: Problem, method: str, seed: int, limit: float) -> tuple[Score, float, float]:
    """Search, and return the best task, the seconds until it was found, and those of the whole."""
    began = time.perf_counter()
    best, found = None, 0.0
    for info in infos(problem, method, seed):
        if info.best is not None and (best is None or info.best.energy < best.energy):
            best, found = info.best, time.perf_counter() - began
        if time.perf_counter() - began > limit:
            break
    assert best is not None
    return best, found, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--demonstrations", type=int, nargs="+", default=[2, 20])
    parser.add_argument("--worlds", type=int, default=2)
    parser.add_argument("--limit", type=float, default=5, help="seconds for each run")
    parser.add_argument(
        "--methods", nargs="+", default=["explore", "paper", "random-pivots", "enumeration"], metavar="NAME"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for count in args.demonstrations:
        for k, (name, line) in enumerate(PLANTED.items()):
            truth = DFA.parse(line, LETTERS)
            for number in range(args.worlds):
                problem = planted(truth, 2 * k + number, count, seed=number)
                least = evaluate(problem, truth).score.energy
                most = satisfied(problem, truth, truth)
                for method in args.methods:
                    best, found, whole = run(problem, method, number, args.limit)
                    share = satisfied(problem, best.task, truth) / most if most > 0 else math.nan
                    row = {"demonstrations": count, "task": name, "world": 2 * k + number, "method": method}
                    excess = best.energy - least
                    rows.append({**row, "excess": excess, "share": share, "found": found, "seconds": whole})
                    print(
                        f"{count} × {name}, world {2 * k + number}, {method}: {excess:+.3f}", file=sys.stderr
                    )
    if args.json:
        print(json.dumps(rows))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    print(f"{len(PLANTED)} planted tasks × {args.worlds} worlds; at most {args.limit:g} s each")
    heads = ("demonstrations", "method", "at most truth's", "share ≥ 95 %", "best found after", "whole run")
    print(" ".join(f"{head:>18}" for head in heads) + "   seconds: median, longest")
    for count in args.demonstrations:
        for method in args.methods:
            own = [row for row in rows if (row["demonstrations"], row["method"]) == (count, method)]
            good = sum(row["excess"] <= 1e-9 for row in own)
            reached = sum(row["share"] >= 0.95 for row in own)
            times = [
                f"{statistics.median(row[what] for row in own):.2f}, {max(row[what] for row in own):.2f}"
                for what in ("found", "seconds")
            ]
            cells = (str(count), method, f"{good}/{len(own)}", f"{reached}/{len(own)}", *times)
            print(" ".join(f"{cell:>18}" for cell in cells))
    for row in rows:
        if row["method"] == args.methods[0] and row["excess"] > 1e-9:
            place = f"{row['demonstrations']} × {row['task']}, world {row['world']}"
            print(f"missed by {args.methods[0]}: {place}, {row['excess']:+.3f}")


if __name__ == "__main__":
    main()
