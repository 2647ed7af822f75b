"""The dialogue about demonstrations: each makes a scene, is searched with, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from small import corner_world

from demospec.ask.labelled import learned_scores
from demospec.ask.offers import Edit, Start, offered_edits, offered_starts
from demospec.ask.showing import Offering, Showing
from demospec.errors import InputError
from demospec.explain.score import Score, evaluate, plan_task
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.worlds.gridworld import GridWorld
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene

AVOID = DFA.parse(">0: a→1, b→2 | *1: b→2 | 2:", "ab")
FIRST_B = DFA.parse(">0: b→1 | 1: a→2 | *2:", "ab")
REACH = DFA.parse(">0: a→1 | *1:", "ab")
QUICK_STARTS = partial(offered_starts, most=5, each_round=24)
QUICK_EDITS = partial(offered_edits, most=3, each_round=24)


def run_of(task: DFA, problem: Problem, scene: Scene, number: int) -> Path:
    rng = np.random.default_rng(number)
    return scene.drawn_in_original(sample_path(plan_task(problem, task, scene), rng), rng)


def until_clear(showing: Showing, truth: DFA, most: int) -> Showing:
    for number in range(most):
        if showing.offer is None:
            break
        showing = showing.demonstrated(run_of(truth, showing.problem, showing.offer.scene, number))
    return showing


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("offering", [QUICK_STARTS, QUICK_EDITS], ids=["start", "edit"])
def test_runs_make_scenes_and_all_that_is_believed_is_scored_on_them(
    offering: Offering, merged: bool
) -> None:
    problem = corner_world(AVOID)
    problem = problem.merged() if merged else problem
    last = until_clear(Showing.begin(problem, offering=offering, enough=1.0), AVOID, 2)
    assert len(last.shown) == 2
    assert len(last.problem.demonstrations) == 3
    assert last.problem.scenes[0].name == "world"
    for shown in last.shown:
        scene = last.problem.scene(shown.offer.scene.name)
        assert shown.path in [scene.in_original(path) for path in scene.demonstrations]
        assert (scene.quotient is not None) == merged
        assert isinstance(scene.original, GridWorld)
    for score in last.standing.belief.scores[:3]:
        assert evaluate(last.problem, score.task).score.surprise == pytest.approx(score.surprise)


def test_runs_from_other_starts_tell_the_task() -> None:
    first = Showing.begin(corner_world(FIRST_B), offering=QUICK_STARTS, enough=0.9)
    assert first.best[1] < 0.9
    last = until_clear(first, FIRST_B, 8)
    assert 0 < len(last.shown) < 8
    assert last.reason.startswith("one answer has")
    for word in ((), ("a",), ("b",), ("a", "b"), ("b", "a")):
        assert last.best[0].task.accepts(word) == FIRST_B.accepts(word)


def test_the_machine_is_a_value() -> None:
    problem = corner_world(AVOID)
    first = Showing.begin(problem, offering=QUICK_STARTS, enough=1.0)
    offer = first.offer
    assert offer is not None
    path = run_of(AVOID, problem, offer.scene, 1)
    second = first.demonstrated(path)
    assert first.offer is offer
    assert not first.shown
    assert first.problem is problem
    assert second.shown[0].path == path
    taken = first.taken(path)  # before anybody searches, the problem has it
    assert len(taken.problem.demonstrations) == 2
    assert [shown.path for shown in taken.shown] == [path]
    again = Showing.begin(problem, offering=QUICK_STARTS, enough=1.0).demonstrated(path)
    assert again.best[0].task == second.best[0].task
    assert again.best[1] == pytest.approx(second.best[1])


def test_the_search_runs_again_after_every_run_and_forgets_no_task() -> None:
    searched: list[Problem] = []

    def searching(problem: Problem) -> list[Score]:
        searched.append(problem)
        return learned_scores(problem)[: 200 if len(searched) == 1 else 1]  # the second finds next to nothing

    showing = Showing.begin(corner_world(AVOID), searching=searching, offering=QUICK_STARTS, enough=1.0)
    before = {score.task for score in showing.standing.belief.scores}
    assert showing.offer is not None
    after = showing.demonstrated(run_of(AVOID, showing.problem, showing.offer.scene, 1))
    assert len(searched) == 2
    assert searched[1] is after.problem
    assert before <= {score.task for score in after.standing.scores}


def test_skipped_offers_are_left_until_something_is_shown() -> None:
    ranked: list[int] = []

    def offering(belief: object) -> list[object]:
        ranked.append(1)
        return QUICK_STARTS(belief)  # type: ignore[arg-type, return-value]

    showing = Showing.begin(corner_world(AVOID), offering=offering, enough=1.0)  # type: ignore[arg-type]
    first, second = showing.offers[:2]
    skipped = showing.skip()
    assert skipped.offer is second
    assert len(ranked) == 1  # nothing is ranked again
    shown = skipped.demonstrated(run_of(AVOID, showing.problem, second.scene, 1))
    assert first.change in [offer.change for offer in shown.offers]
    last = showing
    while last.offer is not None:
        last = last.skip()
    assert last.reason == "no demonstration is left that would tell enough"
    with pytest.raises(InputError, match="nothing to skip"):
        last.skip()
    with pytest.raises(InputError, match="nothing to show"):
        last.taken(Path((), complete=False))


def test_it_stops_when_it_is_sure_and_goes_on_where_one_is_asked_for() -> None:
    problem = corner_world(AVOID)
    sure = Showing.begin(problem, enough=0.0, offering=QUICK_EDITS)
    assert sure.offer is None
    assert sure.reason.startswith("one answer has")
    # In this world alone nothing tells these tasks apart; an edit would.
    only = [score for score in learned_scores(problem) if score.task in (AVOID, REACH)]
    lonely = replace(
        Showing.begin(problem, enough=1.0, searching=lambda _: only, offering=QUICK_EDITS), enough=1.0
    )
    assert not lonely.sure
    assert lonely.offers
    assert all(isinstance(offer.change, Edit) for offer in lonely.offers)


def test_another_offer_can_be_taken() -> None:
    problem = corner_world(AVOID)
    showing = Showing.begin(problem, offering=QUICK_STARTS, enough=1.0)
    other = showing.offers[-1]
    assert isinstance(other.change, Start)
    shown = showing.demonstrated(run_of(AVOID, problem, other.scene, 2), other)
    assert shown.shown[0].offer is other


def test_a_search_that_finds_nothing_ends_it() -> None:
    problem = corner_world(REACH, given=Examples.of(accept=["a"], reject=["b"]))
    showing = Showing.begin(problem, offering=QUICK_STARTS, enough=1.0)
    offer = showing.offer
    assert offer is not None

    def refusing(problem: Problem) -> list[Score]:
        raise InputError("no task meets the examples")

    shown = replace(showing, searching=refusing).demonstrated(run_of(REACH, problem, offer.scene, 0))
    assert shown.reason == shown.contradiction == "no task meets the examples"
    assert shown.offer is None
    assert len(shown.problem.demonstrations) == 2
