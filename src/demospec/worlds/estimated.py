"""A world whose probabilities are shares of counts, and the worlds that could have given such counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.worlds.mdp import MDP, Bools, Floats


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EstimatedMDP(MDP):
    """An MDP that was sampled: an outcome's probability is its share of the pair's counts.

    A state-action pair that was never tried stays where it is, with count 0.
    """

    counts: Floats  # [O]

    @cached_property
    def tries(self) -> Floats:
        """Return [P]: how often each state-action pair was tried."""
        return np.asarray(np.add.reduceat(self.counts, self.outcome_offset[:-1]))

    @cached_property
    def known(self) -> Bools:
        """Return [S]: whether every action of a state was tried."""
        known = np.ones(len(self.states), dtype=np.bool_)
        owner = np.repeat(np.arange(len(self.states)), np.diff(self.pair_offset))
        known[owner[self.tries == 0]] = False
        return known

    @cached_property
    def unseen(self) -> float:
        """Return what a pair's outcomes that were not seen count, beside those that were.

        By Good and Turing: as many as were seen once, on average over pairs; and one more in all of them.
        """
        return float(np.sum(self.counts == 1) + 1) / max(1, int(np.sum(self.tries > 0)))

    def redrawn(self, rng: np.random.Generator) -> MDP:
        """Draw a world that could have given these counts: a pair's outcomes by Dirichlet(counts, unseen).

        The last share goes to a state drawn from all of them, if the pair has not led there so far. A pair
        that was never tried leads there for sure.
        """
        states, pairs = len(self.states), len(self.pair_action)
        elsewhere = rng.integers(states, size=pairs)
        pair = np.repeat(np.arange(pairs), np.diff(self.outcome_offset))
        seen = (pair * states + self.successor)[self.counts > 0]
        new = ~np.isin(np.arange(pairs) * states + elsewhere, seen)

        # Each pair's outcomes, and behind them the one that was not seen.
        ends = self.outcome_offset[1:]
        offset = self.outcome_offset + np.arange(pairs + 1)
        weight = rng.standard_gamma(np.insert(self.counts, ends, np.where(new, self.unseen, 0.0)))
        weight[offset[1:][self.tries == 0] - 1] = 1.0
        total = np.add.reduceat(weight, offset[:-1])
        probability = weight / np.repeat(total, np.diff(offset))
        possible = probability > 0
        return MDP(
            states=self.states,
            actions=self.actions,
            starts=self.starts,
            labels=self.labels,
            terminal=self.terminal,
            pair_offset=self.pair_offset,
            pair_action=self.pair_action,
            outcome_offset=np.concatenate([[0], np.cumsum(possible)])[offset],
            successor=np.insert(self.successor, ends, elsewhere)[possible],
            probability=probability[possible],
            episode=self.episode,
            costs=self.costs,
        )
