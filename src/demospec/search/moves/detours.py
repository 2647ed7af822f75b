"""Good tasks with a way round: two changes at once, where one alone explains nothing."""

from __future__ import annotations

import numpy as np

from demospec.explain.setup import resolve
from demospec.search.frontier import Known, best_by_states
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks.edits import detours

DETOUR = 3  # steps without anything better, after which these are tried: they are many
DETOURS = 1000  # so many of one task are scored: four states over four letters have more than 5,000
DETOURS_IN_WORDS = 250  # where automata are the last resort


class Detours(Move):
    """A transition led to a new state, of the best task of each number of states; once for each best.

    The new state waits for one or two letters, or is a copy but for one transition.
    """

    name = "detours"
    origin = "detour"
    reason = (
        "Makes two changes at once when nothing better turns up, because the first alone may explain nothing."
    )
    phrase = "a good task with one more state on the way from one to another"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose detours of the tasks that are no larger than the best."""
        if known.quiet != DETOUR or known.best is None:
            return Proposals()
        starts = best_by_states(known.scores.values(), known.best.states)
        most = DETOURS if resolve(known.problem).code == "automaton" else DETOURS_IN_WORDS
        return Proposals([task for start in starts for task in detours(start, known.largest, most)])
