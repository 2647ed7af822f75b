"""A session: the one loop over a search. It steps, pauses, goes on, is cancelled or resumed.

Everything that runs a search consumes one: the commands, `learn`, `ask`, the reproduction, the benchmarks, a
notebook. What it has found so far can be asked for at any time.

The main job in one call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from demospec.problem import Problem
from demospec.runs.chains import Chain, Part, Tally, Work, do_part, engine_of
from demospec.runs.progress_line import Progress
from demospec.runs.result import NOT_TYPED, Ended, Point, Position, Result, Row, Source
from demospec.search.engine import Info, MakeEngine
from demospec.work import Workers, open_workers
from demospec.work.stop import Stop, Stopped

if TYPE_CHECKING:
    from demospec.runs.journal import Journal

ROUND, ROUND_OF_EXPLORE = 25, 4  # iterations of each chain in a round
AFTER_A_CANCEL = 3.0  # seconds for working out how sure a result is that was asked for early
FOR_THE_SEARCH = 0.8  # of `max_seconds`: the rest is for working out how sure the result is


class Session:
    """One run of a problem's search.

    >>> import demospec
    >>> session = demospec.Session(demospec.load_example("robot-paper").with_settings(iterations=30))
    >>> first = session.step()
    >>> first.chain, first.better
    (0, True)
    >>> session.run().best.task
    DFA('>0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:')
    >>> session.ended
    'patience'

    `step` makes one iteration and returns its row, or None when there are no more; iterating over a session
    makes all of them. `pause`, `go_on` and `cancel` may be called from other threads. With a `folder`,
    everything that is done is written down there, and `Session.resume(folder)` goes on in another process,
    to the same result; `source` is what was typed, for reports. `engine` makes a way to search of one's own.
    `ended` says why a session is over; it is None as long as it can go on.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        seed: int = 0,
        folder: Path | None = None,
        source: Source = NOT_TYPED,
        workers: Workers | None = None,
        journal: Journal | None = None,
        engine: MakeEngine = engine_of,
    ) -> None:
        problem.check_shown()
        self.problem, self.seed = problem, seed
        if folder is not None:
            from demospec.runs.journal import Journal  # which is loaded where something is written down

            journal = Journal.begin(folder, problem, seed, source)
        self.journal = journal
        self.source = source if journal is None else journal.source
        self.trace: list[Row] = []
        self.ended: Ended | None = None
        self.workers = None if type(workers) is Workers else workers
        point = None if self.journal is None else self.journal.point
        self.resumed = 0 if self.journal is None else len(self.journal.rows)  # rows of an earlier part
        self._before = 0.0 if point is None else point.seconds
        self._began: float | None = None
        self._seconds = self._before
        self._upto = self.length if point is None else point.upto
        self._positions = (
            [Position(k) for k in range(problem.settings.chains)] if point is None else [*point.positions]
        )
        self._chains: list[Chain] = []
        self._running = threading.Event()
        self._running.set()
        self._work = Work(problem, seed, engine)
        self._written = self.resumed  # rows
        self._in_round = False
        self._cancelled = False
        self._stop = Stop()  # for the search
        self.stop = Stop()  # for the whole session: also for what is worked out at the end
        self._rows = self._iterations()

    @classmethod
    def resume(
        cls, folder: Path, *, workers: Workers | None = None, engine: MakeEngine = engine_of
    ) -> Session:
        """Go on with a session that was interrupted, from what it wrote down in a folder."""
        from demospec.runs.journal import Journal

        journal = Journal.open(folder)
        return cls(journal.problem, seed=journal.seed, journal=journal, workers=workers, engine=engine)

    # -- one iteration after the other ----------------------------------------------------------------

    def step(self) -> Row | None:
        """Make one iteration and return what was done; None when the session is over."""
        return next(self._rows, None)

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def run(self, heard: Callable[[Row], None] | None = None) -> Result:
        """Make all iterations, and return the result; `heard` is told of each."""
        for row in self:
            if heard is not None:
                heard(row)
        return self.result()

    @property
    def seconds(self) -> float:
        """Return the seconds of work so far, with those of earlier parts of the run."""
        return self._seconds if self._began is None else self._before + time.monotonic() - self._began

    # -- from other threads ---------------------------------------------------------------------------

    def pause(self) -> None:
        """Let the iteration that is under way be the last until `go_on`."""
        self._running.clear()

    def go_on(self) -> None:
        self._running.set()

    def cancel(self) -> None:
        """End the session now; the iteration that is under way is given up, and nothing before it is lost."""
        self._cancelled = True
        self._stop.set("interrupted")
        self._running.set()

    # -- what was found -------------------------------------------------------------------------------

    def result(self) -> Result:
        """Return what was found so far, ranked; also while the session goes on."""
        ended: Ended = self.ended or "interrupted"
        stop = Stop(AFTER_A_CANCEL) if self._cancelled else self.stop
        return Result.of(self.problem, self.seed, tuple(self.trace), self.seconds, ended, stop)

    def close(self, *, finished: bool | None = None) -> None:
        """Let go of the folder; its journal stays unless the run is finished, by itself or as told."""
        try:
            if self.ended is None:
                self._mark()
        finally:  # a disk that is full holds nobody's folder
            self._rows.close()
            self.stop.close()
            self._stop.close()
            if self.journal is not None:
                over = self.ended not in (None, "interrupted")
                self.journal.close(finished=over if finished is None else finished)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        self.close(finished=False if kind is not None else None)

    # -- the loop -------------------------------------------------------------------------------------

    @property
    def length(self) -> int:
        """Return how many iterations each chain makes in a round."""
        return ROUND_OF_EXPLORE if self.problem.settings.method == "explore" else ROUND

    def _iterations(self) -> Generator[Row, None, None]:
        tally = Tally(self.problem)
        for row in () if self.journal is None else self.journal.rows:
            tally.row(row.chain, row.info)
            self.trace.append(row)
            yield row
        try:
            self._begin()
            while self.ended is None:
                self._in_round = True
                here = ((chain.number, info) for chain in self._chains for info in chain.upto(self._upto))
                for chain, info in here if self.workers is None else self._elsewhere(self.workers):
                    row = tally.row(chain, info)
                    self.ended = tally.spent()
                    if self.journal is not None:
                        self.journal.row(row)
                        self._written += 1
                        if self.ended is None and self.journal.due():
                            self._mark()
                    self.trace.append(row)
                    yield row
                    if self.ended is not None:
                        return
                    self._wait()
                self._in_round = False
                self._stop.check()
                self.ended = tally.over(self._chains or self._positions)
                self._upto += self.length
                if self.ended is None and self.journal is not None and self.journal.due():
                    self._mark()
        except Stopped as stopped:
            self.ended = stopped.reason
            self._mark()
        finally:
            self._seconds, self._began = self.seconds, None

    def _begin(self) -> None:
        self._began = time.monotonic()
        longest = self.problem.settings.max_seconds
        if longest is not None and not self._cancelled:
            left = max(0.0, longest - self._before)
            self.stop.again(left)
            self._stop.again(max(0.0, left - (1 - FOR_THE_SEARCH) * longest))
        if self.workers is None:
            for scene in self.problem.scenes:
                scene.prepare(self._stop)
            self._chains = [
                Chain(self.problem, self.seed, at, self._stop, self._work.make) for at in self._positions
            ]

    def _wait(self) -> None:
        """Wait while the session is paused; what was done so far is on the disk then."""
        if not self._running.is_set():
            self._mark()
            self._running.wait()
        self._stop.check()

    def _elsewhere(self, workers: Workers) -> Iterator[tuple[int, Info]]:
        parts = [Part(at, self._upto, self._stop.left) for at in self._positions if not at.over]
        results = workers.run(do_part, parts, shared=self._work, home=lambda part: part.at.chain)
        with closing(results):
            for infos, at in results:
                self._positions[at.chain] = at
                for info in infos:
                    yield at.chain, info

    def _mark(self) -> None:
        """Write down where the run can go on; in the middle of a round only where the work is done here."""
        if self.journal is None or (self.workers is not None and self._in_round):
            return
        positions = tuple(chain.position() for chain in self._chains) or tuple(self._positions)
        self.journal.mark(Point(self._written, self._upto, positions, self.seconds))


def iterate(problem: Problem, *, seed: int = 0, workers: Workers | None = None) -> Iterator[Row]:
    """Yield one `Row` for each iteration of each chain."""
    yield from Session(problem, seed=seed, workers=workers)


# -- The main job in one call ----------------------------------------------------------------------------


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
    the same. `progress=True` shows a bar in a notebook and lines in a terminal; a function is told of each
    iteration instead. `engine` makes a way to search of one's own.

    >>> import demospec
    >>> problem = demospec.load_example("robot-paper").with_settings(iterations=30)
    >>> demospec.learn(problem, seed=0).best.task
    DFA('>0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:')
    """
    with (
        open_workers(min(jobs, problem.settings.chains), cluster) as workers,
        Progress.of(problem) if progress is True else nullcontext() as line,
    ):
        heard = line if line is not None else progress if callable(progress) else None
        return Session(problem, seed=seed, workers=workers, engine=engine).run(heard)
