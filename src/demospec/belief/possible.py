"""What is reported as possible: labels that the belief does not rule out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demospec.belief.weights import Belief
from demospec.mdp import Bools
from demospec.tasks import Word

POSSIBLE = 0.05  # a label with this probability at least is reported as possible


def possible(belief: Belief, words: Sequence[Word], labels: Sequence[bool], least: float = POSSIBLE) -> Bools:
    """Return [W]: whether each word's label has a probability of at least `least` under the belief."""
    accepted = belief.acceptances(words)
    chance = np.where(np.asarray(labels, dtype=np.bool_), accepted, 1.0 - accepted)
    found: Bools = chance >= least
    return found
