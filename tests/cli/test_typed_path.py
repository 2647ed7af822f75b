"""Paths that people type: what is written is read back, and mistakes are told in one line."""

from __future__ import annotations

import numpy as np
import pytest

from demospec.cli.typed_path import read_typed, typed
from demospec.errors import InputError
from demospec.testing.small_worlds import random_mdp, random_path
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path
from demospec.worlds.world import Episode

MAP = ("a..", "...", "..b")
CALM = gridworld(MAP, start=(2, 2), episode=Episode(horizon=4))
WINDY = gridworld(MAP, start=(2, 2), episode=Episode(horizon=4), wind=Wind(direction="down", probability=0.1))
ANYWHERE = gridworld(MAP, start={(2, 2): 0.5, (1, 3): 0.5}, episode=Episode(horizon=4, end_probability=0.2))
HOUSE = MDP.build(
    [
        ("hall", "go", {"the kitchen": 0.5, "hall": 0.5}),
        ("hall", "x2", {"hall": 1.0}),
        ("the kitchen", "go", {"hall": 1.0}),
        ("the kitchen", "hall", {"the kitchen": 1.0}),
    ],
    start="hall",
    episode=Episode(horizon=6),
    labels={"the kitchen": "k"},
)


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("up left", ["up", (2, 1), "left", (1, 1)]),
        (" up,  left, ", ["up", (2, 1), "left", (1, 1)]),
        ("left ×2 up", ["left", (1, 2), "left", (1, 2), "up", (1, 1)]),
        ("left x2, up", ["left", (1, 2), "left", (1, 2), "up", (1, 1)]),
        ("up (2, 1) left [1,1]", ["up", (2, 1), "left", (1, 1)]),
        ("up 2,1 left", ["up", (2, 1), "left", (1, 1)]),
        ('["up", [2, 1], "left", [1, 1]]', ["up", (2, 1), "left", (1, 1)]),
        ("'up', [2, 1]", ["up", (2, 1)]),
        ("(2, 2) up", ["up", (2, 1)]),
    ],
)
def test_what_can_be_typed_in_a_calm_gridworld(text: str, flat: list[str | tuple[int, int]]) -> None:
    assert read_typed(CALM, text) == read_path(CALM, flat, complete=None)


def test_where_the_outcome_is_not_certain_it_is_said() -> None:
    assert read_typed(WINDY, "up (2, 3) left (1, 3)") == read_path(
        WINDY, ["up", (2, 3), "left", (1, 3)], complete=None
    )
    with pytest.raises(InputError) as told:
        read_typed(WINDY, "up (2, 1) left")
    assert str(told.value) == (
        'step 2: action "left" in state (2, 1) can lead to (1, 1) or (2, 2): say where, as in left (1, 1)'
    )
    # Down is where the wind blows: certain.
    assert read_typed(WINDY, "down down") == read_path(WINDY, ["down", (2, 3)] * 2, complete=None)


def test_names_of_states_and_actions() -> None:
    flat = ["go", "the kitchen", "go", "hall", "x2", "hall"]
    assert read_typed(HOUSE, 'go "the kitchen" go x2') == read_path(HOUSE, flat, complete=None)
    # "hall" is an action too, and taken for it; the list that a file writes alternates in any case.
    both = read_path(HOUSE, ["go", "the kitchen", "hall", "the kitchen"], complete=None)
    assert read_typed(HOUSE, 'go "the kitchen" hall') == both
    listed = '["go", "the kitchen", "hall", "the kitchen", "go", "hall"]'
    assert len(read_typed(HOUSE, listed).steps) == 3


def test_start_and_end() -> None:
    path = read_typed(ANYWHERE, "(1, 3) up up $")
    assert path.complete
    assert ANYWHERE.states[path.first(ANYWHERE)] == (1, 3)
    assert not read_typed(ANYWHERE, "(1, 3) up up").complete
    assert read_typed(ANYWHERE, "(1, 3) up up up up").complete  # the horizon
    with pytest.raises(InputError, match="several start states"):
        read_typed(ANYWHERE, "up up")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("jump", 'step 1: action "jump" is not available in state (2, 2)'),
        ("up lef", 'step 2: action "lef" is not available in state (2, 1) (did you mean "left"?)'),
        ("up (3, 1)", 'step 1: action "up" in state (2, 2) leads to (3, 1) with probability 0'),
        ("up (9, 9)", "step 1: state (9, 9) is not in this world"),
        ("up (2, 1) (1, 1)", "step 2: expected an action, found (1, 1)"),
        ("up ×5", "step 5: the path goes on, but state (2, 1) was reached at the horizon of 4 steps"),
        ("(1, 1) up", "no episode begins in state (1, 1); start states: (2, 2)"),
        ("up $", "there an episode cannot end"),
        ("$", "at least one step"),
        (",", "at least one step"),
        ("up (2", 'cannot be read from "(2" on'),
        ('up "left', 'cannot be read from "\\"left" on'),
        ('up "\\q"', "is not a string"),
    ],
)
def test_mistakes_are_told_in_one_line(text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_typed(CALM, text)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_written_is_read_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = 0.3 * (seed % 2)
    mdp = random_mdp(rng, states=4, actions=3, horizon=5, end_probability=ends, terminal=seed % 3 == 0)
    path = random_path(rng, mdp, complete=seed % 4 > 0)
    if path.steps:
        assert read_typed(mdp, typed(mdp, path)) == path


def test_odd_names_are_written_so_that_they_are_read_back() -> None:
    house = MDP.build(
        [("3, 4", 'say "x2"', {"3, 4": 0.5, "×7": 0.5}), ("×7", "$", {"3, 4": 1.0})],
        start={"3, 4": 0.5, "×7": 0.5},
        episode=Episode(horizon=3),
        labels={"×7": "k"},
    )
    path = read_path(house, ['say "x2"', "×7", "$", "3, 4"], complete=None, start="3, 4")
    assert read_typed(house, typed(house, path)) == path
