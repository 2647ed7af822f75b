"""Long work: what is told of it on standard error, and how Ctrl-C or termination ends it with what it has."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from demospec.cli import Interrupted
from demospec.errors import InputError
from demospec.readable import on_one_line
from demospec.report.words import sentence
from demospec.runs.result import Result, Row
from demospec.runs.session import Session
from demospec.work.stop import Stop, Stopped

PATIENCE = 1.0  # seconds before anything is said, and between lines that are not rewritten
CLEAR = "\r\x1b[2K"  # the line on a terminal


class Progress:
    """Tells what is being done, how much of it is left where that is known, and the best task so far.

    What is left is known by the total number of iterations, or at most by a limit in seconds. Work that is
    done within a second says nothing.
    """

    def __init__(self, total: int | None, seconds: float | None = None) -> None:
        self.total, self.seconds = total, seconds
        self.quiet = sys.stderr is None  # closed by who started us
        self.live = not self.quiet and sys.stderr.isatty()
        self.done = self.before = 0
        self.began = self.told = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()

    def __call__(self, row: Row, *, label: str = "", before: bool = False) -> None:
        """Count one iteration, or one that an earlier part of the run has made."""
        self.done += 1
        self.before += before
        if not before and self.due():
            of = "" if self.total is None else f" of {self.total}"
            done = f"{self.done}{of} iteration{'' if self.done == 1 and not of else 's'}"
            best = "" if row.best is None else f"; best so far: {sentence(row.best.task)}"
            self.say(f"{label or 'searching: '}{done}, {self.time_words()}{best}")

    def time_words(self) -> str:
        """Say how long it will take, where that can be known, else how long it has taken."""
        passed = self.told - self.began
        left = []
        if self.total is not None and self.done > self.before:
            left.append((self.total - self.done) * passed / (self.done - self.before))
        if self.seconds is not None:
            left.append(max(0.0, self.seconds - passed))
        return f"about {duration(min(left))} left" if left else duration(passed)

    def part(self, what: str, done: int, total: int) -> None:
        """Tell how many parts of some work are done."""
        if self.due():
            self.say(f"{what}: part {done} of {total}")

    def due(self) -> bool:
        """Say whether it is time for another word."""
        now = time.monotonic()
        if self.quiet or now - self.began < PATIENCE or now - self.told < (0.1 if self.live else PATIENCE):
            return False
        self.told = now
        return True

    def say(self, line: str) -> None:
        """Write a line, or write it over the last one."""
        line = on_one_line(line)
        if self.live:
            width = shutil.get_terminal_size((80, 24)).columns - 1  # a full line would begin another
            sys.stderr.write(f"{CLEAR}{line if len(line) <= width else line[: width - 1] + '…'}")
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """Write how long something takes.

    >>> duration(0.4), duration(75), duration(600), duration(9000)
    ('1 s', '1 min 15 s', '10 min', '2.5 h')
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{round(whole / 60)} min" if whole < 7200 else f"{whole / 3600:.1f} h"


@contextmanager
def telling(label: str) -> Iterator[None]:
    """Say what is going on if it takes more than a second, and on a terminal wipe it out at the end."""
    done = threading.Event()
    live = sys.stderr is not None and sys.stderr.isatty()

    def tell() -> None:
        if not done.wait(PATIENCE) and sys.stderr is not None:
            sys.stderr.write(f"{label} …" if live else f"{label} …\n")
            sys.stderr.flush()

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if live:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()


# -- Ctrl-C and termination ------------------------------------------------------------------------------

GRACE = 3.0


def interruptible(work: Callable[[Stop], None], seconds: float | None = None) -> bool:
    """Do work that ends soon after its flag is set; say whether Ctrl-C or a termination signal set it.

    Time that is up sets it too, without being an interruption. What is under way may take `PATIENCE` seconds
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

    listens = threading.current_thread() is threading.main_thread()
    old = {n: signal.signal(n, on_signal) for n in (signal.SIGINT, signal.SIGTERM)} if listens else {}
    try:
        threading.Thread(target=run, daemon=True).start()
        while not done.wait(0.1) and not stop.is_set:
            pass
        last = time.monotonic() + GRACE
        while not done.wait(0.1) and not hurry.is_set() and time.monotonic() < last:
            pass
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        stop.close()
    if failures:
        raise failures[0]
    return stop.reason == "interrupted"


def search_with_progress(session: Session) -> Result:
    """Learn with progress; Ctrl-C or a termination signal ends it, and what was found so far is returned."""
    settings = session.problem.settings
    total = None if settings.method == "explore" else settings.iterations * settings.chains
    with Progress(total, settings.max_seconds) as progress:

        def work(stop: Stop) -> None:
            with stop.calling(session.cancel):
                for row in session:
                    progress(row, before=len(session.trace) <= session.resumed)

        interruptible(work)
    if not any(row.info.candidate for row in session.trace):
        if session.ended == "seconds":
            raise InputError(
                f"no task was scored within {settings.max_seconds:g} s; allow more with max_seconds"
            )
        if session.ended in (None, "interrupted"):
            raise Interrupted  # before the first task was found: there is nothing to save
    return session.result()
