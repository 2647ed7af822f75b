"""A task in the forms that other programs read, as text or as a picture, by the name of the form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.svg import png_of
from demospec.tasks import Task
from demospec.tasks.formats import FORMATS


@dataclass(frozen=True)
class Picture:
    """A way to draw a task; what is drawn may be text or not."""

    told: str
    draw: Callable[[Task], str | bytes]


PICTURES: dict[str, Picture] = {
    "svg": Picture("a picture", lambda task: automaton_svg(task.automaton)),
    "png": Picture("a picture in pixels (extra: png)", lambda task: png_of(automaton_svg(task.automaton))),
}


def told_formats() -> dict[str, str]:
    """Return all formats by name, each with what it is."""
    texts = {name: one.told for name, one in FORMATS.items()}
    return texts | {name: one.told for name, one in PICTURES.items()}


def exported(task: Task, name: str) -> str | bytes:
    """Return a task in a form of `told_formats`."""
    write: Callable[[Task], str | bytes] = PICTURES[name].draw if name in PICTURES else FORMATS[name].write
    return write(task)


def ending_of(name: str) -> str:
    """Return how the names of files of a form end."""
    return f".{name}" if name in PICTURES else FORMATS[name].ending
