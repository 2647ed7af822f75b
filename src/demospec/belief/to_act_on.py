"""The task to act on: of the leading answers the one whose agent is expected to do most of what was meant.

    expected(i) = Σⱼ wⱼ·Pr(a run of the agent that pursues i satisfies j)

wⱼ is the probability of answer j. The likeliest answer is right most often; it need not be the one to act on,
as it leaves out what is hardly shown, although keeping to it may cost nothing. Every agent acts as well as it
can. Of answers that are as good, the likeliest counts. One plan for all of them (`belief_policy`) does
better still, but is no task that could be told or handed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.answers import Answer, Answers
from demospec.belief.determined import SURE
from demospec.explain.score import Likely
from demospec.plan.base import LABELS
from demospec.plan.mixture import plan_reading
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MOST_RATIONAL
from demospec.problem import Problem
from demospec.tasks.mixture import Mixture
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats

CONSIDERED, FEWEST = 12, 2  # answers, likeliest first
WORK = 5e7  # numbers in the plans of all pairs, about: larger worlds consider fewer answers
STATES = 12  # of two tasks side by side, about
AS_GOOD = 1e-2  # of what is expected: a run in a hundred


@dataclass(frozen=True, eq=False)
class ToActOn:
    """The answer to act on, and how often its agent is expected to satisfy what was meant."""

    answer: Answer
    expected: float
    headline_expected: float  # the same of the likeliest answer
    considered: int  # answers

    @property
    def is_headline(self) -> bool:
        """Say whether it is the likeliest answer."""
        return self.answer.holds_best


def to_act_on(problem: Problem, answers: Answers, stop: Stop = NEVER) -> ToActOn | None:
    """Choose it; None where plans cannot be asked for it, or where one answer is as good as certain."""
    first = answers.all[0]
    some = answers.all[: how_many(problem)]
    if not problem.planner.abilities.rewards or not problem.planner.abilities.listed:
        return None
    if first.share >= SURE or len(some) < FEWEST or not first.holds_best:
        return None
    chances = satisfied(problem, some, stop)
    weights = np.array([answer.share for answer in some])
    expected = chances @ (weights / weights.sum())
    chosen = int(np.flatnonzero(expected >= expected.max() - AS_GOOD)[0])
    return ToActOn(some[chosen], float(expected[chosen]), float(expected[0]), len(some))


def how_many(problem: Problem) -> int:
    """Return how many answers are considered: fewer in large worlds."""
    if not problem.planner.abilities.listed:
        return FEWEST
    shown = zip(problem.scenes, problem.shares, strict=True)
    listed = [scene.world.listed() for scene, share in shown if share]
    cells = sum(world.horizon * len(world.states) for world in listed)
    return max(FEWEST, min(CONSIDERED, int((WORK / (STATES * max(1, cells))) ** 0.5)))


def satisfied(problem: Problem, answers: Sequence[Answer], stop: Stop = NEVER) -> Floats:
    """Return [A, A]: how often the agent that pursues an answer satisfies each of them."""
    tasks = [answer.name.task for answer in answers]
    monitors = [make_monitor(task.automaton, merge_repeats=problem.merge_repeats) for task in tasks]
    pursued = [Mixture.of([(task, 1.0)], merge_repeats=problem.merge_repeats) for task in tasks]
    agent = Likely(MOST_RATIONAL, answers[0].name.effort)
    planner = problem.planner.until(stop)
    found = np.zeros((len(tasks), len(tasks)))
    for scene, share in zip(problem.scenes, problem.shares, strict=True):
        if share:
            world = agent.world(scene)
            for row, one in enumerate(pursued):
                for column, other in enumerate(monitors):
                    stop.check()
                    plan = plan_reading(planner, world, one, agent.rationality, other)
                    found[row, column] += share * plan.expected_chance(len(LABELS))
    return found
