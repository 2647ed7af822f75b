"""Draw paths from the maximum-entropy agent, conditioned on their label by Bayes' rule."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TypeVar

import numpy as np

from demospec.plan.base import Plan, tolls
from demospec.worlds.paths import Path, start_of

Step = tuple[int, int]
Item = TypeVar("Item")


class Sampler:
    """Draws from one plan. `want` is the label that paths shall have, or None for no condition.

    A step looks at a handful of numbers, so plain loops beat arrays here.
    """

    def __init__(self, plan: Plan, rng: np.random.Generator, want: int | None = None) -> None:
        self.plan, self.world, self.rng, self.want = plan, plan.world, rng, want
        outputs = plan.monitor.outputs
        self.reward = (plan.rationality * plan.monitor.reward).tolist()
        self.fits = [1.0] * plan.monitor.states if want is None else outputs[want].astype(float).tolist()

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

    def ended(self, monitor: int) -> bool:
        """Say whether a path that ends with the monitor here has the wanted label."""
        return self.fits[monitor] > 0

    def outcomes(self, time: int, monitor: int, pair: int) -> list[tuple[tuple[int, bool], int, float]]:
        """Return ((state, ends there), monitor after it, weight) for each outcome of step `time`.

        A weight is the outcome's probability times that of the wanted label after it.
        """
        events = []
        for state, chance in self.world.outcomes(pair):
            read = self.plan.read(monitor, state)
            stop = self.world.end_chance(state, time)
            if stop > 0:
                events.append(((state, True), read, chance * stop * self.fits[read]))
            if stop < 1:
                fits = 1.0 if self.want is None else self.plan.chance(self.want, time, read, state)
                events.append(((state, False), read, chance * (1 - stop) * fits))
        return events

    def choose(self, time: int, monitor: int, state: int, options: Sequence[int]) -> int | None:
        """Draw one of the state-action pairs `options` after `time` steps: π(a) · Pr(label | a)."""
        key = (self.want, time, monitor, state)
        weight = self.plan.weights.get(key)  # draws from one plan pass the same places
        if weight is None:
            weight = self.plan.weights[key] = self.weigh(time, monitor, state)
        return self.pick(options, [weight[pair] for pair in options])

    def weigh(self, time: int, monitor: int, state: int) -> dict[int, float]:
        """Return π(a) · Pr(label | a) of each state-action pair of a state."""
        plan, want, world = self.plan, self.want, self.world
        reading, value, label = plan.read, plan.value, plan.chance
        here, toll = value(time, monitor, state), tolls(world)
        weights = {}
        for pair in world.pairs(state):
            q = fits = 0.0
            for reached, chance in world.outcomes(pair):
                read = reading(monitor, reached)
                stop = world.end_chance(reached, time + 1)
                worth, good = stop * self.reward[read], stop * self.fits[read]
                if stop < 1:
                    worth += (1 - stop) * value(time + 1, read, reached)
                    if want is not None:
                        good += (1 - stop) * label(want, time + 1, read, reached)
                q += chance * worth
                fits += chance * good
            if toll is not None:
                q -= toll[pair]
            weights[pair] = math.exp(q - here) * (1.0 if want is None else fits)
        return weights

    def land(
        self, steps: list[Step], monitor: int, pair: int, allowed: Collection[tuple[int, bool]] | None = None
    ) -> tuple[int, int, bool] | None:
        """Draw the outcome of a pair, append the step; return (state, monitor, ended)."""
        events = self.outcomes(len(steps) + 1, monitor, pair)
        if allowed is not None:
            events = [event for event in events if event[0] in allowed]
        event = self.pick(events, [weight for *_, weight in events])
        if event is None:
            return None
        (state, ends), read, _ = event
        steps.append((pair, state))
        return state, read, ends

    def finish(self, steps: list[Step], monitor: int, state: int) -> bool:
        """Go on from an agent's turn until the episode ends; False when the label is impossible."""
        while True:
            pair = self.choose(len(steps), monitor, state, self.world.pairs(state))
            landed = None if pair is None else self.land(steps, monitor, pair)
            if landed is None:
                return False
            state, monitor, ends = landed
            if ends:
                return True


def sample_path(plan: Plan, rng: np.random.Generator) -> Path:
    """Draw one complete path of the agent."""
    sampler, begin = Sampler(plan, rng), list(plan.world.starts)
    state = begin[0][0]
    if len(begin) > 1:  # where all begin in one state, nothing is drawn
        drawn = sampler.pick([one for one, _ in begin], [chance for _, chance in begin])
        state = state if drawn is None else drawn
    steps: list[Step] = []
    finished = sampler.finish(steps, plan.read(0, state), state)
    assert finished  # without a condition something always happens
    return Path(tuple(steps), complete=True, start=start_of(plan.world, state))
