"""Strata that are complete: the belief over small classes against their enumeration, word by word."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import demospec
from demospec.belief import Belief
from demospec.explain.evidence import Evidence
from demospec.explain.score import Score, scores_of
from demospec.explain.setup import resolve
from demospec.plan.rationality import Fixed, Learned
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.search.moves.automata import small_automata
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import parse
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode
from stepping import short_ones

LETTERS = ("a", "b")
WORDS = [word for length in range(6) for word in product(LETTERS, repeat=length)]


def problem_of(text: str, seed: int, rationality: float) -> Problem:
    world = gridworld(["a..b", "....", "b..a"], start=(2, 2), episode=Episode(horizon=7))
    bare = Problem.of(world, merge_repeats=True, agent=Fixed(rationality), code="words")
    shown = demospec.sample(bare, parse(text, LETTERS), count=3, seed=seed)
    return replace(bare.with_demonstrations(shown), agent=Learned())


def enumerated(problem: Problem, tasks: list[Task]) -> Belief:
    """Return the belief over tasks that are all looked at with every agent."""
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    found = Evidence(problem, PLANNER, agent).everywhere([task.automaton for task in tasks])
    return Belief.of(problem, scores_of(problem, tasks, found))


def restricted(result: demospec.Result, tasks: list[Task]) -> Belief:
    """Return what a search believes of some tasks alone."""
    languages = {task.automaton for task in tasks}
    scores: list[Score] = [
        score for row in result.trace for score in row.info.scored if score.language in languages
    ]
    return Belief.of(result.problem, scores)


@pytest.mark.parametrize(
    ("text", "seed", "rationality"),
    [("reach a", 0, 10.0), ("a, then b", 1, 40.0), ("never b", 2, 5.0), ("anything", 3, 10.0)],
)
def test_the_belief_is_that_of_the_enumeration(text: str, seed: int, rationality: float) -> None:
    problem = problem_of(text, seed, rationality)
    result = demospec.learn(problem, seed=0)
    said: dict[DFA, Task] = {task.automaton: task for task in short_ones(problem, 8)}
    small: dict[DFA, Task] = {task: said.get(task, task) for task in small_automata(LETTERS, 8)}
    for stratum in (said, small):
        tasks = list(stratum.values())
        exact, learned = enumerated(problem, tasks), restricted(result, tasks)
        difference = np.abs(exact.acceptances(WORDS) - learned.acceptances(WORDS))
        assert difference.max() < 0.02, (text, WORDS[int(difference.argmax())])
