"""CliffWalking: the far corner first, then the goal, and never a fall.

pip install "demospec[gymnasium]"
"""

from __future__ import annotations

import gymnasium

import demospec


def main(meant: str = "corner, then goal; never fell") -> demospec.Result:
    """Plant a task, record an agent that pursues it, learn the task, and export it."""
    env = gymnasium.make("CliffWalking-v1")
    places = {"corner": "row == 0 and column == 11", "goal": "goal"}
    falls = {"fell": lambda reward: reward <= -100}
    world = demospec.from_gymnasium(env, features=places, events=falls, horizon=30)
    problem = demospec.Problem.of(world, agent=demospec.Learned(), code="words", merge_repeats=True)
    agent = demospec.policy(problem, demospec.load_task(meant, world.letters), rationality=200)
    runs = demospec.Recorder(env, world).play(agent, episodes=8, seed=0)
    result = demospec.learn(problem.with_demonstrations(runs), seed=0)
    print(result.best.task)  # never fell; corner, then goal
    print(result.best.task.to_dot())
    return result


if __name__ == "__main__":
    main()
