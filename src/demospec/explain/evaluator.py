"""Scores many tasks for a search, together where the planner can do that, and remembers what it found."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from demospec.explain.evidence import Evidence
from demospec.explain.looks import Looks
from demospec.explain.score import Evaluation, Likely, Score, complete_ones, evaluate, score_of, worlds_of
from demospec.plan.base import Planner, Scorer
from demospec.plan.rationality import Fixed, Learned, rationalities_for
from demospec.problem import Problem
from demospec.tasks import DFA, Task
from demospec.work.stop import NEVER, Stop

AT_ONCE = 32  # tasks whose rationality is looked for in the same passes
CLOSELY = 2  # times: some of the tasks whose agent is learned are looked at with other agents as well, about


class Evaluator:
    """Evaluates tasks for a search: scores are kept for good, plans for the tasks used last.

    Two tasks of one language may differ in size: a composite has its own.
    """

    def __init__(
        self,
        problem: Problem,
        memory: int = 1 << 28,
        planner: Planner | None = None,
        stop: Stop = NEVER,
    ) -> None:
        problem.check_shown()
        self.problem, self.stop = problem, stop
        self.planner = (problem.planner if planner is None else planner).until(stop)
        self.memory = memory  # bytes of plans to keep, and at least one plan
        self._held = 0
        self._scores: dict[tuple[DFA, int | str], Score] = {}
        self._best: Score | None = None  # of those
        self._evaluations: OrderedDict[tuple[DFA, int | str], Evaluation] = OrderedDict()

    def score(self, task: Task) -> Score:
        """Return the task's numbers."""
        key = task.key
        if isinstance(self.problem.agent, Learned):
            return self.scores([task])[0]
        if key not in self._scores:
            self._keep({key: self.evaluation(task).score})
        return self._scores[key]

    def remember(self, scores: Iterable[Score]) -> None:
        """Take scores that were computed before."""
        self._keep({score.task.key: score for score in scores})

    def _keep(self, scores: Mapping[tuple[DFA, int | str], Score]) -> None:
        self._scores.update(scores)
        for score in scores.values():
            if self._best is None or score.energy < self._best.energy:
                self._best = score

    @property
    def best(self) -> Score | None:
        """Return the best score that is known."""
        return self._best

    def forget(self) -> None:
        """Forget all scores: a search that goes on elsewhere knows its own, and no others."""
        self._scores.clear()
        self._best = None

    @property
    def quick(self) -> bool:
        """Say whether many tasks take a fraction of a millisecond each; a competency has to be looked for."""
        return self.planner.abilities.many and isinstance(self.problem.agent, Fixed | Learned)

    @property
    def work(self) -> int:
        """Return how many numbers scoring takes for each state of a task, where many are scored at once."""
        numbers = sum(scorer.work for scorer, _ in self._scorers)
        return CLOSELY * numbers if isinstance(self.problem.agent, Learned) else numbers

    def scores(self, tasks: Sequence[Task]) -> list[Score]:
        """Return the numbers of many tasks, found together where the planner can do that.

        They do not depend on which tasks are asked for at once.
        """
        if not self.planner.abilities.many:
            return [self.score(task) for task in tasks]
        keys = [task.key for task in tasks]
        new = {key: task for key, task in zip(keys, tasks, strict=True) if key not in self._scores}
        left = [self.problem.check_task(task) for task in new.values()]
        agent = self.problem.agent
        if isinstance(agent, Learned):
            found = self._looks.scores(left, self._best)
        elif isinstance(agent, Fixed):
            found = self._at_one(left, agent.rationality)
        else:
            found = list(self._at_each(left))
        self._keep(dict(zip(new, found, strict=True)))
        return [self._scores[key] for key in keys]

    def again(self, known: Sequence[Score], before: Score | None) -> list[Score]:
        """Return what has changed of known scores because the best of all is another than before.

        Where the agent is learned, most tasks are looked at beside the best one's agent, and no other.
        """
        if not isinstance(self.problem.agent, Learned) or not self.quick or self._best is None:
            return []
        found = self._looks.again(known, self._best, before)
        self._keep({score.task.key: score for score in found})
        return found

    @cached_property
    def _looks(self) -> Looks:
        agent = self.problem.agent
        assert isinstance(agent, Learned)
        return Looks(self.problem, Evidence(self.problem, self.planner, agent))

    @cached_property
    def _scorers(self) -> list[tuple[Scorer, float]]:
        """Return what scores tasks in each world where something was shown, and the share of it."""
        problem = self.problem
        return [
            (
                self.planner.scorer(scene.tree, problem.alphabet, merge_repeats=problem.merge_repeats),
                share,
            )
            for scene, share in zip(problem.scenes, problem.shares, strict=True)
            if share
        ]

    def _at_one(self, tasks: Sequence[Task], rationality: float) -> list[Score]:
        languages = [task.automaton for task in tasks]
        found = [(scorer.at_one(languages, rationality), share) for scorer, share in self._scorers]
        return [
            score_of(self.problem, task, nats, Likely(rationality), satisfied)
            for task, (nats, satisfied) in zip(tasks, joined_numbers(found), strict=True)
        ]

    def _at_each(self, tasks: Sequence[Task]) -> Iterator[Score]:
        problem = self.problem
        for first in range(0, len(tasks), AT_ONCE):
            some = tasks[first : first + AT_ONCE]
            monitors = [problem.monitor(task) for task in some]
            accepted, complete = zip(*(complete_ones(problem, task) for task in some), strict=True)
            rationalities = rationalities_for(
                *(worlds_of(problem), monitors, problem.agent, accepted, complete[0]),
                nearest=True,
                planner=self.planner,
            )
            asked = list(zip(monitors, rationalities, strict=True))
            found = [(scorer.at_each(asked), share) for scorer, share in self._scorers]
            for task, rationality, (nats, satisfied) in zip(
                some, rationalities, joined_numbers(found), strict=True
            ):
                yield score_of(problem, task, nats, Likely(rationality), satisfied)

    def evaluation(self, task: Task) -> Evaluation:
        """Return the task's numbers with its plans."""
        key = task.key
        if key in self._evaluations:
            self._evaluations.move_to_end(key)
        else:
            self.stop.check()
            likely = None
            if isinstance(self.problem.agent, Learned):
                score = self.score(task)
                likely = Likely.of(score)
            made = evaluate(self.problem, task, nearest=True, planner=self.planner, likely=likely)
            self._evaluations[key] = made
            self._held += bytes_of(made)
            while self._held > self.memory and len(self._evaluations) > 1:
                _, oldest = self._evaluations.popitem(last=False)
                self._held -= bytes_of(oldest)
        return self._evaluations[key]


def joined_numbers(found: Sequence[tuple[Sequence[tuple[float, float]], float]]) -> list[tuple[float, float]]:
    """Join the numbers of tasks in several worlds: surprises add up, satisfaction is weighted by share."""
    if len(found) == 1:
        return list(found[0][0])
    shares = [share for _, share in found]
    return [
        (
            math.fsum(nats for nats, _ in of_task),
            math.fsum(share * satisfied for share, (_, satisfied) in zip(shares, of_task, strict=True)),
        )
        for of_task in zip(*(numbers for numbers, _ in found), strict=True)
    ]


def bytes_of(made: Evaluation) -> int:
    """Return how much memory the plans of an evaluation take."""
    return sum(reading.plan.bytes for reading in made.readings)
