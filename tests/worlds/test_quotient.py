"""Merging copies of actions and states is exact: the merged world is the world without copies."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demospec
from all_paths import enumerate_paths, environment_probability
from demospec.cli import main
from demospec.errors import InputError
from demospec.explain.pursuing import draw_in_file, policy
from demospec.explain.score import plan_task
from demospec.files import load
from demospec.problem import Problem
from demospec.report.folder import write_result
from demospec.report.policy_report import drawn_document
from demospec.report.problem_report import check_document
from demospec.report.result_document import result_document
from demospec.tasks import DFA
from demospec.testing.small_worlds import ByEnumeration, random_mdp, random_path
from demospec.worlds import unlisted
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path
from demospec.worlds.quotient import Quotient, quotient
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode, State
from factored_worlds import paper_world
from world_copies import doubled_problem, with_random_copies


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


SEEDS = st.integers(0, 2**32 - 1)


def world(rng: np.random.Generator) -> MDP:
    return random_mdp(
        *(rng,),
        states=4,
        actions=2,
        horizon=3,
        end_probability=0.2 * int(rng.integers(2)),
        terminal=1,
        starts=int(rng.integers(1, 3)),
    )


def copied(rng: np.random.Generator, mdp: MDP) -> MDP:
    return with_random_copies(rng, mdp, states=int(rng.integers(3)), actions=int(rng.integers(4)))


def same_world(one: MDP, other: MDP) -> bool:
    arrays = ("terminal", "pair_offset", "pair_action", "outcome_offset", "successor")
    return (
        (one.states, one.starts, one.labels, one.actions, one.episode)
        == (other.states, other.starts, other.labels, other.actions, other.episode)
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
        and np.allclose(one.probability, other.probability, rtol=0, atol=1e-12)
    )


@settings(max_examples=30)
@given(SEEDS)
def test_a_world_with_copies_merges_to_the_world_without(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = world(rng)
    assert same_world(quotient(copied(rng, plain)).mdp, quotient(plain).mdp)


@settings(max_examples=30)
@given(SEEDS)
def test_what_has_no_copies_stays_as_it_is(seed: int) -> None:
    small = quotient(copied(np.random.default_rng(seed), world(np.random.default_rng(seed)))).mdp
    again = quotient(small)
    assert same_world(again.mdp, small)
    assert again.mdp.probability.tobytes() == small.probability.tobytes()
    assert again.state_class.tolist() == list(range(len(small.states)))
    assert again.pair_class.tolist() == list(range(len(small.pair_action)))
    assert (again.merged_states, again.merged_pairs, again.copies) == (0, 0, {})


def greatest_bisimulation(mdp: MDP) -> set[tuple[int, int]]:
    """By definition: begin with all pairs of states, and drop those that the others do not justify."""
    count = len(mdp.states)
    related = {
        (s, t)
        for s in range(count)
        for t in range(count)
        if (mdp.labels[s], mdp.terminal[s]) == (mdp.labels[t], mdp.terminal[t])
    }

    def alike(p: int, q: int) -> bool:
        sums = [
            [sum(chance for state, chance in mdp.outcomes(pair) if (state, s) in related) for pair in (p, q)]
            for s in range(count)
        ]
        return all(math.isclose(one, other, abs_tol=1e-9) for one, other in sums)

    def justified(s: int, t: int) -> bool:
        return all(any(alike(p, q) for q in mdp.pairs(b)) for a, b in ((s, t), (t, s)) for p in mdp.pairs(a))

    while True:
        kept = {pair for pair in related if justified(*pair)}
        if kept == related:
            return related
        related = kept


@settings(max_examples=30)
@given(SEEDS)
def test_classes_are_those_of_the_greatest_bisimulation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mdp = copied(rng, world(rng))
    classes = quotient(mdp).state_class
    related = greatest_bisimulation(mdp)
    for s, t in combinations(range(len(mdp.states)), 2):
        assert (classes[s] == classes[t]) == ((s, t) in related)


def word_chances(
    mdp: MDP, chosen: Callable[[int, int, int], float]
) -> dict[tuple[tuple[str, ...], int], float]:
    """Return the probability of each (word, length) of complete paths, path by path.

    `chosen` is the probability of choosing a pair after so many steps in a state.
    """
    found: dict[tuple[tuple[str, ...], int], float] = {}
    for path in enumerate_paths(mdp):
        chance = environment_probability(mdp, path)
        for time, ((pair, _), state) in enumerate(zip(path.steps, path.states(mdp), strict=False)):
            chance *= chosen(time, state, pair)
        key = (path.word(mdp, merge_repeats=False), len(path.steps))
        found[key] = found.get(key, 0.0) + chance
    return found


@settings(max_examples=30)
@given(SEEDS)
def test_words_are_as_likely_in_both_worlds_under_any_policy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mdp = copied(rng, world(rng))
    found = quotient(mdp)
    small = found.mdp
    share = {
        (time, pair): float(weight)
        for time in range(mdp.horizon)
        for state in range(len(small.states))
        for pair, weight in zip(
            small.pairs(state), rng.dirichlet(np.ones(max(1, len(small.pairs(state))))), strict=False
        )
    }
    split = rng.random(len(mdp.pair_action)) + 0.01  # how a class's share is split among its names, at random

    def in_copies(time: int, state: int, pair: int) -> float:
        names = [p for p in mdp.pairs(state) if found.pair_class[p] == found.pair_class[pair]]
        part = float(split[pair] / sum(split[p] for p in names))
        return share[time, int(found.pair_class[pair])] * part

    large, merged = word_chances(mdp, in_copies), word_chances(small, lambda t, _, p: share[t, p])
    assert large.keys() == merged.keys()
    for key, chance in large.items():
        assert chance == pytest.approx(merged[key], abs=1e-12)


@settings(max_examples=30)
@given(SEEDS)
def test_paths_are_mapped_there_and_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mdp = copied(rng, world(rng))
    found = quotient(mdp)
    path = random_path(rng, mdp, complete=True)
    image = found.image(path)
    assert image.word(found.mdp, merge_repeats=False) == path.word(mdp, merge_repeats=False)
    lifted = found.lifted(image)
    parts = [
        part
        for pair, state in lifted.steps
        for part in (mdp.actions[mdp.pair_action[pair]], mdp.states[state])
    ]
    start = mdp.states[lifted.first(mdp)]
    assert read_path(mdp, parts, complete=True, start=start) == lifted  # the world allows it
    assert found.image(lifted) == image


def test_probabilities_added_up_in_another_order_are_the_same() -> None:
    rows: list[tuple[State, str, dict[State, float]]] = [
        ("s", "one", {"a": 0.3, "b": 0.7}),
        ("s", "two", {"a": 0.1, "a2": 0.2, "b": 0.7}),
        ("s", "three", {"a": 0.31, "b": 0.69}),
    ]
    assert 0.1 + 0.2 != 0.3
    labels: dict[State, str] = {"a": "a", "a2": "a"}
    mdp = MDP.build(rows, start="s", episode=Episode(horizon=2), labels=labels, terminal=["a", "a2", "b"])
    found = quotient(mdp)
    assert found.mdp.actions == ("one", "three")
    assert found.copies == {"a": ("a", "a2")}
    assert (found.merged_states, found.merged_pairs) == (1, 1)


# Walls are no moves here, so that no two moves are the same.
def walled(name: str = "problem") -> Problem:
    robot = demospec.load_example("robot-paper")
    grid = robot.scene().grid
    assert grid is not None
    mdp = gridworld(grid, start=(5, 6), episode=robot.mdp.episode, blocked="unavailable")
    shown: list[list[str | State]] = [
        ["left", (4, 6), "left", (3, 6), "left", (2, 6), "left", (1, 6), "down", (1, 7), "down", (1, 8)],
        ["down", (5, 7), "left", (4, 7), "up", (4, 6), "left", (3, 6), "left", (2, 6)],
    ]
    paths = tuple(read_path(mdp, one, complete=k == 0) for k, one in enumerate(shown))
    problem = replace(robot, name=name, scenes=(Scene(world=mdp, demonstrations=paths),))
    return problem.with_settings(method="paper", iterations=40)


def told(problem: Problem, seed: int) -> str:
    document = result_document(demospec.learn(problem, seed=seed))
    return json.dumps({**document, "name": "", "seconds": 0, "problem": None})  # the file tells copies


@pytest.mark.parametrize("seed", [0, 1])
def test_the_merged_result_is_that_of_the_world_without_copies(seed: int) -> None:
    plain = walled()
    assert quotient(plain.mdp).merged_pairs == 0
    expected = told(plain, seed)
    copies = doubled_problem(plain, second=True)
    assert told(copies.merged(), seed) == expected
    assert told(copies, seed) != expected


def test_the_robot_with_every_action_twice_merges_to_the_robot() -> None:
    robot = demospec.load_example("robot-paper").with_settings(method="paper", iterations=40)
    assert quotient(robot.mdp).merged_pairs == 4  # in each corner two moves stay
    assert told(doubled_problem(robot).merged(), 0) == told(robot.merged(), 0)


def test_the_default_method_gives_the_same_too() -> None:
    robot = demospec.load_example("robot-paper").with_settings(iterations=3)
    assert told(doubled_problem(robot).merged(), 0) == told(robot.merged(), 0)


def test_merging_twice_is_merging_once() -> None:
    merged = doubled_problem(walled()).merged()
    assert merged.merged().scene() is merged.scene()


def test_a_world_that_is_not_listed_is_listed_to_be_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    factored = paper_world()
    assert same_world(quotient(factored).mdp, quotient(factored.listed()).mdp)
    monkeypatch.setattr(unlisted, "MOST_STATES", 60)
    with pytest.raises(InputError, match=r"more than 60 states .* cannot be listed"):
        quotient(paper_world())


COPIES = """
[world]
kind = "mdp"
start = "hall"
labels = { depot = "parcel", annex = "parcel", door = "home" }
terminal = ["out"]
merge_redundant = true
transitions = [
  ["hall", "ramp", { depot = 0.5, annex = 0.5 }],
  ["hall", "go", { door = 1 }],
  ["hall", "walk", { door = 1 }],
  ["depot", "return", { hall = 1 }],
  ["annex", "return", { hall = 1 }],
  ["door", "leave", { out = 1 }],
]
[episode]
horizon = 10
[search]
method = "paper"
iterations = 5
[[demonstrations]]
path = ["ramp", "annex", "return", "hall", "walk", "door", "leave", "out"]
"""


def test_a_file_can_ask_for_it(tmp_path: FilePath, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "copies.toml"
    file.write_text(COPIES, encoding="utf-8")
    problem = load(file)
    assert problem.mdp.states == ("hall", "depot", "door", "out")
    assert problem.mdp.actions == ("ramp", "go", "return", "leave")
    (path,) = problem.demonstrations
    assert path.to_file(problem.mdp)[:2] == ["ramp", "depot"]
    assert problem.scene().in_original(path).to_file(problem.scene().original)[:2] == ["ramp", "annex"]
    assert check_document(problem)["merged"] == {
        "states": 1,
        "actions_of_states": 2,
        "copies": [["depot", "annex"]],
    }
    assert run("check", file) == 0
    assert "1 state and 2 actions of states" in capsys.readouterr().out
    file.write_text(COPIES.replace("merge_redundant = true\n", ""), encoding="utf-8")
    assert len(load(file).mdp.states) == 5
    assert check_document(load(file))["merged"] is None


def test_a_policy_is_asked_for_by_the_names_of_the_file(
    tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "copies.toml"
    file.write_text(COPIES, encoding="utf-8")

    def situations(*options: str) -> list[object]:
        assert run("policy", file, ">0: parcel→1 | *1:", "--json", *options) == 0
        found: list[object] = json.loads(capsys.readouterr().out)["situations"]
        return found

    assert situations("--state", "annex") == situations("--state", "depot")
    assert situations("--path", '"ramp", "annex"') == situations("--path", '"ramp", "depot"')
    assert situations("--path", "1")[:2] == situations("--path", '"ramp", "depot", "return", "hall"')[:2]
    assert run("policy", file, ">0: parcel→1 | *1:", "--path", '"ramp", "door"') == 2
    assert "step 1" in capsys.readouterr().err


def test_what_is_drawn_can_be_put_into_the_file(tmp_path: FilePath) -> None:
    # Nothing leads from the hall to the depot, which stands for the annex: paths must be told as they are.
    text = COPIES.replace("depot = 0.5, annex = 0.5", "annex = 1").replace(
        '["annex", "return"', '["door", "store", { depot = 1 }],\n  ["annex", "return"'
    )
    file = tmp_path / "copies.toml"
    file.write_text(text, encoding="utf-8")
    problem = load(file)
    task = DFA.parse(">0: parcel→1 | *1:", problem.alphabet)
    assert problem.mdp.states == ("hall", "annex", "door", "out")
    plan, scene = plan_task(problem, task), problem.scene()
    paths = draw_in_file(plan, scene, count=20, seed=0)
    drawn = [drawn_document(problem, scene, path, task)["path"] for path in paths]
    for path in drawn:
        read_path(problem.scene().original, path, complete=True)
    assert any("depot" in path for path in drawn)


def test_a_grid_whose_halves_are_alike_keeps_its_pictures(tmp_path: FilePath) -> None:
    file = tmp_path / "mirror.toml"
    file.write_text(
        """
