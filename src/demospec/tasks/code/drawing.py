"""Clauses and lists of clauses, drawn with the probabilities that the code gives them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from demospec.errors import TaskError
from demospec.tasks.clauses.clause import Clause, instance
from demospec.tasks.clauses.kind import Kind
from demospec.tasks.clauses.task import Conjunction
from demospec.tasks.code import sentences
from demospec.tasks.code.choices import Reader

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
