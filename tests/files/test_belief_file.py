"""What is believed, read back from a file: a result of `learn`, or one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import demospec
from demospec.errors import InputError
from demospec.tasks import DFA
from demospec.tasks.clauses import parse

REACH = DFA.from_formula("F y", "ry")


def written(folder: Path, document: object) -> str:
    file = folder / "belief.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return str(file)


def test_the_answers_of_a_result_are_those_of_the_run(tmp_path: Path) -> None:
    result = demospec.learn(demospec.load_example("robot"), seed=0)
    found = demospec.load_belief(written(tmp_path, result.to_json()))
    expected = result.weighted_tasks[: len(found)]
    assert len(found) > 1
    assert [(task.automaton, weight) for task, weight in found] == [
        (task.automaton, weight) for task, weight in expected
    ]
    assert sum(weight for _, weight in result.weighted_tasks) <= 1 + 1e-12


def test_without_answers_each_scored_task_is_one() -> None:
    result = demospec.learn(demospec.load_example("robot"), seed=0)
    result.__dict__["findings"] = None  # the time was up
    found = result.weighted_tasks
    assert [task for task, _ in found] == [score.task for score in result.belief.scores]
    assert sum(weight for _, weight in found) == pytest.approx(1)


@pytest.mark.parametrize(
    "answer",
    [
        {"task": "reach y", "weight": 0.25},
        {"task": "F y", "probability": 0.25, "sentence": "Reach y."},
        {"task": {**REACH.to_json()}, "weight": 0.25, "clauses": ["reach y"]},
        {**REACH.to_json(), "weight": 0.25, "members": 3, "light": [], "clauses": ["reach y"]},
        {**parse("reach y", "ry").to_json(), "weight": 0.25},
    ],
)
def test_a_task_may_be_text_or_an_object(tmp_path: Path, answer: dict[str, Any]) -> None:
    for document in ({"answers": [answer]}, {"belief": {"answers": [answer]}}):
        ((task, weight),) = demospec.load_belief(written(tmp_path, document), ("r", "y"))
        assert (task.automaton, weight) == (REACH, 0.25)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, 'belief.json: expected answers, and there are none: a result of `learn`, or "answers"'),
        ({"answers": "many"}, 'expected answers, and found "many"'),
        ({"belief": None}, "the run ended before its belief was worked out: it has no answers"),
        ({"belief": 3}, "expected answers, and found 3"),
        ({"answers": [3]}, "answer 1: expected a table with a task and a weight, found 3"),
        ({"answers": [{"task": "F y"}]}, 'answer 1: the key "weight" is missing'),
        ({"answers": [{"task": "F y", "weight": "1"}]}, 'answer 1: weight: expected a number, found "1"'),
        ({"answers": [{"task": "F y", "weight": True}]}, "answer 1: weight: expected a number, found true"),
        ({"answers": [{"weight": 1}]}, 'answer 1: the key "task" is missing'),
        ({"answers": [{"task": 3, "weight": 1}]}, "answer 1: task: expected text or a task file's object"),
        ({"answers": [{"task": "reach", "weight": 1}]}, "answer 1: task: "),
        (
            {"answers": [{"task": {"kind": "bfa"}, "weight": 1}]},
            'there is no kind of task "bfa" .did you mean "dfa"',
        ),
        (
            {"answers": [{"task": {"states": 1}, "weight": 1}]},
            'answer 1: task: the key "alphabet" is missing',
        ),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(tmp_path: Path, document: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        demospec.load_belief(written(tmp_path, document), ("r", "y"))
