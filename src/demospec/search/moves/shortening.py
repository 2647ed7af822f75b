"""The same task in fewer bits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, reduce
from itertools import product
from operator import and_
from typing import NamedTuple

import numpy as np

from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA, Task, Word
from demospec.tasks.clauses import Clause, Clauses
from demospec.tasks.clauses.clause import Conjunction, clause_library, conjoined
from demospec.tasks.code import Words
from demospec.tasks.side_by_side import Stack
from demospec.tasks.words import BRIEF, describe

LEADING = 30  # tasks of the front that are shortened
DESCRIBED = 3  # automata among them that are put into words, in one step
PROBES = 200  # words by which most clauses are seen to differ


class Shortening(Move):
    """A clause dropped or in the place of another, where the language stays the same; automata in words.

    What is found by a long way is weighed by a length that is not its own: the same task may be one clause
    away from another, and shorter there.
    """

    name = "shortening"
    origin = "clauses"
    reason = (
        'Says the leading tasks in fewer bits where that is seen at once, where code = "words", because a '
        "task weighs as much as the shortest way to say it."
    )
    phrase = "a good task, said in a shorter way"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose shorter ways to say the leading tasks, each once."""
        if resolve(known.problem).code != "words":
            return Proposals()
        done = set(memory.tasks)
        left = [score.task for score in known.front[:LEADING] if score.task not in done]
        described = [task for task in left if isinstance(task, DFA)][:DESCRIBED]
        said = [task for task in left if isinstance(task, Clauses)]
        shorter: list[Task] = [way for task in said for way in shorter_ways(task)]
        shorter += [way for task in described if (way := shortest_way(known.problem, task)) is not task]
        return Proposals(shorter, Memory(tasks=(*memory.tasks, *said, *described)))


def shortest_way(problem: Problem, task: Task) -> Task:
    """Return a task in the shortest way to say it that is found soon, in the problem's code."""
    setup = resolve(problem)
    if setup.code == "automaton":
        return task
    found = describe(task, budget=BRIEF)
    if found.exact != "always" or not found.alternatives:
        return task
    return min((task, Clauses.of(found.alternatives, problem.alphabet)), key=setup.size_of)


def shorter_ways(task: Clauses) -> Iterator[Clauses]:
    """Yield ways to say the same with one clause less, or a shorter clause in the place of one."""
    alphabet = task.alphabet
    for number, clauses in enumerate(task.alternatives):
        others = [*task.alternatives[:number], *task.alternatives[number + 1 :]]
        for changed in same_lists(clauses, alphabet):
            if changed:
                yield Clauses.of([*others, changed], alphabet).with_automaton(task.automaton)


def same_lists(clauses: Conjunction, alphabet: tuple[str, ...]) -> Iterator[Conjunction]:
    """Yield lists that say the same as one, with a clause less or a shorter one in the place of one.

    Clauses that differ on a short word are not looked at: what is left is compared as automata.
    """
    probes = probed(alphabet)
    own = [probes[clause] for clause in clauses if clause in probes]
    if len(clauses) < 2 or len(own) < len(clauses):
        return
    wanted = reduce(and_, [probe.mask for probe in own])
    for number in range(len(clauses)):
        rest = (*clauses[:number], *clauses[number + 1 :])
        every = reduce(and_, [probe.mask for at, probe in enumerate(own) if at != number])
        if every == wanted and conjoined(rest, alphabet) == conjoined(clauses, alphabet):
            yield rest
            continue
        bits = own[number].bits
        alike = [
            other
            for other, probe in probes.items()
            if probe.bits < bits and every & probe.mask == wanted and other not in rest
        ]
        if alike:
            whole, without = conjoined(clauses, alphabet), conjoined(rest, alphabet)
            for other in alike:
                if (without & other.automaton(alphabet)).minimal == whole:
                    yield (*rest, other)


class Probe(NamedTuple):
    """What is known of a clause: which short words it accepts, a bit each, and its length."""

    mask: int
    bits: float


@lru_cache(maxsize=8)
def probed(alphabet: tuple[str, ...]) -> dict[Clause, Probe]:
    """Return what is known of each clause of the library."""
    clauses, code = clause_library(alphabet), Words(alphabet)
    marks = Stack.of([clause.automaton(alphabet) for clause in clauses]).accepts(short_words(alphabet))
    return {
        clause: Probe(int.from_bytes(np.packbits(row).tobytes(), "big"), code.as_clauses((clause,)))
        for clause, row in zip(clauses, marks, strict=True)
    }


def short_words(alphabet: tuple[str, ...]) -> list[Word]:
    """Return all words up to some length, as many as `PROBES` allow, and at least the letters."""
    words: list[Word] = [()]
    length = 1
    while length == 1 or len(words) + len(alphabet) ** length <= PROBES:
        words += product(alphabet, repeat=length)
        length += 1
    return words
