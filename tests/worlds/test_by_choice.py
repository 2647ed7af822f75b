"""Episodes that end by choice: all their paths, by enumeration; how they are read, written and merged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_world import Corridor

import demospec
from all_paths import enumerate_paths
from demospec.errors import DemonstrationError, WorldError
from demospec.explain.pursuing import sample
from demospec.explain.score import evaluate
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.small_worlds import random_mdp
from demospec.worlds.gridworld import MOVES, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.quotient import quotient
from demospec.worlds.scene import Scene
from demospec.worlds.simulator import Run, WorldSimulator, estimate
from demospec.worlds.world import STOP, STOPPED, Episode, World, is_stopped
from factored_worlds import rooms

ROWS = ["a.", ".b"]
SEEDS = st.integers(0, 10_000)
A_THEN_B = DFA.parse(">0: a→1 | 1: b→2 | *2:", "ab")


def by_choice(horizon: int) -> Episode:
    return Episode(horizon=horizon, ends="by choice")


def grid(horizon: int = 3) -> Any:
    return gridworld(ROWS, start=(2, 1), episode=by_choice(horizon))


def stoppable(seed: int, horizon: int = 3, terminal: int = 0) -> MDP:
    """Return a random world whose episodes end by choice; without a choice at any time, it ends late."""
    mdp = random_mdp(np.random.default_rng(seed), states=4, letters=("a", "b"), terminal=terminal)
    return MDP.build(
        [
            (name, mdp.action(pair), {mdp.states[s]: p for s, p in mdp.outcomes(pair)})
            for state, name in enumerate(mdp.states)
            for pair in mdp.pairs(state)
        ],
        start=mdp.states[mdp.start],
        episode=by_choice(horizon),
        labels={name: label for name, label in zip(mdp.states, mdp.labels, strict=True) if label},
        terminal=[name for name, ends in zip(mdp.states, mdp.terminal, strict=True) if ends],
        states=mdp.states,
    )


# -- the witness ------------------------------------------------------------------------------------------


def walks(horizon: int) -> Iterator[tuple[list[tuple[str, tuple[int, int]]], bool]]:
    """Yield all that can be done on the map, straight from its rows, and whether it was stopped."""
    todo: list[list[tuple[str, tuple[int, int]]]] = [[]]
    for walk in todo:  # which grows
        column, row = walk[-1][1] if walk else (2, 1)
        if len(walk) == horizon:
            yield walk, False
            continue
        yield walk, True
        for move, (right, down) in MOVES.items():
            cell = (column + right, row + down)
            inside = 1 <= cell[0] <= 2 and 1 <= cell[1] <= 2
            todo.append([*walk, (move, cell if inside else (column, row))])


def letters(walk: list[tuple[str, tuple[int, int]]]) -> tuple[str, ...]:
    marks = [ROWS[row - 1][column - 1] for _, (column, row) in walk]
    return tuple(mark for mark in marks if mark != ".")


def test_likelihoods_are_those_of_all_paths_by_enumeration() -> None:
    """Where nothing happens by chance, a path is as likely as exp(λ) if it satisfies the task, else 1."""
    world, rationality = grid(), 2.0
    weight = {
        (tuple(walk), stopped): math.exp(rationality * A_THEN_B.accepts(letters(walk)))
        for walk, stopped in walks(3)
    }
    assert len(weight) == 4**3 + 1 + 4 + 4**2
    total = math.fsum(weight.values())
    for (walk, stopped), one in weight.items():
        path = read_path(world, [part for step in walk for part in step], complete=True)
        assert path.complete
        assert len(path.steps) == len(walk) + stopped
        problem = Problem.of(world, [path], agent=Fixed(rationality))
        assert evaluate(problem, A_THEN_B).score.surprise == pytest.approx(-math.log(one / total))


@settings(max_examples=20)
@given(SEEDS)
def test_where_chance_plays_a_part_stopping_is_one_more_choice(seed: int) -> None:
    """The soft values of a world that is followed by names, with stopping as a choice of its own."""
    world, rationality = stoppable(seed, horizon=2), 3.0
    names = {name: k for k, name in enumerate(world.states)}

    def value(name: Any, word: tuple[str, ...], time: int) -> float:
        if world.terminal[names[name]] or time == 2:
            return rationality * A_THEN_B.accepts(word)
        return float(np.logaddexp.reduce(list(choices(name, word, time).values())))

    def choices(name: Any, word: tuple[str, ...], time: int) -> dict[str, float]:
        q = {STOP: rationality * A_THEN_B.accepts(word)}
        for pair in world.pairs(names[name]):
            if world.action(pair) != STOP:
                q[world.action(pair)] = sum(
                    chance * value(world.states[s], (*word, *filter(None, [world.labels[s]])), time + 1)
                    for s, chance in world.outcomes(pair)
                )
        return q

    policy = demospec.policy(Problem.of(world, agent=Fixed(rationality), alphabet=("a", "b")), A_THEN_B)
    start = world.states[world.start]
    first = tuple(filter(None, [world.labels[world.start]]))
    own = value(start, first, 0)
    expected = {action: math.exp(q - own) for action, q in choices(start, first, 0).items()}
    assert policy.action_probabilities() == pytest.approx(expected)


# -- the world -----------------------------------------------------------------------------------------


def test_stop_is_the_last_action_and_leads_to_the_last_state() -> None:
    world = grid()
    assert world.actions == (*MOVES, STOP)
    assert world.states[-1] == STOPPED
    assert world.labels[-1] is None
    assert world.terminal.tolist() == [False] * 4 + [True]
    for state in range(4):
        assert world.available(state)[-1] == STOP
        assert world.outcomes(world.pairs(state)[-1]) == [(4, 1.0)]


def test_by_chance_nothing_is_added() -> None:
    before = gridworld(ROWS, start=(2, 1), episode=Episode(horizon=3))
    assert (len(before.states), before.actions) == (4, tuple(MOVES))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("s", "stop", {"s": 1.0})],
            'the world has an action "stop" of its own, but with ends = "by choice"',
        ),
        ([("s", "go", {STOPPED: 1.0}), (STOPPED, "go", {"s": 1.0})], "is what a stopped episode leads to"),
        ([("s", "go", {"t": 1.0})], 'state "t" has no actions and is not terminal'),
    ],
)
def test_worlds_that_are_refused(rows: Any, message: str) -> None:
    with pytest.raises(WorldError, match=message):
        MDP.build(rows, start="s", episode=by_choice(3))


def test_episodes_end_by_chance_or_by_choice() -> None:
    with pytest.raises(WorldError, match=r"the end probability is 0\.1, but episodes end by choice"):
        Episode(horizon=3, end_probability=0.1, ends="by choice")
    with pytest.raises(WorldError, match=r'found "by chioce" .did you mean "by choice"'):
        Episode(horizon=3, ends="by chioce")  # type: ignore[arg-type]


# -- paths ----------------------------------------------------------------------------------------------


def test_a_complete_run_was_stopped_and_any_other_is_cut() -> None:
    world = grid()
    told: Any = ["left", (1, 1), "down", (1, 2)]
    stopped, cut = (read_path(world, told, complete=complete) for complete in (True, None))
    assert [world.action(pair) for pair, _ in stopped.steps] == ["left", "down", STOP]
    assert is_stopped(world, stopped.steps[-1][1])
    assert (cut.complete, cut.steps) == (False, stopped.steps[:-1])
    assert stopped.without_stop(world).steps == cut.steps
    assert stopped.named(world) == cut.named(world) == told
    assert stopped.word(world, merge_repeats=False) == ("a",)


def test_a_run_may_be_stopped_before_its_first_step() -> None:
    world = grid()
    path = read_path(world, [], complete=True)
    assert (len(path.steps), path.to_file(world)) == (1, [])
    assert not read_path(world, [], complete=None).complete


def test_at_the_horizon_and_in_a_terminal_state_nobody_needs_to_stop() -> None:
    told: Any = ["left", (1, 1)]
    assert len(read_path(grid(horizon=1), told, complete=True).steps) == 1
    ends = gridworld(ROWS, start=(2, 1), episode=by_choice(3), terminal=[(1, 1)])
    assert len(read_path(ends, told, complete=True).steps) == 1


@pytest.mark.parametrize(
    ("told", "complete", "message"),
    [
        (["stop", (2, 1)], True, "end the path before it, with complete = true"),
        (["stop", STOPPED], False, "marked incomplete, but the episode is over after step 1"),
        (["stop", STOPPED, "left", (1, 1)], None, "is terminal"),
        (["stpo", (2, 1)], True, 'did you mean "stop"'),
    ],
)
def test_paths_that_are_refused(told: Any, complete: bool | None, message: str) -> None:
    with pytest.raises(DemonstrationError, match=message):
        read_path(grid(), told, complete=complete)


def again(world: World, path: Path) -> Path:
    start = None if path.start is None else world.name(path.start)
    return read_path(world, path.named(world), complete=path.complete, start=start)


@settings(max_examples=20)
@given(SEEDS, st.integers(0, 1))
def test_every_path_is_read_back_as_it_was_written(seed: int, terminal: int) -> None:
    world = stoppable(seed, horizon=2, terminal=terminal)
    for path in enumerate_paths(world):
        assert again(world, path) == path
        for steps in range(len(path.steps)):
            assert again(world, path.upto(steps)) == path.upto(steps)


def test_a_prefix_tree_has_a_choice_where_a_run_was_stopped() -> None:
    world = grid()
    stopped = read_path(world, ["left", (1, 1)], complete=True)
    on = read_path(world, ["left", (1, 1), "down", (1, 2)], complete=None)
    tree = PrefixTree.build(world, [stopped, on])
    leaf = tree.nodes_of(stopped)[-1]
    assert tree.player[leaf] == Player.NOBODY
    assert tree.left_by(read_path(world, ["left", (1, 1), "up", (1, 1)], complete=None)) == 2
    assert tree.environment_surprise == 0


# -- other forms of a world ---------------------------------------------------------------------------


@settings(max_examples=15)
@given(SEEDS)
def test_merging_keeps_what_is_likely(seed: int) -> None:
    """A world whose actions come twice merges to the one without; stopping stays what it is."""
    world = stoppable(seed, terminal=1)
    scene = Scene(world=world, demonstrations=tuple(enumerate_paths(world)[:40])).merged()
    assert scene.quotient is not None
    assert scene.mdp.actions[-1] == STOP
    assert scene.mdp.states[-1] == STOPPED
    for path, image in zip(enumerate_paths(world), scene.demonstrations, strict=False):
        assert again(scene.world, image) == image
        assert path.without_stop(world) == path or image.without_stop(scene.world) != image


def test_a_white_end_of_the_world_is_not_the_state_of_stopped_runs() -> None:
    rows: Any = [("s", "leave", {"out": 1.0}), ("s", "go", {"t": 1.0}), ("t", "leave", {"out": 1.0})]
    world = MDP.build(rows, start="s", episode=by_choice(3), labels={"t": "a"}, terminal=["out"])
    merged = quotient(world).mdp
    assert set(merged.states) == {"s", "t", "out", STOPPED}
    assert merged.available(merged.start) == ("leave", "go", STOP)


def test_a_world_told_by_rules_and_the_same_world_listed() -> None:
    bare = Problem.of(Corridor("by choice"), agent=Fixed(20.0))
    task = DFA.parse(">0: key→1 | 1: door→2 | *2:")
    assert bare.mdp.states[-1] == STOPPED
    for path in sample(bare, task, count=20, seed=3):
        assert again(bare.world, path) == path
    world = Corridor("by choice")
    told: Any = ["right", (4, 0)]
    scene = Scene(world=world, demonstrations=(read_path(world, told, complete=True, start=(3, 0)),))
    (path,) = scene.listed().demonstrations
    assert path.without_stop(scene.listed().world).steps != path.steps


def test_diagrams_and_arrays_plan_alike_where_a_lamp_may_be_left_on() -> None:
    task = DFA.parse(">0: lit→1 | *1:", ("door", "lit"))
    world = rooms(count=6, lamps=(4,), horizon=6, ends="by choice")
    told = ["right", "place=3", "right", "place=4", "switch", "place=4 lamp4"]
    shown = read_path(world, told, complete=True)
    one = Problem.of(world, [shown], agent=Fixed(5.0), planner=DiagramPlanner())
    other = Problem.of(rooms(count=6, lamps=(4,), horizon=6, ends="by choice").listed(), agent=Fixed(5.0))
    other = other.with_demonstrations([read_path(other.world, told, complete=True)])
    ours, theirs = (evaluate(problem, task).score for problem in (one, other))
    assert ours.surprise == pytest.approx(theirs.surprise)
    assert ours.satisfaction_probability == pytest.approx(theirs.satisfaction_probability)
    assert world.state_count == 6 * 2


def test_a_simulator_learns_where_runs_are_stopped() -> None:
    world = grid()
    runs = [Run(["left", (1, 1)], complete=True)]
    found = estimate(WorldSimulator(world, seed=0), steps=200, runs=runs)
    path = read_path(found, ["left", (1, 1)], complete=True)
    assert len(path.steps) == 2
    assert found.cost(path.steps[-1][0]) == 0
    bare = WorldSimulator(gridworld(ROWS, start=(2, 1), episode=Episode(horizon=3)), seed=0)
    bare.mdp = replace(bare.mdp, episode=by_choice(3))
    with pytest.raises(WorldError, match='the simulator has no action "stop"'):
        estimate(bare, steps=10)


# -- learning ---------------------------------------------------------------------------------------------


def test_what_people_wanted_who_stop_when_done() -> None:
    """Stopping tells that enough was done: a then b, and what was passed before was not enough."""
    world = gridworld(["a..", "...", "..b"], start=(2, 2), episode=by_choice(12))
    runs: list[list[Any]] = [
        ["left", (1, 2), "up", (1, 1), *right_down((1, 1), "rrdd")],
        ["up", (2, 1), "left", (1, 1), *right_down((1, 1), "ddrr")],
        ["left", (1, 2), "up", (1, 1), *right_down((1, 1), "rdrd")],
        ["up", (2, 1), "left", (1, 1), *right_down((1, 1), "drdr")],
    ]
    shown = [read_path(world, run, complete=True) for run in runs]
    problem = Problem.of(world, shown, agent=Fixed(15.0)).with_settings(iterations=15)
    best = demospec.learn(problem, seed=0).best.task
    assert [best.accepts(word) for word in [("a", "b"), ("a",), ("b",), ()]] == [True, False, False, False]
    more = DFA.parse(">0: a→1 | 1: b→2 | 2: a→3 | *3:", "ab")
    cut = problem.with_demonstrations([read_path(world, run, complete=False) for run in runs])

    def gain(told: Problem) -> float:
        """Return what is gained by not asking for another a: a run that was cut may go on to it."""
        return demospec.score(told, more).surprise - demospec.score(told, A_THEN_B).surprise

    assert gain(problem) > gain(cut) + 4 * 10


def right_down(cell: tuple[int, int], moves: str) -> list[Any]:
    """Return steps to the right and down."""
    told: list[Any] = []
    for move in moves:
        cell = (cell[0] + (move == "r"), cell[1] + (move == "d"))
        told += ["right" if move == "r" else "down", cell]
    return told
