"""Tasks made of a few small automata, joined by "and" or "or": in exact order of their own size.

Compare Lauffer, Yalcinkaya, Vazquez-Chanlatte, Shah & Seshia, "Learning deterministic finite automata
decompositions from examples and demonstrations", FMCAD 2022, where the conjunctions are enumerated that
are Pareto-optimal in the numbers of states of their parts. Here tasks compete in bits, with each other and
with single automata.

A cell holds all tuples of parts with the same numbers of states and the same counts, so the same size.
Cells are visited in order of size, with one solver for each tuple of numbers of states. So a language is
first met in its smallest form, and forms that come later are passed over.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar, get_args

from demospec.errors import InputError
from demospec.identify.base import certain, check_class, joined
from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Implies,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
)
from demospec.identify.counting import languages_left
from demospec.identify.joint import Counts, JointSolver, groups
from demospec.identify.solver import Bounds, Exhausted
from demospec.identify.word_tree import WordTree
from demospec.tasks import DFA, Operator
from demospec.tasks.encoding import size, width
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop

Cell = tuple[Counts, Bounds]

# The labels that these see to be excluded are excluded of conjunctions and disjunctions of members too: a
# conflict shows that the language is not closed under prefixes or extensions, leaves a bound, or tells apart
# what members do not, and no such thing comes about by joining.
CARRY_OVER = (CoSafety, IgnoresRepeats, ImpliedBy, Implies, Monotone, ReachAvoid, Safety, SameEffect)


def cell_size(cell: Cell, letters: int) -> int:
    """Return the size of the tasks in a cell, in bits.

    >>> cell_size(((3, 2), ((1, 3), (1, 1))), 4)
    49
    """
    counts, bounds = cell
    bits = len(counts) - 1 + sum(size(n, letters, 0, 0) for n in counts)
    for group, (minority, changes) in zip(groups(counts), bounds, strict=True):
        s = width(counts[group[0]])
        bits += minority * s + changes * (2 * s + width(letters))
    return bits


def first_cell(counts: Counts) -> Cell:
    """Return the smallest cell with these numbers of states."""
    return counts, tuple(
        (sum(min(1, counts[i] - 1) for i in group), sum(counts[i] - 1 for i in group))
        for group in groups(counts)
    )


def following(cell: Cell, letters: int, max_states: int | None) -> Iterator[Cell]:
    """Yield larger cells, so that from the smallest ones all are reached in the end."""
    counts, bounds = cell
    if cell == first_cell(counts):
        for i, n in enumerate(counts):
            if max_states is None or n < max_states:
                more = (*counts[:i], n + 1, *counts[i + 1 :])
                yield first_cell(tuple(sorted(more, reverse=True)))
    for g, (group, (minority, changes)) in enumerate(zip(groups(counts), bounds, strict=True)):
        before, after = bounds[:g], bounds[g + 1 :]
        if counts[group[0]] > 1 and changes < sum(counts[i] * letters for i in group):
            yield counts, (*before, (minority, changes + 1), *after)
        if minority < sum(counts[i] // 2 for i in group):
            yield counts, (*before, (minority + 1, changes), *after)


def cells(letters: int, most_parts: int, max_states: int | None) -> Iterator[Cell]:
    """Yield the cells by size, of the same size those with fewer parts first.

    A part of several has two states or more: one that accepts all words, or none, is never needed.
    """
    starts: list[Counts] = [(1,)]
    if max_states is None or max_states > 1:
        starts += [(2,) * parts for parts in range(2, most_parts + 1)]
    queue = [(cell_size(cell, letters), len(cell[0]), cell) for cell in map(first_cell, starts)]
    heapq.heapify(queue)
    queued = {cell for _, _, cell in queue}
    while queue:
        _, _, cell = heapq.heappop(queue)
        yield cell
        for larger in following(cell, letters, max_states):
            if larger not in queued:
                queued.add(larger)
                heapq.heappush(queue, (cell_size(larger, letters), len(larger[0]), larger))


def check(
    examples: Examples,
    alphabet: Sequence[str],
    prior: DFA | None,
    classes: Sequence[AutomatonClass],
    stop: Stop,
) -> None:
    """Refuse examples as `check_class` does; of a class that is not ours only the letters are checked."""
    for one in classes:
        one.check_letters(alphabet)
    check_class(examples, alphabet, prior, carried_over(classes), stop=stop)


def carried_over(classes: Sequence[AutomatonClass]) -> list[AutomatonClass]:
    """Return the classes whose conflicts and certain words are those of the whole as well."""
    return [one for one in classes if isinstance(one, CARRY_OVER)]


def check_form(operator: str, most_parts: int, max_states: int | None) -> None:
    """Refuse what is no way to join parts."""
    if operator not in get_args(Operator):
        raise InputError(f'parts are joined by "and" or "or"; found "{operator}"')
    if most_parts < 1:
        raise InputError(f"most_parts must be at least 1; found {most_parts}")
    if max_states is not None and max_states < 1:
        raise InputError(f"max_states must be at least 1; found {max_states}")


def smallest_decompositions(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    operator: Operator,
    most_parts: int = 2,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    stop: Stop = NEVER,
) -> Iterator[DFA]:
    """Yield tasks consistent with the examples in exact order of their own size, each language once.

    Of all ways to write a language with up to `most_parts` parts of up to `max_states` states each, the one
    with the fewest bits is taken: a `Composite`, or an automaton where a single part is smallest. Of several
    with as few bits one is taken, always the same for the same call; a single automaton goes first.

    `classes` constrain every part; the whole need not be in them. `prior` constrains the whole, which must
    imply it. Raises `Contradiction` when labels are seen to exclude every task. Without `max_states` the
    search goes on for ever, also when there are no more tasks. Raises `Stopped` soon after `stop` is set.
    """
    letters = tuple(sorted(alphabet))
    check_form(operator, most_parts, max_states)
    check(examples, letters, prior, classes, stop)
    tree = WordTree(letters)
    labels = tree.labels(examples)
    # the whole need not be in the classes, but is between the bounds that they make certain
    accepted, rejected = certain(joined(prior, carried_over(classes)), letters)
    most = languages_left((ImpliedBy(accepted), Implies(~rejected)), letters, examples)
    solvers: dict[Counts, JointSolver] = {}
    proofs: dict[Counts, list[Exhausted]] = {}
    found: set[DFA] = set()
    try:
        for counts, bounds in cells(len(letters), most_parts, max_states):
            stop.check()
            known = proofs.setdefault(counts, [])
            while not any(proof.covers(bounds) for proof in known):
                if len(found) == most:
                    return
                if counts not in solvers:
                    # a disjunction implies the prior when each part does, a conjunction also otherwise
                    apart = operator == "or" or len(counts) == 1
                    solvers[counts] = JointSolver(
                        *(counts, operator, tree, labels),
                        classes=joined(prior, classes) if apart else classes,
                        prior=None if apart else prior,
                        stop=stop,
                    )
                result = solvers[counts].find(bounds)
                if isinstance(result, Exhausted):
                    known.append(result)
                elif result.whole not in found:
                    found.add(result.whole)
                    yield result.task(operator)
    finally:
        for solver in solvers.values():
            solver.close()


class DecomposingIdentifier:
    """An identifier for the search: the first of `smallest_decompositions`."""

    exact: ClassVar[bool] = True

    def __init__(
        self,
        alphabet: Sequence[str],
        *,
        operator: Operator = "and",
        most_parts: int = 2,
        prior: DFA | None = None,
        classes: Sequence[AutomatonClass] = (),
        max_states: int = 10,
        stop: Stop = NEVER,
    ) -> None:
        check_form(operator, most_parts, max_states)
        self.alphabet, self.max_states, self.stop = tuple(sorted(alphabet)), max_states, stop
        self.operator, self.most_parts = operator, most_parts
        self.prior, self.classes = prior, tuple(classes)
        self._known: dict[tuple[Examples, int], tuple[DFA, ...]] = {}

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when there are no more within `max_states`."""
        key = (examples, count)
        if key not in self._known:
            found = smallest_decompositions(
                *(examples, self.alphabet),
                operator=self.operator,
                most_parts=self.most_parts,
                prior=self.prior,
                classes=self.classes,
                max_states=self.max_states,
                stop=self.stop,
            )
            self._known[key] = tuple(islice(found, count))
        return self._known[key]
