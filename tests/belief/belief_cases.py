"""Small problems, tasks and beliefs; all paths one by one, and the divergence of two agents by definition."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from all_paths import enumerate_paths
from demospec.belief import Belief
from demospec.explain.evaluator import Evaluator
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.testing.small_worlds import ByEnumeration, random_demonstrations, random_dfa, random_mdp
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene

LETTERS = ("a", "b")
Kind = Literal["one", "starts", "worlds"]
KINDS: tuple[Kind, ...] = ("one", "starts", "worlds")


def some_world(seed: int, *, horizon: int = 3, states: int = 4) -> MDP:
    """Make a small world; a few seeds cover all kinds of ends and of chance."""
    return random_mdp(
        np.random.default_rng([seed, 5]),
        states=states,
        actions=2,
        same_actions=True,
        letters=LETTERS,
        horizon=horizon,
        end_probability=0.2 * (seed % 2),
        terminal=seed % 3 == 0,
        outcomes=1 + seed % 2,
    )


def some_problem(
    seed: int, *, horizon: int = 3, alphabet: Sequence[str] = LETTERS, kind: Kind = "one"
) -> Problem:
    """Make a small problem; a few seeds cover all kinds of ends, luck and merged repeats.

    It has one world with one start state; or one with two; or two worlds, of which the second has two start
    states and half as many demonstrations.
    """
    mdp = some_world(seed, horizon=horizon)
    rng = np.random.default_rng([seed, 55])
    scenes = [Scene(world=mdp, demonstrations=random_demonstrations(rng, mdp, 4), name="first")]
    if kind != "one":
        two = two_starts(some_world(seed + 7, horizon=horizon, states=3) if kind == "worlds" else mdp)
        shown = tuple(
            replace(path, start=state)
            for state, _ in two.starts
            for path in random_demonstrations(rng, beginning_in(two, state), 1)
        )
        scenes = [
            *(scenes if kind == "worlds" else []),
            Scene(world=two, demonstrations=shown, name="second"),
        ]
    return Problem(
        scenes=tuple(scenes), alphabet=tuple(alphabet), agent=Fixed(5.0), merge_repeats=seed % 4 < 2
    )


def two_starts(mdp: MDP) -> MDP:
    """Return the world in which episodes begin in either of two states."""
    return replace(mdp, starts=((1, 0.3), (0, 0.7)))


def beginning_in(mdp: MDP, state: int) -> MDP:
    """Return the world in which all episodes begin in one state."""
    return replace(mdp, starts=((state, 1.0),))


def all_paths(mdp: MDP) -> Iterator[Path]:
    """Yield all complete paths of a world from each of its start states."""
    for state, _ in mdp.starts:
        for path in enumerate_paths(beginning_in(mdp, state)):
            yield path if len(mdp.starts) == 1 else replace(path, start=state)


def whole_words(problem: Problem) -> dict[Word, set[str]]:
    """Return the words of whole episodes, and the names of the worlds that have them."""
    found: dict[Word, set[str]] = {}
    for scene in problem.scenes:
        for path in all_paths(scene.mdp):
            found.setdefault(problem.word(path, scene), set()).add(scene.name)
    return found


def histories(problem: Problem) -> Iterator[tuple[Scene, Path]]:
    """Yield the beginnings of all paths of all worlds, whole episodes included."""
    for scene in problem.scenes:
        for path in all_paths(scene.mdp):
            for steps in range(len(path.steps) + 1):
                yield scene, path.upto(steps)


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
    """Return Σ Pr₁(ξ)·ln(Pr₁(ξ) / Pr₂(ξ)) over all complete paths ξ, in the world where it is largest."""
    return max(divergences(problem, tasks, rationalities, i, j))


def divergences(
    problem: Problem, tasks: Sequence[DFA], rationalities: Sequence[float], i: int, j: int
) -> list[float]:
    """Return the divergence in each world."""
    return [
        math.fsum(
            share * chance * (one.log_probability(path) - two.log_probability(path))
            for state, share in scene.mdp.starts
            for one, two in [
                [
                    ByEnumeration(
                        beginning_in(scene.mdp, state),
                        tasks[k],
                        rationalities[k],
                        merge_repeats=problem.merge_repeats,
                    )
                    for k in (i, j)
                ]
            ]
            for path, chance in one.continuations()
        )
        for scene in problem.scenes
    ]
