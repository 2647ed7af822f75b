"""Pairs of the best tasks as parts of one task."""

from __future__ import annotations

import numpy as np

from demospec.search.known import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.search.moves.products import new_pairs
from demospec.tasks import Composite


class JoinedParts(Move):
    """Tasks made of parts, where the problem allows for parts; remembers the pairs that it has seen."""

    name = "parts"
    origin = "product"
    reason = (
        "Joins good tasks as parts of one, where a task may have parts, because parts may take fewer bits."
    )
    phrase = "made from two good tasks"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose new pairs with as few parts as the problem asks for."""
        allowed = known.problem.parts
        if allowed is None:
            return Proposals()
        new = new_pairs(known, memory)
        joined = [Composite.of(allowed.operator, [one.task, other.task]) for one, other in new]
        fit = [task for task in joined if 1 < len(task.parts) <= allowed.most]
        seen = [(one.language, other.language) for one, other in new]
        return Proposals(fit, Memory(pairs=memory.pairs.union(seen)))
