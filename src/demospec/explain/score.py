"""How well a task explains the demonstrations: its energy, and what the energy is made of."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from demospec.explain.evidence import Evidence, Finding
from demospec.explain.surprise import gradient, surprise
from demospec.plan.along_tree import AlongTree, along_tree
from demospec.plan.base import Plan, Planner, Scorer
from demospec.plan.rationality import (
    TOLERANCE,
    Competency,
    Fixed,
    Learned,
    Point,
    Worlds,
    rationalities_for,
    satisfaction,
)
from demospec.problem import Problem, accepted_demonstrations
from demospec.tasks import DFA, Task
from demospec.tasks.showing import bits_text, html_of, short
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.scene import Scene
from demospec.worlds.world import World

AT_ONCE = 32  # tasks whose rationality is looked for in the same passes
USUAL = 10.0  # a rationality at which tasks differ
FIRST = 256  # tasks that are looked at over the whole grid where nothing is known yet
NEAR = 8.0  # nats: a task that costs so much more than the leader is not looked at closely
MOST_NEAR = 3_000  # tasks that are looked at closely in one step
LOOKS = 3  # how often tasks are looked at again because the leader's agent is another
SECOND_LOOK = 2_000  # tasks that are looked at again


@dataclass(frozen=True)
class Score:
    """The numbers of one task. `size` is the whole task's, also where a prior makes part of it free."""

    task: Task
    size: int | float  # in the problem's code
    surprise: float
    energy: float
    rationality: float
    satisfaction_probability: float
    reached: bool = True  # False: no agent with this task is as competent as it is known to be
    effort: float = 0.0

    @property
    def language(self) -> DFA:
        """Return the task's automaton."""
        return self.task.automaton

    def __repr__(self) -> str:
        return short(
            [
                f"Score: energy {self.energy:.4f}, {bits_text(self.size)} bits, "
                f"surprise {self.surprise:.4f} nats, rationality {self.rationality:g}, "
                f"satisfied {self.satisfaction_probability:.4f}",
                str(self.task),
            ]
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)


@dataclass(frozen=True, eq=False)
class Reading:
    """A task's plan in one world, read along what was shown there, and the gradient at each node."""

    along: AlongTree
    gradient: Floats

    @classmethod
    def of(cls, tree: PrefixTree, plan: Plan) -> Reading:
        """Read a plan along a tree."""
        along = along_tree(tree, plan)
        return cls(along, gradient(tree, along.log_edge, along.deviation))

    @property
    def plan(self) -> Plan:
        """Return the plan."""
        return self.along.plan

    @property
    def tree(self) -> PrefixTree:
        """Return the tree."""
        return self.along.tree


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A score with what is behind it in each world."""

    score: Score
    readings: tuple[Reading, ...]  # by scene

    @property
    def only(self) -> Reading:
        """Return the reading of a problem with one world."""
        (found,) = self.readings
        return found

    @property
    def plan(self) -> Plan:
        """Return the plan in the only world."""
        return self.only.plan

    @property
    def along(self) -> AlongTree:
        """Return the plan along the only world's demonstrations."""
        return self.only.along

    @property
    def gradient(self) -> Floats:
        """Return the gradient at each node of the only world's tree."""
        return self.only.gradient

    def __repr__(self) -> str:
        nodes = sum(len(reading.gradient) for reading in self.readings)
        return short([f"Evaluation at {nodes} nodes of prefix trees", repr(self.score)])

    def _repr_html_(self) -> str | None:
        return html_of(self)


def plan_task(problem: Problem, task: Task, scene: Scene | None = None, *, nearest: bool = False) -> Plan:
    """Plan for the problem's agent with this task, in one scene or in the only one.

    A competency that the worlds do not allow is refused, or with `nearest` met as nearly as can be.
    """
    chosen = problem.scene() if scene is None else scene
    likely = agent_of(problem, task, nearest=nearest)
    return problem.planner.plan(likely.world(chosen), problem.monitor(task), likely.rationality)


@dataclass(frozen=True)
class Likely:
    """The agent that pursues a task: its rationality and effort, and the surprise of all that it may be."""

    rationality: float
    effort: float = 0.0
    surprise: float | None = None  # −ln of the evidence, where the agent is learned

    def world(self, scene: Scene) -> World:
        """Return a scene's world, with what steps cost this agent."""
        return scene.with_effort(self.effort)


