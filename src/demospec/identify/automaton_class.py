"""What a class of automata is: something that is known about a task beforehand, as a constraint.

A class is a set of languages. `holds` is its definition, on the minimal automaton; `clauses` say the same
of an automaton that a solver looks for. They may speak of its table as if it were minimal, because only
minimal, breadth-first numbered automata are ever taken from the solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from demospec.identify.encoding import Clause, Unknown
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples


class AutomatonClass(ABC):
    """A set of languages; its members are frozen dataclasses, equal when they mean the same.

    >>> from demospec.identify import CoSafety, Safety
    >>> Safety().holds(DFA.parse(">*0: a→1 | 1:", "ab")), CoSafety().holds(DFA.parse(">*0: a→1 | 1:", "ab"))
    (True, False)
    """

    kind: ClassVar[str]
    sentence: ClassVar[str]  # describes the members

    @property
    def name(self) -> str:
        """Return the short name, which `by_name` reads back where a class has no automaton in it."""
        return self.kind

    @abstractmethod
    def holds(self, dfa: DFA) -> bool:
        """Say whether the automaton's language is in the class."""

    @abstractmethod
    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield what makes an automaton, if it is minimal, a member."""

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the words whose labels, taken together, no member has.

        No words is a promise only where the class says so: its labels may be excluded all the same.
        """
        del examples
        return ()

    def normal(self, word: Word) -> Word:
        """Return the word that stands for all that every member must treat like this one."""
        return word

    def forced(self, language: DFA, label: bool) -> DFA:
        """Return the words that have the label in every member that gives it to those of a language.

        Some such words, where the class does not promise more.
        """
        del label
        return language

    def spoken(self) -> frozenset[str]:
        """Return the letters that the class speaks of."""
        return frozenset()

    def most_states(self, examples: Examples) -> int | None:
        """Return the largest number of states of a member that agrees with the examples, if there is one."""
        del examples
        return None

    def check_letters(self, alphabet: Sequence[str]) -> None:
        """Refuse an alphabet that the class cannot speak of."""
        del alphabet
