"""The code of clauses: how many of each shape, and which.

A shape is a kind of clause and its size: "reach a or b" is the kind "reach" with two letters. Kinds have
their weights; a size is an eighth as likely as the one before. How many clauses there are is told by tossing
a coin for each more. A list of k clauses has no order: told is how many of them have each shape, as k
independent draws would give it, and then which set of clauses of that shape, as one of C(N, m). So the k!
orders of a list cost nothing, and neither do repeats, which do not occur.

Clauses and lists of clauses, drawn with the probabilities that the code gives them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import comb

import numpy as np

from demospec.errors import TaskError
from demospec.tasks.clauses.clause import Clause, Conjunction, instance, rank
from demospec.tasks.clauses.kind import Kind, subset_of, subset_rank
from demospec.tasks.code import sentences
from demospec.tasks.code.automata import Choices, Reader

MORE = (1, 1)  # weights of no clause more and of one more
RARER = 8  # with each size, so much rarer is it that a clause is as large or larger
MOST = 64  # clauses in a list, and the size of one: bits that ask for more are refused


@dataclass(frozen=True)
class Shape:
    """A kind of clause and its size, with its probability and how many clauses there are."""

    kind: Kind
    size: int
    probability: Fraction
    count: int


@lru_cache(maxsize=64)
def available(kinds: tuple[Kind, ...], letters: int) -> tuple[Kind, ...]:
    """Return the kinds of which there are clauses over so many letters."""
    return tuple(kind for kind in kinds if kind.weight and kind.count(kind.fewest, letters))


def shapes(kinds: tuple[Kind, ...], letters: int) -> Iterator[Shape]:
    """Yield every shape over so many letters: kind by kind in turn, by size. There may be no end.

    The probabilities add up to one.
    """
    usable = available(kinds, letters)
    total = sum(kind.weight for kind in usable)
    for larger in range(MOST + 1):  # than the smallest of its kind
        for kind in usable:
            here, most = kind.fewest + larger, kind.most(letters)
            if most is None or here <= most:
                share = Fraction(1, RARER**larger)
                if here != most:
                    share *= Fraction(RARER - 1, RARER)
                yield Shape(kind, here, Fraction(kind.weight, total) * share, kind.count(here, letters))


def tell(
    choices: Choices,
    kinds: tuple[Kind, ...],
    alphabet: Sequence[str],
    clauses: Conjunction | None,
) -> Conjunction:
    """Write a list of at least one clause, or read one."""
    count = 1 + choices.times(None if clauses is None else len(clauses) - 1, MORE)
    if count > MOST:
        raise TaskError(f"a list of {count} clauses; at most {MOST} are allowed")
    left, rest, found = count, Fraction(1), list[Clause]()
    shape = iter(shapes(kinds, len(alphabet)))
    while left:
        one = next(shape, None)
        if one is None:
            raise TaskError(f"clauses are larger than {MOST}")
        here = None if clauses is None else [each for each in clauses if of_shape(each, one)]
        number = choices.choose(*draws(left, one.probability / rest, None if here is None else len(here)))
        rest -= one.probability
        left -= number
        if not number:
            continue
        if number > one.count:
            raise TaskError(f"{number} clauses of a shape of which there are {one.count}")
        ranks = None if here is None else sorted(rank(each, alphabet) for each in here)
        chosen = None if ranks is None else subset_rank(ranks, one.count)
        which = choices.one_of(comb(one.count, number), chosen)
        found += [
            instance(one.kind, one.size, number, alphabet) for number in subset_of(which, number, one.count)
        ]
    return tuple(sorted(found, key=lambda clause: clause.order))


def of_shape(clause: Clause, shape: Shape) -> bool:
    """Say whether a clause has a shape."""
    return clause.kind == shape.kind and clause.size == shape.size


def draws(left: int, chance: Fraction, number: int | None) -> tuple[list[int], int | None]:
    """Return the weights of how many of some draws have a shape of this chance: binomial."""
    yes, no = chance.numerator, chance.denominator - chance.numerator
    return [comb(left, one) * yes**one * no ** (left - one) for one in range(left + 1)], number


class Lengths:
    """How long lists of clauses are in the code, by one vocabulary over so many letters."""

    def __init__(self, kinds: tuple[Kind, ...], letters: int) -> None:
        self.kinds, self.letters = kinds, letters
        self._shapes: dict[tuple[str, int], tuple[float, int]] = {}

    def of(self, clauses: Conjunction) -> float:
        """Return −log₂ of the probability that `tell` gives to a list, without the fractions.

        P = 2^−k · k! / Π mₛ! · Π qₛ^mₛ / Π C(Nₛ, mₛ), over shapes s with mₛ of the k clauses.
        """
        count, known = len(clauses), self._shapes
        length = END_BITS + (count - 1) * MORE_BITS - LOG_FACTORIALS[count]
        seen: dict[tuple[str, int], int] = {}
        for clause in clauses:
            shape = clause.shape
            number = seen[shape] = seen.get(shape, 0) + 1
            told = known.get(shape)
            if told is None:
                told = known[shape] = shape_bits(self.kinds, self.letters, clause.kind, clause.size)
            bits_of, many = told
            # C(N, m) = C(N, m − 1)·(N − m + 1)/m, and m! = (m − 1)!·m
            length += bits_of + (math.log2(many - number + 1) if many >= number else math.inf)
        return length


END_BITS, MORE_BITS = (math.log2(sum(MORE) / weight) for weight in MORE)
LOG_FACTORIALS = [math.lgamma(count + 1) / math.log(2) for count in range(MOST + 1)]


def shape_bits(kinds: tuple[Kind, ...], letters: int, kind: Kind, size: int) -> tuple[float, int]:
    """Return −log₂ of a shape's probability, and how many clauses it has."""
    usable = available(kinds, letters)
    if kind not in usable or size - kind.fewest > MOST:
        return math.inf, 1
    larger = size - kind.fewest
    length = math.log2(sum(one.weight for one in usable) / kind.weight) + larger * math.log2(RARER)
    if size != kind.most(letters):
        length += math.log2(RARER / (RARER - 1))
    return length, kind.count(size, letters)


