"""Worlds written out: what is stored is what was written, and everything else is refused."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import InputError, WorldError
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State

Rows = list[tuple[State, str, dict[State, float]]]

NAMES = ["s0", "s1", "s2", "s3"]


@st.composite
def worlds(draw: st.DrawFn) -> Rows:
    """Rows for four states with one to three actions each; probabilities typed with seven digits."""
    rows: Rows = []
    for state in NAMES:
        for action in sorted(draw(st.sets(st.sampled_from("xyz"), min_size=1))):
            targets = sorted(draw(st.sets(st.sampled_from(NAMES), min_size=1)))
            weights = [draw(st.integers(1, 9)) for _ in targets]
            total = sum(weights)
            rows.append(
                (state, action, {t: round(w / total, 7) for t, w in zip(targets, weights, strict=True)})
            )
    return draw(st.permutations(rows))


def two_states(**changes: Any) -> MDP:
    rows: Rows = [
        ("s0", "go", {"s1": 0.75, "s2": 0.25}),
        ("s1", "back", {"s0": 1}),
        ("s2", "back", {"s0": 1}),
    ]
    return MDP.build(**{"transitions": rows, "start": "s0", "episode": Episode(horizon=3), **changes})


# -- laws -----------------------------------------------------------------------------------------------


@given(worlds())
def test_every_pair_reads_back_as_written_and_normalised(rows: Rows) -> None:
    mdp = MDP.build(rows, start="s0", episode=Episode(horizon=2))
    read = {
        (mdp.states[s], mdp.actions[mdp.pair_action[pair]]): {mdp.states[t]: p for t, p in mdp.outcomes(pair)}
        for s in range(len(mdp.states))
        for pair in mdp.pairs(s)
    }
    assert read.keys() == {(state, action) for state, action, _ in rows}
    for state, action, written in rows:
        found = read[state, action]
        assert math.fsum(found.values()) == pytest.approx(1, abs=1e-14)
        total = sum(written.values())
        assert found == pytest.approx({target: p / total for target, p in written.items()}, abs=1e-14)


@given(worlds())
def test_offsets_cut_the_arrays_without_gaps_and_actions_come_in_their_order(rows: Rows) -> None:
    mdp = MDP.build(rows, start="s0", episode=Episode(horizon=2), actions="zyx", states=NAMES[::-1])
    assert mdp.actions == ("z", "y", "x")
    assert mdp.states == tuple(NAMES[::-1])
    assert mdp.start == mdp.number["s0"] == 3
    assert mdp.pair_offset[0] == mdp.outcome_offset[0] == 0
    assert mdp.pair_offset[-1] == len(mdp.pair_action) == len(rows)
    assert mdp.outcome_offset[-1] == len(mdp.successor) == len(mdp.probability)
    for state in NAMES:
        offered = {action for source, action, _ in rows if source == state}
        assert mdp.available(mdp.number[state]) == tuple(a for a in "zyx" if a in offered)


def test_outcomes_of_probability_0_are_dropped() -> None:
    mdp = two_states(
        transitions=[("s0", "go", {"s1": 1.0, "s2": 0.0}), ("s1", "go", {"s1": 1}), ("s2", "go", {"s2": 1})]
    )
    assert mdp.outcomes(mdp.pairs(mdp.start)[0]) == [(mdp.number["s1"], 1.0)]
    assert np.all(mdp.probability > 0)


def test_probabilities_typed_with_seven_digits_are_taken_and_normalised() -> None:
    mdp = two_states(
        transitions=[
            ("s0", "go", {"s0": 0.3333333, "s1": 0.3333333, "s2": 0.3333333}),
            ("s1", "go", {"s0": 1}),
            ("s2", "go", {"s0": 1}),
        ]
    )
    assert [p for _, p in mdp.outcomes(0)] == pytest.approx([1 / 3] * 3, abs=1e-15)


def test_labels_letters_and_white_states() -> None:
    mdp = two_states(labels={"s2": "b", "s1": "a"})
    assert [mdp.labels[mdp.number[s]] for s in ("s0", "s1", "s2")] == [None, "a", "b"]
    assert mdp.letters == ("a", "b")
    assert two_states().letters == ()


def test_nothing_can_be_done_in_a_terminal_state_even_where_rows_are_given() -> None:
    mdp = two_states(terminal=["s2"])
    assert mdp.available(mdp.number["s2"]) == ()
    assert mdp.available(mdp.number["s1"]) == ("back",)


@pytest.mark.parametrize(
    ("state", "steps", "chance"),
    [("s0", 0, 0.25), ("s0", 2, 0.25), ("s0", 3, 1.0), ("s0", 4, 1.0), ("s2", 1, 1.0), ("s2", 3, 1.0)],
)
def test_an_episode_ends_by_chance_at_the_horizon_and_in_terminal_states(
    state: str, steps: int, chance: float
) -> None:
    mdp = two_states(terminal=["s2"], episode=Episode(horizon=3, end_probability=0.25))
    assert mdp.end_chance(mdp.number[state], steps) == chance


# -- refusals -------------------------------------------------------------------------------------------


BACK: Rows = [("s1", "back", {"s0": 1}), ("s2", "back", {"s0": 1})]


@pytest.mark.parametrize(
    ("outcomes", "culprit"),
    [
        ({"s1": 0.75, "s2": 0.2}, "sum to 0.95, not 1"),
        ({"s1": 0.75, "s2": 0.26}, "sum to 1.01, not 1"),
        ({"s1": 0.75, "s2": 0.249998}, "sum to 0.999998, not 1"),
        ({"s1": 1.2, "s2": -0.2}, 'probability of "s1" is 1.2'),
        ({"s1": 1.2}, 'probability of "s1" is 1.2'),
        ({"s1": -0.5, "s2": 0.5}, 'probability of "s1" is -0.5'),
        ({"s1": 1, "s2": math.nan}, 'probability of "s2" is nan'),
        ({"s1": math.nan}, 'probability of "s1" is nan'),
        ({"s1": math.inf}, 'probability of "s1" is inf'),
        ({"s1": 0, "s2": 0}, "sum to 0, not 1"),
        ({}, "no outcomes"),
    ],
)
def test_outcomes_that_are_no_distribution_are_refused(outcomes: dict[State, float], culprit: str) -> None:
    with pytest.raises(WorldError) as refusal:
        two_states(transitions=[("s0", "go", outcomes), *BACK])
    assert culprit in str(refusal.value)
    assert 'state "s0", action "go"' in str(refusal.value)
    assert isinstance(refusal.value, InputError)


def test_rows_of_a_terminal_state_are_checked_all_the_same() -> None:
    with pytest.raises(WorldError, match='state "s2", action "back": probabilities sum to'):
        two_states(transitions=[("s0", "go", {"s2": 1}), ("s2", "back", {"s0": 0.5})], terminal=["s2"])


@pytest.mark.parametrize(
    ("changes", "culprits"),
    [
        ({"terminal": ["s9"]}, ['terminal state "s9"', '"s0", "s1", "s2"']),
        ({"terminal": [(1, 1)]}, ["terminal state (1, 1)"]),
        ({"labels": {"s7": "a"}}, ['labelled state "s7"', '"s0", "s1", "s2"']),
        ({"labels": {"s1": ""}}, ['label of state "s1" is empty']),
        ({"terminal": ["s0"]}, ['start state "s0" is terminal']),
        ({"start": "elsewhere"}, ['state "elsewhere" has no actions']),
        ({"transitions": [("s0", "go", {"s1": 1})]}, ['state "s1" has no actions and is not terminal']),
        ({"states": ["lonely"]}, ['state "lonely" has no actions']),
        (
            {"transitions": [("s0", "go", {"s0": 1}), ("s0", "go", {"s0": 1})]},
            ['state "s0" has two rows for action "go"'],
        ),
    ],
)
def test_worlds_that_do_not_hang_together_are_refused(changes: dict[str, Any], culprits: list[str]) -> None:
    two_states()
    with pytest.raises(WorldError) as refusal:
        two_states(**changes)
    for culprit in culprits:
        assert culprit in str(refusal.value)


def test_a_misspelt_state_brings_a_suggestion() -> None:
    with pytest.raises(WorldError, match='did you mean "kitchen"'):
        two_states(transitions=[("kitchen", "go", {"kitchen": 1})], start="kitchen", labels={"kitchne": "a"})


@pytest.mark.parametrize("horizon", [0, -1])
def test_a_horizon_below_1_is_refused(horizon: int) -> None:
    with pytest.raises(WorldError, match=f"at least 1 step; found {horizon}"):
        Episode(horizon=horizon)


@pytest.mark.parametrize("chance", [1, 1.5, -0.1, math.nan])
def test_an_end_probability_outside_0_to_below_1_is_refused(chance: float) -> None:
    with pytest.raises(WorldError, match=f"end probability .* found {chance:g}"):
        Episode(horizon=5, end_probability=chance)


# -- where episodes begin -------------------------------------------------------------------------------


def everything(mdp: MDP) -> list[object]:
    found = [getattr(mdp, one.name) for one in fields(mdp)]
    return [part.tobytes() if isinstance(part, np.ndarray) else part for part in found]


@given(worlds())
def test_a_start_of_probability_1_is_the_start(rows: Rows) -> None:
    certain: dict[State, float] = {"s2": 1.0}
    short, long = (
        MDP.build(rows, start=start, episode=Episode(horizon=2), labels={"s1": "a"})
        for start in ("s2", certain)
    )
    assert everything(short) == everything(long)
    assert short.starts == ((short.start, 1.0),)


def test_episodes_may_begin_in_several_states() -> None:
    mdp = two_states(start={"s1": 0.25, "s0": 0.75, "s2": 0.0})
    assert [(mdp.states[state], chance) for state, chance in mdp.starts] == [("s1", 0.25), ("s0", 0.75)]
    with pytest.raises(WorldError, match='the world has 2 start states: "s1", "s0"; say which'):
        assert mdp.start
    rounded = two_states(start={"s0": 0.3333333, "s1": 0.3333333, "s2": 0.3333333})
    assert math.fsum(chance for _, chance in rounded.starts) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({}, "start: no outcomes"),
        ({"s0": 0.5}, r"start: probabilities sum to 0\.5, not 1"),
        ({"s0": 1.5, "s1": -0.5}, 'start: the probability of "s0" is 1.5, not between 0 and 1'),
        ({"s0": 0.5, "s9": 0.5}, 'state "s9" has no actions and is not terminal'),
    ],
)
def test_starts_that_are_refused(start: dict[State, float], message: str) -> None:
    with pytest.raises(WorldError, match=message):
        two_states(start=start)


def test_no_start_is_terminal() -> None:
    with pytest.raises(WorldError, match='the start state "s2" is terminal: no episode could take a step'):
        two_states(start={"s0": 0.5, "s2": 0.5}, terminal=["s2"])
