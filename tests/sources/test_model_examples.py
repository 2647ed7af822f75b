"""The examples of models run, and stay short."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest

import demospec

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


def test_the_problem_file_of_the_document_can_be_read(tmp_path: Path) -> None:
    pytest.importorskip("stormpy")
    text = (EXAMPLES.parent / "docs" / "models.md").read_text(encoding="utf-8")
    shutil.copy(EXAMPLES / "models" / "mutex.prism", tmp_path)
    (tmp_path / "problem.toml").write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    problem = demospec.load(tmp_path / "problem.toml")
    assert problem.word(problem.demonstrations[0]) == ("first",)
    assert problem.alphabet == ("first", "first&second", "second")


@pytest.mark.parametrize("path", sorted((EXAMPLES / "models").iterdir()), ids=lambda path: path.name)
def test_models_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60
