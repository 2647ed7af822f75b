"""The soft Bellman backup in NumPy, and the witness of the compiled one.

V(ξ) = λ·[ξ ∈ φ]                      when ξ is complete
Q(ξ·a) = E[V(ξ·a·s) | a] − toll(a)    (environment; without effort there is no toll)
V(ξ) = ln Σₐ exp Q(ξ·a)               (agent)
ln π(a | ξ) = Q(ξ·a) − V(ξ)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from demospec.plan.columns import Columns, Structure
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Floats, Ints

MOST_PADDING = 3  # outcomes are padded to the widest pair while that at most triples their number


class Backup:
    """One world's outcomes. Arrays put world states (S) or state-action pairs (P) last."""

    def __init__(self, mdp: MDP) -> None:
        states, pairs = len(mdp.states), len(mdp.pair_action)
        offered = np.diff(mdp.pair_offset)
        self.states = states
        self.deciding: Ints = np.flatnonzero(offered)  # states that choose an action: not terminal
        self.everywhere = len(self.deciding) == states
        self.first = mdp.pair_offset[:-1][self.deciding]
        self.fan = offered[self.deciding]
        # With one number of actions for all, pairs are laid out action by action: [A, deciding].
        self.actions = int(self.fan[0]) if len(set(self.fan.tolist())) == 1 else 0  # 0: it differs
        order = (
            (self.first[None, :] + np.arange(self.actions)[:, None]).ravel()
            if self.actions
            else np.arange(pairs)
        )
        self.toll = None if mdp.toll is None else mdp.toll[order]
        counts = np.diff(mdp.outcome_offset)
        # Slot by slot, or flat where padding would cost more than it saves.
        self.padded = pairs * int(counts.max()) <= MOST_PADDING * len(mdp.successor)
        if self.padded:
            pair = np.repeat(np.arange(pairs), counts)
            slot = np.arange(len(mdp.successor)) - np.repeat(mdp.outcome_offset[:-1], counts)
            successors = np.zeros((pairs, int(counts.max())), dtype=np.intp)
            chances = np.zeros((pairs, int(counts.max())))  # a missing outcome has probability 0
            successors[pair, slot] = mdp.successor
            chances[pair, slot] = mdp.probability
            self._slots = list(zip(successors[order].T.copy(), chances[order].T.copy(), strict=True))
        else:
            flat = np.concatenate([np.arange(*mdp.outcome_offset[p : p + 2]) for p in order])
            self._flat = mdp.successor[flat], mdp.probability[flat]
            self._flat_first = np.concatenate([[0], np.cumsum(counts[order])[:-1]])

    def expect(self, arrival: Floats) -> Floats:
        """Return [N, P] expectations over the outcomes of each pair of [N, S] values on arrival.

        No matrix product: its sums would depend on the machine's library and number of threads.
        """
        if not self.padded:
            successor, chance = self._flat
            flat = arrival.take(successor, axis=1)
            flat *= chance
            return np.asarray(np.add.reduceat(flat, self._flat_first, axis=1))
        total: Floats | None = None
        for successor, chance in self._slots:
            part = arrival.take(successor, axis=1)
            part *= chance
            total = part if total is None else np.add(total, part, out=total)
        assert total is not None
        return total

    def soften(self, q: Floats, out: Floats | None = None) -> Floats:
        """Return [C, L, deciding] from [C, L, P]: V = ln Σₐ exp Q, and chances averaged by π.

        The largest Q is taken out of the sum, so that no rationality overflows.
        """
        value, p = q[0], q[1:]
        if self.actions:
            value = value.reshape(len(value), self.actions, -1)
            top = value.max(axis=1)
            value -= top[:, None, :]
            weight = np.exp(value, out=value)
            total = weight.sum(axis=1)
            p = p.reshape(len(p), *value.shape)
            p *= weight
            mean = p.sum(axis=2)
        else:
            top = np.maximum.reduceat(value, self.first, axis=1)
            weight = np.exp(value - np.repeat(top, self.fan, axis=1))
            total = np.add.reduceat(weight, self.first, axis=1)
            mean = np.add.reduceat(p * weight, self.first, axis=2)
        softened = np.empty((len(q), *total.shape)) if out is None else out
        np.divide(mean, total, out=softened[1:])
        np.log(total, out=softened[0])
        softened[0] += top
        return softened


backup_of = lru_cache(maxsize=16)(Backup)


def numpy_back_up(
    structure: Structure,
    columns: Columns,
    arrival: Floats,
    start: int,
    down_to: int,
    *,
    keep: bool,
    stop: Stop = NEVER,
) -> tuple[Floats | None, Floats]:
    """Back up the times from `start` down to `down_to`; the compiled one does the same.

    `arrival` is [S, C, L]: what arriving in a state is worth after time `start`. Returns the layers
    [times, S, C, L], if they are to be kept, beginning with `down_to`, and what arriving is worth one time
    earlier. Rows of states that decide nothing mean nothing.
    """
    backup = backup_of(structure.mdp)
    states, channels, width = structure.states, columns.channels, columns.width
    on = np.repeat(structure.goes_on[None, None], channels, axis=0)  # [C, 1, S]
    on[0] = structure.seen_to_go_on  # V is as the agent sees it; chances are as they are
    # Inside, states come last. One gather reads all channels after the state arrived at has been read.
    letter = structure.letter
    lines = columns.source[letter].T + (np.arange(channels) * width)[:, None, None]  # [C, L, S]
    gather = lines * states + np.arange(states)
    rest = (1.0 - on) * columns.final[letter].transpose(1, 2, 0)
    rest += on * columns.added[letter].transpose(1, 2, 0)
    may_end, has_rest = bool((on < 1).any()), bool(rest.any())
    layers = np.zeros((start - down_to + 1 if keep else 1, channels, width, states))
    inside = np.ascontiguousarray(arrival.transpose(1, 2, 0))
    for time in range(start, down_to - 1, -1):
        stop.check()
        q = backup.expect(inside.reshape(channels * width, states)).reshape(channels, width, -1)
        if backup.toll is not None:
            q[0] -= backup.toll
        row = layers[time - down_to if keep else 0]
        if backup.everywhere:
            backup.soften(q, out=row)
        else:
            row[..., backup.deciding] = backup.soften(q)
        inside = row.ravel()[gather]
        if may_end:
            inside *= on
        if has_rest:
            inside += rest
    return layers.transpose(0, 3, 1, 2) if keep else None, inside.transpose(2, 0, 1)
