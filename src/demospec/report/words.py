"""Tasks in words, the sentence first, the automaton beside it; numbers, states and paths in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from demospec.belief.episodes import describe_here
from demospec.problem import Problem
from demospec.report.blocks import Figure
from demospec.report.drawings import task_svg
from demospec.tasks import Task
from demospec.tasks.clauses import Clauses
from demospec.tasks.words import BRIEF, Description, describe
from demospec.work.stop import NEVER, Stop, Stopped


def sentence(task: Task) -> str:
    """Return a task in one sentence, found quickly: what is said is true, "and more" where it is not all."""
    return describe(task, budget=BRIEF).sentence


def in_full(problem: Problem, task: Task, stop: Stop = NEVER) -> Description:
    """Return a task in words as well as can be, exactly in the problem's worlds if not always."""
    try:
        return describe_here(problem, task, stop=stop)[0]
    except Stopped:
        return describe(task, budget=BRIEF)


def cells(task: Task, draw: Callable[[], str] | None = None) -> tuple[str, Figure]:
    """Return two cells of a table: the sentence, and the automaton drawn or as its line."""
    line = str(task.automaton if isinstance(task, Clauses) else task)
    return sentence(task), Figure(draw or partial(task_svg, task), line)


# -- numbers, states and paths in words -----------------------------------------------------------------


def decimal(number: float | None, form: str = ".4f") -> str:
    """Write a number; documents have None for one that is not finite.

    >>> decimal(0.25), decimal(2, "+.1f"), decimal(None), decimal(-math.inf)
    ('0.2500', '+2.0', 'infinite', 'infinite')
    """
    return format(number, form) if number is not None and math.isfinite(number) else "infinite"


def state_text(state: object) -> str:
    """Write a state, or an action, of a problem file.

    >>> state_text([3, 1]), state_text("hall")
    ('(3, 1)', 'hall')
    """
    return f"({state[0]}, {state[1]})" if isinstance(state, list) else str(state)


def path_text(prefix: Sequence[object]) -> str:
    """Write a path of a problem file on one line.

    >>> path_text(["left", [4, 6], "wait"])
    'start left (4,6) wait'
    """
    parts = ["start"]
    for part in prefix:
        parts.append(f"({part[0]},{part[1]})" if isinstance(part, list) else str(part))
    return " ".join(parts)


def actions_text(actions: Mapping[str, float]) -> str:
    """Write what is chosen, the most likely first.

    >>> actions_text({"up": 0.25, "down": 0.75})
    'down 0.7500, up 0.2500'
    """
    order = sorted(actions.items(), key=lambda item: -item[1])
    return ", ".join(f"{action} {chance:.4f}" for action, chance in order)
