"""Modules are loaded when something of them is asked for: every name is there, and nobody else waits."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import demospec
from demospec import problems
from demospec.cli.commands import cli
from demospec.cli.group import MODULES

PACKAGES = ("demospec", "demospec.files", "demospec.identify", "demospec.tasks.clauses")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_what_its_module_has(package: str) -> None:
    found = import_module(package)
    for name in found.__all__:
        value = getattr(found, name)
        home = getattr(value, "__module__", None)
        if home is not None and home.startswith("demospec"):
            assert getattr(import_module(home), name) is value


def test_names_and_modules_are_listed_and_others_refused() -> None:
    assert {*demospec.__all__} <= {*dir(demospec)}
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
    others = ("ask", "cli.ask", "identify.sat", "report.pictures", "report.as_html", "tasks.formats")
    assert [name for name in loaded if name.removeprefix("demospec.").startswith(others)] == []


def test_every_command_is_in_the_module_that_is_loaded_for_it() -> None:
    for name, module in MODULES.items():
        import_module(module)
        assert name in cli.commands
    assert {*cli.commands} == {*MODULES, "learn", "resume"}
