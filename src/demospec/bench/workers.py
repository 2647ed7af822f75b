"""Where the runs of a sweep are done: one after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class InTurn:
    """Does one item after the other."""

    def run(
        self, function: Callable[[Shared, Item], Outcome], items: Iterable[Item], shared: Shared
    ) -> Iterator[Outcome]:
        """Yield function(shared, item) of each item, in order."""
        for item in items:
            yield function(shared, item)


@contextmanager
def open_workers(jobs: int = 1, cluster: str | None = None) -> Iterator[InTurn]:
    """Open what does the work."""
    del jobs, cluster
    yield InTurn()
