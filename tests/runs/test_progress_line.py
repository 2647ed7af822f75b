"""The progress bar of `learn`: one drawing that is updated in a notebook, silence where nobody watches."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import demospec
from demospec.files import load_example
from demospec.runs import progress_line
from demospec.runs.progress_line import Progress, telling
from demospec.runs.session import iterate
from demospec.tasks.words import describe


class Handle:
    def __init__(self, drawn: list[str]) -> None:
        self.drawn = drawn

    def update(self, shown: Any) -> None:
        self.drawn.append(shown._repr_html_())


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pretend to be in a notebook, and return what is drawn there."""
    found: list[str] = []

    def display(shown: Any, *, display_id: bool) -> Handle:
        assert display_id
        found.append(shown._repr_html_())
        return Handle(found)

    monkeypatch.setattr("demospec.runs.progress_line.notebook", lambda: SimpleNamespace(display=display))
    return found


def short_problem() -> demospec.Problem:
    return demospec.load_example("robot-paper").with_settings(method="paper", iterations=7)


def test_a_notebook_sees_one_bar_that_ends_full(drawn: list[str]) -> None:
    result = demospec.learn(short_problem(), seed=0, progress=True)
    last = ElementTree.fromstring(drawn[-1]).find("progress")
    assert last is not None
    assert last.attrib["value"] == last.attrib["max"] == "7"
    assert describe(result.best.task).sentence in drawn[-1]


def test_without_a_total_the_bar_is_full_only_at_the_end(drawn: list[str]) -> None:
    with Progress(None) as progress:
        progress.done = 3
        progress.say("3 iterations")
    assert "value" not in drawn[0]
    assert 'value="3" max="3"' in drawn[-1]


def test_the_result_is_the_same_with_and_without_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    watched = demospec.learn(short_problem(), seed=0, progress=True)
    assert watched.best.task == demospec.learn(short_problem(), seed=0).best.task
    assert capsys.readouterr() == ("", "")  # no terminal, no notebook: nothing is said


def test_a_terminal_sees_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress_line, "PATIENCE", 0.0)
    monkeypatch.setattr(progress_line, "BETWEEN", 0.0)
    demospec.learn(short_problem(), seed=0, progress=True)
    assert "7 of 7 iterations" in capsys.readouterr().err


def test_a_function_is_told_of_each_iteration() -> None:
    rows: list[demospec.Row] = []
    demospec.learn(short_problem(), seed=0, progress=rows.append)
    assert len(rows) == 7


def test_what_takes_long_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_line, "PATIENCE", 1000.0)
    with telling("comparing tasks"):
        pass
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress_line, "PATIENCE", 0.0)
    with telling("comparing tasks"):
        for thread in threading.enumerate():  # it speaks in a thread of its own
            if thread is not threading.current_thread() and thread.name.endswith("(tell)"):
                thread.join()
    assert capsys.readouterr() == ("", "comparing tasks …\n")


def test_without_a_total_what_is_done_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_line, "PATIENCE", 0.0)
    rows = list(iterate(load_example("robot-paper").with_settings(method="paper", iterations=3)))
    for total, told in ((None, "searching: 3 iterations, "), (9, "searching: 3 of 9 iterations, about ")):
        with Progress(total) as says:
            for row in rows:
                says(row)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 3
        assert lines[-1].startswith(told)
        assert "; best so far: " in lines[-1]
        assert (" left; " in lines[-1]) == (total is not None)
    with Progress(None, seconds=90.0) as says:
        says(rows[0])
    assert "searching: 1 iteration, about 1 min 30 s left; " in capsys.readouterr().err
    with Progress(9) as says:
        for row in rows:
            says(row, before=True)
    assert capsys.readouterr().err == ""
