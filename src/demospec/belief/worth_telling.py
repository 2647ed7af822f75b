"""Which claims are told: not those that follow from others, nor those that only the world makes true.

A sentence may hold on all that a task accepts for no reason but the world: whoever walks straight to y in few
steps passes g at most twice. So a claim is told only where most of its share comes from tasks that imply it
on all words, whether they occur or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.worlds.mdp import Bools, Floats, Ints

NEAR = 0.05  # of the belief: a stronger claim that has nearly as much makes one superfluous
SAME = 0.9  # of the belief agrees on two open claims: they are one question
MEANT = 0.8  # of a claim's share is of tasks that imply it on all words
MOST = (5, 4, 3)  # settled, likely and open claims that are told


@dataclass(frozen=True, eq=False)
class Candidates:
    """C claims among which is chosen, T tasks, W words."""

    shares: Floats  # [C], of the belief
    meant: Floats  # [C], the part of it that tasks have which imply the claim on all words
    status: Ints  # [C], 0 for settled, 1 for likely, 2 for open; more is not told
    satisfied: Bools  # [C, W], which words satisfy the sentence
    costs: Floats  # [C], bits that it takes to say it
    holds: Bools  # [T, C], from which tasks it follows
    weights: Floats  # [T]

    def chosen(self) -> list[int]:
        """Return the claims that are told: settled, likely, open, in each the simplest first."""
        left = np.flatnonzero((self.status < len(MOST)) & (self.meant >= MEANT))
        left = self.strongest(left)
        told: list[int] = []
        for k in left[np.lexsort((self.costs[left], self.status[left]))].tolist():
            if not self.is_plain(k, told):
                told.append(k)
        for k in sorted(told, key=lambda one: -int(self.satisfied[one].sum())):  # the weakest first
            if self.follows(k, [other for other in told if other != k]):
                told.remove(k)
        some = [[k for k in told if self.status[k] == one][:most] for one, most in enumerate(MOST)]
        return [k for alike in some for k in alike]

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
        open_ = [k for k in told if self.status[k] == self.status[one] == len(MOST) - 1]
        return self.follows(one, told) or any(self.agreement(one, other) >= SAME for other in open_)

    def agreement(self, one: int, other: int) -> float:
        """Return the share of the tasks from which both claims follow, or neither."""
        return float(self.weights[self.holds[:, one] == self.holds[:, other]].sum())
