"""All that can be said in one clause or two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

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
FAR = 16.0  # nats: ten thousand pairs that are so much worse than the leader have a thousandth of its weight
TOGETHER = 2.0  # two clauses explain at most so many times what they explain alone, mostly


class Sentences(Move):
    """First every clause, then pairs that accept something that was shown, then the other pairs.

    A pair is left out where it promises too little: it would lie far behind the leader even if it explained
    twice what its clauses explain alone. A pair that accepts nothing that was shown explains nothing: an
    agent that pursues it would have shown this only by accident.
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
        else:
            single = by_length(problem)
            explained = gains(known, single) if done == 1 else [0.0] * len(single)
            most = FAR - lead(known)
            tasks = pairs_of(problem, known.largest, accepting=done == 1, explained=explained, most=most)
        return Proposals(tasks, Memory(numbers=(*memory.numbers, len(tasks))))


def lead(known: Known) -> float:
    """Return how much better the best task is than no aim at all, in nats."""
    anything = known.scores.get(DFA.constant(known.problem.alphabet, True))
    return 0.0 if anything is None or not known.front else anything.surprise - known.front[0].energy


def gains(known: Known, clauses: Sequence[tuple[float, Clause]]) -> list[float]:
    """Return how many nats more than no aim at all each clause promises to explain beside another."""
    alphabet = known.problem.alphabet
    anything = known.scores.get(DFA.constant(alphabet, True))
    if anything is None:
        return [0.0] * len(clauses)
    found = [known.scores.get(clause.automaton(alphabet)) for _, clause in clauses]
    return [
        0.0 if score is None else TOGETHER * max(0.0, anything.surprise - score.surprise) for score in found
    ]


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


def pairs_of(
    problem: Problem,
    largest: int,
    *,
    accepting: bool,
    explained: Sequence[float] | None = None,
    most: float = math.inf,
) -> list[Task]:
    """Return pairs of clauses, each language once: those that accept something shown, or the others.

    Where clauses have `explained` so many nats, a pair costs `most` nats beside no aim at all.
    """
    alphabet, single = problem.alphabet, by_length(problem)
    automata = {clause: clause.automaton(alphabet) for _, clause in single}
    bit = problem.weights.size_weight
    alone = [0.0] * len(single) if explained is None else explained
    costs = [bit * length - gain for (length, _), gain in zip(single, alone, strict=True)]
    order = sorted(range(len(single)), key=lambda number: costs[number])
    clauses = [single[number][1] for number in order]
    pairs = cheapest_pairs(clauses, [costs[number] for number in order], most)
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


def cheapest_pairs(
    clauses: Sequence[Clause], costs: Sequence[float], most: float
) -> list[tuple[Clause, Clause]]:
    """Return pairs of clauses, which come by their costs, by the sum of these; at most so many and so much.

    >>> cheapest_pairs(["a", "b", "c"], [1.0, 2.0, 4.0], 5.5)
    [('a', 'b'), ('a', 'c')]
    """
    cost = np.array(costs[:MANY])
    first, second = np.triu_indices(len(cost), 1)
    total = cost[first] + cost[second]
    order = np.argsort(total, kind="stable")
    order = order[: np.searchsorted(total[order], most, side="right")][:PAIRS]
    numbers = zip(first[order].tolist(), second[order].tolist(), strict=True)
    return [(clauses[one], clauses[other]) for one, other in numbers]


def with_language(task: Clauses, language: DFA) -> Clauses:
    """Return a task whose automaton is known already."""
    task.__dict__["language"] = language
    return task
