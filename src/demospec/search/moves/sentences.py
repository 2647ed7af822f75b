"""All that can be said in one clause or two."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

import numpy as np

from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import Clause, Clauses
from demospec.tasks.clauses.clause import clause_library
from demospec.tasks.edits import joined_among
from demospec.worlds.mdp import Floats, Ints

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
        if resolve(problem).code != "words" or done > 2:
            return Proposals()
        if done == 0:
            tasks = single_ones(problem)
        else:
            single = by_length(problem)
            explained = gains(known, single) if done == 1 else [0.0] * len(single)
            anything = known.scores.get(DFA.constant(problem.alphabet, True))  # no aim at all
            lead = 0.0 if anything is None or not known.front else anything.surprise - known.front[0].energy
            most = FAR - lead
            tasks = pairs_of(problem, known.largest, accepting=done == 1, explained=explained, most=most)
        return Proposals(tasks, Memory(numbers=(*memory.numbers, len(tasks))))


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
    for clauses in [(), *((clause,) for _, clause in by_length(problem))]:
        task = Clauses.of([clauses], problem.alphabet)
        found.setdefault(task.automaton, task)
    return list(found.values())


def by_length(problem: Problem) -> list[tuple[float, Clause]]:
    """Return the clauses with their lengths, the shortest first."""
    code = resolve(problem).words_code
    every = [(code.as_clauses((clause,)), clause) for clause in clause_library(problem.alphabet)]
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
    clauses = [clause for _, clause in single]
    automata = [clause.automaton(alphabet) for clause in clauses]
    alone = np.zeros(len(single)) if explained is None else np.array(explained)
    pairs = cheapest_pairs(
        resolve(problem).weights.size_weight * np.array([bits for bits, _ in single]) - alone, most
    )
    marks = np.array([accepted(problem, language) for language in automata], dtype=np.float32)
    both = (marks @ marks.T > 0)[pairs[:, 0], pairs[:, 1]]
    pairs = pairs[both == accepting]
    joined, which = joined_among(automata, array("i", pairs.astype(np.int32).tobytes()), "and", largest)
    known, tasks = set(automata), list[Task]()
    left = [language not in known for language in joined]
    for (one, other), number in zip(pairs.tolist(), which, strict=True):
        if number >= 0 and left[number]:
            left[number] = False
            pair = Clauses.of([(clauses[one], clauses[other])], alphabet)
            tasks.append(pair.with_automaton(joined[number]))
    return tasks


def accepted(problem: Problem, language: DFA) -> list[bool]:
    """Return which demonstrations a task accepts; one that is cut may still be accepted."""
    marks = {word: language.accepts(word) for word in dict.fromkeys(problem.words)}
    told = zip(problem.words, problem.demonstrations, strict=True)
    return [marks[word] or not path.complete for word, path in told]


def cheapest_pairs(costs: Floats, most: float = math.inf) -> Ints:
    """Return [N, 2], pairs of clauses by their numbers, the cheapest ones together first; so many, so much.

    >>> cheapest_pairs(np.array([1.0, 4.0, 2.0]), 5.5).tolist()
    [[0, 2], [0, 1]]
    """
    some = np.argsort(costs, kind="stable")[:MANY]
    one, other = np.triu_indices(len(some), 1)
    total = costs[some][one] + costs[some][other]
    order = np.argsort(total, kind="stable")
    order = order[: np.searchsorted(total[order], most, side="right")][:PAIRS]
    return np.stack([some[one[order]], some[other[order]]], axis=1)
