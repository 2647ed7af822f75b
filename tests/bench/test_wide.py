"""The wide suite: what is planted, who shows it, and a tiny sweep from one end to the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from demospec.errors import InputError
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MOST_RATIONAL
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.worlds.gridworld import GridWorld, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path
from demospec.worlds.world import STOP, Episode
from recover import run_cases
from recovery.wide_cases import (
    BY_NAME,
    DEMONSTRATORS,
    LEARNERS,
    PARTS,
    PERIOD,
    Demonstrator,
    WideCase,
    WideSweep,
    check_learner,
    follow,
)
from recovery.wide_learners import learn_among, planted_tasks
from recovery.wide_run import Acting, WideRow, run
from recovery.wide_worlds import CLEARLY, KINDS, RATIONALITY, REACHABLE, TASKS, WORLDS, satisfied, world_for

LONG = 600.0
REACH_A = DFA.parse(">0: a→1 | *1:", "abc")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_period_meets_every_combination_once() -> None:
    cases = [WideCase("choose", number, 0, 1, "irl") for number in range(PERIOD)]
    met = {(case.world, case.wanted.name, case.demonstrator.name) for case in cases}
    assert len(met) == PERIOD == len(WORLDS) * len(TASKS) * len(DEMONSTRATORS)
    assert len(KINDS) == 7


def test_parts_share_neither_places_nor_draws() -> None:
    places = [{WideCase(part, k, 0, 1, "irl").place for k in range(PERIOD // 2)} for part in PARTS]
    assert not places[0] & places[1]
    draws = {
        tuple(WideCase(part, k, s, 1, "irl").rng(1).random(3))
        for part in PARTS
        for k in (0, 1)
        for s in (0, 1)
    }
    assert len(draws) == 4 * len(PARTS)


def test_tasks_read_three_to_five_letters() -> None:
    for number in range(2 * len(TASKS)):
        case = WideCase("held-out", number, 0, 1, "irl")
        assert 3 <= len(case.truth.alphabet) <= 5
        assert not case.truth.is_empty()


@pytest.mark.parametrize("kind", WORLDS)
def test_a_task_can_be_pursued_in_its_world(kind: str) -> None:
    task = TASKS[0].task("abcd")
    world = world_for(kind, task, rng())
    assert satisfied(world, task, MOST_RATIONAL) >= REACHABLE
    assert satisfied(world, task, RATIONALITY) >= satisfied(world, task, 0.0) + CLEARLY
    chosen = world_for(kind, task, rng(), "by choice")  # the same, but for the end
    count = len(world.states)
    assert (chosen.states[:count], chosen.labels[:count]) == (world.states, world.labels)
    assert chosen.actions == (*world.actions, STOP)


def test_kinds_of_worlds() -> None:
    sparse = world_for("sparse", REACH_A, rng())
    assert (len(sparse.states), len(sparse.actions), len(sparse.pair_action)) == (30, 3, 90)
    assert np.diff(sparse.outcome_offset).max() <= 3
    windy = world_for("slippery", REACH_A, rng())
    assert isinstance(windy, GridWorld)
    assert windy.wind is not None
    assert 0.2 <= windy.wind.probability <= 0.3
    office = world_for("office", REACH_A, rng())
    assert len(office.states) == 6 * 9 + 7  # rooms and doors
    seen, todo = {office.start}, [office.start]
    while todo:
        for pair in office.pairs(todo.pop()):
            for reached, _ in office.outcomes(pair):
                if reached not in seen:
                    seen.add(reached)
                    todo.append(reached)
    assert len(seen) == len(office.states)


@pytest.mark.parametrize("who", DEMONSTRATORS, ids=lambda one: one.name)
def test_demonstrations_are_paths_of_the_world(who: Demonstrator) -> None:
    world = world_for("slippery", REACH_A, rng(), who.ends)
    paths = who.paths(world, REACH_A, who.rationality(10.0), 4, rng(1))
    assert len(paths) == 4
    for path in paths:
        assert read_path(world, path.named(world), complete=path.complete) == path
        assert path.complete != who.cut
    assert paths == who.paths(world, REACH_A, who.rationality(10.0), 4, rng(1))


def corridor() -> MDP:
    return gridworld(["....a....b..c"], start=(1, 1), episode=Episode(horizon=12))


def test_the_shortest_path_is_short() -> None:
    who, world = BY_NAME["shortest path"], corridor()
    for path in who.paths(world, REACH_A, who.rationality(10.0), 5, rng()):
        assert [world.action(pair) for pair, _ in path.steps[:4]] == ["right"] * 4
        assert len(path.steps) == 12


def test_somebody_who_may_stop_does_so_when_done() -> None:
    who = BY_NAME["stopped when done"]
    world = gridworld(["..a..bc"], start=(1, 1), episode=Episode(horizon=12, ends="by choice"))
    for path in who.paths(world, REACH_A, who.rationality(10.0), 5, rng()):
        assert world.action(path.steps[-1][0]) == STOP
        assert path.word(world, merge_repeats=True) == ("a",)
        assert len(path.steps) < 8  # of the three that it takes; the horizon is 12


def test_slips_and_detours_are_even_choices() -> None:
    world = corridor()
    plan = BY_NAME["shortest path"].plan(world, REACH_A, MOST_RATIONAL)
    draw = rng()
    first = [world.action(follow(world, plan, draw, slip=1.0).steps[0][0]) for _ in range(200)]
    assert all(30 <= first.count(action) <= 70 for action in world.actions)
    detours = [follow(world, plan, draw, detour=1) for _ in range(200)]
    assert {world.action(path.steps[0][0]) for path in detours} == {"right"}
    second = [world.action(path.steps[1][0]) for path in detours]
    assert all(30 <= second.count(action) <= 70 for action in world.actions)


def test_the_model_is_the_model() -> None:
    world = world_for("sparse", REACH_A, rng())
    plan = BY_NAME["model"].plan(world, REACH_A, 10.0)
    monitor = make_monitor(REACH_A, merge_repeats=True)
    draw = rng()
    paths = [follow(world, plan, draw) for _ in range(300)]
    often = np.mean([REACH_A.accepts(path.word(world, merge_repeats=True)) for path in paths])
    assert often == pytest.approx(PLANNER.plan(world, monitor, 10.0).satisfaction_probability, abs=0.08)


def test_the_aimless_walk_evenly() -> None:
    world = corridor()
    acting = Acting(world.tolled(3.0), 50.0, 3.0, REACH_A).aimless
    plan = PLANNER.plan(acting.world, make_monitor(REACH_A, merge_repeats=True), acting.rationality)
    first = [world.action(follow(world, plan, rng(k)).steps[0][0]) for k in range(200)]
    assert all(30 <= first.count(action) <= 70 for action in world.actions)
    problem = Problem.of(world, (), alphabet="abc", merge_repeats=True)
    assert acting.words(problem, REACH_A, rng()) == acting.words(problem, REACH_A, rng())


def test_learners_are_checked() -> None:
    assert [check_learner(name) for name in LEARNERS] == list(LEARNERS)
    with pytest.raises(InputError, match=r'learner "paper." is none of .*did you mean "paper"'):
        check_learner("papers")


def test_who_knows_the_list_finds_what_was_planted() -> None:
    case = WideCase("choose", 0, 1, 10, "oracle")
    _, problem = case.plant()
    found = learn_among(problem)
    assert found[0][0] == case.truth.minimal
    assert found[0][1] > 0.5
    every = planted_tasks(("a", "b", "c", "d"))
    assert sum(every.values()) == pytest.approx(1)
    swapped = TASKS[0].task("abcd"), DFA.parse(">0: b→1 | 1: a→2 | *2:", "abcd")
    assert every[swapped[0].minimal] == every[swapped[1].minimal] == pytest.approx(1 / len(TASKS) / 12)


def timeless(row: WideRow) -> WideRow:
    return replace(row, seconds=0.0, processor_seconds=0.0)


def test_a_tiny_sweep_is_the_same_again() -> None:
    sweep = WideSweep("choose", 1, (2,), (1, 2), ("paper", "irl"), LONG)
    rows: list[WideRow] = []
    run_cases(run, sweep, progress=rows.append)
    assert [(row.demonstrations, row.learner) for row in rows] == [
        (1, "paper"),
        (1, "irl"),
        (2, "paper"),
        (2, "irl"),
    ]
    assert len(rows) == len(sweep)
    for row in rows:
        assert (row.world, row.task, row.demonstrator) == ("grid", "a, then b", "model")
        assert row.share >= 0
        assert (row.believed is None) == (row.learner == "irl")
        if row.believed is not None:
            assert row.believed.complete
            assert 0 <= row.believed.probability <= 1
            assert sum(one.count for one in row.believed.word_bins) == 100
            assert row.believed.truth_probability <= row.believed.shown_probability <= 1
            assert row.believed.credible.labels_hold == (row.believed.credible.covers == 1)
    again: list[WideRow] = []
    run_cases(run, sweep, progress=again.append, stop=lambda: len(again) == 2)
    assert [timeless(row) for row in again] == [timeless(row) for row in rows[:2]]


def test_tasks_of_the_prior_are_drawn_with_a_world_and_are_the_same_again() -> None:
    seen = set()
    for number in range(4):
        case, again = (WideCase("prior", number, 0, 2, "default") for _ in range(2))
        name, kind, truth, world = case.planted
        assert kind == "drawn"
        assert truth.states > 1
        assert satisfied(world, truth, MOST_RATIONAL) >= 0.6
        assert again.planted[:3] == (name, kind, truth)
        seen.add(name)
    assert len(seen) > 1
