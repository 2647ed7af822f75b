"""A process that learns for one page: it reads requests and writes events, one JSON object on each line.

It is started as a plain command, and leaves when nobody can ask it any more. A request is a search, or a
question about the last result. To pause, to go on and to stop are heard at once, whatever is being done.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import IO

from demospec.errors import DemospecError, InputError
from demospec.report.told import Told
from demospec.runs.session import Session
from demospec.studio.asking import Asked
from demospec.studio.opening import Document, Limits, read_problem
from demospec.studio.telling import Watching, answer_document, details_document

AT_ONCE = ("pause", "go_on", "stop", "drop")  # heard while a search runs


class Worker:
    """What one process does: one thing after the other, but for what is heard at once."""

    def __init__(self, requests: IO[bytes], events: IO[bytes]) -> None:
        self.requests, self.events = requests, events
        self.waiting: queue.SimpleQueue[Document] = queue.SimpleQueue()
        self.writing = threading.Lock()
        self.session: Session | None = None
        self.dropped: set[int] = set()  # numbers of searches that nobody waits for any more
        self.asked: Asked | None = None
        self.search = 0

    def serve(self) -> None:
        """Do what is asked until the end."""
        threading.Thread(target=self.read, daemon=True).start()
        self.tell("ready", {})
        while True:
            request = self.waiting.get()
            try:
                self.do(request)
            except DemospecError as error:
                self.tell("refused", {"message": str(error)}, request)
            except MemoryError:
                self.tell("refused", {"message": "there was not enough memory for this"}, request)
            except Exception as error:  # a fault of ours: the page is told, and the process goes on
                message = f"something went wrong here: {type(error).__name__}: {error}"
                self.tell("refused", {"message": message}, request)

    def read(self) -> None:
        """Pass requests on; leave at once when the server is gone."""
        for line in self.requests:
            request = json.loads(line)
            if request["do"] in AT_ONCE:
                self.hear(request["do"], request.get("search", 0))
            else:
                self.waiting.put(request)
        os._exit(0)

    def hear(self, what: str, search: int) -> None:
        """Pause a search, let it go on, or end it."""
        if what == "drop":
            self.dropped.add(search)
        session = self.session
        if session is None or search != self.search:
            return
        if what == "pause":
            session.pause()
        elif what == "go_on":
            session.go_on()
        else:
            session.cancel()
            if what == "drop":
                session.stop.set("interrupted")

    def tell(self, kind: str, told: Document, request: Document | None = None) -> None:
        about = {} if request is None else {key: request[key] for key in ("search", "ask") if key in request}
        line = json.dumps({"event": kind, **about, **told}, ensure_ascii=False, allow_nan=False)
        with self.writing:
            self.events.write(line.encode() + b"\n")
            self.events.flush()

    def do(self, request: Document) -> None:
        if request["do"] == "learn":
            self.learn(request)
            return
        if self.asked is None:
            raise InputError("nothing was learned yet")
        self.tell("answered", {"answer": self.asked.answer(request["what"], request["told"])}, request)

    def learn(self, request: Document) -> None:
        self.search, self.asked = request["search"], None
        if self.search in self.dropped:
            self.tell("dropped", {}, request)
            return
        limits = Limits(**request["limits"])
        problem = read_problem(request["document"], limits)
        given = problem.settings.max_seconds
        problem = problem.with_settings(max_seconds=min(limits.seconds, given or limits.seconds))
        with Session(problem, seed=request["seed"]) as session:
            self.session = session
            try:
                if self.search in self.dropped:
                    session.cancel()
                watching = Watching(session)
                for row in session:
                    self.tell("progress", watching.row(row), request)
                if self.search not in self.dropped:
                    if not any(row.info.candidate for row in session.trace):
                        raise InputError("the search ended before any task was found; let it run longer")
                    result = session.result()
                    told = Told(result)
                    self.tell("answer", answer_document(told), request)
                    self.asked = Asked(result, limits)
                    self.tell("details", details_document(told), request)
            finally:
                self.session = None
        self.tell("dropped" if self.search in self.dropped else "done", {}, request)


def serve_requests() -> None:
    """Be a worker on standard input and output."""
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not get between the events
    Worker(sys.stdin.buffer, events).serve()


def start_line() -> list[str]:
    """Return the command that starts a worker: nothing is imported from the current directory."""

    from demospec.work.processes import import_places

    begin = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
        "from demospec.studio.worker import serve_requests; serve_requests()"
    )
    return [sys.executable, "-P", "-c", begin, json.dumps(import_places())]