def agent_of(
    problem: Problem,
    task: Task,
    *,
    nearest: bool = False,
    planner: Planner | None = None,
    evidence: Evidence | None = None,
) -> Likely:
    """Return the agent that pursues a task: as it is known to be, or the likeliest."""
    if isinstance(problem.agent, Learned):
        if evidence is None:
            evidence = Evidence(problem, problem.planner if planner is None else planner, problem.agent)
        (found,) = evidence.everywhere([problem.check_task(task).automaton])
        return Likely(found.rationality, found.effort, found.surprise)
    return Likely(rationality_of(problem, task, nearest=nearest, planner=planner))


def rationality_of(
    problem: Problem, task: Task, *, nearest: bool = False, planner: Planner | None = None
) -> float:
    """Return the rationality of the problem's agent, were it to pursue a task."""
    if isinstance(problem.agent, Fixed):
        return problem.agent.rationality
    if isinstance(problem.agent, Learned):
        return agent_of(problem, task, planner=planner).rationality
    accepted, complete = complete_ones(problem, task)
    (found,) = rationalities_for(
        *(worlds_of(problem), [problem.monitor(task)], problem.agent, [accepted], complete),
        nearest=nearest,
        planner=problem.planner if planner is None else planner,
    )
    return found


def worlds_of(problem: Problem) -> Worlds:
    """Return the worlds that the agent acts in, each with its share of the demonstrations."""
    return [
        (scene.world, share) for scene, share in zip(problem.scenes, problem.shares, strict=True) if share
    ]


def complete_ones(problem: Problem, task: Task) -> tuple[int, int]:
    """Return how many complete demonstrations satisfy a task, and how many there are."""
    marks = zip(accepted_demonstrations(problem, task), problem.demonstrations, strict=True)
    complete = [mark for mark, path in marks if path.complete]
    return sum(complete), len(complete)


def evaluate(
    problem: Problem,
    task: Task,
    *,
    nearest: bool = False,
    planner: Planner | None = None,
    evidence: Evidence | None = None,
) -> Evaluation:
    """Plan for a task in every world and read the plans along the demonstrations; surprises add up."""
    problem.check_shown()
    planner = problem.planner if planner is None else planner
    monitor = problem.monitor(task)
    likely = agent_of(problem, task, nearest=nearest, planner=planner, evidence=evidence)
    readings = tuple(
        Reading.of(scene.tree, planner.plan(likely.world(scene), monitor, likely.rationality))
        for scene in problem.scenes
    )
    nats = likely.surprise
    if nats is None:
        nats = math.fsum(surprise(reading.tree, reading.along.log_edge) for reading in readings)
    plans = [reading.plan for reading in readings]
    satisfied = satisfaction(list(zip(plans, problem.shares, strict=True)))
    return Evaluation(score_of(problem, task, nats, likely.rationality, satisfied, likely.effort), readings)


