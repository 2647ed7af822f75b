"""Faults of the disk: `resume` goes on to the same result, or says in one line what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from demospec import problems
from demospec.errors import FileError
from demospec.runs import journal as journals
from demospec.runs.journal import JOURNAL

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and modes of files")

LIMITED = (
    "import resource, sys; most = int(sys.argv[1]); "
    "resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)); "
    "from demospec.runs import journal; journal.SECONDS = 0.0; "
    "from demospec.cli import main; main(sys.argv[2:])"
)
SEARCH = ("--method", "paper", "--iterations", "12", "--json")


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.toml"
    path.write_text(problems.text("robot-paper"), encoding="utf-8")
    return path


def command(*arguments: str | Path, most: int | None = None) -> subprocess.CompletedProcess[str]:
    begin = ["-m", "demospec"] if most is None else ["-c", LIMITED, str(most)]
    return subprocess.run(
        [sys.executable, *begin, *map(str, arguments)], capture_output=True, text=True, timeout=300
    )


def one_line(ran: subprocess.CompletedProcess[str]) -> str:
    """Return the only message of a command that was refused."""
    assert ran.returncode == 2, ran
    assert ran.stdout == ""
    (line,) = ran.stderr.splitlines()
    assert line.startswith("demospec: ")
    return line


def same(text: str) -> Any:
    return {key: value for key, value in json.loads(text).items() if key != "seconds"}


@pytest.fixture
def expected(robot: Path) -> Any:
    return same(command("learn", robot, *SEARCH).stdout)


@pytest.mark.parametrize("most", [3_000, 6_000, 12_000])
def test_after_a_full_disk_a_run_goes_on_to_the_same_result(
    robot: Path, tmp_path: Path, expected: Any, most: int
) -> None:
    out = tmp_path / "out"
    told = one_line(command("learn", robot, *SEARCH, "--out", out, most=most))
    assert "cannot be written: File too large" in told
    assert [path.name for path in out.iterdir()] == [JOURNAL]  # no lock, no half of a file
    assert same(command("resume", out, "--json").stdout) == expected
    assert not (out / JOURNAL).exists()
    assert json.loads((out / "result.json").read_text(encoding="utf-8"))


def test_a_disk_that_is_full_from_the_start_is_told(robot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "run.journal: cannot be written" in one_line(
        command("learn", robot, *SEARCH, "--out", out, most=100)
    )
    assert "start the run again" in one_line(command("resume", out, "--json"))


def test_a_result_that_does_not_fit_leaves_the_earlier_one(robot: Path, tmp_path: Path) -> None:
    task, out = ">0: y→1 | *1:", tmp_path / "out"
    assert command("score", robot, task, "--out", out).returncode == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert "score.json: cannot be written" in one_line(
        command("score", robot, "reach y; never r", "--out", out, most=500)
    )
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_folder_that_cannot_be_written_is_told_before_the_work(robot: Path) -> None:
    told = one_line(command("learn", robot, *SEARCH, "--out", "/proc/self/results"))
    assert "/proc/self/results: results cannot be written here" in told


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_run_in_a_folder_that_may_only_be_read_is_refused(robot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    one_line(command("learn", robot, *SEARCH, "--out", out, most=6_000))
    out.chmod(0o500)
    try:
        assert "cannot be written: Permission denied" in one_line(command("resume", out))
    finally:
        out.chmod(0o700)


def test_a_journal_that_cannot_be_read_or_is_none_is_told(
    robot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    one_line(command("learn", robot, *SEARCH, "--out", out, most=6_000))
    whole = (out / JOURNAL).read_bytes()
    (out / JOURNAL).write_bytes(b"\0" * len(whole))
    assert "is not a journal of this version" in one_line(command("resume", out))
    (out / JOURNAL).write_bytes(whole[:30])
    assert "holds nothing yet: start the run again" in one_line(command("resume", out))
    monkeypatch.setattr(journals, "JOURNAL_BYTES", 10)
    with pytest.raises(FileError, match="holds more than"):
        journals.Journal.open(out)


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_flipped_bytes_cost_what_comes_after_them(
    robot: Path, tmp_path: Path, expected: Any, part: float
) -> None:
    out = tmp_path / "out"
    one_line(command("learn", robot, *SEARCH, "--out", out, most=20_000))
    whole = bytearray((out / JOURNAL).read_bytes())
    first = next(journals.whole_records(bytes(whole))).end
    at = int(first + part * (len(whole) - first))
    whole[at] ^= 0x40
    (out / JOURNAL).write_bytes(whole)
    assert same(command("resume", out, "--json").stdout) == expected
