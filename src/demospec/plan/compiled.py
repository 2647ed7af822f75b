"""The backup in C, on all cores where that pays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from demospec.native import library
from demospec.plan.columns import Columns, Structure
from demospec.work.stop import NEVER, Stop
from demospec.work.workers import threads_allowed
from demospec.worlds.mdp import Floats

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORTH_A_THREAD = (
    200_000  # numbers of one layer, for each thread: below, handing over costs more than it saves
)


def compiled_available() -> bool:
    """Say whether the compiled backup can be used: states of a world are numbered with 64 bits there."""
    return library() is not None and np.dtype(np.intp).itemsize == 8


@cache
def workers(count: int) -> ThreadPoolExecutor:
    """Return threads that are kept."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(count, thread_name_prefix="demospec-plan")


def in_threads(threads: int, pieces: Iterable[Callable[[], None]]) -> None:
    """Do pieces of work on so many threads; if one fails, or Ctrl-C comes, those that wait are not begun.

    What one thread does, this one does.
    """
    if threads == 1:
        for piece in pieces:
            piece()
        return
    jobs = [workers(threads).submit(piece) for piece in pieces]
    try:
        for job in jobs:
            job.result()
    finally:
        for job in jobs:
            job.cancel()


cores = cache(threads_allowed)


def back_up(
    structure: Structure,
    columns: Columns,
    arrival: Floats,
    start: int,
    down_to: int,
    *,
    keep: bool,
    stop: Stop = NEVER,
) -> tuple[Floats | None, Floats]:
    """Do what `numpy_backup.back_up` does; each state's numbers are the same on any number of threads.

    Rows where no episode can be are left out.
    """
    states = structure.states
    channels, width = columns.channels, columns.width
    arrivals = np.empty((2, states, channels, width))
    arrivals[start & 1] = arrival
    table = np.zeros((start - down_to + 1, states, channels, width)) if keep else None
    threads = max(1, min(cores(), states * channels * width // WORTH_A_THREAD))
    scratch = np.empty((threads, (structure.most_actions + 3) * channels * width))
    of_columns = columns.source32.ctypes.data, columns.added.ctypes.data, columns.final.ctypes.data
    arrivals_at, scratch_at, row = arrivals.ctypes.data, scratch.ctypes.data, scratch.strides[0]
    table_at = 0 if table is None else table.ctypes.data
    layer = 8 * states * channels * width
    native = library()
    assert native is not None, "the library is not built"

    def run(number: int, first: int, last: int, start: int, until: int) -> None:
        place = table_at and table_at + layer * (until - down_to)
        native.demospec_back_up(
            *(*structure.addresses, len(structure.alphabet), states, channels, width, *of_columns),
            *(first, last, start, until, arrivals_at, place or None, scratch_at + row * number, stop.address),
        )

    if threads == 1:
        run(0, 0, states, start, down_to)
    else:
        bounds = [states * k // threads for k in range(threads + 1)]
        for time in range(start, down_to - 1, -1):  # a layer needs all of the one after it
            in_threads(
                threads, [partial(run, k, bounds[k], bounds[k + 1], time, time) for k in range(threads)]
            )
            stop.check()
    stop.check()
    return table, arrivals[~down_to & 1]
