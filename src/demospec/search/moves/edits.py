"""What is one edit away from the task that is taken."""

from __future__ import annotations

import numpy as np

from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks.edits import edits


class Edits(Move):
    """Another mark, another target, two states joined, a state split or added; some hundreds in one pass."""

    name = "edits"
    origin = "edit"
    reason = (
        "Tries all that is one edit away from the task that is taken, because good tasks are near good tasks."
    )
    phrase = "one edit away from a good task"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose the edits of the task that is taken."""
        return Proposals() if known.task is None else Proposals(edits(known.task, known.largest))
