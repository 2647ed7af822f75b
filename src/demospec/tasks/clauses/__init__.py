"""Tasks in sentences: "reach y; no r before y; after b, no y until g"."""

from demospec.tasks.clauses.clause import Clause, instances
from demospec.tasks.clauses.kind import Kind
from demospec.tasks.clauses.reading import parse
from demospec.tasks.clauses.task import Clauses
from demospec.tasks.clauses.vocabulary import join, kinds

__all__ = ["Clause", "Clauses", "Kind", "instances", "join", "kinds", "parse"]
