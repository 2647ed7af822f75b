"""A code as a sequence of choices, each with its probability: said once, it writes, reads and measures.

A task is told by choosing, again and again, one of several things whose weights are known to both sides. The
probability of a task is the product over its choices, its length −log₂ of that. Whoever describes a task asks
`choose(weights, which)` for each choice; a `Writer` turns the choices into bits, a `Reader` finds them in
bits, and `choose` returns what was chosen either way, so that one function says how a task is told.

The code of an automaton, made tight: what follows from its canonical form is not written.

The letters are known. With n states, at least two, and K letters: n by tossing coins; which states accept, as
one of 2ⁿ − 2 sets, since a minimal automaton neither accepts nor rejects in all of its states;
how many transitions leave their state, m of n − 1 to n·K; which ones, as one of C(n·K, m); and where each
leads: to a state that was met before, other than its own, or to the next new one, since states are numbered
breadth first. Where only as many transitions are left as states are still to be met, nothing is chosen.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb

from demospec.errors import TaskError
from demospec.tasks.dfa import DFA


class Choices(ABC):
    """Where choices go to, or come from."""

    @abstractmethod
    def part(self, low: Fraction, width: Fraction) -> None:
        """Take a part of the interval that is left."""

    @abstractmethod
    def which(self, bounds: Sequence[Fraction], chosen: int | None) -> int:
        """Return which part is taken: the chosen one, or the one that was written."""

    def choose(self, weights: Sequence[int], chosen: int | None) -> int:
        """Choose one of several things with these weights; `chosen` is None for who reads."""
        total, bounds = sum(weights), [Fraction(0)]
        for weight in weights:
            bounds.append(bounds[-1] + Fraction(weight, total))
        index = self.which(bounds, chosen)
        self.part(bounds[index], bounds[index + 1] - bounds[index])
        return index

    def one_of(self, count: int, chosen: int | None) -> int:
        """Choose one of so many things that are equally likely."""
        index = self.at(count, chosen)
        self.part(Fraction(index, count), Fraction(1, count))
        return index

    @abstractmethod
    def at(self, count: int, chosen: int | None) -> int:
        """Return which of so many equal parts is taken."""

    def times(self, number: int | None, coin: tuple[int, int] = (1, 1)) -> int:
        """Choose a number from 0 on by tossing a coin for each more; it says end, or one more."""
        found = 0
        while self.choose(coin, None if number is None else int(found < number)):
            found += 1
        return found


class Writer(Choices):
    """Narrows an interval by each choice. Its width is the task's probability."""

    def __init__(self) -> None:
        self.low, self.width = Fraction(0), Fraction(1)

    def part(self, low: Fraction, width: Fraction) -> None:
        """Take a part of the interval."""
        if not width:
            raise TaskError("a choice of weight 0 cannot be written")
        self.low, self.width = self.low + self.width * low, self.width * width

    def which(self, bounds: Sequence[Fraction], chosen: int | None) -> int:
        """Return what was chosen."""
        assert chosen is not None
        return chosen

    def at(self, count: int, chosen: int | None) -> int:
        """Return what was chosen."""
        assert chosen is not None
        if not 0 <= chosen < count:
            raise TaskError(f"a choice of number {chosen} among {count} cannot be written")
        return chosen

    def bits(self) -> str:
        """Return the shortest bits such that whatever follows them lies in the interval.

        The intervals of different tasks do not overlap, so that none begins with another's bits.
        """
        length = 0
        while True:
            number = math.ceil(self.low * 2**length)
            if Fraction(number + 1, 2**length) <= self.low + self.width:
                return format(number, f"0{length}b") if length else ""
            length += 1


class Reader(Choices):
    """Finds the choices in bits."""

    def __init__(self, bits: str) -> None:
        if any(bit not in "01" for bit in bits):
            raise TaskError("an encoded task is a string of 0 and 1")
        self.value = Fraction(int(bits or "0", 2), 2 ** len(bits))

    def part(self, low: Fraction, width: Fraction) -> None:
        """Look at a part of the interval as the whole."""
        self.value = (self.value - low) / width

    def which(self, bounds: Sequence[Fraction], chosen: int | None) -> int:
        """Return the part in which the value lies."""
        return next(
            index for index in range(len(bounds) - 1) if bounds[index] <= self.value < bounds[index + 1]
        )

    def at(self, count: int, chosen: int | None) -> int:
        """Return the part in which the value lies."""
        return int(self.value * count)


# -- The code of an automaton, made tight ----------------------------------------------------------------


