"""Who is in haste plans as if every step were the last; what comes of it is what happens in the world."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from demospec.plan.along_tree import along_tree
from demospec.plan.base import ACCEPTED
from demospec.plan.monitor import make_monitor
from demospec.plan.policy import choice_logs
from demospec.plan.rationality import AgentPoint
from demospec.plan.sample import sample_path
from demospec.plan.tabular import PLANNER, ManyScores, TabularPlanner
from demospec.tasks import DFA
from demospec.testing.small_worlds import random_dfa, random_mdp
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
HASTE = 0.3


def fearful(world: MDP, haste: float) -> MDP:
    """Return the world in which what is feared is true: episodes do end so soon."""
    end = world.episode.end_probability
    episode = Episode(horizon=world.horizon, end_probability=1 - (1 - end) * (1 - haste))
    return replace(world, episode=episode)


def satisfied(world: MDP, feared: MDP, task: DFA, rationality: float) -> float:
    """Return p_sat by the book: the policy of the feared world, followed path by path in the world."""
    monitor = make_monitor(task, merge_repeats=False)
    plan = PLANNER.plan(feared, monitor, rationality)

    def after(state: int, time: int, node: int) -> float:
        pairs, log_chances = choice_logs(plan, time, node, state)
        total = 0.0
        for pair, log_chance in zip(pairs, log_chances.tolist(), strict=True):
            for reached, chance in world.outcomes(pair):
                then = plan.read(node, reached)
                ends = world.end_chance(reached, time + 1)
                worth = ends * monitor.accepting[then]
                if ends < 1:
                    worth += (1 - ends) * after(reached, time + 1, then)
                total += math.exp(log_chance) * chance * worth
        return total

    return math.fsum(chance * after(state, 0, plan.read(0, state)) for state, chance in world.starts)


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_the_feared_world_and_chances_those_of_the_world(
    seed: int, by_numpy: bool
) -> None:
    rng = np.random.default_rng(seed)
    world = random_mdp(rng, letters=LETTERS, horizon=4, end_probability=0.1)
    task = random_dfa(rng, LETTERS, 3)
    monitor = make_monitor(task, merge_repeats=False)
    feared = fearful(world, HASTE)
    hasty = TabularPlanner(by_numpy=by_numpy).plan(world.felt_by(AgentPoint(0.0, haste=HASTE)), monitor, 3.0)
    wanted = PLANNER.plan(feared, monitor, 3.0)
    assert hasty.expected_value() == pytest.approx(wanted.expected_value(), rel=1e-12)
    for state, _ in world.starts:
        node = hasty.read(0, state)
        assert choice_logs(hasty, 0, node, state)[1] == pytest.approx(choice_logs(wanted, 0, node, state)[1])
    assert hasty.expected_chance(ACCEPTED) == pytest.approx(satisfied(world, feared, task, 3.0))


@pytest.mark.parametrize("by_numpy", [False, True])
def test_surprises_of_choices_are_those_of_the_plan(by_numpy: bool) -> None:
    world = gridworld(["..a", ".b.", "..."], start=(1, 3), episode=Episode(horizon=6))
    task = DFA.parse(">0: a→1 | *1:", LETTERS)
    plan = PLANNER.plan(
        world.felt_by(AgentPoint(0.0, haste=HASTE)), make_monitor(task, merge_repeats=False), 20.0
    )
    rng = np.random.default_rng(0)
    scene = Scene(world=world, demonstrations=tuple(sample_path(plan, rng) for _ in range(4)))
    scores = ManyScores(scene.tree, LETTERS, merge_repeats=False, planner=TabularPlanner(by_numpy=by_numpy))
    monitors, which = scores.reading([task])
    nats, chance = scores.of_choices(monitors, AgentPoint(20.0, haste=HASTE))
    assert nats[which[0]] == pytest.approx(
        -along_tree(scene.tree, plan).log_edge[scores.choice_nodes], abs=1e-9
    )
    assert chance[which[0]] == pytest.approx(plan.satisfaction_probability)


def test_who_is_in_haste_goes_straight_there() -> None:
    world = gridworld(["....a"], start=(3, 1), episode=Episode(horizon=8))
    monitor = make_monitor(DFA.parse(">0: a→1 | *1:", ("a",)), merge_repeats=False)
    start = world.starts[0][0]
    right = []
    for haste in (0.0, 0.2):
        pairs, log_chances = choice_logs(
            PLANNER.plan(world.felt_by(AgentPoint(0.0, haste=haste)), monitor, 100.0), 0, 0, start
        )
        right.append(
            math.exp(dict(zip(map(world.action, pairs), log_chances.tolist(), strict=True))["right"])
        )
    assert right[0] < 0.7
    assert right[1] > 0.99


def test_without_haste_the_world_is_the_same() -> None:
    world = gridworld(["a.."], start=(3, 1), episode=Episode(horizon=3))
    assert world.felt_by(AgentPoint(5.0)) is world
    assert world.felt_by(AgentPoint(5.0, haste=0.1)) is world.felt_by(AgentPoint(7.0, haste=0.1))
