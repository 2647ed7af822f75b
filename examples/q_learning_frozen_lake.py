"""A tabular Q-learner that pursues a task in Gymnasium's FrozenLake, through the exported wrapper.

The task: fetch the parcel in the corner at the top right, then bring it to the goal, and never enter a hole.
The lake's own reward knows nothing of the parcel; the wrapper's does, and it adds the task's state to the
observation, so that a table of values can tell "before" from "after".

    pip install "demospec[gymnasium]"
    python examples/q_learning_frozen_lake.py [EPISODES] [SEED]
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np

from demospec import DFA

TASK = DFA.parse(">0: parcel→1, hole→2 | 1: goal→3, hole→2 | 2: | *3:", ["parcel", "hole", "goal"])
PARCEL = 3  # the cell at the top right; cells are numbered row by row
STEPS = 100  # in an episode


def make_environment(slippery: bool = False) -> Any:
    """Return the lake with the task; `demospec export --format gymnasium` writes the wrapper to a file."""
    module = ModuleType("task_wrapper")
    exec(TASK.to_gymnasium(), module.__dict__)
    lake = gymnasium.make("FrozenLake-v1", is_slippery=slippery, max_episode_steps=STEPS)
    cells = lake.unwrapped.desc.ravel()  # type: ignore[attr-defined]
    label = {
        cell: {b"H": "hole", b"G": "goal"}[kind] for cell, kind in enumerate(cells) if kind in (b"H", b"G")
    }
    return module.TaskWrapper(lake, {**label, PARCEL: "parcel"})


def learn(env: Any, episodes: int, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return action values by Q-learning with exploration that fades."""
    values = np.zeros((env.observation_space.n, env.action_space.n))
    for episode in range(episodes):
        state, _ = env.reset(seed=int(rng.integers(2**31)))
        explore = max(0.05, 1 - 1.5 * episode / episodes)
        over = False
        while not over:
            best = np.flatnonzero(values[state] == values[state].max())
            action = int(rng.integers(env.action_space.n) if rng.random() < explore else rng.choice(best))
            reached, reward, ended, cut, _ = env.step(action)
            goal = reward + (0.0 if ended else 0.98 * values[reached].max())
            values[state, action] += 0.2 * (goal - values[state, action])
            state, over = reached, ended or cut
    return values


def success(env: Any, values: np.ndarray[Any, np.dtype[np.float64]], episodes: int, seed: int) -> float:
    """Return the share of episodes that satisfy the task when the best known action is taken."""
    satisfied = 0
    for episode in range(episodes):
        state, info = env.reset(seed=seed + episode)
        over = False
        while not over:
            state, _, ended, cut, info = env.step(int(values[state].argmax()))
            over = ended or cut
        satisfied += info["task"]["verdict"] == "satisfied"
    return satisfied / episodes


def main(episodes: int = 3000, seed: int = 0) -> float:
    """Learn, and print how often the task is satisfied before and after."""
    env = make_environment()
    before = success(env, np.zeros((env.observation_space.n, env.action_space.n)), 100, seed)
    values = learn(env, episodes, np.random.default_rng(seed))
    after = success(env, values, 100, seed)
    print(f"satisfied before learning: {before:.2f}, after {episodes} episodes: {after:.2f}")
    env.close()
    return after


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
