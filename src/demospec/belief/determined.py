"""Whether what was shown determines the task: whether the likeliest answer has an aim, and a good part.

An answer has no aim where its agent cannot be told from one that wanders: every run satisfies it, or none
does, or nothing can be done about it. Such an answer says what was not found, and is no task.
"""

from __future__ import annotations

from demospec.belief.answers import SAME
from demospec.belief.distance import Agents
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.wording import count, percent
from demospec.work.stop import NEVER, Stop

LITTLE = 0.2  # of the belief: a likeliest answer that has less is one of many
SURE = 0.95  # of the belief in one answer: by default nothing more is asked then


def has_aim(problem: Problem, score: Score, stop: Stop = NEVER) -> bool:
    """Say whether some episode tells a task's agent from one that is content with anything."""
    tasks = [score.language, DFA.constant(problem.alphabet, True)]
    agents = Agents(problem, tasks, [score.rationality] * 2, stop, score.effort)
    return not agents.alike(0, [1], SAME)[0]


def is_determined(
    problem: Problem, likeliest: Score, share: float, stop: Stop = NEVER, *, named: Score | None = None
) -> bool:
    """Say whether the demonstrations determine the task, by the likeliest answer and the one named."""
    some = [likeliest] if named is None or named is likeliest else [named, likeliest]
    return share >= LITTLE and all(has_aim(problem, one, stop) for one in some)


def not_determined(problem: Problem) -> str:
    """Say that they do not.

    >>> import demospec
    >>> not_determined(demospec.load_example("robot"))
    '2 demonstrations do not determine the task'
    """
    shown = len(problem.demonstrations)
    return f"{count(shown, 'demonstration')} {'does' if shown == 1 else 'do'} not determine the task"


def why_not(share: float) -> str:
    """Say why not, by the share of the likeliest answer.

    >>> why_not(0.1), why_not(0.9)
    ('no answer has 20 % of the belief', 'the likeliest answer, with 90 % of the belief, has no aim here')
    """
    if share < LITTLE:
        return f"no answer has {percent(LITTLE)} of the belief"
    return f"the likeliest answer, with {percent(share)} of the belief, has no aim here"
