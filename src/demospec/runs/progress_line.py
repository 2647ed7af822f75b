"""The progress of long work: a bar in a notebook, one line that is rewritten on a terminal, else a few lines.

It speaks to a notebook through IPython, which is there if a notebook is; nothing is installed for it.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from demospec.problem import Problem
from demospec.readable import on_one_line
from demospec.runs.result import Row
from demospec.tasks.words import BRIEF, describe

PATIENCE = 1.0  # seconds before anything is said, and between lines that are not rewritten
BETWEEN = 0.1  # seconds between two states of what is rewritten
CLEAR = "\r\x1b[2K"  # the line on a terminal


def notebook() -> Any | None:
    """Return IPython's display module where a notebook's kernel runs this; else None."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    from IPython import display

    return display


class Progress:
    """Tells what is being done, how much of it is left where that is known, and the best task so far.

    What is left is known by the total number of iterations, or at most by a limit in seconds. Work that is
    done within a second says nothing on a terminal.
    """

    def __init__(self, total: int | None, seconds: float | None = None) -> None:
        self.total, self.seconds = total, seconds
        self.display = notebook()
        self.quiet = sys.stderr is None and self.display is None  # closed by who started us
        self.live = self.display is None and not self.quiet and sys.stderr.isatty()
        self.done = self.before = 0
        self.label = "searching: "
        self.row: Row | None = None
        self.over, self.said = False, ""
        self.began = self.told = time.monotonic()
        self._handle: Any = None

    @classmethod
    def of(cls, problem: Problem) -> Progress:
        """Make the progress of a search; how long the default search takes, nobody knows before."""
        used = problem.settings
        total = None if used.method == "explore" else used.iterations * used.chains
        return cls(total, used.max_seconds)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        self.over = True
        if self.display is not None and self.done:
            self.say(self.line())
        elif self.live:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()

    def __call__(self, row: Row, *, label: str = "", before: bool = False) -> None:
        """Count one iteration, or one that an earlier part of the run has made."""
        self.done += 1
        self.before += before
        self.label, self.row = label or self.label, row
        if not before and self.due():
            self.say(self.line())

    def line(self) -> str:
        """Say how many iterations are made, how long it takes, and what was found."""
        of = "" if self.total is None else f" of {self.total}"
        done = f"{self.done}{of} iteration{'' if self.done == 1 and not of else 's'}"
        best = None if self.row is None else self.row.best
        found = "" if best is None else f"; best so far: {describe(best.task, budget=BRIEF).sentence}"
        return f"{self.label}{done}, {self.time_words()}{found}"

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
        between = BETWEEN if self.live or self.display is not None else PATIENCE
        if self.quiet or now - self.began < PATIENCE or now - self.told < between:
            return False
        self.told = now
        return True

    def say(self, line: str) -> None:
        """Write a line, or write it over the last one; in a notebook draw it where it was drawn before."""
        self.said = line = on_one_line(line)
        if self.display is not None:
            if self._handle is None:
                self._handle = self.display.display(self, display_id=True)
            else:
                self._handle.update(self)
        elif self.live:
            width = shutil.get_terminal_size((80, 24)).columns - 1  # a full line would begin another
            sys.stderr.write(f"{CLEAR}{line if len(line) <= width else line[: width - 1] + '…'}")
        else:
            sys.stderr.write(f"{line}\n")
        if self.display is None:
            sys.stderr.flush()

    def _repr_html_(self) -> str:
        known = self.total if self.total is not None else self.done if self.over else None
        values = "" if known is None else f' value="{self.done}" max="{max(known, 1)}"'
        label = escape(self.said)
        return f'<div><progress{values} aria-label="{label}"></progress> {label}</div>'


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
def telling(label: str | Callable[[], str]) -> Iterator[None]:
    """Say what is going on if it takes more than a second: once, or as a function says it now and then."""
    done = threading.Event()
    with Progress(None) as progress:

        def tell() -> None:
            while not done.wait(PATIENCE):
                if progress.due():
                    progress.say(f"{label} …" if isinstance(label, str) else label())
                    if isinstance(label, str):
                        break

        thread = threading.Thread(target=tell, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
