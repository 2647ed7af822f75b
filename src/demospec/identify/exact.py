"""Exact identification: consistent automata in exact order of size, each language once.

The size depends on the counts of a cell only, so cells are visited by size. Within a cell the order is that
of the search. Answers depend on nothing but the question: not on earlier ones, and not on whether the
compiled search is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from demospec.errors import ExamplesError
from demospec.identify.backtracking import Backtracking, Rules, compiled_automata
from demospec.identify.base import FirstAnswers, check_class, joined
from demospec.identify.classes import AutomatonClass
from demospec.identify.counting import Order, chunks, languages_left
from demospec.identify.word_graph import WordGraph
from demospec.native import library
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop

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
    stop: Stop = NEVER,
) -> Iterator[DFA]:
    """Yield the automata consistent with the examples in exact order of size, each language once.

    With `classes`, only the members of all of them; `prior` is short for `Implies(prior)`. With
    `order="states"`, those with fewer states come first, and the order is that of size among them.
    `expected` says how many will be asked for, so that they are looked for together. Raises
    `Contradiction` when labels are seen to exclude every member. Without `max_states` the search goes on
    to more states for ever, also when a class, or what the examples leave of it, has no more members.
    Only where bounds leave few words open it ends when all is found. Raises `Stopped` soon after `stop` is
    set.
    """
    letters = tuple(sorted(alphabet))
    members = joined(prior, classes)
    check_class(examples, letters, classes=members, stop=stop)
    bounds = [max_states, *(one.most_states(examples) for one in members)]
    max_states = min((bound for bound in bounds if bound is not None), default=None)
    rules = Rules.of(members, letters)
    if rules is None:  # a class that only knows how to speak in clauses
        from demospec.identify.decomposition import smallest_by_sat

        yield from smallest_by_sat(
            examples, letters, classes=members, max_states=max_states, order=order, stop=stop
        )
        return
    graph = WordGraph.of(examples, letters, stop)
    if graph.nodes > MOST_NODES:
        raise ExamplesError(
            f"the words have {graph.nodes:,} different prefixes, and exact identification takes up to "
            f"{MOST_NODES:,}; state merging takes more"
        )
    in_order = chunks(graph.letters, max_states, order)
    if library() is not None:
        found = compiled_automata(graph, rules, in_order, expected, stop=stop)
    else:
        found = Backtracking(graph, rules, stop=stop).automata(chain.from_iterable(in_order))
    for _, table, accepting in islice(found, languages_left(members, letters, examples, max_states)):
        yield DFA.from_canonical(letters, table, accepting)


class ExactIdentifier(FirstAnswers):
    """The identifier of the search: the first tasks by size."""

    def __init__(
        self,
        alphabet: Sequence[str],
        *,
        prior: DFA | None = None,
        classes: Sequence[AutomatonClass] = (),
        max_states: int = 10,
        stop: Stop = NEVER,
    ) -> None:
        super().__init__()
        self.alphabet, self.max_states, self.stop = tuple(sorted(alphabet)), max_states, stop
        self.classes = joined(prior, classes)

    def found(self, examples: Examples, count: int) -> Iterator[DFA]:
        """Yield the consistent tasks, as many at once as are asked for."""
        return smallest(
            *(examples, self.alphabet),
            classes=self.classes,
            max_states=self.max_states,
            expected=count,
            stop=self.stop,
        )
