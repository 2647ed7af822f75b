"""The planner: time and memory over the size of the world, of the task and of the horizon.

    make bench-plan

Every size is planned in a process of its own, one after the other, so that its peak of memory is its own.
The worlds are random: four actions, two outcomes each, anywhere, so that every state can be reached within a
few steps and memory is read in no order at all; one state in ten has a label. Beside the compiled planner
stand the same backup in NumPy, where it is not too slow, and a bound, measured in the same process: as many
exponentials, and as many numbers gathered from the next layer, in NumPy.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import demospec
from demospec.explain.setup import resolve
from demospec.plan import compiled
from demospec.plan.base import LABELS
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.tabular import TabularPlanner
from demospec.report.pictures.colours import INK, MUTED, line_colour
from demospec.report.pictures.svg import element, page, text
from demospec.testing.small_worlds import random_dfa
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

STATES = (64, 512, 4_096, 32_768, 262_144, 1_000_000)
MONITORS = (1, 2, 4, 8, 16)
HORIZONS = (15, 50, 100, 200)
USUAL = (4_096, 8, 100)
LARGEST = (1_000_000, 4, 100)
LETTERS = "abcd"
ACTIONS, OUTCOMES = 4, 2
NUMPY_TAKES_LONG = 60_000_000  # states × monitor states × horizon
BATCH = 20


def random_world(states: int, horizon: int) -> MDP:
    """Make a world from arrays: a list of rows would take longer than its plan."""
    rng = np.random.default_rng(states)
    pairs = states * ACTIONS
    successor = rng.integers(states, size=pairs * OUTCOMES)
    successor[1::2] += successor[1::2] == successor[::2]  # two different ones
    successor %= states
    labels: list[str | None] = [None] * states
    for state in rng.choice(states, size=states // 10, replace=False).tolist():
        labels[state] = LETTERS[state % len(LETTERS)]
    return MDP(
        states=tuple((state, 0) for state in range(states)),
        actions=tuple("udlr"),
        starts=((0, 1.0),),
        labels=tuple(labels),
        terminal=np.zeros(states, dtype=np.bool_),
        pair_offset=np.arange(0, pairs + 1, ACTIONS),
        pair_action=np.tile(np.arange(ACTIONS), states),
        outcome_offset=np.arange(0, pairs * OUTCOMES + 1, OUTCOMES),
        successor=successor,
        probability=np.tile([31 / 32, 1 / 32], pairs),
        episode=Episode(horizon=horizon),
    )


def random_monitor(states: int) -> Monitor:
    """Draw automata until one has so many states."""
    rng = np.random.default_rng(states)
    while True:
        task = random_dfa(rng, LETTERS, states).minimal
        if task.states == states:
            return make_monitor(task, merge_repeats=False)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest of some runs, after one that warms up where there are several."""
    if repeats > 1:
        work()
    taken = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def bound(mdp: MDP, columns: int, horizon: int) -> float:
    """Time one layer's exponentials and gathers in NumPy, and return what all layers would take."""
    rng = np.random.default_rng(0)
    layer = rng.random((len(mdp.states), columns))
    weights = rng.random((len(mdp.states), ACTIONS, columns // (1 + len(LABELS[:2]))))
    out = np.empty_like(weights)
    gathered = np.empty((len(mdp.successor), columns))

    def work() -> None:
        np.take(layer, mdp.successor, axis=0, out=gathered)
        np.exp(weights, out=out)

    return horizon * seconds(work, 3)


def measure(states: int, monitors: int, horizon: int) -> dict[str, Any]:
    """Plan one size; memory is read before NumPy takes its own."""
    mdp, monitor = random_world(states, horizon), random_monitor(monitors)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work = states * monitors * horizon
    repeats = 5 if work < 10_000_000 else 1
    planner = TabularPlanner()
    began = time.perf_counter()
    made = planner.plan(mdp, monitor, 10.0)
    ours = time.perf_counter() - began
    if repeats > 1:  # a second plan beside the first would not tell how much memory one takes
        ours = seconds(lambda: planner.plan(mdp, monitor, 10.0), repeats)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result: dict[str, Any] = {
        "states": states,
        "monitors": monitors,
        "horizon": horizon,
        "ours": ours,
        "peak_mib": peak / 1024,
        "world_mib": before / 1024,
        "kept": made.layers.segment >= horizon,
        "p_sat": made.satisfaction_probability,
        "numpy": None,
    }
    columns = made.layers.columns.channels * made.layers.columns.width
    del made
    if work <= NUMPY_TAKES_LONG:
        plain = TabularPlanner(by_numpy=True)
        result["numpy"] = seconds(lambda: plain.plan(mdp, monitor, 10.0), repeats)
    result["bound"] = bound(mdp, columns, horizon)
    return result


def measure_batch() -> dict[str, Any]:
    """Plan twenty tasks of a search on the paper's world, together and one by one."""
    problem = demospec.load_example("robot-paper")
    tasks = [ranked.score.task for ranked in demospec.learn(problem, seed=0).ranked[:BATCH]]
    asked = [(resolve(problem).monitor(task), 10.0) for task in tasks]
    planner, plain = TabularPlanner(), TabularPlanner(by_numpy=True)
    return {
        "tasks": len(asked),
        "together": seconds(lambda: planner.plans(problem.mdp, asked), 30),
        "singly": seconds(lambda: [planner.plan(problem.mdp, *one) for one in asked], 30),
        "numpy": seconds(lambda: [plain.plan(problem.mdp, *one) for one in asked], 10),
    }


def in_own_process(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def growth(points: Sequence[tuple[float, float]]) -> float:
    """Fit seconds ∝ sizeᵖ and return p."""
    return statistics.linear_regression(
        [math.log(size) for size, _ in points], [math.log(taken) for _, taken in points]
    ).slope


def print_table(title: str, name: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{title}")
    heads = (name, "seconds", "NumPy", "NumPy/ours", "bound", "ours/bound", "peak MiB", "of them world")
    print(" ".join(f"{head:>14}" for head in heads) + "  layers")
    for row in rows:
        plain = row["numpy"]
        cells = (
            f"{row[name]:,}",
            f"{row['ours']:.4f}",
            "–" if plain is None else f"{plain:.4f}",
            "–" if plain is None else f"{plain / row['ours']:.1f}",
            f"{row['bound']:.4f}",
            f"{row['ours'] / row['bound']:.2f}",
            f"{row['peak_mib']:,.0f}",
            f"{row['world_mib']:,.0f}",
        )
        kept = "kept" if row["kept"] else "computed again"
        print(" ".join(f"{cell:>14}" for cell in cells) + f"  {kept}")
    print(f"{'growth':>14} {name}^{growth([(row[name], row['ours']) for row in rows]):.2f}")


def picture(curves: dict[str, list[tuple[float, float]]]) -> str:
    """Draw seconds over size, both on logarithmic axes."""
    left, top, right, bottom = 70.0, 50.0, 600.0, 320.0
    xs = [math.log10(x) for points in curves.values() for x, _ in points]
    ys = [math.log10(y) for points in curves.values() for _, y in points]
    low_x, high_x, low_y, high_y = min(xs), max(xs), math.floor(min(ys)), math.ceil(max(ys))

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - low_x) / (high_x - low_x)
        up = (math.log10(y) - low_y) / (high_y - low_y)
        return left + across * (right - left), bottom - up * (bottom - top)

    body = [
        text(
            left,
            24,
            "Planning time over states × monitor states × horizon",
            size=14,
            text_anchor="start",
            fill=INK,
        )
    ]
    for power in range(low_y, high_y + 1):
        _, y = place(10**low_x, 10.0**power)
        body.append(element("line", x1=left, y1=y, x2=right, y2=y, stroke=MUTED, stroke_opacity=0.3))
        body.append(text(left - 8, y + 4, f"{10.0**power:g} s", size=11, text_anchor="end", fill=MUTED))
    for power in range(math.ceil(low_x), math.floor(high_x) + 1):
        x, _ = place(10.0**power, 10.0**low_y)
        body.append(element("line", x1=x, y1=top, x2=x, y2=bottom, stroke=MUTED, stroke_opacity=0.3))
        body.append(text(x, bottom + 18, f"10^{power}", size=11, text_anchor="middle", fill=MUTED))
    for number, (name, points) in enumerate(curves.items()):
        colour = line_colour(number)
        for point in points:
            x, y = place(*point)
            body.append(element("circle", cx=x, cy=y, r=3.5, fill=colour))
        x, y = left + 10 + 150 * number, bottom + 44
        body.append(element("circle", cx=x, cy=y - 4, r=3.5, fill=colour))
        body.append(text(x + 10, y, name, size=12, text_anchor="start", fill=INK))
    return page(body, width=640, height=380, title="Planning time")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--picture", type=Path, default=Path("out/bench-plan.svg"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="leave out what takes longer than a second")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one is not None:
        found = measure_batch() if args.one == ["batch"] else measure(*map(int, args.one))
        print(json.dumps(found))
        return
    if not compiled.compiled_available():
        print("the compiled planner is not built: what follows is NumPy alone", file=sys.stderr)
    states, monitors, horizon = USUAL
    over_states = [(n, 4, 100) for n in STATES if not args.quick or n <= USUAL[0]]
    series = {
        "states": over_states,
        "monitors": [(states, m, horizon) for m in MONITORS],
        "horizon": [(states, monitors, h) for h in HORIZONS],
    }
    results: dict[str, list[dict[str, Any]]] = {}
    for name, sizes in series.items():
        results[name] = []
        for size in sizes:
            print(f"{size[0]:,} states × {size[1]} monitor states × {size[2]} steps …", file=sys.stderr)
            results[name].append(in_own_process(*size))
    batch = in_own_process("batch")
    if args.json:
        print(json.dumps({**results, "batch": batch}))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; seconds a plan")
    print_table("over states: 4 monitor states, 100 steps", "states", results["states"])
    print_table("over monitor states: 4,096 states, 100 steps", "monitors", results["monitors"])
    print_table("over the horizon: 4,096 states, 8 monitor states", "horizon", results["horizon"])
    print(f"\n{batch['tasks']} tasks on the paper's world, milliseconds")
    for name in ("together", "singly", "numpy"):
        print(f"{name:>14} {1000 * batch[name]:8.2f}  numpy/{name} {batch['numpy'] / batch[name]:.1f}")
    every = [row for rows in results.values() for row in rows]
    work = [(row["states"] * row["monitors"] * row["horizon"], row) for row in every]
    args.picture.parent.mkdir(parents=True, exist_ok=True)
    curves = {
        "demospec": [(size, row["ours"]) for size, row in work],
        "NumPy": [(size, row["numpy"]) for size, row in work if row["numpy"]],
        "bound": [(size, row["bound"]) for size, row in work],
    }
    args.picture.write_text(picture(curves))
    print(f"\npicture: {args.picture}")


if __name__ == "__main__":
    main()
