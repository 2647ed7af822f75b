"""Several scenes in one problem: against the problems of each scene alone, and all histories of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from demospec.errors import CompetencyUnreachable, InputError
from demospec.explain.evaluator import Evaluator
from demospec.explain.pursuing import policy, sample
from demospec.explain.score import evaluate, plan_task, surprise
from demospec.explain.setup import resolve
from demospec.plan.rationality import RESOLUTION, Competency, Empirical, Fixed
from demospec.plan.tabular import TabularPlanner
from demospec.problem import Problem, Weights
from demospec.tasks import DFA
from demospec.testing.small_worlds import ByEnumeration, random_demonstrations, random_dfa, random_mdp
from demospec.worlds.scene import Scene

LETTERS = ("a", "b")
SEEDS = range(8)


def two_scenes(seed: int, **more: object) -> Problem:
    """Make two different worlds with different numbers of demonstrations; one may begin anywhere."""
    rng = np.random.default_rng([seed, 61])
    scenes = []
    for name, states, shown in (("here", 4, 1 + seed % 3), ("there", 5, 4)):
        mdp = random_mdp(
            *(rng,),
            states=states,
            letters=LETTERS,
            horizon=3,
            end_probability=0.2 * (seed % 2),
            terminal=int(name == "there"),
            starts=1 + (name == "there" and seed % 4 > 1),
        )
        demonstrations = random_demonstrations(rng, mdp, shown)
        scenes.append(Scene(world=mdp, demonstrations=demonstrations, name=name))
    given = {"agent": Fixed(4.0), "merge_repeats": bool(seed % 2), **more}
    return Problem(scenes=tuple(scenes), alphabet=LETTERS, **given)  # type: ignore[arg-type]


def alone(problem: Problem, number: int) -> Problem:
    """Return the problem of one of the scenes."""
    return replace(problem, scenes=(problem.scenes[number],))


def tasks_of(seed: int) -> list[DFA]:
    rng = np.random.default_rng([seed, 62])
    return [DFA.constant(LETTERS, True), *(random_dfa(rng, LETTERS, 1 + k % 4) for k in range(6))]


def witnesses(problem: Problem, task: DFA, rationality: float) -> list[ByEnumeration]:
    return [
        ByEnumeration(scene.mdp, task, rationality, merge_repeats=problem.merge_repeats)
        for scene in problem.scenes
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_surprises_add_up_and_success_is_weighted_by_what_was_shown(seed: int) -> None:
    problem = two_scenes(seed)
    counts = [len(scene.demonstrations) for scene in problem.scenes]
    assert problem.shares == tuple(count / sum(counts) for count in counts)
    for task in tasks_of(seed):
        score = evaluate(problem, task).score
        parts = [evaluate(alone(problem, k), task).score for k in range(2)]
        assert score.surprise == pytest.approx(sum(part.surprise for part in parts), rel=1e-12)
        satisfied = np.average([part.satisfaction_probability for part in parts], weights=counts)
        assert score.satisfaction_probability == pytest.approx(satisfied, rel=1e-12)
        agents = witnesses(problem, task, 4.0)
        by_hand = -sum(
            agent.log_probability(path)
            for agent, scene in zip(agents, problem.scenes, strict=True)
            for path in scene.demonstrations
        )
        assert score.surprise == pytest.approx(by_hand, abs=1e-10)
        expected = np.average([agent.chance() for agent in agents], weights=counts)
        assert score.satisfaction_probability == pytest.approx(expected, abs=1e-12)
        energy = resolve(problem).weights.size_weight * task.size + by_hand
        assert score.energy == pytest.approx(energy, abs=1e-9)
    assert resolve(problem).weights.size_weight == pytest.approx(0.02 * sum(counts) ** 0.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_of_a_scene_is_that_of_the_scene_alone(seed: int) -> None:
    problem = two_scenes(seed)
    for task in tasks_of(seed):
        found = evaluate(problem, task)
        assert len(found.readings) == 2
        for k, reading in enumerate(found.readings):
            assert reading.tree is problem.scenes[k].tree
            own = evaluate(alone(problem, k), task)
            assert reading.gradient.tobytes() == own.gradient.tobytes()
            assert reading.along.log_edge.tobytes() == own.along.log_edge.tobytes()
            assert surprise(reading.tree, reading.along.log_edge) == own.score.surprise


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_many_scores_at_once_are_the_scores_one_by_one(seed: int, by_numpy: bool) -> None:
    problem = two_scenes(seed, planner=TabularPlanner(by_numpy=by_numpy))
    tasks = tasks_of(seed)
    for score, task in zip(Evaluator(problem).scores(tasks), tasks, strict=True):
        expected = evaluate(problem, task).score
        assert score.surprise == pytest.approx(expected.surprise, rel=1e-11, abs=1e-11)
        assert score.energy == pytest.approx(expected.energy, rel=1e-11, abs=1e-11)
        satisfied = expected.satisfaction_probability
        assert score.satisfaction_probability == pytest.approx(satisfied, abs=1e-12)


def test_one_rationality_meets_a_competency_over_all_scenes() -> None:
    met = unreachable = 0
    for problem, task in ((two_scenes(seed), task) for seed in SEEDS for task in tasks_of(seed)):
        counts = [len(scene.demonstrations) for scene in problem.scenes]
        worst, best = (
            evaluate(replace(problem, agent=Fixed(x)), task).score.satisfaction_probability
            for x in (0.0, 1000.0)
        )
        if best < 0.999:
            unreachable += 1
            with pytest.raises(CompetencyUnreachable):
                evaluate(replace(problem, agent=Competency(1.0)), task)
        if best - worst < 0.05:
            continue
        met += 1
        competency = (worst + best) / 2
        asked = replace(problem, agent=Competency(competency))
        score = evaluate(asked, task).score
        assert score.satisfaction_probability == pytest.approx(competency, abs=1e-6)
        agents = witnesses(problem, task, score.rationality)
        success = np.average([agent.chance() for agent in agents], weights=counts)
        assert success == pytest.approx(competency, abs=1e-6)
        fixed = replace(problem, agent=Fixed(score.rationality))
        parts = [evaluate(alone(fixed, k), task).score.surprise for k in range(2)]
        assert score.surprise == pytest.approx(sum(parts), rel=1e-12)
        (together,) = Evaluator(asked).scores([task])
        assert together.rationality == pytest.approx(score.rationality, rel=1e-6)
        assert together.surprise == pytest.approx(score.surprise, rel=1e-9)
    assert min(met, unreachable) > 10


def test_an_empirical_competency_counts_the_demonstrations_of_all_scenes() -> None:
    some = 0
    for problem, task in ((two_scenes(seed), task) for seed in SEEDS for task in tasks_of(seed)):
        complete = [
            task.accepts(path.word(scene.world, merge_repeats=problem.merge_repeats))
            for scene in problem.scenes
            for path in scene.demonstrations
            if path.complete
        ]
        share = min(sum(complete) / len(complete), 1 - 1 / (2 * len(complete)))
        found, aimless, best = (
            evaluate(replace(problem, agent=agent), task).score.satisfaction_probability
            for agent in (Empirical(), Fixed(0.0), Fixed(1000.0))
        )
        expected = share if share <= best else best - RESOLUTION
        assert found == pytest.approx(max(aimless, expected), abs=1e-6)
        some += sum(complete) > 0 and aimless < expected
    assert some > 3


def test_where_nothing_was_shown_nothing_counts() -> None:
    problem, task = two_scenes(3), tasks_of(3)[3]
    silent = replace(problem.scenes[1], demonstrations=())
    bare = replace(problem, scenes=(problem.scenes[0], silent), weights=Weights())
    only = replace(alone(problem, 0), weights=Weights())
    assert bare.shares == (1.0, 0.0)
    for agent in (Fixed(4.0), Competency(0.3)):
        one, other = (replace(each, agent=agent) for each in (bare, only))
        assert evaluate(one, task, nearest=True).score == evaluate(other, task, nearest=True).score
        assert Evaluator(one).scores([task]) == Evaluator(other).scores([task])
    with pytest.raises(InputError, match="no demonstrations to learn from"):
        evaluate(replace(bare, scenes=(silent,)), task)


def test_demonstrations_are_numbered_and_read_scene_after_scene() -> None:
    problem = two_scenes(1)
    first, second = problem.scenes
    assert problem.demonstrations == (*first.demonstrations, *second.demonstrations)
    assert [number for number, _, _ in problem.shown] == list(range(1, len(problem.demonstrations) + 1))
    assert [scene.name for _, scene, _ in problem.shown] == ["here"] * len(first.demonstrations) + [
        "there"
    ] * 4
    expected = [
        path.word(scene.world, merge_repeats=problem.merge_repeats)
        for scene in problem.scenes
        for path in scene.demonstrations
    ]
    assert list(problem.words) == expected


def test_a_scene_is_asked_for_by_its_name() -> None:
    problem, task = two_scenes(1), tasks_of(1)[2]
    assert problem.scene("there") is problem.scenes[1]
    with pytest.raises(InputError, match="the problem has 2 worlds; say which: here, there"):
        problem.scene()
    with pytest.raises(InputError, match=r'no world has the name "ther" \(did you mean "there"\?\)'):
        problem.scene("ther")
    for question in (lambda: problem.mdp, lambda: problem.tree, lambda: policy(problem, task)):
        with pytest.raises(InputError, match="say which"):
            question()
    there = problem.scene("there")
    assert plan_task(problem, task, there).world is there.world
    assert policy(problem, task, there).world is there.world
    drawn = sample(problem, task, there, count=5, seed=0)
    assert drawn == sample(alone(problem, 1), task, count=5, seed=0)
    shown = problem.with_demonstrations(drawn, "there")
    assert [len(scene.demonstrations) for scene in shown.scenes] == [len(problem.scenes[0].demonstrations), 5]


def test_worlds_have_one_alphabet_and_names_of_their_own() -> None:
    problem = two_scenes(0)
    with pytest.raises(InputError, match='two worlds with the name "here"'):
        replace(problem, scenes=tuple(replace(scene, name="here") for scene in problem.scenes))
    with pytest.raises(InputError, match="there is no world"):
        replace(problem, scenes=())
    third = random_mdp(np.random.default_rng(5), letters=("c",))
    more = replace(problem, scenes=(*problem.scenes, Scene(world=third, name="third")), alphabet=())
    assert more.alphabet == ("a", "b", "c")
    with pytest.raises(InputError, match='has the label "c", which is not in the alphabet a, b'):
        replace(problem, scenes=more.scenes)


@pytest.mark.parametrize("seed", SEEDS)
def test_scenes_are_merged_one_by_one(seed: int) -> None:
    problem, task = two_scenes(seed), tasks_of(seed)[-1]
    merged = problem.merged()
    for k, scene in enumerate(merged.scenes):
        assert scene.quotient is not None
        assert scene.world.states == alone(problem, k).merged().mdp.states  # type: ignore[attr-defined]
    parts = [evaluate(alone(problem, k).merged(), task).score.surprise for k in range(2)]
    assert evaluate(merged, task).score.surprise == pytest.approx(sum(parts), rel=1e-12)
