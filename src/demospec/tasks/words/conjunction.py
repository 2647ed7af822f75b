"""The fewest clauses that together say a task, and the strongest that it implies.

Clauses are tried on words: a word that the task accepts refutes the clauses that it breaks, a word that the
task rejects must break one of those that are chosen. The cheapest smallest choice is compared with the task;
where they differ there is another word, and the search begins again. So what is returned says the task
exactly, and no shorter choice among the candidates does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from demospec.tasks.clauses import Clause
from demospec.tasks.clauses.task import conjoined
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.side_by_side import Bools, Stack
from demospec.tasks.words.candidates import Candidates, candidates, grown, of_clauses
from demospec.tasks.words.cover import cover
from demospec.tasks.words.place import EVERYWHERE, Place

FEW = 60  # words that most clauses fail on which a task does not imply
MOST_LETTERS = 4  # in a clause that does not say all: "reach a or b or c or d" is long enough
MOST = 5  # clauses in a list that people still follow
Conjunction = tuple[Clause, ...]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How long is searched, in numbers of steps: the same budget gives the same words."""

    rounds: int = 60  # choices of clauses that are compared with the task
    nodes: int = 8_000  # of the search for one choice
    terms: int = 2_000  # short lists that are tried as parts of an "or"
    formulas: int = 6_000  # formulas that are tried


MOST_GROWN = 5_000  # clauses of one size that are tried: where there are more, long ones are left out
BRIEF = Budget(terms=0, formulas=0)  # for lists of many tasks: no "or", no formula of one's own


def implied(task: DFA, named: tuple[str, ...]) -> Candidates:
    """Return the clauses that hold on every word of a task, over the letters that are named."""
    every = candidates(task.alphabet, named, task.states)
    found = implied_among(every, task)
    looked_at = {(one.kind.name, one.size) for one in every.clauses}
    longest = [one for one in found.clauses if (one.kind.name, one.size + 1) not in looked_at]
    clauses = list(found.clauses)
    while 0 < len(longest := grown(longest, named)) <= MOST_GROWN:
        more = of_clauses([one for one in longest if one.size <= task.states], task.alphabet)
        if not len(more):
            break
        longest = list(implied_among(more, task).clauses)
        clauses += longest
    return found if len(clauses) == len(found) else of_clauses(clauses, task.alphabet)


def implied_among(every: Candidates, task: DFA) -> Candidates:
    """Return those of some clauses that hold on every word of a task: on some words first, which is quick."""
    every_word = EVERYWHERE.words(task)
    words = list(compress(every_word, accepted(task, every_word)))
    few = words[:: 1 + len(words) // FEW]
    likely = every.chosen(np.flatnonzero(np.all(every.stack.accepts(few), axis=1)))
    return likely.chosen(np.flatnonzero(likely.implied_by(task)))


def accepted(task: DFA, words: Sequence[Word]) -> Bools:
    """Return [W]: which words a task accepts."""
    found: Bools = Stack.of([task]).accepts(words)[0]
    return found


def masks(rows: Bools) -> list[int]:
    """Return the columns of [T, W] as numbers: bit t of number w is set where the cell is true."""
    packed = np.packbits(rows, axis=0, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in np.ascontiguousarray(packed.T)]


def said_by(
    task: DFA, known: Candidates, place: Place = EVERYWHERE, budget: Budget | None = None
) -> Conjunction | None:
    """Return the fewest of some clauses that together say a task in a place; None where none do.

    Everywhere the clauses must be implied. In a place, those that are not are left out as words show it.
    """
    budget = budget or Budget()
    words = list(place.words(task))
    marks = accepted(task, words)
    accepts = known.stack.accepts(words)
    costs = known.costs.tolist()
    for _ in range(budget.rounds):
        holds: Bools = np.all(accepts[:, marks], axis=1, keepdims=True)
        breaking = set(masks(~accepts[:, ~marks] & holds))
        if 0 in breaking:
            return None
        chosen = cover(breaking, costs, MOST, budget.nodes)
        if chosen is None:
            return None
        clauses = in_order(known.clauses[k] for k in chosen)
        more = place.differences(conjoined(clauses, task.alphabet), task)
        if not more:
            return clauses
        marks = np.concatenate([marks, accepted(task, more)])
        accepts = np.concatenate([accepts, known.stack.accepts(more)], axis=1)
    return None


def strongest(task: DFA, known: Candidates, most: int = MOST) -> Conjunction:
    """Return a few implied clauses that together leave little else: each rules out most of what is left."""
    known = known.chosen([k for k, one in enumerate(known.clauses) if len(one.letters) <= MOST_LETTERS])
    words = [word for word in EVERYWHERE.words(task) if not task.accepts(word)]
    breaks = ~known.stack.accepts(words) if len(known) and words else np.zeros((len(known), 0), np.bool_)
    left = np.ones(breaks.shape[1], dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < most and left.any():
        gains = (breaks & left).sum(axis=1)
        best = min(range(len(known)), key=lambda k: (-gains[k], known.costs[k]), default=None)
        if best is None or gains[best] == 0:
            break
        chosen.append(best)
        left &= ~breaks[best]
    return in_order(irredundant([known.clauses[k] for k in chosen], task.alphabet))


def irredundant(clauses: Sequence[Clause], alphabet: tuple[str, ...]) -> list[Clause]:
    """Leave out clauses that follow from the others, the later ones first."""
    kept = list(clauses)
    for clause in reversed(clauses):
        others = tuple(one for one in kept if one is not clause)
        if conjoined(others, alphabet).implies(clause.automaton(alphabet)):
            kept = list(others)
    return kept


def in_order(clauses: Iterable[Clause]) -> Conjunction:
    """Return clauses in the order in which tasks list them."""
    return tuple(sorted(clauses, key=lambda clause: clause.order))
