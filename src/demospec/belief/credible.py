"""Credible sets: the likeliest answers that have 95 % of the belief, and for each word its credible labels.

The credible set of answers is the smallest that has 95 %. Tasks that were not compared with the others are
answers of their own.

The credible labels of a word are its own 95 % credible set: those that have more than 5 % of the belief
each, whichever answers give them. They are not the labels that answers of the set give: among a hundred small
answers some one gives nearly every label, also where the belief is sure of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.answers import Answers
from demospec.belief.weights import Belief
from demospec.explain.score import Score
from demospec.tasks import Word
from demospec.wording import percent
from demospec.worlds.mdp import Bools

CREDIBLE = 0.95  # of the belief
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Credible:
    """Answers, likeliest first: the places of each one's tasks in the belief; `share` is what they have."""

    belief: Belief
    answers: tuple[tuple[int, ...], ...]
    share: float
    of: int  # answers that there are

    @classmethod
    def set_of(cls, belief: Belief, answers: Answers | None = None, least: float = CREDIBLE) -> Credible:
        """Take the likeliest answers until they have the share; without answers every task is one."""
        groups = places(belief, answers)
        weights = [float(belief.weights[list(group)].sum()) for group in groups]
        order = sorted(range(len(groups)), key=lambda k: -weights[k])  # stable
        total = np.cumsum([weights[k] for k in order])
        count = min(len(order), int(np.searchsorted(total, least - ROUNDING)) + 1)
        return cls(belief, tuple(groups[k] for k in order[:count]), float(total[count - 1]), len(groups))

    @property
    def sentence(self) -> str:
        """Say how many answers are in the set."""
        if len(self.answers) == 1:
            return f"The first answer alone is the {percent(CREDIBLE)} credible set."
        return f"The {percent(CREDIBLE)} credible set has {len(self.answers)} of {self.of} answers."

    @property
    def scores(self) -> list[Score]:
        """Return the tasks of all its answers."""
        return [self.belief.scores[place] for answer in self.answers for place in answer]


def credible_labels(belief: Belief, words: Sequence[Word]) -> Bools:
    """Return [W, 2]: whether "rejected" and whether "accepted" is a credible label of each word."""
    accepted = belief.acceptances(words)
    found: Bools = np.stack([accepted < CREDIBLE, accepted > 1 - CREDIBLE], axis=1)
    return found


def places(belief: Belief, answers: Answers | None) -> list[tuple[int, ...]]:
    """Return the places of each answer's tasks in a belief; a task without an answer is one of its own."""
    number = {id(score): place for place, score in enumerate(belief.scores)}
    groups = (
        []
        if answers is None
        else [
            tuple(number[id(score)] for score in answer.members if id(score) in number)
            for answer in answers.all
        ]
    )
    known = {place for group in groups for place in group}
    return [group for group in groups if group] + [(k,) for k in range(len(belief.scores)) if k not in known]
