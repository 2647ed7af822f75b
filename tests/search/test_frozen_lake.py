"""Gymnasium's FrozenLake: a long horizon, a slippery world, and an agent of whom nothing is told."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import demospec
from demospec.runs.result import Result
from demospec.tasks.clauses import Clauses
from recovery.wide_measures import nearness

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "frozen_lake.py"


@pytest.fixture(scope="module")
def lake() -> ModuleType:
    pytest.importorskip("gymnasium")
    spec = importlib.util.spec_from_file_location("frozen_lake", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def behaves_as(result: Result, truth: Clauses, rationality: float) -> bool:
    assert result.findings is not None
    answers = result.findings.answers
    at = answers.all.index(answers.answer)
    return nearness(result.problem, answers.all, at, truth.automaton, rationality, 0.0).alike[at]


@pytest.mark.slow
@pytest.mark.parametrize(("rationality", "holes"), [(1000.0, False), (1000.0, True)])
def test_key_then_goal_is_learned_from_six_runs(lake: ModuleType, rationality: float, holes: bool) -> None:
    problem, truth = lake.shown(rationality=rationality, runs=6, horizon=200, holes=holes, seed=1)
    result = demospec.learn(problem, seed=0)
    assert behaves_as(result, truth, rationality)
    assert result.findings is not None
    assert result.findings.answer.share > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("rationality", [300.0, 1000.0])
def test_search_explains_at_least_as_well_as_the_truth(lake: ModuleType, rationality: float) -> None:
    problem, truth = lake.shown(rationality=rationality, runs=6, horizon=200, holes=True, seed=1)
    found = min(score.energy for row in demospec.Session(problem, seed=0) for score in row.info.scored)
    assert found <= demospec.score(problem, truth).energy + 1e-9
