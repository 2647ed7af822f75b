"""Small problems and beliefs to ask about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from demospec.belief import Belief
from demospec.explain.acting import sample
from demospec.explain.score import evaluate
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.worlds import random_demonstrations, random_dfa, random_mdp
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
MAP = ("a..", "...", "..b")


def random_problem(seed: int, *, horizon: int = 3, **more: Any) -> Problem:
    """A random world of four states with two demonstrations; every kind of ending occurs."""
    rng = np.random.default_rng([seed, 31])
    ends = {"end_probability": 0.2 * (seed % 2), "terminal": int(seed % 3 == 0)}
    mdp = random_mdp(rng, states=4, actions=2, letters=LETTERS, horizon=horizon, **ends)  # type: ignore[arg-type]
    return Problem.of(
        mdp,
        demonstrations=random_demonstrations(rng, mdp, 2),
        alphabet=LETTERS,
        agent=Fixed(3.0),
        merge_repeats=seed % 4 < 2,
        **more,
    )


def random_tasks(seed: int, count: int) -> list[DFA]:
    """Different automata."""
    rng = np.random.default_rng([seed, 32])
    found: dict[DFA, None] = {}
    while len(found) < count:
        found.setdefault(random_dfa(rng, LETTERS, int(rng.integers(1, 4))).minimal)
    return list(found)


def belief_in(problem: Problem, tasks: Sequence[DFA]) -> Belief:
    """The belief over some tasks."""
    return Belief.of(problem, [evaluate(problem, task).score for task in tasks])


def corner_world(task: DFA, **more: Any) -> Problem:
    """Nine cells, a and b in opposite corners; one demonstration of a task, from the middle."""
    mdp = gridworld(MAP, start=(2, 2), episode=Episode(horizon=7))
    bare = Problem.of(mdp, agent=Fixed(8.0), merge_repeats=True, grid=MAP, name="corners", **more)
    shown = tuple(sample(bare, task, seed=0))
    return bare.with_demonstrations(shown).with_settings(iterations=6)
