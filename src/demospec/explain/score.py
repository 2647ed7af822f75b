"""How well a task explains the demonstrations: its energy, and what the energy is made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from demospec.explain.along_tree import AlongTree, Edges, along_tree
from demospec.explain.many_scores import Together
from demospec.explain.surprise import gradient, surprise
from demospec.plan.base import ACCEPTED, Plan, Planner
from demospec.plan.rationality import Fixed, plan_for, rationalities_for
from demospec.plan.tabular import PLANNER, TabularPlanner
from demospec.problem import Problem, accepted_demonstrations
from demospec.tasks import DFA
from demospec.tasks.showing import html_of, short
from demospec.worlds.mdp import Floats

AT_ONCE = 32  # tasks whose rationality is looked for in the same passes


@dataclass(frozen=True)
class Score:
    """The numbers of one task. `size` is the whole task's, also where a prior makes part of it free."""

    task: DFA
    size: int
    surprise: float
    energy: float
    rationality: float
    satisfaction_probability: float

    def __repr__(self) -> str:
        return short(
            [
                f"Score: energy {self.energy:.4f}, {self.size} bits, surprise {self.surprise:.4f} nats, "
                f"rationality {self.rationality:g}, satisfied {self.satisfaction_probability:.4f}",
                str(self.task),
            ]
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A score with the plan behind it and the gradient at each node of the prefix tree."""

    score: Score
    plan: Plan
    along: AlongTree
    gradient: Floats

    def __repr__(self) -> str:
        return short([f"Evaluation at {len(self.gradient)} nodes of the prefix tree", repr(self.score)])

    def _repr_html_(self) -> str | None:
        return html_of(self)


def plan_task(problem: Problem, task: DFA, *, nearest: bool = False, planner: Planner | None = None) -> Plan:
    """Plan for the problem's agent with this task, by a planner or else by the problem's.

    A competency that the world does not allow is refused, or with `nearest` met as nearly as can be.
    """
    return plan_for(
        *(problem.mdp, problem.monitor(task), problem.agent, *complete_ones(problem, task)),
        nearest=nearest,
        planner=planner or problem.planner or PLANNER,
    )


def complete_ones(problem: Problem, task: DFA) -> tuple[int, int]:
    """Return how many complete demonstrations satisfy a task, and how many there are."""
    marks = zip(accepted_demonstrations(problem, task), problem.demonstrations, strict=True)
    complete = [mark for mark, path in marks if path.complete]
    return sum(complete), len(complete)


def evaluate(
    problem: Problem, task: DFA, *, nearest: bool = False, planner: Planner | None = None
) -> Evaluation:
    """Plan for a task and read the plan along the demonstrations."""
    tree = problem.tree
    plan = plan_task(problem, task, nearest=nearest, planner=planner)
    along = along_tree(tree, plan)
    nats = surprise(tree, along.log_edge)
    score = score_of(problem, task, nats, plan.rationality, plan.satisfaction_probability)
    return Evaluation(score, plan, along, gradient(tree, along.log_edge, along.deviation))


def score_of(problem: Problem, task: DFA, nats: float, rationality: float, satisfied: float) -> Score:
    """Return the numbers of a task whose surprise and satisfaction probability are known.

    U(φ) = size_weight · (size(φ) − size(prior)) + surprise_weight · h(φ)
    """
    weights, size = problem.weights, task.size
    energy = weights.size_weight * (size - problem.prior_size) + weights.surprise_weight * nats
    return Score(task, size, nats, energy, rationality, satisfied)


class Evaluator:
    """Evaluates tasks for a search: scores are kept for good, plans for the tasks used last.

    Two tasks of one language may differ in size: a composite has its own.
    """

    def __init__(self, problem: Problem, memory: int = 1 << 28, planner: Planner | None = None) -> None:
        self.problem, self.planner = problem, planner
        self.memory = memory  # bytes of plans to keep, and at least one plan
        self._held = 0
        self._scores: dict[tuple[DFA, int], Score] = {}
        self._evaluations: OrderedDict[tuple[DFA, int], Evaluation] = OrderedDict()

    def score(self, task: DFA) -> Score:
        """Return the task's numbers."""
        key = (task, task.size)
        if key not in self._scores:
            self._scores[key] = self.evaluation(task).score
        return self._scores[key]

    def remember(self, scores: Iterable[Score]) -> None:
        """Take scores that were computed before."""
        self._scores.update({(score.task, score.size): score for score in scores})

    @property
    def together(self) -> bool:
        """Say whether many tasks are planned in one pass."""
        return isinstance(self.planner or self.problem.planner or PLANNER, TabularPlanner)

    @property
    def quick(self) -> bool:
        """Say whether that takes a fraction of a millisecond each; a competency has to be looked for."""
        return self.together and isinstance(self.problem.agent, Fixed)

    def scores(self, tasks: Sequence[DFA]) -> list[Score]:
        """Return the numbers of many tasks, found together where the planner can do that.

        They do not depend on which tasks are asked for at once.
        """
        keys = [(task, task.size) for task in tasks]
        new = {key: key[0] for key in keys if key not in self._scores}
        left = [self.problem.check_task(task) for task in new.values()]
        if self.together:
            many = self._at_one_rationality if isinstance(self.problem.agent, Fixed) else self._at_their_own
            self.remember(many(left))
            return [self._scores[key] for key in keys]
        return [self.score(task) for task in tasks]

    def _at_one_rationality(self, tasks: Sequence[DFA]) -> list[Score]:
        rationality, found = self._numbers.rationality, self._numbers.numbers(tasks)
        return [
            score_of(self.problem, task, nats, rationality, satisfied)
            for task, (nats, satisfied) in zip(tasks, found, strict=True)
        ]

    def _at_their_own(self, tasks: Sequence[DFA]) -> Iterator[Score]:
        problem, planner = self.problem, replace(self._tabular, labels=(ACCEPTED,))
        for first in range(0, len(tasks), AT_ONCE):
            some = tasks[first : first + AT_ONCE]
            monitors = [problem.monitor(task) for task in some]
            accepted, complete = zip(*(complete_ones(problem, task) for task in some), strict=True)
            rationalities = rationalities_for(
                *(problem.mdp, monitors, problem.agent, accepted, complete[0]), nearest=True, planner=planner
            )
            plans = planner.plans(problem.mdp, list(zip(monitors, rationalities, strict=True)))
            nats = self._edges.surprises(plans).tolist()
            for task, plan, h in zip(some, plans, nats, strict=True):
                yield score_of(problem, task, h, plan.rationality, plan.satisfaction_probability)

    @property
    def _tabular(self) -> TabularPlanner:
        planner = self.planner or self.problem.planner or PLANNER
        assert isinstance(planner, TabularPlanner)
        return planner

    @cached_property
    def _edges(self) -> Edges:
        return Edges(self.problem.tree)

    @cached_property
    def _numbers(self) -> Together:
        problem, agent = self.problem, self.problem.agent
        assert isinstance(agent, Fixed)
        return Together(
            *(problem.tree, problem.alphabet, agent.rationality),
            merge_repeats=problem.merge_repeats,
            planner=self._tabular,
        )

    def evaluation(self, task: DFA) -> Evaluation:
        """Return the task's numbers with its plan."""
        key = (task, task.size)
        if key in self._evaluations:
            self._evaluations.move_to_end(key)
        else:
            made = evaluate(self.problem, task, nearest=True, planner=self.planner)
            self._evaluations[key] = made
            self._held += made.plan.bytes
            while self._held > self.memory and len(self._evaluations) > 1:
                _, oldest = self._evaluations.popitem(last=False)
                self._held -= oldest.plan.bytes
        return self._evaluations[key]
