"""Where a run is: what was done in each iteration, and all that is needed to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from demospec.explain.score import Score
from demospec.search.diss import Info

Ended = Literal["iterations", "patience", "agreement", "evaluations", "seconds", "interrupted"]


@dataclass(frozen=True)
class Row:
    """One iteration of one chain: what was tried, and the lowest energy over all chains so far."""

    chain: int
    info: Info
    best: Score | None
    better: bool = False  # whether this iteration lowered it


@dataclass(frozen=True)
class RandomState:
    """The state of a random generator (PCG64), in numbers of any size as texts."""

    state: str
    increment: str
    kept: int | None  # half of a number that was drawn and not used yet

    @classmethod
    def of(cls, rng: np.random.Generator) -> RandomState:
        """Return where a generator is."""
        found = rng.bit_generator.state
        kept = found["uinteger"] if found["has_uint32"] else None
        return cls(f"{found['state']['state']:x}", f"{found['state']['inc']:x}", kept)

    def put(self, rng: np.random.Generator) -> None:
        """Set a generator back to here."""
        rng.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": int(self.state, 16), "inc": int(self.increment, 16)},
            "has_uint32": int(self.kept is not None),
            "uinteger": self.kept or 0,
        }


@dataclass(frozen=True)
class Position:
    """Where a chain is: all that is needed to go on with it anywhere."""

    chain: int
    iterations: int = 0
    over: bool = False
    state: bytes | None = None  # the engine's, as a record; None at the beginning, and at the end
    random: RandomState | None = None


@dataclass(frozen=True)
class Point:
    """Where a run can go on: after so many rows, with every chain at its position."""

    rows: int
    upto: int  # iterations that each chain makes until the end of the round that is under way
    positions: tuple[Position, ...]  # of the chains
    seconds: float  # used so far
