"""What can be learned."""

from demospec.tasks.dfa import DFA, Word

__all__ = ["DFA", "Word"]
