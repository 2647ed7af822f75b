"""The belief in a file: the answers of a result of `learn`, or tasks with weights, written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from demospec.errors import FileError
from demospec.files.reading import parse_document, read_text
from demospec.files.tables import TaskDocument
from demospec.files.task_text import read_task_line
from demospec.files.values import placed, task_of
from demospec.tasks import Task
from demospec.tasks.mixture import Weighted
from demospec.wording import file_name, shown_value

EXPECTED = 'a result of `learn`, or "answers": [{"task": "reach y", "weight": 0.5}, …]'
WEIGHTS = ("weight", "probability")


def load_belief(source: str, alphabet: tuple[str, ...] | None = None) -> list[Weighted]:
    """Read tasks and their weights: the answers of a result of `learn`, or a file's own.

    A task is a task file's object, or a line of text: an automaton, a formula or clauses. Without letters of
    its own, text takes `alphabet`.
    """
    name = file_name(source)
    document = parse_document(read_text(source), name)
    answers = answers_in(document, name)
    numbered = enumerate(answers, start=1)
    return [placed(f"{name}: answer {number}", read_answer, one, alphabet) for number, one in numbered]


def answers_in(document: Mapping[str, Any], name: str) -> list[Any]:
    """Return the answers of a file; those of a result of `learn` may be part of its belief."""
    found = document.get("answers")
    if found is None and "belief" in document:
        belief = document["belief"]
        if belief is None:
            raise FileError("the run ended before its belief was worked out: it has no answers", place=name)
        found = belief.get("answers") if isinstance(belief, dict) else belief
    if not isinstance(found, list):
        what = "there are none" if found is None else f"found {shown_value(found)}"
        raise FileError(f"expected answers, and {what}: {EXPECTED}", place=name)
    return found


def read_answer(answer: object, alphabet: tuple[str, ...] | None) -> Weighted:
    """Read one answer: a task, either under its key or told in the answer itself, and its weight."""
    if not isinstance(answer, dict):
        raise FileError(f"expected a table with a task and a weight, found {shown_value(answer)}")
    weight = next((answer[key] for key in WEIGHTS if key in answer), None)
    if weight is None:
        raise FileError('the key "weight" is missing')
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise FileError(f"expected a number, found {shown_value(weight)}", place="weight")
    return read_task(answer["task"] if "task" in answer else told_in(answer), alphabet), float(weight)


def read_task(task: object, alphabet: tuple[str, ...] | None) -> Task:
    """Read a task that is told as text or as a task file's object."""
    if isinstance(task, str):
        return placed("task", read_task_line, task, alphabet)
    if not isinstance(task, dict):
        raise FileError(f"expected text or a task file's object, found {shown_value(task)}", place="task")
    return task_of(task, "task")


def told_in(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the task of an answer without what is told beside it."""
    if answer.get("kind", "dfa") != "dfa":
        return dict(answer)
    if "transitions" not in answer:
        raise FileError('the key "task" is missing')
    known = {field.encode_name for field in msgspec.structs.fields(TaskDocument)} - set(WEIGHTS)
    own = {key: value for key, value in answer.items() if key in known}
    if not isinstance(own.get("clauses", ""), str):  # sentences to read, beside the task
        del own["clauses"]
    return own
