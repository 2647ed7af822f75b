"""Problem, task and examples files: text in, checked values out."""

from typing import TYPE_CHECKING

from demospec.files.reading import convert, parse_document
from demospec.files.tables import ProblemDocument
from demospec.files.values import (
    build_problem,
    load,
    load_example,
    load_examples,
    load_task,
    parse_task,
)
from demospec.later import loading
from demospec.wording import file_name

if TYPE_CHECKING:
    from demospec.files.belief_file import load_belief

__all__ = [
    "ProblemDocument",
    "build_problem",
    "convert",
    "file_name",
    "load",
    "load_belief",
    "load_example",
    "load_examples",
    "load_task",
    "parse_document",
    "parse_task",
]

if not TYPE_CHECKING:
    __getattr__ = loading(__name__, {"demospec.files.belief_file": ("load_belief",)})
