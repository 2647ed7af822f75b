"""Modules are loaded when something of them is asked for: every name is there, and nobody else waits."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import demospec
from demospec import problems
from demospec.cli.group import cli

PACKAGES = ("demospec", "demospec.files", "demospec.tasks.clauses")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_what_its_module_has(package: str) -> None:
    found = import_module(package)
    for name in found.__all__:
        value = getattr(found, name)
        home = getattr(value, "__module__", None)
        if home is not None and home.startswith("demospec"):
            assert getattr(import_module(home), name) is value


def test_type_checkers_are_told_the_names_that_are_loaded() -> None:
    tree = ast.parse(Path(demospec.__file__).read_text(encoding="utf-8"))
    (block,) = (one for one in tree.body if isinstance(one, ast.If) and isinstance(one.test, ast.Name))
    told = [one for one in block.body if isinstance(one, ast.ImportFrom)]
    assert {one.module: " ".join(name.name for name in one.names) for one in told} == demospec.PUBLIC
    assert all(name.asname == name.name for one in told for name in one.names)


def test_names_and_modules_are_listed_and_others_refused() -> None:
    assert dir(demospec) == sorted([*demospec.__all__, "__version__"])
    assert getattr(demospec, "problems") is problems  # noqa: B009  a module that nobody imported by name
    with pytest.raises(AttributeError, match="module 'demospec' has no attribute 'nothing'"):
        getattr(demospec, "nothing")  # noqa: B009


def test_the_command_learn_loads_only_what_it_uses(tmp_path: Path) -> None:
    robot = tmp_path / "robot.toml"
    robot.write_text(problems.text("robot-paper"), encoding="utf-8")
    program = (
        "import sys; from demospec.cli import main\n"
        f"try: main(['learn', {str(robot)!r}, '--iterations', '2'])\n"
        "except SystemExit: print(*(name for name in sys.modules if name.startswith('demospec')))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = ran.stdout.splitlines()[-1].split()
    assert "demospec.runs.session" in loaded
    others = ("ask", "cli.ask", "identify.sat", "report.pictures", "report.html")
    assert [name for name in loaded if name.removeprefix("demospec.").startswith(others)] == []


def test_every_command_is_in_the_module_that_is_loaded_for_it() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name
    assert sorted(cli.commands) == cli.list_commands(context)


def loaded_by(program: str) -> list[str]:
    """Run a program in a Python of its own, and return the modules of demospec that it loaded."""
    tell = "import sys; print(*(name for name in sys.modules if name.partition('.')[0] == 'demospec'))"
    program = f"try:\n {program}\nexcept SystemExit: pass\n{tell}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["--version"], 12), (["--help"], 12), (["example", "robot"], 240)],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_command_loads_no_more_modules_than_it_did(arguments: list[str], most: int) -> None:
    loaded = loaded_by(f"from demospec.cli import main; main({arguments})")
    assert "demospec.cli.group" in loaded
    assert len(loaded) <= most, sorted(loaded)
