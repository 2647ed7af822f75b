"""Learn what a robot was asked to do from a CSV of its moves in a map that is known.

python examples/learn_from_csv.py
"""

from __future__ import annotations

from pathlib import Path

import demospec

LOG = Path(__file__).parent / "data" / "warehouse.csv"  # columns: day, x, y, move
MAP = ["......", "..ww..", ".pww..", "..ww.d", "......"]  # p parcel, d door, w water


def main() -> demospec.Task:
    """Read the runs, each step checked against the map, and learn their task."""
    episode = demospec.Episode(horizon=14, ends="by choice")
    world = demospec.gridworld(MAP, start=(6, 1), episode=episode)
    runs = demospec.demonstrations_from_log(
        world, LOG, run="day", state=("x", "y"), action="move", complete=True
    )
    result = demospec.learn(demospec.Problem.of(world, runs, code="words"), seed=0)
    print(f"{len(runs)} runs: {result.best.task}")
    return result.best.task


if __name__ == "__main__":
    main()
