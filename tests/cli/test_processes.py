"""What only a process of its own can show: signals, closed pipes, hash seeds, encodings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import COMMAND, ROBOT

ENDLESS = ("--method", "paper", "--iterations", "1000000")
# Who starts the tests in the background may have Ctrl-C ignored, and so would those that they start.
HEEDS_CTRL_C = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from demospec.cli import main; main()",
]


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.toml"
    path.write_text(ROBOT, encoding="utf-8")
    return path


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, env=os.environ | environment, timeout=300
    )


def test_the_same_seed_gives_the_same_bytes_in_every_process(robot: Path) -> None:
    outputs = []
    for hashes in ("1", "2"):
        ran = run("learn", robot, "--json", "--seed", "3", "--iterations", "40", PYTHONHASHSEED=hashes)
        assert ran.returncode == 0, ran.stderr
        lines = ran.stdout.decode().splitlines()
        outputs.append([line for line in lines if '"seconds"' not in line])
        assert len(lines) == len(outputs[-1]) + 1
    assert outputs[0] == outputs[1]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_saves_what_it_has(robot: Path, tmp_path: Path, number: int) -> None:
    out = tmp_path / "out"
    command = [*COMMAND, "learn", str(robot), *ENDLESS, "--out", str(out), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b"iterations" in process.stderr.readline()  # the first word on progress: the search is on
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Traceback" not in stderr
    assert stderr.endswith(b"demospec: interrupted\n")
    result = json.loads((out / "result.json").read_bytes())
    assert result == json.loads(stdout)
    assert 0 < len(result["trace"]) < 1000000
    assert result["best"] == result["ranked"][0]
    assert result["ended"] == "interrupted"
    assert (out / "report.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupted_reproduction_leaves_with_130(tmp_path: Path) -> None:
    command = [*COMMAND, "reproduce", "monolithic", "--iterations", "1000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b"iterations" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Traceback" not in stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_while_a_file_is_awaited_leaves_with_130(tmp_path: Path) -> None:
    pipe = tmp_path / "problem.toml"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*HEEDS_CTRL_C, "check", str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        writer = os.open(pipe, os.O_WRONLY)  # waits until the command has opened the file to read it
        try:
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=300)
        finally:
            process.kill()
            os.close(writer)
    assert process.returncode == 130
    assert stdout == b""
    assert b"Traceback" not in stderr
    assert stderr.strip() == b"demospec: interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_reader_that_leaves_early_is_no_error_to_shout_about(robot: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        command = [*COMMAND, "check", str(robot)]
        ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=300)
    finally:
        os.close(writer)
    assert ran.returncode in (0, 1)
    assert b"Traceback" not in ran.stderr
    assert b"demospec:" not in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told_in_one_line(robot: Path) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [*COMMAND, "check", str(robot)], stdout=full, stderr=subprocess.PIPE, timeout=300
        )
    assert ran.returncode == 1
    assert ran.stderr == b"demospec: the result cannot be written: No space left on device\n"


def test_output_is_utf_8_whatever_the_terminal_speaks(robot: Path) -> None:
    ran = run("learn", robot, "--iterations", "3", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ran.returncode == 0, ran.stderr
    assert "▸" in ran.stdout.decode()


def test_closed_streams_are_told_or_borne(robot: Path) -> None:
    shell = f"{sys.executable} -m demospec"
    closed_in = subprocess.run(f"{shell} check - <&-", shell=True, capture_output=True, timeout=300)
    assert closed_in.returncode == 2
    assert closed_in.stderr == b"demospec: standard input: is closed\n"
    closed_err = subprocess.run(
        f"{shell} learn '{robot}' --iterations 3 --json 2>&-", shell=True, capture_output=True, timeout=300
    )
    assert closed_err.returncode == 0
    assert json.loads(closed_err.stdout)["name"] == "robot"


def test_progress_goes_to_standard_error_alone(robot: Path) -> None:
    ran = run("learn", robot, "--method", "paper", "--iterations", "600", "--json")
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["settings"]["iterations"] == 600
    assert b"Traceback" not in ran.stderr  # how much is said there depends on how long it takes
