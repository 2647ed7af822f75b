"""The main job: run the chains of a problem, rank what they visited."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.belief import Belief, Findings, findings_of
from demospec.errors import InputError
from demospec.explain.score import Score, plan_task
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.runs.chains import Ended, Row, Run
from demospec.search.anneal import softmin
from demospec.tasks import DFA
from demospec.tasks.showing import document_of, html_of, short
from demospec.work import open_workers
from demospec.worlds.paths import Path

# What was only scored on the way is ranked as well when it is among the best, and weighs e⁻¹⁰ of the best's.
MOST, FAR = 1000, 10.0
SHOWN = 5  # tasks, where a result shows itself


@dataclass(frozen=True)
class Ranked:
    """A visited task with its share of the belief: `weight` ∝ exp(−energy) over the visited tasks."""

    score: Score
    weight: float


@dataclass(frozen=True, eq=False)
class Result:
    """What `learn` found: visited tasks by energy, each language once, and how it got there."""

    problem: Problem
    seed: int
    ranked: tuple[Ranked, ...]
    trace: tuple[Row, ...]
    seconds: float
    ended: Ended = "iterations"

    @property
    def best(self) -> Score:
        """Return the task with the lowest energy."""
        return self.ranked[0].score

    @classmethod
    def of(
        cls, problem: Problem, seed: int, trace: Sequence[Row], seconds: float, ended: Ended = "iterations"
    ) -> Result:
        """Rank the tasks of a trace."""
        visited = [row.info.candidate for row in trace if row.info.candidate]
        least = min((score.energy for score in visited), default=0.0)
        near = (score for row in trace for score in row.info.scored if score.energy <= least + FAR)
        scores: dict[DFA, Score] = {}
        for score in (*visited, *heapq.nsmallest(MOST, near, key=lambda score: score.energy)):
            if score.task not in scores or score.energy < scores[score.task].energy:
                scores[score.task] = score
        if not scores:
            most = problem.settings.max_states
            raise InputError(
                f"no task with at most {most} state{'' if most == 1 else 's'} meets the examples; "
                "allow more with max_states"
            )
        order = sorted(scores.values(), key=lambda score: (score.energy, score.size, str(score.task)))
        weights = softmin([score.energy for score in order]).tolist()
        ranked = tuple(Ranked(score, weight) for score, weight in zip(order, weights, strict=True))
        return cls(problem, seed, ranked, tuple(trace), seconds, ended)

    @property
    def evaluations(self) -> int:
        """Return how many tasks were scored, over all chains."""
        return sum(len(row.info.scored) or 1 for row in self.trace)

    @cached_property
    def belief(self) -> Belief:
        """Return the belief over all tasks that were scored."""
        scored = (score for row in self.trace for score in row.info.scored)
        candidates = (row.info.candidate for row in self.trace if row.info.candidate)
        return Belief.of(self.problem, [*(entry.score for entry in self.ranked), *candidates, *scored])

    @cached_property
    def findings(self) -> Findings:
        """Return what the belief says about the best task, and what is not determined."""
        return findings_of(self.belief, self.best)

    def work_out(self, progress: Callable[[int, int], None]) -> Findings:
        """Work out the findings, telling how many parts of all are done."""
        found = self.__dict__["findings"] = findings_of(self.belief, self.best, progress)
        return found

    def __repr__(self) -> str:
        first = self.ranked[:SHOWN]
        return short(
            [
                f"Result for {self.problem.name!r}: {self.evaluations} tasks scored in {len(self.trace)} "
                f"iterations, {self.seconds:.2f} s, seed {self.seed}; ended by {self.ended}",
                f"{len(self.ranked)} tasks by energy, each with its weight:",
                *(f"{one.score.energy:.4f}  {one.weight:.4f}  {one.score.task}" for one in first),
            ]
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def to_json(self) -> dict[str, object]:
        """Return the machine-readable result."""
        return document_of(self)


def learn(
    problem: Problem,
    *,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[Row], None] | None = None,
) -> Result:
    """Find the tasks that explain a problem's demonstrations, ranked by energy.

    The chains run in this process, in so many others, or on the Dask cluster at an address; the result is
    the same.

    >>> import demospec
    >>> problem = demospec.load_example("robot").with_settings(iterations=30)
    >>> demospec.learn(problem, seed=0).best.task
    DFA('>0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:')
    """
    with open_workers(min(jobs, problem.settings.chains), cluster) as workers:
        run = Run(problem, seed=seed, workers=workers)
        trace = []
        for row in run:
            trace.append(row)
            if progress is not None:
                progress(row)
        return Result.of(problem, seed, trace, run.seconds, run.ended)


def sample(problem: Problem, task: DFA, *, count: int = 1, seed: int = 0) -> list[Path]:
    """Draw complete paths of the maximum-entropy agent that pursues `task` in the problem's world."""
    rng = np.random.default_rng(seed)
    plan = plan_task(problem, task)
    return [sample_path(plan, rng) for _ in range(count)]
