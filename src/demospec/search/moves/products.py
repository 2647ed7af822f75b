"""What the best tasks make in pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from demospec.explain.score import Score
from demospec.search.frontier import Known
from demospec.search.moves.guesses import Guesses, guesses
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks.edits import products_of

POOL = 14  # so many of the best are combined in pairs: 91 pairs make about as many tasks as a task has edits
COMBINE = 1  # steps without anything better, after which the best is combined with all guesses


class Products(Move):
    """Both, either, one without the other, of two of the best; remembers the pairs that it has seen.

    When a step brought nothing better, also what the best makes with every guess.
    """

    name = "products"
    origin = "product"
    reason = "Combines good tasks in pairs, because a task often asks for several things at once."
    phrase = "made from two good tasks"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose what new pairs make, and once in a while what the best makes with the guesses."""
        new = [(one.language, other.language) for one, other in new_pairs(known, memory)]
        tasks = products_of(new, known.largest)
        if known.quiet == COMBINE and known.best is not None and known.uses(Guesses.name):
            others = guesses(known.problem.words, known.problem.alphabet)
            tasks += products_of([(known.best, other) for other in others], known.largest)
        return Proposals(tasks, Memory(pairs=memory.pairs.union(new)))


def new_pairs(known: Known, memory: Memory) -> list[tuple[Score, Score]]:
    """Return the pairs among the best that were not seen yet."""
    return [
        (one, other)
        for one, other in combinations(known.front[:POOL], 2)
        if (one.language, other.language) not in memory.pairs
    ]
