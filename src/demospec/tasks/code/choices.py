"""A code as a sequence of choices, each with its probability: said once, it writes, reads and measures.

A task is told by choosing, again and again, one of several things whose weights are known to both sides. The
probability of a task is the product over its choices, its length −log₂ of that. Whoever describes a task asks
`choose(weights, which)` for each choice; a `Writer` turns the choices into bits, a `Reader` finds them in
bits, and `choose` returns what was chosen either way, so that one function says how a task is told.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

from demospec.errors import TaskError


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
