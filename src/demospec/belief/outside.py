"""How much of the belief tasks may have that were never scored: they are drawn, and weighed.

Lists of one or two clauses are scored completely. The mass of longer ones follows by sequential importance
sampling: a list of k clauses in some order is one of k − 1 and one clause more, so that with ordered lists A

    Zₖ = Σ P(A)·evidence(A) · 1/2 · E[evidence(A and c) / evidence(A)]       c drawn from the prior of clauses

where 1/2 is the coin that says one more. Particles begin as lists of two clauses, drawn by their weight, get
a clause more, are weighed by the ratio, drawn again, and so on. In the same way "A or B" follows from a list
A that was scored and a list B of the prior; each pair counts once, in either order by what A and B explain
alone: evidence(A) / (evidence(A) + evidence(B)). Of all these the share counts whose tasks were not scored.
Automata that no such sentence says, and more than two alternatives, are not part of the estimate.

All of this is worked out at one agent, which explains the likeliest task nearly as well as any: what was
scored is weighed there as well, by prior times evidence at that agent. So the estimate is the share for
someone who knows that the demonstrator is this agent. Where the belief is divided between agents, the share
averaged over them can be several times as large.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.belief import Belief, forms_of, task_cost
from demospec.belief.tuned import (
    FEWEST_PARTICLES,
    LONGEST_LIST,
    NEGLIGIBLE,
    PARTICLES,
    SAMPLING_STATES,
    SAMPLING_WORK,
    WEIGHED,
)
from demospec.explain.evidence import Evidence
from demospec.explain.score import Score, scores_of
from demospec.explain.setup import resolve
from demospec.plan.rationality import AgentPoint, Fixed, Learned
from demospec.problem import Problem
from demospec.search.frontier import softmin
from demospec.tasks.clauses.clause import Clauses, Conjunction
from demospec.tasks.clauses.kind import kinds
from demospec.tasks.code import ANOTHER, CLAUSES, EITHER, MORE, WAYS, Drawing
from demospec.tasks.propositions import atoms
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats

ONE_MORE = MORE[1] / sum(MORE)
TWO_LISTS = WAYS[EITHER] / WAYS[CLAUSES] * ANOTHER[0] / sum(ANOTHER) * 2  # no list more; in either order


@dataclass(frozen=True)
class Outside:
    """An estimate of the belief's share in tasks that were never scored, by what they are."""

    longer: float  # relative to what was scored: lists of three clauses and more
    either: float  # one list or another

    @property
    def share(self) -> float:
        """Return the share of all, scored or not."""
        found = self.longer + self.either
        return found / (1.0 + found)


def outside_of(belief: Belief, stop: Stop = NEVER, seed: int = 0) -> Outside | None:
    """Estimate it; None where it cannot be told: only some tasks are allowed, or no list was scored."""
    problem = belief.problem
    agent = resolve(problem).agent
    if isinstance(agent, Fixed):
        agent = Learned(agent.rationality, 0.0, 0.0, 0.0)
    restricted = problem.prior is not None or bool(problem.classes) or problem.parts is not None
    if resolve(problem).code != "words" or not isinstance(agent, Learned) or restricted:
        return None
    if not resolve(problem).planner.abilities.many:
        return None
    evidence = Evidence(problem, resolve(problem).planner.until(stop), agent)
    return Sampling(belief, evidence, evidence.mildest(belief.scores[0].language), seed).run()


Weighed = tuple[Conjunction, Score, float]  # a list of clauses, its numbers at the agent, its weight there


