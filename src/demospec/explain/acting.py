"""The policy of a problem's agent, were it to pursue a given task."""

from __future__ import annotations

from demospec.explain.score import plan_task
from demospec.plan.monitor import make_monitor
from demospec.plan.policy import Policy
from demospec.plan.rationality import Fixed
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA


def policy(problem: Problem, task: DFA, *, rationality: float | None = None) -> Policy:
    """Return what the maximum-entropy agent that pursues `task` in the problem's world does.

    Its rationality is the problem's agent's unless another is given. What is known about the task
    beforehand plays no part: the monitor is that of the task alone.

    >>> import demospec
    >>> robot = demospec.load_example("robot")
    >>> policy = demospec.policy(robot, demospec.DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", robot.alphabet))
    >>> round(policy.satisfaction(), 3)
    0.761
    """
    problem.check_task(task)
    if rationality is None:
        plan = plan_task(problem, task)
        if problem.bounds == (None, None):
            return Policy(plan)
        rationality = plan.rationality
    monitor = make_monitor(task, merge_repeats=problem.merge_repeats)
    planner = problem.planner or PLANNER
    return Policy(planner.plan(problem.mdp, monitor, Fixed(rationality).rationality))
