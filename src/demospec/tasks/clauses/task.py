"""A task said in clauses: all of them hold, or one of several such lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain
from operator import attrgetter
from typing import Any

from demospec.tasks.clauses.clause import Clause
from demospec.tasks.dfa import DFA
from demospec.tasks.task import Task

Conjunction = tuple[Clause, ...]
ANYTHING = "anything"  # how no clause at all is said
_ORDER = attrgetter("order")


@dataclass(frozen=True, eq=False, repr=False)
class Clauses(Task):
    """Clauses that must all hold, or one level of "or" between such lists. Made by `of`.

    Its size by the paper's code is that of its automaton: whoever scores `F y` and `reach y` finds the same.

    >>> from demospec.tasks.clauses.reading import parse
    >>> task = parse("reach y; never r", "bry")
    >>> task, task.automaton
    (Clauses('reach y; never r'), DFA('>0: r→1, y→2 | 1: | *2: r→1'))
    >>> str(parse("(reach y; never r) or (end with b)", "bry"))
    '(reach y; never r) or (end with b)'
    """

    alphabet: tuple[str, ...]
    alternatives: tuple[Conjunction, ...]  # at least one; each sorted, each once

    @classmethod
    def of(cls, alternatives: Iterable[Iterable[Clause]], alphabet: Iterable[str]) -> Clauses:
        """Make a task from lists of clauses; the order does not matter."""
        lists = [tuple(sorted(set(one), key=_ORDER)) for one in alternatives]
        if len(lists) > 1:
            lists = sorted(set(lists), key=lambda one: [clause.order for clause in one])
        return cls(tuple(sorted(alphabet)), tuple(lists))

    @cached_property
    def language(self) -> DFA:
        """Return the minimal automaton."""
        return reduce(
            lambda p, q: (p | q).minimal, (conjoined(one, self.alphabet) for one in self.alternatives)
        )

    @property
    def automaton(self) -> DFA:
        """Return the minimal automaton."""
        return self.language

    @property
    def size(self) -> int:
        """Return the length of the automaton's code in bits."""
        return self.language.size

    @property
    def key(self) -> tuple[DFA, int | str]:
        """Return the language and the text: two ways to say a language may have the same length."""
        return self.language, self._text

    @property
    def clauses(self) -> Conjunction:
        """Return every clause, of all alternatives."""
        return tuple(dict.fromkeys(chain(*self.alternatives)))

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        said = ["; ".join(clause.sentence for clause in one) or ANYTHING for one in self.alternatives]
        return said[0] if len(said) == 1 else " or ".join(f"({one})" for one in said)

    def __repr__(self) -> str:
        return f"Clauses({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clauses):
            return NotImplemented
        return (self.alphabet, self.alternatives) == (other.alphabet, other.alternatives)

    def __hash__(self) -> int:
        return hash((self.alphabet, self.alternatives))

    def __getstate__(self) -> dict[str, object]:
        # The vocabulary that lengths were told by stays where it is.
        return {name: value for name, value in self.__dict__.items() if name != "_bits"}

    def to_json(self) -> dict[str, Any]:
        """Return the task file's object: the automaton's, with the clauses."""
        return {**self.language.to_json(), "clauses": str(self)}


def conjoined(clauses: Conjunction, alphabet: tuple[str, ...]) -> DFA:
    """Return the minimal automaton of clauses that all hold; of none, that of every word."""
    parts = [clause.automaton(alphabet) for clause in clauses]
    return reduce(lambda p, q: (p & q).minimal, parts) if parts else DFA.constant(alphabet, True).minimal
