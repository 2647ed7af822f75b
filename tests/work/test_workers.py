"""Work done elsewhere: the same results, in order, whatever happens to who does it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from demospec.errors import DemonstrationError, InputError, WorkerError
from demospec.work import Workers, cluster, open_workers
from demospec.work.processes import Processes
from demospec.work.workers import ATTEMPTS

needs_kill = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.fixture(scope="module")
def two() -> Iterator[Workers]:
    with open_workers(2) as workers:
        yield workers


@pytest.fixture(params=["here", "processes"])
def workers(request: pytest.FixtureRequest, two: Workers) -> Workers:
    return Workers() if request.param == "here" else two


def add(shared: int, item: int) -> int:
    return shared + item


def refuse(shared: None, item: int) -> int:
    if item == 2:
        raise DemonstrationError("no way", demonstration=1, step=item)
    if item == 3:
        raise ValueError("three")
    return item


def speak(shared: None, item: int) -> int:
    print("hello", flush=True)
    os.write(1, b"hello\n")
    return item


def die_once(marks: Path, item: int) -> int:
    mark = marks / str(item)
    if item % 3 == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def die(counts: Path, item: int) -> None:
    with open(counts, "a") as file:
        file.write("x")
    os.kill(os.getpid(), signal.SIGKILL)


def who(shared: None, item: int) -> int:
    return os.getpid()


def environment(shared: None, name: str) -> str | None:
    return os.environ.get(name)


def wait_for(shared: Path, item: int) -> int:
    while item and not shared.exists():
        time.sleep(0.01)
    return item


class Counted:
    """Something that counts how often it is pickled."""

    def __init__(self) -> None:
        self.pickled = 0

    def __getstate__(self) -> dict[str, Any]:
        self.pickled += 1
        return {}


def nothing(shared: Counted, item: int) -> int:
    return item


def test_results_come_in_order(workers: Workers) -> None:
    assert list(workers.run(add, range(50), shared=100)) == list(range(100, 150))
    assert list(workers.run(add, range(50), shared=7, home=lambda item: item)) == list(range(7, 57))
    assert list(workers.run(add, [], shared=7)) == []


def test_large_things_get_through(workers: Workers) -> None:
    item = os.urandom(3_000_000)
    assert list(workers.run(first, [item, item], shared=b"x" * 3_000_000)) == [item, item]


def first(shared: bytes, item: bytes) -> bytes:
    return item


def test_errors_are_raised_as_they_were(workers: Workers) -> None:
    results = workers.run(refuse, [1, 2, 3])
    assert next(results) == 1
    with pytest.raises(InputError, match="demonstration 1, step 2: no way"):
        next(results)
    with pytest.raises(ValueError, match="three"):
        list(workers.run(refuse, [1, 3]))
    assert list(workers.run(refuse, [5, 6])) == [5, 6]


def test_what_is_printed_is_no_answer(two: Workers) -> None:
    assert list(two.run(speak, range(4))) == [0, 1, 2, 3]


def test_what_cannot_be_sent_is_told(two: Workers) -> None:
    with pytest.raises(Exception, match=r"pickle|local object"):
        list(two.run(lambda shared, item: item, [1]))
    assert list(two.run(add, [1], shared=1)) == [2]


def test_what_is_shared_is_pickled_once() -> None:
    shared = Counted()
    with open_workers(2) as workers:
        for _ in range(3):
            assert list(workers.run(nothing, range(8), shared=shared)) == list(range(8))
    assert shared.pickled == 1


@needs_kill
def test_work_of_a_lost_process_is_done_again(tmp_path: Path, two: Workers) -> None:
    assert list(two.run(die_once, range(7), shared=tmp_path)) == [item * item for item in range(7)]
    assert len(list(tmp_path.iterdir())) == 2


@needs_kill
def test_work_that_kills_its_process_every_time_is_given_up(tmp_path: Path, two: Workers) -> None:
    with pytest.raises(WorkerError, match="lost 4 times"):
        list(two.run(die, [1], shared=tmp_path / "count"))
    assert (tmp_path / "count").read_text() == "x" * ATTEMPTS
    assert list(two.run(add, [1], shared=1)) == [2]


def test_results_that_nobody_wants_any_more_are_not_waited_for(tmp_path: Path, two: Workers) -> None:
    results = two.run(wait_for, [0, 1, 2, 3], shared=tmp_path / "never")
    assert list(islice(results, 1)) == [0]
    results.close()
    assert list(two.run(add, range(5), shared=1)) == [1, 2, 3, 4, 5]


def test_processes_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMOSPEC_THREADS", "6")
    for jobs, threads in ((1, "6"), (2, "3"), (3, "2"), (4, "1"), (100, "1")):
        assert Processes(jobs).children[-1].environment["DEMOSPEC_THREADS"] == threads
    with open_workers(2) as workers:
        assert list(workers.run(environment, ["DEMOSPEC_THREADS"] * 2)) == ["3", "3"]
        pids = list(workers.run(who, range(2)))
    assert os.getpid() not in pids


@needs_kill
def test_processes_leave_when_the_one_that_asks_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "asks.py"  # without a guard against being run again
    script.write_text(
        "import sys, test_workers\n"
        "from pathlib import Path\n"
        "from demospec.work import open_workers\n"
        "with open_workers(2) as workers:\n"
        "    print(*workers.run(test_workers.who, range(2)), flush=True)\n"
        "    list(workers.run(test_workers.wait_for, [1, 2], shared=Path(sys.argv[1])))\n"
    )
    places = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    command = [sys.executable, str(script), str(tmp_path / "never")]
    asking = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": places})
    try:
        assert asking.stdout is not None
        pids = [int(pid) for pid in asking.stdout.readline().split()]
        assert pids
        assert all(alive(pid) for pid in pids)
    finally:
        asking.kill()
        asking.communicate()
    last = time.monotonic() + 300
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < last
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # one that nobody has asked about yet is a zombie
    try:
        return not stat.parent.parent.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_who_cannot_be_asked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for jobs, address, told in (
        (0, None, "at least 1; found 0"),
        (2, "tcp://127.0.0.1:1", "not by both"),
        (1, "nonsense", "cluster nonsense: is no address such as tcp://host:8786"),
    ):
        with pytest.raises(InputError, match=told), open_workers(jobs, address):
            pass
    monkeypatch.setattr(cluster, "ANSWERS", 0.2)
    with (
        pytest.raises(InputError, match="no scheduler of Dask answers"),
        open_workers(1, "tcp://127.0.0.1:1"),
    ):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'demospec\[cluster\]'"):
        cluster.Cluster("tcp://127.0.0.1:1")


@pytest.mark.parametrize("module", ["pickle", "queue", "json"])
def test_nothing_is_imported_from_the_current_directory(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n")
    code = (
        "from demospec.work import open_workers\n"
        "with open_workers(2) as workers:\n"
        "    print(list(workers.run(max, [1, 2], 1)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout) == (0, "[1, 2]\n"), ran.stderr
    assert not (tmp_path / "executed").exists()
