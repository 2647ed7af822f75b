"""How well a task explains the demonstrations: its energy, and what the energy is made of."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from demospec.mdp import Floats
from demospec.plan.along_tree import AlongTree, along_tree
from demospec.plan.base import Plan, Planner
from demospec.plan.rationality import plan_for
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem, accepted_demonstrations
from demospec.surprise import gradient, surprise
from demospec.tasks import DFA


@dataclass(frozen=True)
class Score:
    """The numbers of one task. `size` is the whole task's, also where a prior makes part of it free."""

    task: DFA
    size: int
    surprise: float
    energy: float
    rationality: float
    satisfaction_probability: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A score with the plan behind it and the gradient at each node of the prefix tree."""

    score: Score
    plan: Plan
    along: AlongTree
    gradient: Floats


def plan_task(problem: Problem, task: DFA, *, nearest: bool = False, planner: Planner | None = None) -> Plan:
    """Plan for the problem's agent with this task, by a planner or else by the problem's.

    A competency that the world does not allow is refused, or with `nearest` met as nearly as can be.
    """
    complete = [
        mark
        for mark, path in zip(accepted_demonstrations(problem, task), problem.demonstrations, strict=True)
        if path.complete
    ]
    return plan_for(
        *(problem.mdp, problem.monitor(task), problem.agent, sum(complete), len(complete)),
        nearest=nearest,
        planner=planner or problem.planner or PLANNER,
    )


def evaluate(
    problem: Problem, task: DFA, *, nearest: bool = False, planner: Planner | None = None
) -> Evaluation:
    """Plan for a task and read the plan along the demonstrations.

    U(φ) = size_weight · (size(φ) − size(prior)) + surprise_weight · h(φ)
    """
    tree = problem.tree
    plan = plan_task(problem, task, nearest=nearest, planner=planner)
    along = along_tree(tree, plan)
    nats = surprise(tree, along.log_edge)
    weights = problem.weights
    energy = weights.size_weight * (task.size - problem.prior_size) + weights.surprise_weight * nats
    score = Score(task, task.size, nats, energy, plan.rationality, plan.satisfaction_probability)
    return Evaluation(score, plan, along, gradient(tree, along.log_edge, along.deviation))


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
