"""Runs that are cut off anywhere go on to the same result."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import demospec
from demospec import native
from demospec.errors import FileError
from demospec.problem import Problem
from demospec.report.documents import dumps
from demospec.report.page.result_page import result_page
from demospec.report.result_document import result_document
from demospec.report.told import Told
from demospec.runs import journal as journals
from demospec.runs.journal import ASIDE, JOURNAL, MAGIC, Journal
from demospec.runs.result import Source
from demospec.runs.session import Session, iterate
from toy_engine import Toy

SECONDS_TOLD = re.compile(r'"seconds": [\d.e-]+|[\d.]+ (?:s\b|seconds|minutes)')
METHODS = ("paper", "random-pivots", "enumeration", "explore")


@pytest.fixture(autouse=True)
def marks_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "SECONDS", 0.0)


def problem(method: str, **settings: Any) -> Problem:
    iterations = 3 if method == "explore" else 12
    chosen = {"method": method, "iterations": iterations, "chains": 2, "reset_period": 5, **settings}
    return demospec.load_example("robot-incremental").with_settings(**chosen)


def written(session: Session) -> str:
    """Finish a session, and return its result without what differs from run to run."""
    for _ in session:
        pass
    document = result_document(session.result())
    return dumps({key: value for key, value in document.items() if key != "seconds"})


@pytest.mark.parametrize("method", METHODS)
def test_cut_off_anywhere_a_run_goes_on_to_the_same_bytes(method: str, tmp_path: Path) -> None:
    asked = problem(method)
    expected = written(Session(asked, seed=3))
    with Session(asked, seed=3, folder=tmp_path) as session:
        assert written(session) == expected
        session.close(finished=False)
    whole = (tmp_path / JOURNAL).read_bytes()
    first = next(journals.whole_records(whole)).end
    rng = np.random.default_rng(0)
    for cut in [
        first,
        len(whole) - 1,
        *rng.integers(first, len(whole), size=1 if method == "explore" else 4).tolist(),
    ]:
        (tmp_path / JOURNAL).write_bytes(whole[:cut])
        again = Session.resume(tmp_path)
        assert again.resumed < len(list(iterate(asked, seed=3)))
        assert written(again) == expected
        again.close(finished=False)
        more = Journal.open(tmp_path)
        assert len(more.rows) > 0
        more.close(finished=False)


def test_a_run_can_be_cut_off_again_and_again(tmp_path: Path) -> None:
    asked = problem("paper")
    expected = written(Session(asked, seed=3))
    session = Session(asked, seed=3, folder=tmp_path)
    list(islice(session, 4))
    for more in (3, 6, 1):
        session.close()
        session = Session.resume(tmp_path)
        assert len(list(islice(session, session.resumed + more))) == session.resumed + more
    session.close()
    session = Session.resume(tmp_path)
    assert session.resumed == 14
    assert written(session) == expected
    session.close()
    assert not (tmp_path / JOURNAL).exists()


def test_whatever_happens_to_a_record_the_result_is_the_same(tmp_path: Path) -> None:
    asked = problem("paper")
    with Session(asked, seed=3, folder=tmp_path) as session:
        expected = written(session)
        session.close(finished=False)
    whole = (tmp_path / JOURNAL).read_bytes()
    records = [whole[one.begin - journals.HEAD : one.end] for one in journals.whole_records(whole)]
    head = MAGIC + records[0]
    rng = np.random.default_rng(1)
    spoilt = {
        "dropped": [*records[1:7], *records[8:]],
        "repeated": [*records[1:7], records[6], *records[7:]],
        "swapped": [*records[1:7], records[8], records[7], *records[9:]],
        "of the end": [*records[1:7], records[-1]],
    }
    cases = [head + b"".join(rest) for rest in spoilt.values()]
    for _ in range(12):
        flipped = bytearray(whole)
        at = int(rng.integers(len(head), len(whole)))
        flipped[at] ^= 1 << int(rng.integers(8))
        cases.append(bytes(flipped))
    for number, case in enumerate(cases):
        (tmp_path / JOURNAL).write_bytes(case)
        again = Session.resume(tmp_path)
        assert again.resumed < 24, number
        assert written(again) == expected, number
        again.close(finished=False)


def test_what_cannot_be_resumed_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no unfinished run"):
        Journal.open(tmp_path)
    (tmp_path / JOURNAL).write_bytes(b"something else")
    with pytest.raises(FileError, match="not a journal"):
        Journal.open(tmp_path)
    (tmp_path / JOURNAL).write_bytes(MAGIC + b"\0\0")
    with pytest.raises(FileError, match="nothing yet"):
        Journal.open(tmp_path)


def test_a_run_from_another_environment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Journal.begin(tmp_path, problem("paper"), 0).close(finished=False)
    before = (tmp_path / JOURNAL).read_bytes()
    monkeypatch.setattr(np, "__version__", "1.0.0")
    with pytest.raises(FileError, match=r"begun elsewhere: NumPy .*, now 1\.0\.0"):
        Journal.open(tmp_path)
    assert (tmp_path / JOURNAL).read_bytes() == before


def test_without_the_compiled_library_a_run_does_not_go_on(tmp_path: Path) -> None:
    if native.library() is None:
        pytest.skip("there is no compiled library")
    Journal.begin(tmp_path, problem("paper"), 0).close(finished=False)
    command = [sys.executable, "-m", "demospec", "resume", str(tmp_path)]
    environment = {**os.environ, "DEMOSPEC_NATIVE": "0"}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 2
    assert "the compiled library in use, now not in use" in ran.stderr


def test_nothing_in_a_journal_is_executed(tmp_path: Path) -> None:
    """A pickle in the place of a record is refused, and a task that names a file is not read."""

    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "executed"),)

    def forged(kind: bytes, data: bytes, before: bytes) -> bytes:
        records = [*journals.whole_records(before)]
        head, _ = journals.head_of(kind, len(records), records[-1].digest if records else b"", data)
        return before + head + data

    Journal.begin(tmp_path, problem("paper"), 0).close(finished=False)
    whole = (tmp_path / JOURNAL).read_bytes()
    (tmp_path / JOURNAL).write_bytes(forged(journals.POINT, pickle.dumps(Bomb()), whole))
    with pytest.raises(FileError, match="not what it should be"):
        Journal.open(tmp_path)
    assert not (tmp_path / "executed").exists()
    (head,) = journals.whole_records(whole)
    document = msgspec.json.decode(head.data(whole))
    document["problem"]["task"] = {"implies": "/etc/passwd"}
    (tmp_path / JOURNAL).write_bytes(forged(journals.RUN, msgspec.json.encode(document), MAGIC))
    with pytest.raises(FileError, match="names a file"):
        Journal.open(tmp_path)


def test_what_was_typed_is_kept_and_opened_for_nothing(tmp_path: Path) -> None:
    """Reports of a run that goes on name the same file, whatever it is called and though it is gone."""
    os.mkfifo(tmp_path / "tube")  # whoever opens it waits for ever
    for name in (str(tmp_path / "tube"), "/nowhere/robot.toml", "a \udcff \n'b'.toml"):
        typed = Source(name, str(tmp_path), ("--set", "search.without=\udcff"), True)
        asked = problem("explore", iterations=1, chains=1)
        with Session(asked, folder=tmp_path, source=typed) as session:
            expected = Told(session.run(), session.source)
            session.close(finished=False)
        again = Session.resume(tmp_path)
        told = Told(again.run(), replace(again.source, folder=str(tmp_path)))
        again.close()
        pages = [SECONDS_TOLD.sub("", result_page(one)) for one in (expected, told)]
        assert again.source == typed
        assert pages[0] == pages[1]


def test_one_folder_has_one_run_at_a_time(tmp_path: Path) -> None:
    session = Session(problem("paper"), folder=tmp_path)
    session.step()
    with pytest.raises(FileError, match=f"process {os.getpid()} is working on a run"):
        Session(problem("paper"), folder=tmp_path)
    with pytest.raises(FileError, match="is working on a run"):
        Session.resume(tmp_path)
    command = [sys.executable, "-m", "demospec", "resume", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, "is working on a run" in ran.stderr) == (2, True)
    session.close()
    again = Session.resume(tmp_path)
    assert again.resumed == 1
    again.close()
    assert not list(tmp_path.glob(".*"))


def test_a_problem_without_demonstrations_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    text = demospec.problems.text("robot-paper")
    (tmp_path / "robot.toml").write_text(text[: text.index("[[demonstrations]]")], encoding="utf-8")
    command = [sys.executable, "-m", "demospec", "learn", str(tmp_path / "robot.toml"), "--out"]
    ran = subprocess.run([*command, str(tmp_path / "out")], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "no demonstrations" in ran.stderr
    assert not (tmp_path / "out" / JOURNAL).exists()


def test_a_finished_run_leaves_no_journal(tmp_path: Path) -> None:
    journal = Journal.begin(tmp_path, problem("paper"), 0)
    journal.close(finished=True)
    assert not list(tmp_path.iterdir())


def test_a_new_run_puts_an_unfinished_one_aside(tmp_path: Path) -> None:
    Journal.begin(tmp_path, problem("paper"), 0).close(finished=False)
    before = (tmp_path / JOURNAL).read_bytes()
    Journal.begin(tmp_path, problem("explore"), 0).close(finished=False)
    assert (tmp_path / ASIDE).read_bytes() == before
    assert (tmp_path / JOURNAL).read_bytes() != before


@pytest.mark.parametrize("count", [1, 3])
def test_cut_off_after_any_byte_a_toy_goes_on_to_the_same_end(count: int, tmp_path: Path) -> None:
    asked = problem("explore", iterations=30, chains=count)
    session = Session(asked, seed=3, folder=tmp_path, engine=Toy)
    expected = list(session), session.ended
    session.close(finished=False)
    whole = (tmp_path / JOURNAL).read_bytes()
    ends = [one.end for one in journals.whole_records(whole)]
    for end in ends:
        for cut in (end - 1, end, end + 5):
            if cut < ends[0]:
                continue
            (tmp_path / JOURNAL).write_bytes(whole[:cut])
            again = Session.resume(tmp_path, engine=Toy)
            assert (list(again), again.ended) == expected
            again.close(finished=False)


def test_points_that_are_no_use_any_more_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = problem("paper", iterations=60)
    sizes = []
    for useless in (1 << 26, 0):
        monkeypatch.setattr(journals, "USELESS", useless)
        session = Session(asked, seed=3, folder=tmp_path)
        rows = list(islice(session, 55))
        session.close()
        sizes.append((tmp_path / JOURNAL).stat().st_size)
        again = Session.resume(tmp_path)
        assert list(islice(again, again.resumed)) == rows
        assert [*rows, *again] == list(iterate(asked, seed=3))
        again.close(finished=True)
    assert sizes[1] < sizes[0]
    assert not list(tmp_path.glob(".*"))


def test_seconds_of_earlier_parts_count(tmp_path: Path) -> None:
    asked = problem("paper", chains=1, max_seconds=1000.0)
    session = Session(asked, seed=3, folder=tmp_path)
    list(islice(session, 4))
    session.close()
    journal = Journal.open(tmp_path)
    assert journal.point is not None
    journal.point = replace(journal.point, seconds=2000.0)
    session = Session(asked, seed=3, journal=journal)
    assert len(list(session)) == 4
    assert session.ended == "seconds"
    assert session.seconds > 2000
    session.close()


def test_a_run_left_early_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "SECONDS", 1000.0)
    session = Session(problem("paper"), seed=3, folder=tmp_path)
    list(islice(session, 4))
    session.close()
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
    robot.write_text(demospec.problems.text("robot-paper"), encoding="utf-8")
    jobs = options[-2:] if "--jobs" in options else ()
    here = options[: len(options) - len(jobs)]
    learn = [*command, "learn", str(robot), "--seed", "1", *here, "--out"]
    began = time.monotonic()
    subprocess.run([*learn, str(tmp_path / "plain")], capture_output=True, check=True)
    took = time.monotonic() - began
    assert not (tmp_path / "plain" / JOURNAL).exists()
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
    assert code == 0 or (code == 2 and not (folder / JOURNAL).exists())  # killed when all was written
    assert killed > 0
    results = [(tmp_path / name / "result.json").read_text().splitlines() for name in ("plain", "killed")]
    kept = [[line for line in lines if '"seconds"' not in line] for lines in results]
    assert kept[0] == kept[1]
    assert len(kept[0]) == len(results[0]) - 1


# The command line, with a point from which to go on after every iteration: a kill is never too early for one.
MARKING = """
import sys
from demospec.cli import main
from demospec.runs import journal
journal.SECONDS = 0.0
main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_runs_killed_at_thirty_moments_end_in_the_same_bytes_report_included(tmp_path: Path) -> None:
    robot, command = tmp_path / "robot.toml", [sys.executable, "-c", MARKING]
    robot.write_text(demospec.problems.text("robot"), encoding="utf-8")
    began = time.monotonic()
    assert start(sys.executable, "-m", "demospec", "learn", robot, "--out", tmp_path / "plain").wait() == 0
    took = time.monotonic() - began
    rng, killed, runs = np.random.default_rng(1), 0, 0
    while killed < 30:
        folder = tmp_path / f"killed-{runs}"
        runs += 1
        process = start(*command, "learn", robot, "--out", folder)
        for _ in range(8):  # the last is left alone
            try:
                process.wait(timeout=float(rng.uniform(0.1, 0.5)) * took)
                took *= 0.8  # the machine may have been busy when it was measured
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
                go_on = ["resume"] if started(folder) else ["learn", robot, "--out"]
                process = start(*command, *go_on, folder)
        process.wait(timeout=600)
        assert not (folder / JOURNAL).exists()
        assert files_of(folder) == files_of(tmp_path / "plain")


def files_of(folder: Path) -> dict[str, str]:
    """Return all files of a result, without how long it took and where it was written."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name != ASIDE}
    return {name: SECONDS_TOLD.sub("", text).replace(str(folder), "") for name, text in texts.items()}


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
