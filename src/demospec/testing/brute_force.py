"""Every automaton up to a number of states, by size: slow, obvious, and the witness of the others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from demospec.identify.base import joined
from demospec.identify.classes import AutomatonClass
from demospec.tasks import DFA
from demospec.tasks.examples import Examples


def all_languages(alphabet: tuple[str, ...], max_states: int) -> list[DFA]:
    """Return each language that a DFA with at most `max_states` states accepts, once, by size."""
    found: set[DFA] = set()
    for states in range(1, max_states + 1):
        for targets in itertools.product(range(states), repeat=states * len(alphabet)):
            rows = tuple(targets[k : k + len(alphabet)] for k in range(0, len(targets), len(alphabet)))
            for marks in itertools.product((False, True), repeat=states):
                found.add(DFA(alphabet=alphabet, table=rows, accepting=marks).minimal)
    return sorted(found, key=lambda dfa: (dfa.size, dfa.states, str(dfa)))


def brute_force(
    languages: list[DFA],
    examples: Examples,
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
) -> Iterator[DFA]:
    """Filter a list from `all_languages` by examples, prior and classes, order kept."""
    for dfa in languages:
        if examples.consistent(dfa) and all(one.holds(dfa) for one in joined(prior, classes)):
            yield dfa
