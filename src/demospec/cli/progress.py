"""Progress on standard error: one line that is rewritten on a terminal, a few lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from demospec.chains import Row

PATIENCE = 1.0  # seconds before anything is said, and between lines that are not rewritten


class Progress:
    """Tells how far a run has got and the best task so far."""

    def __init__(self, total: int) -> None:
        self.total, self.quiet = total, sys.stderr is None  # closed by who started us
        self.live = not self.quiet and sys.stderr.isatty()
        self.done = 0
        self.began = self.told = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def __call__(self, row: Row, *, label: str = "") -> None:
        """Count one iteration."""
        self.done += 1
        if self.due():
            rate = self.done / (self.told - self.began)
            best = "" if row.best is None else f"  best {row.best.energy:.3f}  {row.best.task}"
            self.say(f"{label}{self.done}/{self.total} iterations  {rate:.0f}/s{best}")

    def run(self, line: str) -> None:
        """Count one run, of which a line tells."""
        self.done += 1
        if self.due():
            self.say(f"{self.done}/{self.total} runs  {line}")

    def due(self) -> bool:
        """Say whether it is time for another word."""
        now = time.monotonic()
        if self.quiet or now - self.told < (0.1 if self.live else PATIENCE):
            return False
        self.told = now
        return True

    def say(self, line: str) -> None:
        """Write a line, or write it over the last one."""
        if self.live:
            sys.stderr.write(f"\r\x1b[2K{line[:110]}")
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


class Stages:
    """Tells how many parts of some work are done, once it has taken a while."""

    def __init__(self, what: str) -> None:
        self.what, self.told = what, time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        """Say how far the work has got."""
        now = time.monotonic()
        if sys.stderr is not None and now - self.told >= PATIENCE:
            self.told = now
            sys.stderr.write(f"{self.what}: {done}/{total}\n")
            sys.stderr.flush()
