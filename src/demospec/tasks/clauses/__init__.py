"""Tasks in sentences: "reach y; no r before y; after b, no y until g"."""

from typing import TYPE_CHECKING

from demospec.later import loading
from demospec.tasks.clauses.clause import Clause, Clauses, instances
from demospec.tasks.clauses.kind import Kind, join, kinds

if TYPE_CHECKING:
    from demospec.tasks.clauses.clause import parse

__all__ = ["Clause", "Clauses", "Kind", "instances", "join", "kinds", "parse"]

if not TYPE_CHECKING:
    __getattr__ = loading(__name__, {"demospec.tasks.clauses.clause": ("parse",)})
