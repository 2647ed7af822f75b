"""The ways to search, behind one interface, and how a chain of one is begun."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from demospec.explain.evaluator import Evaluator
from demospec.problem import Problem
from demospec.search.best_first import Explorer
from demospec.search.diss import Info, Search
from demospec.work.stop import NEVER, Stop


def chain_generator(seed: int, chain: int) -> np.random.Generator:
    """Return the random generator of one chain; it does not depend on how many chains there are."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(chain,)))


class Engine(Protocol):
    """A way to search: a state in, a state and what was done out; the state is all that must persist.

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


def engine_of(problem: Problem, stop: Stop = NEVER) -> Engine:
    """Return the problem's way to search; its steps give up, by raising `Stopped`, when a flag is set."""
    method = problem.settings.method
    if method == "enumeration":
        from demospec.search.enumeration import Enumeration

        return Enumeration(problem, stop)
    if method == "explore":
        return Explorer(problem, evaluator=Evaluator(problem, stop=stop))
    if method == "random-pivots":
        return Search(problem.with_settings(pivot_temperature=math.inf), stop=stop)
    return Search(problem, stop=stop)
