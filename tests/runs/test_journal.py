"""Runs that are cut off anywhere go on to the same result."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy_engine import Toy

import demospec
from demospec.errors import FileError
from demospec.problem import Problem
from demospec.report.documents import dumps, result_document
from demospec.runs import chains
from demospec.runs import journal as journals
from demospec.runs.position import Row
from demospec.runs.session import Session, iterate
from demospec.runs.journal import ASIDE, MAGIC, NAME, Journal
from demospec.runs.result import Result

METHODS = ("paper", "random-pivots", "enumeration", "explore")


@pytest.fixture(autouse=True)
def marks_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "SECONDS", 0.0)


def problem(method: str, **settings: Any) -> Problem:
    iterations = 3 if method == "explore" else 12
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
    first = next(journals.records(whole))[2]
    rng = np.random.default_rng(0)
    for cut in [
        first,
        len(whole) - 1,
        *rng.integers(first, len(whole), size=1 if method == "explore" else 4).tolist(),
    ]:
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


@pytest.mark.parametrize("count", [1, 3])
def test_cut_off_after_any_byte_a_toy_goes_on_to_the_same_end(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "engine_of", Toy)
    asked = problem("explore", iterations=30, chains=count)
    journal = Journal.begin(tmp_path, asked, 3)
    run = Run(asked, seed=3, journal=journal)
    expected = list(run), run.ended
    journal.close(finished=False)
    whole = (tmp_path / NAME).read_bytes()
    ends = [end for _, _, end in journals.records(whole)]
    for end in ends:
        for cut in (end - 1, end, end + 5):
            if cut < ends[0]:
                continue
            (tmp_path / NAME).write_bytes(whole[:cut])
            again = Journal.open(tmp_path)
            run = Run(again.problem, seed=again.seed, journal=again)
            assert (list(run), run.ended) == expected
            again.close(finished=False)


def test_points_that_are_no_use_any_more_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = problem("paper", iterations=60)
    sizes = []
    for useless in (1 << 26, 0):
        monkeypatch.setattr(journals, "USELESS", useless)
        journal = Journal.begin(tmp_path, asked, 3)
        rows = list(islice(iterate(asked, seed=3, journal=journal), 55))
        journal.close(finished=False)
        sizes.append((tmp_path / NAME).stat().st_size)
        again = Journal.open(tmp_path)
        assert again.rows == rows
        assert list(iterate(asked, seed=3, journal=again)) == list(iterate(asked, seed=3))
        again.close(finished=True)
    assert sizes[1] < sizes[0]
    assert not list(tmp_path.glob(".*"))


def test_seconds_of_earlier_parts_count(tmp_path: Path) -> None:
    asked = problem("paper", chains=1, max_seconds=1000.0)
    journal = Journal.begin(tmp_path, asked, 3)
    list(islice(iterate(asked, seed=3, journal=journal), 4))
    journal.close(finished=False)
    journal = Journal.open(tmp_path)
    assert journal.point is not None
    journal.point = replace(journal.point, seconds=2000.0)
    run = Run(asked, seed=3, journal=journal)
    assert len(list(run)) == 5
    assert run.ended == "seconds"
    assert run.seconds > 2000
    journal.close(finished=True)


def test_a_run_left_early_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "SECONDS", 1000.0)
    journal = Journal.begin(tmp_path, problem("paper"), 3)
    list(islice(iterate(journal.problem, seed=3, journal=journal), 4))
    journal.close(finished=False)
    again = Journal.open(tmp_path)
    assert len(again.rows) == 4
    again.close(finished=True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "options",
    [
        ("--method", "paper", "--iterations", "1200"),
        pytest.param(("--chains", "3", "--max-evaluations", "2500"), marks=pytest.mark.slow),
        pytest.param(("--chains", "3", "--max-evaluations", "2500", "--jobs", "2"), marks=pytest.mark.slow),
    ],
    ids=["paper", "explore", "explore elsewhere"],
)
def test_killed_up_to_ten_times_the_command_line_gives_the_same_result(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "demospec"]
    robot = tmp_path / "robot.toml"
    robot.write_text(demospec.problems.text("robot"), encoding="utf-8")
    jobs = options[-2:] if "--jobs" in options else ()
    here = options[: len(options) - len(jobs)]
    learn = [*command, "learn", str(robot), "--seed", "1", *here, "--out"]
    began = time.monotonic()
    subprocess.run([*learn, str(tmp_path / "plain")], capture_output=True, check=True)
    took = time.monotonic() - began
    assert not (tmp_path / "plain" / NAME).exists()
    folder = tmp_path / "killed"
    rng = np.random.default_rng(0)
    killed = attempts = 0
    while killed == 0 and attempts < 5:  # a run that was quicker than the first kill is started again
        attempts += 1
        process = start(*learn, folder, *jobs)
        while killed < 10 and process.poll() is None:
            try:
                process.wait(timeout=float(rng.uniform(0.1, 0.8)) * took / attempts)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
                go_on = [*command, "resume"] if started(folder) else learn
                process = start(*go_on, folder, *jobs)
    code = process.wait(timeout=300)
    assert code == 0 or (code == 2 and not (folder / NAME).exists())  # killed when all was written
    assert killed > 0
    results = [(tmp_path / name / "result.json").read_text().splitlines() for name in ("plain", "killed")]
    kept = [[line for line in lines if '"seconds"' not in line] for lines in results]
    assert kept[0] == kept[1]
    assert len(kept[0]) == len(results[0]) - 1


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    silent = subprocess.DEVNULL
    return subprocess.Popen([str(argument) for argument in arguments], stdout=silent, stderr=silent)


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
