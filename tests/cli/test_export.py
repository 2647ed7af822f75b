"""`demospec export`, and commands that read what it wrote."""

from __future__ import annotations

import base64
import sys
from xml.etree import ElementTree

import pytest
from command_line import BEST, REACH, ROBOT, Shell, shell

from demospec.errors import InputError
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.svg import png_of
from demospec.tasks import DFA
from demospec.tasks.formats import FORMATS

__all__ = ["shell"]  # the fixture

TOLD = {name: one.told for name, one in FORMATS.items()}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", TOLD)
def test_every_format_on_standard_output_in_a_file_and_as_json(shell: Shell, name: str) -> None:
    text = shell.good("export", BEST, "--format", name).out
    assert text == FORMATS[name].write(DFA.parse(BEST))
    assert shell.good("export", BEST, "--format", name, "--out", "x").out == "written to x\n"
    assert (shell.folder / "x").read_text(encoding="utf-8") == text
    found = shell.good("export", BEST, "--format", name, "--json").json
    assert found == {"format": name, "text": text, "file": None}


def test_more_letters(shell: Shell) -> None:
    text = shell.good("export", REACH, "--format", "hoa", "--alphabet", "y r").out
    assert DFA.from_hoa(text) == DFA.parse(REACH, "ry")


@pytest.mark.parametrize("name", ["hoa", "dot", "json"])
def test_what_was_written_is_read(shell: Shell, name: str) -> None:
    problem = shell.write("robot.toml", ROBOT)
    shell.good("export", BEST, "--format", name, "--out", f"task.{name}")
    text = (shell.folder / f"task.{name}").read_text(encoding="utf-8")
    given = shell.good("score", problem, BEST, "--json").json
    for task in (f"task.{name}", shell.write("without_ending", text)):
        found = shell.good("score", problem, task, "--json").json
        for key in ("surprise", "size", "energy", "satisfaction_probability"):
            assert found[key] == given[key]


def test_the_best_task_of_a_result(shell: Shell) -> None:
    task = DFA.parse(BEST).to_json()
    result = shell.write("result.json", {"best": {**task, "size": 1, "energy": 2.0}})
    assert DFA.from_dot(shell.good("export", result, "--format", "dot").out) == DFA.parse(BEST)


def test_pictures(shell: Shell) -> None:
    svg = shell.good("export", BEST, "--format", "svg").out
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    pytest.importorskip("resvg_py")
    shell.good("export", BEST, "--format", "png", "--out", "x.png")
    assert (shell.folder / "x.png").read_bytes().startswith(PNG)
    found = shell.good("export", BEST, "--format", "png", "--json").json
    assert base64.b64decode(found["base64"]).startswith(PNG)


def test_a_png_without_its_text_is_refused() -> None:
    pytest.importorskip("resvg_py")
    svg = automaton_svg(DFA.parse(BEST))
    assert png_of(svg).startswith(PNG)
    with pytest.raises(InputError, match="no fonts"):
        png_of(svg, system_fonts=False)


def test_a_missing_package_is_named(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    refused = shell("export", BEST, "--format", "png")
    assert (refused.code, refused.out) == (2, "")
    assert 'pip install "demospec[png]"' in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([REACH, "--format", "hao"], 'there is no format "hao" (did you mean "hoa"?); known: json, dot'),
        ([REACH], "Missing option '--format'"),
        ([REACH, "--format", "dot", "--alphabet", "a b a"], '--alphabet: the letter "a" is there twice'),
        ([REACH, "--format", "dot", "--alphabet", "a b"], 'letter "y" is not in the alphabet'),
        (["nowhere.json", "--format", "dot"], "nowhere.json: cannot be read"),
        ([REACH, "--format", "dot", "--out", "no/such/folder"], "no/such/folder: cannot be written"),
        (["bad.hoa", "--format", "dot"], 'bad.hoa: line 1: expected "HOA: v1"'),
    ],
)
def test_refusals(shell: Shell, arguments: list[str], message: str) -> None:
    shell.write("bad.hoa", "States: 2")
    refused = shell("export", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert refused.err.count("\n") == 1


def test_a_regex_that_would_be_long_says_how_long(shell: Shell) -> None:
    letters = "abcdef"
    moves = " | ".join(
        f"{'>' if q == 0 else ''}{'*' if q == 3 else ''}{q}: "
        + ", ".join(f"{a}→{(q * 5 + 7 * k * k + k + q * q * k) % 9}" for k, a in enumerate(letters))
        for q in range(9)
    )
    refused = shell("export", moves, "--format", "regex")
    assert refused.code == 2
    assert "characters long; at most 2,000 are written" in refused.err


def test_help_lists_every_format(shell: Shell) -> None:
    text = shell.good("export", "--help").out
    for name, told in TOLD.items():
        assert f"{name:<15} {told}" in text
    assert "png " in text
