"""Text forms in which a task is handed over, each in a module of its own, and which of them are read back.

A format of one's own joins by `register`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from demospec.errors import TaskError
from demospec.tasks.dfa import DFA
from demospec.tasks.formats.dot import from_dot, to_dot
from demospec.tasks.formats.gymnasium import to_gymnasium
from demospec.tasks.formats.hoa import from_hoa, to_hoa
from demospec.tasks.formats.prism import to_prism
from demospec.tasks.formats.python import to_python
from demospec.tasks.formats.regex import to_regex
from demospec.tasks.formats.reward_machine import from_reward_machine, to_reward_machine
from demospec.tasks.task import FORMATS, Format, Task, format_named, register

__all__ = ["FORMATS", "Format", "format_named", "reader_of", "register"]


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


def reader_of(text: str, file_name: str) -> Callable[[str], DFA] | None:
    """Return what reads a text, told by how it begins or by its file's name; None where none does."""
    readable = [one for one in FORMATS.values() if one.read is not None and one.begins]
    for one in readable:
        if re.match(one.begins, text):
            return one.read
    return next((one.read for one in readable if file_name.endswith(one.ending)), None)


def to_json_text(task: Task) -> str:
    """Write the task file."""
    return json.dumps(task.to_json(), ensure_ascii=False) + "\n"


_SPACE = r"(?:\s|//[^\n]*|#[^\n]*|/\*.*?\*/)*"
for _one in (
    Format("json", "demospec's task file", ".json", to_json_text),
    Format("dot", "a graph for Graphviz", ".dot", to_dot, from_dot, rf"(?s){_SPACE}(strict\s+)?digraph\b"),
    Format("hoa", "an automaton for Spot and its relatives", ".hoa", to_hoa, from_hoa, rf"(?s){_SPACE}HOA:"),
    Format("prism", "a module for PRISM and Storm", ".prism", to_prism),
    Format("ltlf", "a formula, where a short one is found", ".ltlf", lambda task: f"{to_ltlf(task)}\n"),
    Format("regex", "a regular expression, where it is short", ".regex", lambda task: f"{to_regex(task)}\n"),
    Format("python", "a monitor in one Python file, without dependencies", ".py", to_python),
    Format(
        "reward-machine",
        "the text form of Toro Icarte's reward machines",
        ".txt",
        to_reward_machine,
        from_reward_machine,
    ),
    Format("gymnasium", "a Gymnasium wrapper with the task's state and reward", ".py", to_gymnasium),
):
    register(_one)
