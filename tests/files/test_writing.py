"""A problem that is written as its file is read back as the same problem, bit for bit."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import demospec
from demospec import DFA, Examples, Problem, problems
from demospec.errors import InputError
from demospec.explain.setup import resolve
from demospec.files import ProblemDocument, build_problem, convert
from demospec.files.toml import to_toml
from demospec.files.writing import problem_document
from demospec.identify.allowed import Parts
from demospec.identify.classes import ImpliedBy, Safety
from demospec.plan.rationality import Competency, Empirical
from demospec.plan.sampled import SampledPlanner
from demospec.problem import PaperSettings
from demospec.testing.small_worlds import random_demonstrations, random_mdp
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path
from demospec.worlds.scene import Scene
from demospec.worlds.simulator import WorldSimulator, estimate
from demospec.worlds.world import Episode


def read(document: dict[str, Any]) -> Problem:
    return build_problem(convert(document, ProblemDocument, "written"), Path("/nowhere"))


def arrays(mdp: MDP) -> list[object]:
    found = [getattr(mdp, one.name) for one in fields(MDP)]
    return [part.tobytes() if isinstance(part, np.ndarray) else part for part in found]


def assert_same(problem: Problem) -> None:
    document = problem_document(problem)
    for again in (read(json.loads(json.dumps(document))), read(tomllib.loads(to_toml(document)))):
        assert problem_document(again) == document
        for name in ("name", "alphabet", "agent", "weights", "merge_repeats", "prior", "classes", "parts"):
            assert getattr(again, name) == getattr(problem, name)
        assert (again.given, again.settings, again.planner) == (
            *(problem.given, problem.settings, resolve(problem).planner),
        )
        for mine, theirs in zip(problem.scenes, again.scenes, strict=True):
            assert (mine.name, mine.grid) == (theirs.name, theirs.grid)
            assert [path.to_file(mine.world) for path in mine.demonstrations] == [
                path.to_file(theirs.world) for path in theirs.demonstrations
            ]
            if resolve(problem).planner.abilities.listed:
                assert arrays(mine.mdp) == arrays(theirs.mdp)
                assert mine.demonstrations == theirs.demonstrations


@pytest.mark.parametrize("name", problems.names())
def test_what_ships(name: str) -> None:
    assert_same(demospec.load_example(name))


@pytest.mark.parametrize("seed", range(12))
def test_random_worlds(seed: int) -> None:
    rng = np.random.default_rng([seed, 5])
    mdp = random_mdp(
        rng, states=5, letters=("a", "b"), horizon=4, end_probability=0.1 * (seed % 2), terminal=seed % 3 == 0
    )
    assert_same(Problem.of(mdp, random_demonstrations(rng, mdp, 3), merge_repeats=bool(seed % 2)))


def several() -> Problem:
    """Return a problem that says as much as a file can say."""
    letters = ("a", "b")
    episode = Episode(horizon=4, end_probability=0.125)
    grid = gridworld(
        ["a.", ".b"],
        start={(1, 1): 0.25, (2, 1): 0.75},
        episode=episode,
        wind=Wind(direction="down", probability=0.1),
        blocked="unavailable",
        terminal=[(2, 2)],
    )
    path = read_path(grid, ["left", (1, 1), "down", (1, 2)], complete=False, start=(2, 1))
    rng = np.random.default_rng(3)
    other = random_mdp(rng, states=4, letters=letters, horizon=3)
    return Problem(
        name='a "quoted" name\nof two lines',
        scenes=(
            Scene(world=grid, demonstrations=(path,), name="map"),
            Scene(world=other, demonstrations=random_demonstrations(rng, other, 2), name="list of states"),
        ),
        alphabet=(*letters, "never seen"),
        agent=Competency(0.3),
        weights=demospec.Weights(size_weight=0.02, belief_size_weight=0.1),
        prior=DFA.parse(">*0: a→1 | *1: a→2 | 2:", (*letters, "never seen")),
        classes=(Safety(), ImpliedBy(DFA.constant((*letters, "never seen"), False))),
        parts=Parts("and", 2),
        given=Examples.of([("a",)], [("a", "a", "b")]),
        settings=demospec.Settings(
            without=("edits",),
            max_seconds=3.5,
            paper=PaperSettings(pivot_temperature=float("inf")),
        ),
        planner=SampledPlanner(steps=50, draws=3, seed=4),
    )


def test_everything_that_a_file_can_say() -> None:
    assert_same(several())


def test_merged_worlds_are_written_as_they_were() -> None:
    merged = demospec.load_example("robot-paper").merged()
    document = problem_document(merged)
    assert document["world"]["merge_redundant"] is True
    assert arrays(read(document).mdp) == arrays(merged.mdp)


def by_choice() -> Problem:
    """Return a problem whose runs are stopped, some of them, in a map and in a list of states."""
    episode = Episode(horizon=4, ends="by choice")
    grid = gridworld(["a.", ".b"], start=(1, 1), episode=episode, terminal=[(2, 2)], costs={"up": 0.5})
    walk: Any = ["right", (2, 1), "left", (1, 1)]
    mdp = MDP.build(
        [("s", "go", {"s": 0.5, "t": 0.5}), ("t", "wait", {"t": 1.0}), ("t", "up", {"s": 1.0})],
        start="s",
        episode=episode,
        labels={"t": "b"},
        costs={"up": 0.5, "wait": 0.25},
    )
    return Problem(
        scenes=(
            Scene(
                world=grid,
                demonstrations=(
                    read_path(grid, walk, complete=True),  # stopped
                    read_path(grid, walk, complete=False),  # cut
                    read_path(grid, [], complete=True),
                    read_path(grid, [*walk, *walk], complete=True),  # over
                    read_path(grid, [*walk[:2], "down", (2, 2)], complete=True),
                ),
                name="map",
            ),
            Scene(world=mdp, demonstrations=(read_path(mdp, ["go", "t"], complete=True),), name="list"),
        )
    )


def test_runs_that_were_stopped_and_what_actions_cost() -> None:
    problem = by_choice()
    assert_same(problem)
    document = problem_document(problem)
    assert document["agent"]["cost"] == {"up": 0.5, "wait": 0.25}
    grid, listed = document["worlds"]
    assert grid["episode"] == {"horizon": 4, "ends": "by choice"}
    assert grid["terminal"] == [[2, 2]]
    assert (listed["states"], listed["actions"], listed["terminal"]) == (["s", "t"], ["go", "wait", "up"], [])
    assert [(run["complete"], len(run["path"])) for run in grid["demonstrations"]] == [
        *((True, 4), (False, 4), (True, 0), (True, 8), (True, 4)),
    ]
    assert "stopped" not in to_toml(document)


def test_a_factored_world_whose_runs_were_stopped() -> None:
    text = (
        problems.text("lamps")
        .split("[[demonstrations]]")[0]
        .replace("horizon", 'ends = "by choice"\nhorizon')
    )
    shown = '[[demonstrations]]\ncomplete = true\npath = ["left", "place=1"]\n'
    problem = read(tomllib.loads(f"{text}\n[agent.cost]\nswitch = 2\n{shown}"))
    ((*_, (pair, _)),) = [path.steps for path in problem.demonstrations]
    assert problem.world.action(pair) == "stop"
    assert_same(problem)
    assert problem_document(problem)["agent"]["cost"] == {"switch": 2}
    assert len(problem_document(problem)["world"]["variables"]) == 2


def test_merged_worlds_in_which_runs_are_stopped() -> None:
    document = problem_document(by_choice())
    for world in document["worlds"]:
        world["merge_redundant"] = True
    again = read(document)
    assert all(scene.quotient is not None for scene in again.scenes)
    assert problem_document(again) == document


def test_costs_that_no_file_can_say_are_refused() -> None:
    grid, listed = by_choice().scenes
    with pytest.raises(InputError, match=r'"up" costs 1 in one world and 0\.5 in another'):
        problem_document(Problem(scenes=(grid, replace(listed, world=listed.mdp.priced({})))))
    several = replace(grid.mdp, costs=np.arange(len(grid.mdp.pair_action)) / 8)
    with pytest.raises(InputError, match="costs are told by action"):
        problem_document(Problem(scenes=(replace(grid, world=several),)))
    paid = replace(listed.mdp, costs=np.ones(len(listed.mdp.pair_action)))
    with pytest.raises(InputError, match='"stop" is free'):
        problem_document(Problem(scenes=(replace(listed, world=paid),)))


def test_an_empirical_competency() -> None:
    assert_same(replace(demospec.load_example("delivery"), agent=Empirical()))


def test_what_no_file_can_say_is_refused() -> None:
    problem = demospec.load_example("delivery")
    sampled = estimate(WorldSimulator(problem.mdp, seed=0), steps=50)
    with pytest.raises(InputError, match="its counts would be lost"):
        problem_document(Problem.of(sampled))
    episode = Episode(horizon=1)
    cells = MDP.build([((1, 1), "go", {(1, 1): 1.0})], start=(1, 1), episode=episode, labels={(1, 1): "a"})
    with pytest.raises(InputError, match="has no map"):
        problem_document(Problem.of(cells))
