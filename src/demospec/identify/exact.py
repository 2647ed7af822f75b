"""Exact identification: consistent automata in exact order of size, each language once.

The size depends on the counts of a cell only, so cells are visited by size. Within a cell the order is that
of the search. Answers depend on nothing but the question: not on earlier ones, and not on whether the
compiled search is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar

from demospec.errors import ExamplesError
from demospec.identify import compiled
from demospec.identify.backtracking import Answer, Backtracking
from demospec.identify.base import check_class, joined, most_states
from demospec.identify.cells import Order, chunks
from demospec.identify.classes import AutomatonClass
from demospec.identify.rules import Rules
from demospec.identify.sat import smallest_by_sat
from demospec.identify.word_graph import WordGraph
from demospec.tasks import DFA
from demospec.tasks.examples import Examples

MOST_REMEMBERED = 10_000  # example sets of one identifier
MOST_NODES = 30_000  # 110 MB of pairs that cannot share a state


def smallest(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    order: Order = "bits",
    expected: int | None = None,
) -> Iterator[DFA]:
    """Yield the automata consistent with the examples in exact order of size, each language once.

    With `classes`, only the members of all of them; `prior` is short for `Implies(prior)`. With
    `order="states"`, those with fewer states come first, and the order is that of size among them.
    `expected` says how many will be asked for, so that they are looked for together. Raises
    `Contradiction` when labels are seen to exclude every member. Without `max_states` the search goes on
    to more states for ever, also when a class, or what the examples leave of it, has no more members.
    """
    letters = tuple(sorted(alphabet))
    members = joined(prior, classes)
    check_class(examples, letters, classes=members)
    max_states = most_states(members, examples, max_states)
    rules = Rules.of(members, letters)
    if rules is None:  # a class that only knows how to speak in clauses
        yield from smallest_by_sat(examples, letters, classes=members, max_states=max_states, order=order)
        return
    graph = WordGraph.of(examples, letters)
    if graph.nodes > MOST_NODES:
        raise ExamplesError(
            f"the words have {graph.nodes:,} different prefixes, and exact identification takes up to "
            f"{MOST_NODES:,}; state merging takes more"
        )
    for _, table, accepting in answers(graph, rules, max_states, order, expected):
        yield DFA.from_canonical(letters, table, accepting)


def answers(
    graph: WordGraph, rules: Rules, max_states: int | None, order: Order, expected: int | None
) -> Iterator[Answer]:
    """Run the search, compiled where it can be."""
    order_of_cells = chunks(graph.letters, max_states, order)
    if compiled.available():
        return compiled.automata(graph, rules, order_of_cells, expected)
    return Backtracking(graph, rules).automata(cell for chunk in order_of_cells for cell in chunk)


class ExactIdentifier:
    """The identifier of the search: the first tasks by size."""

    exact: ClassVar[bool] = True

    def __init__(
        self,
        alphabet: Sequence[str],
        *,
        prior: DFA | None = None,
        classes: Sequence[AutomatonClass] = (),
        max_states: int = 10,
    ) -> None:
        self.alphabet, self.max_states = tuple(sorted(alphabet)), max_states
        self.classes = joined(prior, classes)
        self._known: dict[tuple[Examples, int], tuple[DFA, ...]] = {}

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when there are no more within `max_states`."""
        key = (examples, count)
        if key not in self._known:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()  # answers are found again as they were
            found = smallest(
                *(examples, self.alphabet),
                classes=self.classes,
                max_states=self.max_states,
                expected=count,
            )
            self._known[key] = tuple(islice(found, count))
        return self._known[key]
