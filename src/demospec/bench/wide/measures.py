"""What an answer is worth where the truth is known: acting on it, and how far it behaves as the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief import Belief
from demospec.belief.answers import Answer, Answers
from demospec.belief.credible import Credible
from demospec.belief.distance import Agents
from demospec.bench.measures import Bin, reliability
from demospec.plan.base import LABELS
from demospec.plan.mixture import plan_reading
from demospec.plan.monitor import make_monitor
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.mixture import Mixture
from demospec.worlds.mdp import MDP, Bools, Floats

TOLD_ANSWERS = 0.01  # the share from which on an answer counts in the calibration
BEHAVES = 0.01  # nats an episode, both ways: a hundred episodes tell less than one nat
MOST_ANSWERS = 150  # that are compared with the truth, likeliest first


def truth_satisfied(world: MDP, mixture: Mixture, rationality: float, truth: DFA) -> float:
    """Return how often somebody who acts on a mixture of tasks satisfies the truth; repeats are merged."""
    monitor = make_monitor(truth, merge_repeats=True)
    return plan_reading(PLANNER, world, mixture, rationality, monitor).expected_chance(len(LABELS))


def only(task: DFA) -> Mixture:
    """Return one task as a mixture."""
    return Mixture.of([(task, 1.0)], merge_repeats=True)


@dataclass(frozen=True)
class Nearness:
    """How near answers are to the truth, to agents that are as the demonstrator."""

    nats: float  # KL(truth ‖ headline), nats an episode
    alike: tuple[bool, ...]  # [A], which answers behave as the truth


def nearness(
    problem: Problem, answers: Sequence[Answer], headline: int, truth: DFA, rationality: float, effort: float
) -> Nearness:
    """Compare the likeliest task of each answer with the truth, both ways, pursued by the same agent.

    An answer that holds the truth itself behaves as it does.
    """
    some = answers[: max(MOST_ANSWERS, headline + 1)]
    leaders = [answer.members[0] for answer in some]
    tasks = [truth, *(one.language for one in leaders)]
    agents = Agents(problem, tasks, [rationality] * len(tasks), effort=effort)
    near = agents.alike(0, range(1, len(tasks)), BEHAVES)
    for number, answer in enumerate(some):
        near[number] = near[number] or any(one.language.minimal == truth.minimal for one in answer.members)
    nats = float(agents.divergences([(0, headline + 1)])[0])
    return Nearness(nats, (*near, *(False for _ in answers[len(some) :])))


@dataclass(frozen=True)
class CredibleMarks:
    """What a credible set is worth."""

    holds: bool  # one of its answers behaves as the truth
    covers: float  # the share of words whose true label one of its answers gives
    excludes: bool  # all of its answers agree on one of the words


def credible_marks(
    belief: Belief, answers: Answers, alike: Sequence[bool], words: Sequence[Word], labels: Bools
) -> CredibleMarks:
    """Measure the credible set, on words with the truth's labels."""
    credible = Credible.set_of(belief, answers)
    number = {id(score): place for place, score in enumerate(belief.scores)}
    true_ones = {
        number.get(id(score))
        for answer, same in zip(answers.all, alike, strict=True)
        if same
        for score in answer.members
    }
    held = any(place in true_ones for group in credible.answers for place in group)
    given = credible.labels(words)  # [W, 2]
    covers = float(given[np.arange(len(words)), labels.astype(np.intp)].mean())
    return CredibleMarks(held, covers, not bool(given.all()))


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return the expected calibration error: how far what was predicted is from what came, on average.

    >>> calibration_error([Bin(3, 0.6, 0), Bin(1, 0.9, 1)])
    0.175
    """
    total = sum(one.count for one in bins)
    return sum(abs(one.predicted - one.accepted) for one in bins) / total if total else None


def labels_of(truth: DFA, words: Sequence[Word]) -> Bools:
    """Return which words the truth accepts."""
    return np.array([truth.accepts(word) for word in words], dtype=np.bool_)


def shares_of(answers: Sequence[Answer]) -> Floats:
    """Return the probabilities of answers; sums may exceed 1 by rounding."""
    return np.array([min(max(answer.share, 0.0), 1.0) for answer in answers])


def true_share(shares: Floats, alike: Sequence[bool]) -> float:
    """Return the probability of all answers that behave as the truth."""
    return min(float(shares[np.array(alike)].sum()), 1.0)


def answer_bins(shares: Floats, alike: Sequence[bool]) -> tuple[Bin, ...]:
    """Return how often answers came true, by their probabilities; those that behave as the truth are one."""
    others = shares[~np.array(alike)].tolist()
    chances = np.array([*others, true_share(shares, alike)])
    came = np.array([False] * len(others) + [True])
    told = chances >= TOLD_ANSWERS
    return reliability(chances[told], came[told])
