"""Learn a rule from an XES event log, and look for traces that break it.

python examples/learn_from_xes.py
"""

from __future__ import annotations

from pathlib import Path

import demospec

LOG = Path(__file__).parent / "data" / "orders.xes"


def main() -> list[str]:
    """Learn from the shop in the north: a state is the last two events, an action the next one."""
    world = demospec.world_from_log(LOG, last=2)
    traces = demospec.demonstrations_from_log(world, LOG, last=2)
    north, south = traces[:12], traces[12:]
    problem = demospec.Problem.of(world, north, code="words")
    task = demospec.learn(problem, seed=0).best.task
    broken = [" ".join(word) for word in map(problem.word, south) if not task.accepts(word)]
    print(f"north: {task}", *(f"south broke it: {word}" for word in broken), sep="\n")
    return broken


if __name__ == "__main__":
    main()
