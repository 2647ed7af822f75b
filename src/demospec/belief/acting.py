"""What to act on: the likeliest answer that is enough.

    enough(i) = Σⱼ wⱼ·[Prᵢ(j) ≥ 0.95 · Prⱼ(j)]

wⱼ is the probability of answer j, and Prᵢ(j) how often a run of the agent that pursues i satisfies j; every
agent acts as well as it can. The likeliest answer is right most often, but it leaves out what was hardly
shown, although keeping to it may cost nothing. So the answer that is named is the likeliest of those that are
enough with 90 %. One that has half of the belief needs only 80 %, and one that has two thirds is named in any
case. Where there is none, it is the one that is enough with the highest probability. An answer that is far
less likely than the likeliest is never named in its place.

Where agents cannot be compared in that way, the likeliest answer is named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.answers import Answer, Answers, plan_size
from demospec.belief.distance import Agents
from demospec.belief.tuned import (
    ACTING_STATES,
    ACTING_WORK,
    ALL_BUT,
    AS_OFTEN,
    ENOUGH,
    MOST_MEANT,
    MOST_NAMED,
    RIVALS,
    SURER,
)
from demospec.explain.setup import resolve
from demospec.plan.rationality import MOST_RATIONAL
from demospec.problem import Problem
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Acting:
    """The answer that is named, and how likely it is that acting on it is enough."""

    answer: Answer
    enough: float
    likeliest: Answer
    likeliest_enough: float

    @property
    def is_likeliest(self) -> bool:
        """Say whether no answer is likelier."""
        return self.answer is self.likeliest


def answer_to_act_on(problem: Problem, answers: Answers, stop: Stop = NEVER) -> Acting | None:
    """Choose it among answers, likeliest first; None where agents are not compared, or sizes are no prior."""
    if resolve(problem).code != "words" or not resolve(problem).planner.abilities.listed:
        return None
    most, many = how_many(problem, answers, stop)
    meant = answers.all[:many]
    first = meant[0]
    named = [answer for answer in meant[:most] if answer.share >= RIVALS * first.share]
    weights = np.array([answer.share for answer in meant])
    own, *by_others = satisfactions(problem, meant, len(named), stop)
    suffices = np.array(by_others) >= AS_OFTEN * own - ROUNDING  # [N, M]
    enough = suffices.astype(np.float64) @ (weights / weights.sum())
    of_first = next((least for share, least in SURER if first.share > share), ENOUGH)
    wanted = np.minimum([of_first, *[ENOUGH] * (len(named) - 1)], enough.max())
    chosen = int(np.flatnonzero(enough >= wanted - ROUNDING)[0])
    return Acting(named[chosen], float(enough[chosen]), first, float(enough[0]))


def answers_to_act_on(
    problem: Problem, answers: Answers, stop: Stop = NEVER
) -> tuple[Answers, Acting | None]:
    """Return the answers, of which the one to act on is named and comes first, and what is known of it."""
    found = answer_to_act_on(problem, answers, stop)
    return answers.naming(answers.all[0] if found is None else found.answer), found


def how_many(problem: Problem, answers: Answers, stop: Stop) -> tuple[int, int]:
    """Return how many answers may be named and may be meant: fewer in large worlds."""
    shares = np.cumsum([answer.share for answer in answers.all])
    wanted = min(MOST_MEANT, len(shares), 1 + int(np.searchsorted(shares, shares[-1] - ALL_BUT)))
    pairs = max(1, int(ACTING_WORK / (ACTING_STATES * plan_size(Agents(problem, [], [], stop)))))
    most = min(MOST_NAMED, wanted, max(1, math.isqrt(pairs)))
    return most, max(1, min(wanted, pairs // most))


def satisfactions(problem: Problem, meant: Sequence[Answer], named: int, stop: Stop = NEVER) -> Floats:
    """Return [1 + N, M]: how often each answer is satisfied by its own agent, and by those of the first N."""
    tasks = [answer.smallest.language for answer in meant]
    agents = Agents(problem, tasks, [MOST_RATIONAL] * len(tasks), stop, meant[0].smallest.effort)
    every = range(len(tasks))
    pairs = [(j, j) for j in every] + [(i, j) for i in range(named) for j in every]
    shown = [(number, share) for number, share in enumerate(problem.shares) if share]
    found = sum(share * agents.chances(number, pairs) for number, share in shown)
    return np.asarray(found).reshape(1 + named, len(tasks))
