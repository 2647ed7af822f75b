"""Running the cases of a sweep, one after the other or in several processes, and handing over their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from demospec.work import open_workers

Row = TypeVar("Row")


class Sweep(Protocol):
    """Some cases, and how many seconds each may take."""

    @property
    def limit(self) -> float:
        """Return the seconds."""
        ...

    def cases(self) -> Iterable[Any]:
        """Return the cases in order."""
        ...


def run_cases(
    run: Callable[[float, Any], Row],  # how long, and the case
    sweep: Sweep,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[Row], None] = lambda row: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Run all cases and hand each finished row to `progress`, in order; end early when `stop` says so."""
    with open_workers(jobs, cluster) as workers:
        for row in workers.run(run, sweep.cases(), sweep.limit):
            progress(row)
            if stop():
                break
