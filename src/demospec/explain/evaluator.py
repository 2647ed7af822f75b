"""Where the agent is learned: every task at the leader's agent, those that come near over the whole grid.

Scores many tasks for a search, together where the planner can do that, and remembers what it found.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter

import numpy as np

from demospec.explain.evidence import Evidence, Finding, scorers_of
from demospec.explain.score import (
    Evaluation,
    Likely,
    Score,
    competent,
    evaluate,
    scores_of,
)
from demospec.explain.setup import resolve
from demospec.plan.base import Planner, Scorer
from demospec.plan.rationality import Agent, AgentPoint, Fixed, Learned
from demospec.problem import Problem
from demospec.tasks import DFA, Task
from demospec.tasks.side_by_side import Stack
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Ints

FIRST = 256  # tasks that are looked at over the whole grid where nothing is known yet
FEWEST = 4  # the same where worlds are large …
A_WHILE = 1 << 30  # … and this would take more numbers: a second or two
SHORTER = 8  # so much shorter is a look with another agent
TYPICAL = 4  # states of a task
NEAR = 8.0  # nats: a task that costs so much more than the leader is not looked at closely
PROMISING = 4.0  # nats: so near would a task be that is worth a look with other agents
MOST_NEAR = 3_000  # tasks that are looked at closely in one step
LOOKS = 3  # how often tasks are looked at again because the leader's agent is another
SECOND_LOOK = 2_000  # tasks that are looked at again
OTHERWISE = 1_000  # the same with other agents than the leader's mildest
ENERGY, SIZE = attrgetter("energy"), attrgetter("size")


class Looks:
    """Scores tasks whose agent is learned: all of them at the leader's agent, those that are near at all.

    What the leader is, follows from the scores that are known; so the same steps give the same scores.
    """

    def __init__(self, problem: Problem, evidence: Evidence) -> None:
        self.problem, self.evidence = problem, evidence

    def scores(self, tasks: Sequence[Task], leader: Score | None) -> list[Score]:
        """Return the scores of tasks, given the best of others."""
        found: dict[int, Score] = {}
        first = 0
        if leader is None and tasks:
            of_one = TYPICAL * self.evidence.work * len(self.evidence.agent.points)
            first = min(max(FEWEST, min(FIRST, A_WHILE // of_one)), len(tasks))
            found |= self.scored(tasks, range(first), self.evidence.everywhere)
            leader = min(found.values(), key=ENERGY)
        if leader is None:
            return []
        rest = list(range(first, len(tasks)))
        for _ in range(LOOKS):
            point = self.evidence.mildest(leader.language)
            found |= self.scored(tasks, rest, partial(self.evidence.at, points=[point]))
            ranked = sorted(rest, key=lambda number: found[number].energy)
            near = [number for number in ranked if found[number].energy <= leader.energy + NEAR][:MOST_NEAR]
            found |= self.closely(tasks, near, point)
            best = min((found[number] for number in near), key=ENERGY, default=leader)
            if best.energy >= leader.energy or self.evidence.mildest(best.language) == point:
                break
            leader = best
            seen = set(near)
            rest = [number for number in ranked[:SECOND_LOOK] if number not in seen]
        numbers = {task.key: number for number, task in enumerate(tasks)}
        some = [found[number] for number in range(first, len(tasks))]
        for score in self.otherwise(some, leader, self.evidence.beside(leader.language)[1:], OTHERWISE):
            found[numbers[score.task.key]] = score
        return [found[number] for number in range(len(tasks))]

    def again(self, known: Sequence[Score], leader: Score, before: Score | None) -> list[Score]:
        """Look again at tasks beside a leader, with the agents that nobody looked with before it led.

        Returned are the scores of tasks that turn out to be near with one of them: they were far behind with
        others. A task that would be behind even if it explained as well as the best of at most its size is
        not looked at.
        """
        if before is None and len(known) <= SECOND_LOOK:
            return []  # `scores` has done it
        seen = [] if before is None else self.evidence.beside(before.language)
        new = [point for point in self.evidence.beside(leader.language) if point not in seen]
        return self.otherwise(known, leader, new, SECOND_LOOK)

    def otherwise(
        self, known: Sequence[Score], leader: Score, points: Sequence[AgentPoint], most: int
    ) -> list[Score]:
        """Return the scores of tasks that are far behind, and near with one of some agents.

        At most so many are looked at: those that reject least of what was shown, of these the shortest.
        """
        far, weight = leader.energy + NEAR, resolve(self.problem).weights.surprise_weight
        left = list(self.promising(known, leader)) if points else []
        most = max(FEWEST, min(most, A_WHILE // (SHORTER * TYPICAL * self.evidence.work)))
        if len(left) > most:
            rejections = rejected(self.problem, [score.language for score in left])
            left = [left[number] for number in np.argsort(rejections, kind="stable")[:most].tolist()]
        tasks = [score.task for score in left]
        unseen, result = list(range(len(tasks))), list[Score]()
        for point in points:
            looked = self.evidence.at([tasks[number].automaton for number in unseen], [point])
            near = [
                number
                for number, found in zip(unseen, looked, strict=True)
                if left[number].energy + weight * (found.surprise - left[number].surprise) <= far
            ][:MOST_NEAR]
            result += self.closely(tasks, near, point).values()
            unseen = sorted({*unseen}.difference(near))
        return result

    def promising(self, known: Sequence[Score], leader: Score) -> Iterator[Score]:
        """Yield the tasks that are far behind, and would not be if they explained like others of their size.

        The shortest come first. What is near was looked at with every agent that matters.
        """
        far, near = leader.energy + NEAR, leader.energy + PROMISING
        weight, least = resolve(self.problem).weights.surprise_weight, math.inf
        for score in sorted(known, key=SIZE):
            if score.size >= leader.size:
                least = min(least, leader.surprise)
            least = min(least, score.surprise)
            if score.energy > far and score.energy + weight * (least - score.surprise) <= near:
                yield score

    def scored(
        self, tasks: Sequence[Task], which: Sequence[int], look: Callable[[Sequence[DFA]], list[Finding]]
    ) -> dict[int, Score]:
        """Score some of the tasks, by their numbers, with what a look at the evidence finds."""
        some = [tasks[number] for number in which]
        found = scores_of(self.problem, some, look([task.automaton for task in some]))
        return dict(zip(which, found, strict=True))

    def closely(self, tasks: Sequence[Task], which: Sequence[int], point: AgentPoint) -> dict[int, Score]:
        """Score some tasks over the grid, from a point on at which they are likely."""
        return self.scored(tasks, which, partial(self.evidence.around, start=point))


def rejected(problem: Problem, tasks: Sequence[DFA]) -> Ints:
    """Return [T]: how many demonstrations each task rejects; one that is cut may still be accepted."""
    told = zip(problem.words, problem.demonstrations, strict=True)
    words = Counter(word for word, path in told if path.complete)
    if not tasks or not words:
        return np.zeros(len(tasks), dtype=np.intp)
    accepted = Stack.of(tasks).accepts(list(words)).astype(np.intp)
    found: Ints = (1 - accepted) @ np.array(list(words.values()), dtype=np.intp)
    return found


# -- Scores many tasks for a search, together where the planner can do that, and remembers what ----------

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
        self.planner = (planner or resolve(problem).planner).until(stop)
        self.memory = memory  # bytes of plans to keep, and at least one plan
        self._held = 0
        self._scores: dict[tuple[DFA, int | str], Score] = {}
        self.best: Score | None = None  # of those, unless somebody says that another leads
        self._evaluations: OrderedDict[tuple[DFA, int | str], Evaluation] = OrderedDict()

    def score(self, task: Task) -> Score:
        key = task.key
        if isinstance(resolve(self.problem).agent, Learned):
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
            if self.best is None or score.energy < self.best.energy:
                self.best = score

    def forget(self) -> None:
        """Forget all scores: a search that goes on elsewhere knows its own, and no others."""
        self._scores.clear()
        self.best = None

    @property
    def quick(self) -> bool:
        """Say whether many tasks take a fraction of a millisecond each; a competency has to be looked for."""
        return self.planner.abilities.many and isinstance(resolve(self.problem).agent, Fixed | Learned)

    @property
    def work(self) -> int:
        """Return how many numbers scoring takes for each state of a task, where many are scored at once."""
        numbers = sum(scorer.work for scorer, _ in self._scorers)
        return CLOSELY * numbers if isinstance(resolve(self.problem).agent, Learned) else numbers

    def scores(self, tasks: Sequence[Task]) -> list[Score]:
        """Return the numbers of many tasks, found together where the planner can do that.

        They do not depend on which tasks are asked for at once.
        """
        if not self.planner.abilities.many:
            return [self.score(task) for task in tasks]
        keys = [task.key for task in tasks]
        new = {key: task for key, task in zip(keys, tasks, strict=True) if key not in self._scores}
        left = [self.problem.check_task(task) for task in new.values()]
        agent = resolve(self.problem).agent
        if isinstance(agent, Learned):
            found = self._looks.scores(left, self.best)
        elif isinstance(agent, Fixed):
            languages = [task.automaton for task in left]
            each = self._joined([scorer.at_one(languages, agent.rationality) for scorer, _ in self._scorers])
            told = [Finding(nats, agent.rationality, 0.0, satisfied) for nats, satisfied in each]
            found = scores_of(self.problem, left, told)
        else:
            found = scores_of(self.problem, left, list(self._at_each(left, agent)))
        self._keep(dict(zip(new, found, strict=True)))
        return [self._scores[key] for key in keys]

    def again(self, known: Sequence[Score], before: Score | None) -> list[Score]:
        """Return what has changed of known scores because the best of all is another than before.

        Where the agent is learned, most tasks are looked at beside the best one's agent, and no other.
        """
        if not isinstance(resolve(self.problem).agent, Learned) or not self.quick or self.best is None:
            return []
        found = self._looks.again(known, self.best, before)
        self._keep({score.task.key: score for score in found})
        return found

    @cached_property
    def _looks(self) -> Looks:
        agent = resolve(self.problem).agent
        assert isinstance(agent, Learned)
        return Looks(self.problem, Evidence(self.problem, self.planner, agent))

    @cached_property
    def _scorers(self) -> list[tuple[Scorer, float]]:
        """Return what scores tasks in each world where something was shown, and the share of it."""
        return scorers_of(self.problem, self.planner)

    def _at_each(self, tasks: Sequence[Task], agent: Agent) -> Iterator[Finding]:
        """Yield what is found of each task, at the rationality at which it is satisfied as often as known."""
        problem = self.problem
        for first in range(0, len(tasks), AT_ONCE):
            some = tasks[first : first + AT_ONCE]
            rationalities = competent(problem, some, agent, self.planner, nearest=True)
            monitors = [resolve(problem).monitor(task) for task in some]
            asked = list(zip(monitors, rationalities, strict=True))
            found = self._joined([scorer.at_each(asked) for scorer, _ in self._scorers])
            for rationality, (nats, satisfied) in zip(rationalities, found, strict=True):
                yield Finding(nats, rationality, 0.0, satisfied)

    def _joined(self, found: Sequence[Sequence[tuple[float, float]]]) -> Iterator[tuple[float, float]]:
        """Join what several worlds say of tasks: surprises add up, satisfaction is weighted by share."""
        if len(found) == 1:
            yield from found[0]
            return
        shares = [share for _, share in self._scorers]
        for of_task in zip(*found, strict=True):
            satisfied = (share * chance for share, (_, chance) in zip(shares, of_task, strict=True))
            yield math.fsum(nats for nats, _ in of_task), math.fsum(satisfied)

    def evaluation(self, task: Task) -> Evaluation:
        """Return the task's numbers with its plans."""
        key = task.key
        if key in self._evaluations:
            self._evaluations.move_to_end(key)
        else:
            self.stop.check()
            learned = isinstance(resolve(self.problem).agent, Learned)
            likely = Likely.of(self.score(task)) if learned else None
            made = evaluate(self.problem, task, nearest=True, planner=self.planner, likely=likely)
            self._evaluations[key] = made
            self._held += made.memory
            while self._held > self.memory and len(self._evaluations) > 1:
                self._held -= self._evaluations.popitem(last=False)[1].memory
        return self._evaluations[key]
