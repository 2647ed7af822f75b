"""Work in other processes of this machine: each one is asked by a thread of this process.

They are started as plain commands, not by `multiprocessing`: the script that calls us is not run again in
them, they are in a session of their own so that Ctrl-C does not reach them, and when this process is gone,
be it killed, its end of their input is closed and they leave.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from demospec.errors import WorkerError
from demospec.work.base import ATTEMPTS, Found, Item, share
from demospec.work.child import receive, send

# -P: nothing is imported from the current directory, whatever lies there.
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from demospec.work.child import serve; serve()"
)
BEGIN = ("-P", "-c", START)


def places() -> list[str]:
    """Return where a process looks for modules: where this one does, but for the current directory.

    Only where demospec itself lies there is it looked for there.
    """
    here, own = os.path.realpath(os.curdir), os.path.realpath(Path(__file__).parents[2])
    real = [(place, os.path.realpath(place or os.curdir)) for place in sys.path]
    return [place for place, path in real if path != here or path == own]


class Lost(Exception):
    """A process ended before it answered; its return code is the argument."""


class Child:
    """One process, started when it is first asked, and again after it was lost."""

    def __init__(self, threads: int) -> None:
        self.environment = {**os.environ, "DEMOSPEC_THREADS": str(threads)}
        self.process: subprocess.Popen[bytes] | None = None
        self.token = 0  # of the shared value that it holds
        self._changing = threading.Lock()
        self._closed = False

    def ask(self, function: Callable[..., Any], item: Any, token: int, shared: bytes) -> tuple[bool, Any]:
        """Return whether the function succeeded, and its result or error."""
        process = self._started()
        fresh = None if self.token == token else shared
        request = pickle.dumps((function, item, token, fresh), protocol=pickle.HIGHEST_PROTOCOL)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, request)
            answer = receive(process.stdout)
        except (OSError, ValueError):  # a pipe that the other end, or `end`, has closed
            answer = None
        if answer is None:
            self._end(process)
            raise Lost(process.returncode)
        self.token = token
        succeeded, value = pickle.loads(answer)
        return succeeded, value

    def _started(self) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._closed:
                raise Lost(None)
            if self.process is None:
                self.token = 0
                self.process = subprocess.Popen(
                    [sys.executable, *BEGIN, json.dumps(places())],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=None if sys.stderr is not None else subprocess.DEVNULL,
                    env=self.environment,
                    start_new_session=True,
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
            return self.process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            with suppress(OSError):  # what could not be written any more
                stream.close()
        with self._changing:
            if self.process is process:
                self.process = None

    def kill(self) -> None:
        """End the process, whatever it does; the thread that waits for it is told."""
        with self._changing:
            if self.process is not None:
                self.process.kill()

    def close(self) -> None:
        """End the process for good."""
        with self._changing:
            self._closed = True
            process = self.process
        if process is not None:
            self._end(process)


class Processes:
    """So many processes; a context manager that ends them."""

    def __init__(self, jobs: int) -> None:
        self.children = [Child(share(jobs)) for _ in range(jobs)]
        self._tokens = 0
        self._last: tuple[Any, bytes] | None = None  # the shared value that was asked with, and its pickle

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self.children:
            child.close()

    def run(
        self,
        function: Callable[[Any, Item], Found],
        items: Iterable[Item],
        shared: Any = None,
        *,
        home: Callable[[Item], int] | None = None,
    ) -> Generator[Found, None, None]:
        """Yield `function(shared, item)` for each item, in order; a lost process is replaced."""
        if self._last is None or self._last[0] is not shared:
            self._last = shared, pickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL)
            self._tokens += 1
        token, packed = self._tokens, self._last[1]
        work = list(items)
        left = dict(enumerate(work))
        taking, stop = threading.Lock(), threading.Event()
        answers: queue.SimpleQueue[tuple[int, bool, Any]] = queue.SimpleQueue()

        def take(own: int) -> int | None:
            with taking:
                if not left or stop.is_set():
                    return None
                first = next(iter(left))
                if home is not None:  # one's own first, then someone else's: nobody waits
                    first = next((k for k in left if home(work[k]) % len(self.children) == own), first)
                del left[first]
                return first

        def ask(own: int) -> None:
            while (number := take(own)) is not None:
                request = function, work[number], token, packed
                answers.put((number, *attempts(self.children[own], stop, request)))

        threads = [
            threading.Thread(target=ask, args=(own,), daemon=True)
            for own in range(min(len(self.children), len(work)))
        ]
        for thread in threads:
            thread.start()
        found: dict[int, tuple[bool, Any]] = {}
        answered = 0
        try:
            for number in range(len(work)):
                while number not in found:
                    which, succeeded, value = answers.get()
                    found[which] = succeeded, value
                    answered += 1
                succeeded, value = found.pop(number)
                if not succeeded:
                    raise value
                yield value
        finally:
            stop.set()
            for own, thread in enumerate(threads):
                thread.join(None if answered == len(work) else 0.0)
                while thread.is_alive():  # nobody wants to know any more
                    self.children[own].kill()
                    thread.join(0.1)


def attempts(
    child: Child, stop: threading.Event, request: tuple[Callable[..., Any], Any, int, bytes]
) -> tuple[bool, Any]:
    """Ask until there is an answer, but not for ever."""
    code: object = None
    for _ in range(ATTEMPTS):
        try:
            return child.ask(*request)
        except Lost as lost:
            code = lost.args[0]
        except Exception as error:  # what cannot be pickled, a process that cannot be started
            return False, error
        if stop.is_set():
            break
    return False, WorkerError(
        f"a worker process was lost {ATTEMPTS} times while it did the same piece of work "
        f"(it ended with code {code}); is there enough memory?"
    )
