"""The fewest clauses of which each word breaks one: a smallest hitting set, the cheapest of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


def cover(breaking: Iterable[int], costs: Sequence[float], most: int, nodes: int) -> tuple[int, ...] | None:
    """Return the fewest numbers of which each mask has one, of these the cheapest; None: more than `most`.

    A mask has bit k where number k will do. After so many nodes of the search the best so far is returned,
    which may not be the best of all.

    >>> cover([0b011, 0b110, 0b101], [1, 2, 3], most=5, nodes=100)
    (0, 1)
    """
    needed = least(breaking)
    if needed and needed[0] == 0:
        return None
    numbers = undominated(needed, costs)
    kept = sum(1 << k for k in numbers)
    needed = least(mask & kept for mask in needed)
    search = Search(costs, nodes)
    for count in range(most + 1):
        search.extend(needed, (), 0.0, count)
        if search.best is not None:
            return tuple(sorted(search.best))
        if search.nodes <= 0:
            return None
    return None


@dataclass
class Search:
    """A depth-first search for the cheapest choice of a given number."""

    costs: Sequence[float]
    nodes: int
    best: tuple[int, ...] | None = None
    price: float = field(default=float("inf"))

    def extend(self, needed: list[int], chosen: tuple[int, ...], price: float, left: int) -> None:
        """Add to a choice, at most `left` more, until each mask has one of it."""
        if not needed:
            if price < self.price:
                self.best, self.price = chosen, price
            return
        self.nodes -= 1
        if self.nodes < 0 or left == 0 or apart(needed) > left:
            return
        options = bits(min(needed, key=lambda mask: (mask.bit_count(), mask)))
        for option in sorted(options, key=lambda k: (self.costs[k], k)):
            if price + self.costs[option] < self.price:
                rest = [mask for mask in needed if not mask >> option & 1]
                self.extend(rest, (*chosen, option), price + self.costs[option], left - 1)


def least(masks: Iterable[int]) -> list[int]:
    """Return the masks that contain no other, small ones first.

    >>> [bin(mask) for mask in least([0b111, 0b010, 0b100, 0b010])]
    ['0b10', '0b100']
    """
    kept: list[int] = []
    for mask in sorted(set(masks), key=lambda mask: (mask.bit_count(), mask)):
        if not any(one & mask == one for one in kept):
            kept.append(mask)
    return kept


def apart(masks: Iterable[int]) -> int:
    """Return how many masks, taken in order, have nothing in common: so many numbers are needed at least."""
    taken, count = 0, 0
    for mask in masks:
        if not mask & taken:
            taken |= mask
            count += 1
    return count


def undominated(masks: Sequence[int], costs: Sequence[float]) -> list[int]:
    """Return the numbers for which no other does as much for no more."""
    does: dict[int, int] = {}
    for word, mask in enumerate(masks):
        for number in bits(mask):
            does[number] = does.get(number, 0) | 1 << word
    cheapest: dict[int, int] = {}
    for number in sorted(does, key=lambda k: (costs[k], k)):
        cheapest.setdefault(does[number], number)
    kept: list[tuple[int, int]] = []
    for done, number in sorted(cheapest.items(), key=lambda one: (costs[one[1]], one[1])):
        if not any(done & other == done for other, _ in kept):
            kept.append((done, number))
    return [number for _, number in kept]


def bits(mask: int) -> list[int]:
    """Return the numbers whose bits are set.

    >>> bits(0b1010)
    [1, 3]
    """
    return [number for number, sign in enumerate(bin(mask)[:1:-1]) if sign == "1"]
