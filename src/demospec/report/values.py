"""Plain documents: what JSON can hold."""

from __future__ import annotations

import math

from demospec.tasks import Task
from demospec.tasks.showing import Document as Document


def version() -> str:
    """Return the version of demospec; a checkout that is not installed has none."""
    from importlib import metadata

    try:
        return metadata.version("demospec")
    except metadata.PackageNotFoundError:
        return "unknown"


def finite(number: float) -> float | None:
    """Return a number that JSON can hold; infinite and undefined ones are null."""
    return number if math.isfinite(number) else None


def task_document(task: Task, **extra: object) -> Document:
    """Return a task file's object with numbers attached; parts come with their sizes."""
    document = {**task.to_json(), **extra}
    if len(task.parts) > 1:
        document["parts"] = [{**part.to_json(), "size": part.size} for part in task.parts]
    return document
