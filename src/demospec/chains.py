"""The chains of a run, one row for each iteration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from demospec.engines import chain_generator, engine_of
from demospec.journal import Journal, Point
from demospec.problem import Problem
from demospec.score import Score
from demospec.search import Info


@dataclass(frozen=True)
class Row:
    """One iteration of one chain, and the lowest energy over all chains so far."""

    chain: int
    info: Info
    best: Score | None


def iterate(problem: Problem, *, seed: int = 0, journal: Journal | None = None) -> Iterator[Row]:
    """Yield one `Row` for each iteration of each chain, chain after chain.

    With a journal, rows of an earlier part of the run come first, as they were, and what is done is written
    down.
    """
    best: Score | None = None
    point = None if journal is None else journal.point
    if journal is not None:
        yield from journal.rows
    done = 0 if point is None else point.rows
    best = None if point is None else point.best
    for chain in range(0 if point is None else point.chain, problem.settings.chains):
        engine, rng = engine_of(problem), chain_generator(seed, chain)
        state = engine.start()
        if point is not None and point.chain == chain:
            rng.bit_generator.state = point.random
            state = point.state
            engine.go_on(state)
        while not engine.over(state):
            state, info = engine.step(rng, state)
            if info.best is not None and (best is None or info.best.energy < best.energy):
                best = info.best
            row = Row(chain, info, best)
            done += 1
            if journal is not None:
                journal.row(row)
                if journal.due():
                    journal.mark(Point(done, chain, state, dict(rng.bit_generator.state), best))
            yield row
