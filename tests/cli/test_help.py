"""Help: commands by what people want, options in groups, examples that run, the nearest name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_line import ROBOT, Shell, shell

from demospec.cli.group import EXAMPLES, GROUPS, cli
from demospec.problem.settings import table

__all__ = ["shell"]

NOT_RUN = ("record", "studio", "ask", "reproduce")  # keys, a browser, or long


def commands(group: click.Group = cli) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


def test_every_command_is_in_a_group_on_one_line(shell: Shell) -> None:
    lines = shell.good("--help").out.splitlines()
    assert len(lines) <= 30  # a screen
    first = next(number for number, line in enumerate(lines) if line.startswith("  Learn   "))
    for title, commands in GROUPS.items():
        for number, (name, summary) in enumerate(commands.items()):
            assert lines[first][2:13].strip() == ("" if number else title)
            assert lines[first][14:].split(maxsplit=1) == [name, summary]
            assert len(lines[first]) <= 78
            first += 1
    assert sorted(name for told in GROUPS.values() for name in told) == cli.list_commands(click.Context(cli))
    assert "_DEMOSPEC_COMPLETE" in lines[-1]


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: str(command.name))
def test_every_command_ends_with_an_example(command: click.Command) -> None:
    text = command.get_help(click.Context(command, info_name=command.name))
    if isinstance(command, click.Group):
        return
    last = text.splitlines()[-1].strip()
    assert last == EXAMPLES[str(command.name)][-1]
    assert "demospec " in last
    assert "RANGE" not in text
    assert "x>=" not in text


def test_options_are_grouped_and_show_their_defaults(shell: Shell) -> None:
    text = shell.good("learn", "--help").out
    assert len(text.splitlines()) <= 50
    sections = dict(part.split(":\n", 1) for part in text.split("\n\n") if ":\n" in part)
    assert "--details" in sections["What is printed"]
    assert "--log" in sections["What is known"]
    assert "--jobs" in sections["The search"]
    flat = " ".join(text.split())
    for one in table():
        name = f"--{one.name.replace('_', '-')} "
        after = flat.partition(name)[2]
        if after and one.default not in (None, (), False):
            assert after.partition("[default: ")[2].startswith(f"{one.default}]")
        if not after:  # every other setting is a key, and whoever writes an option is told which
            told = shell.refusal("learn", "robot.toml", name.strip(), "1")
            assert f"write --set {one.key}=VALUE" in told


def test_all_commands_have_at_most_a_hundred_options() -> None:
    options = [one for command in commands() for one in command.params if isinstance(one, click.Option)]
    assert len(options) + len([one for one in cli.params if isinstance(one, click.Option)]) <= 100


def test_a_misspelt_name_is_answered_with_the_nearest(shell: Shell) -> None:
    robot = shell.write("robot.toml", ROBOT)
    assert 'there is no command "lern" (did you mean "learn"?)' in shell.refusal("lern", robot)
    assert 'no option "--sed" (did you mean "--seed"?)' in shell.refusal("learn", robot, "--sed", "1")
    assert 'no option "--qqqqq" (see' in shell.refusal("learn", robot, "--qqqqq")


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    for name, lines in EXAMPLES.items():
        if name in (*NOT_RUN, "resume"):
            continue
        for line in lines:
            ran = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True)
            assert ran.returncode == 0, (line, ran.stderr)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("demospec le", "plain,learn"),
        ("demospec learn --max-", "plain,--max-evaluations\nplain,--max-seconds"),
        ("demospec example delive", "plain,delivery"),
        ("demospec learn ro", "file,ro"),
    ],
)
def test_the_shell_completes(words: str, found: str) -> None:
    environment = {
        **os.environ,
        "_DEMOSPEC_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    code = "from demospec.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert sorted(ran.stdout.split()) == sorted(found.split())
