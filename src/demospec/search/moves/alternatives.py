"""Two lists of clauses of which one is enough."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from itertools import combinations, islice

import numpy as np

from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.search.moves.sentences import accepted, by_length
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import Clauses
from demospec.tasks.clauses.clause import Conjunction, conjoined
from demospec.tasks.edits import joined_pairs

PAIRS = 3_000  # of clauses that are joined by "or", those that accept most of what was shown
MANY = 400  # clauses that are paired at most, the shortest
LEADING = 2  # tasks to which every clause is an alternative, the best ones
CLAUSES = 250  # that are alternatives to a leading task, the shortest


class Alternatives(Move):
    """Pairs of clauses that together accept more of what was shown than either, and alternatives to leaders.

    The pairs are proposed once, after the clauses. Who shows one of two ways shows nothing of the other: so a
    leading task that is joined by "or" with any clause may explain as well as the task alone.
    """

    name = "alternatives"
    origin = "alternative"
    reason = (
        'Joins pairs of clauses by "or", where code = "words", because neither of them alone need explain '
        "anything, and leading tasks with every clause, because nobody need have shown the other way."
    )
    phrase = 'joined by "or"'

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose the pairs that accept most, then what leads with an alternative to it, each once."""
        if resolve(known.problem).code != "words" or not known.scores:
            return Proposals()
        if not memory.numbers:
            tasks = either_of(known.problem, known.largest)
            return Proposals(tasks, Memory(numbers=(len(tasks),)))
        new = [task for task in leaders(known) if task not in memory.tasks]
        shortest = [clause for _, clause in by_length(known.problem)[:CLAUSES]]
        pairs = [(task.alternatives[0], (other,)) for task in new for other in shortest]
        tasks = either_list(known.problem, pairs, known.largest)
        return Proposals(tasks, Memory(memory.numbers, (*memory.tasks, *new)))


def leaders(known: Known) -> list[Clauses]:
    """Return the best tasks that are said in one list of clauses."""
    said = (score.task for score in known.front)
    lists = (one for one in said if isinstance(one, Clauses) and len(one.alternatives) == 1 and one.clauses)
    return list(islice(lists, LEADING))


def either_list(
    problem: Problem, pairs: Sequence[tuple[Conjunction, Conjunction]], largest: int
) -> list[Task]:
    """Return what either of two lists says, for pairs of lists, each language once."""
    alphabet, found = problem.alphabet, dict[DFA, Task]()
    of_list = {clauses: conjoined(clauses, alphabet) for pair in pairs for clauses in pair}
    joined = joined_pairs([(of_list[one], of_list[other]) for one, other in pairs], "or", largest)
    for pair, language in zip(pairs, joined, strict=True):
        if language is not None and language not in found:
            found[language] = Clauses.of(pair, alphabet).with_automaton(language)
    return list(found.values())


def either_of(problem: Problem, largest: int) -> list[Task]:
    """Return pairs joined by "or", each language once: those that accept most first, the shortest of them."""
    marked = []  # with which demonstrations a clause accepts, a bit each
    for length, clause in by_length(problem)[:MANY]:
        marks = accepted(problem, clause.automaton(problem.alphabet))
        marked.append((length, sum(mark << bit for bit, mark in enumerate(marks)), clause))
    useful = [
        (-(mine | other).bit_count(), length + more, one, another)
        for (length, mine, one), (more, other, another) in combinations(marked, 2)
        if mine | other not in (mine, other)
    ]
    best = nsmallest(PAIRS, useful, key=lambda pair: pair[:2])
    return either_list(problem, [((one,), (other,)) for _, _, one, other in best], largest)
