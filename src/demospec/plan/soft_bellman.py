"""The soft Bellman backup on world × monitor × time: values, policy and satisfaction in one pass.

    V(ξ) = λ·[ξ ∈ φ]                      when ξ is complete
    Q(ξ·a) = E[V(ξ·a·s) | a]              (environment)
    V(ξ) = ln Σₐ exp Q(ξ·a)               (agent)
    ln π(a | ξ) = Q(ξ·a) − V(ξ)

What a path is worth depends on its past through (time, world state, monitor state) alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from demospec.errors import WorldError
from demospec.mdp import MDP, Floats, Ints
from demospec.monitor import Monitor

MOST_BYTES = 4 << 30  # of one plan
MOST_PADDING = 3  # outcomes are padded to the widest pair while that at most triples their number


class Backup:
    """One world's transition structure, laid out for the backup; made once and used for every task.

    Arrays put world states (S) or state-action pairs (P) last, so that each operation runs along them.
    """

    def __init__(self, mdp: MDP) -> None:
        self.mdp = mdp
        states, pairs = len(mdp.states), len(mdp.pair_action)
        offered = np.diff(mdp.pair_offset)
        self.deciding: Ints = np.flatnonzero(offered)  # states that choose an action: not terminal
        self.everywhere = len(self.deciding) == states
        first = mdp.pair_offset[:-1][self.deciding]
        fan = offered[self.deciding]
        self.actions = int(fan[0]) if len(set(fan.tolist())) == 1 else 0  # 0: it differs between states
        # With one number of actions for all, pairs are laid out action by action: [A, deciding].
        order = (
            (first[None, :] + np.arange(self.actions)[:, None]).ravel() if self.actions else np.arange(pairs)
        )
        self.first = first
        self.fan = fan

        counts = np.diff(mdp.outcome_offset)
        # Padded outcomes of each pair: [P, widest]; a missing outcome has probability 0.
        pair = np.repeat(np.arange(pairs), counts)
        slot = np.arange(len(mdp.successor)) - np.repeat(mdp.outcome_offset[:-1], counts)
        self.successors: Ints = np.zeros((pairs, int(counts.max())), dtype=np.intp)
        self.chances: Floats = np.zeros((pairs, int(counts.max())))
        self.successors[pair, slot] = mdp.successor
        self.chances[pair, slot] = mdp.probability
        # The same for the backup: slot by slot, or flat where padding would cost more than it saves.
        self.padded = pairs * int(counts.max()) <= MOST_PADDING * len(mdp.successor)
        if self.padded:
            self._slots = list(
                zip(self.successors[order].T.copy(), self.chances[order].T.copy(), strict=True)
            )
        else:
            flat = np.concatenate([np.arange(*mdp.outcome_offset[p : p + 2]) for p in order])
            self._flat = mdp.successor[flat], mdp.probability[flat]
            self._flat_first = np.concatenate([[0], np.cumsum(counts[order])[:-1]])

    def expect(self, arrival: Floats) -> Floats:
        """Return [C, P] expectations over the outcomes of each pair of [C, S] values on arrival.

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

    def soften(self, q: Floats) -> Floats:
        """Return [1 + C, M, S] from [1 + C, M, P]: V = ln Σₐ exp Q, and C probabilities averaged by π.

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
        softened = np.empty((len(q), *total.shape))
        np.divide(mean, total, out=softened[1:])
        np.log(total, out=softened[0])
        softened[0] += top
        return softened

    @cached_property
    def aimless(self) -> Floats:
        """Return [H, S]: V of an agent with nothing left to gain, on every path of t steps in s.

        Where the monitor cannot change any more, V is this plus the reward that is certain.
        """
        mdp = self.mdp
        goes_on = np.where(mdp.terminal, 0.0, 1.0 - mdp.episode.end_probability)
        value = np.zeros((mdp.horizon, len(mdp.states)))
        arrival = np.zeros((1, len(mdp.states)))
        for time in reversed(range(mdp.horizon)):
            value[time, self.deciding] = self.soften(self.expect(arrival)[:, None, :])[0, 0]
            arrival[0] = goes_on * value[time]
        return value


@lru_cache(maxsize=16)
def backup_of(mdp: MDP) -> Backup:
    """Return the world's backup structure, made on first use."""
    return Backup(mdp)


