"""Questions: never about what is known, ranked; answers group tasks that no path tells apart."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from small import belief_in, corner_world, random_problem, random_tasks

from demospec.ask.illustration import illustrate
from demospec.ask.information import of_demonstration, of_label
from demospec.ask.questions import EFFORT, Labels, core, edits, likeliest, relabelled, spread, starts
from demospec.belief import acceptance
from demospec.errors import InputError
from demospec.identify import by_name
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.testing.worlds import enumerate_paths
from demospec.worlds.paths import read_path
from strategies import all_words

REACH = DFA.parse(">0: a→1 | *1:", "ab")
BOTH = DFA.parse(">0: a→1, b→2 | 1: b→3 | 2: a→3 | *3:", "ab")


@pytest.mark.parametrize("seed", range(12))
def test_a_question_tells_the_chance_of_yes_and_its_information(seed: int) -> None:
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, 12))
    found = Labels.of(belief).questions()
    known = core(belief)
    for one in found:
        assert problem.word(one.path) == one.word
        assert one.chance == pytest.approx(float(known.acceptances([one.word])[0]))
        assert one.nats == pytest.approx(float(of_label(np.array([one.chance]))[0]))
        assert len({task.accepts(one.word) for task in known.tasks}) == 2
    worth = [one.nats - EFFORT * len(one.word) for one in found]
    assert worth == sorted(worth, reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_question_is_the_best_of_all_complete_paths(seed: int) -> None:
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, 12))
    words = sorted({problem.word(path) for path in enumerate_paths(problem.mdp)})
    best = float(of_label(core(belief).acceptances(words)).max())
    found = Labels.of(belief).questions()
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
    asked = [one.word for one in Labels.of(belief_in(problem, tasks)).questions()]
    assert len(asked) > 2
    left = [one.word for one in Labels.of(belief_in(problem, tasks)).questions(asked[:1])]
    assert left == asked[1:]
    given = replace(problem, given=Examples.from_mapping({asked[0]: True}))
    assert asked[0] not in [one.word for one in Labels.of(belief_in(given, tasks)).questions()]


def test_what_a_class_makes_certain_is_not_asked() -> None:
    # With a safety class and "a" rejected, everything that begins with a is rejected.
    problem = corner_world(
        DFA.parse(">*0: a→1 | 1:", "ab"),
        classes=(by_name("safety"),),
        given=Examples.of(reject=["a"]),
    )
    tasks = random_tasks(5, 30)  # of any class: some would accept words that begin with a
    asked = [one.word for one in Labels.of(belief_in(problem, tasks)).questions()]
    assert asked
    assert all(word[:1] != ("a",) for word in asked)
    free = replace(problem, classes=(), given=Examples())
    asked = [one.word for one in Labels.of(belief_in(free, tasks)).questions()]
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
    found = Labels.of(belief).answers()
    assert [share for _, share in found] == pytest.approx(sorted(shares.values(), reverse=True))
    for score, share in found:
        key = acceptance([score.task], words)[0].tobytes()
        assert shares[key] == pytest.approx(share)
        alike = [one for one, row in zip(known.scores, labels, strict=True) if row.tobytes() == key]
        assert score.size == min(one.size for one in alike)


def test_start_states_are_ranked_by_what_a_demonstration_tells() -> None:
    problem = corner_world(REACH)
    belief = belief_in(problem, [REACH, BOTH, DFA.parse(">0: b→1 | *1:", "ab")])
    found = starts(belief)
    assert {one.state for one in found} == set(problem.mdp.states)
    nats = [one.expected.nats for one in found]
    assert nats == sorted(nats, reverse=True)
    assert nats[0] > nats[-1]
    scores, weights = likeliest(belief)
    elsewhere = replace(problem.mdp, start=problem.mdp.number[found[0].state])
    assert of_demonstration(problem, elsewhere, scores, weights, seed=0) == found[0].expected
    assert starts(belief) == found
    few = starts(belief, most=3)
    assert len(few) == 3
    assert (2, 2) in {one.state for one in few}


def test_edits_are_ranked_by_what_a_demonstration_tells() -> None:
    problem = corner_world(REACH)
    belief = belief_in(problem, [REACH, DFA.parse(">0: a→1, b→2 | *1: b→2 | 2:", "ab")])
    found = edits(belief)
    nats = [one.expected.nats for one in found]
    assert nats == sorted(nats, reverse=True)
    assert all(one.cell != (2, 2) for one in found)
    assert len({(one.cell, one.letter) for one in found}) == len(found) == 8 * 2
    for one in (found[0], found[-1]):
        number = problem.mdp.number[one.cell]
        assert one.before == problem.mdp.labels[number]
        assert one.letter != one.before
        changed = relabelled(problem.mdp, number, one.letter)
        assert [k for k in range(9) if changed.labels[k] != problem.mdp.labels[k]] == [number]
        scores, weights = likeliest(belief)
        assert of_demonstration(problem, changed, scores, weights, seed=0) == one.expected
    # Avoidance of b is shown best where b is in the way to a.
    assert found[0].letter == "b" or found[0].before == "b"


def test_a_world_that_makes_a_difference_tells_more() -> None:
    problem = corner_world(REACH)
    belief = belief_in(problem, [REACH, BOTH])
    without_b = relabelled(problem.mdp, problem.mdp.number[3, 3], None)
    scores, _ = likeliest(belief)
    nothing = of_demonstration(problem, without_b, scores[:1], np.ones(1), seed=0)
    assert nothing.nats == pytest.approx(0.0, abs=1e-9)
    best = max(one.expected.nats for one in starts(belief))
    assert best <= math.log(2) + 0.05


def test_only_a_map_can_be_edited() -> None:
    problem = random_problem(1)
    with pytest.raises(InputError, match="only a gridworld's map can be edited"):
        edits(belief_in(problem, random_tasks(1, 3)))


def test_items_are_spread_evenly() -> None:
    assert list(spread(range(100), 3)) == [0, 50, 99]
    assert list(spread(range(100), 1)) == [0]
    assert list(spread([], 3)) == []


def test_all_words_of_the_corner_world_are_short_first() -> None:
    problem = corner_world(REACH)
    tasks = [DFA.constant("ab", label) for label in (True, False)]
    found = Labels.of(belief_in(problem, [*tasks, REACH, BOTH])).words
    assert set(found) <= set(all_words("ab", 4))
    assert found[0] == ()


def test_in_a_merged_world_paths_and_cells_are_those_of_the_map() -> None:
    problem = corner_world(REACH)
    merged = problem.merged()
    tasks = [REACH, BOTH, DFA.parse(">0: b→1 | *1:", "ab"), DFA.constant("ab", False)]
    assert len(merged.mdp.states) < len(problem.mdp.states) or merged.quotient is not None
    found = Labels.of(belief_in(merged, tasks))
    for word, path in zip(found.words, found.paths, strict=True):
        assert problem.word(merged.in_original(path)) == word
        drawn = illustrate(merged, path)
        assert [line[0] for line in drawn.splitlines()[:3]] == ["a", ".", "."]
    best = edits(belief_in(merged, tasks), cells=2)[0]
    assert best.before == problem.mdp.labels[problem.mdp.number[best.cell]]
    assert best.expected.nats > 0


def test_a_path_is_drawn_on_the_map_with_its_steps() -> None:
    problem = corner_world(REACH)
    moves = [("up", (2, 1)), ("left", (1, 1)), ("left", (1, 1)), ("right", (2, 1)), ("right", (3, 1))]
    flat = [part for move in moves for part in move]
    path = read_path(problem.mdp, flat, complete=False)
    assert illustrate(problem, path).splitlines() == [
        "a3 .4 .5",
        ".  .0 .",
        ".  .  b",
        "up, left ×2, right ×2",
    ]
