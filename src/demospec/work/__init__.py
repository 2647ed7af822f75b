"""Work that can be done elsewhere: in other processes or on a cluster, with the same results as here.

What is done is a function of a module, called as `function(shared, item)` for each of some items. `shared` is
the same for all of them and goes to each worker once. Results come in the order of the items, and work that a
worker took with it when it was lost is done again.
"""

from __future__ import annotations

from demospec.errors import InputError
from demospec.work.workers import Workers

__all__ = ["Workers", "open_workers"]


def open_workers(jobs: int = 1, cluster: str | None = None) -> Workers:
    """Return workers to use in a `with`: this process, so many others, or a Dask cluster by its address."""
    if jobs < 1:
        raise InputError(f"jobs must be at least 1; found {jobs}")
    if cluster is not None:
        if jobs != 1:
            raise InputError(f"work is done by {jobs} processes or by the cluster at {cluster}, not by both")
        from demospec.work.cluster import Cluster  # its imports take a second

        return Cluster(cluster)
    if jobs == 1:
        return Workers()
    from demospec.work.processes import Processes

    return Processes(jobs)
