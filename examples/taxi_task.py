"""Taxi: with a passenger aboard, R before G. The start differs from run to run.

pip install "demospec[gymnasium]"
"""

from __future__ import annotations

import gymnasium

import demospec


def main(meant: str = "reach G; no G before R") -> demospec.Result:
    """Plant a task, record an agent that pursues it, learn the task, and export it."""
    env = gymnasium.make("Taxi-v4")
    places = {place: f"aboard and at_{place}" for place in "RGY"}
    world = demospec.from_gymnasium(env, features=places, horizon=25)
    problem = demospec.Problem.of(world, agent=demospec.Learned(), code="words", merge_repeats=True)
    agent = demospec.policy(problem, demospec.load_task(meant, world.letters), rationality=200, effort=1)
    runs = demospec.Recorder(env, world).play(agent, episodes=8, seed=0)
    result = demospec.learn(problem.with_demonstrations(runs), seed=0)
    print(result.best.task)  # reach G; no G before R
    print(result.best.task.to_gymnasium())
    return result


if __name__ == "__main__":
    main()
