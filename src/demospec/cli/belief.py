"""What commands share that act on a belief: options, and how they are read."""

from __future__ import annotations

import click

from demospec.cli.counts import Count
from demospec.cli.options import Command, about, check_standard_input, scene_of
from demospec.errors import InputError
from demospec.explain.acting import belief_policy
from demospec.files import load, load_belief
from demospec.plan.mixture import MixturePolicy
from demospec.plan.rationality import Learned
from demospec.problem import Problem
from demospec.tasks.mixture import MOST_TASKS, Weighted, by_weight
from demospec.worlds.scene import Scene

belief_option = click.option(
    "--belief", is_flag=True, help="Act on all leading answers at once: TASK is a result of learn."
)
answers_option = click.option(
    "--answers",
    type=Count(1),
    metavar="N",
    help=f"With --belief: act on at most this many answers.  [default: {MOST_TASKS}]",
)


def check_agent(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse a rationality or an effort that no agent has."""
    with about(f"--{parameter.name}"):
        Learned(value) if parameter.name == "rationality" else Learned(effort=value)
    return value


def acting_options(command: Command) -> Command:
    """Add `--belief`, `--answers`, `--rationality` and `--effort`."""
    effort = click.option(
        "--effort",
        type=float,
        callback=check_agent,
        metavar="NATS",
        help="What a step costs the agent.  [default: PROBLEM's]",
    )
    rationality = click.option(
        "--rationality",
        type=float,
        callback=check_agent,
        metavar="λ",
        help="How rational the agent is.  [default: PROBLEM's; with --belief 1000, to act as well as it can]",
    )
    for option in (effort, rationality, answers_option, belief_option):
        command = option(command)
    return command


def check_answers(belief: bool, answers: int | None) -> int:
    """Return how many answers to act on."""
    if answers is not None and not belief:
        raise InputError("--answers needs --belief")
    return MOST_TASKS if answers is None else answers


def load_with_belief(problem_file: str, belief_file: str) -> tuple[Problem, list[Weighted]]:
    """Read a problem, and what is believed about its task."""
    check_standard_input({"PROBLEM": problem_file, "TASK": belief_file})
    problem = load(problem_file)
    weighted = load_belief(belief_file, problem.alphabet)
    with about(belief_file):
        return problem, [(problem.check_task(task), weight) for task, weight in by_weight(weighted)]


def acting_on(
    problem_file: str,
    belief_file: str,
    world_name: str | None,
    answers: int,
    rationality: float | None,
    effort: float | None,
) -> tuple[Problem, Scene, MixturePolicy]:
    """Read both, and plan for the leading answers together in one of the problem's worlds."""
    problem, weighted = load_with_belief(problem_file, belief_file)
    scene = scene_of(problem, world_name)
    with about(problem_file):
        policy = belief_policy(
            problem, weighted, scene, rationality=rationality, effort=effort, most_tasks=answers
        )
    return problem, scene, policy
