"""The size of an automaton: a real encoding in bits that can be read back.

With n states, K letters, s = ⌈log₂ n⌉, k = ⌈log₂ K⌉, c the smaller of the accepting and the rejecting
set (on a tie the rejecting one) and m transitions that leave their state, the bits are

    n in 2s+1 | K in 2k+1 | which set c is: 1 | |c| in s | c in |c|·s | m transitions in 2s+k each

where n is written as s ones, a zero, and n−1 in s bits. m needs no field: transitions fill the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from demospec.errors import TaskError
from demospec.tasks.tables import Table


def width(count: int) -> int:
    """Return ⌈log₂ count⌉, the bits that number `count` things.

    >>> [width(n) for n in (1, 2, 3, 4, 5)]
    [0, 1, 2, 2, 3]
    """
    return (count - 1).bit_length()


def size(states: int, letters: int, accepting: int, changes: int) -> int:
    """Return the number of bits of an encoding with these counts.

    >>> size(4, 4, 1, 6), size(1, 4, 0, 0)
    (51, 7)
    """
    s, k = width(states), width(letters)
    chosen = min(accepting, states - accepting)
    return (2 * s + 1) + (2 * k + 1) + 1 + s + chosen * s + changes * (2 * s + k)


def _binary(number: int, bits: int) -> str:
    return format(number, f"0{bits}b") if bits else ""


def _counted(count: int) -> str:
    s = width(count)
    return "1" * s + "0" + _binary(count - 1, s)


def encode(table: Table, accepting: Sequence[bool]) -> str:
    """Write a machine whose start is state 0 as bits."""
    states, letters = len(table), len(table[0])
    s, k = width(states), width(letters)
    lists_accepting = 2 * sum(accepting) < states  # on a tie the rejecting set is listed
    chosen = [state for state, mark in enumerate(accepting) if mark == lists_accepting]
    parts = [_counted(states), _counted(letters), str(int(lists_accepting)), _binary(len(chosen), s)]
    parts += [_binary(state, s) for state in chosen]
    parts += [
        _binary(state, s) + _binary(letter, k) + _binary(target, s)
        for state, row in enumerate(table)
        for letter, target in enumerate(row)
        if target != state
    ]
    return "".join(parts)


class _Reader:
    def __init__(self, bits: str) -> None:
        if set(bits) - {"0", "1"}:
            raise TaskError("an encoded task is made of 0 and 1 only")
        self.bits, self.at = bits, 0

    def number(self, width: int) -> int:
        chunk = self.bits[self.at : self.at + width]
        if len(chunk) < width:
            raise TaskError(f"an encoded task ends at bit {len(self.bits)}, in the middle of a field")
        self.at += width
        return int(chunk, 2) if chunk else 0

    def count(self) -> int:
        s = 0
        while self.number(1):
            s += 1
        return self.number(s) + 1


def decode(bits: str, letters: int) -> tuple[Table, tuple[bool, ...]]:
    """Read back what `encode` wrote: the table and the acceptance marks, start 0."""
    reader = _Reader(bits)
    states = reader.count()
    found = reader.count()
    if found != letters:
        raise TaskError(f"an encoded task over {found} letters cannot be read with {letters}")
    s, k = width(states), width(letters)
    lists_accepting = bool(reader.number(1))
    chosen = {reader.number(s) for _ in range(reader.number(s))}
    if chosen and max(chosen) >= states:
        raise TaskError(f"an encoded task with {states} states lists state {max(chosen)}")
    if states == 1 and reader.at < len(bits):
        raise TaskError(f"an encoded task with one state ends at bit {reader.at}; found {len(bits)} bits")
    rows = [[state] * letters for state in range(states)]
    while reader.at < len(bits):
        state, letter, target = reader.number(s), reader.number(k), reader.number(s)
        if max(state, target) >= states or letter >= letters:
            raise TaskError(f"an encoded task has a transition out of range before bit {reader.at}")
        rows[state][letter] = target
    return tuple(map(tuple, rows)), tuple((state in chosen) == lists_accepting for state in range(states))
