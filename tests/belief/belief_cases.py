"""Small problems, tasks and beliefs, and the divergence of two agents by its definition."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from demospec.belief import Belief
from demospec.explain.score import Evaluator
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.by_enumeration import ByEnumeration
from demospec.testing.worlds import random_demonstrations, random_dfa, random_mdp

LETTERS = ("a", "b")


def some_problem(seed: int, *, horizon: int = 3, alphabet: Sequence[str] = LETTERS) -> Problem:
    """Make a small problem; a few seeds cover all kinds of ends, luck and merged repeats."""
    rng = np.random.default_rng([seed, 5])
    mdp = random_mdp(
        rng,
        states=4,
        actions=2,
        same_actions=True,
        letters=LETTERS,
        horizon=horizon,
        end_probability=0.2 * (seed % 2),
        terminal=seed % 3 == 0,
        outcomes=1 + seed % 2,
    )
    return Problem.of(
        mdp,
        demonstrations=random_demonstrations(rng, mdp, 3),
        alphabet=tuple(alphabet),
        agent=Fixed(5.0),
        merge_repeats=seed % 4 < 2,
    )


def some_tasks(seed: int, count: int, letters: Sequence[str] = LETTERS) -> list[DFA]:
    """Draw minimal automata of two to four states before they are minimised."""
    rng = np.random.default_rng([seed, 6])
    return [random_dfa(rng, letters, 2 + k % 3).minimal for k in range(count)]


def belief_in(problem: Problem, tasks: Iterable[DFA]) -> Belief:
    """Score tasks and believe in them."""
    return Belief.of(problem, Evaluator(problem).scores(list(tasks)))


def divergence(
    problem: Problem, tasks: Sequence[DFA], rationalities: Sequence[float], i: int, j: int
) -> float:
    """Return Σ Pr₁(ξ)·ln(Pr₁(ξ) / Pr₂(ξ)) over all complete paths ξ."""
    one, two = (
        ByEnumeration(problem.mdp, tasks[k], rationalities[k], merge_repeats=problem.merge_repeats)
        for k in (i, j)
    )
    return math.fsum(
        chance * (one.log_probability(path) - two.log_probability(path))
        for path, chance in one.continuations()
    )
