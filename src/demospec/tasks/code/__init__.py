"""What it takes to tell a task: a prefix code over clauses, "or" and automata, which is a prior."""

from demospec.tasks.code.words import Words

__all__ = ["Words"]
