"""Small problems and beliefs to ask about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from all_paths import enumerate_paths
from demospec.ask.dialogue import Dialogue
from demospec.ask.labels import LabelQuestion
from demospec.ask.run_questions import RunQuestion
from demospec.belief import Belief
from demospec.explain.pursuing import sample
from demospec.explain.score import evaluate
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.testing.small_worlds import random_demonstrations, random_dfa, random_mdp
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
MAP = ("a..", "...", "..b")


def random_problem(seed: int, *, horizon: int = 3, starts: int = 1, **more: Any) -> Problem:
    """A random world of four states with two demonstrations; every kind of ending occurs."""
    return Problem(
        scenes=(random_scene(seed, horizon=horizon, starts=starts),),
        alphabet=LETTERS,
        agent=Fixed(3.0),
        merge_repeats=seed % 4 < 2,
        **more,
    )


def random_scene(seed: int, *, horizon: int = 3, starts: int = 1, name: str = "world") -> Scene:
    """A random world of four states with two demonstrations."""
    rng = np.random.default_rng([seed, 31])
    ends = {"end_probability": 0.2 * (seed % 2), "terminal": int(seed % 3 == 0)}
    mdp = random_mdp(rng, states=4, actions=2, letters=LETTERS, horizon=horizon, **ends)  # type: ignore[arg-type]
    shown = random_demonstrations(rng, mdp, 2)
    if starts > 1:
        begin = np.flatnonzero(~mdp.terminal)[:starts].tolist()
        shown = tuple(replace(path, start=mdp.start) for path in shown)
        mdp = replace(mdp, starts=tuple((state, 1 / len(begin)) for state in begin))
    return Scene(world=mdp, demonstrations=shown, name=name)


def every_path(mdp: MDP) -> list[Path]:
    """All complete paths of a small world, from each of its start states."""
    if len(mdp.starts) == 1:
        return enumerate_paths(mdp)
    return [
        replace(path, start=state)
        for state, _ in mdp.starts
        for path in enumerate_paths(replace(mdp, starts=((state, 1.0),)))
    ]


def two_worlds(seed: int, **more: Any) -> Problem:
    """Two random worlds, each with its demonstrations."""
    return Problem(
        scenes=(random_scene(seed, name="first"), random_scene(seed + 50, name="second", starts=2)),
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


def corner_world(task: DFA, horizon: int = 7, **more: Any) -> Problem:
    """Nine cells, a and b in opposite corners; one demonstration of a task, from the middle."""
    world = gridworld(MAP, start=(2, 2), episode=Episode(horizon=horizon))
    bare = Problem.of(world, agent=Fixed(8.0), merge_repeats=True, name="corners", **more)
    shown = tuple(sample(bare, task, seed=0))
    return bare.with_demonstrations(shown).with_settings(iterations=6)


def word_asked(dialogue: Dialogue) -> Word:
    """The word that a dialogue about labels asks about."""
    assert isinstance(dialogue.question, LabelQuestion)
    return dialogue.question.word


def run_asked(dialogue: Dialogue) -> RunQuestion:
    """The run that a dialogue asks for."""
    assert isinstance(dialogue.question, RunQuestion)
    return dialogue.question
