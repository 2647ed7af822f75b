"""All that can be said in one clause or two."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from demospec.problem import Problem
from demospec.search.known import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import Clause, Clauses
from demospec.tasks.clauses.library import library
from demospec.tasks.edits import joined_among
from demospec.worlds.mdp import Ints

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
    clauses = [clause for _, clause in single]
    automata = [clause.automaton(alphabet) for clause in clauses]
    pairs = shortest_pairs([length for length, _ in single])
    marks = np.array([accepted(problem, language) for language in automata[:MANY]], dtype=np.float32)
    both = (marks @ marks.T > 0)[pairs[:, 0], pairs[:, 1]]
    pairs = pairs[both == accepting]
    joined, which = joined_among(automata, array("i", pairs.astype(np.int32).tobytes()), "and", largest)
    known, tasks = set(automata), list[Task]()
    left = [language not in known for language in joined]
    for (one, other), number in zip(pairs.tolist(), which, strict=True):
        if number >= 0 and left[number]:
            left[number] = False
            pair = Clauses.of([(clauses[one], clauses[other])], alphabet)
            tasks.append(with_language(pair, joined[number]))
    return tasks


def accepted(problem: Problem, language: DFA) -> list[bool]:
    """Return which demonstrations a task accepts; one that is cut may still be accepted."""
    marks = {word: language.accepts(word) for word in dict.fromkeys(problem.words)}
    told = zip(problem.words, problem.demonstrations, strict=True)
    return [marks[word] or not path.complete for word, path in told]


def short_ones(problem: Problem, largest: int) -> list[Task]:
    """Return no clause, every clause and every pair, each language once."""
    pairs = [task for accepting in (True, False) for task in pairs_of(problem, largest, accepting=accepting)]
    return [*single_ones(problem), *pairs]


def said(lists: list[tuple[Clause, ...]], alphabet: tuple[str, ...]) -> Iterator[Clauses]:
    """Yield the tasks that lists of clauses say."""
    return (Clauses.of([one], alphabet) for one in lists)


def shortest_pairs(lengths: list[float]) -> Ints:
    """Return [N, 2], pairs of clauses by their numbers, the shortest ones together first; at most so many.

    >>> shortest_pairs([1.0, 2.0, 2.5]).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    some = np.array(lengths[:MANY])
    one, other = np.triu_indices(len(some), 1)
    order = np.argsort(some[one] + some[other], kind="stable")[:PAIRS]
    return np.stack([one[order], other[order]], axis=1)


def with_language(task: Clauses, language: DFA) -> Clauses:
    """Return a task whose automaton is known already."""
    task.__dict__["language"] = language
    return task
