"""The smallest tasks, and pairs of the best, as parts of one task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from demospec.identify.allowed import Parts
from demospec.search.frontier import Known
from demospec.search.moves.guesses import chain
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.search.moves.products import new_pairs
from demospec.tasks import DFA, Composite
from demospec.tasks.edits import edits

SMALL = 3  # of the smallest parts are joined at most
MOST = 1000  # tasks that are made of the smallest parts


class JoinedParts(Move):
    """Tasks made of parts, where the problem allows for parts; remembers the pairs that it has seen.

    It begins with the smallest parts, each of one letter to reach or to avoid: one that is among the best
    with two others need not be so alone, or with one. Of the task that is taken, one part is edited.
    """

    name = "parts"
    origin = "product"
    reason = (
        "Joins small tasks and good ones as parts of one, where a task may have parts, because parts may "
        "take fewer bits."
    )
    phrase = "made of smaller tasks"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose the smallest parts in pairs and threes, new pairs, and edits of a part."""
        allowed = known.problem.parts
        if allowed is None:
            return Proposals()
        new = new_pairs(known, memory)
        joined = [Composite.of(allowed.operator, [one.task, other.task]) for one, other in new]
        if not memory.numbers:
            joined += of_small_parts(known.problem.alphabet, allowed)
        joined += edited(known, allowed)
        fit = [task for task in joined if 1 < len(task.parts) <= allowed.most]
        seen = [(one.language, other.language) for one, other in new]
        return Proposals(fit, Memory(numbers=(1,), pairs=memory.pairs.union(seen)))


def of_small_parts(alphabet: tuple[str, ...], allowed: Parts) -> list[DFA]:
    """Return the tasks made of two or three parts of which each has one letter, to reach or to avoid."""
    small = [chain(alphabet, (letter,), (), always=False).minimal for letter in alphabet]
    small += [chain(alphabet, (), (letter,), always=True).minimal for letter in alphabet]
    sets = (some for count in range(2, min(SMALL, allowed.most) + 1) for some in combinations(small, count))
    return list(dict.fromkeys(Composite.of(allowed.operator, some) for some in islice(sets, MOST)))


def edited(known: Known, allowed: Parts) -> Iterator[DFA]:
    """Yield the task that is taken with an edit of one of its parts, where it is made of parts."""
    score = None if known.task is None else known.scores.get(known.task)
    parts = () if score is None else score.task.parts
    if len(parts) > 1:
        for number, part in enumerate(parts):
            rest = (*parts[:number], *parts[number + 1 :])
            for other in edits(part.automaton, known.largest):
                yield Composite.of(allowed.operator, (*rest, other))
