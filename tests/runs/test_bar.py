"""The progress bar of `learn`: one drawing that is updated in a notebook, silence where nobody watches."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import demospec
from demospec.runs.bar import Bar


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

    monkeypatch.setattr("demospec.runs.bar.notebook", lambda: SimpleNamespace(display=display))
    return found


def short_problem() -> demospec.Problem:
    return demospec.load_example("robot-paper").with_settings(method="paper", iterations=7)


def test_a_notebook_sees_one_bar_that_ends_full(drawn: list[str]) -> None:
    result = demospec.learn(short_problem(), seed=0, progress=True)
    last = ElementTree.fromstring(drawn[-1]).find("progress")
    assert last is not None
    assert last.attrib["value"] == last.attrib["max"] == "7"
    assert str(result.best.task).split(";")[0] in drawn[-1].replace("&gt;", ">")


def test_without_a_total_the_bar_is_full_only_at_the_end(drawn: list[str]) -> None:
    bar = Bar(None)
    bar.show()
    bar.done = 3
    bar.close()
    assert "value" not in drawn[0]
    assert 'value="3" max="3"' in drawn[-1]


def test_the_result_is_the_same_with_and_without_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    watched = demospec.learn(short_problem(), seed=0, progress=True)
    assert watched.best.task == demospec.learn(short_problem(), seed=0).best.task
    assert capsys.readouterr() == ("", "")  # no terminal, no notebook: nothing is said


def test_a_terminal_sees_a_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    demospec.learn(short_problem(), seed=0, progress=True)
    assert "7 of 7 iterations" in capsys.readouterr().err


def test_a_function_is_told_of_each_iteration() -> None:
    rows: list[demospec.Row] = []
    demospec.learn(short_problem(), seed=0, progress=rows.append)
    assert len(rows) == 7
