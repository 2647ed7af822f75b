"""A chain of a search by hand: what every step did, without rounds, workers or journals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from demospec.problem import Problem
from demospec.runs.chains import engine_of
from demospec.search.engine import Engine, Info, chain_generator
from demospec.search.moves.sentences import pairs_of, single_ones
from demospec.tasks import Task


def infos_of(engine: Engine, rng: np.random.Generator) -> Iterator[Info]:
    """Yield what each step of an engine does, until it is over."""
    state = engine.start()
    while not engine.over(state):
        state, info = engine.step(rng, state)
        yield info


def chain_infos(problem: Problem, seed: int = 0, chain: int = 0) -> Iterator[Info]:
    """Iterate one chain by the problem's method."""
    return infos_of(engine_of(problem), chain_generator(seed, chain))


def short_ones(problem: Problem, largest: int) -> list[Task]:
    """Return no clause, every clause and every pair, each language once."""
    pairs = [task for accepting in (True, False) for task in pairs_of(problem, largest, accepting=accepting)]
    return [*single_ones(problem), *pairs]
