"""The dialogue asks for demonstrations: each makes a scene, is searched with, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from small import corner_world, run_asked

from demospec.ask.dialogue import Dialogue, Offering, learned_scores
from demospec.ask.labels import LabelQuestion
from demospec.ask.run_questions import Edit, RunQuestion, Start, offered_edits, offered_starts
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


def until_clear(dialogue: Dialogue, truth: DFA, most: int) -> Dialogue:
    for number in range(most):
        if dialogue.question is None:
            break
        dialogue = dialogue.replied(run_of(truth, dialogue.problem, run_asked(dialogue).scene, number))
    return dialogue


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("offering", [QUICK_STARTS, QUICK_EDITS], ids=["start", "edit"])
def test_runs_make_scenes_and_all_that_is_believed_is_scored_on_them(
    offering: Offering, merged: bool
) -> None:
    problem = corner_world(AVOID)
    problem = problem.merged() if merged else problem
    last = until_clear(Dialogue.begin(problem, kind="start", offering=offering, enough=1.0), AVOID, 2)
    assert len(last.replies) == 2
    assert len(last.problem.demonstrations) == 3
    assert last.problem.scenes[0].name == "world"
    for reply in last.replies:
        assert isinstance(reply.question, RunQuestion)
        scene = last.problem.scene(reply.question.scene.name)
        assert reply.given in [scene.in_original(path) for path in scene.demonstrations]
        assert (scene.quotient is not None) == merged
        assert isinstance(scene.original, GridWorld)
    for score in last.standing.belief.scores[:3]:
        assert evaluate(last.problem, score.task).score.surprise == pytest.approx(score.surprise)


def test_runs_from_other_starts_tell_the_task() -> None:
    first = Dialogue.begin(corner_world(FIRST_B), kind="start", offering=QUICK_STARTS, enough=0.9)
    assert first.answer[1] < 0.9
    last = until_clear(first, FIRST_B, 8)
    assert 0 < len(last.replies) < 8
    assert last.reason.startswith("one answer has")
    for word in ((), ("a",), ("b",), ("a", "b"), ("b", "a")):
        assert last.answer[0].task.accepts(word) == FIRST_B.accepts(word)


def test_the_machine_is_a_value() -> None:
    problem = corner_world(AVOID)
    first = Dialogue.begin(problem, kind="start", offering=QUICK_STARTS, enough=1.0)
    offer = run_asked(first)
    path = run_of(AVOID, problem, offer.scene, 1)
    second = first.replied(path)
    assert first.question is offer
    assert not first.replies
    assert first.problem is problem
    assert second.replies[0].given == path
    taken = first.taken(path)  # before anybody searches, the problem has it
    assert len(taken.problem.demonstrations) == 2
    assert [reply.given for reply in taken.replies] == [path]
    again = Dialogue.begin(problem, kind="start", offering=QUICK_STARTS, enough=1.0).replied(path)
    assert again.answer[0].task == second.answer[0].task
    assert again.answer[1] == pytest.approx(second.answer[1])


def test_the_search_runs_again_after_every_run_and_forgets_no_task() -> None:
    searched: list[Problem] = []

    def searching(problem: Problem) -> list[Score]:
        searched.append(problem)
        return learned_scores(problem)[: 200 if len(searched) == 1 else 1]  # the second finds next to nothing

    dialogue = Dialogue.begin(
        corner_world(AVOID), searching=searching, kind="start", offering=QUICK_STARTS, enough=1.0
    )
    before = {score.task for score in dialogue.standing.belief.scores}
    assert dialogue.question is not None
    after = dialogue.replied(run_of(AVOID, dialogue.problem, run_asked(dialogue).scene, 1))
    assert len(searched) == 2
    assert searched[1] is after.problem
    assert before <= {score.task for score in after.standing.scores}


def test_skipped_offers_are_left_until_something_is_shown() -> None:
    ranked: list[int] = []

    def offering(belief: object) -> list[object]:
        ranked.append(1)
        return QUICK_STARTS(belief)  # type: ignore[arg-type, return-value]

    dialogue = Dialogue.begin(corner_world(AVOID), kind="start", offering=offering, enough=1.0)  # type: ignore[arg-type]
    first, second = dialogue.questions[:2]
    assert isinstance(first, RunQuestion)
    assert isinstance(second, RunQuestion)
    skipped = dialogue.skip()
    assert skipped.question is second
    assert len(ranked) == 1  # nothing is ranked again
    shown = skipped.replied(run_of(AVOID, dialogue.problem, second.scene, 1))
    assert first.change in [offer.change for offer in shown.questions if isinstance(offer, RunQuestion)]
    last = dialogue
    while last.question is not None:
        last = last.skip()
    assert last.reason == "no demonstration is left that would tell enough"
    with pytest.raises(InputError, match="nothing to skip"):
        last.skip()
    with pytest.raises(InputError, match="nothing to answer"):
        last.taken(Path((), complete=False))


def test_it_stops_when_it_is_sure_and_goes_on_where_one_is_asked_for() -> None:
    problem = corner_world(AVOID)
    sure = Dialogue.begin(problem, enough=0.0, kind="edit", offering=QUICK_EDITS)
    assert sure.question is None
    assert sure.reason.startswith("one answer has")
    # In this world alone nothing tells these tasks apart; an edit would.
    only = [score for score in learned_scores(problem) if score.task in (AVOID, REACH)]
    lonely = replace(
        Dialogue.begin(problem, enough=1.0, searching=lambda _: only, kind="edit", offering=QUICK_EDITS),
        enough=1.0,
    )
    assert not lonely.sure
    assert lonely.questions
    assert all(
        isinstance(offer, RunQuestion) and isinstance(offer.change, Edit) for offer in lonely.questions
    )


def test_another_offer_can_be_taken() -> None:
    problem = corner_world(AVOID)
    dialogue = Dialogue.begin(problem, kind="start", offering=QUICK_STARTS, enough=1.0)
    other = dialogue.questions[-1]
    assert isinstance(other, RunQuestion)
    assert isinstance(other.change, Start)
    shown = dialogue.replied(run_of(AVOID, problem, other.scene, 2), other)
    assert shown.replies[0].question is other


def test_a_search_that_finds_nothing_ends_it() -> None:
    problem = corner_world(REACH, given=Examples.of(accept=["a"], reject=["b"]))
    dialogue = Dialogue.begin(problem, kind="start", offering=QUICK_STARTS, enough=1.0)
    offer = run_asked(dialogue)

    def refusing(problem: Problem) -> list[Score]:
        raise InputError("no task meets the examples")

    shown = replace(dialogue, searching=refusing).replied(run_of(REACH, problem, offer.scene, 0))
    assert shown.reason == shown.contradiction == "no task meets the examples"
    assert shown.question is None
    assert len(shown.problem.demonstrations) == 2


def test_a_label_or_a_run_is_asked_for_whichever_tells_more() -> None:
    problem = corner_world(AVOID)
    one = Dialogue.begin(problem, kind="label", enough=1.0)
    other = Dialogue.begin(problem, kind="start", offering=QUICK_STARTS, enough=1.0)
    both = Dialogue.begin(problem, kind="any", offering=QUICK_STARTS, enough=1.0)
    assert both.question is not None
    assert both.question.worth == max(one.questions[0].worth, other.questions[0].worth)
    assert len(both.questions) == len(one.questions) + len(other.questions)
    run = next(question for question in both.questions if isinstance(question, RunQuestion))
    label = next(question for question in both.questions if isinstance(question, LabelQuestion))
    shown = both.replied(run_of(AVOID, problem, run.scene, 1), run)
    assert (len(shown.problem.demonstrations), len(shown.problem.given.mapping)) == (2, 0)
    said = shown.replied(AVOID.accepts(label.word), label)
    assert (len(said.problem.demonstrations), len(said.problem.given.mapping)) == (2, 1)
    assert str(said.replies[0]).startswith(f"run {run.scene.name}: ")
    with pytest.raises(InputError, match="a run is asked for, not a label"):
        both.taken(True, run)


def test_runs_that_are_asked_for_are_shown_in_notebooks() -> None:
    dialogue = Dialogue.begin(corner_world(AVOID), kind="start", offering=QUICK_STARTS, enough=1.0)
    offer = run_asked(dialogue)
    page = dialogue._repr_html_()
    assert page is not None
    assert str(offer.change) in page
    shown = dialogue.taken(run_of(AVOID, dialogue.problem, offer.scene, 1))
    page = shown._repr_html_()
    assert page is not None
    assert f"run {offer.scene.name}: " in page
    assert "1 run, 0 labels" in repr(shown)
