"""Long work that Ctrl-C or termination ends with what it has."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from types import FrameType

from demospec.cli import Interrupted
from demospec.errors import InputError
from demospec.runs.progress_line import Progress
from demospec.runs.result import Result
from demospec.runs.session import Session
from demospec.work.stop import Stop, Stopped

GRACE = 3.0  # seconds for what is under way, once work is to end


@contextmanager
def heeding(on_signal: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Heed Ctrl-C and termination in another way for a while, where signals reach us: in the main thread."""
    listens = threading.current_thread() is threading.main_thread()
    old = {n: signal.signal(n, on_signal) for n in (signal.SIGINT, signal.SIGTERM)} if listens else {}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def interruptible(work: Callable[[Stop], None], seconds: float | None = None) -> bool:
    """Do work that ends soon after its flag is set; say whether Ctrl-C or a termination signal set it.

    Time that is up sets it too, without being an interruption. What is under way may take `GRACE` seconds
    more, or until a second signal. The work has a thread of its own: in the main thread the SAT solver would
    take Ctrl-C for itself.
    """
    stop, done, hurry = Stop(seconds), threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work(stop)
        except Stopped:
            pass
        except BaseException as error:
            failures.append(error)
        finally:
            done.set()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if stop.is_set:
            hurry.set()
        else:  # not here: whoever holds the flag's lock may be who is interrupted
            threading.Thread(target=stop.set, args=["interrupted"], daemon=True).start()

    with heeding(on_signal), closing(stop):
        threading.Thread(target=run, daemon=True).start()
        while not done.wait(0.1) and not stop.is_set:
            pass
        last = time.monotonic() + GRACE
        while not done.wait(0.1) and not hurry.is_set() and time.monotonic() < last:
            pass
    if failures:
        raise failures[0]
    return stop.reason == "interrupted"


def search_with_progress(session: Session) -> Result:
    """Learn with progress; Ctrl-C or a termination signal ends it, and what was found so far is returned."""
    with Progress.of(session.problem) as progress:

        def work(stop: Stop) -> None:
            with stop.calling(session.cancel):
                for row in session:
                    progress(row, before=len(session.trace) <= session.resumed)

        interruptible(work)
    if not any(row.info.candidate for row in session.trace):
        if session.ended == "seconds":
            raise InputError(
                f"no task was scored within {session.problem.settings.max_seconds:g} s; "
                "allow more with max_seconds"
            )
        if session.ended in (None, "interrupted"):
            raise Interrupted  # before the first task was found: there is nothing to save
    return session.result()
