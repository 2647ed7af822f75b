"""The cheapest smallest choice, against trying them all."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.tasks.words.clauses import cover, least, undominated

NUMBERS = 7


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(0, 2**NUMBERS - 1), max_size=8),
    st.lists(st.integers(1, 9), min_size=NUMBERS, max_size=NUMBERS),
    st.integers(0, 4),
)
def test_it_is_the_cheapest_of_the_fewest(masks: list[int], costs: list[int], most: int) -> None:
    fits = [
        chosen
        for count in range(most + 1)
        for chosen in combinations(range(NUMBERS), count)
        if all(any(mask >> k & 1 for k in chosen) for mask in masks)
    ]
    found = cover(masks, costs, most, nodes=10_000)
    if not fits:
        assert found is None
        return
    assert found in fits
    best = min((len(chosen), sum(costs[k] for k in chosen)) for chosen in fits)
    assert (len(found), sum(costs[k] for k in found)) == best


def test_a_budget_ends_the_search() -> None:
    masks = [0b11 << 2 * k for k in range(8)]
    assert cover(masks, [1] * 16, most=8, nodes=3) is None
    assert cover(masks, [1] * 16, most=8, nodes=1000) is not None


def test_masks_and_numbers_that_add_nothing_go() -> None:
    assert least([0b111, 0b011, 0b100]) == [0b100, 0b011]
    assert undominated([0b011, 0b111], [2, 1, 1]) == [1]
