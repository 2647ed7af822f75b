"""Counts that fix the size of an automaton, in the order in which answers come.

Where bounds leave few words open the languages are counted, so that a search that has found them all can end.
Without this it would go on through all numbers of states in search of more, which takes long: nothing rules a
larger automaton out before it is complete.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress, count, islice, product
from typing import Literal

from demospec.errors import InputError
from demospec.identify.base import certain_words
from demospec.identify.classes import AutomatonClass, of_words, prefixes
from demospec.tasks import DFA, Word
from demospec.tasks.dfa import size, width
from demospec.tasks.examples import Examples

Cell = tuple[int, int, int]  # states, smaller acceptance class, transitions that leave their state
Counts = tuple[int, ...]  # the number of states of each of several automata, most first
Bounds = tuple[tuple[int, int], ...]  # sums over `groups`: states in smaller acceptance classes, changes
JointCell = tuple[Counts, Bounds]
Order = Literal["bits", "states"]

ORDERS: tuple[Order, ...] = ("bits", "states")
MOST_STATES = 64  # sets of states are 64 bits in C
CHUNK = 64


def groups(counts: Counts) -> list[list[int]]:
    """Return the positions of the parts, those together whose states are numbered with as many bits.

    In a group, a state of a smaller acceptance class costs the same in each part, and so does a change.

    >>> groups((5, 4, 3, 2))
    [[0], [1, 2], [3]]
    """
    widths = [width(n) for n in counts]
    return [[i for i, w in enumerate(widths) if w == s] for s in dict.fromkeys(widths)]


def cell_size(cell: JointCell, letters: int) -> int:
    """Return the size of the tasks in a cell, in bits.

    >>> cell_size(((3, 2), ((1, 3), (1, 1))), 4)
    49
    """
    counts, bounds = cell
    bits = len(counts) - 1 + sum(size(n, letters, 0, 0) for n in counts)
    for group, (minority, changes) in zip(groups(counts), bounds, strict=True):
        s = width(counts[group[0]])
        bits += minority * s + changes * (2 * s + width(letters))
    return bits


def first_cell(counts: Counts) -> JointCell:
    """Return the smallest cell with these numbers of states."""
    return counts, tuple(
        (sum(min(1, counts[i] - 1) for i in group), sum(counts[i] - 1 for i in group))
        for group in groups(counts)
    )


def following(cell: JointCell, letters: int, max_states: int | None) -> Iterator[JointCell]:
    """Yield larger cells, so that from the smallest ones all are reached in the end."""
    counts, bounds = cell
    if cell == first_cell(counts):
        for i, n in enumerate(counts):
            if max_states is None or n < max_states:
                more = (*counts[:i], n + 1, *counts[i + 1 :])
                yield first_cell(tuple(sorted(more, reverse=True)))
    for g, (group, (minority, changes)) in enumerate(zip(groups(counts), bounds, strict=True)):
        before, after = bounds[:g], bounds[g + 1 :]
        if counts[group[0]] > 1 and changes < sum(counts[i] * letters for i in group):
            yield counts, (*before, (minority, changes + 1), *after)
        if minority < sum(counts[i] // 2 for i in group):
            yield counts, (*before, (minority + 1, changes), *after)


def joint_cells(letters: int, most_parts: int, max_states: int | None) -> Iterator[JointCell]:
    """Yield the cells by size, of the same size those with fewer parts first.

    A part of several has two states or more: one that accepts all words, or none, is never needed.
    """
    starts: list[Counts] = [(1,)]
    if max_states is None or max_states > 1:
        starts += [(2,) * parts for parts in range(2, most_parts + 1)]
    queue = [(cell_size(cell, letters), len(cell[0]), cell) for cell in map(first_cell, starts)]
    heapq.heapify(queue)
    queued = {cell for _, _, cell in queue}
    while queue:
        _, _, cell = heapq.heappop(queue)
        yield cell
        for larger in following(cell, letters, max_states):
            if larger not in queued:
                queued.add(larger)
                heapq.heappush(queue, (cell_size(larger, letters), len(larger[0]), larger))


def cells_by_bits(letters: int, max_states: int | None) -> Iterator[Cell]:
    """Yield the counts (n, c, m) that a minimal automaton can have, by size."""
    for (n,), ((c, m),) in joint_cells(letters, 1, max_states):
        yield n, c, m


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
        make = cells_by_bits if order == "bits" else cells_by_states
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
    accepted, rejected = certain_words(classes, alphabet)
    return words_of(~(accepted | rejected), MOST_LISTED)


@lru_cache(maxsize=1024)
def members(
    classes: tuple[AutomatonClass, ...],
    alphabet: tuple[str, ...],
    labelled: tuple[tuple[Word, bool], ...],
    max_states: int | None,
) -> int:
    """Return the number of members in which words between the bounds have the given labels."""
    accepted, _ = certain_words(classes, alphabet)
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
