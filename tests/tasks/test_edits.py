"""Edits and products of automata: from their definitions, and compiled against the book."""

from __future__ import annotations

from array import array
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.errors import TaskError
from demospec.tasks import DFA
from demospec.tasks.composite import Composite
from demospec.tasks.edits import (
    distinct,
    edits,
    edits_by_hand,
    products_in_python,
    products_of,
)
from demospec.tasks.tables import Sized, pack
from demospec.testing.small_worlds import random_dfa
from strategies import AB, all_words, dfas


def same(found: list[DFA], expected: list[DFA]) -> bool:
    """Say whether two lists hold the same automata, number for number, in the same order."""
    return [(task.alphabet, task.table, task.accepting, task.start, task.size) for task in found] == [
        (task.alphabet, task.table, task.accepting, task.start, task.size) for task in expected
    ]


def ring(length: int, accepting: int) -> DFA:
    """Return the words whose length is `accepting` modulo `length`."""
    table = tuple(((k + 1) % length,) * 2 for k in range(length))
    return DFA(alphabet=AB, table=table, accepting=tuple(k == accepting for k in range(length)))


@settings(max_examples=40)
@given(dfas(max_states=3))
def test_edits_are_minimal_different_and_within_the_bound(task: DFA) -> None:
    found = edits(task, 4)
    assert len(set(found)) == len(found)
    assert task not in found
    for edited in found:
        assert edited.states <= 4
        rebuilt = DFA(alphabet=edited.alphabet, table=edited.table, accepting=edited.accepting).minimal
        assert (rebuilt.table, rebuilt.accepting) == (edited.table, edited.accepting)


def one_change_away(task: DFA) -> set[DFA]:
    """Flip a mark or lead one transition elsewhere, straight from the definition."""
    task = task.minimal
    found = set()
    for q in range(task.states):
        marks = tuple(mark != (k == q) for k, mark in enumerate(task.accepting))
        found.add(DFA(alphabet=task.alphabet, table=task.table, accepting=marks))
        for a in range(len(task.alphabet)):
            for target in range(task.states):
                rows = [list(row) for row in task.table]
                rows[q][a] = target
                table = tuple(map(tuple, rows))
                found.add(DFA(alphabet=task.alphabet, table=table, accepting=task.accepting))
    return found - {task}


@settings(max_examples=40)
@given(dfas(max_states=4))
def test_every_changed_mark_and_transition_is_among_the_edits(task: DFA) -> None:
    assert one_change_away(task) <= set(edits(task, 4))


def test_edits_lead_from_nothing_to_every_small_language(small_languages: list[DFA]) -> None:
    seen = {DFA.constant(AB, False)}
    frontier = list(seen)
    while frontier:
        new = {edited for task in frontier for edited in edits(task, 3)} - seen
        seen |= new
        frontier = list(new)
    assert seen == set(small_languages)


@settings(max_examples=30)
@given(dfas(max_states=3), dfas(max_states=3))
def test_products_are_both_either_and_one_without_the_other(one: DFA, other: DFA) -> None:
    found = products_of([(one, other)], 9)
    for word in all_words(AB, 5):
        x, y = one.accepts(word), other.accepts(word)
        wanted = [x and y, x or y, x and not y, y and not x]
        languages = [one & other, one | other, one - other, other - one]
        for language, answer in zip(languages, wanted, strict=True):
            assert language in found
            assert language.accepts(word) == answer


# -- compiled, and by the book ----------------------------------------------------------------------------


@settings(max_examples=60)
@given(dfas(max_states=4), st.integers(1, 5))
def test_compiled_or_not_edits_are_the_same(task: DFA, max_states: int) -> None:
    assert same(edits(task, max_states), distinct(task, max_states, edits_by_hand))


@pytest.mark.parametrize(("letters", "states"), [(1, 4), (3, 3), (4, 5), (40, 2), (200, 1)])
def test_edits_over_any_number_of_letters(letters: int, states: int) -> None:
    alphabet = tuple(sorted(f"{k:03}" for k in range(letters)))
    task = random_dfa(np.random.default_rng([letters, states]), alphabet, states)
    assert same(edits(task, 8), distinct(task, 8, edits_by_hand))


def test_edits_of_the_largest_automata() -> None:
    found = edits(ring(40, 5), 40)
    assert all(edited.states <= 40 for edited in found)
    assert one_change_away(ring(12, 5)) <= set(edits(ring(12, 5), 12))
    assert len(found) > 40 * 2 * 39 / 2


@settings(max_examples=60)
@given(st.lists(dfas(max_states=4), min_size=2, max_size=5), st.integers(1, 9))
def test_compiled_or_not_products_are_the_same(tasks: list[DFA], max_states: int) -> None:
    pairs = list(combinations(tasks, 2))
    assert same(products_of(pairs, max_states), products_in_python(pairs, max_states))


@pytest.mark.parametrize(("one", "other"), [(9, 7), (13, 11)])
def test_products_of_large_automata(one: int, other: int) -> None:
    pairs = [(ring(one, 0), ring(other, 1))]
    for bound in (one * other - 1, one * other):
        assert same(products_of(pairs, bound), products_in_python(pairs, bound))
    assert any(task.states == one * other for task in products_of(pairs, one * other))


def test_products_over_many_letters() -> None:
    rng = np.random.default_rng(0)
    alphabet = tuple(sorted(f"{k:03}" for k in range(200)))
    pairs = [(random_dfa(rng, alphabet, 3), random_dfa(rng, alphabet, 2)) for _ in range(3)]
    assert same(products_of(pairs, 6), products_in_python(pairs, 6))


def test_products_of_nothing_and_of_composites() -> None:
    assert products_of([], 8) == []
    both = Composite.of("and", [ring(2, 0), ring(3, 0)])
    assert same(products_of([(both, ring(2, 1))], 12), products_in_python([(both, ring(2, 1))], 12))


def test_tasks_over_other_letters_make_no_product() -> None:
    with pytest.raises(TaskError, match="different letters"):
        products_of([(ring(2, 0), DFA.constant("abc", True))], 4)


@given(st.lists(dfas(max_states=5), min_size=1, max_size=4))
def test_numbers_and_back(tasks: list[DFA]) -> None:
    machines = pack(tasks, 2)
    sizes = array("q", [task.minimal.size for task in tasks])
    sized = Sized(2, machines.states, machines.cells, machines.marks, sizes)
    for first in range(len(tasks)):
        assert same(DFA.unpacked(sized, AB, first), [task.minimal for task in tasks[first:]])
