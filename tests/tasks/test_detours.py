"""Automata with a way round: from their definition, and compiled against the book."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.tasks import DFA
from demospec.tasks.edits import detours, detours_by_hand, distinct, edits
from demospec.testing.small_worlds import random_dfa
from strategies import AB, dfas


def same(found: list[DFA], expected: list[DFA]) -> bool:
    """Say whether two lists hold the same automata, number for number, in the same order."""
    return [(task.table, task.accepting, task.size) for task in found] == [
        (task.table, task.accepting, task.size) for task in expected
    ]


@settings(max_examples=30)
@given(dfas(max_states=3), st.integers(1, 6))
def test_compiled_or_not_detours_are_the_same(task: DFA, max_states: int) -> None:
    assert same(detours(task, max_states), distinct(task, max_states, detours_by_hand))


@pytest.mark.parametrize(("letters", "states"), [(1, 3), (3, 2), (4, 3), (16, 1)])
def test_detours_over_any_number_of_letters(letters: int, states: int) -> None:
    alphabet = tuple(sorted(f"{k:03}" for k in range(letters)))
    task = random_dfa(np.random.default_rng([letters, states, 3]), alphabet, states)
    assert same(detours(task, 8), distinct(task, 8, detours_by_hand))


def with_new_state(task: DFA) -> set[DFA]:
    """Lead a transition to a new state with any mark and any row that is near a copy of another's, or waits.

    A row waits if one or two letters lead to states that were there, and all others back to itself.
    A row is near a state's if all but one letter lead where the state's do; what leads the state back to
    itself may lead the new one back to itself, on all letters or on none.
    """
    task = task.minimal
    n, letters = task.states, len(task.alphabet)
    rows = list(task.table)
    copies = set(rows) | {tuple(n if t == q else t for t in row) for q, row in enumerate(rows)}
    found = set()
    for own in product(range(n + 3), repeat=letters):
        exits = [target for target in own if target != n]
        waits = len(exits) in (1, 2) and max(exits) < n
        if waits or any(sum(x != y for x, y in zip(own, row, strict=True)) == 1 for row in copies):
            for state, letter, mark in product(range(n), range(letters), (False, True)):
                led = [list(row) for row in rows]
                led[state][letter] = n
                table = (*map(tuple, led), own, (n + 1,) * letters, (n + 2,) * letters)
                marks = (*task.accepting, mark, False, True)
                found.add(DFA(alphabet=task.alphabet, table=table, accepting=marks))
    return found - {task}


@settings(max_examples=20)
@given(dfas(max_states=2))
def test_detours_are_all_new_states_near_a_copy(task: DFA) -> None:
    found = detours(task, 5)
    assert len(set(found)) == len(found)
    assert set(found) == {made for made in with_new_state(task) if made.minimal.states <= 5}


def test_a_detour_reaches_what_no_single_edit_does() -> None:
    reach = DFA.parse(">0: y→1 | *1:", "bgry")
    recharge = DFA.parse(">0: b→2, y→1 | *1: | 2: g→0", "bgry")
    assert recharge not in edits(reach, 8)
    assert recharge in detours(reach, 8)


@pytest.mark.parametrize("enough", [0, 1, 7, 50])
def test_enough_detours_are_the_first_ones(enough: int) -> None:
    task = DFA.parse(">0: a→1 | 1: b→2 | *2: a→0", AB)
    everything = detours(task, 5)
    assert len(everything) > 50
    assert detours(task, 5, enough) == distinct(task, 5, detours_by_hand, enough) == everything[:enough]
