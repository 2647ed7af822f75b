"""Claims: which sentences follow from the task, as far as the belief goes: settled, likely or open.

The probability of a claim is the weight of the tasks that imply it here: every word of a whole episode in the
problem's worlds that such a task accepts satisfies the sentence. A task that accepts no episode implies
nothing. Where all words of episodes could be listed (`occurring.py`) that is exact, but for the least likely
tasks, which together have 0.01 % of the belief. Elsewhere `probability` is a lower bound and `at_most` an
upper one. The lower one counts the tasks that imply the sentence on all words, whether they occur or not,
and some that were seen to imply it by following all paths; a task that accepts words, but no episode, counts
there as well. The upper one counts those that no known word of an episode refutes.

Which claims are told is a choice (`worth_telling.py`). What would settle an open one is a word whose label
tells most about it (`settling.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from demospec.belief.implied import Implied
from demospec.belief.occurring import Occurring, occurring_words
from demospec.belief.settling import Settle, settling
from demospec.belief.weights import Belief
from demospec.belief.worth_telling import Candidates
from demospec.tasks.clauses import Clause
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats, Ints

Status = Literal["settled", "likely", "open", "unlikely"]
STATUSES: tuple[Status, ...] = ("settled", "likely", "open", "unlikely")
LEAST = (0.95, 0.75, 0.25)  # the share from which a claim is settled, likely, open
ROUNDING = 1e-12


@dataclass(frozen=True)
class Claim:
    """A sentence, and how likely it is that it follows from the task."""

    clause: Clause
    probability: float
    at_most: float  # the same where all words of episodes are known
    settle: Settle | None = None  # of an open claim

    @property
    def sentence(self) -> str:
        """Return the sentence."""
        return self.clause.sentence

    @property
    def status(self) -> Status:
        """Return how sure it is."""
        return STATUSES[int(statuses(np.array([self.probability]))[0])]


def statuses(shares: Floats) -> Ints:
    """Return the number of each status.

    >>> statuses(np.array([0.95, 0.8, 0.25, 0.2])).tolist()
    [0, 1, 2, 3]
    """
    found: Ints = np.searchsorted(-np.array(LEAST), -(shares + ROUNDING))
    return found


@dataclass(frozen=True, eq=False)
class Claims:
    """The claims that are told, the surest first, and the words that were looked at."""

    told: tuple[Claim, ...]
    words: Occurring

    @property
    def exact(self) -> bool:
        """Say whether probabilities are exact: all words of episodes are known."""
        return self.words.complete

    def of(self, status: Status) -> tuple[Claim, ...]:
        """Return the claims that are settled, likely or open."""
        return tuple(claim for claim in self.told if claim.status == status)


def claims_of(belief: Belief, words: Occurring | None = None, stop: Stop = NEVER) -> Claims:
    """Work out which sentences follow from the task, how likely, and which of them are worth telling.

    A flag that is set meanwhile raises `Stopped`.
    """
    words = occurring_words(belief.problem, stop) if words is None else words
    implied = Implied(belief, words, LEAST[-1], stop)
    chosen = choose(implied)
    here, perhaps = implied.decide(chosen)
    least, most = implied.share(here), implied.share(perhaps)
    told = []
    for k in chosen:
        if implied.is_certain(k):
            continue
        claim = Claim(implied.clauses[k], float(least[k]), float(max(least[k], most[k])))
        if claim.status == "open":
            claim = replace(claim, settle=settling(words, implied.weights, here[:, k], implied.counted))
        told.append(claim)
    return Claims(tuple(sorted(told, key=lambda claim: -claim.probability)), words)


def choose(implied: Implied) -> list[int]:
    """Return the numbers of the clauses that are told."""
    shares = implied.share(implied.here)
    return Candidates(
        shares=shares,
        meant=implied.meant,
        status=statuses(shares),
        satisfied=implied.satisfied,
        costs=implied.costs,
        holds=implied.here,
        weights=implied.weights,
    ).chosen()
