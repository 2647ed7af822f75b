"""All that can be said in one clause or two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from demospec.problem import Problem
from demospec.search.known import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import Clause, Clauses
from demospec.tasks.clauses.library import library
from demospec.tasks.edits import joined_pairs

PAIRS = 30_000  # of clauses: all of them over four letters; over more, the shortest
MANY = 1_000  # clauses that are paired at most


class Sentences(Move):
    """In its first step every clause, and every pair of clauses, the shortest first; then nothing."""

    name = "sentences"
    origin = "sentence"
    reason = 'Begins with all that one or two clauses say, where code = "words", for people mean such.'
    phrase = "said in one or two clauses"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose what one or two clauses say, once."""
        if known.problem.code != "words" or memory.numbers:
            return Proposals()
        return Proposals(short_ones(known.problem, known.largest), Memory(numbers=(1,)))


def short_ones(problem: Problem, largest: int) -> list[Task]:
    """Return no clause, every clause and every pair, each language once and in its shortest way."""
    alphabet, code = problem.alphabet, problem.words_code
    single = sorted(
        ((code.as_clauses((clause,)), clause) for clause in library(alphabet)), key=lambda one: one[0]
    )
    found: dict[DFA, Task] = {}
    for task in said([(), *((clause,) for _, clause in single)], alphabet):
        found.setdefault(task.automaton, task)
    pairs = list(shortest_pairs(single))
    automata = {clause: clause.automaton(alphabet) for _, clause in single}
    joined = joined_pairs([(automata[one], automata[other]) for one, other in pairs], "and", largest)
    for pair, language in zip(pairs, joined, strict=True):
        if language is not None and language not in found:
            found[language] = with_language(Clauses.of([pair], alphabet), language)
    return list(found.values())


def said(lists: list[tuple[Clause, ...]], alphabet: tuple[str, ...]) -> Iterator[Clauses]:
    """Yield the tasks that lists of clauses say."""
    return (Clauses.of([one], alphabet) for one in lists)


def shortest_pairs(single: list[tuple[float, Clause]]) -> list[tuple[Clause, Clause]]:
    """Return pairs of clauses, which come by their lengths, by the sum of these; at most so many."""
    some = single[:MANY]
    by_length = sorted(combinations(some, 2), key=lambda pair: pair[0][0] + pair[1][0])
    return [(one, other) for (_, one), (_, other) in by_length[:PAIRS]]


def with_language(task: Clauses, language: DFA) -> Clauses:
    """Return a task whose automaton is known already."""
    task.__dict__["language"] = language
    return task
