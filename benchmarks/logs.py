"""How fast the runs of a log become demonstrations, and a world of their own.

    make bench-logs

Each format holds the same runs in a windy grid. Told are steps for each second of processor time: in a given
grid, where every step is checked, and counted to a world. A naive loop reads the same CSV with
`csv.DictReader` and `read_path`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from demospec import Episode, Wind, demonstrations_from_log, gridworld, world_from_log
from demospec.sources.log_world import Labels
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path

SIDE, LENGTH = 20, 50
ACTIONS = ("up", "down", "left", "right")
Run = list[tuple[tuple[int, int], str]]  # states with the action chosen there; the last one without


def make_world() -> MDP:
    rows = ["a" + "." * (SIDE - 1), *["." * SIDE] * (SIDE - 2), "." * (SIDE - 1) + "b"]
    wind = Wind(direction="down", probability=0.1)
    return gridworld(rows, start=(10, 10), episode=Episode(horizon=LENGTH), wind=wind)


def draw(world: MDP, steps: int, rng: random.Random) -> Iterator[Run]:
    for _ in range(steps // LENGTH):
        state, run = world.start, []
        for _ in range(LENGTH):
            pair = rng.choice(world.pairs(state))
            run.append((world.name(state), world.action(pair)))
            targets, weights = zip(*world.outcomes(pair), strict=True)
            (state,) = rng.choices(targets, weights)
        yield [*run, (world.name(state), "")]  # type: ignore[list-item]


def write_csv(runs: list[Run], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["run", "time", "state", "action"])
        for number, run in enumerate(runs):
            out.writerows((number, t, f"({x}, {y})", action) for t, ((x, y), action) in enumerate(run))


def write_json(runs: list[Run], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number, run in enumerate(runs):
            for t, (state, action) in enumerate(run):
                row = {"run": number, "time": t, "state": state, "action": action or None}
                file.write(json.dumps(row) + "\n")


def write_parquet(runs: list[Run], path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    rows = [(k, t, f"({x}, {y})", a) for k, run in enumerate(runs) for t, ((x, y), a) in enumerate(run)]
    names = ["run", "time", "state", "action"]
    parquet.write_table(pyarrow.table(list(map(list, zip(*rows, strict=True))), names=names), path)


def write_xes(runs: list[Run], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<log>\n')
        for number, run in enumerate(runs):
            file.write(f'<trace><string key="concept:name" value="{number}"/>\n')
            for t, (_, action) in enumerate(run[:-1]):
                when = f"2024-01-01T00:{t // 60:02}:{t % 60:02}+00:00"
                file.write(
                    f'<event>\n<string key="concept:name" value="{action}"/>\n'
                    f'<date key="time:timestamp" value="{when}"/>\n</event>\n'
                )
            file.write("</trace>\n")
        file.write("</log>\n")


def naive(world: MDP, path: Path) -> int:
    """Read a CSV as one would first write it."""
    runs: dict[str, list[tuple[int, tuple[int, int], str]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            x, y = row["state"].strip("()").split(",")
            runs.setdefault(row["run"], []).append((int(row["time"]), (int(x), int(y)), row["action"]))
    found = 0
    for rows in runs.values():
        rows.sort()
        path_named = [name for (_, _, a), (_, s, _) in pairwise(rows) for name in (a, s)]
        found += len(read_path(world, path_named, complete=None).steps)
    return found


def spent(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=1_000_000)
    steps: int = parser.parse_args().steps
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    world = make_world()
    runs = list(draw(world, steps, random.Random(0)))
    print(f"{steps:,} steps, {len(runs):,} runs: thousand steps for each second of processor time\n")
    print("| format | in a given grid | counted to a world |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for ending, write in (
            ("csv", write_csv),
            ("jsonl", write_json),
            ("parquet", write_parquet),
            ("xes", write_xes),
        ):
            path = Path(folder) / f"runs.{ending}"
            write(runs, path)
            labels: Labels = None if ending == "xes" else "states"
            counted = spent(lambda: world_from_log(path, labels=labels))  # noqa: B023  called at once
            shown = "–"
            if ending != "xes":  # its events alone do not say where they lead
                shown = f"{steps / spent(lambda: demonstrations_from_log(world, path)) / 1000:,.0f}"  # noqa: B023
            print(f"| {ending} | {shown} | {steps / counted / 1000:,.0f} |", flush=True)
        path = Path(folder) / "runs.csv"
        print(f"| csv, a naive loop | {steps / spent(lambda: naive(world, path)) / 1000:,.0f} | |")


if __name__ == "__main__":
    main()
