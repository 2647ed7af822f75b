"""FrozenLake 8×8 on slippery ice: a task that the lake's reward does not know comes back from six runs.

pip install "demospec[gymnasium]"
"""

from __future__ import annotations

import gymnasium

import demospec


def main(meant: str = "X, then Y; never hole") -> demospec.Result:
    """Plant a task, record an agent that pursues it, learn the task, and export it."""
    env = gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=True)
    cells = {5: "X", 24: "Y"}  # states are numbered row by row
    world = demospec.from_gymnasium(env, labels=cells, features={"hole": "hole"}, horizon=100)
    problem = demospec.Problem.of(world, agent=demospec.Learned(), code="words", merge_repeats=True)
    agent = demospec.policy(problem, demospec.load_task(meant, world.letters), rationality=200, effort=0)
    runs = demospec.Recorder(env, world).play(agent, episodes=6, seed=0)
    result = demospec.learn(problem.with_demonstrations(runs), seed=0)
    print(result.best.task)  # never hole; X, then Y
    print(result.best.task.to_hoa())
    return result


if __name__ == "__main__":
    main()