@dataclass(frozen=True, eq=False)
class Plan:
    """The maximum-entropy plan for one task: H time steps, M monitor states, S world states.

    `value[t, m, s]` is V of every path of t steps that stands in s with the monitor in m, s already
    read; `label[t, 0, m, s]` is the probability that it will be accepted, `label[t, 1, m, s]` that it
    will be rejected though a task of the class might accept it (see `Monitor.open`), `label[t, 2, m, s]`
    that it will be accepted though one might reject it (`Monitor.revocable`): only kept where that is not
    the first again. Entries of terminal states mean nothing: nothing is decided there.
    """

    mdp: MDP
    monitor: Monitor
    rationality: float
    value: Floats  # [H, M, S]
    label: Floats  # [H, C, M, S], C = 2 or 3
    reading: Ints  # [M, S]
    weights: dict[tuple[int | None, int, int, int], dict[int, float]] = field(default_factory=dict)
    """What sampling has worked out so far: (label, time, monitor, state) → weight of each pair."""

    @property
    def bytes(self) -> int:
        """Return how much memory the plan takes."""
        return self.value.nbytes + self.label.nbytes

    @property
    def start(self) -> int:
        """Return the monitor's state after reading the start state."""
        return int(self.reading[0, self.mdp.start])

    @property
    def satisfaction_probability(self) -> float:
        """Return p_sat: how often the agent satisfies its task."""
        return float(self.label[0, 0, self.start, self.mdp.start])

    def arrival(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return V for reaching `state` with step `time`, the monitor before it in `monitor`.

        The end of the episode is averaged in: it ends there, or goes on.
        """
        mdp, read = self.mdp, self.reading[monitor, state]
        ends = np.where(mdp.terminal[state] | (time >= mdp.horizon), 1.0, mdp.episode.end_probability)
        later = self.value[np.minimum(time, mdp.horizon - 1), read, state]
        final = self.rationality * self.monitor.accepting[read]
        result: Floats = ends * final + (1.0 - ends) * later
        return result

    def action_values(self, time: Ints, monitor: Ints, pair: Ints) -> Floats:
        """Return Q for choosing state-action pairs after `time` steps with the monitor in `monitor`."""
        backup = backup_of(self.mdp)
        after = self.arrival((time + 1)[:, None], monitor[:, None], backup.successors[pair])
        result: Floats = np.einsum("ij,ij->i", backup.chances[pair], after)
        return result


def plan(mdp: MDP, monitor: Monitor, rationality: float) -> Plan:
    """Run the backup from the horizon to the start."""
    states, width, horizon = len(mdp.states), monitor.states, mdp.horizon
    labels = [monitor.accepting, monitor.open]
    if (monitor.revocable != monitor.accepting).any():
        labels.append(monitor.revocable)
    channels = 1 + len(labels)
    if (needed := 8 * channels * horizon * width * states) > MOST_BYTES:
        raise WorldError(
            f"a plan for {states} states × {width} monitor states × {horizon} steps needs "
            f"{needed / 2**30:.1f} GiB; the limit is {MOST_BYTES / 2**30:.0f} GiB"
        )
    backup = backup_of(mdp)
    reading = monitor.reading(mdp)
    outputs = np.stack([float(rationality) * monitor.accepting, *labels])  # [1 + C, M]

    # Where the monitor cannot change any more, nothing needs to be computed.
    tables = np.empty((horizon, channels, width, states))
    tables[:] = outputs[:, :, None]
    tables[:, 0] += backup.aimless[:, None, :]
    live = np.flatnonzero([any(m != target for target in row) for m, row in enumerate(monitor.table)])
    if len(live):
        final = outputs[:, reading[live]]  # [1 + C, L, S]
        chance = np.where(mdp.terminal, 1.0, mdp.episode.end_probability)
        ended, goes_on = final * chance, 1.0 - chance
        # One gather reads all channels after the monitor has read the state arrived at.
        here = reading[live] * states + np.arange(states)
        gather = here + (np.arange(channels) * width * states)[:, None, None]
        rows = slice(None) if len(live) == width else live
        arrival = final
        for time in reversed(range(horizon)):
            q = backup.expect(arrival.reshape(channels * len(live), states)).reshape(channels, len(live), -1)
            if backup.everywhere:
                tables[time][:, rows] = backup.soften(q)
            else:
                tables[time][:, live[:, None], backup.deciding] = backup.soften(q)
            arrival = tables[time].ravel()[gather]
            arrival *= goes_on
            arrival += ended
    return Plan(mdp, monitor, float(rationality), tables[:, 0], tables[:, 1:], reading)
