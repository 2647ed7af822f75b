"""Runs step by step: they agree with how the task reads the demonstrations, and with their surprise."""

from __future__ import annotations

import json
from functools import cache

import pytest

import demospec
from demospec.report.page.figures import Walk, step_words, walks_document, walks_of
from demospec.runs.result import Result
from demospec.runs.why import explain
from demospec.tasks import DFA


@cache
def learned(name: str) -> Result:
    problem = demospec.load_example(name)
    return demospec.learn(problem.with_settings(iterations=5), seed=0)


def walks(name: str) -> list[Walk]:
    result = learned(name)
    return list(walks_of(result.problem, result.best.task.automaton, explain(result).demonstrations))


@pytest.mark.parametrize("name", ["robot", "robot-paper", "delivery", "lamps"])
def test_a_walk_ends_where_the_task_ends(name: str) -> None:
    result = learned(name)
    task = result.best.task.automaton
    for walk, word, path in zip(
        walks(name), result.problem.words, result.problem.demonstrations, strict=True
    ):
        assert task.accepting[walk.steps[-1].state] == task.accepts(word)
        assert len(walk.steps) == len(path.steps) + 1
        assert [step.action is None for step in walk.steps].index(True) == 0


@pytest.mark.parametrize("name", ["robot", "delivery"])
def test_the_surprise_of_all_steps_is_that_of_the_task(name: str) -> None:
    total = sum(step.surprise or 0.0 for walk in walks(name) for step in walk.steps)
    assert total == pytest.approx(sum(one.surprise for one in explain(learned(name)).demonstrations))


def test_a_letter_that_is_read_twice_in_a_row_counts_once_where_repeats_are_merged() -> None:
    problem = demospec.load_example("robot")
    even = DFA.parse(">0: b→1 | *1: b→0", problem.alphabet)
    assert problem.merge_repeats
    (path,) = [walk for walk in walks_of(problem, even) if "b" in {step.letter for step in walk.steps}]
    assert sum(step.letter == "b" for step in path.steps) > 1
    assert path.steps[-1].state == 1


def test_a_step_is_told_in_words() -> None:
    walk = walks("robot")[0]
    assert step_words(walk, 0) == "Start in (5, 6)."
    told = step_words(walk, len(walk.steps) - 1)
    assert told.startswith("Step 6 of 6: ")
    assert "It reads y: the task goes to state" in told


def test_the_document_is_json_with_cells_as_pictures_name_them() -> None:
    result = learned("robot")
    found = json.loads(json.dumps(walks_document(result.problem, walks("robot"))))
    assert [run["run"] for run in found] == [1, 2]
    assert found[0]["steps"][0]["cell"] == "5,6"
    assert "action" not in found[0]["steps"][0]
