"""A task as a formula of linear temporal logic on finite words, where a short one is found."""

from __future__ import annotations

from demospec.errors import TaskError
from demospec.tasks.dfa import DFA
from demospec.tasks.task import Task


def to_ltlf(task: Task) -> str:
    """Return a formula that says a task, with the spelling of docs/formulas.md.

    >>> to_ltlf(DFA.parse(">0: y→1, r→2 | *1: | 2:", "bry"))
    '!r U y'
    """
    formula = task.describe().formula
    if formula is None or DFA.from_formula(formula, task.alphabet) != task.automaton:
        raise TaskError(
            "no short formula was found that says this task; formats such as hoa or dot say every task"
        )
    return formula
