"""Machines over one alphabet that read the same words, side by side.

Three layouts, for three uses:

- `Stack`: all states of many machines in one table, so that many words are read at once;
- `product`, `Product`: what a few machines can reach together, by any word, numbered breadth first;
- `Lockstep`: the same for many machines, but numbered only when it is met, by the words that are read.

Letters are numbered as in the alphabet; the number after the last stands for white, which changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np
import numpy.typing as npt

from demospec.errors import InputError, TooLarge
from demospec.tasks.tables import Table
from demospec.wording import unknown_letter

Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
Node = tuple[int, ...]  # a state of each machine, and where it is remembered the letter read last, or −1

ROOM = 64  # nodes for which a growing table has room at first


class Machine(Protocol):
    """A complete deterministic machine with marks: a task, or the monitor of one."""

    @property
    def alphabet(self) -> tuple[str, ...]: ...  # sorted

    @property
    def table(self) -> Table: ...  # the state after each letter in each state

    @property
    def start(self) -> int: ...

    @property
    def accepting(self) -> Sequence[bool] | Bools: ...


def with_white(table: Table, letters: int) -> Ints:
    """Return a table [N, K] as numbers [N, K + 1], with white in the last column."""
    count = len(table)
    found = np.empty((count, letters + 1), dtype=np.intp)
    found[:, :-1] = np.fromiter(chain.from_iterable(table), np.intp, count * letters).reshape(count, letters)
    found[:, -1] = np.arange(count)
    return found


def stacked(tables: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return tables [n, K + 1] one below the other in one numbering, and the number where each begins."""
    base = np.cumsum([0, *(len(table) for table in tables[:-1])])
    return np.concatenate([table + first for table, first in zip(tables, base.tolist(), strict=True)]), base


@dataclass(frozen=True, eq=False)
class Stack:
    """T machines in one table: N states in all, K letters."""

    alphabet: tuple[str, ...]
    table: Ints  # [N, K + 1]
    accepting: Bools  # [N]
    base: Ints  # [T], the first state of each machine
    start: Ints  # [T]
    owner: Ints  # [N], whose state it is

    @classmethod
    def of(cls, machines: Sequence[Machine]) -> Stack:
        """Stack machines over one alphabet."""
        alphabet = machines[0].alphabet
        rows = with_white(tuple(chain.from_iterable(one.table for one in machines)), len(alphabet))
        start = np.array([machine.start for machine in machines], dtype=np.intp)
        marks = np.concatenate([np.asarray(machine.accepting, dtype=np.bool_) for machine in machines])
        return cls.numbered(alphabet, rows, [len(machine.table) for machine in machines], marks, start)

    @classmethod
    def numbered(
        cls, alphabet: tuple[str, ...], rows: Ints, count: Sequence[int] | Ints, accepting: Bools, start: Ints
    ) -> Stack:
        """Stack machines of `count` states, whose rows and starts are numbered by themselves; not white."""
        base = np.cumsum([0, *count], dtype=np.intp)[:-1]
        owner = np.repeat(np.arange(len(base)), count)
        table = rows + base[owner][:, None]
        table[:, -1] = np.arange(len(table))
        return cls(alphabet, table, accepting, base, base + start, owner)

    def accepts(self, words: Sequence[Sequence[str]]) -> Bools:
        """Return [T, W]: which machines accept which words."""
        found: Bools = self.accepting[self.after(words)]
        return found

    def after(self, words: Sequence[Sequence[str]]) -> Ints:
        """Return [T, W]: the state of each machine after each word."""
        column = {letter: k for k, letter in enumerate(self.alphabet)}
        try:
            letters = [column[letter] for word in words for letter in word]
        except KeyError as missing:
            raise InputError(unknown_letter(missing.args[0], self.alphabet)) from None
        lengths = np.fromiter(map(len, words), np.intp, len(words))
        longest = int(lengths.max(initial=0))
        read = np.full((len(words), longest), len(self.alphabet), dtype=np.intp)  # white after a word's end
        read[np.arange(longest) < lengths[:, None]] = letters
        state = np.repeat(self.start[:, None], len(words), axis=1)
        for position in range(longest):
            state = self.table[state, read[:, position]]
        return state


