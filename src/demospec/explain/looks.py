"""Where the agent is learned: every task at the leader's agent, those that come near over the whole grid."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter

import numpy as np

from demospec.explain.evidence import Evidence, Finding
from demospec.explain.score import Score, scores_of
from demospec.plan.rationality import Point
from demospec.problem import Problem
from demospec.tasks import DFA, Task
from demospec.tasks.side_by_side import Stack
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
            first = min(self.at_first, len(tasks))
            found |= self.everywhere(tasks, range(first))
            leader = min(found.values(), key=ENERGY)
        if leader is None:
            return []
        rest = list(range(first, len(tasks)))
        for _ in range(LOOKS):
            point = self.evidence.mildest(leader.language)
            found |= self.at(tasks, rest, point)
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
        self, known: Sequence[Score], leader: Score, points: Sequence[Point], most: int
    ) -> list[Score]:
        """Return the scores of tasks that are far behind, and near with one of some agents.

        At most so many are looked at: those that reject least of what was shown, of these the shortest.
        """
        far, weight = leader.energy + NEAR, self.problem.weights.surprise_weight
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
        weight, least = self.problem.weights.surprise_weight, math.inf
        for score in sorted(known, key=SIZE):
            if score.size >= leader.size:
                least = min(least, leader.surprise)
            least = min(least, score.surprise)
            if score.energy > far and score.energy + weight * (least - score.surprise) <= near:
                yield score

    @property
    def at_first(self) -> int:
        """Return how many tasks are looked at over the whole grid where nothing is known yet."""
        of_one = TYPICAL * self.evidence.work * len(self.evidence.agent.points)
        return max(FEWEST, min(FIRST, A_WHILE // of_one))

    def everywhere(self, tasks: Sequence[Task], which: Sequence[int]) -> dict[int, Score]:
        """Score some tasks over the whole grid."""
        return self._scored(tasks, which, self.evidence.everywhere([tasks[n].automaton for n in which]))

    def closely(self, tasks: Sequence[Task], which: Sequence[int], point: Point) -> dict[int, Score]:
        """Score some tasks over the grid, from a point on at which they are likely."""
        return self._scored(tasks, which, self.evidence.around([tasks[n].automaton for n in which], point))

    def at(self, tasks: Sequence[Task], which: Sequence[int], point: Point) -> dict[int, Score]:
        """Score some tasks at one agent."""
        return self._scored(tasks, which, self.evidence.at([tasks[n].automaton for n in which], [point]))

    def _scored(
        self, tasks: Sequence[Task], which: Sequence[int], found: Sequence[Finding]
    ) -> dict[int, Score]:
        made = scores_of(self.problem, [tasks[number] for number in which], found)
        return dict(zip(which, made, strict=True))


def rejected(problem: Problem, tasks: Sequence[DFA]) -> Ints:
    """Return [T]: how many demonstrations each task rejects; one that is cut may still be accepted."""
    told = zip(problem.words, problem.demonstrations, strict=True)
    words = Counter(word for word, path in told if path.complete)
    if not tasks or not words:
        return np.zeros(len(tasks), dtype=np.intp)
    accepted = Stack.of(tasks).accepts(list(words)).astype(np.intp)
    found: Ints = (1 - accepted) @ np.array(list(words.values()), dtype=np.intp)
    return found
