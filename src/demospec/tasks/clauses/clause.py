"""A clause: a kind of sentence, with letters in its places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from demospec.errors import TaskError
from demospec.tasks import ltlf
from demospec.tasks.clauses.kind import CHAIN, LETTERS, MULTIPLE, TIMES, Kind, quoted
from demospec.tasks.clauses.vocabulary import kinds
from demospec.tasks.dfa import DFA
from demospec.tasks.propositions import are_sets, extension, propositions_of

PLAIN = re.compile(r'[^\s,;()"]+')  # a letter that needs no quotes in a sentence
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_OPERATORS = frozenset([*"FGXUWRMYOHS", "WX", "true", "false", "last", "tt", "ff"])
_PART = re.compile(r"\{(\w+)\}|([^\s{},]+)|(,)")


@dataclass(frozen=True)
class Clause:
    """A sentence about letters: "no r before y". Its letters are those of single places, then the others.

    >>> from demospec.tasks.clauses.vocabulary import VOCABULARY
    >>> clause = Clause(VOCABULARY[3], ("r", "y"))
    >>> clause.sentence, clause.formula
    ('no r before y', '!r W y')
    >>> clause.automaton(("r", "y"))
    DFA('>*0: r→1, y→2 | 1: | *2:')
    """

    kind: Kind
    letters: tuple[str, ...]
    number: int = 0  # where the kind takes one

    def __post_init__(self) -> None:
        if self.size < self.kind.fewest or not self.kind.allows(self.letters, self.size):
            raise TaskError(f'no clause "{self.kind.sentence}" has the letters {", ".join(self.letters)}')

    def __hash__(self) -> int:
        kept = self.__dict__  # a search asks for it hundreds of thousands of times
        if "_hash" not in kept:
            kept["_hash"] = hash((self.kind.name, self.letters, self.number))
        found: int = kept["_hash"]
        return found

    def __getstate__(self) -> dict[str, object]:
        # A hash of strings means nothing in another process.
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    @cached_property
    def size(self) -> int:
        """Return how many letters stand in the place for several, or the number."""
        several = self.kind.several
        if several in (LETTERS, CHAIN):
            return len(self.letters) - len(self.kind.places)
        return self.number if several else self.kind.fewest

    @cached_property
    def shape(self) -> tuple[str, int]:
        """Return what clauses share that differ in their letters alone: kind and size."""
        return self.kind.name, self.size

    @cached_property
    def sentence(self) -> str:
        """Return the sentence."""
        said = [spelt(letter) for letter in self.letters]
        single = len(self.kind.places)
        places = dict(zip(self.kind.places, said[:single], strict=True))
        places[LETTERS], places[CHAIN] = " or ".join(said[single:]), ", then ".join(said[single:])
        places[TIMES], places[MULTIPLE] = times(self.number), multiple(self.number)
        return self.kind.sentence.format(**places)

    @cached_property
    def formula(self) -> str | None:
        """Return the LTLf formula, where there is one."""
        return self.kind.filled(self.kind.formula, [proposition(one) for one in self.letters], self.number)

    @cached_property
    def in_full(self) -> tuple[Clause, ...]:
        """Return the clauses that this one is short for; itself where it is short for none."""
        if not self.kind.short_for:
            return (self,)
        from demospec.tasks.clauses.reading import parse  # which stands on clauses

        places = {name: spelt(letter) for name, letter in zip(self.kind.places, self.letters, strict=True)}
        sentences = [one.format(**places) for one in self.kind.short_for]
        return parse("; ".join(sentences)).clauses

    def automaton(self, alphabet: tuple[str, ...]) -> DFA:
        """Return the minimal automaton over an alphabet."""
        return _automaton(self, alphabet)

    def __str__(self) -> str:
        return self.sentence

    @cached_property
    def order(self) -> tuple[int, int, tuple[str, ...]]:
        """Return the key by which the clauses of a task are sorted: by kind, by size, by letters."""
        known = [kind.name for kind in kinds()]
        return known.index(self.kind.name) if self.kind.name in known else len(known), self.size, self.letters


@lru_cache(maxsize=1 << 14)
def _automaton(clause: Clause, alphabet: tuple[str, ...]) -> DFA:
    if not are_sets(alphabet):
        return clause.kind.automaton(clause.letters, clause.number, alphabet)
    own = sorted(set(clause.letters))
    by_pattern = _over_sets(clause.kind, tuple(own.index(one) for one in clause.letters), clause.number)
    marks = [extension(atom, alphabet) for atom in own]
    columns = [sum(1 << k for k, mark in enumerate(marks) if letter in mark) for letter in alphabet]
    table = tuple(tuple(row[column] for column in columns) for row in by_pattern.table)
    return DFA(alphabet=alphabet, table=table, accepting=by_pattern.accepting, start=by_pattern.start).minimal


@lru_cache(maxsize=1 << 10)
def _over_sets(kind: Kind, where: tuple[int, ...], number: int) -> DFA:
    """Return the automaton of a clause whose atoms may hold together: in column c those of its bits do."""
    atoms_ = [f"p{place}" for place in range(max(where) + 1)]
    width = 1 << len(atoms_)
    letters = tuple(f"{column:04}" for column in range(width))
    seen = {
        letter: [atom for k, atom in enumerate(atoms_) if column >> k & 1]
        for column, letter in enumerate(letters)
    }
    formula = kind.filled(kind.formula, [atoms_[place] for place in where], number)
    if formula is not None:
        return ltlf.automaton_of(ltlf.parse(formula), letters, propositions=seen)
    if len(atoms_) > 1:
        raise TaskError(f'the kind of clause "{kind.name}" has no formula: its letters cannot hold together')
    return kind.automaton([letters[1]], number, letters)


def instances(kind: Kind, size: int, alphabet: Sequence[str]) -> Iterator[Clause]:
    """Yield every clause of a kind and size, in order."""
    for rank in range(kind.count(size, len(alphabet))):
        yield instance(kind, size, rank, alphabet)


def instance(kind: Kind, size: int, rank: int, alphabet: Sequence[str]) -> Clause:
    """Return the clause with a number among those of its kind and size."""
    letters = tuple(alphabet[one] for one in kind.unrank(rank, size, len(alphabet)))
    return Clause(kind, letters, size if kind.several in (TIMES, MULTIPLE) else 0)


def rank(clause: Clause, alphabet: Sequence[str]) -> int:
    """Return the number of a clause among those of its kind and size."""
    return clause.kind.rank([alphabet.index(one) for one in clause.letters], clause.size, len(alphabet))


def spelt(letter: str) -> str:
    """Write a letter as it stands in a sentence: in quotes where it could be misread."""
    return letter if PLAIN.fullmatch(letter) and letter.lower() not in reserved() else quoted(letter)


def proposition(letter: str) -> str:
    """Write a letter as it stands in a formula."""
    several = propositions_of(letter)
    if len(several) > 1:
        return f"({' & '.join(map(proposition, several))})"
    plain = _IDENTIFIER.fullmatch(letter) and letter not in _OPERATORS
    return letter if plain else quoted(letter)


def parts(sentence: str) -> list[tuple[str, str]]:
    """Split a sentence with places into ("place", name) and ("word", word)."""
    return [("place", found[1]) if found[1] else ("word", found[0]) for found in _PART.finditer(sentence)]


def reserved() -> frozenset[str]:
    """Return the words of sentences, which are no letters unless they are quoted."""
    return _reserved(kinds())


@lru_cache(maxsize=8)
def _reserved(known: Iterable[Kind]) -> frozenset[str]:
    sentences = [sentence for kind in known for sentence in (kind.sentence, *kind.also)]
    words = [word for sentence in sentences for what, word in parts(sentence) if what == "word"]
    return frozenset([*words, "or", "then", "once", "twice", "times", "anything"])


def times(number: int) -> str:
    """Write how often.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def multiple(number: int) -> str:
    """Write a multiple of how often.

    >>> multiple(2), multiple(3)
    ('an even number of times', 'a multiple of 3 times')
    """
    return "an even number of times" if number == 2 else f"a multiple of {number} times"