def product(
    tables: Sequence[Table],
    start: Sequence[int] | None = None,
    *,
    remember: bool = False,
    most: int | None = None,
) -> tuple[list[Node], Table]:
    """Return what machines can reach together, at most so many nodes, breadth first, and its table.

    With `remember` a node also knows the letter that was read last, and does not read it again.

    >>> odd_a, odd_b = ((1, 0), (0, 1)), ((0, 1), (1, 0))
    >>> product([odd_a, odd_b])
    ([(0, 0), (1, 0), (0, 1), (1, 1)], ((1, 2), (0, 3), (3, 0), (2, 1)))
    >>> product([odd_a], remember=True)
    ([(0, -1), (1, 0), (0, 1), (1, 1), (0, 0)], ((1, 2), (1, 3), (1, 2), (4, 3), (4, 2)))
    """
    first = tuple(start) if start is not None else (0,) * len(tables)
    begin: Node = (*first, -1) if remember else first
    number = {begin: 0}
    nodes = [begin]
    rows = []
    for node in nodes:  # grows while we walk
        # The states after each letter, all letters at once; the shorter `zip` leaves out the one remembered.
        own = [table[state] for table, state in zip(tables, node, strict=False)]
        after: Iterable[Node] = zip(*own, strict=True)
        if remember:
            last = node[-1]
            after = [node if letter == last else (*states, letter) for letter, states in enumerate(after)]
        row = []
        for reached in after:
            known = number.setdefault(reached, len(nodes))
            if known == len(nodes):
                if known == most:
                    raise TooLarge(f"the automaton has more than {most:,} states before it is made minimal")
                nodes.append(reached)
            row.append(known)
        rows.append(tuple(row))
    return nodes, tuple(rows)


def shortest_words(alphabet: Sequence[str], table: Iterable[Iterable[int]]) -> list[tuple[str, ...]]:
    """Return a shortest word to each state that is numbered breadth first, the first in alphabetical order.

    >>> shortest_words("bgy", [(1, 0, 0), (1, 0, 2), (2, 2, 2)])
    [(), ('b',), ('b', 'y')]
    """
    words: list[tuple[str, ...]] = [()]
    for state, row in enumerate(table):
        for letter, reached in zip(alphabet, row, strict=True):
            if reached == len(words):
                words.append((*words[state], letter))
    return words


@dataclass(frozen=True, eq=False)
class Product:
    """A few machines that read a path together: N nodes, start 0, K letters.

    With merged repeats a node knows the letter read last, and does not read it again.
    """

    alphabet: tuple[str, ...]
    nodes: tuple[Node, ...]
    table: Ints  # [N, K + 1]
    reads: Bools  # [N, K + 1], whether the word grows
    start: int = 0

    @classmethod
    def of(cls, machines: Sequence[Machine], *, merge_repeats: bool) -> Product:
        """Put machines over one alphabet side by side."""
        alphabet = machines[0].alphabet
        nodes, rows = product(
            [machine.table for machine in machines],
            [machine.start for machine in machines],
            remember=merge_repeats,
        )
        reads = np.ones((len(nodes), len(alphabet) + 1), dtype=np.bool_)
        reads[:, -1] = False
        if merge_repeats:
            last = np.array([node[-1] for node in nodes])
            reads[:, :-1] = last[:, None] != np.arange(len(alphabet))
        return cls(alphabet, tuple(nodes), with_white(rows, len(alphabet)), reads)

    def read(self, node: Ints, letter: Ints) -> Ints:
        """Return the nodes after reading letters."""
        found: Ints = self.table[node, letter]
        return found

    def shortest_words(self) -> list[tuple[str, ...]]:
        """Return a shortest word to each node, the first in alphabetical order."""
        return shortest_words(self.alphabet, self.table[:, :-1].tolist())

    def states(self, number: int) -> Ints:
        """Return [N]: the state of one of the machines in each node."""
        return np.array([node[number] for node in self.nodes], dtype=np.intp)


