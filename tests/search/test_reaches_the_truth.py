"""Planted tasks that were once missed: search finds nothing worse than the truth in its shortest way."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import demospec

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "misses.py"


@pytest.fixture(scope="module")
def misses() -> ModuleType:
    spec = importlib.util.spec_from_file_location("misses", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their types
    spec.loader.exec_module(module)
    return module


NAMES = (
    "parity",
    "parity, nearly aimless",
    "divisible by 3",
    "divisible by 3, few states",
    "office 1",
    "office 8",
    "and, few runs",
    "and",
    "and, as parts",
    "or",
    "or elsewhere",
    "five",
    "five others",
    "five, few runs",
    "eight letters",
    "lake",
    "lake with holes",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_search_explains_at_least_as_well_as_the_truth(misses: ModuleType, name: str) -> None:
    if name.startswith("lake"):
        pytest.importorskip("gymnasium")
    planted = misses.CASES[name](0)
    rows = demospec.Session(planted.problem, seed=0)
    found = min(score.energy for row in rows for score in row.info.scored)
    assert found <= planted.energy + 1e-9


def test_every_planted_task_is_looked_for(misses: ModuleType) -> None:
    assert set(NAMES) == set(misses.CASES)
