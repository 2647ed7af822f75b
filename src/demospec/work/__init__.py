"""Work that can be done elsewhere: in other processes or on a cluster, with the same results as here.

What is done is a function of a module, called as `function(shared, item)` for each of some items. `shared` is
the same for all of them and goes to each worker once. Results come in the order of the items, and work that a
worker took with it when it was lost is done again.
"""

from demospec.work.workers import InProcess, Workers, open_workers

__all__ = ["InProcess", "Workers", "open_workers"]