class Lockstep:
    """The machines of a stack that read a path together: J nodes so far, each a row of the T states.

    A node is numbered when it is first met: the product of many machines cannot be listed.
    """

    def __init__(self, stack: Stack) -> None:
        self.stack, self.alphabet = stack, stack.alphabet
        self._number: dict[bytes, int] = {}
        self._rows: list[Ints] = []
        self._table = np.empty((0, len(stack.alphabet) + 1), dtype=np.intp)
        self.start = self._meet(stack.start)

    def _meet(self, row: Ints) -> int:
        key = row.tobytes()
        known = self._number.get(key)
        if known is None:
            known = self._number[key] = len(self._rows)
            self._rows.append(row)
            if known >= len(self._table):
                more = np.full((max(ROOM, known), self._table.shape[1]), -1, dtype=np.intp)
                self._table = np.concatenate([self._table, more])
        return known

    def read(self, node: Ints, letter: Ints) -> Ints:
        """Return the nodes after reading letters."""
        found: Ints = self._table[node, letter]
        missing = np.flatnonzero(found < 0)
        if len(missing):
            width = self._table.shape[1]
            for code in np.unique(node[missing] * width + letter[missing]).tolist():
                one, read = divmod(code, width)
                reached = self._meet(self.stack.table[self._rows[one], read])
                self._table[one, read] = reached
            found = self._table[node, letter]
        return found

    @property
    def rows(self) -> Ints:
        """Return [J, T]: the state of each machine in each node, as the stack numbers it."""
        return np.array(self._rows)


# -- Whether machines imply others, many pairs at once: by all states that a pair reaches together -------

MARKED = 1 << 22  # states of pairs that are marked at once


def included(first: Stack, second: Stack, one: Ints, other: Ints) -> Bools:
    """Return [P]: whether every word of machine `one[p]` of a stack is one of `other[p]` of another.

    >>> from demospec.tasks.dfa import DFA
    >>> reach, never = DFA.parse(">0: a→1 | *1:", "ab"), DFA.parse(">*0: b→1 | 1:", "ab")
    >>> stack = Stack.of([reach, reach & never])
    >>> included(stack, stack, np.array([0, 1]), np.array([1, 0])).tolist()
    [False, True]
    """
    sizes = states_of(first)[one] * states_of(second)[other]
    ends = np.cumsum(sizes)
    found = np.ones(len(one), dtype=np.bool_)
    begin = 0
    while begin < len(one):
        end = max(begin + 1, int(np.searchsorted(ends, ends[begin] - sizes[begin] + MARKED, side="right")))
        found[begin:end] = _included(first, second, one[begin:end], other[begin:end])
        begin = end
    return found


def states_of(stack: Stack) -> Ints:
    """Return [T]: how many states each machine has."""
    return np.diff(np.append(stack.base, len(stack.table)))


def _included(first: Stack, second: Stack, one: Ints, other: Ints) -> Bools:
    letters = len(first.alphabet)
    width = states_of(second)[other]
    size = states_of(first)[one] * width
    # Where the states (p, q) of pair k are marked: offset[k] + p·width[k] + q, as the stacks number p and q.
    offset = np.cumsum(size) - size - first.base[one] * width - second.base[other]
    met = np.zeros(int(size.sum()), dtype=np.bool_)
    place = np.empty(len(met), dtype=np.intp)
    holds = np.ones(len(one), dtype=np.bool_)
    pair = np.arange(len(one))
    p, q = first.start[one], second.start[other]
    met[offset + p * width + q] = True
    while len(pair):
        holds[pair[first.accepting[p] & ~second.accepting[q]]] = False
        going = holds[pair]
        pair, p, q = pair[going], p[going], q[going]
        after = first.table[p, :letters].ravel(), second.table[q, :letters].ravel()
        pair = np.repeat(pair, letters)
        code = offset[pair] + after[0] * width[pair] + after[1]
        fresh = np.flatnonzero(~met[code])
        place[code[fresh]] = fresh
        fresh = fresh[place[code[fresh]] == fresh]  # of equal ones the last
        met[code[fresh]] = True
        pair, p, q = pair[fresh], after[0][fresh], after[1][fresh]
    return holds
