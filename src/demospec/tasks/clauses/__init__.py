"""Tasks in sentences: "reach y; no r before y; after b, no y until g"."""

from demospec.tasks.clauses.clause import Clause, Clauses, instances, parse
from demospec.tasks.clauses.kind import Kind, join, kinds

__all__ = ["Clause", "Clauses", "Kind", "instances", "join", "kinds", "parse"]
