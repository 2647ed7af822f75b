"""Divergences of agents in haste, against those of agents without haste and against all paths one by one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from all_paths import enumerate_paths, environment_probability
from demospec.belief.answers import Answer
from demospec.belief.distance import Agents
from demospec.explain.score import evaluate
from demospec.plan.base import Plan
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MOST_RATIONAL, AgentPoint
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.small_worlds import random_dfa, random_mdp
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import Ends, Episode
from recovery.wide_cases import BY_NAME, HURRY
from recovery.wide_measures import BEHAVES, HastyAgents, nearness
from recovery.wide_worlds import hurried

HASTE = 0.3
LETTERS = ("a", "b")
LINES = (
    ">0: a→1, b→2 | *1: b→2 | 2:",
    ">0: a→1 | *1:",
    ">0: a→1 | 1: b→2 | *2:",
    ">*0: a→1 | 1: a→0",
    ">*0:",
)
TASKS = tuple(DFA.parse(line, LETTERS) for line in LINES)
PAIRS = [(i, j) for i in range(len(TASKS)) for j in range(len(TASKS))]


def windy(ends: Ends, end_probability: float = 0.0) -> MDP:
    episode = Episode(horizon=9, end_probability=end_probability, ends=ends)
    wind = Wind(direction="down", probability=0.25)
    return gridworld(["a..b", "....", "b.a."], start=(2, 2), episode=episode, wind=wind)


def asked_about(*worlds: MDP, merge_repeats: bool = True) -> Problem:
    scenes = tuple(Scene(world=world, name=f"world {k}") for k, world in enumerate(worlds))
    return replace(Problem.of(worlds[0], (), alphabet=LETTERS, merge_repeats=merge_repeats), scenes=scenes)


@pytest.mark.parametrize("rationality", [5.0, 200.0])
@pytest.mark.parametrize("effort", [0.0, 0.7])
@pytest.mark.parametrize("ends", ["by chance", "by choice"])
def test_without_haste_it_is_the_divergence_that_telescopes(
    ends: Ends, effort: float, rationality: float
) -> None:
    sparse = random_mdp(np.random.default_rng(3), states=6, horizon=7, end_probability=0.1, starts=2)
    for problem in (
        asked_about(windy(ends)),
        asked_about(windy(ends), sparse),
        asked_about(sparse, merge_repeats=False),
    ):
        expected = Agents(problem, TASKS, [rationality] * len(TASKS), effort=effort).divergences(PAIRS)
        found = HastyAgents(problem, TASKS, AgentPoint(rationality, effort)).divergences(PAIRS)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert expected.max() > 1


def log_policy(plan: Plan, time: int, monitor: int, pairs: range) -> Floats:
    """Return ln π of all pairs of a state, from nothing but what choosing each of them is worth."""
    count = len(pairs)
    worth = plan.action_values(np.full(count, time), np.full(count, monitor), np.array(pairs))
    chances: Floats = worth - np.logaddexp.reduce(worth)
    return chances


def log_chance(plan: Plan, world: MDP, path: Path) -> float:
    """Return the sum of ln π along a path."""
    state, total = path.first(world), 0.0
    monitor = plan.read(0, state)
    for time, (pair, reached) in enumerate(path.steps):
        pairs = world.pairs(state)
        total += log_policy(plan, time, monitor, pairs)[pairs.index(pair)]
        state, monitor = reached, plan.read(monitor, reached)
    return total


def by_paths(world: MDP, first: Plan, second: Plan) -> float:
    terms = []
    for path in enumerate_paths(world):
        mine, other = (log_chance(plan, world, path) for plan in (first, second))
        terms.append(environment_probability(world, path) * math.exp(mine) * (mine - other))
    return math.fsum(terms)


@pytest.mark.parametrize("merge_repeats", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_with_haste_it_is_the_sum_over_all_paths(seed: int, merge_repeats: bool) -> None:
    rng, end, effort = np.random.default_rng(seed), 0.1 * (seed % 2), 0.5 * (seed % 3)
    world = random_mdp(rng, end_probability=end, terminal=seed % 3 == 0, starts=1 + seed % 2)
    tasks = [random_dfa(rng, LETTERS, 3) for _ in range(3)]
    feared = hurried(world.tolled(effort), 1 - (1 - end) * (1 - HASTE))
    plans = [PLANNER.plan(feared, make_monitor(task, merge_repeats=merge_repeats), 8.0) for task in tasks]
    pairs = [(i, j) for i in range(3) for j in range(3)]
    problem = asked_about(world, merge_repeats=merge_repeats)
    found = HastyAgents(problem, tasks, AgentPoint(8.0, effort, HASTE)).divergences(pairs)
    expected = [by_paths(world, plans[i], plans[j]) for i, j in pairs]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_small_worlds_do_tell_haste() -> None:
    world = windy("by chance")
    calm, hasty = (HastyAgents(asked_about(world), TASKS, AgentPoint(8.0, 0.0, one)) for one in (0.0, HASTE))
    assert np.abs(calm.divergences(PAIRS) - hasty.divergences(PAIRS)).max() > 0.1


def test_the_hasty_agent_is_the_demonstrator_who_takes_the_shortest_path() -> None:
    world, task = windy("by chance"), TASKS[2]
    shown = BY_NAME["shortest path"].plan(world, task, MOST_RATIONAL)
    (plans,) = HastyAgents(asked_about(world), [task], AgentPoint(MOST_RATIONAL, 0.0, HURRY)).plans
    pairs = world.pairs(world.start)
    mine, other = (log_policy(plan, 0, plan.read(0, world.start), pairs) for plan in (plans[0], shown))
    assert mine == pytest.approx(other, abs=1e-9)


def test_who_is_in_haste_does_not_show_what_only_wandering_tells() -> None:
    """Where y is near and r is not, who goes straight to y has no use for a rule about r on the way."""
    world = gridworld(["..y...r", "......."], start=(4, 1), episode=Episode(horizon=8))
    reach, before = DFA.parse(">0: y→1 | *1:", "ry"), DFA.parse(">0: y→1, r→2 | *1: | 2:", "ry")
    never = DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", "ry")
    who = BY_NAME["shortest path"]
    shown = who.paths(world, reach, MOST_RATIONAL, 3, np.random.default_rng(0))
    problem = Problem.of(world, shown, alphabet="ry", merge_repeats=True)
    answers = [Answer((evaluate(problem, task).score,), 0.5, is_named=False) for task in (before, never)]
    calm = nearness(problem, answers, 0, reach, MOST_RATIONAL, 0.0)
    assert (calm.shown, calm.alike) == ((False, False), (False, False))
    hasty = nearness(problem, answers, 0, reach, MOST_RATIONAL, 0.0, HURRY)
    assert hasty.alike == (True, False)  # once at y it wanders: a rule for later still counts
    assert hasty.shown == (True, False)
    assert hasty.nats < BEHAVES < calm.nats
    assert nearness(problem, answers, 1, reach, MOST_RATIONAL, 0.0, HURRY).nats > BEHAVES
