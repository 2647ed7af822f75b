"""A progress bar for `learn(…, progress=True)`: drawn in a notebook, a line that is rewritten in a terminal.

It speaks to a notebook through IPython, which is there if a notebook is; nothing is installed for it.
"""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Any

from demospec.problem import Problem
from demospec.runs.result import Row

BETWEEN = 0.1  # seconds between two pictures
WIDTH = 100  # of a line in a terminal


def notebook() -> Any | None:
    """Return IPython's display module where a notebook's kernel runs this; else None."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    from IPython import display

    return display


class Bar:
    """Counts iterations and shows them with the best task so far; without a total, what is done.

    >>> bar = Bar(20)
    >>> bar.done = 5
    >>> bar
    5 of 20 iterations
    """

    def __init__(self, total: int | None) -> None:
        self.total, self.done, self.best, self.over = total, 0, "", False
        self.began = time.monotonic()
        self.shown = 0.0
        self._display = notebook()
        self._handle: Any = None

    @classmethod
    def of(cls, problem: Problem) -> Bar:
        """Make the bar of a search; how long the default search takes, nobody knows before."""
        settings = problem.settings
        return cls(None if settings.method == "explore" else settings.iterations * settings.chains)

    def __repr__(self) -> str:
        of = "" if self.total is None else f" of {self.total}"
        best = f"; best so far: {self.best}" if self.best else ""
        return f"{self.done}{of} iterations{best}"

    def _repr_html_(self) -> str:
        known = self.total if self.total is not None else self.done if self.over else None
        values = "" if known is None else f' value="{self.done}" max="{max(known, 1)}"'
        seconds = f"{time.monotonic() - self.began:.0f} s"
        label = escape(repr(self))
        return f'<div><progress{values} aria-label="{label}"></progress> {label} ({seconds})</div>'

    def __call__(self, row: Row) -> None:
        """Count one iteration."""
        self.done += 1
        if row.best is not None:
            self.best = str(row.best.task)
        if time.monotonic() - self.shown >= BETWEEN:
            self.show()

    def close(self) -> None:
        """Show the last state, and end the line of a terminal."""
        self.over = True
        self.show()
        if self._display is None and sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\n")

    def show(self) -> None:
        """Draw it: in a notebook where it was drawn before, on a terminal over its line, else not at all."""
        self.shown = time.monotonic()
        if self._display is None:
            if sys.stderr is not None and sys.stderr.isatty():
                sys.stderr.write(f"\r\x1b[2K{repr(self)[:WIDTH]}")
                sys.stderr.flush()
        elif self._handle is None:
            self._handle = self._display.display(self, display_id=True)
        else:
            self._handle.update(self)
