"""Input that nobody means: refused in one line, soon, and never raw on a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import COMMAND, DELIVERY, ROBOT, Shell, changed, shell

from demospec import limits
from demospec.cli.group import cli
from demospec.readable import readable

__all__ = ["shell"]  # the fixture

LONG = "9" * 5000
TASK = ">0: y→1 | *1:"


@pytest.mark.parametrize(
    ("task", "told"),
    [
        (r'>0: "\q"→1 | *1:', r'state 0: "\q" is not a letter in quotes (Invalid \escape)'),
        ('>0: "a\nb"→1 | *1:', r"(Invalid control character); a line break is written \n"),
        (r'>0: "\ud800"→1 | *1:', "holds half a character"),
        ('>0: "y→1 | *1:', 'expected a move such as "b→0"'),
        (f">0: y→{LONG} | *1:", "the number of a state must be 99,999 at most; found one of 5,000 digits"),
        (f">{LONG}: y→1 | *1:", "the number of a state must be 99,999 at most; found one of 5,000 digits"),
        ("reach \udce9", "this is half a character, or no UTF-8"),
    ],
)
def test_tasks_that_cannot_be_read_are_refused(shell: Shell, task: str, told: str) -> None:
    assert told in shell.refusal("score", shell.write("robot.toml", ROBOT), task)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2\n2\n1 1 0\n0 0\n", "line 1: expected two numbers, of words and of letters; found 1"),
        ("0 9999999999\n", "the number of letters must be 65,536 at most; found 9,999,999,999"),
        (f"{LONG} 2\n", "the number of words must be"),
        (f"1 2\n1 {LONG} 0\n", "but 1 letters follow"),
    ],
)
def test_abbadingo_files_of_wrong_numbers_are_refused(shell: Shell, text: str, told: str) -> None:
    assert told in shell.refusal("identify", shell.write("words.txt", text))


def test_a_number_that_is_written_out_and_too_large_is_refused_with_its_place(shell: Shell) -> None:
    text = changed(DELIVERY, "{ depot = 1 }", "{ depot = 1" + "0" * 400 + " }")
    told = shell.refusal("check", shell.write("p.toml", text))
    assert "world.transitions, entry 1, entry 3.depot: the whole number 1000" in told
    assert "is too large; at most 18 digits are read" in told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--set", "search.paper.candidates=1" + "0" * 23), "must be at most 1,000,000"),
        (("--chains", "1000000000"), "is more than 10,000"),
        (("--all-of", "1000000000"), "is more than 100"),
        (("--any-of", "101"), "is more than 100"),
        (("--iterations", "1" + "0" * 10), "is more than 1,000,000,000"),
        (("--set", "search.max_states=1001"), "must be at most 1,000"),
        (("--seed", str(1 << 64)), "is more than"),
        (("--jobs", "1000000"), "is more than 1,000"),
    ],
)
def test_counts_beyond_all_use_are_refused(shell: Shell, options: tuple[str, ...], told: str) -> None:
    assert told in shell.refusal("learn", shell.write("robot.toml", ROBOT), *options)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("[search]\nchains = 1000000000", "search: chains must be at most 10,000; found 1000000000"),
        ("[search]\ncandidates = 1000001", "search: candidates must be at most 1,000,000"),
        ("[task]\nall_of = 1000000000", "task: all_of must be at most 100; found 1000000000"),
    ],
)
def test_counts_of_a_file_have_the_same_limits(shell: Shell, table: str, told: str) -> None:
    text = DELIVERY.split("[search]")[0].split("[task]")[0] if "[search]" in DELIVERY else DELIVERY
    assert told in shell.refusal("check", shell.write("p.toml", f"{text}\n{table}\n"))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero")
def test_a_file_without_end_is_refused(shell: Shell) -> None:
    text = changed(ROBOT, "[task]", '[task]\nimplies = "/dev/zero"')
    assert "/dev/zero: holds more than 256 MiB" in shell.refusal("check", shell.write("p.toml", text))
    model = '[world]\nkind = "explicit"\ntransitions = "/dev/zero"\n[episode]\nhorizon = 3\n'
    shell.refusal("check", shell.write("m.toml", model))


def test_more_letters_than_can_be_read_are_refused(shell: Shell) -> None:
    document = {"alphabet": [str(k) for k in range(limits.LETTERS + 1)], "accept": [], "reject": []}
    told = shell.refusal("identify", shell.write("e.json", document))
    assert "has 65,537 letters; at most 65,536 can be read" in told


@pytest.mark.parametrize("given", ["²", "0", "-1", "x", LONG])
def test_threads_that_are_no_number_are_refused(shell: Shell, given: str) -> None:
    shell.patch.setenv("DEMOSPEC_THREADS", given)
    assert "DEMOSPEC_THREADS" in shell.refusal("example") or given == LONG


@pytest.mark.parametrize("command", [("check",), ("learn", "--iterations", "1"), ("score", TASK)])
def test_names_do_not_steer_the_terminal(shell: Shell, command: tuple[str, ...]) -> None:
    text = changed(ROBOT, 'name = "robot"', r'name = "\u001b]0;x\u0007\u009b31m\u202e"')
    name, *rest = command
    ran = shell.good(name, shell.write("p.toml", text), *rest)
    assert readable(ran.out) == ran.out
    if name != "learn":
        assert r"\x1b]0;x\x07\x9b31m\u202e" in ran.out
    document = shell.good(name, "p.toml", *rest, "--json").out
    assert readable(document) == document
    assert json.loads(document)


def test_a_refusal_does_not_steer_the_terminal_either(shell: Shell) -> None:
    told = shell.refusal("describe", "reach \x1b]0;x\x07y and")
    assert "\x1b" not in told
    assert r"\x1b]0;x\x07y" in told


def test_large_tasks_are_told_by_their_size(shell: Shell) -> None:
    count = 2000
    states = [f"{k}: y→{k + 1}" for k in range(count - 1)]
    shell.write("big.txt", " | ".join([f">{states[0]}", *states[1:], f"*{count - 1}:"]))
    shell.write("robot.toml", ROBOT)
    assert "2,000 states and 1 letter, too large for words" in shell.good("describe", "big.txt").out
    assert "2,000 states: too many to draw" in shell.good("export", "big.txt", "--format", "svg").out
    assert shell.good("score", "robot.toml", "big.txt", "--json").json["size"] > 2000


def test_parsers_take_long_texts(shell: Shell) -> None:
    """Each of these took from 9 to 60 seconds when reading was quadratic; here nobody looks at a clock."""
    blank = " " * 60_000
    assert shell.good("describe", shell.write("t.txt", f">0:{blank}y→1 |{blank}*1:")).out
    words = [f"{'+' if k % 2 else '-'} {k:b}".replace("1", "1 ").replace("0", "0 ") for k in range(2, 9_000)]
    shell.write("words.txt", "\n".join(words))
    assert shell.good("identify", "words.txt", "--count", "1", "--method", "merging", "--json").json
    letters = ", ".join(f"l{k}→1" for k in range(20_000))
    shell.write("letters.txt", f">0: {letters} | *1:")
    assert "20,000 letters, too large for words" in shell.good("describe", "letters.txt").out


def test_an_error_that_nobody_expected_is_one_line(shell: Shell) -> None:
    def fails(*arguments: object) -> None:
        raise ZeroDivisionError("1\n2")

    shell.patch.setattr(cli, "invoke", fails)
    ran = shell("example")
    assert ran.code == 1
    assert ran.err.startswith("demospec: ZeroDivisionError: 1 2. This is a mistake in demospec")
    assert "DEMOSPEC_DEBUG=1" in ran.err
    assert ran.err.count("\n") == 1
    shell.patch.setenv("DEMOSPEC_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        commands_main()


def commands_main() -> None:
    from demospec.cli import main

    main(["example"])


def test_a_name_that_is_too_long_for_a_file_is_refused(shell: Shell) -> None:
    assert "File name too long" in shell.refusal("resume", "a" * 3000)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_standard_error_does_not_cost_the_result(tmp_path: Path) -> None:
    robot = tmp_path / "robot.toml"
    robot.write_text(ROBOT, encoding="utf-8")
    program = (
        "from demospec.cli import main; from demospec.runs import progress_line\n"
        "progress_line.PATIENCE = 0; main()"
    )
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [sys.executable, "-c", program, "learn", str(robot), "--jobs", "2", "--json"]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, timeout=300)
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["best"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_standard_output_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run([*COMMAND, "example", "robot"], stdout=full, stderr=subprocess.PIPE, timeout=300)
    assert ran.returncode == 1
    assert ran.stderr == b"demospec: the result cannot be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_while_modules_are_loaded_leaves_without_a_traceback(tmp_path: Path) -> None:
    slow = tmp_path / "click.py"  # in the place of the first module that is loaded
    slow.write_text("import time\nprint('loading', flush=True)\ntime.sleep(60)\n", encoding="utf-8")
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from demospec.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "example"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"loading\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert told == b"demospec: interrupted\n"
    assert process.returncode == 130
