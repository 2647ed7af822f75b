"""What is near a task that is said in clauses: a clause more, one less, another one, or another list."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import Clauses
from demospec.tasks.clauses.clause import Conjunction, clause_library, conjoined, neighbours
from demospec.tasks.edits import joined_pairs

CLAUSES = 8  # of a task at most
LISTS = 3  # joined by "or", at most
PARTNERS = 12  # of the best tasks in clauses that are joined by "or" with the one that is taken


class Rewording(Move):
    """Adds, drops and replaces clauses, strengthens and weakens them, joins good tasks by "or".

    Where the task that is taken is not said in clauses, the best one that is takes its place.
    """

    name = "rewording"
    origin = "clauses"
    reason = (
        'Adds, drops and changes clauses of the task that is taken, where code = "words", because what is '
        "meant is often one clause away from what was found."
    )
    phrase = "one clause away from a good task"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose what is one clause away from the task that is taken."""
        if resolve(known.problem).code != "words" or known.task is None:
            return Proposals()
        taken = said_in(known.scores.get(known.task))
        best = next((task for score in known.front if (task := said_in(score)) is not None), None)
        task = best if taken is None else taken
        return Proposals() if task is None else Proposals(reworded(task, known))


def said_in(score: Score | None) -> Clauses | None:
    """Return the task of a score where it is said in clauses."""
    return score.task if score is not None and isinstance(score.task, Clauses) else None


def reworded(task: Clauses, known: Known) -> Iterator[Task]:
    """Yield what is one clause away."""
    alphabet = known.problem.alphabet
    for number, one in enumerate(task.alternatives):
        others = [*task.alternatives[:number], *task.alternatives[number + 1 :]]
        for changed, language in changed_lists(one, alphabet, known.largest):
            if not others:
                yield Clauses.of([changed], alphabet).with_automaton(language)
            elif changed:
                yield Clauses.of([*others, changed], alphabet)
    yield from joined_by_or(task, known)
    if len(task.alternatives) > 1:
        for one in task.alternatives:
            yield Clauses.of([one], alphabet)


def changed_lists(
    clauses: Conjunction, alphabet: tuple[str, ...], largest: int
) -> Iterator[tuple[Conjunction, DFA]]:
    """Yield lists with a clause more, one less, or another one in the place of one, with their languages."""
    whole = conjoined(clauses, alphabet)
    wanted: list[tuple[Conjunction, tuple[DFA, DFA]]] = []
    if len(clauses) < CLAUSES:
        wanted += [
            ((*clauses, more), (whole, more.automaton(alphabet)))
            for more in clause_library(alphabet)
            if more not in clauses
        ]
    for number, clause in enumerate(clauses):
        rest = (*clauses[:number], *clauses[number + 1 :])
        without = conjoined(rest, alphabet)
        yield rest, without
        wanted += [
            ((*rest, other), (without, other.automaton(alphabet)))
            for other in dict.fromkeys([*neighbours(clause, alphabet), *clause_library(alphabet)])
            if other not in rest
        ]
    joined = joined_pairs([pair for _, pair in wanted], "and", largest)
    for (changed, _), language in zip(wanted, joined, strict=True):
        if language is not None:
            yield changed, language


def joined_by_or(task: Clauses, known: Known) -> Iterator[Task]:
    """Yield the task joined by "or" with other good ones that are said in clauses."""
    others = [other for score in known.front if (other := said_in(score)) is not None and other != task]
    for other in others[:PARTNERS]:
        lists = {*task.alternatives, *other.alternatives}
        if 1 < len(lists) <= LISTS and all(lists):
            yield Clauses.of(lists, known.problem.alphabet)
