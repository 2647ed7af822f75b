"""Claims: which sentences follow from the task, as far as the belief goes: settled, likely or open.

The probability of a claim is the weight of the tasks that imply it here: every word of a whole episode in the
problem's worlds that such a task accepts satisfies the sentence. A task that accepts no episode implies
nothing. Where all words of episodes could be listed (`episodes.py`) that is exact, but for the least likely
tasks, which together have 0.01 % of the belief. Elsewhere `probability` is a lower bound and `at_most` an
upper one. The lower one counts the tasks that imply the sentence on all words, whether they occur or not,
and some that were seen to imply it by following all paths; a task that accepts words, but no episode, counts
there as well. The upper one counts those that no known word of an episode refutes.

Not told are claims that follow from others, nor those that only the world makes true: a sentence may hold on
all that a task accepts because whoever walks straight to y in few steps passes g at most twice. So a claim is
told only where most of its share comes from tasks that imply it on all words, whether they occur or not.

What would settle an open claim is a word of an episode here whose label tells most about it. A label is worth
the mutual information of "is this word accepted?" and "does the claim follow?" under the belief, less a
little for every letter that somebody has to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from demospec.belief.belief import Belief, forms_of
from demospec.belief.episodes import Episodes, Occurring, any_words, occurring_words
from demospec.belief.tuned import (
    CLAIMED,
    FEW_WORDS,
    LIGHT,
    MEANT,
    MOST_ASKED,
    MOST_TOLD,
    MOST_WALKS,
    NEAR,
    ONE_QUESTION,
    READING,
    SETTLES,
    TAIL,
)
from demospec.tasks import DFA, Word
from demospec.tasks.clauses import Clause
from demospec.tasks.clauses.clause import clause_library
from demospec.tasks.side_by_side import Stack, included
from demospec.tasks.words.clauses import candidates_of
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools, Floats, Ints
from demospec.worlds.walk import TooManySituations

DIGITS = 5  # of what labels tell: matrix products may round otherwise from one machine to the next
ROUNDING = 1e-12

Counted = npt.NDArray[np.float32]
Status = Literal["settled", "likely", "open", "unlikely"]
STATUSES: tuple[Status, ...] = ("settled", "likely", "open", "unlikely")


@dataclass(frozen=True)
class Claim:
    """A sentence, and how likely it is that it follows from the task."""

    clause: Clause
    probability: float
    at_most: float  # the same where all words of episodes are known
    settle: Settle | None = None  # of an open claim

    @property
    def sentence(self) -> str:
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
    found: Ints = np.searchsorted(-np.array(CLAIMED), -(shares + ROUNDING))
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
    implied = Implied(belief, words, CLAIMED[-1], stop)
    chosen = ClaimChoice(implied).told()
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


class ClaimChoice:
    """Which of the C clauses are told."""

    def __init__(self, implied: Implied) -> None:
        self.holds, self.weights = implied.here, implied.weights  # [T, C], from which tasks it follows; [T]
        self.shares = implied.share(implied.here)  # [C], what of the belief implies the claim here
        self.meant = implied.meant  # [C], the part of it that tasks have which imply the claim on all words
        self.status = statuses(self.shares)  # [C], 0 for settled, 1 for likely, 2 for open; more is not told
        self.satisfied, self.costs = implied.satisfied, implied.costs

    def told(self) -> list[int]:
        """Return the claims that are told: settled, likely, open, in each the simplest first."""
        left = np.flatnonzero((self.status < len(MOST_TOLD)) & (self.meant >= MEANT))
        left = self.strongest(left)
        told: list[int] = []
        for k in left[np.lexsort((self.costs[left], self.status[left]))].tolist():
            if not self.is_plain(k, told):
                told.append(k)
        for k in sorted(told, key=lambda one: -int(self.satisfied[one].sum())):  # the weakest first
            if self.follows(k, [other for other in told if other != k]):
                told.remove(k)
        by_status = ([k for k in told if self.status[k] == number] for number in range(len(MOST_TOLD)))
        return [k for alike, most in zip(by_status, MOST_TOLD, strict=True) for k in alike[:most]]

    def strongest(self, among: Ints) -> Ints:
        """Leave out what follows from a claim that is as sure, or nearly so."""
        rows = self.satisfied[among]
        follows = (rows.astype(np.float32) @ (~rows).T.astype(np.float32)) == 0  # [c, d]: d from c
        kept: list[int] = []
        for k in np.lexsort((self.costs[among], rows.sum(axis=1))).tolist():  # stronger ones first
            stronger = [one for one in kept if follows[one, k]]
            if not any(self.is_as_sure(among[one], among[k]) for one in stronger):
                kept.append(k)
        return among[np.sort(np.array(kept, dtype=np.intp))]

    def is_as_sure(self, one: int, other: int) -> bool:
        """Say whether a claim has the status of another, and nearly its share."""
        return bool(self.status[one] <= self.status[other] and self.shares[one] >= self.shares[other] - NEAR)

    def follows(self, one: int, told: list[int]) -> bool:
        """Say whether a claim follows from others that are as sure."""
        surer = [other for other in told if self.is_as_sure(other, one)]
        return bool(surer) and not (self.satisfied[surer].all(axis=0) & ~self.satisfied[one]).any()

    def is_plain(self, one: int, told: list[int]) -> bool:
        """Say whether what is told already makes a claim plain, or asks the same question."""
        open_ = [k for k in told if self.status[k] == self.status[one] == len(MOST_TOLD) - 1]
        agreement = (  # the share of the tasks from which both claims follow, or neither
            self.weights[self.holds[:, one] == self.holds[:, other]].sum() for other in open_
        )
        return self.follows(one, told) or any(share >= ONE_QUESTION for share in agreement)


class Implied:
    """Which of C clauses each of T tasks implies here; `weights` [T] are the tasks' shares.

    Clauses are left out that name a letter which never occurs, that every word here satisfies, or that tasks
    with less than the share `least` imply. A task that accepts no word implies nothing.
    """

    def __init__(self, belief: Belief, words: Occurring, least: float, stop: Stop = NEVER) -> None:
        self.problem, self.words, self.stop = belief.problem, words, stop
        count = int(np.searchsorted(np.cumsum(belief.weights), 1 - TAIL)) + 1
        self.weights: Floats = belief.weights[:count] / belief.weights[:count].sum()
        self.tasks = belief.forms[:count]
        self.stack = Stack.of(self.tasks)
        self.accepted = words.accepted(self.stack)  # [T, W]
        self.counted = self.accepted.astype(np.float32)  # the same, for matrix products
        accepts = (
            self.accepted.any(axis=1) if words.complete else [any(task.accepting) for task in self.tasks]
        )
        self.says_something: Bools = np.asarray(accepts)  # [T]; forms are minimal
        stop.check()
        letters, here = words.letters, Episodes(self.problem, stop)
        if not words.complete:
            letters = {letter for letter in self.problem.alphabet if here.why_unseen(letter) is None}
        sayable = [
            clause for clause in clause_library(self.problem.alphabet) if letters.issuperset(clause.letters)
        ]
        clauses = candidates_of(sayable, self.problem.alphabet)
        satisfied = words.accepted(clauses.stack)
        kept = np.flatnonzero(~satisfied.all(axis=1)) if words.complete else np.arange(len(clauses))
        few = np.unique(np.linspace(0, max(0, len(words) - 1), FEW_WORDS).astype(np.intp))[: len(words)]
        for some in (few, slice(None)):  # a few words first, which is quick
            holds = implied_on(self.counted[:, some], satisfied[kept][:, some])
            holds &= self.says_something[:, None]
            enough = self.weights @ holds >= least
            kept, holds = kept[enough], holds[:, enough]
            stop.check()
        self.heavy = min(count, int(np.searchsorted(np.cumsum(self.weights), 1 - LIGHT)) + 1)
        if words.complete:
            self.heavy = min(self.heavy, MOST_ASKED)
        self._perhaps: Bools = holds[: self.heavy]  # [H, C], what may follow on all words
        if not words.complete:
            sieve = any_words(self.problem.alphabet, merge_repeats=self.problem.merge_repeats)
            said, asked = sieve.accepted(clauses.stack), sieve.accepted(Stack.of(self.tasks[: self.heavy]))
            perhaps = self._perhaps & implied_on(asked.astype(np.float32), said[kept])
            enough = self.weights[: self.heavy] @ perhaps >= least
            kept, holds, self._perhaps = kept[enough], holds[:, enough], perhaps[:, enough]
            satisfied = np.concatenate([satisfied, said], axis=1)
        self.clauses: tuple[Clause, ...] = tuple(clauses.clauses[k] for k in kept.tolist())
        self.costs: Floats = clauses.costs[kept]  # [C], bits that it takes to say them
        self.satisfied: Bools = satisfied[kept]  # [C, W or more]: words here, then some that need not occur
        self.not_refuted: Bools = holds  # [T, C], by the words that are known

    def share(self, which: Bools) -> Floats:
        """Return [C]: the share of the tasks [T, C] that are marked, or of the first of them."""
        # Sums in a fixed order: a matrix product may round otherwise from one machine to the next.
        found: Floats = np.minimum((self.weights[: len(which), None] * which).sum(axis=0), 1.0)
        return found

    @cached_property
    def forms(self) -> list[DFA]:
        """Return the form of each clause, as words are read here."""
        letters = self.problem.alphabet
        return forms_of(self.problem, [clause.automaton(letters) for clause in self.clauses])

    @cached_property
    def always(self) -> Bools:
        """Return [T, C]: what the heavier tasks imply on all words, whether they occur or not."""
        found = np.zeros_like(self.not_refuted)
        task, clause = np.nonzero(self._perhaps)
        if len(task):
            found[task, clause] = included(self.stack, Stack.of(self.forms), task, clause)
        return found

    @property
    def meant(self) -> Floats:
        """Return [C]: of the heavier tasks that imply a clause here, the share of those that always do."""
        always, here = (self.share(which[: self.heavy]) for which in (self.always, self.here))
        return np.divide(always, here, out=np.zeros(len(here)), where=here > 0)

    @cached_property
    def here(self) -> Bools:
        """Return [T, C]: what is known to follow here; all of it where all words are known."""
        return self.not_refuted if self.words.complete else self.always

    def decide(self, clauses: Sequence[int]) -> tuple[Bools, Bools]:
        """Return [T, C] twice: what is known to follow here, and what may.

        For the given clauses the heaviest tasks that are left between are decided by following all paths.
        """
        least, most, place = self.here, self.not_refuted, Episodes(self.problem, self.stop)
        if self.words.complete or not place.is_listed:
            return least, most
        least, most = least.copy(), most.copy()
        left = most[: self.heavy] & ~least[: self.heavy]
        wide = [k for k in clauses if self.weights[: self.heavy] @ left[:, k] > LIGHT]
        pairs = [(task, k) for task in range(self.heavy) for k in wide if left[task, k]]
        for task, k in pairs[:MOST_WALKS]:
            form = self.tasks[task]
            try:
                least[task, k] = most[task, k] = not place.telling(form, form & self.forms[k])
            except TooManySituations:
                break
        return least, most

    def is_certain(self, clause: int) -> bool:
        """Say whether every episode is known to satisfy a clause; where all words are known, none is left."""
        place, form = Episodes(self.problem, self.stop), self.forms[clause]
        if self.words.complete or not place.is_listed or not self.satisfied[clause, : len(self.words)].all():
            return False
        try:
            return not place.telling(form, DFA.constant(form.alphabet, True))
        except TooManySituations:
            return False


def implied_on(counted: Counted, satisfied: Bools) -> Bools:
    """Return [T, C]: whether all words [T, W] that a task accepts satisfy a clause [C, W]."""
    broken = counted @ (~satisfied).T.astype(np.float32)  # how many do not
    found: Bools = broken == 0
    return found


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
    nats = shared_information(both.astype(np.float64), yes.astype(np.float64), follows).round(DIGITS)
    if not len(words) or nats.max() < SETTLES:
        return None
    worth = np.where(nats >= SETTLES, nats - READING * words.lengths, -np.inf)
    chosen = int(np.argmax(worth))  # of equals the first, which is the shortest
    chance, joint = (float(some[accepted[:, chosen] > 0].sum()) for some in (weights, own))

    def ratio(part: float, whole: float) -> float:  # nothing of nothing
        return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0

    return Settle(
        words.word(chosen),
        chance,
        ratio(joint, chance),
        ratio(follows - joint, 1 - chance),
        float(nats[chosen]),
        int(words.world[chosen]),
    )


def shared_information(both: Floats, yes: Floats, follows: float) -> Floats:
    """Return Σ p(x, y) ln (p(x, y) / (p(x) p(y))) [W] of two facts: both hold, the first does, the second.

    >>> shared_information(np.array([0.25, 0.5]), np.array([0.5, 0.5]), 0.5).round(4).tolist()
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
