"""What would settle an open claim: a word of an episode here whose label tells most about it.

A label is worth the mutual information of "is this word accepted?" and "does the claim follow?" under the
belief, less a little for every letter that somebody has to read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.belief.implied import Counted
from demospec.belief.occurring import Occurring
from demospec.tasks import Word
from demospec.worlds.mdp import Bools, Floats

EFFORT = 0.02  # nats: what reading a letter costs the one who is asked
DIGITS = 5  # of what labels tell: matrix products may round otherwise from one machine to the next
LEAST = 0.01  # nats: a label that tells less settles nothing


@dataclass(frozen=True)
class Settle:
    """A word: how likely it is accepted, and how likely the claim is after either label."""

    word: Word
    probability: float
    if_accepted: float
    if_rejected: float
    nats: float  # that the label tells about the claim
    world: int = 0  # the number of a world with an episode that has the word


def settling(words: Occurring, weights: Floats, believers: Bools, accepted: Counted) -> Settle | None:
    """Return the word that tells most; None where none of the known words tells anything.

    `believers` [T] are the tasks from which the claim follows, `accepted` [T, W] is 1 where a task accepts.
    """
    own = weights * believers
    follows = float(own.sum())
    both, yes = np.stack([own, weights]).astype(np.float32) @ accepted
    nats = information(both.astype(np.float64), yes.astype(np.float64), follows).round(DIGITS)
    if not len(words) or nats.max() < LEAST:
        return None
    worth = np.where(nats >= LEAST, nats - EFFORT * words.lengths, -np.inf)
    best = int(np.argmax(worth))  # of equals the first, which is the shortest
    chance, joint = (float(some[accepted[:, best] > 0].sum()) for some in (weights, own))
    return Settle(
        words.word(best),
        chance,
        ratio(joint, chance),
        ratio(follows - joint, 1 - chance),
        float(nats[best]),
        int(words.world[best]),
    )


def ratio(part: float, whole: float) -> float:
    """Return the share of a part; nothing of nothing."""
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0


def information(both: Floats, yes: Floats, follows: float) -> Floats:
    """Return Σ p(x, y) ln (p(x, y) / (p(x) p(y))) [W] of two facts: both hold, the first does, the second.

    >>> information(np.array([0.25, 0.5]), np.array([0.5, 0.5]), 0.5).round(4).tolist()
    [0.0, 0.6931]
    """
    told = np.zeros(len(yes))
    for joint, one, other in (
        (both, yes, follows),
        (yes - both, yes, 1 - follows),
        (follows - both, 1 - yes, follows),
        (1 - yes - follows + both, 1 - yes, 1 - follows),
    ):
        some = (joint > 0) & (one * other > 0)
        told[some] += joint[some] * np.log(joint[some] / (one * other)[some])
    return np.maximum(told, 0.0)
