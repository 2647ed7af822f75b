"""MiniGrid's DoorKey: key, then door, then goal. Walls say most of it: only the goal is left to learn.

pip install "demospec[minigrid]"
"""

from __future__ import annotations

import gymnasium
import minigrid as _registers  # noqa: F401

import demospec
from demospec.sources import familiar

USEFUL = ["left", "right", "forward", "pickup", "toggle"]


def main(size: int = 5, meant: str = "key, then door, then goal") -> demospec.Result:
    """Plant a task, record an agent that pursues it, learn the task, and export it."""
    env = gymnasium.make(f"MiniGrid-DoorKey-{size}x{size}-v0")
    world = demospec.from_gymnasium(env, labels=familiar.milestone, actions=USEFUL, horizon=40)
    problem = demospec.Problem.of(world, agent=demospec.Learned(), code="words", merge_repeats=True)
    agent = demospec.policy(problem, demospec.load_task(meant, world.letters), rationality=200, effort=1)
    runs = demospec.Recorder(env, world).play(agent, episodes=4)
    result = demospec.learn(problem.with_demonstrations(runs), seed=0)
    print(result.best.task, result.best.task.to_python(), sep="\n")  # reach goal
    return result


if __name__ == "__main__":
    main()
