"""A grid with walls, a legend, and a run that is told by its actions alone."""

from __future__ import annotations

from pathlib import Path

import demospec


def main() -> demospec.Result:
    """Learn from the problem file, and print the answer."""
    problem = demospec.load(Path(__file__).parent / "data" / "key_and_goal.toml")
    result = demospec.learn(problem, seed=0)
    print(result.best.task)  # key, then goal
    return result


if __name__ == "__main__":
    main()
