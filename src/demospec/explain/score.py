"""Surprise, proxy surprise and its gradient: the prefix tree and probabilities on it, nothing else.

How well a task explains the demonstrations: its energy, and what the energy is made of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.explain.evidence import Evidence, Finding
from demospec.explain.setup import resolve
from demospec.plan.along_tree import AlongTree, along_tree
from demospec.plan.base import Plan, Planner
from demospec.plan.rationality import (
    TOLERANCE,
    Agent,
    Competency,
    Fixed,
    Learned,
    rationalities_for,
    satisfaction,
)
from demospec.problem import Problem, accepted_demonstrations
from demospec.tasks import DFA, Task
from demospec.tasks.showing import Displayed, bits_text, short
from demospec.worlds.mdp import Floats
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.scene import Scene
from demospec.worlds.world import World


def surprise(tree: PrefixTree, log_edge: Floats) -> float:
    """Return h = −Σ #₍ᵢ,ⱼ₎ ln Pr(i ⇝ j) over the agent's edges, in nats."""
    return float(-(tree.count * log_edge)[tree.chosen].sum() + 0.0)


def gradient(tree: PrefixTree, log_edge: Floats, deviation: Floats) -> Floats:
    """Return ∂ĥ/∂𝕍 [N] (Prop. 2) in one pass, linear in the tree.

    w(i) = Σⱼ #₍ᵢ,ⱼ₎ over the agent's edges that leave i − # of the agent's edge that enters i
    g(n) = w(n) + g(parent)·Pr(parent ⇝ n)
    ∂ĥ/∂𝕍ₙ = g(n)·Pr(deviate at n)
    """
    entering = np.where(tree.chosen, tree.count, 0)
    inner = tree.parent >= 0
    leaving = np.bincount(tree.parent[inner], entering[inner], minlength=len(tree))
    g: list[float] = (leaving - entering).tolist()
    edge: list[float] = np.exp(log_edge).tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            g[node] += g[parent] * edge[node]
    return np.array(g) * deviation


# -- How well a task explains the demonstrations ---------------------------------------------------------


@dataclass(frozen=True)
class Score(Displayed):
    """The numbers of one task. `size` is the whole task's, also where a prior makes part of it free."""

    task: Task
    size: int | float  # in the problem's code
    surprise: float
    energy: float
    rationality: float
    satisfaction_probability: float
    reached: bool = True  # False: no agent with this task is as competent as it is known to be
    effort: float = 0.0
    haste: float = 0.0

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


@dataclass(frozen=True, eq=False)
class Reading:
    """A task's plan in one world, read along what was shown there, and the gradient at each node."""

    along: AlongTree
    gradient: Floats

    @property
    def plan(self) -> Plan:
        return self.along.plan

    @property
    def tree(self) -> PrefixTree:
        return self.along.tree


@dataclass(frozen=True, eq=False)
class Evaluation(Displayed):
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

    @property
    def memory(self) -> int:
        """Return how much memory the plans take."""
        return sum(reading.plan.bytes for reading in self.readings)

    def __repr__(self) -> str:
        nodes = sum(len(reading.gradient) for reading in self.readings)
        return short([f"Evaluation at {nodes} nodes of prefix trees", repr(self.score)])


def plan_task(problem: Problem, task: Task, scene: Scene | None = None, *, nearest: bool = False) -> Plan:
    """Plan for the problem's agent with this task, in one scene or in the only one.

    A competency that the worlds do not allow is refused, or with `nearest` met as nearly as can be.
    """
    chosen = problem.scene() if scene is None else scene
    likely = agent_of(problem, task, nearest=nearest)
    return resolve(problem).planner.plan(
        likely.world(chosen), resolve(problem).monitor(task), likely.rationality
    )


@dataclass(frozen=True)
class Likely:
    """The agent that pursues a task: how it goes about it, and the surprise of all that it may be."""

    rationality: float
    effort: float = 0.0
    haste: float = 0.0
    surprise: float | None = None  # −ln of the evidence, where the agent is learned

    @classmethod
    def of(cls, found: Score | Finding) -> Likely:
        """Return the agent that a score or the evidence found likeliest, with the surprise of all."""
        return cls(found.rationality, found.effort, found.haste, found.surprise)

    def world(self, scene: Scene) -> World:
        """Return a scene's world as this agent feels it."""
        return scene.felt_by(self)


