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
ACCIDENTS = 8.0  # nats: e⁻⁸ of the leader's weight, had all of the prior an evidence as that of no aim at all


class Sentences(Move):
    """First every clause, then every pair that accepts something that was shown, then the other pairs.

    These are left out where some task explains what was shown much better than an aimless agent: no agent
    that pursues them would have shown it, but by accident.
    """

    name = "sentences"
    origin = "sentence"
    reason = 'Begins with all that one or two clauses say, where code = "words", for people mean such.'
    phrase = "said in one or two clauses"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose what one clause says, then what two say."""
        problem, done = known.problem, len(memory.numbers)
        if problem.code != "words" or done > 2:
            return Proposals()
        if done == 0:
            tasks = single_ones(problem)
        elif done == 1:
            tasks = pairs_of(problem, known.largest, accepting=True)
        else:
            tasks = [] if leads(known) else pairs_of(problem, known.largest, accepting=False)
        return Proposals(tasks, Memory(numbers=(*memory.numbers, len(tasks))))


def leads(known: Known) -> bool:
    """Say whether some task explains what was shown so much better that accidents play no part."""
    anything = known.scores.get(DFA.constant(known.problem.alphabet, True))
    return anything is not None and known.front[0].energy + ACCIDENTS < anything.surprise


def single_ones(problem: Problem) -> list[Task]:
    """Return no clause, and every clause, each language once and in its shortest way."""
    found: dict[DFA, Task] = {}
    for task in said([(), *((clause,) for _, clause in by_length(problem))], problem.alphabet):
        found.setdefault(task.automaton, task)
    return list(found.values())


def by_length(problem: Problem) -> list[tuple[float, Clause]]:
    """Return the clauses with their lengths, the shortest first."""
    code = problem.words_code
    every = [(code.as_clauses((clause,)), clause) for clause in library(problem.alphabet)]
    return sorted(every, key=lambda one: one[0])


def pairs_of(problem: Problem, largest: int, *, accepting: bool) -> list[Task]:
    """Return pairs of clauses, each language once: those that accept something shown, or the others."""
    alphabet, single = problem.alphabet, by_length(problem)
    automata = {clause: clause.automaton(alphabet) for _, clause in single}
    pairs = shortest_pairs(single)
    marks = {clause: accepted(problem, language) for clause, language in automata.items()}
    pairs = [(one, other) for one, other in pairs if bool(marks[one] & marks[other]) == accepting]
    joined = joined_pairs([(automata[one], automata[other]) for one, other in pairs], "and", largest)
    known = set(automata.values())
    found: dict[DFA, Task] = {}
    for pair, language in zip(pairs, joined, strict=True):
        if language is not None and language not in known and language not in found:
            found[language] = with_language(Clauses.of([pair], alphabet), language)
    return list(found.values())


def accepted(problem: Problem, language: DFA) -> int:
    """Return which demonstrations a task accepts, a bit each; one that is cut may still be accepted."""
    marks = {word: language.accepts(word) for word in dict.fromkeys(problem.words)}
    told = zip(problem.words, problem.demonstrations, strict=True)
    return sum((marks[word] or not path.complete) << bit for bit, (word, path) in enumerate(told))


def short_ones(problem: Problem, largest: int) -> list[Task]:
    """Return no clause, every clause and every pair, each language once."""
    pairs = [task for accepting in (True, False) for task in pairs_of(problem, largest, accepting=accepting)]
    return [*single_ones(problem), *pairs]


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
