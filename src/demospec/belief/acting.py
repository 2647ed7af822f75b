"""What to act on: the likeliest answer, and with it whatever else may be meant and costs nothing.

The likeliest answer is right most often, but it leaves out what was hardly shown. So the others are taken as
well, likeliest first: each is kept to beside what there is so far, where the agent for all of it still
satisfies it nearly as often as the likeliest answer's own agent satisfies that. A conjunction is no guess at
what was meant, and it is made for the worlds in which the agents act.

    enough(φ) = Σⱼ wⱼ·[Pr(j | φ) ≥ 0.95 · Pr(j | j)]

wⱼ is the share of answer j of those that are compared, and Pr(j | φ) how often the agent that pursues φ
satisfies j; every agent acts as well as it can. How far a prior can be trusted is not known, so this is taken
twice, also with what was shown counted half, ln wⱼ = ln prior + ½ · ln evidence. The lower one is told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from demospec.belief.answers import ROUNDING, Answer, Answers, plan_size
from demospec.belief.belief import forms_of, task_cost
from demospec.belief.distance import Agents
from demospec.belief.tuned import (
    ACTING_STATES,
    ACTING_WORK,
    AS_OFTEN,
    COUNTED_HALF,
    FEWEST_COMPARED,
    FOR_NOTHING,
    MOST_MEANT,
    MOST_TOGETHER,
)
from demospec.explain.setup import resolve
from demospec.plan.rationality import MOST_RATIONAL
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools, Floats
from demospec.worlds.scene import Scene


@dataclass(frozen=True, eq=False)
class Acting:
    """What to act on: the likeliest answer and the others that are kept to as well, as one task."""

    task: DFA
    added: tuple[Answer, ...]
    enough: float  # how likely it is that acting on the task is enough, at least
    alone: float  # the same of the likeliest answer

    @property
    def same_as_answer(self) -> bool:
        """Say whether nothing is kept to beside the likeliest answer."""
        return not self.added


def acting_on(problem: Problem, answers: Answers, stop: Stop = NEVER) -> Acting | None:
    """Work out what to act on, unless agents are not compared, or sizes are no prior.

    None also where the likeliest answer cannot be satisfied.
    """
    if resolve(problem).code != "words" or not resolve(problem).planner.abilities.listed:
        return None
    plans = int(ACTING_WORK / (ACTING_STATES * plan_size(Agents(problem, [], [], stop))))
    meant = answers.all[: max(FEWEST_COMPARED, min(MOST_MEANT, plans))]  # fewer in large worlds
    effort = meant[0].smallest.effort
    tasks = [answer.smallest.language for answer in meant]
    task, added = for_nothing(problem, tasks, effort, stop)
    if task is None:
        return None
    suffices = sufficient(problem, [task, tasks[0]], tasks, effort, stop)
    both = np.array([believed(meant), counted_half(problem, meant)])  # [2, M]
    enough, alone = (suffices.astype(np.float64) @ both.T).min(axis=1).tolist()
    return Acting(task if added else tasks[0], tuple(meant[k] for k in added), enough, alone)


def acting_in(problem: Problem, scene: Scene, tasks: Sequence[DFA], effort: float) -> tuple[DFA, list[int]]:
    """Return what to act on in another world: the first task, with what costs nothing beside it there."""
    if not resolve(problem).planner.abilities.listed:
        return tasks[0], []
    whole, added = for_nothing(replace(problem, scenes=(scene,)), tasks[:MOST_MEANT], effort)
    return (tasks[0], []) if whole is None or not added else (whole, added)


def for_nothing(
    problem: Problem, tasks: Sequence[DFA], effort: float, stop: Stop = NEVER
) -> tuple[DFA | None, list[int]]:
    """Return the first task with all that costs nothing beside it, and the places of what was added.

    What follows already is not counted. None where the first task cannot be satisfied.
    """

    def satisfied(task: DFA) -> float:
        agent = Agents(problem, [task], [MOST_RATIONAL], stop, effort)
        chances = agent.worth[:, 0, 1].tolist()
        return math.fsum(share * chance for share, chance in zip(problem.shares, chances, strict=True))

    whole = tasks[0].minimal
    least = FOR_NOTHING * satisfied(whole) - ROUNDING
    if least <= 0:
        return None, []
    (form,) = forms_of(problem, [whole])
    added: list[int] = []
    for place, task in enumerate(tasks[1:], start=1):
        more = (whole & task).minimal
        (read,) = forms_of(problem, [more])
        if read != form and more.states <= MOST_TOGETHER and satisfied(more) >= least:
            whole, form = more, read
            added.append(place)
    return whole, added


def sufficient(
    problem: Problem, acted_on: Sequence[DFA], meant: Sequence[DFA], effort: float, stop: Stop = NEVER
) -> Bools:
    """Return [N, M]: whether acting on a task is enough if another was meant."""
    own, *by_others = satisfactions(problem, acted_on, meant, effort, stop)
    found: Bools = np.array(by_others) >= AS_OFTEN * own - ROUNDING
    return found


def satisfactions(
    problem: Problem, acted_on: Sequence[DFA], meant: Sequence[DFA], effort: float, stop: Stop = NEVER
) -> Floats:
    """Return [1 + N, M]: how often each task is satisfied by its own agent, and by those of N others."""
    tasks = [*meant, *acted_on]
    agents = Agents(problem, tasks, [MOST_RATIONAL] * len(tasks), stop, effort)
    every = range(len(meant))
    pairs = [(j, j) for j in every]
    pairs += [(i, j) for i in range(len(meant), len(tasks)) for j in every]
    shown = [(number, share) for number, share in enumerate(problem.shares) if share]
    found = sum(share * agents.chances(number, pairs) for number, share in shown)
    return np.asarray(found).reshape(1 + len(acted_on), len(meant))


def believed(answers: Sequence[Answer]) -> Floats:
    """Return the share [M] of each answer among these."""
    shares = np.array([answer.share for answer in answers])
    found: Floats = shares / shares.sum()
    return found


def counted_half(problem: Problem, answers: Sequence[Answer]) -> Floats:
    """Return the same where what was shown counts half: its evidence to the power of ½."""
    price = COUNTED_HALF * resolve(problem).weights.surprise_weight
    costs = [[task_cost(problem, one) - price * one.surprise for one in answer.members] for answer in answers]
    least = min(min(own) for own in costs)
    weights = np.array([math.fsum(math.exp(least - cost) for cost in own) for own in costs])
    found: Floats = weights / weights.sum()
    return found
