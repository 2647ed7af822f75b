"""What all ways to do work have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from typing import Any, Protocol, TypeVar

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


def share(jobs: int) -> int:
    """Return how many threads each of so many processes may use."""
    given = os.environ.get("DEMOSPEC_THREADS", "")
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = int(given) if given.isdigit() and int(given) > 0 else affinity
    return max(1, cores // jobs)
