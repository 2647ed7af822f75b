"""Work that can be done elsewhere: in other processes or on a cluster, with the same results as here.

What is done is a function of a module, called as `function(shared, item)` for each of some items. `shared` is
the same for all of them and goes to each worker once. Results come in the order of the items, and work that a
worker took with it when it was lost is done again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from demospec.errors import InputError
from demospec.work.workers import InProcess, Workers

__all__ = ["InProcess", "Workers", "open_workers"]


@contextmanager
def open_workers(jobs: int = 1, cluster: str | None = None) -> Iterator[Workers]:
    """Give workers for a while: this process, so many others, or a Dask cluster by its address."""
    if jobs < 1:
        raise InputError(f"jobs must be at least 1; found {jobs}")
    if cluster is not None:
        if jobs != 1:
            raise InputError(f"work is done by {jobs} processes or by the cluster at {cluster}, not by both")
        from demospec.work.cluster import Cluster  # its imports take a second

        with Cluster(cluster) as workers:
            yield workers
    elif jobs == 1:
        yield InProcess()
    else:
        from demospec.work.processes import Processes

        with Processes(jobs) as processes:
            yield processes