def agent_of(
    problem: Problem, task: Task, *, nearest: bool = False, planner: Planner | None = None
) -> Likely:
    """Return the agent that pursues a task: as it is known to be, or the likeliest."""
    agent, planner = resolve(problem).agent, planner or resolve(problem).planner
    if isinstance(agent, Learned):
        (found,) = Evidence(problem, planner, agent).everywhere([problem.check_task(task).automaton])
        return Likely.of(found)
    if isinstance(agent, Fixed):
        return Likely(agent.rationality)
    return Likely(*competent(problem, [task], agent, planner, nearest=nearest))


def competent(
    problem: Problem, tasks: Sequence[Task], agent: Agent, planner: Planner, *, nearest: bool
) -> list[float]:
    """Return the rationality with which an agent satisfies each task as often as it is known to."""
    accepted = []  # of the complete demonstrations
    for task in tasks:
        marks = zip(accepted_demonstrations(problem, task), problem.demonstrations, strict=True)
        accepted.append(sum(mark for mark, path in marks if path.complete))
    shares = zip(problem.scenes, problem.shares, strict=True)
    return rationalities_for(
        [(scene.world, share) for scene, share in shares if share],
        [resolve(problem).monitor(task) for task in tasks],
        agent,
        accepted,
        sum(path.complete for path in problem.demonstrations),
        nearest=nearest,
        planner=planner,
    )


def evaluate(
    problem: Problem,
    task: Task,
    *,
    nearest: bool = False,
    planner: Planner | None = None,
    likely: Likely | None = None,
) -> Evaluation:
    """Plan for a task in every world and read the plans along the demonstrations; surprises add up.

    The agent is the problem's, unless it is known which of those that it may be is likely.
    """
    problem.check_shown()
    planner = planner or resolve(problem).planner
    monitor = resolve(problem).monitor(task)
    if likely is None:
        likely = agent_of(problem, task, nearest=nearest, planner=planner)
    read = [
        along_tree(scene.tree, planner.plan(likely.world(scene), monitor, likely.rationality))
        for scene in problem.scenes
    ]
    readings = tuple(Reading(one, gradient(one.tree, one.log_edge, one.deviation)) for one in read)
    nats = likely.surprise
    if nats is None:
        nats = math.fsum(surprise(reading.tree, reading.along.log_edge) for reading in readings)
    plans = [reading.plan for reading in readings]
    satisfied = satisfaction(list(zip(plans, problem.shares, strict=True)))
    found = Finding(nats, likely.rationality, likely.effort, satisfied, likely.haste)
    return Evaluation(scores_of(problem, [task], [found])[0], readings)


def scores_of(problem: Problem, tasks: Sequence[Task], found: Sequence[Finding]) -> list[Score]:
    """Return the numbers of tasks whose surprise, agent and satisfaction probability are known.

    U(φ) = size_weight · (size(φ) − size(prior)) + surprise_weight · h(φ)
    """
    setup = resolve(problem)
    known, agent, size_of = setup.prior_size, setup.agent, setup.size_of
    by_size, by_surprise = setup.weights.size_weight, setup.weights.surprise_weight
    least = agent.competency - 2 * TOLERANCE if isinstance(agent, Competency) else None
    result: list[Score] = []
    for task, (nats, rationality, effort, satisfied, haste, *_) in zip(tasks, found, strict=True):
        size = size_of(task)
        made = object.__new__(Score)  # thousands are made in a search, where the constructor takes longest
        made.__dict__.update(
            task=task,
            size=size,
            surprise=nats,
            energy=by_size * (size - known) + by_surprise * nats,
            rationality=rationality,
            satisfaction_probability=satisfied,
            reached=least is None or satisfied >= least,
            effort=effort,
            haste=haste,
        )
        result.append(made)
    return result
