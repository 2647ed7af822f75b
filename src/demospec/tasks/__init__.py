"""What can be learned."""

from demospec.tasks.dfa import DFA, Word, relabel

__all__ = ["DFA", "Word", "relabel"]
