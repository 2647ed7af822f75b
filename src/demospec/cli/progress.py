"""Progress on standard error: one line that is rewritten on a terminal, a few lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from demospec.readable import on_one_line
from demospec.report.said import sentence
from demospec.runs.position import Row

PATIENCE = 1.0  # seconds before anything is said, and between lines that are not rewritten
CLEAR = "\r\x1b[2K"  # the line on a terminal


class Progress:
    """Tells how far a run has got, how fast, and the best task so far.

    Without a total, where nobody knows when the run will end, it tells what is done.
    """

    def __init__(self, total: int | None) -> None:
        self.total, self.quiet = total, sys.stderr is None  # closed by who started us
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
            rate = (self.done - self.before) / (self.told - self.began)
            best = "" if row.best is None else f"  best {row.best.energy:.3f}  {sentence(row.best.task)}"
            of = "" if self.total is None else f"/{self.total}"
            self.say(f"{label}{self.done}{of} iterations  {rate:.{0 if rate >= 10 else 1}f}/s{best}")

    def run(self, line: str) -> None:
        """Count one run, of which a line tells."""
        self.done += 1
        if self.due():
            self.say(f"{self.done}/{self.total} runs  {line}")

    def part(self, what: str, done: int, total: int) -> None:
        """Tell how many parts of some work are done."""
        if self.due():
            self.say(f"{what}: {done}/{total}")

    def due(self) -> bool:
        """Say whether it is time for another word."""
        now = time.monotonic()
        if self.quiet or now - self.told < (0.1 if self.live else PATIENCE):
            return False
        self.told = now
        return True

    def say(self, line: str) -> None:
        """Write a line, or write it over the last one."""
        line = on_one_line(line)
        if self.live:
            sys.stderr.write(f"{CLEAR}{line[:110]}")
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


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
