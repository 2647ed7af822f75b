"""Cooling, acceptance and softmin."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.search.diss import accepts, linear_cooling
from demospec.search.frontier import draw_softmin, softmin

energies = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)


def test_cooling_is_the_papers_schedule() -> None:
    for t in range(1, 101):
        assert linear_cooling(t, 100, 100.0, 1.0) == pytest.approx(100 * (1 - t / 100) + 1)


def test_cooling_falls_and_then_stays_at_its_final_temperature() -> None:
    course = [linear_cooling(t, 20, 50.0, 2.0) for t in range(1, 40)]
    assert all(a > b for a, b in itertools.pairwise(course[:20]))
    assert course[19:] == [2.0] * 20


@given(energies)
def test_softmin_is_a_distribution_that_prefers_low_values(values: list[float]) -> None:
    found = softmin(values)
    assert found.sum() == pytest.approx(1)
    assert found[np.argmin(values)] == found.max()
    assert all(
        found[i] >= found[j] for i in range(len(values)) for j in range(len(values)) if values[i] < values[j]
    )


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=8), st.floats(-1e3, 1e3))
def test_softmin_weighs_differences_exponentially_and_ignores_a_shift(
    values: list[float], shift: float
) -> None:
    found = softmin(values)
    assert softmin([value + shift for value in values]) == pytest.approx(found, rel=1e-9)
    assert found[1] / found[0] == pytest.approx(math.exp(values[0] - values[1]))


def test_softmin_of_infinite_values() -> None:
    assert softmin([math.inf, 1.0, math.inf]).tolist() == [0, 1, 0]
    assert softmin([math.inf] * 4).tolist() == [0.25] * 4


def test_softmin_does_not_overflow() -> None:
    assert softmin([1e300, -1e300, 0.0]).tolist() == [0, 1, 0]


def test_draws_follow_softmin() -> None:
    rng, values, draws = np.random.default_rng(3), [2.0, 1.0, math.inf, 3.0], 20_000
    counts = np.bincount([draw_softmin(rng, values) for _ in range(draws)], minlength=4)
    assert counts[2] == 0
    expected = draws * softmin(values)
    assert ((counts - expected) ** 2)[[0, 1, 3]] @ (1 / expected[[0, 1, 3]]) < 20  # 2 degrees of freedom


@given(st.floats(-1e6, -1e-9) | st.just(-math.inf), st.floats(1e-3, 1e3), st.integers(0, 99))
def test_a_falling_energy_is_always_accepted(rise: float, temperature: float, seed: int) -> None:
    assert accepts(np.random.default_rng(seed), rise, temperature)


@given(st.floats(1e-3, 1e3), st.integers(0, 99))
def test_an_equal_energy_is_always_accepted(temperature: float, seed: int) -> None:
    assert accepts(np.random.default_rng(seed), 0.0, temperature)


@given(st.floats(0, 100), st.floats(0.1, 100), st.integers(0, 99))
def test_a_rise_is_accepted_exactly_when_alpha_is_at_most_its_exponential(
    rise: float, temperature: float, seed: int
) -> None:
    alpha = np.random.default_rng(seed).random()
    assert accepts(np.random.default_rng(seed), rise, temperature) == (alpha <= math.exp(-rise / temperature))


@pytest.mark.parametrize("seed", range(20))
def test_an_infinite_rise_is_refused(seed: int) -> None:
    assert not accepts(np.random.default_rng(seed), math.inf, 100.0)


@pytest.mark.parametrize("rise", [-math.inf, -1.0, 0.0, 1.0, math.inf])
def test_every_decision_takes_one_random_number(rise: float) -> None:
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    accepts(rng, rise, 1.0)
    other.random()
    assert rng.random() == other.random()
