"""The examples of models run, and stay short."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["prism_model", "step_function"])
def test_examples_are_short(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 30


def test_the_runs_in_a_prism_model_tell_the_task() -> None:
    pytest.importorskip("stormpy")
    result = runpy.run_path(str(EXAMPLES / "prism_model.py"))["main"]()
    assert str(result.best.task) == "reach goal; never wet"


def test_a_world_of_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    world = runpy.run_path(str(EXAMPLES / "step_function.py"))["world"]
    assert world.letters == ("key", "key&out", "out")
    assert world.states[0] == "hall, false"
    assert capsys.readouterr().out.endswith("6 states; brought out: 1.00\n")


@pytest.mark.parametrize("path", sorted((EXAMPLES / "models").iterdir()), ids=lambda path: path.name)
def test_models_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
