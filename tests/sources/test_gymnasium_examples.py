"""The examples from `gymnasium.make` to a task that was learned and exported: what was planted comes back."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import demospec
from demospec.belief.episodes import Episodes

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = {
    "frozen_lake_task": ((), "never hole; X, then Y"),
    "taxi_task": ((), "reach G; no G before R"),
    "cliff_walking_task": ((), "corner, then goal; never fell"),
    "door_key_task": ((5,), "key, then door, then goal"),
    "door_key_task at 8": ((8,), "key, then door, then goal"),
}


def example(name: str) -> Any:
    specification = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_planted_task_comes_back(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("minigrid")
    arguments, meant = CASES[case]
    result = example(case.split()[0]).main(*arguments)
    problem = result.problem
    task = demospec.load_task(meant, problem.alphabet).as_dfa()
    learned = result.best.task.as_dfa()
    assert Episodes(problem).telling(learned, task) == []  # no run in this world tells them apart
    assert str(result.best.task) in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted({case.split()[0] for case in CASES}))
def test_an_example_is_short(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    found = re.search(r"\n    env = gymnasium\.make.*?\n    return", text, re.DOTALL)
    assert found is not None
    assert found[0].count("\n") - 1 <= 15
