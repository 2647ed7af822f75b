"""Draw paths from the maximum-entropy agent, conditioned on their label by Bayes' rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from demospec.demos import Path
from demospec.plan.soft_bellman import Plan

Step = tuple[int, int]
Item = TypeVar("Item")

ACCEPTED, OPEN = 0, 1  # channels of Plan.label


class Sampler:
    """Draws from one plan. `want` is a channel of `Plan.label`, or None for no condition."""

    def __init__(self, plan: Plan, rng: np.random.Generator, want: int | None = None) -> None:
        self.plan, self.mdp, self.rng, self.want = plan, plan.mdp, rng, want
        self.outputs = (plan.monitor.accepting.tolist(), plan.monitor.open.tolist())

    def pick(self, items: Sequence[Item], weights: Sequence[float]) -> Item | None:
        """Draw one item in proportion to its weight; None when all weights are 0."""
        total = math.fsum(weights)
        if total <= 0:
            return None
        left = self.rng.random() * total
        chosen = None
        for item, weight in zip(items, weights, strict=True):
            if weight > 0:
                chosen = item
                left -= weight
                if left < 0:
                    break
        return chosen

    def ended(self, monitor: int) -> float:
        """Return 1 when a path that ends with the monitor here has the wanted label."""
        return 1.0 if self.want is None else float(self.outputs[self.want][monitor])

    def going_on(self, time: int, monitor: int, state: int) -> float:
        """Return the probability of the wanted label for a path that goes on from here."""
        return 1.0 if self.want is None else float(self.plan.label[time, self.want, monitor, state])

    def outcomes(self, time: int, monitor: int, pair: int) -> list[tuple[tuple[int, bool], int, float]]:
        """Return ((state, ends there), monitor after it, weight) for each outcome of step `time`.

        A weight is the outcome's probability times that of the wanted label after it.
        """
        events = []
        for state, chance in self.mdp.outcomes(pair):
            read = int(self.plan.reading[monitor, state])
            stop = self.mdp.end_chance(state, time)
            if stop > 0:
                events.append(((state, True), read, chance * stop * self.ended(read)))
            if stop < 1:
                events.append(((state, False), read, chance * (1 - stop) * self.going_on(time, read, state)))
        return events

    def choose(self, time: int, monitor: int, state: int, options: Sequence[int]) -> int | None:
        """Draw one of the state-action pairs `options` after `time` steps."""
        pairs = np.asarray(options, dtype=np.intp)
        here = np.full(len(pairs), monitor, dtype=np.intp)
        q = self.plan.action_values(np.full(len(pairs), time, dtype=np.intp), here, pairs)
        policy = np.exp(q - self.plan.value[time, monitor, state]).tolist()
        if self.want is not None:
            after = [math.fsum(w for _, _, w in self.outcomes(time + 1, monitor, p)) for p in options]
            policy = [p * a for p, a in zip(policy, after, strict=True)]
        return self.pick(options, policy)

    def land(
        self, steps: list[Step], monitor: int, pair: int, allowed: Callable[[int, bool], bool]
    ) -> tuple[int, int, bool] | None:
        """Draw the outcome of a pair, append the step; return (state, monitor, ended)."""
        events = [e for e in self.outcomes(len(steps) + 1, monitor, pair) if allowed(*e[0])]
        event = self.pick(events, [weight for _, _, weight in events])
        if event is None:
            return None
        (state, ends), read, _ = event
        steps.append((pair, state))
        return state, read, ends

    def finish(self, steps: list[Step], monitor: int, state: int) -> Path | None:
        """Go on from an agent's turn until the episode ends; None when the label is impossible."""
        while True:
            pair = self.choose(len(steps), monitor, state, self.mdp.pairs(state))
            landed = None if pair is None else self.land(steps, monitor, pair, lambda *_: True)
            if landed is None:
                return None
            state, monitor, ends = landed
            if ends:
                return Path(tuple(steps), complete=True)


def sample_path(plan: Plan, rng: np.random.Generator) -> Path:
    """Draw one complete path of the agent."""
    path = Sampler(plan, rng).finish([], plan.start, plan.mdp.start)
    assert path is not None  # without a condition something always happens
    return path
