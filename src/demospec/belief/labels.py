"""What is reported as possible: labels that are believed, or that the demonstrations do not exclude.

A belief also says what it thinks of tasks beforehand: that small ones are likelier. A label may have next to
no probability for that reason alone, while a task gives it that nothing of its size explains much better.
So a label is possible as well when one of these, a rival, gives it.

Where sizes are bits of a prior (`code = "words"`) nothing need be added to the belief: there a label is
possible when it has more than 5 % of it (`credible.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demospec.belief.weights import Belief, acceptance
from demospec.tasks import Word
from demospec.worlds.mdp import Bools
from demospec.worlds.paths import word_of

POSSIBLE = 0.05  # a label with this probability at least is reported as possible


def possible(belief: Belief, words: Sequence[Word], labels: Sequence[bool], least: float = POSSIBLE) -> Bools:
    """Return [W]: whether each word's label has at least this probability, or a rival that gives it."""
    wanted = np.asarray(labels, dtype=np.bool_)
    accepted = belief.acceptances(words)
    chance = np.where(wanted, accepted, 1.0 - accepted)
    found: Bools = (chance >= least) | given_by_a_rival(belief, words, wanted)
    return found


def given_by_a_rival(belief: Belief, words: Sequence[Word], labels: Bools) -> Bools:
    """Return [W]: whether a task that the demonstrations do not exclude gives this label."""
    if not belief.rivals:
        return np.zeros(len(words), dtype=np.bool_)
    merged = [word_of(word, merge_repeats=belief.problem.merge_repeats) for word in words]
    given = acceptance([score.language for score in belief.rivals], merged)
    found: Bools = (given == labels).any(axis=0)
    return found


def possible_labels(belief: Belief, word: Word) -> tuple[bool, ...]:
    """Return the labels of a word that are reported as possible: True, False or both."""
    both = (True, False)
    return tuple(
        label for label, mark in zip(both, possible(belief, [word] * 2, both).tolist(), strict=True) if mark
    )
