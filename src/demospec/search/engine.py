"""The ways to search, behind one interface, and how a chain of one is begun."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from demospec.explain.score import Evaluator
from demospec.problem import Problem
from demospec.search.best_first import Explorer
from demospec.search.diss import Info, Search
from demospec.search.enumeration import Enumeration
from demospec.work.stop import NEVER, Stop


def chain_generator(seed: int, chain: int) -> np.random.Generator:
    """Return the random generator of one chain; it does not depend on how many chains there are."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(chain,)))


class Engine(Protocol):
    """A way to search: a state in, a state and what was done out; the state is all that must persist."""

    def start(self) -> Any:
        """Return the first state."""
        ...

    def step(self, rng: np.random.Generator, state: Any) -> tuple[Any, Info]:
        """Run one iteration."""
        ...

    def over(self, state: Any) -> bool:
        """Say whether there is nothing more to do."""
        ...

    def go_on(self, state: Any) -> None:
        """Get ready to continue from a state that another engine reached."""
        ...


def engine_of(problem: Problem, stop: Stop = NEVER) -> Engine:
    """Return the problem's way to search; its steps give up, by raising `Stopped`, when a flag is set."""
    method = problem.settings.method
    if method == "enumeration":
        return Enumeration(problem)
    if method == "explore":
        return Explorer(problem, evaluator=Evaluator(problem, stop=stop))
    if method == "random-pivots":
        return Search(problem.with_settings(pivot_temperature=math.inf), stop=stop)
    return Search(problem, stop=stop)


def chain_infos(problem: Problem, seed: int, chain: int) -> Iterator[Info]:
    """Iterate one chain by the problem's method."""
    engine, rng = engine_of(problem), chain_generator(seed, chain)
    state = engine.start()
    while not engine.over(state):
        state, info = engine.step(rng, state)
        yield info
