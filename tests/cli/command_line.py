"""The command line as the tests call it: in this process, or in one of its own."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import click
import pytest

from demospec import problems
from demospec.cli import main

ROBOT = problems.text("robot-paper")
DELIVERY = problems.text("delivery")
INCREMENTAL = problems.text("robot-incremental")
WITHOUT_DEMONSTRATIONS = ROBOT.split("[[demonstrations]]")[0]

REACH = ">0: y→1 | *1:"
BEST = ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2"
COMMAND = [sys.executable, "-m", "demospec"]


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Runs commands in a folder of its own and writes the files that they read."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder, self.capsys, self.patch = folder, capsys, patch
        self.command: click.Command | None = None  # that is run, where it is not `demospec`
        patch.chdir(folder)
        patch.setattr("demospec.cli.streams.WIDTH", 1000)  # lines stay whole

    def write(self, name: str, content: str | bytes | dict[str, Any]) -> str:
        text = json.dumps(content) if isinstance(content, dict) else content
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        (self.folder / name).write_bytes(data)
        return name

    def __call__(self, *arguments: str, stdin: str | bytes = b"") -> Ran:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        self.patch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data), closed=False))
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(list(arguments), self.command)
        assert isinstance(left.value.code, int)
        return Ran(left.value.code, *self.capsys.readouterr())

    def good(self, *arguments: str, stdin: str = "") -> Ran:
        """Run a command that must succeed."""
        ran = self(*arguments, stdin=stdin)
        assert ran.code == 0, ran.err
        return ran

    def refusal(self, *arguments: str, stdin: str | bytes = b"") -> str:
        """Run a command that must refuse its input: exit 2, nothing on stdout, one line on stderr."""
        ran = self(*arguments, stdin=stdin)
        assert ran.code == 2, ran
        assert ran.out == ""
        assert ran.err.endswith("\n")
        first, *picture = ran.err.splitlines()  # one line, and perhaps a caret below what was read
        assert first.startswith("demospec: "), ran.err
        assert not picture or (len(picture) == 2 and picture[1].strip() == "^"), ran.err
        assert ran.err.startswith("demospec: ")
        return ran.err


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, capsys, monkeypatch)


def changed(text: str, *changes: str) -> str:
    """Return a file's text with some parts replaced, each of which must be there: old, new, old, new, …"""
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new, 1)
    return text
