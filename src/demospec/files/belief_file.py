"""The belief in a file: the answers of a result of `learn`, or tasks with weights, written by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from demospec.errors import FileError
from demospec.files.reading import parse_document, read_text
from demospec.files.tables import TaskDocument
from demospec.files.task_text import is_file_name, read_task_line
from demospec.files.values import load_task, parse_task, placed, task_of
from demospec.tasks import Task
from demospec.tasks.mixture import Weighted
from demospec.wording import file_name, shown_value

EXPECTED = 'a result of `learn`, or "answers": [{"task": "reach y", "weight": 0.5}, …]'
WEIGHTS = ("weight", "probability")
KEYS = ("belief", "answers")
MADE_FOR = "what to act on was made for the worlds of this result; for another, use policy or sample there"


def load_belief(source: str, alphabet: tuple[str, ...] | None = None) -> list[Weighted]:
    """Read tasks and their weights: the answers of a result of `learn`, or a file's own.

    A task is a task file's object, or a line of text: an automaton, a formula or clauses. Without letters of
    its own, text takes `alphabet`.
    """
    name = file_name(source)
    return read_answers(parse_document(read_text(source), name), name, alphabet)


def load_believed(
    source: str, alphabet: tuple[str, ...] | None = None, *, to_act_on: bool = False
) -> Task | list[Weighted]:
    """Read a task, or the answers of a file that has some.

    Of a run without answers it is its best task, and with `to_act_on` of one that says nothing to act on.
    """
    if not is_file_name(source) and not os.path.exists(source):
        return load_task(source, alphabet)
    text, name = read_text(source), file_name(source)
    if text.lstrip().startswith("{"):
        document = parse_document(text, name)
        wanted = "act_on" if to_act_on else "belief"
        alone = "best" in document and document.get(wanted) is None
        if not alone and any(key in document for key in KEYS):
            return read_answers(document, name, alphabet)
    return parse_task(text, name, alphabet)


def load_act_on(source: str) -> Task:
    """Read what to act on out of a result of `learn`."""
    name = file_name(source)
    found = parse_document(read_text(source), name).get("act_on")
    if not isinstance(found, dict):
        told = "expected a result of `learn` that says what to act on beside its answer, and this does not"
        raise FileError(told, place=name)
    return task_of(found["task"], name)


def read_answers(document: Mapping[str, Any], name: str, alphabet: tuple[str, ...] | None) -> list[Weighted]:
    """Read the answers of a document, each with its weight."""
    answers = answers_in(document, name)
    numbered = enumerate(answers, start=1)
    return [placed(f"{name}: answer {number}", read_answer, one, alphabet) for number, one in numbered]


def answers_in(document: Mapping[str, Any], name: str) -> list[Any]:
    """Return the answers of a file; of a result of `learn` those of its belief, which are more."""
    found = document.get("answers")
    if "belief" in document:
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
