"""Learning from what was shown in two worlds: pivots of both, every method, and energies added by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from all_paths import pivot_of
from demospec import learn
from demospec.explain.evaluator import Evaluator
from demospec.explain.pursuing import sample
from demospec.explain.refine import Refinement, along_classes, first_tasks
from demospec.explain.score import evaluate, gradient
from demospec.explain.setup import resolve
from demospec.plan.along_tree import AlongTree
from demospec.plan.rationality import Fixed
from demospec.problem import METHODS, Problem
from demospec.search.diss import Search
from demospec.search.engine import chain_generator
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.testing.small_worlds import ByEnumeration
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode

LETTERS = ("b", "g", "y")
TRUTH = DFA.parse(">0: y→1, b→2 | *1: b→2 | 2:", LETTERS)  # reach y, never b


@cache
def problem() -> Problem:
    """Two maps: the first has no b in it, so that it cannot tell that b is avoided; the second has no g."""
    plain = gridworld(["..g", ".y."], start=(1, 1), episode=Episode(horizon=4))
    windy = gridworld(
        ["y.b", "...", ".b."],
        start={(3, 3): 0.5, (1, 3): 0.5},
        wind=Wind(direction="up", probability=0.125),
        episode=Episode(horizon=4, end_probability=0.0625),
    )
    bare = Problem(
        scenes=(Scene(world=plain, name="plain"), Scene(world=windy, name="windy")),
        alphabet=LETTERS,
        agent=Fixed(8.0),
        merge_repeats=True,
    )
    for name, count in (("plain", 2), ("windy", 6)):
        bare = bare.with_demonstrations(sample(bare, TRUTH, bare.scene(name), count=count, seed=3), name)
    return bare


@cache
def surprise_by_hand(task: DFA) -> float:
    """Add the surprises in both worlds, from all histories of each."""
    return -math.fsum(
        ByEnumeration(scene.mdp, task, 8.0, merge_repeats=True).log_probability(path)
        for scene in problem().scenes
        for path in scene.demonstrations
    )


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_from_both_worlds(method: str, refine: bool) -> None:
    iterations = 4 if method == "explore" else 40
    asked = problem().with_settings(method=method, iterations=iterations, refine=refine)
    result = learn(asked, seed=0)
    weights = resolve(asked).weights
    for score in [entry.score for entry in result.ranked[:4]]:
        by_hand = surprise_by_hand(score.task)
        assert score.surprise == pytest.approx(by_hand, rel=1e-9)
        energy = weights.size_weight * score.task.size + weights.surprise_weight * by_hand
        assert score.energy == pytest.approx(energy, rel=1e-9)
    assert result.best.energy == min(entry.score.energy for entry in result.ranked)
    if method == "explore":
        truth = evaluate(asked, TRUTH).score
        assert result.best.energy <= truth.energy + 1e-9
    again = learn(asked, seed=0)
    assert [entry.score for entry in again.ranked] == [entry.score for entry in result.ranked]


def test_the_two_worlds_together_tell_what_neither_tells_alone() -> None:
    whole = problem().with_settings(iterations=10)
    found = learn(whole, seed=0).best.task
    assert found.accepts("y")
    assert not found.accepts("by")
    plain = replace(whole, scenes=whole.scenes[:1])
    assert (
        evaluate(plain, TRUTH).score.surprise
        == evaluate(plain, DFA.parse(">0: y→1 | *1:", LETTERS)).score.surprise
    )


def conjectures(search: Search, task: DFA, count: int) -> list[tuple[int, int, bool]]:
    """Draw conjectures about a task; each is checked against the scene that it is in."""
    score, made = search.evaluator.score(task), []
    for seed in range(count):
        one = search.conjecture(np.random.default_rng(seed), score, Examples(), visited=[task])
        assert one is not None
        scene = search.problem.scenes[one.scene]
        assert one.word == one.path.word(scene.world, merge_repeats=True)
        assert task.accepts(one.word) != one.label
        path, chosen, ended = pivot_of(one.path, scene.demonstrations)
        assert scene.tree.path_to(one.pivot) == (path, chosen)
        assert ended == bool(scene.tree.player[one.pivot] == Player.NOBODY)
        made.append((one.scene, one.pivot, one.label))
    return made


@pytest.mark.parametrize("refine", [False, True])
def test_pivots_of_both_worlds_occur(refine: bool) -> None:
    asked = problem().with_settings(pivot_temperature=math.inf, refine=refine)
    made = conjectures(Search(asked), DFA.parse(">0: g→1 | *1:", LETTERS), 60)
    assert {scene for scene, _, _ in made} == {0, 1}
    assert {label for _, _, label in made} == {False, True}


def test_a_cold_pivot_is_where_the_gradient_of_both_worlds_is_largest() -> None:
    task = DFA.parse(">0: g→1 | *1:", LETTERS)
    search = Search(problem().with_settings(pivot_temperature=1e-9))
    slopes = [reading.gradient for reading in search.evaluator.evaluation(task).readings]
    (scene, pivot, _) = conjectures(search, task, 1)[0]
    assert abs(slopes[scene][pivot]) == max(abs(slope).max() for slope in slopes)


def test_without_a_preference_pivots_are_drawn_from_both_worlds_as_often_as_they_have_some() -> None:
    task = DFA.parse(">0: y→1 | *1:", LETTERS)
    search = Search(problem().with_settings(pivot_temperature=math.inf))
    usable: list[int] = []
    for number, reading in enumerate(search.evaluator.evaluation(task).readings):
        alone = replace(problem(), scenes=(problem().scenes[number],))
        drawn = conjectures(Search(alone.with_settings(pivot_temperature=math.inf)), task, 200)
        usable.append(len({pivot for _, pivot, _ in drawn}))
        assert usable[-1] <= int((np.abs(reading.gradient) > 1e-9).sum())
    drawn = conjectures(search, task, 400)
    share, expected = sum(scene == 1 for scene, _, _ in drawn) / 400, usable[1] / sum(usable)
    assert abs(share - expected) < 4.5 * math.sqrt(expected * (1 - expected) / 400)


def ways_out(tree: PrefixTree) -> int:
    return sum(map(len, tree.leaving.values()))


def read_alone(evaluator: Evaluator, task: DFA) -> AlongTree:
    return evaluator.evaluation(task).along


def test_refined_readings_are_those_of_each_world_alone() -> None:
    asked = problem().with_settings(refine=True)
    search, task = Search(asked), TRUTH
    for number, reading in enumerate(search.evaluator.evaluation(task).readings):
        found = search.refined(number, reading, tasks=[task])
        alone = Evaluator(replace(asked, scenes=(asked.scenes[number],)))
        tree = Refinement(reading.tree, first_tasks(LETTERS), partial(read_alone, alone)).over([task])
        along = along_classes(tree, alone.evaluation(task).along)
        expected = gradient(tree, along.log_edge, along.deviation)
        assert found.gradient.tobytes() == expected.tobytes()
        assert ways_out(tree) < ways_out(reading.tree)


def test_a_chain_goes_on_from_its_state() -> None:
    asked = problem().with_settings(method="paper", refine=True)
    rng, again = chain_generator(0, 0), chain_generator(0, 0)
    search = Search(asked)
    state = search.start()
    for number in range(12):
        if number == 7:
            kept = state
            again.bit_generator.state = rng.bit_generator.state
        state, _ = search.step(rng, state)
    other = Search(asked)
    for _ in range(5):
        kept, _ = other.step(again, kept)
    assert kept == state
