"""What the tasks of a belief imply here: which sentences hold on every episode that a task accepts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from demospec.belief.distance import Agents
from demospec.belief.here import Here
from demospec.belief.letters import why_unseen
from demospec.belief.occurring import Occurring, any_words
from demospec.belief.weights import Belief, forms_of
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.clauses import Clause
from demospec.tasks.clauses.library import library
from demospec.tasks.side_by_side import Stack, included
from demospec.tasks.words.clauses import of_clauses
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools, Floats
from demospec.worlds.walk import TooManySituations

TAIL = 1e-4  # of the belief: the tasks that are left out
LIGHT = 0.01  # of the belief: the tasks that are not asked what they imply on all words
MOST_ASKED = 1000  # tasks, where what they imply on all words only chooses what is told
FEW = 128  # words on which most sentences are seen not to follow
MOST_WALKS = 24  # pairs of a task and a clause that are decided by following all paths

Counted = npt.NDArray[np.float32]


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
        clauses = of_clauses(sayable(self.problem, words), self.problem.alphabet)
        satisfied = words.accepted(clauses.stack)
        kept = np.flatnonzero(~satisfied.all(axis=1)) if words.complete else np.arange(len(clauses))
        few = np.unique(np.linspace(0, max(0, len(words) - 1), FEW).astype(np.intp))[: len(words)]
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
        least, most, place = self.here, self.not_refuted, Here(self.problem, self.stop)
        if self.words.complete or not place.is_listed:
            return least, most
        least, most = least.copy(), most.copy()
        left = most[: self.heavy] & ~least[: self.heavy]
        wide = [k for k in clauses if self.weights[: self.heavy] @ left[:, k] > LIGHT]
        pairs = [(task, k) for task in range(self.heavy) for k in wide if left[task, k]]
        for task, k in pairs[:MOST_WALKS]:
            one = self.tasks[task]
            try:
                least[task, k] = most[task, k] = not place.telling(one, one & self.forms[k])
            except TooManySituations:
                break
        return least, most

    def is_certain(self, clause: int) -> bool:
        """Say whether every episode is known to satisfy a clause; where all words are known, none is left."""
        place, form = Here(self.problem, self.stop), self.forms[clause]
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


def sayable(problem: Problem, words: Occurring) -> list[Clause]:
    """Return the sentences of the vocabulary about letters that occur."""
    if words.complete:
        letters = words.letters
    else:
        agents = Agents(problem, [], [])
        letters = {letter for letter in problem.alphabet if why_unseen(agents, letter) is None}
    return [clause for clause in library(problem.alphabet) if letters.issuperset(clause.letters)]