# -- Clauses and lists of clauses, drawn with the probabilities that the code gives them -----------------

SHAPES = 200  # that are drawn from, the likeliest kinds and sizes first; what is left has next to nothing
BITS = 400  # for a list: many more than one takes
TRIES = 100


class Drawing:
    """Draws from the prior over some letters."""

    def __init__(self, kinds: tuple[Kind, ...], alphabet: tuple[str, ...]) -> None:
        self.kinds, self.alphabet = kinds, alphabet
        first = islice(sentences.shapes(kinds, len(alphabet)), SHAPES)
        self._shapes = [shape for shape in first if shape.count]
        chances = np.array([float(shape.probability) for shape in self._shapes])
        self.usable = float(chances.sum())  # the rest of the code says no clause
        self._chances = chances / self.usable

    def more(self, lists: Sequence[Conjunction], rng: np.random.Generator) -> list[Clause | None]:
        """Draw a clause for each list that it does not have yet; None where its shape has no other.

        As in the code: a shape as if by itself, and then one of those of the shape that are left.
        """
        shapes = rng.choice(len(self._shapes), size=len(lists), p=self._chances)
        return [self._one(self._shapes[k], own, rng) for k, own in zip(shapes, lists, strict=True)]

    def _one(self, shape: sentences.Shape, own: Conjunction, rng: np.random.Generator) -> Clause | None:
        if sum(sentences.of_shape(clause, shape) for clause in own) >= shape.count:
            return None
        while True:
            found = instance(shape.kind, shape.size, int(rng.integers(shape.count)), self.alphabet)
            if found not in own:
                return found

    def conjunction(self, rng: np.random.Generator) -> Conjunction:
        """Draw a list of clauses; bits that no list is written with are drawn again."""
        for _ in range(TRIES):
            bits = "".join(map(str, rng.integers(2, size=BITS).tolist()))
            try:
                return sentences.tell(Reader(bits), self.kinds, self.alphabet, None)
            except TaskError:
                continue
        raise TaskError("no list of clauses could be drawn")
