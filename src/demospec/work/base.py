"""What all ways to do work have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from typing import Any, Protocol, TypeVar

from demospec.errors import InputError
from demospec.limits import THREADS, whole
from demospec.wording import shown

Item = TypeVar("Item")
Found = TypeVar("Found")

ATTEMPTS = 4  # a piece of work whose worker is lost every time is given up after so many


class Workers(Protocol):
    """Someone who does work."""

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
        ...


def threads_allowed() -> int:
    """Return how many threads may work: one on each core, unless DEMOSPEC_THREADS says otherwise."""
    given = os.environ.get("DEMOSPEC_THREADS", "").strip()
    if not given:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not (given.isascii() and given.isdigit() and (found := whole(given, THREADS, "it")) >= 1):
        raise InputError(f"expected a whole number from 1 on, found {shown(given)}", place="DEMOSPEC_THREADS")
    return found


def share(jobs: int) -> int:
    """Return how many threads each of so many processes may use."""
    return max(1, threads_allowed() // jobs)