class Sampling:
    """Scored tasks and particles, all weighed by the evidence at one agent."""

    def __init__(self, belief: Belief, evidence: Evidence, point: AgentPoint, seed: int) -> None:
        self.belief, self.evidence, self.point = belief, evidence, point
        self.problem: Problem = belief.problem
        self.rng = np.random.default_rng([seed, 29])
        self.drawing = Drawing(kinds(), atoms(self.problem.alphabet))
        self.known = set(belief.forms)
        self.count = self._bounded(PARTICLES)

    def _bounded(self, most: int) -> int:
        """Return how many tasks can be looked at together."""
        return max(
            FEWEST_PARTICLES, min(most, int(SAMPLING_WORK / (SAMPLING_STATES * max(1, self.evidence.work))))
        )

    def run(self) -> Outside | None:
        """Return both estimates."""
        lists = [(one, score, weight) for score, weight in self.weighed() if (one := list_of(score))]
        pairs = [(one, score, weight) for one, score, weight in lists if len(one) == 2]
        if not pairs:
            return None
        longer = 0.0
        for mass, tasks, ratio in self.steps(pairs):
            longer += mass * float(ratio @ self._unscored(tasks)) / float(ratio.sum())
            if mass < NEGLIGIBLE:
                break
        return Outside(longer, self.either(lists))

    def weighed(self) -> list[tuple[Score, float]]:
        """Return the numbers of scored tasks at the agent, and their weights there, which sum to 1."""
        tasks = [score.task for score in self.belief.scores[: self._bounded(WEIGHED)]]
        found = self.evidence.at([task.automaton for task in tasks], [self.point])
        scores = scores_of(self.problem, tasks, found)
        weights = softmin([task_cost(self.problem, score) for score in scores])
        return list(zip(scores, weights.tolist(), strict=True))

    def steps(self, begin: Sequence[Weighed]) -> Iterator[tuple[float, list[Clauses], Floats]]:
        """Yield the mass of lists with one clause more, and with two, …, and particles with their weights."""
        mass = math.fsum(weight for *_, weight in begin)
        lists, before = self._drawn(begin)
        for _ in range(len(lists[0]), LONGEST_LIST):
            drawn = self.drawing.more(lists, self.rng)
            longer = [one if more is None else (*one, more) for one, more in zip(lists, drawn, strict=True)]
            tasks = [self._task([one]) for one in longer]
            after = self._surprises(tasks)
            new = np.array([more is not None for more in drawn])
            ratio = np.where(new, np.exp(np.minimum(before - after, 50.0)), 0.0)
            mass *= ONE_MORE * self.drawing.usable * float(ratio.mean())
            if not mass:
                return
            yield mass, tasks, ratio
            chosen = self.rng.choice(self.count, size=self.count, p=ratio / ratio.sum())
            lists, before = [longer[k] for k in chosen], after[chosen]

    def either(self, lists: Sequence[Weighed]) -> float:
        """Return the mass of "A or B" that was not scored, relative to that of what was scored."""
        mass = math.fsum(weight for *_, weight in lists)
        chosen, before = self._drawn(lists)
        others = [self.drawing.conjunction(self.rng) for _ in chosen]
        alone = self._surprises([self._task([one]) for one in others])
        tasks = [self._task([one, other]) for one, other in zip(chosen, others, strict=True)]
        ratio = np.exp(np.minimum(before - self._surprises(tasks), 50.0))
        first = 1.0 / (1.0 + np.exp(np.minimum(before - alone, 50.0)))  # told in this order
        return mass * TWO_LISTS * float((ratio * first * self._unscored(tasks)).mean())

    def _drawn(self, lists: Sequence[Weighed]) -> tuple[list[Conjunction], Floats]:
        """Draw lists by their weights, with their surprises."""
        weights = np.array([weight for *_, weight in lists])
        chosen = self.rng.choice(len(lists), size=self.count, p=weights / weights.sum())
        return [lists[k][0] for k in chosen], np.array([lists[k][1].surprise for k in chosen])

    def _task(self, lists: Sequence[Conjunction]) -> Clauses:
        return Clauses.of(lists, self.problem.alphabet)

    def _surprises(self, tasks: Sequence[Clauses]) -> Floats:
        found = self.evidence.at([task.automaton for task in tasks], [self.point])
        given = self.problem.given
        return np.array(
            [
                one.surprise if given.consistent(task) else math.inf
                for one, task in zip(found, tasks, strict=True)
            ]
        )

    def _unscored(self, tasks: Sequence[Clauses]) -> Floats:
        forms = forms_of(self.problem, [task.automaton for task in tasks])
        return np.array([float(form not in self.known) for form in forms])


def list_of(score: Score) -> Conjunction | None:
    """Return the clauses of a task that is said as one list; None where it is said otherwise."""
    task = score.task
    if not isinstance(task, Clauses) or len(task.alternatives) != 1:
        return None
    return task.alternatives[0] or None
