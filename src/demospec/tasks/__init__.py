"""What can be learned."""

from demospec.tasks.composite import Composite, Operator
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.task import Task, register_kind, task_from_json

__all__ = ["DFA", "Composite", "Operator", "Task", "Word", "register_kind", "task_from_json"]
