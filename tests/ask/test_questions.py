"""Questions: never about what is known, ranked; answers group tasks that no path tells apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small import belief_in, corner_world, every_path, random_problem, random_tasks, two_worlds

from all_paths import enumerate_paths
from demospec.ask.illustration import illustrate, illustrate_starts
from demospec.ask.information import of_label
from demospec.ask.labels import LabelQuestion, Verdicts, core
from demospec.belief import acceptance
from demospec.belief.tuned import READING
from demospec.identify.classes import by_name
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.worlds.gridworld import gridworld
from demospec.worlds.paths import read_path
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode
from strategies import all_words

REACH = DFA.parse(">0: a→1 | *1:", "ab")
BOTH = DFA.parse(">0: a→1, b→2 | 1: b→3 | 2: a→3 | *3:", "ab")


@pytest.mark.parametrize("seed", range(12))
def test_a_question_tells_the_chance_of_yes_and_its_information(seed: int) -> None:
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, 12))
    found = Verdicts.of(belief).questions()
    known = core(belief)
    for one in found:
        assert problem.word(one.path) == one.word
        assert one.chance == pytest.approx(float(known.acceptances([one.word])[0]))
        assert one.nats == pytest.approx(float(of_label(np.array([one.chance]))[0]))
        assert len({task.accepts(one.word) for task in known.tasks}) == 2
    worth = [one.nats - READING * len(one.word) for one in found]
    assert worth == sorted(worth, reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_question_is_the_best_of_all_complete_paths(seed: int) -> None:
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, 12))
    words = sorted({problem.word(path) for path in enumerate_paths(problem.mdp)})
    best = float(of_label(core(belief).acceptances(words)).max())
    found = Verdicts.of(belief).questions()
    assert max((one.nats for one in found), default=0.0) == pytest.approx(best, abs=1e-12)


def test_the_core_is_nearly_all_of_the_belief() -> None:
    belief = belief_in(random_problem(1), random_tasks(1, 40))
    found = core(belief)
    count = len(found.scores)
    assert found.scores == belief.scores[:count]
    assert belief.weights[:count].sum() >= 0.999 > belief.weights[: count - 1].sum()
    assert found.weights.sum() == pytest.approx(1.0)


def test_what_is_given_or_skipped_is_not_asked() -> None:
    problem = corner_world(REACH)
    tasks = random_tasks(5, 30)
    asked = [one.word for one in Verdicts.of(belief_in(problem, tasks)).questions()]
    assert len(asked) > 2
    left = [one.word for one in Verdicts.of(belief_in(problem, tasks)).questions(asked[:1])]
    assert left == asked[1:]
    given = replace(problem, given=Examples.from_mapping({asked[0]: True}))
    assert asked[0] not in [one.word for one in Verdicts.of(belief_in(given, tasks)).questions()]


def test_what_a_class_makes_certain_is_not_asked() -> None:
    # With a safety class and "a" rejected, everything that begins with a is rejected.
    problem = corner_world(
        DFA.parse(">*0: a→1 | 1:", "ab"),
        classes=(by_name("safety"),),
        given=Examples.of(reject=["a"]),
    )
    tasks = random_tasks(5, 30)  # of any class: some would accept words that begin with a
    asked = [one.word for one in Verdicts.of(belief_in(problem, tasks)).questions()]
    assert asked
    assert all(word[:1] != ("a",) for word in asked)
    free = replace(problem, classes=(), given=Examples())
    asked = [one.word for one in Verdicts.of(belief_in(free, tasks)).questions()]
    assert any(word[:1] == ("a",) for word in asked)


@pytest.mark.parametrize("seed", range(8))
def test_answers_are_tasks_that_label_all_paths_alike(seed: int) -> None:
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, 14))
    words = sorted({problem.word(path) for path in enumerate_paths(problem.mdp)})
    known = core(belief)
    labels = acceptance(known.tasks, words)
    shares: dict[bytes, float] = {}
    for row, weight in zip(labels, known.weights.tolist(), strict=True):
        shares[row.tobytes()] = shares.get(row.tobytes(), 0.0) + weight
    found = Verdicts.of(belief).answers()
    assert [share for _, share in found] == pytest.approx(sorted(shares.values(), reverse=True))
    for score, share in found:
        key = acceptance([score.language], words)[0].tobytes()
        assert shares[key] == pytest.approx(share)
        alike = [one for one, row in zip(known.scores, labels, strict=True) if row.tobytes() == key]
        assert score.size == min(one.size for one in alike)


def test_all_words_of_the_corner_world_are_short_first() -> None:
    problem = corner_world(REACH)
    tasks = [DFA.constant("ab", label) for label in (True, False)]
    found = [one.word for one in Verdicts.of(belief_in(problem, [*tasks, REACH, BOTH])).possible]
    assert set(found) <= set(all_words("ab", 4))
    assert found[0] == ()


@pytest.mark.parametrize("seed", range(6))
def test_with_several_worlds_answers_are_tasks_that_label_the_paths_of_all_alike(seed: int) -> None:
    problem = two_worlds(seed)
    whole = belief_in(problem, random_tasks(seed, 10))
    belief = core(whole)
    words = {problem.word(path, scene) for scene in problem.scenes for path in every_path(scene.mdp)}
    labels = acceptance(belief.tasks, sorted(words))
    shares: dict[bytes, float] = {}
    for row, weight in zip(labels, belief.weights.tolist(), strict=True):
        shares[row.tobytes()] = shares.get(row.tobytes(), 0.0) + weight
    verdicts = Verdicts.of(whole)
    found = [share for _, share in verdicts.answers()]
    assert found == pytest.approx(sorted(shares.values(), reverse=True))
    for one in verdicts.questions():
        assert problem.word(one.path, problem.scene(one.world)) == one.word


def test_a_question_may_be_about_a_path_of_either_world() -> None:
    found = [one.world for seed in range(6) for one in questions_in_two_worlds(seed)]
    assert {"first", "second"} == set(found)


def questions_in_two_worlds(seed: int) -> list[LabelQuestion]:
    return Verdicts.of(belief_in(two_worlds(seed), random_tasks(seed, 10))).questions()


def test_in_a_merged_world_paths_are_those_of_the_map() -> None:
    problem = corner_world(REACH)
    merged = problem.merged()
    tasks = [REACH, BOTH, DFA.parse(">0: b→1 | *1:", "ab"), DFA.constant("ab", False)]
    scene = merged.scene()
    assert len(merged.mdp.states) < len(problem.mdp.states) or scene.quotient is not None
    for one in Verdicts.of(belief_in(merged, tasks)).possible:
        assert problem.word(scene.in_original(one.path)) == one.word
        drawn = illustrate(scene, one.path)
        assert [line[0] for line in drawn.splitlines()[:3]] == ["a", ".", "."]


def test_a_path_is_drawn_on_the_map_with_its_steps() -> None:
    problem = corner_world(REACH)
    moves = [("up", (2, 1)), ("left", (1, 1)), ("left", (1, 1)), ("right", (2, 1)), ("right", (3, 1))]
    flat = [part for move in moves for part in move]
    path = read_path(problem.mdp, flat, complete=False)
    assert illustrate(problem.scene(), path).splitlines() == [
        "a3 .4 .5",
        ".  .0 .",
        ".  .  b",
        "up, left ×2, right ×2",
    ]


def test_where_episodes_begin_is_drawn_on_the_map() -> None:
    world = gridworld(("a..", "..b"), start={(1, 1): 0.5, (3, 2): 0.5}, episode=Episode(horizon=3))
    assert illustrate_starts(Scene(world=world)).splitlines() == ["a0 .  .", ".  .  b0"]
    assert illustrate_starts(random_problem(1).scene()) == ""
