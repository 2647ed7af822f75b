"""Gymnasium's small environments with a table: FrozenLake, CliffWalking, Taxi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from demospec.sources.environment import ByObservation

PLACES = {"R": (0, 0), "G": (0, 4), "Y": (4, 0), "B": (4, 3)}  # of the taxi, by row and column
PASSENGER = ("at R", "at G", "at Y", "at B", "aboard")


@dataclass(frozen=True)
class ToyText(ByObservation):
    """An environment whose state is the number `s`; rows and columns count from 0, as in Gymnasium."""

    unwrapped: bool = True
    actions: Sequence[str] = ()
    features: Mapping[str, str] = field(default_factory=dict)  # what is labelled unless told otherwise

    def key(self, environment: Any, observation: Any) -> int:
        """Return the number of the state."""
        return int(environment.unwrapped.s)


class FrozenLake(ToyText):
    """A lake: `row`, `column`, and whether the cell is a `hole`, the `goal` or the `start`."""

    def variables(self, environment: Any, key: int) -> dict[str, int]:
        """Return the cell's place and kind."""
        row, column = divmod(key, environment.ncol)
        kind = bytes(environment.desc[row, column])
        kinds = {"hole": kind == b"H", "goal": kind == b"G", "start": kind == b"S"}
        return {"state": key, "row": row, "column": column, **kinds}


class CliffWalking(ToyText):
    """A cliff: `row`, `column`, and whether the cell is the `goal` or the `start`."""

    def variables(self, environment: Any, key: int) -> dict[str, int]:
        """Return the cell's place."""
        row, column = divmod(key, environment.shape[1])
        last = environment.shape[0] * environment.shape[1] - 1
        begins = key == int(environment.start_state_index)
        return {"state": key, "row": row, "column": column, "goal": key == last, "start": begins}


class Taxi(ToyText):
    """A taxi: `row`, `column`, `passenger` and `destination` (0 to 3: R, G, Y, B), `aboard`, `at_R`, …"""

    def name(self, key: int) -> str:
        """Return the state in words.

        >>> Taxi().name(328)
        '(3, 1), passenger at Y, to R'
        """
        row, column, passenger, destination = decoded(key)
        return f"({row}, {column}), passenger {PASSENGER[passenger]}, to {'RGYB'[destination]}"

    def variables(self, environment: Any, key: int) -> dict[str, int]:
        """Return what the number of the state says."""
        row, column, passenger, destination = decoded(key)
        found = {"row": row, "column": column, "passenger": passenger, "destination": destination}
        places = {f"at_{place}": (row, column) == cell for place, cell in PLACES.items()}
        return {"state": key, **found, "aboard": passenger == 4, **places}


def decoded(key: int) -> tuple[int, int, int, int]:
    """Return row, column, passenger and destination of a taxi's state."""
    rest, destination = divmod(key, 4)
    rest, passenger = divmod(rest, 5)
    return *divmod(rest, 5), passenger, destination


KNOWN: dict[str, ToyText] = {
    "FrozenLakeEnv": FrozenLake(
        actions=("left", "down", "right", "up"), features={"hole": "hole", "goal": "goal"}
    ),
    "CliffWalkingEnv": CliffWalking(actions=("up", "right", "down", "left"), features={"goal": "goal"}),
    "TaxiEnv": Taxi(
        actions=("south", "north", "east", "west", "pickup", "dropoff"),
        features={"aboard": "aboard", **{place: f"at_{place}" for place in PLACES}},
    ),
}


def reading_of(environment: Any) -> ToyText | None:
    """Return how one of these environments is read; None for any other."""
    inner = type(environment.unwrapped)
    known = KNOWN.get(inner.__name__)
    return known if inner.__module__.startswith("gymnasium.envs.toy_text") else None
