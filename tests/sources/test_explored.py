"""Worlds from a function that is asked from the start until nothing is new."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import pytest
from small_model import EPISODE, by_hand, same

import demospec
from demospec import Episode, InputError
from demospec.sources.arrays import state_name

STEPS = {
    ("hall", "go"): {"left": 0.25, "right": 0.75},
    ("hall", "step"): {"hall": 1.0},
    ("left", "go"): {"out": 1.0, "nowhere": 0.0},
    ("right", "step"): {"hall": 1 / 3, "left": 2 / 3},
}
LABELS = {"left": "key", "right": {"key", "door"}}


def test_what_is_explored_is_the_world() -> None:
    world = demospec.from_function(
        lambda state, action: STEPS.get((state, action)),
        "hall",
        actions=["go", "step"],
        labels=LABELS,
        episode=EPISODE,
    )
    assert same(world, by_hand(["hall", "left", "right", "out"]))
    assert world.origin == "explored from the start by a function: 4 states"


class Cell(NamedTuple):
    x: int
    keys: frozenset[str]


def step(cell: Cell, action: int) -> dict[Cell, float]:
    keys = cell.keys | ({"red"} if cell.x == 2 else set())
    return {Cell(cell.x + action, keys): 0.9, Cell(cell.x, keys): 0.1}


def test_states_are_any_values_that_can_be_hashed() -> None:
    world = demospec.from_function(
        step,
        {Cell(0, frozenset()): 0.5, Cell(1, frozenset()): 0.5},
        actions=lambda cell: [move for move in (1, -1) if 0 <= cell.x + move <= 3],
        labels=lambda cell: [*cell.keys, *(["end"] if cell.x == 3 else [])],
        terminal=lambda cell: cell.x == 0 and bool(cell.keys),
        episode=Episode(horizon=9),
    )
    assert set(world.states) == {
        *(f"x={x}, keys={{}}" for x in range(3)),
        *(f"x={x}, keys={{red}}" for x in range(4)),
    }
    assert world.actions == ("1", "-1")
    assert world.letters == ("end&red", "red")
    assert [world.states[state] for state in world.terminal.nonzero()[0]] == ["x=0, keys={red}"]
    assert len(world.starts) == 2


@dataclass(frozen=True)
class Robot:
    at: tuple[int, int]
    holds: bool


class Light(Enum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("as it is", "as it is"),
        ((3, 1), (3, 1)),
        ((3, 1, 2), "3, 1, 2"),
        ((True, 1), "true, 1"),
        (((1, 2), "key"), "(1, 2), key"),
        (Robot((1, 2), True), "at=(1, 2), holds=true"),
        (Cell(1, frozenset("ba")), "x=1, keys={a, b}"),
        (Light.RED, "RED"),
        (None, "None"),
    ],
)
def test_names_can_be_read(value: object, name: object) -> None:
    assert state_name(value) == name


def test_names_of_ones_own_and_names_that_collide() -> None:
    def move(state: int, action: str) -> dict[int, float]:
        return {(state + 1) % 3: 1.0}

    named = demospec.from_function(
        move, 0, actions=["on"], episode=EPISODE, name=lambda state: f"floor {state}"
    )
    assert named.states == ("floor 0", "floor 1", "floor 2")
    with pytest.raises(InputError, match='the states 0 and 1 would both be called "floor"'):
        demospec.from_function(move, 0, actions=["on"], episode=EPISODE, name=lambda state: "floor")


def test_what_is_refused_and_why() -> None:
    with pytest.raises(InputError, match="more than 50 states can be reached; max_states allows more"):
        demospec.from_function(lambda n, a: {n + 1: 1.0}, 0, actions=["on"], episode=EPISODE, max_states=50)
    with pytest.raises(InputError, match=r'state "0", action "on": probabilities sum to 0\.5'):
        demospec.from_function(lambda n, a: {n: 0.5}, 0, actions=["on"], episode=EPISODE)
    with pytest.raises(InputError, match="not between 0 and 1"):
        demospec.from_function(lambda n, a: {n: 1.0, 1: -0.1}, 0, actions=["on"], episode=EPISODE)
    with pytest.raises(InputError, match=r'start state "0" is terminal'):
        demospec.from_function(lambda n, a: None, 0, actions=["on"], episode=EPISODE)
