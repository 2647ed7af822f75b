"""Automata one step away from an automaton, and those that two of them make together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from demospec.tasks.dfa import DFA

Rows = list[list[int]]


def edits(task: DFA, max_states: int) -> list[DFA]:
    """Return the tasks one edit away, each language once, in a fixed order.

    An edit changes the mark of a state, leads one transition elsewhere, joins a state with another, or
    leads a transition to a new state: a copy of one that there is, with either mark, which its own loops may
    or may not keep, or one that is never left.
    """
    task = task.minimal
    found: dict[DFA, None] = {}
    for rows, marks in _edited([list(row) for row in task.table], list(task.accepting)):
        edited = DFA(alphabet=task.alphabet, table=tuple(map(tuple, rows)), accepting=tuple(marks)).minimal
        if edited.states <= max_states and edited != task:
            found.setdefault(edited)
    return list(found)


def _edited(rows: Rows, marks: list[bool]) -> Iterator[tuple[Rows, list[bool]]]:
    states, letters = len(rows), len(rows[0])

    def led(state: int, letter: int, target: int, *more: list[int]) -> Rows:
        return [
            [target if (q, a) == (state, letter) else t for a, t in enumerate(row)]
            for q, row in enumerate(rows)
        ] + [*more]

    for state in range(states):
        yield rows, [mark != (q == state) for q, mark in enumerate(marks)]
    for state in range(states):
        for letter in range(letters):
            for target in range(states):
                if target != rows[state][letter]:
                    yield led(state, letter, target), marks
    for gone in range(1, states):
        for other in range(states):
            if gone != other:
                yield [[other if t == gone else t for t in row] for row in rows], marks
    for state in range(states):
        for letter in range(letters):
            for mark in (False, True):
                yield led(state, letter, states, [states] * letters), [*marks, mark]
                for copied in range(states):
                    row = rows[copied]
                    yield led(state, letter, states, row), [*marks, mark]
                    if copied in row:
                        stays = [states if t == copied else t for t in row]
                        yield led(state, letter, states, stays), [*marks, mark]


def products(tasks: Sequence[DFA], known: set[tuple[DFA, DFA]], max_states: int) -> list[DFA]:
    """Return what pairs of tasks that are not known make: both, either, one without the other."""
    found: dict[DFA, None] = {}
    for one, other in combinations(tasks, 2):
        if (one, other) in known:
            continue
        known.add((one, other))
        for made in (one & other, one | other, one - other, other - one):
            smaller = made.minimal
            if smaller.states <= max_states:
                found.setdefault(smaller)
    return list(found)


def products_with(one: DFA, others: Sequence[DFA], max_states: int) -> list[DFA]:
    found: dict[DFA, None] = {}
    for other in others:
        for made in (one & other, one | other, one - other, other - one):
            if made.minimal.states <= max_states:
                found.setdefault(made.minimal)
    return list(found)
