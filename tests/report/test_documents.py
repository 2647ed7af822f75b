"""Results as JSON documents: one shape, numbers that JSON can hold, and the way back."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import pytest

from demospec import learn, load_example, problems
from demospec.cli.policy import demonstration_toml
from demospec.explain.pursuing import sample
from demospec.explain.score import evaluate
from demospec.explain.setup import resolve
from demospec.files import ProblemDocument, build_problem, convert
from demospec.plan.rationality import Competency, Fixed
from demospec.problem import Problem
from demospec.report.documents import dumps, plain_value, task_document
from demospec.report.page.result_page import result_page
from demospec.report.policy_report import drawn_document
from demospec.report.problem_report import check_document
from demospec.report.reproduction import PROBLEMS
from demospec.report.result_document import result_document, settings_document
from demospec.report.score_report import score_document
from demospec.report.told import Told
from demospec.runs.result import Result
from demospec.tasks import DFA

REPRODUCTION = Path(__file__).parents[2] / "docs" / "reproduction"
BEST = DFA.parse(">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2")


@lru_cache
def robot() -> Problem:
    return load_example("robot-paper").with_settings(iterations=8)


@lru_cache
def result() -> Result:
    return learn(robot(), seed=1)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_json_cannot_hold_is_null(number: float) -> None:
    assert plain_value({"number": [number]}) == {"number": [None]}


def test_a_result_is_json_and_says_what_decided_it() -> None:
    found = json.loads(dumps(result_document(result())))
    assert found == json.loads(json.dumps(result().to_json()))
    assert found["settings"] == json.loads(json.dumps(settings_document(robot(), 1)))
    for key in ("seed", "method", "iterations", "chains", "candidates", "size_weight", "rationality"):
        assert key in found["settings"]
    assert len(found["trace"]) == 8


@pytest.mark.parametrize("experiment", PROBLEMS)
def test_settings_stand_in_the_order_of_the_committed_reproductions(experiment: str) -> None:
    committed = json.loads((REPRODUCTION / experiment / "result.json").read_text(encoding="utf-8"))
    for run in committed["methods"]:
        problem = load_example(PROBLEMS[experiment]).with_settings(method=run["settings"]["method"])
        assert dumps(settings_document(problem, 0)) == dumps(run["settings"])


def test_the_page_of_a_result_names_settings_as_a_problem_file_does() -> None:
    page = result_page(Told(result()))
    assert "paper.candidates" in page
    assert "PaperSettings" not in page


def test_a_trace_row_tells_the_conjecture_and_where_it_left_the_demonstrations() -> None:
    rows = result_document(learn(robot().with_settings(method="paper"), seed=1))["trace"]
    told = [row["conjecture"] for row in rows if row["conjecture"]]
    assert told
    for conjecture in told:
        left, path = conjecture["pivot"], conjecture["path"]
        assert path[: len(left)] == left
        assert conjecture["accept"] == (conjecture["gradient"] < 0)
    for row in rows:
        assert not (row["conjecture"] and not row["accepted"])


def test_a_competency_that_few_tasks_allow_leaves_json_valid() -> None:
    problem = replace(robot(), agent=Competency(0.999))
    again = json.loads(dumps(result_document(learn(problem, seed=0))))
    assert math.fsum(task["weight"] for task in again["ranked"]) == pytest.approx(1)
    assert again["settings"]["competency"] == 0.999


@pytest.mark.parametrize("name", problems.names())
def test_a_score_document_is_valid_at_every_extreme(name: str) -> None:
    problem = load_example(name)
    for accept in (False, True):
        task = DFA.constant(problem.alphabet, accept)
        found = evaluate(replace(problem, agent=Fixed(1000.0)), task)
        document = json.loads(dumps(score_document(problem, found)))
        assert document["satisfaction_probability"] == float(accept)
        total = math.fsum(demo["surprise"] for demo in document["demonstrations"])
        assert total == pytest.approx(document["surprise"])


def test_a_task_document_is_a_task_file() -> None:
    document = json.loads(dumps(task_document(BEST, size=BEST.size)))
    assert DFA.from_json(document) == BEST
    assert document["size"] == 51


def test_drawn_paths_read_the_same_as_json_and_as_toml() -> None:
    for path in sample(robot(), BEST, count=5, seed=0):
        document = drawn_document(robot(), robot().scene(), path, BEST)
        (again,) = tomllib.loads(demonstration_toml(document))["demonstrations"]
        assert again == {key: document[key] for key in ("complete", "path")}
        assert document["accepted"] == BEST.accepts(document["word"])


@pytest.mark.parametrize("name", problems.names())
def test_a_check_document_is_json(name: str) -> None:
    found = json.loads(dumps(check_document(load_example(name))))
    assert found["name"] == name.removesuffix("-paper")  # the same robot, whose agent is known
    assert found["demonstrations"]
    assert found["letters_never_seen"] == []


def test_a_result_can_be_had_again_from_its_document() -> None:
    result = learn(robot().with_settings(iterations=3), seed=2)
    document = json.loads(dumps(result_document(result)))
    problem = build_problem(convert(document["problem"], ProblemDocument, "result"), Path("/nowhere"))
    again = json.loads(dumps(result_document(learn(problem, seed=document["settings"]["seed"]))))
    assert {**again, "seconds": 0} == {**document, "seconds": 0}
    believed = document["belief"]["believed"]
    assert len(believed) == document["belief"]["tasks"]
    assert sum(one["weight"] for one in believed) == pytest.approx(1)
    bit = resolve(problem).weights.belief_size_weight
    costs = [bit * one["size"] + one["surprise"] for one in believed]
    weights = [math.exp(costs[0] - cost) for cost in costs]
    assert [one["weight"] for one in believed] == pytest.approx([w / sum(weights) for w in weights])
    assert document["version"] == version("demospec")
