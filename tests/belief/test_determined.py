"""Whether the task is determined: an aim against the enumeration of all paths, and what is said of it."""

from __future__ import annotations

import pytest
from belief_cases import KINDS, LETTERS, Kind, all_paths, belief_in, divergence, some_problem, some_tasks

from demospec.belief import findings_of
from demospec.belief.answers import has_aim, is_determined, not_determined
from demospec.belief.tuned import LITTLE, SAME
from demospec.explain.score import evaluate
from demospec.tasks import DFA

ANYTHING, NOTHING = DFA.constant(LETTERS, True), DFA.constant(LETTERS, False)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_an_aim_shows_in_the_chances_of_paths(seed: int, kind: Kind) -> None:
    problem = some_problem(seed, kind=kind)
    for task in [*some_tasks(seed, 4), ANYTHING, NOTHING]:
        score = evaluate(problem, task).score
        pair, same = [task, ANYTHING], [score.rationality] * 2
        apart = max(divergence(problem, pair, same, 0, 1), divergence(problem, pair, same, 1, 0))
        assert has_aim(problem, score) == (apart >= SAME)


def test_some_of_these_tasks_have_an_aim_and_some_accept_all_that_occurs() -> None:
    aims, trivial = set(), 0
    for seed in range(8):
        problem = some_problem(seed)
        for task in some_tasks(seed, 4):
            aim = has_aim(problem, evaluate(problem, task).score)
            labels = {
                task.accepts(problem.word(path, scene))
                for scene in problem.scenes
                for path in all_paths(scene.mdp)
            }
            assert not (aim and len(labels) == 1)
            trivial += len(labels) == 1
            aims.add(aim)
    assert aims == {True, False}
    assert trivial


def test_a_little_of_the_belief_does_not_determine_the_task() -> None:
    problem = some_problem(1)
    scores = (evaluate(problem, task).score for task in some_tasks(1, 12))
    score = next(one for one in scores if has_aim(problem, one))
    assert is_determined(problem, score, LITTLE)
    assert not is_determined(problem, score, LITTLE - 1e-6)
    assert not is_determined(problem, evaluate(problem, ANYTHING).score, 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_findings_say_so(seed: int) -> None:
    problem = some_problem(seed)
    alone = findings_of(belief_in(problem, [ANYTHING, NOTHING]))
    assert not alone.determined
    assert alone.score.task == ANYTHING  # of both, which are one answer, the one that can be satisfied
    assert any(not_determined(problem) in sentence for sentence in alone.sentences)
    every = findings_of(belief_in(problem, [*some_tasks(seed, 12), ANYTHING]))
    first = every.answers.all[0]
    assert every.determined == is_determined(problem, first.smallest, first.share)
    assert any(not_determined(problem) in one for one in every.sentences) == (not every.determined)
