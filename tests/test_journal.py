"""Runs that are cut off anywhere go on to the same result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import demospec
from demospec import journal as journals
from demospec.chains import Row, iterate
from demospec.errors import FileError
from demospec.journal import ASIDE, MAGIC, NAME, Journal
from demospec.learn import Result
from demospec.problem import Problem
from demospec.report.documents import dumps, result_document

METHODS = ("paper", "random-pivots", "enumeration", "explore")


@pytest.fixture(autouse=True)
def marks_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "SECONDS", 0.0)


def problem(method: str, **settings: Any) -> Problem:
    iterations = 5 if method == "explore" else 12
    chosen = {"method": method, "iterations": iterations, "chains": 2, "reset_period": 5, **settings}
    return demospec.load_example("robot-incremental").with_settings(**chosen)


def written(result_of: Problem, rows: list[Row]) -> str:
    return dumps(result_document(Result.of(result_of, 3, rows, 0.0)))


@pytest.mark.parametrize("method", METHODS)
def test_cut_off_anywhere_a_run_goes_on_to_the_same_bytes(method: str, tmp_path: Path) -> None:
    asked = problem(method)
    expected = written(asked, list(iterate(asked, seed=3)))
    journal = Journal.begin(tmp_path, asked, 3)
    assert written(asked, list(iterate(asked, seed=3, journal=journal))) == expected
    journal.close(finished=False)
    whole = (tmp_path / NAME).read_bytes()
    first = len(MAGIC) + 12 + int.from_bytes(whole[len(MAGIC) : len(MAGIC) + 6], "big")
    rng = np.random.default_rng(0)
    for cut in [first, len(whole) - 1, *rng.integers(first, len(whole), size=4).tolist()]:
        (tmp_path / NAME).write_bytes(whole[:cut])
        again = Journal.open(tmp_path)
        assert len(again.rows) < len(list(iterate(asked, seed=3)))
        assert (
            written(again.problem, list(iterate(again.problem, seed=again.seed, journal=again))) == expected
        )
        again.close(finished=False)
        more = Journal.open(tmp_path)
        assert len(more.rows) > 0
        more.close(finished=False)


def test_a_run_can_be_cut_off_again_and_again(tmp_path: Path) -> None:
    asked = problem("paper")
    expected = written(asked, list(iterate(asked, seed=3)))
    journal = Journal.begin(tmp_path, asked, 3)
    list(islice(iterate(asked, seed=3, journal=journal), 4))
    for more in (3, 6, 1):
        journal.close(finished=False)
        journal = Journal.open(tmp_path)
        before = len(journal.rows)
        rows = list(islice(iterate(asked, seed=3, journal=journal), before + more))
        assert len(rows) == before + more
    journal.close(finished=False)
    journal = Journal.open(tmp_path)
    assert written(asked, list(iterate(asked, seed=3, journal=journal))) == expected
    journal.close(finished=True)


def test_a_spoilt_record_and_all_after_it_are_done_again(tmp_path: Path) -> None:
    asked = problem("paper")
    journal = Journal.begin(tmp_path, asked, 3)
    expected = written(asked, list(iterate(asked, seed=3, journal=journal)))
    journal.close(finished=False)
    whole = bytearray((tmp_path / NAME).read_bytes())
    whole[len(whole) * 2 // 3] ^= 1
    (tmp_path / NAME).write_bytes(bytes(whole))
    again = Journal.open(tmp_path)
    assert 0 < len(again.rows) < 24
    assert written(asked, list(iterate(asked, seed=3, journal=again))) == expected
    again.close(finished=True)


def test_what_cannot_be_resumed_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no unfinished run"):
        Journal.open(tmp_path)
    (tmp_path / NAME).write_bytes(b"something else")
    with pytest.raises(FileError, match="not a journal"):
        Journal.open(tmp_path)
    (tmp_path / NAME).write_bytes(MAGIC + b"\0\0")
    with pytest.raises(FileError, match="nothing yet"):
        Journal.open(tmp_path)


def test_a_record_that_cannot_be_read_any_more_is_told_from_a_record_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal.begin(tmp_path, problem("paper"), 0).close(finished=False)
    before = (tmp_path / NAME).read_bytes()
    monkeypatch.delattr("demospec.problem.Weights")
    with pytest.raises(FileError, match="another version of demospec"):
        Journal.open(tmp_path)
    assert (tmp_path / NAME).read_bytes() == before


def test_a_problem_without_demonstrations_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    text = demospec.problems.text("robot")
    (tmp_path / "robot.toml").write_text(text[: text.index("[[demonstrations]]")], encoding="utf-8")
    command = [sys.executable, "-m", "demospec", "learn", str(tmp_path / "robot.toml"), "--out"]
    ran = subprocess.run([*command, str(tmp_path / "out")], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "no demonstrations" in ran.stderr
    assert not (tmp_path / "out" / NAME).exists()


def test_a_finished_run_leaves_no_journal(tmp_path: Path) -> None:
    journal = Journal.begin(tmp_path, problem("paper"), 0)
    journal.close(finished=True)
    assert not (tmp_path / NAME).exists()


def test_a_new_run_puts_an_unfinished_one_aside(tmp_path: Path) -> None:
    Journal.begin(tmp_path, problem("paper"), 0).close(finished=False)
    before = (tmp_path / NAME).read_bytes()
    Journal.begin(tmp_path, problem("explore"), 0).close(finished=False)
    assert (tmp_path / ASIDE).read_bytes() == before
    assert (tmp_path / NAME).read_bytes() != before


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_killed_ten_times_the_command_line_gives_the_same_result(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "demospec"]
    robot = tmp_path / "robot.toml"
    robot.write_text(demospec.problems.text("robot"), encoding="utf-8")
    learn = [*command, "learn", str(robot), "--seed", "1", "--iterations", "1500", "--out"]
    plain = subprocess.run([*learn, str(tmp_path / "plain")], capture_output=True, check=True)
    assert not (tmp_path / "plain" / NAME).exists()
    folder = tmp_path / "killed"
    rng = np.random.default_rng(0)
    process = subprocess.Popen([*learn, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    killed = 0
    while killed < 10 and process.poll() is None:
        time.sleep(float(rng.uniform(0.6, 1.6)))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
            again = [*command, "resume", str(folder)] if started(folder) else [*learn, str(folder)]
            process = subprocess.Popen(again, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert process.wait(timeout=120) == 0
    assert killed > 0
    results = [json.loads((tmp_path / name / "result.json").read_text()) for name in ("plain", "killed")]
    for result in results:
        del result["seconds"]
    assert results[0] == results[1]
    assert b"iterations" in plain.stdout


def started(folder: Path) -> bool:
    """Say whether a run got as far as to write down what it is about."""
    try:
        Journal.open(folder).close(finished=False)
    except FileError:
        return False
    return True


def test_resume_without_a_run_is_refused_with_exit_code_2(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "demospec", "resume", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ})
    assert ran.returncode == 2
    assert "holds no unfinished run" in ran.stderr
