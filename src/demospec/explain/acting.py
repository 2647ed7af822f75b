"""What a problem's agent would do, were it to pursue a given task: its policy, and runs drawn from it."""

from __future__ import annotations

import numpy as np

from demospec.explain.score import plan_task, rationality_of
from demospec.plan.monitor import make_monitor
from demospec.plan.policy import Policy
from demospec.plan.rationality import Fixed
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.tasks import Task
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene


def policy(
    problem: Problem, task: Task, scene: Scene | None = None, *, rationality: float | None = None
) -> Policy:
    """Return what the maximum-entropy agent that pursues `task` in a problem's world does.

    The world is the scene's, or the only one. The rationality is the problem's agent's unless another is
    given. What is known about the task beforehand plays no part: the monitor is that of the task alone.

    >>> import demospec
    >>> robot = demospec.load_example("robot-paper")
    >>> policy = demospec.policy(robot, demospec.DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", robot.alphabet))
    >>> round(policy.satisfaction(), 3)
    0.761
    """
    problem.check_task(task)
    world = (problem.scene() if scene is None else scene).world
    if rationality is None:
        rationality = rationality_of(problem, task)
    monitor = make_monitor(task.automaton, merge_repeats=problem.merge_repeats)
    return Policy(problem.planner.plan(world, monitor, Fixed(rationality).rationality))


def sample(
    problem: Problem, task: Task, scene: Scene | None = None, *, count: int = 1, seed: int = 0
) -> list[Path]:
    """Draw complete paths of the maximum-entropy agent that pursues `task` in a problem's world."""
    rng = np.random.default_rng(seed)
    plan = plan_task(problem, task, scene)
    return [sample_path(plan, rng) for _ in range(count)]


def sample_in_file(
    problem: Problem, task: Task, scene: Scene, *, count: int = 1, seed: int = 0
) -> list[Path]:
    """Draw paths of the world that a scene's file describes, where copies in it were merged.

    The agent acts in the merged world. Which copy of an action it takes is drawn evenly; which copy of a
    state is reached, the file's own probabilities say.
    """
    rng = np.random.default_rng([seed, 1])
    paths = sample(problem, task, scene, count=count, seed=seed)
    return [scene.drawn_in_original(path, rng) for path in paths]