def tell(choices: Choices, alphabet: tuple[str, ...], task: DFA | None) -> DFA:
    """Write the canonical form of an automaton of at least two states, or read one."""
    known = None if task is None else task.minimal
    letters = len(alphabet)
    states = 2 + choices.times(None if known is None else known.states - 2)
    marks = choices.one_of(mark_sets(states), None if known is None else marks_rank(known.accepting))
    accepting = marks_of(marks, states)
    cells = [(state, letter) for state in range(states) for letter in range(letters)]
    leaving = None if known is None else [known.table[s][k] != s for s, k in cells]
    few = states - 1
    changes = few + choices.one_of(len(cells) - few + 1, None if leaving is None else sum(leaving) - few)
    which = choices.one_of(
        comb(len(cells), changes), None if leaving is None else positions_rank(leaving, changes)
    )
    where = [cell for cell, on in zip(cells, positions_of(which, len(cells), changes), strict=True) if on]
    table = [[state] * letters for state in range(states)]
    met = 1
    for number, (state, letter) in enumerate(where):
        options = targets(state, met, states, changes - number)
        told = None if known is None else options.index(known.table[state][letter])
        table[state][letter] = options[choices.one_of(len(options), told)]
        met = max(met, table[state][letter] + 1)
    read = DFA(alphabet=alphabet, table=tuple(map(tuple, table)), accepting=accepting)
    if known is None and read.minimal.table != read.table:
        raise TaskError("the bits say an automaton that is not in its canonical form")
    return read.minimal


def bits(task: DFA) -> float:
    """Return −log₂ of the probability that `tell` gives to an automaton, without the fractions."""
    minimal = task.automaton
    states, letters = len(minimal.table), len(minimal.alphabet)
    if states == 1:
        return math.inf
    leaving, options = minimal.__dict__.get("_leads") or leads(minimal)  # compiled code tells it of many
    return fewest_bits(states) + choice_bits(states * letters, leaving, states) + math.log2(options)


def leads(minimal: DFA) -> tuple[int, int]:
    """Return how many transitions leave their state, and in how many ways they could lead elsewhere."""
    states = minimal.states
    leaving = [
        (state, target) for state, row in enumerate(minimal.table) for target in row if target != state
    ]
    left, met, options = len(leaving), 1, 1
    for state, target in leaving:
        if left > states - met:  # as many as `targets` has
            known = met + 1 if met < states else states
            options *= known - (state < known) or 1
        left -= 1
        if target >= met:
            met = target + 1
    return len(leaving), options


@cache
def choice_bits(cells: int, changes: int, states: int) -> float:
    """Return the bits of how many transitions leave their state, and which."""
    return math.log2(cells - states + 2) + math.log2(comb(cells, changes))


@cache
def fewest_bits(states: int) -> float:
    """Return what an automaton of so many states takes at least.

    >>> fewest_bits(2), fewest_bits(4) < bits(DFA.parse(">0: a→1 | 1: a→2 | 2: a→3 | *3:"))
    (2.0, True)
    """
    return states - 1 + math.log2(mark_sets(states))


def mark_sets(states: int) -> int:
    """Return how many sets of accepting states there can be."""
    return (1 << states) - 2


def marks_rank(accepting: Sequence[bool]) -> int:
    """Return the number of a set of accepting states; the empty one comes first, and is left out."""
    return sum(mark << state for state, mark in enumerate(accepting)) - 1


def marks_of(rank: int, states: int) -> tuple[bool, ...]:
    """Return the set of accepting states with a number."""
    return tuple(bool((rank + 1) >> state & 1) for state in range(states))


def targets(state: int, met: int, states: int, left: int) -> range | list[int]:
    """Return where a transition that leaves its state can lead; `left` counts it and those to come.

    A row that is read before its state was met cannot be: then every number but its own is allowed, and the
    reader refuses what is not canonical.
    """
    if left <= states - met:
        return range(met, met + 1)
    known = [other for other in range(min(met + 1, states)) if other != state]
    return known or [other for other in range(states) if other != state][:1]


def positions_rank(leaving: Sequence[bool], count: int) -> int:
    """Return the number of a choice of positions among those of as many."""
    return sum(_ranks(leaving, count))


def _ranks(leaving: Sequence[bool], count: int) -> Iterator[int]:
    left = count
    for position, on in enumerate(leaving):
        if on:
            left -= 1
        elif left:
            yield comb(len(leaving) - position - 1, left - 1)


def positions_of(rank: int, cells: int, count: int) -> list[bool]:
    """Return the choice of so many positions with a number."""
    found, left = [], count
    for position in range(cells):
        with_it = comb(cells - position - 1, left - 1) if left else 0
        on = left > 0 and rank < with_it
        if on:
            left -= 1
        else:
            rank -= with_it
        found.append(on)
    return found
