"""Who does work is asked in one way; this process is. How many threads may be used, and errors from afar."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import Any, Self, TypeVar

from demospec.errors import DemospecError, InputError, WorkerError
from demospec.limits import THREADS, whole
from demospec.wording import shown_value

Item = TypeVar("Item")
Found = TypeVar("Found")
Work = Callable[[Any, Any], Any]
Home = Callable[[Any], int] | None
Answers = Generator[tuple[bool, Any], None, None]

ATTEMPTS = 4  # a piece of work whose worker is lost every time is given up after so many


class Workers:
    """Who does pieces of work: this process, when a result is asked for. Others do it elsewhere.

    A context manager that lets them go.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what does the work."""

    def run(
        self,
        function: Callable[[Any, Item], Found],
        items: Iterable[Item],
        shared: Any = None,
        *,
        home: Callable[[Item], int] | None = None,
    ) -> Generator[Found, None, None]:
        """Yield `function(shared, item)` for each item, in order.

        Items with the same `home` go to the same worker where that costs no time: it may have kept
        something. No result may depend on that. One call at a time: its results are read before the next.
        """
        with closing(self.answers(function, list(items), shared, home)) as answers:
            for succeeded, value in answers:
                if not succeeded:
                    raise value
                yield value

    def answers(self, function: Work, items: list[Any], shared: Any, home: Home) -> Answers:
        """Yield for each item whether the function succeeded, and its result or error."""
        return ((True, function(shared, item)) for item in items)


def threads_allowed() -> int:
    """Return how many threads may work: one on each core, unless DEMOSPEC_THREADS says otherwise."""
    given = os.environ.get("DEMOSPEC_THREADS", "").strip()
    if not given:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not (given.isascii() and given.isdigit() and (found := whole(given, THREADS, "it")) >= 1):
        raise InputError(
            f"expected a whole number from 1 on, found {shown_value(given)}", place="DEMOSPEC_THREADS"
        )
    return found


def attempt(function: Work, shared: Any, item: Any) -> tuple[bool, Any]:
    """Call a function where it is far from who asked; return whether it succeeded, its result or error."""
    try:
        return True, function(shared, item)
    except Exception as error:
        return False, portable(error)


def portable(error: Exception) -> Exception:
    """Return an error that can be raised in another process: itself, where it survives the journey."""
    told = "".join(traceback.format_exception(error))
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:  # its constructor asks for more than a pickle brings
        again = None
    if type(again) is type(error) and str(again) == str(error):
        if not isinstance(error, DemospecError):
            error.add_note(f"in a worker:\n{told}")
        return error
    own = isinstance(error, DemospecError)
    return InputError(str(error)) if own else WorkerError(f"a worker failed: {told}")
