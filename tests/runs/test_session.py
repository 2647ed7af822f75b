"""A session is stepped, paused, asked, cancelled and resumed."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import demospec
from demospec import Session
from demospec.report.documents import dumps
from demospec.report.result_document import result_document
from demospec.runs.result import Result, Row
from demospec.runs.session import iterate


def problem() -> demospec.Problem:
    return demospec.load_example("robot-paper").with_settings(iterations=6)


def told(result: Result) -> str:
    document = result_document(result)
    return dumps({key: value for key, value in document.items() if key != "seconds"})


RESUME = """
import sys
from pathlib import Path
from demospec import Session
from demospec.report.documents import dumps
from demospec.report.result_document import result_document
with Session.resume(Path(sys.argv[1])) as session:
    document = result_document(session.run())
print(dumps({key: value for key, value in document.items() if key != "seconds"}))
"""


def test_paused_asked_cancelled_and_resumed_in_another_process(tmp_path: Path) -> None:
    expected = told(Session(problem(), seed=5).run())
    with Session(problem(), seed=5, folder=tmp_path) as session:
        rows = [session.step() for _ in range(3)]
        session.pause()
        assert all(isinstance(row, Row) for row in rows)
        so_far = session.result()
        assert so_far.ended == "interrupted"
        assert so_far.best == rows[-1].best  # type: ignore[union-attr]
        assert so_far.findings is not None
        session.cancel()
        assert session.step() is None
        assert session.ended == "interrupted"
    assert (tmp_path / "run.journal").exists()
    ran = subprocess.run(
        [sys.executable, "-c", RESUME, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.rstrip("\n") == expected
    assert not (tmp_path / "run.journal").exists()


def test_rows_tell_what_was_tried_and_what_got_better() -> None:
    lowest = float("inf")
    for row in iterate(problem(), seed=1):
        assert row.best is not None
        assert row.better == (row.best.energy < lowest)
        lowest = row.best.energy
        assert all(score.energy >= lowest for score in row.info.scored)


def test_a_session_in_a_thread_is_paused_and_goes_on() -> None:
    expected = [row.info.iteration for row in iterate(problem(), seed=2)]
    session, heard, third = Session(problem(), seed=2), [], threading.Event()

    def hear(row: Row) -> None:
        heard.append(row.info.iteration)
        if len(heard) == 3:
            session.pause()
            third.set()

    thread = threading.Thread(target=session.run, args=(hear,))
    thread.start()
    assert third.wait(120)
    thread.join(0.2)
    assert thread.is_alive()
    assert len(heard) == 3
    session.go_on()
    thread.join(120)
    assert heard == expected


def test_cancelled_while_paused_it_ends() -> None:
    session = Session(problem())
    session.step()
    session.pause()
    thread = threading.Thread(target=session.run)
    thread.start()
    session.cancel()
    thread.join(120)
    assert not thread.is_alive()
    assert session.ended == "interrupted"
    assert len(session.trace) == 1


def test_cancelled_before_it_began_it_does_nothing() -> None:
    session = Session(problem().with_settings(max_seconds=100.0))
    session.cancel()
    assert list(session) == []
    assert session.ended == "interrupted"


def test_a_session_that_is_over_stays_over() -> None:
    session = Session(problem())
    result = session.run()
    assert session.step() is None
    assert session.ended == result.ended == "iterations"
    assert told(session.result()) == told(result)


def test_learn_is_a_session() -> None:
    assert told(demospec.learn(problem(), seed=4)) == told(Session(problem(), seed=4).run())


def test_without_demonstrations_there_is_no_session() -> None:
    with pytest.raises(demospec.InputError, match="no demonstrations"):
        Session(problem().with_demonstrations(()))
