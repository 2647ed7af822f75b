"""Plain documents: what JSON can hold."""

from __future__ import annotations

import math

from demospec.tasks import DFA, Composite
from demospec.tasks.showing import Document as Document


def finite(number: float) -> float | None:
    """Return a number that JSON can hold; infinite and undefined ones are null."""
    return number if math.isfinite(number) else None


def task_document(task: DFA, **extra: object) -> Document:
    """Return a task file's object with numbers attached; parts come with their sizes."""
    document = {**task.to_json(), **extra}
    if isinstance(task, Composite):
        document["parts"] = [{**part.to_json(), "size": part.size} for part in task.parts]
    return document
