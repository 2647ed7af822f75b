"""What a problem's agent would do, were it to pursue a given task, or several: its policy, and runs of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from demospec.errors import InputError
from demospec.explain.score import Likely, agent_of, plan_task
from demospec.explain.setup import resolve
from demospec.plan.base import Plan
from demospec.plan.monitor import make_monitor
from demospec.plan.policy import MixturePolicy, Policy
from demospec.plan.rationality import MOST_RATIONAL, Learned
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.tasks import Task
from demospec.tasks.mixture import MOST_STATES, MOST_TASKS, Mixture, Weighted
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene

LAYER = 10_000_000  # numbers in one layer of a plan for several tasks, about
FEWEST_STATES = 16  # for which there is always room


def policy(
    problem: Problem,
    task: Task,
    scene: Scene | None = None,
    *,
    rationality: float | None = None,
    effort: float | None = None,
) -> Policy:
    """Return what the maximum-entropy agent that pursues `task` in a problem's world does.

    The world is the scene's, or the only one. Rationality and effort, the nats that a step costs, are those
    of the problem's agent, the likeliest where they are learned, unless others are given. What is known about
    the task beforehand plays no part: the monitor is that of the task alone.

    >>> import demospec
    >>> robot = demospec.load_example("robot-paper")
    >>> policy = demospec.policy(robot, demospec.DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", robot.alphabet))
    >>> round(policy.satisfaction(), 3)
    0.761
    """
    problem.check_task(task)
    agent = acting_agent(problem, task, rationality, effort)
    monitor = make_monitor(task.automaton, merge_repeats=problem.merge_repeats)
    world = agent.world(problem.scene() if scene is None else scene)
    return Policy(resolve(problem).planner.plan(world, monitor, agent.rationality))


def acting_agent(problem: Problem, task: Task, rationality: float | None, effort: float | None) -> Likely:
    """Return the problem's agent with a task, but for what is given of it."""
    learned = isinstance(resolve(problem).agent, Learned)
    if learned and not problem.demonstrations and rationality is None:
        raise InputError("nothing was shown that tells how rational the agent is: give its rationality")
    known = rationality is not None and (effort is not None or not learned or not problem.demonstrations)
    own = Likely(0.0) if known else agent_of(problem, task)
    given = Learned(rationality, effort)  # which refuses what no agent has
    return Likely(
        own.rationality if given.rationality is None else given.rationality,
        own.effort if given.effort is None else given.effort,
        own.haste,
    )


def belief_policy(
    problem: Problem,
    weighted: Iterable[Weighted],
    scene: Scene | None = None,
    *,
    rationality: float | None = None,
    effort: float | None = None,
    most_tasks: int = MOST_TASKS,
    most_states: int | None = None,
) -> MixturePolicy:
    """Return one policy for several tasks: it maximises the expected weight of those that it satisfies.

    `weighted` are tasks with their weights in the belief, which need not add up to 1: `Result.weighted_tasks`
    of a run. The heaviest `most_tasks` are planned for, each only while all together need no more than
    `most_states` states, by default as many as there is room for; `policy.mixture` tells which were left out.

    Unless a rationality is given, it acts as well as it can: with the highest, and without haste. To act as
    the demonstrator would, give the demonstrator's. Effort is that of the problem's agent with the heaviest
    task unless another is given.

    >>> import demospec
    >>> robot = demospec.load_example("robot")
    >>> tasks = [demospec.DFA.from_formula(text, robot.alphabet) for text in ("F y & G !r", "F y", "F g")]
    >>> policy = demospec.belief_policy(robot, zip(tasks, (0.5, 0.3, 0.1)), rationality=100, effort=0)
    >>> [round(chance, 2) for chance in policy.satisfaction_probabilities], round(policy.satisfaction(), 2)
    ([0.85, 0.85, 0.64], 0.83)
    """
    tasks = [(problem.check_task(task), weight) for task, weight in weighted]
    scene = problem.scene() if scene is None else scene
    if most_states is None:
        most_states = room_in(problem, scene, most_tasks)
    mixture = Mixture.of(
        tasks, merge_repeats=problem.merge_repeats, most_tasks=most_tasks, most_states=most_states
    )
    own = acting_agent(
        problem, mixture.tasks[0], MOST_RATIONAL if rationality is None else rationality, effort
    )
    agent = replace(own, haste=0.0) if rationality is None else own
    return MixturePolicy.planned(resolve(problem).planner, agent.world(scene), mixture, agent.rationality)


def room_in(problem: Problem, scene: Scene, tasks: int) -> int:
    """Return how many states several tasks may have together: fewer in large worlds."""
    if not resolve(problem).planner.abilities.listed:
        return MOST_STATES
    numbers = (2 + tasks) * len(scene.world.listed().states)  # in a layer of the plan, for each of them
    return max(FEWEST_STATES, min(MOST_STATES, LAYER // numbers))


def sample(
    problem: Problem, task: Task, scene: Scene | None = None, *, count: int = 1, seed: int = 0
) -> list[Path]:
    """Draw complete paths of the maximum-entropy agent that pursues `task` in a problem's world."""
    plan, rng = plan_task(problem, task, scene), np.random.default_rng(seed)
    return [sample_path(plan, rng) for _ in range(count)]


def draw_in_file(plan: Plan, scene: Scene, *, count: int = 1, seed: int = 0) -> list[Path]:
    """Draw paths of the agent of a plan, in the world that a scene's file describes.

    The two differ where copies in the file's world were merged.

    The agent acts in the merged world. Which copy of an action it takes is drawn evenly; which copy of a
    state is reached, the file's own probabilities say.
    """
    own, copies = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    drawn = [sample_path(plan, own) for _ in range(count)]
    return [scene.drawn_in_original(path, copies) for path in drawn]
