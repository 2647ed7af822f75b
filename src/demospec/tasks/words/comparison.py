"""Two tasks compared: which implies which, words that tell them apart, clauses that only one has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from demospec.tasks.clauses import Clause, Clauses
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.showing import Displayed, short
from demospec.tasks.task import Task
from demospec.tasks.words.clauses import Budget, candidates, implied, strongest
from demospec.tasks.words.description import changing, describe, word_said
from demospec.wording import listing


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(Displayed):
    """How two tasks differ, over the letters of both."""

    first: DFA
    second: DFA
    only_first: Word | None  # a shortest word that only the first accepts; None: it implies the second
    only_second: Word | None
    first_clauses: tuple[Clause, ...]  # that the first implies, and the second does not
    second_clauses: tuple[Clause, ...]
    unknown: tuple[tuple[str, ...], tuple[str, ...]]  # letters that each did not read by itself

    def __repr__(self) -> str:
        return short([f"Comparison: {self.sentence}"])

    @property
    def equal(self) -> bool:
        """Say whether both accept the same words."""
        return self.only_first is None and self.only_second is None

    @property
    def sentence(self) -> str:
        """Return how they differ, in a sentence or two."""
        one, two = self.only_first, self.only_second
        if one is None and two is None:
            said = ["Both say the same: no word tells them apart."]
        elif one is None:
            assert two is not None
            said = [f"The first implies the second, not the other way: only the second accepts {word(two)}."]
        elif two is None:
            said = [f"The second implies the first, not the other way: only the first accepts {word(one)}."]
        else:
            only = f"only the first accepts {word(one)}, only the second accepts {word(two)}"
            said = [f"Neither implies the other: {only}."]
        for which, clauses in (("first", self.first_clauses), ("second", self.second_clauses)):
            if clauses:
                said.append(f"Only the {which} asks: {'; '.join(one.sentence for one in clauses)}.")
        return " ".join(said)

    @property
    def note(self) -> str:
        """Say which letters one of the tasks did not read; nothing where both read the same."""
        return " ".join(
            f"The {which} task does not name {listing(letters)}: in an automaton they change nothing."
            for which, letters in zip(("first", "second"), self.unknown, strict=True)
            if letters
        )

    def to_json(self) -> dict[str, Any]:
        """Return the object that `demospec diff --json` prints."""
        return {
            "equal": self.equal,
            "first_implies_second": self.only_first is None,
            "second_implies_first": self.only_second is None,
            "only_first": None if self.only_first is None else list(self.only_first),
            "only_second": None if self.only_second is None else list(self.only_second),
            "first_clauses": [clause.sentence for clause in self.first_clauses],
            "second_clauses": [clause.sentence for clause in self.second_clauses],
            "sentence": self.sentence,
            "note": self.note,
        }


def compare(first: Task, second: Task, *, budget: Budget | None = None) -> Comparison:
    """Compare two tasks; a letter that one of them does not read changes nothing there.

    The budget is for saying each of them in words.

    >>> dry, reach = DFA.parse(">0: r→2, y→1 | *1: r→2 | 2:"), DFA.parse(">0: y→1 | *1:")
    >>> compare(dry, reach).only_second, compare(dry, reach).first_clauses[0].sentence
    (('r', 'y'), 'never r')
    """
    alphabet = tuple(sorted({*first.alphabet, *second.alphabet}))
    one, two = over(first, alphabet), over(second, alphabet)
    return Comparison(
        first=one,
        second=two,
        only_first=(one - two).shortest_word(),
        only_second=(two - one).shortest_word(),
        first_clauses=asked_by(one, two, budget),
        second_clauses=asked_by(two, one, budget),
        unknown=(missing(first, alphabet), missing(second, alphabet)),
    )


def asked_by(task: DFA, other: DFA, budget: Budget | None = None) -> tuple[Clause, ...]:
    """Return the clauses that a task implies, a few, of which another one does not imply any."""
    described = describe(task, budget=budget)
    clauses = described.clauses
    if len(described.alternatives) > 1:  # none of these need hold
        named = tuple(task.alphabet[k] for k in changing(task))
        clauses = strongest(task, implied(task, named, candidates(task.alphabet, named, task.states)))
    return tuple(one for one in clauses if not other.implies(one.automaton(other.alphabet)))


def over(task: Task, alphabet: tuple[str, ...]) -> DFA:
    """Return the automaton of a task over more letters: those that it does not read change nothing.

    Clauses are read anew: "end with y" is about all letters.
    """
    if isinstance(task, Clauses):
        return Clauses.of(task.alternatives, alphabet).automaton
    own = task.automaton
    if own.alphabet == alphabet:
        return own
    table = tuple(
        tuple(row[own.column[letter]] if letter in own.column else state for letter in alphabet)
        for state, row in enumerate(own.table)
    )
    return DFA(alphabet=alphabet, table=table, accepting=own.accepting, start=own.start).minimal


def missing(task: Task, alphabet: tuple[str, ...]) -> tuple[str, ...]:
    """Return the letters that a task does not read."""
    return tuple(letter for letter in alphabet if letter not in task.alphabet)


def word(letters: Word) -> str:
    """Write a word in a sentence about words."""
    return f'"{word_said(letters)}"' if letters else "the empty word"