[world]
kind = "gridworld"
map = ".a.a."
start = [3, 1]
merge_redundant = true
[episode]
horizon = 3
[search]
method = "paper"
iterations = 3
[[demonstrations]]
path = ["right", [4, 1], "right", [5, 1], "right", [5, 1]]
""",
        encoding="utf-8",
    )
    problem = load(file)
    assert problem.mdp.states == ((1, 1), (2, 1))  # white, from where one can stay or go to a, and a
    result = demospec.learn(problem)
    write_result(result, tmp_path / "out")
    assert run("score", file, ">0: a→1 | *1:", "--out", tmp_path / "score") == 0
    assert policy(problem, result.best.task).plan.world is problem.mdp
    assert list((tmp_path / "score").glob("*.svg"))


UNEVEN = COPIES.replace("depot = 0.5, annex = 0.5", "depot = 0.1, annex = 0.9").replace(
    "horizon = 10", "horizon = 5"
)


def drawn_and_lifted(problem: Problem, task: DFA, count: int) -> list[Path]:
    scene, rng = problem.scene(), np.random.default_rng(7)
    drawn = demospec.sample(problem, task, count=count, seed=1)
    return [scene.drawn_in_original(path, rng) for path in drawn]


def merged_problem(tmp_path: FilePath, text: str) -> tuple[Problem, Quotient]:
    file = tmp_path / "copies.toml"
    file.write_text(text, encoding="utf-8")
    problem = load(file)
    found = problem.scene().quotient
    assert found is not None
    return problem, found


def chance_by_hand(found: Quotient, agent: ByEnumeration, path: Path) -> float:
    """Return how likely a path of the original world is, where the agent chooses among classes of actions.

    Names of an action are chosen equally often, and the world's own probabilities decide the rest.
    """
    image, large = found.image(path), found.original
    chance = environment_probability(large, path)
    for step, (pair, _) in enumerate(path.steps):
        before = path.states(large)[step]
        names = [p for p in large.pairs(before) if found.pair_class[p] == found.pair_class[pair]]
        history = replace(image.upto(step), complete=False)
        chance *= math.exp(agent.log_policy(history, image.steps[step][0])) / len(names)
    return chance


BEGIN_ANYWHERE = UNEVEN.replace(
    'start = "hall"', "start = { hall = 0.5, depot = 0.125, annex = 0.375 }"
).replace('path = ["ramp"', 'start = "hall"\npath = ["ramp"')


@pytest.mark.parametrize("text", [UNEVEN, BEGIN_ANYWHERE], ids=["one start", "several starts"])
def test_lifted_paths_are_drawn_as_the_original_world_would_draw_them(tmp_path: FilePath, text: str) -> None:
    problem, found = merged_problem(tmp_path, text)
    assert found.copies == {"depot": ("depot", "annex")}
    task, draws = DFA.parse(">0: parcel→1 | *1:", problem.alphabet), 4000
    drawn = Counter(drawn_and_lifted(problem, task, draws))
    agent = ByEnumeration(problem.mdp, task, 10.0, merge_repeats=False)
    chances = {path: chance_by_hand(found, agent, path) for path in enumerate_paths(found.original)}
    assert math.fsum(chances.values()) == pytest.approx(1, abs=1e-12)
    assert set(drawn) <= set(chances)
    for path, chance in chances.items():
        assert abs(drawn[path] - draws * chance) < 4.5 * math.sqrt(draws * chance) + 3
    # How often the ramp led to the depot and to the annex, and each name of the way to the door.
    reached: Counter[State] = Counter()
    taken: Counter[str] = Counter()
    for path in drawn.elements():
        for pair, state in path.steps:
            reached[found.original.states[state]] += found.original.action(pair) == "ramp"
            taken[found.original.action(pair)] += 1
    visits = reached["depot"] + reached["annex"]
    assert abs(reached["depot"] / visits - 0.1) < 4.5 * math.sqrt(0.09 / visits)
    ways = taken["go"] + taken["walk"]
    assert abs(taken["go"] / ways - 0.5) < 4.5 * math.sqrt(0.25 / ways)


def test_lifted_paths_are_paths_of_the_original_world_with_the_same_image(tmp_path: FilePath) -> None:
    problem, found = merged_problem(tmp_path, BEGIN_ANYWHERE)
    rng = np.random.default_rng(0)
    possible = set(enumerate_paths(found.original))
    for path in enumerate_paths(problem.mdp):
        lifted = {found.lifted(path, rng) for _ in range(20)}
        assert {found.image(one) for one in lifted} == {path}
        assert found.lifted(path) == found.lifted(path)
        assert {*lifted, found.lifted(path)} <= possible


def test_a_world_that_begins_in_copies_begins_in_their_class() -> None:
    rows: list[tuple[State, str, dict[State, float]]] = [
        ("a", "go", {"c": 1.0}),
        ("b", "go", {"c": 0.5, "d": 0.5}),
        ("c", "stay", {"c": 1.0}),
        ("d", "stay", {"d": 1.0}),
    ]
    mdp = MDP.build(
        rows, start={"a": 0.25, "b": 0.5, "c": 0.25}, labels={"c": "x", "d": "x"}, episode=Episode(horizon=2)
    )
    found = quotient(mdp)
    assert {found.mdp.states[state]: chance for state, chance in found.mdp.starts} == {"a": 0.75, "c": 0.25}
    for first, expected in ((1, "a"), (2, "c")):
        path = Path((), complete=False, start=first)
        assert found.mdp.states[found.image(path).first(found.mdp)] == expected
