"""A task of one's own joins through the base class: it is proposed, scored, ranked, told and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import demospec
from demospec import DFA, Problem, Session, Task, Weights
from demospec.errors import TaskError
from demospec.explain.evaluator import Evaluator
from demospec.report.answer_report import result_blocks
from demospec.report.blocks import as_text
from demospec.report.folder import write_result
from demospec.report.result_document import result_document
from demospec.search.best_first import Explorer
from demospec.search.frontier import Known
from demospec.search.moves import MOVES, Memory, Move, Proposals
from demospec.tasks import Composite, register_kind, task_from_json
from demospec.work.stop import Stop


class ReachSafely(Task):
    """Reach a letter before another: said in two letters, and therefore short."""

    def __init__(self, goal: str, pit: str, alphabet: tuple[str, ...]) -> None:
        self.goal, self.pit, self.alphabet = goal, pit, alphabet

    @property
    def automaton(self) -> DFA:
        line = f">0: {self.goal}→1, {self.pit}→2 | *1: | 2:"
        return DFA.parse(line, self.alphabet).minimal

    @property
    def size(self) -> int:
        return 2

    def __str__(self) -> str:
        return f"reach {self.goal} before {self.pit}"

    def to_json(self) -> dict[str, Any]:
        return {"kind": "reach", "goal": self.goal, "pit": self.pit, "alphabet": list(self.alphabet)}


def read(document: Mapping[str, Any]) -> ReachSafely:
    return ReachSafely(document["goal"], document["pit"], tuple(document["alphabet"]))


class Reaching(Move):
    """All of these tasks, in every step."""

    name = "reaching"
    reason = "Proposes every goal before every pit."
    phrase = "said in two letters"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        letters = known.problem.alphabet
        return Proposals([ReachSafely(a, b, letters) for a in letters for b in letters if a != b])


def engine(problem: Problem, stop: Stop) -> Explorer:
    return Explorer(problem, moves=[Reaching(), *MOVES], evaluator=Evaluator(problem, stop=stop))


@pytest.fixture(autouse=True)
def known_kind() -> None:
    register_kind("reach", read)


def problem() -> Problem:
    """Return a problem in which a bit is dear, so that the short way to say a task counts."""
    robot = demospec.load_example("robot-paper").with_settings(iterations=3)
    return replace(robot, weights=Weights(size_weight=0.5))


def test_it_is_learned_told_and_written(tmp_path: Path) -> None:
    result = demospec.learn(problem(), engine=engine)
    best = result.best.task
    assert (str(best), best.size) == ("reach y before r", 2)
    assert result.best.energy == pytest.approx(0.5 * 2 + result.best.surprise)
    told = as_text(result_blocks(result))
    assert "Reach y before r." in told
    assert "  reach y before r\n" in told
    document = result_document(result)
    assert document["best"]["kind"] == "reach"
    assert document["why"]["origin"]["ingredient"] == "reaching"
    assert result.belief.accepts("y") > 0.5
    write_result(result, tmp_path)
    again = demospec.load_task(str(tmp_path / "result.json"))
    assert str(again) == "reach y before r"
    assert demospec.score(problem(), again).surprise == pytest.approx(result.best.surprise, rel=1e-12)


def test_a_session_goes_on_with_it(tmp_path: Path) -> None:
    expected = demospec.learn(problem(), engine=engine)
    session = Session(problem(), folder=tmp_path, engine=engine)
    session.step()
    session.close()
    with Session.resume(tmp_path, engine=engine) as resumed:
        found = resumed.run()
    assert [str(one.score.task) for one in found.ranked] == [str(one.score.task) for one in expected.ranked]
    assert [one.score.energy for one in found.ranked] == [one.score.energy for one in expected.ranked]


def test_one_key_for_one_thing() -> None:
    said = ReachSafely("a", "b", ("a", "b"))
    plain = said.automaton
    assert said.key != plain.key
    assert said.key[0] == plain.key[0]
    assert ReachSafely("a", "b", ("a", "b")).key == said.key
    both = Composite.of("and", [said, DFA.parse(">*0: b→1 | 1:", "ab")])
    assert both == plain & DFA.parse(">*0: b→1 | 1:", "ab")
    assert plain.parts == (plain,)
    assert plain.joined_by == ""


def test_a_kind_that_nobody_reads_is_refused() -> None:
    with pytest.raises(TaskError, match=r'no kind of task "raech" \(did you mean "reach"\?\)'):
        task_from_json({"kind": "raech"})
