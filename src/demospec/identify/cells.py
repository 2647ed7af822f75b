"""Counts that fix the size of an automaton, in the order in which answers come."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, islice
from typing import Literal

from demospec.errors import InputError
from demospec.tasks.encoding import size

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
