"""The chains of a run: each goes on from where it is, here or in another process.

A chain's iterations depend on problem, seed and number of the chain alone. Rows of a run come in rounds, the
first chain's of this round, the second's, and so on, whoever does the work.
"""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.runs.result import Ended, Position, Row
from demospec.search.best_first import Explorer
from demospec.search.diss import Search
from demospec.search.engine import Engine, Info, MakeEngine, chain_generator
from demospec.search.enumeration import Enumeration
from demospec.work.stop import NEVER, Stop, Stopped

AGREE = 1e-9  # energies that differ by less are the same
KEPT = 8  # chains that a worker keeps ready between rounds, at most


def engine_of(problem: Problem, stop: Stop = NEVER) -> Engine:
    """Return the problem's way to search; its steps give up, by raising `Stopped`, when a flag is set."""
    method = problem.settings.method
    if method == "enumeration":
        return Enumeration(problem, stop)
    if method == "explore":
        return Explorer(problem, evaluator=Evaluator(problem, stop=stop))
    if method == "random-pivots":
        return Search(problem.with_settings(pivot_temperature=math.inf), stop=stop)
    return Search(problem, stop=stop)


class Chain:
    """A chain that is ready to go on from a position."""

    def __init__(
        self, problem: Problem, seed: int, at: Position, stop: Stop = NEVER, make: MakeEngine = engine_of
    ) -> None:
        self.number, self.iterations, self.over = at.chain, at.iterations, at.over
        self.engine: Engine | None = None
        self.state: Any = None
        if not at.over:
            self.engine, self.rng = make(problem, stop), chain_generator(seed, at.chain)
            self.state = self.engine.start()
            if at.state is None or at.random is None:
                self._see_whether_over()
            else:
                self.rng.bit_generator.state = json.loads(at.random)
                from demospec.runs import records

                self.state = records.loads(type(self.state), at.state)

    def upto(self, iterations: int) -> Iterator[Info]:
        """Iterate until so many iterations are made, or the chain is over.

        An iteration that is stopped in the middle has not been: the chain stays where it was before.
        """
        while self.engine is not None and self.iterations < iterations:
            before = self.rng.bit_generator.state
            try:
                self.state, info = self.engine.step(self.rng, self.state)
            except Stopped:
                self.rng.bit_generator.state = before
                raise
            self.iterations += 1
            self._see_whether_over()
            yield info

    def position(self) -> Position:
        """Return where the chain is."""
        if self.over:
            return Position(self.number, self.iterations, True)
        from demospec.runs import records

        random = json.dumps(self.rng.bit_generator.state)
        return Position(self.number, self.iterations, False, records.dumps(self.state), random)

    def _see_whether_over(self) -> None:
        assert self.engine is not None
        if self.engine.over(self.state):
            self.over, self.engine, self.state = True, None, None  # its memory is not needed any more


class Tally:
    """What decides when a run is over, counted over its rows."""

    def __init__(self, problem: Problem) -> None:
        self.settings = problem.settings
        self.best: Score | None = None
        self.bests: list[Score | None] = [None] * problem.settings.chains  # of each chain
        self.evaluations = 0

    def row(self, chain: int, info: Info) -> Row:
        """Count an iteration."""
        better = info.best is not None and (self.best is None or info.best.energy < self.best.energy)
        if better:
            self.best = info.best
        self.bests[chain] = info.best
        self.evaluations += max(1, len(info.scored))
        return Row(chain, info, self.best, better)

    def spent(self) -> Ended | None:
        """Say whether as many tasks were scored as were allowed."""
        most = self.settings.max_evaluations
        return "evaluations" if most is not None and self.evaluations >= most else None

    def over(self, chains: Sequence[Chain] | Sequence[Position]) -> Ended | None:
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


# -- elsewhere ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Work:
    """What is the same for all chains of a run that is worked on elsewhere, and what a worker keeps of it."""

    problem: Problem
    seed: int
    make: MakeEngine
    kept: OrderedDict[int, tuple[Chain, Stop]] = field(default_factory=OrderedDict)  # as left, oldest first

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "kept": OrderedDict()}


@dataclass(frozen=True)
class Part:
    """One chain's part of a round."""

    at: Position
    upto: int
    seconds: float | None  # left for it


def do_part(work: Work, part: Part) -> tuple[list[Info], Position]:
    """Do one chain's part of a round, with the chain as it was left here if it was; say where it is then."""
    chain, stop = work.kept.pop(part.at.chain, (None, Stop()))
    stop.again(part.seconds)
    if chain is None or chain.iterations != part.at.iterations:
        chain = Chain(work.problem, work.seed, part.at, stop, work.make)
    infos: list[Info] = []
    try:
        for info in chain.upto(part.upto):
            infos.append(info)
            stop.check()
    except Stopped:
        pass
    finally:
        stop.close()
    if not chain.over:
        work.kept[chain.number] = chain, stop
        while len(work.kept) > KEPT:
            work.kept.popitem(last=False)
    return infos, chain.position()
