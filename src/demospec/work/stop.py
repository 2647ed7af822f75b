"""One flag for whatever ends work early: a deadline, Ctrl-C, somebody who cancels.

It is passed in, and everything that takes long looks at it: Python between two pieces of work (`check`),
compiled code while it searches (`address`), a solver by being interrupted (`calling`).
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from demospec.errors import DemospecError

Reason = Literal["seconds", "interrupted"]


class Stopped(DemospecError):
    """Work ended before it was done; what it was about to find is not known."""

    def __init__(self, reason: Reason) -> None:
        super().__init__("the time is up" if reason == "seconds" else "interrupted")
        self.reason: Reason = reason


class Stop:
    """A flag that is set once, from any thread, or by its deadline.

    >>> stop = Stop()
    >>> stop.set("interrupted")
    >>> stop.is_set, stop.reason
    (True, 'interrupted')
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.reason: Reason | None
        self._flag = ctypes.c_int(0)
        self._changing = threading.RLock()
        self._calls: dict[object, Callable[[], object]] = {}
        self._timer: threading.Timer | None = None
        self.again(seconds)

    def again(self, seconds: float | None) -> None:
        """Take the flag back, and set another deadline: for work that goes on after its time was up."""
        self.close()
        with self._changing:
            self.reason, self._flag.value = None, 0
        self._deadline = None if seconds is None else time.monotonic() + seconds
        if seconds is not None:
            wait = max(0.0, min(seconds, threading.TIMEOUT_MAX))
            self._timer = threading.Timer(wait, self.set, ["seconds"])
            self._timer.daemon = True
            self._timer.start()

    def __reduce__(self) -> tuple[type[Stop], tuple[()]]:
        return Stop, ()  # a flag does not travel: in another process nobody sets it

    @property
    def is_set(self) -> bool:
        """Say whether work is to end."""
        if self.reason is None and self._deadline is not None and time.monotonic() >= self._deadline:
            self.set("seconds")  # the timer may be late
        return self.reason is not None

    @property
    def address(self) -> int:
        """Return where compiled code finds an int that is 0 as long as work goes on."""
        return ctypes.addressof(self._flag)

    @property
    def left(self) -> float | None:
        """Return the seconds until the deadline; None where there is none."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def set(self, reason: Reason = "interrupted") -> None:
        """End the work; the first reason counts."""
        with self._changing:
            if self.reason is not None:
                return
            self.reason = reason
            self._flag.value = 1
            calls = list(self._calls.values())
        for call in calls:
            call()

    def check(self) -> None:
        """Raise `Stopped` if work is to end."""
        if self.reason is None and self._deadline is None:
            return  # it is asked in inner loops
        if self.is_set:
            assert self.reason is not None
            raise Stopped(self.reason)

    @contextmanager
    def calling(self, function: Callable[[], object]) -> Iterator[None]:
        """Have a function called when the flag is set, or at once where it is: a solver's `interrupt`."""
        key = object()
        with self._changing:
            late = self.reason is not None
            self._calls[key] = function
        if late:
            function()
        try:
            yield
        finally:
            with self._changing:
                del self._calls[key]

    def close(self) -> None:
        """Let go of the deadline; the flag stays as it is."""
        if self._timer is not None:
            self._timer.cancel()


NEVER = Stop()  # nobody sets it
