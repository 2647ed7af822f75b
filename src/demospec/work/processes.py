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
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from demospec.errors import WorkerError
from demospec.work.workers import ATTEMPTS, Answers, Home, Work, Workers, attempt, portable, threads_allowed

# -P: nothing is imported from the current directory, whatever lies there.
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from demospec.work import processes; "
BEGIN = ("-P", "-c", START + "processes.answer_requests()")


def import_places() -> list[str]:
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

    def ask(self, function: Work, item: Any, token: int, shared: bytes) -> tuple[bool, Any]:
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
                    [sys.executable, *BEGIN, json.dumps(import_places())],
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
        if (process := self.process) is not None:
            self._end(process)


class Processes(Workers):
    """So many processes."""

    def __init__(self, jobs: int) -> None:
        self.children = [Child(max(1, threads_allowed() // jobs)) for _ in range(jobs)]
        self._tokens = 0
        self._last: tuple[Any, bytes] | None = None  # the shared value that was asked with, and its pickle

    def close(self) -> None:
        for child in self.children:
            child.close()

    def answers(self, function: Work, items: list[Any], shared: Any, home: Home) -> Answers:
        """Yield answers; a lost process is replaced."""
        if self._last is None or self._last[0] is not shared:
            self._last = shared, pickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL)
            self._tokens += 1
        token, packed = self._tokens, self._last[1]
        answers = deque(Future[tuple[bool, Any]]() for _ in items)
        left = dict(enumerate(zip(items, answers, strict=True)))
        taking, stop = threading.Lock(), threading.Event()

        def take(own: int) -> tuple[Any, Future[tuple[bool, Any]]] | None:
            with taking:
                if not left or stop.is_set():
                    return None
                first = next(iter(left))
                if home is not None:  # one's own first, then someone else's: nobody waits
                    mine = (k for k, (item, _) in left.items() if home(item) % len(self.children) == own)
                    first = next(mine, first)
                return left.pop(first)

        def ask(own: int) -> None:
            while (taken := take(own)) is not None:
                item, answer = taken
                answer.set_result(asked(self.children[own], stop, (function, item, token, packed)))

        used = range(min(len(self.children), len(items)))
        threads = [threading.Thread(target=ask, args=(own,), daemon=True) for own in used]
        for thread in threads:
            thread.start()
        try:
            while answers:
                answer = answers[0].result()
                answers.popleft()
                yield answer
        finally:
            stop.set()
            done = all(answer.done() for answer in answers)
            for own, thread in enumerate(threads):
                thread.join(None if done else 0.0)
                while thread.is_alive():  # nobody wants to know any more
                    self.children[own].kill()
                    thread.join(0.1)


def asked(child: Child, stop: threading.Event, request: tuple[Work, Any, int, bytes]) -> tuple[bool, Any]:
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


# -- The other end: a process that does what it is asked, and is gone when nobody can ask ------------------


def answer_requests() -> None:
    """Answer requests (function, item, token of the shared value, its pickle if it is new) until the end."""
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not get between the answers

    def pass_on() -> None:
        while (message := receive(sys.stdin.buffer)) is not None:
            requests.put(message)
        os._exit(0)  # at once, whatever is being done: the asking process is gone

    threading.Thread(target=pass_on, daemon=True).start()
    held, shared = None, None
    while True:
        message = requests.get()
        try:
            function, item, token, fresh = pickle.loads(message)
            if token != held:
                held, shared = token, pickle.loads(fresh)
            answer = pickle.dumps(attempt(function, shared, item), protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # what cannot be sent, there or back
            answer = pickle.dumps((False, portable(error)), protocol=pickle.HIGHEST_PROTOCOL)
        send(answers, answer)


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message with its length."""
    stream.write(len(message).to_bytes(8, "big"))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read a message; None when the other end is gone, be it in the middle of one."""
    head = stream.read(8)
    message = stream.read(int.from_bytes(head, "big")) if len(head) == 8 else b""
    return message if len(head) == 8 and len(message) == int.from_bytes(head, "big") else None
