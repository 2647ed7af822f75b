"""Effort: steps cost the agent something; against all paths of a small world, one by one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from demospec.plan.along_tree import along_tree
from demospec.plan.monitor import make_monitor
from demospec.plan.policy import choice_logs
from demospec.plan.rationality import AgentPoint
from demospec.plan.sample import Sampler
from demospec.plan.tabular import ManyScores, TabularPlanner
from demospec.tasks import DFA
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
REACH = DFA.parse(">0: a→1 | *1: b→0", LETTERS)


@pytest.fixture(scope="module")
def world() -> MDP:
    made = MDP.build(
        [
            ("s", "go", {"t": 0.75, "u": 0.25}),
            ("s", "wait", {"s": 1}),
            ("t", "go", {"u": 1}),
            ("t", "back", {"s": 0.5, "end": 0.5}),
            ("u", "go", {"end": 1}),
            ("u", "wait", {"u": 1}),
            ("u", "back", {"t": 1}),
        ],
        start="s",
        episode=Episode(horizon=4, end_probability=0.125),
        labels={"t": "a", "u": "b"},
        terminal=["end"],
    )
    return replace(made, costs=None).tolled(0.7)  # waiting costs as much as anything else


def value(world: MDP, state: int, time: int, node: int, rationality: float) -> float:
    """Return V by the book: every path from here, one by one, with the toll of each action."""
    return math.log(
        math.fsum(math.exp(q) for q in action_values(world, state, time, node, rationality).values())
    )


def action_values(world: MDP, state: int, time: int, node: int, rationality: float) -> dict[int, float]:
    found = {}
    for pair in world.pairs(state):
        assert world.toll is not None
        total = -float(world.toll[pair])
        for reached, chance in world.outcomes(pair):
            label = world.label(reached)
            after = node if label is None else REACH.run([label], node)
            ends = world.end_chance(reached, time + 1)
            total += chance * ends * rationality * REACH.accepting[after]
            if ends < 1:
                total += chance * (1 - ends) * value(world, reached, time + 1, after, rationality)
        found[pair] = total
    return found


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("rationality", [0.0, 3.0, 40.0])
def test_values_and_choices_are_those_of_all_paths(world: MDP, by_numpy: bool, rationality: float) -> None:
    planner = TabularPlanner(by_numpy=by_numpy)
    plan = planner.plan(world, make_monitor(REACH, merge_repeats=False), rationality)
    start = world.starts[0][0]
    for node in (0, 1):
        wanted = value(world, start, 1, node, rationality)
        assert plan.value(1, node, start) == pytest.approx(wanted, rel=1e-12)
        pairs, log_chances = choice_logs(plan, 1, node, start)
        expected = action_values(world, start, 1, node, rationality)
        assert log_chances == pytest.approx([expected[pair] - wanted for pair in pairs], rel=1e-9)
        weights = Sampler(plan, np.random.default_rng(0)).weigh(1, node, start)
        assert weights == pytest.approx({pair: math.exp(expected[pair] - wanted) for pair in pairs})


@pytest.mark.parametrize("by_numpy", [False, True])
def test_surprises_of_choices_add_up(world: MDP, by_numpy: bool) -> None:
    steps = [("go", "t"), ("back", "s"), ("go", "u"), ("go", "end")]
    names = list(world.states)
    path, state = [], 0
    for action, reached in steps:
        pair = next(p for p in world.pairs(state) if world.action(p) == action)
        state = names.index(reached)
        path.append((pair, state))
    bare = world.tolled(0.0)
    scene = Scene(world=bare, demonstrations=(Path(tuple(path), complete=True),) * 2)
    scores = ManyScores(scene.tree, LETTERS, merge_repeats=False, planner=TabularPlanner(by_numpy=by_numpy))
    tasks = [REACH, DFA.constant(LETTERS, True), ~REACH]
    monitors, which = scores.reading(tasks)
    nats, satisfied = scores.of_choices(monitors, AgentPoint(3.0, 0.7))
    for task, row in zip(tasks, which, strict=True):
        plan = TabularPlanner().plan(world, make_monitor(task, merge_repeats=False), 3.0)
        along = along_tree(tree_in(scene.tree, world), plan)
        assert nats[row] == pytest.approx(-along.log_edge[scores.choice_nodes], abs=1e-12)
        assert satisfied[row] == pytest.approx(plan.satisfaction_probability)


def tree_in(tree: PrefixTree, world: MDP) -> PrefixTree:
    """Return the same tree in a world that differs by its tolls alone."""
    return replace(tree, world=world)


def test_without_effort_nothing_changes(world: MDP) -> None:
    bare = world.tolled(0.0)
    assert bare.toll is None
    assert bare.tolled(0.0) is bare
    assert bare.tolled(0.5) is bare.tolled(0.5)


def test_who_pays_for_steps_hurries(world: MDP) -> None:
    monitor = make_monitor(DFA.constant(LETTERS, True), merge_repeats=False)
    ends = []
    for effort in (0.0, 2.0):
        plan = TabularPlanner().plan(world.tolled(effort), monitor, 1.0)
        state = list(world.states).index("u")
        pairs, log_chances = choice_logs(plan, 2, 0, state)
        chances = dict(zip(map(world.action, pairs), np.exp(log_chances).tolist(), strict=True))
        ends.append(chances["go"])
    assert ends[1] > ends[0]
