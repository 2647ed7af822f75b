"""Worlds whose states cannot be listed: paths are drawn, and questions say so."""

from __future__ import annotations

import pytest
from small import belief_in, word_asked

from demospec.ask.dialogue import Dialogue
from demospec.ask.labels import Verdicts, possible_paths
from demospec.ask.run_questions import offered_edits, offered_starts
from demospec.belief import acceptance
from demospec.errors import InputError
from demospec.explain.pursuing import sample
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.work.stop import Stop, Stopped
from demospec.worlds.paths import read_path
from factored_worlds import rooms

LETTERS = ("door", "lit")
LIT = DFA.parse(">0: lit→1 | *1:", LETTERS)
LEAVE = DFA.parse(">0: lit→1 | 1: door→2 | *2:", LETTERS)
DOOR = DFA.parse(">0: door→1 | *1:", LETTERS)

pytest.importorskip("oxidd")


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Six rooms with a lamp in one; the world could be listed, but nobody does."""
    bare = Problem.of(
        rooms(count=6, horizon=9, lamps=(4,)), agent=Fixed(6.0), merge_repeats=True, planner=DiagramPlanner()
    )
    return bare.with_demonstrations(sample(bare, LIT, seed=1)).with_settings(iterations=4)


def test_drawn_words_are_those_of_complete_paths_each_way_to_label_them_once(problem: Problem) -> None:
    belief = belief_in(problem, [LIT, LEAVE, DOOR])
    found = possible_paths(belief, seed=3)
    rows = acceptance(belief.tasks, [one.word for one in found]).T
    assert len({row.tobytes() for row in rows}) == len(found) > 3
    for one in found:
        assert one.drawn
        steps = one.path.to_file(problem.world)
        assert read_path(problem.world, steps, complete=True) == one.path  # type: ignore[arg-type]
        assert problem.word(one.path) == one.word
    assert possible_paths(belief, seed=3) == found


def test_questions_say_that_paths_were_drawn(problem: Problem) -> None:
    verdicts = Verdicts.of(belief_in(problem, [LIT, LEAVE, DOOR]))
    assert verdicts.drawn
    questions = verdicts.questions()
    assert questions
    assert all(one.drawn for one in questions)
    assert len(verdicts.answers()) == 3


def test_a_dialogue_finds_a_planted_task(problem: Problem) -> None:
    dialogue = Dialogue.begin(problem)
    for _ in range(12):
        if dialogue.question is None:
            break
        dialogue = dialogue.replied(LIT.accepts(word_asked(dialogue)))
    assert dialogue.replies
    assert not dialogue.contradiction
    for one in dialogue.verdicts.possible:
        assert dialogue.answer[0].task.accepts(one.word) == LIT.accepts(one.word)


def test_start_states_and_edits_are_refused(problem: Problem) -> None:
    belief = belief_in(problem, [LIT, DOOR])
    with pytest.raises(InputError, match="only in a world whose states are listed"):
        offered_starts(belief)
    with pytest.raises(InputError, match="only a gridworld's map can be edited"):
        offered_edits(belief)


def test_a_stop_flag_ends_it(problem: Problem) -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Stopped):
        possible_paths(belief_in(problem, [LIT, DOOR]), stop=stop)
