"""What a planner is, and what everything else asks of a plan.

A path's past matters through (time, world state, monitor state) alone; labels are named by what a path
could still be conjectured to be.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from demospec.plan.monitor import Monitor
from demospec.tasks.showing import html_of
from demospec.worlds.mdp import MDP, Floats, Ints

ACCEPTED, OPEN, REVOCABLE = 0, 1, 2  # labels of a complete path; see `Monitor`
LABELS = (ACCEPTED, OPEN, REVOCABLE)


class Plan(ABC):
    """The maximum-entropy plan for one task: what the search, the sampler and the score ask.

    A planner of one's own implements `values` and `chances`; the rest follows from them. Times, monitor
    states and world states come as arrays of one shape, and a question is only asked about where an episode
    can be, standing in a state that decides: the state is read already, the episode not over.
    """

    def __init__(self, mdp: MDP, monitor: Monitor, rationality: float) -> None:
        self.mdp, self.monitor, self.rationality = mdp, monitor, float(rationality)
        self.weights: dict[tuple[int | None, int, int, int], dict[int, float]] = {}
        """What sampling has worked out so far: (label, time, monitor, state) → weight of each pair."""

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}: an agent of rationality {self.rationality:g}, "
            f"{self.monitor.states} monitor states, {self.mdp.horizon} steps"
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @abstractmethod
    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return V of every path of `time` steps that stands in `state` with the monitor in `monitor`."""

    @abstractmethod
    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the probability that such a path will have the label: ACCEPTED, OPEN or REVOCABLE."""

    def value(self, time: int, monitor: int, state: int) -> float:
        """Return one of the values."""
        return float(self.values(*(np.array([number]) for number in (time, monitor, state)))[0])

    def chance(self, label: int, time: int, monitor: int, state: int) -> float:
        """Return one of the chances."""
        return float(self.chances(label, *(np.array([number]) for number in (time, monitor, state)))[0])

    @property
    def bytes(self) -> int:
        """Return how much memory the plan takes."""
        return 0

    @property
    def start(self) -> int:
        """Return the monitor's state after reading the start state."""
        return self.read(0, self.mdp.start)

    @property
    def satisfaction_probability(self) -> float:
        """Return p_sat: how often the agent satisfies its task."""
        return self.chance(ACCEPTED, 0, self.start, self.mdp.start)

    def read(self, monitor: int, state: int) -> int:
        """Return the monitor's state after reading a world state."""
        return self.monitor.step(monitor, self.mdp.labels[state])

    def readings(self, monitor: Ints, state: Ints) -> Ints:
        """Return the monitor's states after reading world states."""
        pairs = zip(monitor.ravel().tolist(), state.ravel().tolist(), strict=True)
        return np.array([self.read(m, s) for m, s in pairs], dtype=np.intp).reshape(monitor.shape)

    def arrivals(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return V for reaching `state` with step `time`, the monitor before it in `monitor`.

        The end of the episode is averaged in: it ends there, or goes on.
        """
        time, monitor, state = np.broadcast_arrays(time, monitor, state)
        read = self.readings(monitor, state)
        ends = np.array(
            [
                self.mdp.end_chance(s, t)
                for s, t in zip(state.ravel().tolist(), time.ravel().tolist(), strict=True)
            ]
        ).reshape(state.shape)
        worth: Floats = ends * (self.rationality * self.monitor.accepting[read])
        on = ends < 1
        worth[on] += (1.0 - ends[on]) * self.values(time[on], read[on], state[on])
        return worth

    def action_values(self, time: Ints, monitor: Ints, pair: Ints) -> Floats:
        """Return Q for choosing state-action pairs after `time` steps with the monitor in `monitor`."""
        outcomes = [self.mdp.outcomes(p) for p in pair.tolist()]
        number = np.repeat(np.arange(len(pair)), [len(found) for found in outcomes])
        state = np.array([s for found in outcomes for s, _ in found], dtype=np.intp)
        chance = np.array([p for found in outcomes for _, p in found])
        worth = chance * self.arrivals(time[number] + 1, monitor[number], state)
        return np.bincount(number, worth, minlength=len(pair)).astype(np.float64)


class Planner(Protocol):
    """A black box for the search: from a world and a monitor to the plan of an agent of rationality λ."""

    def plan(self, mdp: MDP, monitor: Monitor, rationality: float) -> Plan:
        """Plan for one task."""
        ...

    def plans(self, mdp: MDP, tasks: Sequence[tuple[Monitor, float]]) -> Sequence[Plan]:
        """Plan for many tasks in one world, each with its rationality."""
        ...
