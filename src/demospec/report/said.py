"""Tasks in words, for everything that people read: the sentence first, the automaton beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from demospec.belief.here import describe_here
from demospec.problem import Problem
from demospec.report.blocks import Block, Figure, Items, Paragraph
from demospec.report.drawings import task_svg
from demospec.report.values import Document
from demospec.tasks import Task
from demospec.tasks.clauses import Clauses
from demospec.tasks.words import BRIEF, Description, describe
from demospec.work.stop import NEVER, Stop, Stopped

EXACT = {
    "always": "That is exactly the {}.",
    "here": "In this world that is exactly the {}: no episode could tell it from what was found.",
    False: "The {} asks for this, and for more:",
}


def sentence(task: Task) -> str:
    """Return a task in one sentence, found quickly: what is said is true, "and more" where it is not all."""
    return describe(task, budget=BRIEF).sentence


def in_full(problem: Problem, task: Task, stop: Stop = NEVER) -> Description:
    """Return a task in words as well as can be, exactly in the problem's worlds if not always."""
    try:
        return describe_here(problem, task, stop=stop)[0]
    except Stopped:
        return describe(task, budget=BRIEF)


def said_blocks(found: Description, called: str = "task") -> list[Block]:
    """Tell a task: its sentence, whether that is all, and what is left, state by state."""
    exact = EXACT[found.exact].format(called)
    if found.exact is False and not found.rest:
        exact = f"{exact.removesuffix(':')}."
    return [Paragraph(found.sentence), Paragraph(exact), Items(found.rest)]


def said_document(found: Description) -> Document:
    """Return the words of a task for JSON."""
    told = found.to_json()
    return {name: told[name] for name in ("sentence", "clauses", "exact", "formula")}


def cells(task: Task, draw: Callable[[], str] | None = None) -> tuple[str, Figure]:
    """Return two cells of a table: the sentence, and the automaton drawn or as its line."""
    line = str(task.automaton if isinstance(task, Clauses) else task)
    return sentence(task), Figure(draw or partial(task_svg, task), line)
