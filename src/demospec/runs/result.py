"""Where a run is: what was done in each iteration, and all that is needed to go on.

The result of a run: what was visited, ranked, and how it got there.
"""

from __future__ import annotations

import heapq
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

from demospec.belief import Belief, Findings, findings_of
from demospec.belief.acting import Acting
from demospec.belief.agent import Demonstrator, demonstrator_of
from demospec.belief.answers import not_determined
from demospec.belief.claims import Claims, claims_of
from demospec.belief.findings import Caution, counted_worlds, cut_short, warnings_of
from demospec.belief.outside import Outside, outside_of
from demospec.errors import InputError
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.problem.settings import Settings
from demospec.search.engine import Info
from demospec.search.frontier import softmin
from demospec.tasks import DFA
from demospec.tasks.mixture import Weighted
from demospec.tasks.showing import Displayed, document_of, short
from demospec.work.stop import NEVER, Stop, Stopped

PROBLEM = "PROBLEM"  # where nobody knows the name of the file
Ended = Literal["iterations", "patience", "agreement", "evaluations", "seconds", "interrupted"]


@dataclass(frozen=True)
class Source:
    """Where a result comes from, and where it is kept, as it was typed."""

    file: str = PROBLEM  # the problem file; - is standard input
    folder: str | None = None  # that the result is written to
    options: tuple[str, ...] = ()  # that were given for the search, and that `ask` knows too
    narrowed: bool = False  # by options that `ask` does not have

    @property
    def name(self) -> str:
        """Return the file's name in a command; of standard input it has none."""
        return PROBLEM if self.file == "-" else shlex.quote(self.file)

    @property
    def is_toml(self) -> bool:
        """Say whether runs can be added to the file."""
        return self.file == PROBLEM or self.file.endswith(".toml")


NOT_TYPED = Source()  # of a result that no command asked for


@dataclass(frozen=True)
class Row:
    """One iteration of one chain: what was tried, and the lowest energy over all chains so far."""

    chain: int
    info: Info
    best: Score | None
    better: bool = False  # whether this iteration lowered it


@dataclass(frozen=True)
class Position:
    """Where a chain is: all that is needed to go on with it anywhere."""

    chain: int
    iterations: int = 0
    over: bool = False
    state: bytes | None = None  # the engine's, as a record; None at the beginning, and at the end
    random: str | None = None  # the state of its generator, as JSON


@dataclass(frozen=True)
class Point:
    """Where a run can go on: after so many rows, with every chain at its position."""

    rows: int
    upto: int  # iterations that each chain makes until the end of the round that is under way
    positions: tuple[Position, ...]  # of the chains
    seconds: float  # used so far


# -- The result of a run ---------------------------------------------------------------------------------

# What was only scored on the way is ranked as well when it is among the best, and weighs e⁻¹⁰ of the best's.
MOST, FAR = 1000, 10.0
CUT: dict[Ended, str] = {
    "seconds": "the time was up",
    "evaluations": "as many tasks were scored as were allowed",
    "interrupted": "it was interrupted",
    "iterations": "its iterations were limited",
}
SHOWN = 5  # tasks, where a result shows itself

Found = TypeVar("Found")


@dataclass(frozen=True)
class Ranked:
    """A visited task; `weight` is exp(−energy), normalised over the ranked tasks: no share of the belief."""

    score: Score
    weight: float


