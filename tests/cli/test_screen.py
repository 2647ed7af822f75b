"""What people see: one screen, as wide as the terminal, with colours where they are wanted."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from command_line import COMMAND, Shell, shell
from terminal import ESCAPE, in_terminal, plain

from demospec import problems
from demospec.cli import streams
from demospec.report.blocks import Advice, Paragraph

__all__ = ["shell"]

DEMO = ("learn", "out/robot.toml", "--seed", "0", "--out", "out/demo")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "robot.toml").write_text(problems.text("robot"), encoding="utf-8")
    return tmp_path


def test_the_demo_fits_a_screen_and_its_first_lines_say_what_matters(folder: Path) -> None:
    makefile = Path(__file__).parent.parent.parent / "Makefile"
    assert f"@$(BIN)/demospec {' '.join(DEMO)}\n" in makefile.read_text(encoding="utf-8")
    shown = in_terminal(DEMO, folder, columns=100)
    lines = plain(shown).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert lines[0] == "Never r; reach y with no b since g."
    assert re.fullmatch(r"Probability \d+ % that this is the whole task; .*\.", lines[1])
    assert re.fullmatch(r"Next: .*: demospec ask out/robot.toml --seed 0", lines[2])
    assert any(line.startswith("Settled ") for line in lines)
    assert any(line.startswith("Shown by ") for line in lines)
    assert any("──y──▸" in line for line in lines)
    assert "\x1b[1mNever r; reach y with no b since g." in shown  # bold


@pytest.mark.parametrize("wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_colours_that_are_not_wanted_are_not_there(folder: Path, wish: dict[str, str]) -> None:
    coloured = in_terminal(("check", "out/robot.toml"), folder)
    asked = in_terminal(("check", "out/robot.toml"), folder, environment=wish)
    assert ESCAPE.search(coloured)
    assert "\x1b" not in asked
    assert plain(coloured) == asked


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_text_is_as_wide_as_the_terminal(folder: Path, columns: int) -> None:
    lines = plain(in_terminal(("check", "out/robot.toml"), folder, columns=columns)).splitlines()
    assert max(map(len, lines)) <= columns
    narrow = plain(in_terminal(("check", "out/robot.toml"), folder, columns=60)).splitlines()
    assert len(lines) < len(narrow) or columns == 60


def test_a_pipe_gets_no_codes(folder: Path) -> None:
    ran = subprocess.run(
        [*COMMAND, "check", "out/robot.toml"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    assert "\x1b" not in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= streams.WIDTH


def test_a_command_is_never_broken(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"demospec score problem.toml {'x' * 90}"
    streams.show_report([Advice("Next: look:", command), Paragraph("word " * 40)])
    first, second, *others = capsys.readouterr().out.splitlines()
    assert (first, second.strip()) == ("Next: look:", command)
    assert max(map(len, others)) <= streams.WIDTH


def test_the_next_command_has_the_settings_of_this_one(shell: Shell) -> None:
    shell.write("robot.toml", problems.text("robot"))
    settings = ("--set", "search.paper.refine=false", "--set", "task.code=words")
    out = shell.good("learn", "robot.toml", "--chains", "1", *settings).out
    assert f"demospec ask robot.toml --set search.chains=1 {' '.join(settings)}\n" in out
    assert "is none of" in shell.refusal("learn", "robot.toml", "--set", "task.code=word")
    assert "is set twice" in shell.refusal("learn", "robot.toml", *settings, *settings)
    told = shell.refusal("learn", "robot.toml", "--chains", "1", "--set", "search.chains=2")
    assert "--chains and --set search.chains cannot be combined" in told