def score_of(
    problem: Problem, task: Task, nats: float, rationality: float, satisfied: float, effort: float = 0.0
) -> Score:
    """Return the numbers of a task whose surprise and satisfaction probability are known.

    U(φ) = size_weight · (size(φ) − size(prior)) + surprise_weight · h(φ)
    """
    weights, size = problem.weights, problem.size_of(task)
    energy = weights.size_weight * (size - problem.prior_size) + weights.surprise_weight * nats
    agent = problem.agent
    reached = not isinstance(agent, Competency) or satisfied >= agent.competency - 2 * TOLERANCE
    return Score(task, size, nats, energy, rationality, satisfied, reached, effort)


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
        self._evaluations: OrderedDict[tuple[DFA, int | str], Evaluation] = OrderedDict()

    def score(self, task: Task) -> Score:
        """Return the task's numbers."""
        key = task.key
        if key not in self._scores:
            self._scores[key] = self.evaluation(task).score
        return self._scores[key]

    def remember(self, scores: Iterable[Score]) -> None:
        """Take scores that were computed before."""
        self._scores.update({score.task.key: score for score in scores})

    def forget(self) -> None:
        """Forget all scores: a search that goes on elsewhere knows its own, and no others."""
        self._scores.clear()

    @property
    def quick(self) -> bool:
        """Say whether many tasks take a fraction of a millisecond each; a competency has to be looked for."""
        return self.planner.abilities.many and isinstance(self.problem.agent, Fixed | Learned)

    @property
    def work(self) -> int:
        """Return how many numbers scoring takes for each state of a task, where many are scored at once."""
        return sum(scorer.work for scorer, _ in self._scorers)

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
            self.remember(self._looks.scores(left, self._scores.values()))
        elif isinstance(agent, Fixed):
            self.remember(self._at_one(left, agent.rationality))
        else:
            self.remember(self._at_each(left))
        return [self._scores[key] for key in keys]

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
            score_of(self.problem, task, nats, rationality, satisfied)
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
                yield score_of(problem, task, nats, rationality, satisfied)

    def evaluation(self, task: Task) -> Evaluation:
        """Return the task's numbers with its plans."""
        key = task.key
        if key in self._evaluations:
            self._evaluations.move_to_end(key)
        else:
            self.stop.check()
            evidence = self._looks.evidence if isinstance(self.problem.agent, Learned) else None
            made = evaluate(self.problem, task, nearest=True, planner=self.planner, evidence=evidence)
            self._evaluations[key] = made
            self._held += bytes_of(made)
            while self._held > self.memory and len(self._evaluations) > 1:
                _, oldest = self._evaluations.popitem(last=False)
                self._held -= bytes_of(oldest)
        return self._evaluations[key]


class Looks:
    """Scores tasks whose agent is learned: all of them at the leader's agent, those that are near at all.

    What the leader is, follows from the scores that are known; so the same steps give the same scores.
    """

    def __init__(self, problem: Problem, evidence: Evidence) -> None:
        self.problem, self.evidence = problem, evidence

    def scores(self, tasks: Sequence[Task], known: Iterable[Score]) -> list[Score]:
        """Return the scores of tasks, given those of others."""
        leader = min(known, key=lambda score: score.energy, default=None)
        found: dict[int, Score] = {}
        first = 0
        if leader is None and tasks:
            first = min(FIRST, len(tasks))
            found |= self.closely(tasks, range(first))
            leader = min(found.values(), key=lambda score: score.energy)
        if leader is None:
            return []
        rest = list(range(first, len(tasks)))
        for _ in range(LOOKS):
            point = self.point_of(leader)
            found |= self.at(tasks, rest, point)
            ranked = sorted(rest, key=lambda number: found[number].energy)
            near = [number for number in ranked if found[number].energy <= leader.energy + NEAR][:MOST_NEAR]
            found |= self.closely(tasks, near)
            best = min((found[number] for number in near), key=lambda score: score.energy, default=leader)
            if best.energy >= leader.energy or (best.rationality, best.effort) == (
                point.rationality,
                point.effort,
            ):
                break
            leader = best
            rest = [number for number in ranked[:SECOND_LOOK] if number not in set(near)]
        return [found[number] for number in range(len(tasks))]

    def point_of(self, leader: Score) -> Point:
        """Return the agent at which others are looked at: the leader's, or a usual one if it has no aim."""
        if leader.language.states > 1:
            return Point(leader.rationality, leader.effort)
        return min(self.evidence.agent.points, key=lambda one: (one.effort, abs(one.rationality - USUAL)))

    def closely(self, tasks: Sequence[Task], which: Sequence[int]) -> dict[int, Score]:
        """Score some tasks over the whole grid."""
        return self._scored(tasks, which, self.evidence.everywhere([tasks[n].automaton for n in which]))

    def at(self, tasks: Sequence[Task], which: Sequence[int], point: Point) -> dict[int, Score]:
        """Score some tasks at one agent."""
        return self._scored(tasks, which, self.evidence.at([tasks[n].automaton for n in which], [point]))

    def _scored(
        self, tasks: Sequence[Task], which: Sequence[int], found: Sequence[Finding]
    ) -> dict[int, Score]:
        return {
            number: score_of(
                *(self.problem, tasks[number], one.surprise, one.rationality, one.satisfied, one.effort)
            )
            for number, one in zip(which, found, strict=True)
        }


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
