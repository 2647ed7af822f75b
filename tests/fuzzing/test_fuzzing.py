"""The fuzzer: its seeds are good, its cases end well, and it notices what does not."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from fuzz import Case, Ran, case_of, faults, run
from seeds import Seed, seeds

from demospec.cli.group import cli

CASES, PARTS = 240, 8  # `make fuzz` runs more


@pytest.mark.parametrize("number", range(len(seeds())), ids=lambda k: seeds()[k].name.replace(" ", "-"))
def test_a_seed_is_a_command_that_succeeds(number: int, tmp_path: Path) -> None:
    case = Case(0, seeds()[number], {})
    ran = run(case, tmp_path)
    assert ran.code == 0, ran.err
    assert list(faults(case, ran, tmp_path)) == []


@pytest.mark.parametrize("part", range(PARTS))
def test_spoiled_inputs_are_refused_in_one_line_or_read(part: int, tmp_path: Path) -> None:
    for number in range(part, CASES, PARTS):
        case, folder = case_of(7, number), tmp_path / str(number)
        folder.mkdir()
        found = list(faults(case, run(case, folder), folder))
        assert found == [], f"python tests/fuzzing/fuzz.py --seed 7 --again {number}"


@pytest.mark.parametrize(("seed", "number"), [(1, 1152), (1, 3293), (1, 4047), (1, 15877), (1, 17322)])
def test_what_was_found_once_is_not_found_again(seed: int, number: int, tmp_path: Path) -> None:
    case = case_of(seed, number)
    assert list(faults(case, run(case, tmp_path), tmp_path)) == []


def test_one_number_is_one_case() -> None:
    assert [case_of(3, number) for number in range(20)] == [case_of(3, number) for number in range(20)]
    assert case_of(3, 1) != case_of(4, 1)


EXAMPLE = Case(0, Seed("example", ("example",), {"kept.txt": b"kept"}), {})


def test_an_error_that_nobody_expected_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "invoke", fails)
    assert list(faults(EXAMPLE, run(EXAMPLE, tmp_path), tmp_path)) == ["exit code 1"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_what_takes_too_long_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(*arguments: object) -> None:
        while True:
            pass

    monkeypatch.setattr(cli, "invoke", hangs)
    assert list(faults(EXAMPLE, run(EXAMPLE, tmp_path, seconds=0.2), tmp_path)) == ["hangs"]


@pytest.mark.parametrize(
    ("ran", "fault"),
    [
        (Ran(2, "", ""), "0 messages"),
        (Ran(2, "", "demospec: a\ndemospec: b\n"), "2 messages"),
        (Ran(2, "", "demospec: a\nmore\n"), "something is said after the message"),
        (Ran(2, "half\n", "demospec: a\n"), "a result and a refusal"),
        (Ran(0, "\x1b[31m", ""), "signs that steer a terminal"),
        (Ran(0, "", "Traceback (most recent call last)\n"), "a traceback"),
    ],
)
def test_what_is_wrong_with_an_end_is_told(ran: Ran, fault: str, tmp_path: Path) -> None:
    case = Case(0, Seed("check", ("check",)), {})
    assert list(faults(case, ran, tmp_path)) == [fault]


def test_files_that_are_lost_or_not_whole_are_faults(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text("{", encoding="utf-8")
    (tmp_path / ".x.partial").write_text("", encoding="utf-8")
    found = list(faults(EXAMPLE, Ran(0, "", ""), tmp_path))
    assert sorted(found) == [".x.partial is left", "kept.txt is lost", "result.json is not whole"]
