"""The chains of a run, in rounds, one row for each iteration.

In each round every chain that is not over makes some iterations, here or in other processes. Rows come in a
fixed order, the first chain's of this round, the second's, and so on, so that neither they nor the end of
the run depend on who does the work.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal

from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.runs.journal import Journal, Point
from demospec.search.diss import Info
from demospec.search.engine import Engine, chain_generator, engine_of
from demospec.work import Here, Workers

Ended = Literal["iterations", "patience", "agreement", "evaluations", "seconds", "interrupted"]

ROUND, ROUND_OF_EXPLORE = 25, 4  # iterations of each chain in a round
AGREE = 1e-9  # energies that differ by less are the same
KEPT = 8  # chains that a worker keeps ready between rounds, at most


@dataclass(frozen=True)
class Row:
    """One iteration of one chain, and the lowest energy over all chains so far."""

    chain: int
    info: Info
    best: Score | None


@dataclass(frozen=True)
class Place:
    """Where a chain is: all that is needed to go on with it anywhere."""

    chain: int
    iterations: int = 0
    over: bool = False
    state: bytes | None = None  # the engine's, as a pickle; None at the beginning, and at the end
    random: dict[str, Any] | None = None  # of the generator


class Chain:
    """A chain that is ready to go on from a place."""

    def __init__(self, problem: Problem, seed: int, place: Place) -> None:
        self.number, self.iterations, self.over = place.chain, place.iterations, place.over
        self.engine: Engine | None = None
        if not place.over:
            self.engine, self.rng = engine_of(problem), chain_generator(seed, place.chain)
            if place.state is None or place.random is None:
                self.state = self.engine.start()
                self._look()
            else:
                self.rng.bit_generator.state = place.random
                self.state = pickle.loads(place.state)

    def upto(self, iterations: int) -> Iterator[Info]:
        """Iterate until so many iterations are made, or the chain is over."""
        while self.engine is not None and self.iterations < iterations:
            self.state, info = self.engine.step(self.rng, self.state)
            self.iterations += 1
            self._look()
            yield info

    def place(self) -> Place:
        """Return where the chain is."""
        if self.over:
            return Place(self.number, self.iterations, True)
        state = pickle.dumps(self.state, protocol=pickle.HIGHEST_PROTOCOL)
        return Place(self.number, self.iterations, False, state, dict(self.rng.bit_generator.state))

    def _look(self) -> None:
        assert self.engine is not None
        if self.engine.over(self.state):
            self.over, self.engine = True, None  # what it has in memory is not needed any more
            del self.state


class Tally:
    """What decides when a run is over, counted over its rows."""

    def __init__(self, problem: Problem) -> None:
        self.settings = problem.settings
        self.best: Score | None = None
        self.bests: list[Score | None] = [None] * problem.settings.chains  # of each chain
        self.evaluations = 0

    def row(self, chain: int, info: Info) -> Row:
        """Count an iteration."""
        if info.best is not None and (self.best is None or info.best.energy < self.best.energy):
            self.best = info.best
        self.bests[chain] = info.best
        self.evaluations += max(1, len(info.scored))  # one that scored nothing counts: every run ends
        return Row(chain, info, self.best)

    def spent(self, seconds: float) -> Ended | None:
        """Say which budget is used up, if any."""
        most, longest = self.settings.max_evaluations, self.settings.max_seconds
        if most is not None and self.evaluations >= most:
            return "evaluations"
        return "seconds" if longest is not None and seconds >= longest else None

    def over(self, chains: Sequence[Chain] | Sequence[Place]) -> Ended | None:
        """Say at the end of a round why there is no other: chains are over, or agree.

        Chains of `explore` agree when at least two and at least half of them have ended, and the lowest
        energies of all of them are the same. The other methods make their iterations: they are compared
        by them.
        """
        explores = self.settings.method == "explore"
        ended = sum(chain.over for chain in chains)
        if ended == len(chains):
            early = any(chain.iterations < self.settings.iterations for chain in chains)
            return "patience" if explores and early else "iterations"
        if explores and ended >= max(2, len(chains) / 2):
            energies = [best.energy for best in self.bests if best is not None]
            if len(energies) == len(chains) and max(energies) - min(energies) <= AGREE:
                return "agreement"
        return None


@dataclass(frozen=True, eq=False)
class Work:
    """What is the same for all chains of a run that is worked on elsewhere."""

    problem: Problem
    seed: int
    name: str  # tells this run from all others


@dataclass(frozen=True)
class Leg:
    """One chain's part of a round."""

    place: Place
    upto: int
    seconds: float | None  # left for it; checked between iterations


