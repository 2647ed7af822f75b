"""What a planner is, and what everything else asks of a plan.

A path's past matters through (time, world state, monitor state) alone; labels are named by what a path
could still be conjectured to be.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from demospec.plan.monitor import Monitor
from demospec.tasks import DFA
from demospec.tasks.showing import Displayed
from demospec.work.stop import Stop
from demospec.worlds.mdp import Floats, Ints, Manner
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.world import World

ACCEPTED, OPEN, REVOCABLE = 0, 1, 2  # labels of a complete path; see `Monitor`
LABELS = (ACCEPTED, OPEN, REVOCABLE)


class Plan(Displayed, ABC):
    """The maximum-entropy plan for one task: what the search, the sampler and the score ask.

    A planner of one's own implements `values` and `chances`; the rest follows from them. Times, monitor
    states and world states come as arrays of one shape, and a question is only asked about where an episode
    can be, standing in a state that decides: the state is read already, the episode not over.
    """

    def __init__(self, world: World, monitor: Monitor, rationality: float) -> None:
        self.world: World = world
        self.monitor, self.rationality = monitor, float(rationality)
        self.weights: dict[tuple[int | None, int, int, int], dict[int, float]] = {}
        """What sampling has worked out so far: (label, time, monitor, state) → weight of each pair."""

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}: an agent of rationality {self.rationality:g}, "
            f"{self.monitor.states} monitor states, {self.world.episode.horizon} steps"
        )

    @abstractmethod
    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return V of every path of `time` steps that stands in `state` with the monitor in `monitor`."""

    @abstractmethod
    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the probability that such a path will have the label: ACCEPTED, OPEN or REVOCABLE."""

    def value(self, time: int, monitor: int, state: int) -> float:
        return float(self.values(*(np.array([number]) for number in (time, monitor, state)))[0])

    def chance(self, label: int, time: int, monitor: int, state: int) -> float:
        return float(self.chances(label, *(np.array([number]) for number in (time, monitor, state)))[0])

    @property
    def bytes(self) -> int:
        """Return how much memory the plan takes."""
        return 0

    @cached_property
    def beginnings(self) -> tuple[tuple[float, tuple[int, int, int]], ...]:
        """Return where episodes begin: the probability, and (time 0, monitor with the state read, state)."""
        return tuple((chance, (0, self.read(0, state), state)) for state, chance in self.world.starts)

    def expected_value(self) -> float:
        """Return V over all that episodes can begin with."""
        return math.fsum(chance * self.value(*place) for chance, place in self.beginnings)

    def expected_chance(self, label: int) -> float:
        """Return how often an episode has a label: ACCEPTED, OPEN or REVOCABLE."""
        return math.fsum(chance * self.chance(label, *place) for chance, place in self.beginnings)

    @property
    def satisfaction_probability(self) -> float:
        """Return p_sat: how often the agent satisfies its task."""
        return self.expected_chance(ACCEPTED)

    def read(self, monitor: int, state: int) -> int:
        """Return the monitor's state after reading a world state."""
        return self.monitor.step(monitor, self.world.label(state))

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
                self.world.end_chance(s, t)
                for s, t in zip(state.ravel().tolist(), time.ravel().tolist(), strict=True)
            ]
        ).reshape(state.shape)
        worth: Floats = ends * (self.rationality * self.monitor.reward[read])
        on = ends < 1
        worth[on] += (1.0 - ends[on]) * self.values(time[on], read[on], state[on])
        return worth

    def action_values(self, time: Ints, monitor: Ints, pair: Ints) -> Floats:
        """Return Q for choosing state-action pairs after `time` steps with the monitor in `monitor`."""
        outcomes = [self.world.outcomes(p) for p in pair.tolist()]
        number = np.repeat(np.arange(len(pair)), [len(found) for found in outcomes])
        state = np.array([s for found in outcomes for s, _ in found], dtype=np.intp)
        chance = np.array([p for found in outcomes for _, p in found])
        worth = chance * self.arrivals(time[number] + 1, monitor[number], state)
        q: Floats = np.bincount(number, worth, minlength=len(pair)).astype(np.float64)
        toll = tolls(self.world)
        return q if toll is None else q - toll[pair]


def tolls(world: World) -> Floats | None:
    """Return what each pair costs the agent in nats; None where nothing does."""
    found: Floats | None = getattr(world, "toll", None)
    return found


@dataclass(frozen=True)
class Abilities:
    """What a planner can do besides planning for one task in one world."""

    listed: bool = False  # it sweeps over all states, so that worlds must be listed
    many: bool = False  # many tasks in one pass take little longer than one: it has a `scorer`
    rewards: bool = False  # a monitor's reward may be any number, not only 1 or 0
    any_marks: bool = False  # a monitor's labels need not fit together: OPEN may be any marks


class Acts(Manner, Protocol):
    """An agent: how rational it is, and how it goes about its task."""

    @property
    def rationality(self) -> float:
        """Return λ."""


class Scorer(Protocol):
    """Works out surprise and satisfaction of many tasks in one world, and nothing else of their plans."""

    @property
    def work(self) -> int:
        """Return how many numbers are worked out for each state of a task's monitor."""

    def at_one(self, tasks: Sequence[DFA], rationality: float) -> list[tuple[float, float]]:
        """Return (h, p_sat) of tasks whose agents are equally rational."""

    def at_each(self, tasks: Sequence[tuple[Monitor, float]]) -> list[tuple[float, float]]:
        """Return (h, p_sat) of tasks, each with a rationality of its own."""

    @property
    def choice_nodes(self) -> Ints:
        """Return the nodes of the tree at which choices end, in the order of `of_choices`."""

    def reading(self, tasks: Sequence[DFA]) -> tuple[Any, Ints]:
        """Return the M monitors of tasks, as `of_choices` takes them, and the number of each task's."""

    def of_choices(self, monitors: Any, agent: Acts) -> tuple[Floats, Floats]:
        """Return the surprise [M, E] of the choices of an agent under monitors, and their p_sat [M]."""


class Planner(ABC):
    """A black box for the search: from a world and a monitor to the plan of an agent of rationality λ.

    A planner of one's own implements `plan`, and says in `abilities` what else it can do.
    """

    abilities: ClassVar[Abilities] = Abilities()

    @abstractmethod
    def plan(self, world: World, monitor: Monitor, rationality: float) -> Plan:
        """Plan for one task."""

    def plans(self, world: World, tasks: Sequence[tuple[Monitor, float]]) -> Sequence[Plan]:
        """Plan for many tasks in one world, each with its rationality."""
        return [self.plan(world, monitor, rationality) for monitor, rationality in tasks]

    def planned_in(self, world: World) -> World:
        """Return the world that plans are made in, without making one: an estimate, where it is sampled."""
        return world

    def for_labels(self, *labels: int) -> Planner:
        """Return a planner whose plans are asked for these labels only: it may be quicker."""
        del labels
        return self

    def until(self, stop: Stop) -> Planner:
        """Return a planner that gives up, by raising `Stopped`, soon after a flag is set."""
        del stop
        return self

    def scorer(self, tree: PrefixTree, alphabet: tuple[str, ...], *, merge_repeats: bool) -> Scorer:
        """Return what scores many tasks on a tree's demonstrations; for planners that can do `many`."""
        raise NotImplementedError
