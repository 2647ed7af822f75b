"""Two tasks compared in the worlds of a problem, as a plain JSON document."""

from __future__ import annotations

from demospec.belief.episodes import Episodes
from demospec.problem import Problem
from demospec.report.values import Document
from demospec.tasks import Task
from demospec.tasks.words import Comparison, compare
from demospec.worlds.walk import TooManySituations


def comparison_document(problem: Problem, first: Task, second: Task) -> Document:
    """Return how two tasks over the problem's letters differ, and whether a run there could tell."""
    found = compare(first, second)
    return {**found.to_json(), **in_world(problem, found)}


def in_world(problem: Problem, found: Comparison) -> Document:
    """Return whether any run in the problem's worlds tells two tasks apart, and a shortest word that does."""
    here = Episodes(problem)
    try:
        telling = here.telling(found.first, found.second) if here.is_listed else None
    except TooManySituations:
        telling = None
    if telling is None:
        return {"told_apart": None, "told_apart_by": None, "told_apart_in": None}
    if not telling:
        return {"told_apart": False, "told_apart_by": None, "told_apart_in": None}
    name = problem.scenes[telling[0].world].name if len(problem.scenes) > 1 else None
    return {"told_apart": True, "told_apart_by": list(telling[0].word), "told_apart_in": name}