class Run:
    """The chains of a problem: iterate over it, once, for a `Row` of each iteration.

    `ended` then says why there were no more, and `seconds` how long it took. With a journal, rows of an
    earlier part of the run come first, as they were, and what is done is written down.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        seed: int = 0,
        journal: Journal | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.problem, self.seed, self.journal = problem, seed, journal
        self.workers = None if isinstance(workers, Here) else workers
        self.ended: Ended = "interrupted"
        self._work = Work(problem, seed, os.urandom(8).hex())
        point = None if journal is None else journal.point
        self._before = 0.0 if point is None else point.seconds
        self._began = time.monotonic()
        self._upto = self.length if point is None else point.upto
        self._chains: list[Chain] = []
        self._places = (
            [Place(k) for k in range(problem.settings.chains)] if point is None else [*point.places]
        )

    @property
    def length(self) -> int:
        """Return how many iterations each chain makes in a round."""
        return ROUND_OF_EXPLORE if self.problem.settings.method == "explore" else ROUND

    @property
    def seconds(self) -> float:
        """Return the seconds so far, with those of earlier parts of the run."""
        return self._before + time.monotonic() - self._began

    def __iter__(self) -> Iterator[Row]:
        self._began = time.monotonic()
        tally = Tally(self.problem)
        done = 0
        for row in () if self.journal is None else self.journal.rows:
            tally.row(row.chain, row.info)
            done += 1
            yield row
        if self.workers is None:
            self._chains = [Chain(self.problem, self.seed, place) for place in self._places]
        while True:
            for chain, info in self._here() if self.workers is None else self._elsewhere(self.workers):
                row = tally.row(chain, info)
                done += 1
                # Elsewhere the clock is looked at between rounds: what is done by then counts.
                ended = tally.spent(self.seconds if self.workers is None else 0.0)
                if self.journal is not None:
                    self.journal.row(row)
                    if self.workers is None and ended is None and self.journal.due():
                        self._mark(done)
                if ended is not None:
                    self.ended = ended
                    yield row
                    return
                try:
                    yield row
                except GeneratorExit:  # nobody wants to see more: nothing is lost
                    if self.workers is None:
                        self._mark(done)
                    raise
            over = tally.over(self._chains or self._places) or tally.spent(self.seconds)
            if over is not None:
                self.ended = over
                return
            self._upto += self.length
            if self.journal is not None and self.journal.due():
                self._mark(done)

    def _here(self) -> Iterator[tuple[int, Info]]:
        for chain in self._chains:
            for info in chain.upto(self._upto):
                yield chain.number, info

    def _elsewhere(self, workers: Workers) -> Iterator[tuple[int, Info]]:
        longest = self.problem.settings.max_seconds
        left = None if longest is None else longest - self.seconds
        legs = [Leg(place, self._upto, left) for place in self._places if not place.over]
        results = workers.run(go_leg, legs, shared=self._work, home=lambda leg: leg.place.chain)
        with closing(results):
            for infos, place in results:
                self._places[place.chain] = place
                for info in infos:
                    yield place.chain, info

    def _mark(self, rows: int) -> None:
        if self.journal is not None:
            places = tuple(chain.place() for chain in self._chains) or tuple(self._places)
            self.journal.mark(Point(rows, self._upto, places, self.seconds))


def iterate(
    problem: Problem, *, seed: int = 0, journal: Journal | None = None, workers: Workers | None = None
) -> Iterator[Row]:
    """Yield one `Row` for each iteration of each chain."""
    yield from Run(problem, seed=seed, journal=journal, workers=workers)


ready: OrderedDict[tuple[str, int], Chain] = OrderedDict()  # chains that were worked on here, oldest first
readying = threading.Lock()


def go_leg(work: Work, leg: Leg) -> tuple[list[Info], Place]:
    """Do one chain's part of a round, with the chain as it was left here if it was; say where it is then."""
    began = time.monotonic()
    key = work.name, leg.place.chain
    with readying:
        chain = ready.pop(key, None)
    if chain is None or chain.iterations != leg.place.iterations:
        chain = Chain(work.problem, work.seed, leg.place)
    infos = []
    for info in chain.upto(leg.upto):
        infos.append(info)
        if leg.seconds is not None and time.monotonic() - began >= leg.seconds:
            break
    place = chain.place()
    if not chain.over:
        with readying:
            ready[key] = chain
            while len(ready) > KEPT:
                ready.popitem(last=False)
    return infos, place
