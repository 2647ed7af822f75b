"""What a way to search is: a state in, a state and what was done out; and how a chain of one is begun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.work.stop import Stop


def chain_generator(seed: int, chain: int) -> np.random.Generator:
    """Return the random generator of one chain; it does not depend on how many chains there are."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(chain,)))


@dataclass(frozen=True, kw_only=True)
class Info:
    """What one iteration did."""

    iteration: int  # from 1
    candidate: Score | None  # the best that it scored; None when there was nothing to score
    accepted: bool  # whether the search goes on with it, or leads with it
    best: Score | None  # lowest energy so far
    scored: tuple[Score, ...] = ()  # all tasks that were scored, the candidate among them
    origins: tuple[str, ...] = ()  # of each of them, what proposed it


class Engine(Protocol):
    """A way to search; the state is all that must persist.

    What a step does depends on its arguments alone, not on what the engine did before: whoever has a state
    can go on from it with an engine of their own. `demospec.testing.engines.check_engine` checks that.
    """

    def start(self) -> Any:
        """Return the first state."""
        ...

    def step(self, rng: np.random.Generator, state: Any) -> tuple[Any, Info]:
        """Run one iteration from a state that is not over."""
        ...

    def over(self, state: Any) -> bool:
        """Say whether there is nothing more to do."""
        ...


MakeEngine = Callable[[Problem, Stop], Engine]
