"""`learn` in other processes and on a cluster: the same bytes, also when a worker is lost on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import COMMAND, ROBOT, Shell, shell

from demospec.files import load
from demospec.runs.journal import JOURNAL, Journal
from demospec.work import open_workers

__all__ = ["shell"]

PAPER = ("--method", "paper", "--chains", "3", "--seed", "2")
LONG = 300  # seconds that a slow machine may take
needs_kill = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.toml"
    path.write_text(ROBOT, encoding="utf-8")
    return path


def written(folder: Path) -> list[str]:
    lines = (folder / "result.json").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith('  "seconds": ')]


def learn(robot: Path, out: Path, *options: str, command: list[str] = COMMAND) -> list[str]:
    ran = subprocess.run(
        [*command, "learn", str(robot), *options, "--out", str(out)], capture_output=True, timeout=LONG
    )
    assert ran.returncode == 0, ran.stderr
    assert not (out / JOURNAL).exists()
    return written(out)


def journal_grows(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until the first iterations are written down; only then the search is on."""
    last, path = time.monotonic() + LONG, folder / JOURNAL
    before = 0
    while process.poll() is None and time.monotonic() < last:
        size = path.stat().st_size if path.exists() else 0
        if before and size > before:
            return
        before = size
        time.sleep(0.02)
    raise AssertionError(f"the run ended with {process.poll()} before it began")


def test_other_processes_give_the_same_bytes(robot: Path, tmp_path: Path) -> None:
    one = learn(robot, tmp_path / "one", *PAPER)
    assert learn(robot, tmp_path / "two", *PAPER, "--jobs", "2") == one
    installed = shutil.which("demospec", path=str(Path(sys.executable).parent))
    if installed is not None:
        assert learn(robot, tmp_path / "three", *PAPER, "--jobs", "3", command=[installed]) == one


@needs_kill
def test_ctrl_c_ends_other_processes_and_the_run_can_be_resumed_here(robot: Path, tmp_path: Path) -> None:
    options = (*PAPER, "--iterations", "400")
    expected = learn(robot, tmp_path / "plain", *options)
    out = tmp_path / "out"
    command = [*COMMAND, "learn", str(robot), *options, "--out", str(out), "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        journal_grows(process, out)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=LONG)
    assert b"Traceback" not in stderr
    if process.returncode == 130:  # else it was over before the signal came
        assert f"demospec resume {out}".encode() in stderr
        assert json.loads((out / "result.json").read_text())["ended"] == "interrupted"
        again = subprocess.run([*COMMAND, "resume", str(out)], capture_output=True, timeout=LONG)
        assert again.returncode == 0, again.stderr
    assert written(out) == expected


def test_who_cannot_work_is_told_before_anything_is_written(shell: Shell) -> None:
    name = shell.write("robot.toml", ROBOT)
    told = shell.refusal("learn", name, "--jobs", "1", "--cluster", "tcp://127.0.0.1:1", "--out", "out")
    assert "--jobs and --cluster cannot be combined" in told
    shell.patch.setattr("demospec.work.cluster.ANSWERS", 0.2)
    told = shell.refusal("learn", name, "--cluster", "tcp://127.0.0.1:1", "--out", "out")
    assert "cluster tcp://127.0.0.1:1: no scheduler of Dask answers" in told
    assert "is no address" in shell.refusal("learn", name, "--cluster", "here", "--out", "out")
    assert "0 is not in the range" in shell.refusal("learn", name, "--jobs", "0", "--out", "out")
    assert not (shell.folder / "out").exists()
    assert "no unfinished run" in shell.refusal("resume", ".", "--jobs", "2")


def test_one_chain_cannot_be_shared_and_that_is_told(shell: Shell) -> None:
    name = shell.write("robot.toml", ROBOT)
    short = ("learn", name, "--method", "paper", "--iterations", "3", "--json")
    alone = shell.good(*short)
    told = shell.good(*short, "--jobs", "2")
    assert "1 chain: --jobs 2 changes nothing; use --chains 2 or more\n" in told.err
    assert told.json | {"seconds": 0} == alone.json | {"seconds": 0}
    shared = shell.good(*short, "--jobs", "2", "--chains", "2")
    for quiet in (alone, shell.good(*short, "--jobs", "1"), shared):
        assert "1 chain" not in quiet.err


def test_one_chain_that_is_resumed_cannot_be_shared_either(shell: Shell) -> None:
    problem = load(shell.write("robot.toml", ROBOT)).with_settings(method="paper", iterations=3)
    Journal.begin(shell.folder, problem, 0).close(finished=False)
    assert "1 chain: --jobs 3 changes nothing\n" in shell.good("resume", ".", "--jobs", "3", "--json").err


# -- a cluster -------------------------------------------------------------------------------------------


@dataclass
class Started:
    """A scheduler and two workers, each a process on this machine."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    processes: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": ""}

    def start(module: str, *options: str) -> subprocess.Popen[bytes]:
        log = folder / f"{len(processes)}.log"
        with open(log, "wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", *options],
                stdout=stream,
                stderr=stream,
                cwd=folder,
                env=environment,
            )
        processes.append(process)
        return process

    try:
        scheduler = start("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        last = time.monotonic() + LONG
        while not (file.exists() and file.read_text().endswith("}")):
            assert scheduler.poll() is None
            assert time.monotonic() < last
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        quiet = ("--nworkers", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        workers = [start("dask_worker", address, *quiet) for _ in range(2)]
        with open_workers(1, address) as opened:
            opened.client.wait_for_workers(2, timeout=LONG)  # type: ignore[attr-defined]
        yield Started(address, workers)
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def double(shared: int, item: int) -> int:
    if item == 7:
        raise ValueError("seven")
    return shared * item


def test_a_cluster_gives_results_in_order(cluster: Started) -> None:
    function = double
    function.__module__ = "__main__"  # sent as it is: the workers do not have this module
    with open_workers(1, cluster.address) as workers:
        assert list(workers.run(function, range(6), shared=2)) == [0, 2, 4, 6, 8, 10]
        assert list(workers.run(function, range(6), shared=3, home=lambda item: item)) == [0, 3, 6, 9, 12, 15]
        with pytest.raises(ValueError, match="seven"):
            list(workers.run(function, [1, 7], shared=2))
        results = workers.run(function, range(6), shared=2)
        assert next(results) == 0
        results.close()


def test_one_chain_is_worked_on_by_one_worker_of_a_cluster(cluster: Started, robot: Path) -> None:
    options = ("--method", "paper", "--iterations", "3", "--cluster", cluster.address, "--json")
    ran = subprocess.run([*COMMAND, "learn", str(robot), *options], capture_output=True, timeout=LONG)
    assert ran.returncode == 0
    told = f"1 chain: one worker of --cluster {cluster.address} does all of it; use --chains 2 or more"
    assert told in ran.stderr.decode()


@needs_kill
def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(
    cluster: Started, robot: Path, tmp_path: Path
) -> None:
    options = (*PAPER, "--iterations", "300")
    expected = learn(robot, tmp_path / "plain", *options)
    out = tmp_path / "out"
    command = [*COMMAND, "learn", str(robot), *options, "--cluster", cluster.address, "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            journal_grows(process, out)
            cluster.workers[0].kill()
            _, stderr = process.communicate(timeout=LONG)
        finally:
            process.kill()
    assert process.returncode == 0, stderr
    assert b"Traceback" not in stderr
    assert written(out) == expected
