"""The planner for worlds whose states can be listed: one backup from the horizon to the start.

A plan keeps every layer of time where that fits in memory. Else it keeps some of them, and what lies between
two is computed again when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from demospec.errors import WorldError
from demospec.plan import compiled, numpy_backup
from demospec.plan.base import ACCEPTED, LABELS, Abilities, Plan, Planner, Scorer
from demospec.plan.columns import Columns, Place, Structure, structure_of
from demospec.plan.monitor import Monitor
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats, Ints, spans
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.world import World

MOST_KEPT = 1 << 30  # bytes of layers that are kept; beyond, they are computed again between checkpoints
MOST_BYTES = 4 << 30  # of everything that a plan needs at one time


class Layers:
    """All numbers of one backup, [C, L] for each time and state: kept, or computed again."""

    def __init__(
        self, structure: Structure, columns: Columns, *, by_numpy: bool, kept: int, stop: Stop = NEVER
    ) -> None:
        self.structure, self.columns = structure, columns
        self._back_up = partial(numpy_backup.back_up if by_numpy else compiled.back_up, stop=stop)
        horizon, states = structure.mdp.horizon, structure.states
        self.shape = (states, columns.channels, columns.width)
        layer = 8 * math.prod(self.shape)
        rows = horizon * states if by_numpy else structure.rows
        whole = 8 * columns.channels * columns.width * rows  # memory is taken where it is written
        self.segment = horizon if whole <= kept else max(1, math.isqrt(horizon))
        segments = -(-horizon // self.segment)
        needed = (whole if segments == 1 else layer * (self.segment + segments)) + 2 * layer
        if needed > MOST_BYTES:
            raise WorldError(
                f"a plan for {states} states × {columns.width} monitor states × {horizon} steps needs "
                f"{needed / 2**30:.1f} GiB; the limit is {MOST_BYTES / 2**30:.0f} GiB"
            )
        self.bytes = needed
        arrival: Floats = columns.final[structure.letter]
        self._checkpoints: list[Floats] = []  # what arriving is worth after the last time of each segment
        self._table: Floats | None = None
        for number in reversed(range(segments)):
            if segments > 1:
                self._checkpoints.insert(0, arrival)
            first, last = self._span(number)
            self._table, arrival = self._back_up(structure, columns, arrival, last, first, keep=number == 0)
        assert self._table is not None
        self._held = 0  # the segment in the table
        self.item: Callable[..., float] = self._table.item if segments == 1 else self._one

    def _span(self, number: int) -> tuple[int, int]:
        first = number * self.segment
        return first, min(first + self.segment, self.structure.mdp.horizon) - 1

    def _one(self, time: int, state: int, channel: int, column: int) -> float:
        return self.at(time).item(state, channel, column)

    def at(self, time: int) -> Floats:
        """Return [S, C, L] of one time; rows where no episode can be, or nothing is decided, mean nothing."""
        number = time // self.segment
        if number != self._held:
            first, last = self._span(number)
            self._table = None  # the memory is needed
            self._table, _ = self._back_up(
                self.structure, self.columns, self._checkpoints[number], last, first, keep=True
            )
            self._held = number
        assert self._table is not None
        found: Floats = self._table[time - number * self.segment]
        return found

    def take(self, channel: int, time: Ints, column: Ints, state: Ints) -> Floats:
        """Return some of the numbers."""
        if self.segment >= self.structure.mdp.horizon:
            assert self._table is not None
            found: Floats = self._table[time, state, channel, column]
            return found
        result = np.empty(np.shape(time))
        for moment in np.unique(time)[::-1].tolist():
            here = time == moment
            result[here] = self.at(moment)[state[here], channel, column[here]]
        return result


class TabularPlan(Plan):
    """The plan of one task: some columns of a backup over H times, M monitor states and S world states."""

    def __init__(self, layers: Layers, place: Place, monitor: Monitor, rationality: float) -> None:
        super().__init__(layers.structure.mdp, monitor, rationality)
        self.mdp = layers.structure.mdp
        self.layers, self.place = layers, place
        self._column, self._constant = place.column.tolist(), place.constant.tolist()
        self._next = monitor.with_white.tolist()
        self._letter = layers.structure.letter_list

    @property
    def bytes(self) -> int:
        """Return how much memory the plan takes; plans made together share it."""
        return self.layers.bytes

    @cached_property
    def reading(self) -> Ints:
        """Return [M, S]: the monitor's state after entering world state s in monitor state m."""
        return self.monitor.reading(self.mdp)

    def read(self, monitor: int, state: int) -> int:
        """Return the monitor's state after reading a world state."""
        found: int = self._next[monitor][self._letter[state]]
        return found

    def readings(self, monitor: Ints, state: Ints) -> Ints:
        """Return the monitor's states after reading world states."""
        found: Ints = self.reading[monitor, state]
        return found

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return V."""
        taken = self.layers.take(0, time, self.place.column[monitor], state)
        result: Floats = taken + self.place.constant[0, monitor]
        return result

    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the probability of a label."""
        channel = self.layers.columns.channel[label]
        taken = self.layers.take(channel, time, self.place.column[monitor], state)
        result: Floats = taken + self.place.constant[channel, monitor]
        return result

    def value(self, time: int, monitor: int, state: int) -> float:
        """Return one of the values."""
        found: float = self.layers.item(time, state, 0, self._column[monitor]) + self._constant[0][monitor]
        return found

    def chance(self, label: int, time: int, monitor: int, state: int) -> float:
        """Return one of the chances."""
        channel = self.layers.columns.channel[label]
        found: float = self.layers.item(time, state, channel, self._column[monitor])
        found += self._constant[channel][monitor]
        return found

    def arrivals(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return V for reaching `state` with step `time`, the monitor before it in `monitor`."""
        time, monitor, state = np.broadcast_arrays(time, monitor, state)
        mdp, read = self.mdp, self.readings(monitor, state)
        ends = np.where(mdp.terminal[state] | (time >= mdp.horizon), 1.0, mdp.seen_end_probability)
        worth = ends * (self.rationality * self.monitor.reward[read])
        on = ends < 1
        worth[on] += (1.0 - ends[on]) * self.values(time[on], read[on], state[on])
        result: Floats = worth
        return result

    def action_values(self, time: Ints, monitor: Ints, pair: Ints) -> Floats:
        """Return Q for choosing state-action pairs after `time` steps with the monitor in `monitor`."""
        mdp = self.mdp
        number = np.repeat(np.arange(len(pair)), mdp.outcome_offset[pair + 1] - mdp.outcome_offset[pair])
        outcome = spans(mdp.outcome_offset, pair)
        worth = mdp.probability[outcome] * self.arrivals(
            time[number] + 1, monitor[number], mdp.successor[outcome]
        )
        q: Floats = np.bincount(number, worth, minlength=len(pair)).astype(np.float64)
        return q if mdp.toll is None else q - mdp.toll[pair]

    @property
    def value_table(self) -> Floats:
        """Return [H, M, S]: all values at once."""
        constant = self.place.constant[0][:, None]
        return np.stack(
            [self.layers.at(t)[:, 0, self.place.column].T + constant for t in range(self.mdp.horizon)]
        )

    def chance_table(self, label: int = ACCEPTED) -> Floats:
        """Return [H, M, S]: all chances of a label at once."""
        channel = self.layers.columns.channel[label]
        constant = self.place.constant[channel][:, None]
        return np.stack(
            [self.layers.at(t)[:, channel, self.place.column].T + constant for t in range(self.mdp.horizon)]
        )


@dataclass(frozen=True)
class TabularPlanner(Planner):
    """Plans by the backup, compiled where it can be; `by_numpy` asks for the plain one.

    `kept` is how many bytes of layers one plan may keep. `labels` are those that can be asked for: fewer
    of them are planned faster.
    """

    abilities: ClassVar[Abilities] = Abilities(listed=True, many=True, rewards=True, any_marks=True)

    by_numpy: bool = False
    kept: int = MOST_KEPT
    labels: tuple[int, ...] = LABELS
    stop: Stop = field(default=NEVER, compare=False, repr=False)

    def plan(self, world: World, monitor: Monitor, rationality: float) -> TabularPlan:
        """Plan for one task."""
        return self.plans(world, [(monitor, rationality)])[0]

    def plans(self, world: World, tasks: Sequence[tuple[Monitor, float]]) -> list[TabularPlan]:
        """Plan for many tasks over one alphabet in one pass; they share their memory."""
        if not tasks:
            return []
        alphabet = tasks[0][0].alphabet
        if any(monitor.alphabet != alphabet for monitor, _ in tasks):
            raise WorldError("tasks that are planned together must read the same letters")
        columns = Columns.of(tasks, self.labels)
        by_numpy = self.by_numpy or not compiled.available()
        structure = structure_of(world.listed(), alphabet)
        layers = Layers(structure, columns, by_numpy=by_numpy, kept=self.kept, stop=self.stop)
        return [
            TabularPlan(layers, place, monitor, rationality)
            for (monitor, rationality), place in zip(tasks, columns.places, strict=True)
        ]

    def for_labels(self, *labels: int) -> TabularPlanner:
        """Return the planner for some labels only."""
        return replace(self, labels=labels)

    def until(self, stop: Stop) -> TabularPlanner:
        """Return the planner whose plans end early when a flag is set."""
        return replace(self, stop=stop)

    def scorer(self, tree: PrefixTree, alphabet: tuple[str, ...], *, merge_repeats: bool) -> Scorer:
        """Return what scores many tasks in one pass."""
        from demospec.plan.many_scores import ManyScores

        return ManyScores(tree, alphabet, merge_repeats=merge_repeats, planner=self)


PLANNER = TabularPlanner()


def plan(world: World, monitor: Monitor, rationality: float) -> TabularPlan:
    """Plan for one task with the planner that everything uses unless told otherwise."""
    return PLANNER.plan(world, monitor, rationality)
