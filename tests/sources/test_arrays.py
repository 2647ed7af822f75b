"""Worlds from matrices, in every form in which they are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_model import EPISODE, by_hand, same

import demospec
from demospec import InputError

NAMES = ["hall", "left", "right", "out"]
GO = [[0, 0.25, 0.75, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
STEP = [[1, 0, 0, 0], [0, 0, 0, 0], [1 / 3, 2 / 3, 0, 0], [0, 0, 0, 0]]
LABELS = {"left": "key", "right": {"key", "door"}}


class Coordinates:
    """What is asked of a sparse matrix: SciPy's are like this."""

    def __init__(self, dense: Any) -> None:
        full = np.asarray(dense)
        self.shape = full.shape
        row, col = np.nonzero(full)
        data = full[row, col]
        # An entry may be there twice, to be added up, and may be 0.
        self.row = np.concatenate([row, row, [0]])
        self.col = np.concatenate([col, col, [3]])
        self.data = np.concatenate([data / 2, data / 2, [0.0]])

    def tocoo(self) -> Coordinates:
        return self


@pytest.mark.parametrize(
    "transitions",
    [
        [GO, STEP],
        {"go": GO, "step": np.array(STEP)},
        np.array([GO, STEP]),
        np.array([GO, STEP]).swapaxes(0, 1),
        [Coordinates(GO), Coordinates(STEP)],
    ],
    ids=["lists", "mapping", "[A, S, S]", "[S, A, S]", "sparse"],
)
def test_every_form_is_the_same_world(transitions: Any) -> None:
    names = [] if isinstance(transitions, dict) else ["go", "step"]
    world = demospec.from_arrays(
        transitions, start="hall", episode=EPISODE, labels=LABELS, states=NAMES, actions=names
    )
    assert same(world, by_hand(NAMES))
    assert world.origin == "made from arrays: 4 states, 2 actions"


def test_scipys_matrices_are_read() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.lil_matrix):
        world = demospec.from_arrays({"go": kind(GO), "step": kind(STEP)}, start=0, episode=EPISODE)
        assert world.probability == pytest.approx(by_hand(NAMES).probability)


def test_states_and_actions_are_called_by_their_numbers() -> None:
    world = demospec.from_arrays(
        [GO, STEP], start={0: 0.5, 2: 0.5}, episode=EPISODE, labels={1: "key"}, terminal=[1]
    )
    assert world.states == ("0", "1", "2", "3")
    assert world.actions == ("0", "1")
    assert world.starts == ((0, 0.5), (2, 0.5))
    assert world.terminal.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    ("transitions", "more", "message"),
    [
        ([GO, [[1]]], {}, r"differ in size: 1, 4 states"),
        ([[[1, 0]]], {}, r'matrix of action "0" is \(1, 2\); expected a square one'),
        ([["ab"]], {}, 'matrix of action "0" is no array of numbers'),
        ([], {}, "every action needs a matrix"),
        (np.zeros((2, 2, 2)), {}, r"can be read in two ways: give list\(P\)"),
        (np.zeros((2, 2)), {}, r"expected an array \[S, A, S\]"),
        ([GO], {"actions": ["a", "b"]}, "there are 1 matrices, and 2 names"),
        ({"go": GO}, {"actions": ["a"]}, "leave `actions` out"),
        ([GO], {"states": ["a"]}, "there are 4 states, and 1 different names"),
        ([GO], {"start": 7}, "there is no state 7: they are numbered from 0 to 3"),
        ([GO], {"start": "x"}, '"x" is not a state'),
        ([[[0.5, 0], [0, 1]]], {}, 'state "0", action "0": probabilities sum to 0.5'),
        ([[[-1, 2], [0, 1]]], {}, "not between 0 and 1"),
    ],
)
def test_what_is_refused_and_why(transitions: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        demospec.from_arrays(transitions, **{"start": 0, "episode": EPISODE, **more})
