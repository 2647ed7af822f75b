"""benchmarks/recover.py: a small sweep, what it leaves, what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from command_line import Shell
from command_line import shell as plain_shell

from recover import recover

__all__ = ["plain_shell"]  # the fixture

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "recover.py"
RECOVERY = ("--demonstrations", "2", "--tasks", "reach y")
SMALL = (*RECOVERY, "--tasks", "b once", "--methods", "explore,enumeration", "--limit", "600")


@pytest.fixture
def shell(plain_shell: Shell) -> Shell:
    plain_shell.command = recover
    return plain_shell


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in rows]


def test_a_small_sweep_leaves_rows_a_page_and_a_diagram(shell: Shell) -> None:
    found = shell.good(*SMALL, "--json", "--out", "out").json
    assert found["command"] == (
        "python benchmarks/recover.py --demonstrations 2 --tasks 'reach y' --tasks 'b once' --worlds 1 "
        "--seeds 0 --methods explore,enumeration --weights default --limit 600"
    )
    assert not found["partial"]
    rows = found["rows"]
    assert [(row["task"], row["method"], row["world"]) for row in rows] == [
        ("reach y", "explore", 0),
        ("reach y", "enumeration", 0),
        ("b once", "explore", 50),
        ("b once", "enumeration", 50),
    ]
    for row in rows:
        assert row["excess"] == row["energy"] - row["truth_energy"]
        assert row["found"] == (row["excess"] <= 1e-9)
        assert all(0 <= row[name] <= 1 for name in ("same_on_truth", "same_on_learned", "brier"))
        assert sum(one["count"] for one in row["bins"]) == 100
    assert json.loads((shell.folder / "out" / "recovery.json").read_text(encoding="utf-8")) == found
    page = (shell.folder / "out" / "README.md").read_text(encoding="utf-8")
    assert f"`{found['command']} --out out`" in page
    assert "Each method stops by its own rule, and has at most 600 s for a run." in page
    missed = [row for row in rows if row["method"] == "explore" and row["reason"] is not None]
    assert page.count("| not determined |") + page.count("| searched badly |") == len(missed)
    assert "(reliability-2.svg)" in page
    picture = ElementTree.parse(shell.folder / "out" / "reliability-2.svg").getroot()
    legend = [part.text for part in picture.iter() if part.get("class") == "legend"]
    assert legend == ["explore", "enumeration"]
    again = shell.good(*RECOVERY, "--methods", "explore,enumeration", "--limit", "600", "--json").json
    assert timeless(again["rows"]) == timeless(rows[:2])


def test_the_table_for_people(shell: Shell) -> None:
    told = shell.good(*RECOVERY, "--tasks", "sequence", "--methods", "enumeration", "--out", "out").out
    assert told.startswith("7 runs")
    assert "Each method stops by its own rule, and has at most 5 s for a run." in told
    assert "enumeration missed " in told
    assert " searched badly  " in told
    assert told.endswith("written to out/README.md\n")


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--tasks", "reach z", 'no planted task or kind is called "reach z"'),
        ("--methods", "explore,papr", 'method "papr" is none of'),
        ("--methods", "explore-without-luck", "explore-without- with one of sentences"),
        ("--methods", "", 'method "" is none of'),
        ("--demonstrations", "0", '"0" is not a number from 1 to 1000'),
        ("--demonstrations", "2,x", '"x" is not a number'),
        ("--demonstrations", "99999999999", '"99999999999" is not a number from 1 to 1000'),
        ("--seeds", "3-1", "names no seed"),
        ("--weights", "heavy", "'heavy' is not one of"),
        ("--worlds", "0", "0 is not in the range"),
        ("--limit", "0", "must be above 0 and at most 86400 seconds; found 0"),
        ("--limit", "nan", "found nan"),
        ("--out", "file.txt", "is a file, not a folder"),
    ],
)
def test_what_cannot_be_run_is_refused(shell: Shell, option: str, value: str, told: str) -> None:
    shell.write("file.txt", "")
    assert told in shell.refusal(*RECOVERY, "--methods", "enumeration", option, value)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupted_sweep_keeps_finished_runs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, str(SCRIPT), "--methods", "enumeration", "--worlds", "900", "--json"]
    with subprocess.Popen(
        [*command, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
    ) as process:
        assert process.stderr is not None
        assert b"runs" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Traceback" not in stderr
    assert stderr.endswith(b"demospec: interrupted\n")
    found = json.loads(stdout)
    assert found["partial"]
    assert found["rows"]
    assert json.loads((out / "recovery.json").read_bytes()) == found
    assert "which was stopped: only finished runs are here" in (out / "README.md").read_text(encoding="utf-8")


def test_a_sweep_in_other_processes_has_the_same_rows(shell: Shell) -> None:
    sweep = ("--demonstrations", "2", "--methods", "enumeration", "--tasks", "sequence")
    told = []
    for jobs in ("1", "2"):
        lines = shell.good(*sweep, "--jobs", jobs, "--json").out.splitlines()
        told.append([line for line in lines if "seconds" not in line])
    assert told[0] == told[1]
    assert len(told[0]) > 10


WIDE = ("--suite", "wide", "--cases", "2", "--demonstrations", "1", "--learners", "irl")


def test_a_tiny_wide_sweep_leaves_rows_and_a_page(shell: Shell) -> None:
    found = shell.good(*WIDE, "--part", "held-out", "--json", "--out", "out").json
    assert found["command"] == (
        "python benchmarks/recover.py --suite wide --part held-out --cases 2 --seeds 0 --demonstrations 1 "
        "--learners irl --limit 30"
    )
    assert not found["partial"]
    assert [(row["number"], row["learner"], row["believed"]) for row in found["rows"]] == [
        (0, "irl", None),
        (1, "irl", None),
    ]
    shares = [row["share"] for row in found["rows"]]
    (line,) = found["figures"]
    assert line["figures"]["share, answer"]["value"] == pytest.approx(sum(shares) / 2)
    assert line["figures"]["nats, median"]["value"] is None
    assert json.loads((shell.folder / "out" / "recovery.json").read_text(encoding="utf-8")) == found
    page = (shell.folder / "out" / "README.md").read_text(encoding="utf-8")
    assert f"`{found['command']} --out out`" in page
    assert "## Demonstrators" in page
    told = shell.good(*WIDE).out
    assert 'of the part "choose"' in told
    assert "irl (2)" in told


@pytest.mark.parametrize(
    ("suite", "option", "value", "told"),
    [
        ("wide", "--methods", "explore", '--methods is not an option of the suite "wide"'),
        ("planted", "--part", "choose", '--part is not an option of the suite "planted"'),
        ("wide", "--learners", "ir", 'learner "ir" is none of'),
        ("wide", "--part", "all", "'all' is not one of"),
    ],
)
def test_options_of_the_other_suite_are_refused(
    shell: Shell, suite: str, option: str, value: str, told: str
) -> None:
    assert told in shell.refusal("--suite", suite, option, value)
