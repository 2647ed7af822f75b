"""Small random problems, and some steps of the default search on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.search.best_first import Explored, Explorer
from demospec.search.engine import Info, chain_generator
from demospec.testing.small_worlds import random_demonstrations, random_mdp

LETTERS = ("a", "b")


def random_problem(seed: int, **more: Any) -> Problem:
    rng = np.random.default_rng([seed, 11])
    mdp = random_mdp(
        rng, states=5, letters=LETTERS, horizon=4, end_probability=0.1 * (seed % 2), terminal=seed % 3 == 0
    )
    shown = random_demonstrations(rng, mdp, 4)
    return Problem.of(
        mdp,
        shown,
        alphabet=LETTERS,
        agent=Fixed(5.0),
        merge_repeats=bool(seed % 2),
        **more,
    )


def steps(problem: Problem, count: int, seed: int = 0) -> tuple[Explorer, Explored, list[Info]]:
    engine, rng = Explorer(problem), chain_generator(seed, 0)
    state, infos = engine.start(), []
    for _ in range(count):
        state, info = engine.step(rng, state)
        infos.append(info)
    return engine, state, infos
