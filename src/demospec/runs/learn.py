"""The main job in one call."""

from __future__ import annotations

from collections.abc import Callable

from demospec.problem import Problem
from demospec.runs.bar import Bar
from demospec.runs.position import Row
from demospec.runs.result import Result
from demospec.runs.session import Session
from demospec.search.engine import MakeEngine, engine_of
from demospec.work import open_workers


def learn(
    problem: Problem,
    *,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[Row], None] | bool = False,
    engine: MakeEngine = engine_of,
) -> Result:
    """Find the tasks that explain a problem's demonstrations, ranked by energy.

    The chains run in this process, in so many others, or on the Dask cluster at an address; the result is
    the same. `progress=True` shows a bar in a notebook and a line in a terminal; a function is told of each
    iteration instead. `engine` makes a way to search of one's own.

    >>> import demospec
    >>> problem = demospec.load_example("robot-paper").with_settings(iterations=30)
    >>> demospec.learn(problem, seed=0).best.task
    DFA('>0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:')
    """
    bar = Bar.of(problem) if progress is True else None
    heard = bar if bar is not None else progress if callable(progress) else None
    with open_workers(min(jobs, problem.settings.chains), cluster) as workers:
        try:
            return Session(problem, seed=seed, workers=workers, engine=engine).run(heard)
        finally:
            if bar is not None:
                bar.close()