@dataclass(frozen=True, eq=False)
class Result(Displayed):
    """What `learn` found: visited tasks by energy, each language once, and how it got there."""

    problem: Problem
    seed: int
    ranked: tuple[Ranked, ...]
    trace: tuple[Row, ...]
    seconds: float
    ended: Ended = "iterations"
    stop: Stop = NEVER  # after which nothing more is worked out

    @property
    def cut_by(self) -> str | None:
        """Say what ended the search before it was done; None where it ended by its own rule.

        The paper's methods end by their iterations, and the default one by those that it has unless told.
        """
        settings = self.problem.settings
        own = settings.method != "explore" or settings.iterations == Settings.iterations
        return None if own and self.ended == "iterations" else CUT.get(self.ended)

    @property
    def finished(self) -> bool:
        """Say whether the search was done, and what is told of it was worked out."""
        if resolve(self.problem).code == "words" and self.claims is None:
            return False
        return self.cut_by is None and self.findings is not None

    @property
    def best(self) -> Score:
        """Return the headline: the likeliest answer where sizes are a prior, else the lowest energy."""
        if resolve(self.problem).code == "words" and self.findings is not None:
            return self.findings.score
        return self.ranked[0].score

    @classmethod
    def of(
        cls,
        problem: Problem,
        seed: int,
        trace: Sequence[Row],
        seconds: float,
        ended: Ended = "iterations",
        stop: Stop = NEVER,
    ) -> Result:
        """Rank the tasks of a trace."""
        visited = [row.info.candidate for row in trace if row.info.candidate]
        least = min((score.energy for score in visited), default=0.0)
        near = (score for row in trace for score in row.info.scored if score.energy <= least + FAR)
        scores: dict[DFA, Score] = {}
        for score in (*visited, *heapq.nsmallest(MOST, near, key=lambda score: score.energy)):
            if score.language not in scores or score.energy < scores[score.language].energy:
                scores[score.language] = score
        unreached = [score for score in scores.values() if not score.reached]
        scores = {task: score for task, score in scores.items() if score.reached}
        if unreached and not scores:
            nearest = max(unreached, key=lambda score: score.satisfaction_probability)
            chance = f"{nearest.satisfaction_probability:.6g}"
            raise InputError(
                "no task that was scored can be satisfied as often as the given competency says; "
                f"the nearest is satisfied with probability {chance} at most: {nearest.task}"
            )
        if not scores and ended in ("seconds", "interrupted") and not trace:
            raise InputError("the time was up before any task was scored; allow more with max_seconds")
        if not scores:
            most = problem.settings.max_states
            raise InputError(
                f"no task with at most {most} state{'' if most == 1 else 's'} meets the examples; "
                "allow more with max_states"
            )
        order = sorted(scores.values(), key=lambda score: (score.energy, score.size, str(score.task)))
        weights = softmin([score.energy for score in order]).tolist()
        ranked = tuple(Ranked(score, weight) for score, weight in zip(order, weights, strict=True))
        return cls(problem, seed, ranked, tuple(trace), seconds, ended, stop)

    @property
    def evaluations(self) -> int:
        """Return how many tasks were scored, over all chains."""
        return sum(max(1, len(row.info.scored)) for row in self.trace)

    @cached_property
    def belief(self) -> Belief:
        """Return the belief over all tasks that were scored."""
        scored = (score for row in self.trace for score in row.info.scored)
        every = (*(entry.score for entry in self.ranked), *scored)
        return Belief.of(self.problem, [score for score in every if score.reached])

    @cached_property
    def findings(self) -> Findings | None:
        """Return what the belief says about the best task, and what is not determined.

        None where the time was up before that was worked out. Where sizes are a prior also of a search that
        was not done: shares of what it happened to score are no probabilities.
        """
        return self.work_out(lambda done, total: None)

    @property
    def act_on(self) -> Acting | None:
        """Return what to act on; None where it is not known, or where nothing can be done."""
        return None if self.findings is None else self.findings.acting

    @property
    def leading(self) -> list[tuple[Score, float]]:
        """Return the headline and what comes after it, each with its weight.

        Where sizes are a prior, these are the answers by their share of the belief, else tasks by energy.
        """
        if resolve(self.problem).code == "words" and self.findings is not None:
            return [(answer.smallest, answer.share) for answer in self.findings.answers.all]
        return [(entry.score, entry.weight) for entry in self.ranked]

    @property
    def weighted_tasks(self) -> list[Weighted]:
        """Return the answers, the headline first: the smallest task of each, and its share of the belief.

        Where the time was up before answers were worked out, each task that was scored is one.
        """
        found = self.findings
        if found is None:
            weights = self.belief.weights.tolist()
            return [(score.task, weight) for score, weight in zip(self.belief.scores, weights, strict=True)]
        return [(answer.smallest.task, answer.share) for answer in found.answers.all]

    def work_out(self, progress: Callable[[int, int], None]) -> Findings | None:
        """Work out the findings, telling how many parts of all are done."""
        if "findings" not in self.__dict__:
            try:
                in_words = resolve(self.problem).code == "words"
                best = None if in_words else self.ranked[0].score
                self.__dict__["findings"] = (
                    None
                    if in_words and self.cut_by is not None
                    else findings_of(self.belief, best, progress, self.stop)
                )
            except Stopped:
                self.__dict__["findings"] = None
        found: Findings | None = self.__dict__["findings"]
        return found

    @cached_property
    def warnings(self) -> list[Caution]:
        """Return what speaks against the headline; where the time is up, that."""
        cut = [] if self.cut_by is None else [cut_short(self.cut_by)]
        try:
            return [*cut, *warnings_of(self.problem, self.best, self.stop)]
        except Stopped:
            return [*cut, *counted_worlds(self.problem)]

    @cached_property
    def claims(self) -> Claims | None:
        """Return what is settled, likely and open; None where the time is up, or the search was not done."""
        if self.cut_by is not None:
            return None
        return unless_stopped(lambda: claims_of(self.belief, stop=self.stop))

    @cached_property
    def outside(self) -> Outside | None:
        """Return how much of the belief tasks may have that were never scored; None where it is not told."""
        if self.cut_by is not None:
            return None
        return unless_stopped(lambda: outside_of(self.belief, self.stop))

    @cached_property
    def demonstrator(self) -> Demonstrator | None:
        """Return who showed it, where that is learned; None where the time is up."""
        return unless_stopped(lambda: demonstrator_of(self.belief, self.stop))

    def __repr__(self) -> str:
        leading, found = self.leading, self.findings
        by_share = resolve(self.problem).code == "words" and found is not None
        what = "answers, each with its energy and its share of the belief:"
        told = [] if found is None or found.determined or not by_share else [not_determined(self.problem)]
        return short(
            [
                f"Result for {self.problem.name!r}: {self.evaluations} tasks scored in {len(self.trace)} "
                f"iterations, {self.seconds:.2f} s, seed {self.seed}; ended by {self.ended}",
                *told,
                f"{len(leading)} {what if by_share else 'tasks by energy, each with its weight:'}",
                *(f"{score.energy:.4f}  {weight:.4f}  {score.task}" for score, weight in leading[:SHOWN]),
            ]
        )

    def to_json(self) -> dict[str, object]:
        """Return the machine-readable result."""
        return document_of(self)


def unless_stopped(work: Callable[[], Found]) -> Found | None:
    """Return what is worked out; None where the time is up before."""
    try:
        return work()
    except Stopped:
        return None
