"""Counts that fix the size of an automaton, in the order in which answers come.

How many languages there are, where a lower and an upper bound leave only a few words open.

A search that has found them all can end. Without this it would go on through all numbers of states in search
of more, which takes long: nothing rules a larger automaton out before it is complete.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress, count, islice, product
from typing import Literal

from demospec.errors import InputError
from demospec.identify.base import certain
from demospec.identify.classes import AutomatonClass, of_words, prefixes
from demospec.tasks import DFA, Word
from demospec.tasks.dfa import size
from demospec.tasks.examples import Examples

Cell = tuple[int, int, int]  # states, smaller acceptance class, transitions that leave their state
Order = Literal["bits", "states"]

ORDERS: tuple[Order, ...] = ("bits", "states")
MOST_STATES = 64  # sets of states are 64 bits in C
CHUNK = 64


def cells(letters: int, max_states: int | None) -> Iterator[Cell]:
    """Yield the counts (n, c, m) that a minimal automaton can have, by size."""

    def first(n: int) -> tuple[int, int, int, int]:
        c, m = min(1, n - 1), n - 1  # a minimal automaton of two states or more both accepts and rejects
        return size(n, letters, c, m), n, c, m

    queue = [first(1)]
    while queue:
        cell = heapq.heappop(queue)
        _, n, c, m = cell
        yield n, c, m
        if cell == first(n) and (max_states is None or n < max_states):
            heapq.heappush(queue, first(n + 1))
        if n > 1 and m < n * letters:
            heapq.heappush(queue, (size(n, letters, c, m + 1), n, c, m + 1))
        if m == n - 1 and c + 1 <= n // 2:
            heapq.heappush(queue, (size(n, letters, c + 1, m), n, c + 1, m))


def cells_by_states(letters: int, max_states: int | None) -> Iterator[Cell]:
    """Yield the same cells, those with fewer states first, then by size."""
    for n in count(1) if max_states is None else range(1, max_states + 1):
        if n == 1:
            yield 1, 0, 0
            continue
        yield from sorted(
            ((n, c, m) for c in range(1, n // 2 + 1) for m in range(n - 1, n * letters + 1)),
            key=lambda cell: (size(cell[0], letters, cell[1], cell[2]), cell),
        )


class Chunks:
    """An order of cells, kept in pieces: the next piece is made when it is first asked for."""

    def __init__(self, letters: int, max_states: int | None, order: Order) -> None:
        make = cells if order == "bits" else cells_by_states
        self._more = make(letters, max_states)
        self._made: list[tuple[Cell, ...]] = []

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for position in count():
            if position == len(self._made):
                chunk = tuple(islice(self._more, CHUNK))
                if any(n > MOST_STATES for n, _, _ in chunk):
                    raise InputError(f"no automaton with up to {MOST_STATES} states agrees with the examples")
                self._made.append(chunk)
            if not self._made[position]:
                return
            yield self._made[position]


@lru_cache(maxsize=32)
def chunks(letters: int, max_states: int | None, order: Order = "bits") -> Chunks:
    """Return the cells of all automata with so many states over so many letters."""
    return Chunks(letters, max_states, order)


# -- How many languages there are, where a lower and an upper bound leave only a few words open ----------

MOST_LISTED = 200  # words between the bounds
MOST_OPEN = 5  # of these, words without a label: 32 languages


def languages_left(
    classes: Sequence[AutomatonClass],
    alphabet: Sequence[str],
    examples: Examples,
    max_states: int | None = None,
) -> int | None:
    """Return how many members of all classes agree with the examples; None when that is not seen.

    At most so many, where labels are excluded.
    """
    between = words_between(tuple(classes), tuple(alphabet))
    if between is None:
        return None
    labelled = tuple((word, examples.mapping[word]) for word in between if word in examples.mapping)
    if len(between) - len(labelled) > MOST_OPEN:
        return None
    return members(tuple(classes), tuple(alphabet), labelled, max_states)


@lru_cache(maxsize=256)
def words_between(classes: tuple[AutomatonClass, ...], alphabet: tuple[str, ...]) -> tuple[Word, ...] | None:
    """Return the words that no member must accept and none must reject; None when they are many."""
    accepted, rejected = certain(classes, alphabet)
    return words_of(~(accepted | rejected), MOST_LISTED)


@lru_cache(maxsize=1024)
def members(
    classes: tuple[AutomatonClass, ...],
    alphabet: tuple[str, ...],
    labelled: tuple[tuple[Word, bool], ...],
    max_states: int | None,
) -> int:
    """Return the number of members in which words between the bounds have the given labels."""
    accepted, _ = certain(classes, alphabet)
    known = dict(labelled)
    between = words_between(classes, alphabet) or ()
    choices = [(known[word],) if word in known else (False, True) for word in between]
    tasks = (
        (accepted | of_words(compress(between, chosen), alphabet)).minimal for chosen in product(*choices)
    )
    return sum(
        (max_states is None or task.states <= max_states) and all(one.holds(task) for one in classes)
        for task in tasks
    )


def words_of(language: DFA, most: int) -> tuple[Word, ...] | None:
    """Return the words of a language, short ones first; None when there are more than `most`.

    >>> words_of(of_words([("b",), ("a", "b")], "ab"), 2)
    (('b',), ('a', 'b'))
    >>> words_of(of_words([("b",), ("a", "b")], "ab"), 1) is None
    True
    """
    dfa = language.minimal
    hopeful = prefixes(dfa).accepting
    found: list[Word] = []
    begun: list[tuple[Word, int]] = [((), 0)] if hopeful[0] else []
    for _ in range(dfa.states):  # a longer word repeats a state, and then there are endlessly many
        found += [word for word, state in begun if dfa.accepting[state]]
        if len(found) > most or len(begun) > most:  # each that is begun ends in a word of its own
            return None
        begun = [
            ((*word, letter), target)
            for word, state in begun
            for letter, target in zip(dfa.alphabet, dfa.table[state], strict=True)
            if hopeful[target]
        ]
    return None if begun else tuple(found)
