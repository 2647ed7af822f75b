"""What is said on the way."""

from __future__ import annotations

import threading

import pytest

from demospec.cli import progress
from demospec.files import load_example
from demospec.runs.session import iterate


def test_what_takes_long_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 1000.0)
    with progress.telling("comparing tasks"):
        pass
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.telling("comparing tasks"):
        for thread in threading.enumerate():  # it speaks in a thread of its own
            if thread is not threading.current_thread() and thread.name.endswith("(tell)"):
                thread.join()
    assert capsys.readouterr() == ("", "comparing tasks …\n")


def test_without_a_total_what_is_done_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    rows = list(iterate(load_example("robot-paper").with_settings(method="paper", iterations=3)))
    for total, told in ((None, "searching: 3 iterations, "), (9, "searching: 3 of 9 iterations, about ")):
        with progress.Progress(total) as says:
            for row in rows:
                says(row)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 3
        assert lines[-1].startswith(told)
        assert "; best so far: " in lines[-1]
        assert (" left; " in lines[-1]) == (total is not None)
    with progress.Progress(None, seconds=90.0) as says:
        says(rows[0])
    assert "searching: 1 iteration, about 1 min 30 s left; " in capsys.readouterr().err
    with progress.Progress(9) as says:
        for row in rows:
            says(row, before=True)
    assert capsys.readouterr().err == ""
