"""The credible set: the likeliest answers that together have 95 % of the belief.

Tasks that were not compared with the others are answers of their own. An answer gives a word the label that
its tasks give; where they differ, each label that more than 5 % of the answer's share gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.belief.answers import Answers
from demospec.belief.letters import percent
from demospec.belief.weights import Belief
from demospec.explain.score import Score
from demospec.tasks import Word
from demospec.tasks.side_by_side import Stack
from demospec.worlds.mdp import Bools
from demospec.worlds.paths import word_of

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

    @cached_property
    def _stack(self) -> Stack:
        return Stack.of([self.belief.forms[place] for answer in self.answers for place in answer])

    def labels(self, words: Sequence[Word]) -> Bools:
        """Return [W, 2]: whether some answer rejects each word, and whether some answer accepts it."""
        merged = [word_of(word, merge_repeats=self.belief.problem.merge_repeats) for word in words]
        accepted = self._stack.accepts(merged)
        weights = np.array([self.belief.weights[place] for answer in self.answers for place in answer])
        first = np.cumsum([0, *(len(answer) for answer in self.answers[:-1])])
        yes = np.add.reduceat(weights[:, None] * accepted, first)
        share = np.add.reduceat(weights, first)[:, None]
        few = (1 - CREDIBLE) * share
        found: Bools = np.stack([(share - yes > few).any(axis=0), (yes > few).any(axis=0)], axis=1)
        return found

    def possible_labels(self, word: Word) -> tuple[bool, ...]:
        """Return the labels that answers of the set give a word: True, False or both."""
        rejected, accepted = self.labels([word])[0].tolist()
        return tuple(label for label, given in ((True, accepted), (False, rejected)) if given)


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
