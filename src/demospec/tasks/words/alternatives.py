"""One level of "or": two or three short lists of clauses, each of which is enough for a task.

Parts of an "or" are looked for among what the task implies anyway, together with one or two more clauses. On
words that the task rejects a part must break; then the fewest parts are chosen of which each accepted word
satisfies one. Where the choice and the task differ there is another word, as for a single list.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from demospec.tasks.clauses import Clause
from demospec.tasks.clauses.task import conjoined
from demospec.tasks.dfa import DFA
from demospec.tasks.side_by_side import Bools, Ints
from demospec.tasks.words.candidates import Candidates
from demospec.tasks.words.conjunction import Budget, Conjunction, accepted, in_order, masks
from demospec.tasks.words.cover import cover
from demospec.tasks.words.place import EVERYWHERE, Place

Floats = npt.NDArray[np.float64]

MOST_PARTS = 3
MOST_CLAUSES = 7  # in all parts together
MOST_ROUNDS = 12
MOST_CHOICES = 300  # parts among which a few are chosen: those that most accepted words satisfy
MOST_PAIRED = 900  # clauses that are tried in pairs: the cheapest


def alternatives_of(
    task: DFA,
    known: Candidates,
    shared: Conjunction,
    place: Place = EVERYWHERE,
    budget: Budget | None = None,
) -> tuple[Conjunction, ...] | None:
    """Return short lists of clauses of which one holds exactly when the task does; None: none were found.

    `shared` are clauses that the task implies: each list may hold them too.
    """
    budget = budget or Budget()
    if len(known) > MOST_PAIRED:
        known = known.chosen(np.sort(np.argsort(known.costs, kind="stable")[:MOST_PAIRED]))
    words = list(place.words(task))
    for _ in range(MOST_ROUNDS):
        marks = accepted(task, words)
        accepts = known.stack.accepts(words)
        within = accepted(conjoined(shared, task.alphabet), words)
        terms = enough(accepts[:, marks], accepts[:, ~marks & within], known.costs, budget.terms)
        if terms is None:
            return None
        pairs, satisfied = terms
        prices = [float(known.costs[list(set(pair))].sum()) for pair in pairs.tolist()]
        chosen = cover(masks(satisfied), prices, MOST_PARTS, budget.nodes)
        if chosen is None or len(chosen) < 2:
            return None
        lists = [
            (*shared, *(known.clauses[k] for k in dict.fromkeys(pairs[number].tolist()))) for number in chosen
        ]
        more = place.differences(union(lists, task.alphabet), task)
        if not more:
            lists = shortened(lists, task, place)
            short = sum(map(len, lists)) <= MOST_CLAUSES
            return tuple(sorted(map(in_order, lists), key=order)) if short else None
        words += more
    return None


def enough(satisfied: Bools, broken_by: Bools, price: Floats, most: int) -> tuple[Ints, Bools] | None:
    """Return pairs of clauses [M, 2] that no rejected word satisfies, and which accepted words do [M, P].

    A clause that is enough alone is a pair with itself. Of pairs that do the same the cheapest stays, and
    none that another one contains; None where some accepted word satisfies no pair.
    """
    wrong, right = broken_by.astype(np.float32), satisfied.astype(np.float32)
    clean = wrong @ wrong.T == 0
    alone = np.diagonal(clean).copy()
    clean &= ~(alone[:, None] | alone[None, :])  # a pair with such a clause only satisfies less
    clean |= np.diag(alone)
    first, second = np.nonzero(np.triu(clean))
    count = (right @ right.T)[first, second]
    both = price[first] + np.where(first == second, 0.0, price[second])
    order = np.lexsort((both, -count))
    order = order[count[order] > 0][:most]
    first, second = first[order], second[order]
    found = satisfied[first] & satisfied[second]
    if not len(found) or not found.any(axis=0).all():
        return None
    _, kept = np.unique(np.packbits(found, axis=1), axis=0, return_index=True)
    kept = np.sort(kept)  # of equals the cheapest is the first
    small = found[kept].astype(np.float32)
    inside = small @ small.T >= small.sum(axis=1)[:, None] - 0.5
    dearer = both[order[kept]]
    inside &= dearer[:, None] >= dearer[None, :]
    np.fill_diagonal(inside, False)
    kept = kept[~inside.any(axis=1)][:MOST_CHOICES]
    if not found[kept].any(axis=0).all():
        return None
    return np.stack([first[kept], second[kept]], axis=1), found[kept]


def union(lists: Sequence[Sequence[Clause]], alphabet: tuple[str, ...]) -> DFA:
    """Return the minimal automaton of lists of clauses of which one holds."""
    parts = (conjoined(tuple(one), alphabet) for one in lists)
    return reduce(lambda p, q: (p | q).minimal, parts, DFA.constant(alphabet, False).minimal)


def shortened(lists: Sequence[Conjunction], task: DFA, place: Place) -> list[Conjunction]:
    """Leave out clauses, as long as the lists say the task."""
    kept = list(lists)
    for number in range(len(kept)):
        for clause in kept[number]:
            shorter = tuple(one for one in kept[number] if one != clause)
            changed = [*kept[:number], shorter, *kept[number + 1 :]]
            if shorter and not place.differences(union(changed, task.alphabet), task):
                kept = changed
    return kept


def order(clauses: Conjunction) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return the key by which lists of clauses are sorted."""
    return [clause.order for clause in clauses]
