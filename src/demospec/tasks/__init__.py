"""What can be learned."""

from demospec.tasks.composite import Composite, Operator
from demospec.tasks.dfa import DFA, Word

__all__ = ["DFA", "Composite", "Operator", "Word"]
