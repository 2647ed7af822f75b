"""Minimisation in C against minimisation by the book."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.tasks import DFA
from demospec.tasks.tables import (
    canonical,
    canonical_in_python,
    refined_by_halves,
    refined_by_signatures,
)
from strategies import dfas


@given(dfas(max_states=7), st.data())
def test_compiled_or_not_the_minimal_machine_is_the_same(dfa: DFA, data: st.DataObject) -> None:
    outputs = data.draw(st.lists(st.integers(0, 2), min_size=dfa.states, max_size=dfa.states))
    expected = canonical_in_python(dfa.table, dfa.start, outputs)
    assert canonical(dfa.table, dfa.start, outputs) == expected


@pytest.mark.parametrize("states", [63, 64, 65, 100])
def test_large_machines_are_minimised_too(states: int) -> None:
    rng = np.random.default_rng(states)
    for outputs in (rng.integers(2, size=states).tolist(), [0] * states, [k % 3 for k in range(states)]):
        ring = tuple(((k + 1) % states, k) for k in range(states))
        random = tuple(tuple(row) for row in rng.integers(states, size=(states, 2)).tolist())
        for table in (ring, random):
            assert canonical(table, 1, outputs) == canonical_in_python(table, 1, outputs)


@given(dfas(max_states=7), st.data())
def test_halves_and_signatures_give_the_same_classes(dfa: DFA, data: st.DataObject) -> None:
    outputs = data.draw(st.lists(st.integers(0, 2), min_size=dfa.states, max_size=dfa.states))
    assert refined_by_halves(dfa.table, outputs) == refined_by_signatures(dfa.table, outputs)


@pytest.mark.parametrize("states", [65, 200])
def test_halves_and_signatures_agree_on_large_machines(states: int) -> None:
    rng = np.random.default_rng(states)
    chain = tuple((min(k + 1, states - 1), k) for k in range(states))
    random = tuple(tuple(row) for row in rng.integers(states // 4, size=(states, 3)).tolist())
    for outputs in (
        rng.integers(3, size=states).tolist(),
        [0] * states,
        [int(k == 7) for k in range(states)],
    ):
        for table in (chain, random):
            assert refined_by_halves(table, outputs) == refined_by_signatures(table, outputs)
