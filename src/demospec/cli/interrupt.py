"""Ctrl-C and termination: work stops between two of its steps, and what it has is kept."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from demospec.work.stop import Stop, Stopped

PATIENCE = 3.0


class Interrupted(Exception):
    """The run was stopped by Ctrl-C or a signal, and what it had has been saved."""


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
        last = time.monotonic() + PATIENCE
        while not done.wait(0.1) and not hurry.is_set() and time.monotonic() < last:
            pass
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        stop.close()
    if failures:
        raise failures[0]
    return stop.reason == "interrupted"
