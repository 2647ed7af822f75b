"""Where runs can get and how long they take: against runs that are followed one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec import Episode, load_example
from demospec.testing.small_worlds import random_mdp
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.walk import Prospects, aimless_steps
from demospec.worlds.world import STOP


def followed(mdp: MDP, state: int, steps: int, seen: set[int]) -> float:
    """Return the expected steps from a state on, straight from the words, and note what is seen."""
    if mdp.name(state) != "(stopped)":
        seen.add(state)
    ends = mdp.end_chance(state, steps) if steps else float(mdp.ends(state))
    pairs = mdp.pairs(state)
    if ends == 1 or not pairs:
        return 0.0
    total = 0.0
    for pair in pairs:
        if mdp.episode.by_choice and mdp.action(pair) == STOP:
            continue
        rest = sum(chance * followed(mdp, to, steps + 1, seen) for to, chance in mdp.outcomes(pair))
        total += (1 + rest) / len(pairs)
    return (1 - ends) * total


@given(st.integers(0, 1 << 30))
def test_prospects_are_those_of_all_runs_one_by_one(seed: int) -> None:
    mdp = random_mdp(
        np.random.default_rng(seed), end_probability=0.1 * (seed % 3), terminal=seed % 2, starts=2
    )
    seen: set[int] = set()
    expected = sum(chance * followed(mdp, state, 0, seen) for state, chance in mdp.starts)
    found = Prospects.of(mdp)
    assert found.aimless_steps == pytest.approx(expected)
    assert {state for state, there in enumerate(found.reachable.tolist()) if there} == seen
    assert set(found.letters) == {mdp.label(state) for state in seen} - {None}


def test_to_stop_is_no_step() -> None:
    world = gridworld(["ab"], start=(1, 1), episode=Episode(horizon=1, ends="by choice"))
    assert aimless_steps(world) == pytest.approx(4 / 5)


def test_a_letter_beyond_the_horizon_is_not_reached() -> None:
    world = gridworld(["...a"], start=(1, 1), episode=Episode(horizon=2))
    assert Prospects.of(world).letters == ()
    assert Prospects.of(world).reachable.tolist() == [True, True, True, False]


def test_an_aimless_delivery_takes_long() -> None:
    mdp = load_example("delivery").scene().mdp
    expected = sum(chance * followed(mdp, state, 0, set()) for state, chance in mdp.starts)
    assert aimless_steps(mdp) == pytest.approx(expected)
