"""The folders of results: what is written is listed, and nothing of an earlier result is left beside it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from demospec import evaluate, learn, load_example
from demospec.errors import FileError
from demospec.identify.allowed import Parts
from demospec.problem import Problem
from demospec.report.folder import write_files, write_result, write_score
from demospec.runs.result import Result
from demospec.tasks import DFA


def robot(**settings: int) -> Problem:
    return load_example("robot-paper").with_settings(**settings)


@lru_cache
def result(iterations: int = 8) -> Result:
    return learn(robot(iterations=iterations), seed=1)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_folder_lists_what_was_written(tmp_path: Path) -> None:
    paths = write_result(result(), tmp_path)
    assert sorted(paths) == sorted(tmp_path.iterdir())
    assert write_result(result(), tmp_path) == paths  # once more over the old ones


def test_nothing_of_an_earlier_result_is_left(tmp_path: Path) -> None:
    problem = replace(load_example("robot-paper"), parts=Parts("and", 2))
    first = learn(problem.with_settings(method="paper", iterations=30), seed=0)
    before = {path.name for path in write_result(first, tmp_path)}
    assert {"task-2.svg", "task-3-part-1.svg", "task-3-part-2.svg", "world.svg"} <= before
    few = learn(load_example("delivery").with_settings(method="enumeration", iterations=1), seed=0)
    after = {path.name for path in write_result(few, tmp_path)}
    assert "task-2.svg" not in after
    assert names(tmp_path) == after


def test_other_files_stay(tmp_path: Path) -> None:
    own = [
        *("notes.txt", "task-x.svg", "my-task-2.svg", "task-2.svg.bak", "best-paper.svg", "task-2.json"),
        *("value-1.svg", "visits.svg", "score.json", "run.journal.before", "README.md"),
    ]
    for name in own:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    (tmp_path / "task-9.svg").mkdir()
    paths = write_result(result(), tmp_path)
    assert names(tmp_path) == {*own, "task-9.svg", *(path.name for path in paths)}
    assert all((tmp_path / name).read_text(encoding="utf-8") == "mine" for name in own)


def test_a_score_leaves_no_maps_of_an_earlier_one(tmp_path: Path) -> None:
    problem = robot()
    large, small = (
        DFA.parse(line, problem.alphabet) for line in (">0: b→1 | 1: g→2 | 2: y→3 | *3:", ">0: y→1 | *1:")
    )
    write_result(result(), tmp_path)
    kept = names(tmp_path)
    write_score(problem, evaluate(problem, large), tmp_path, problem.scene())
    assert "value-3.svg" in names(tmp_path)
    paths = write_score(problem, evaluate(problem, small), tmp_path, problem.scene())
    assert names(tmp_path) == kept | {path.name for path in paths}
    assert "value-3.svg" not in names(tmp_path)


def test_what_cannot_be_removed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.svg").write_text("", encoding="utf-8")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(FileError, match=r"old\.svg: is of an earlier result.*Permission denied"):
        write_files(tmp_path, {"new.svg": ""}, r"\w+\.svg")
