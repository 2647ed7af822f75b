"""The planner for worlds whose states can be listed: one backup from the horizon to the start.

A plan keeps every layer of time where that fits in memory. Else it keeps some of them, and what lies between
two is computed again when it is asked for.

Of many tasks at once, or of many pairs, nothing is made but the numbers asked for: surprise and satisfaction.
Monitors that are the same are planned once. Compiled, no layer of a plan is kept; without a compiler plans
are made as ever, some tasks at a time. A task's numbers do not depend on which others are asked for.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import ClassVar

import numpy as np

from demospec.errors import WorldError
from demospec.native import library
from demospec.plan import compiled, numpy_backup
from demospec.plan.along_tree import along_tree
from demospec.plan.base import ACCEPTED, LABELS, Abilities, Acts, Plan, Planner, Scorer
from demospec.plan.columns import LANES, ColumnPlace, Columns, Structure, structure_of
from demospec.plan.monitor import Monitor, make_monitor, make_monitors
from demospec.tasks import DFA
from demospec.tasks.side_by_side import stacked
from demospec.tasks.tables import Machines, address, numbers_of
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Floats, Ints, spans
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import World

MOST_KEPT = 1 << 30  # bytes of layers that are kept; beyond, they are computed again between checkpoints
MOST_BYTES = 4 << 30  # of everything that a plan needs at one time


class Layers:
    """All numbers of one backup, [C, L] for each time and state: kept, or computed again."""

    def __init__(
        self, structure: Structure, columns: Columns, *, by_numpy: bool, kept: int, stop: Stop = NEVER
    ) -> None:
        self.structure, self.columns = structure, columns
        self._back_up = partial(numpy_backup.numpy_back_up if by_numpy else compiled.back_up, stop=stop)
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

    def __init__(self, layers: Layers, place: ColumnPlace, monitor: Monitor, rationality: float) -> None:
        super().__init__(layers.structure.mdp, monitor, rationality)
        self.mdp = layers.structure.mdp
        self.layers, self.place = layers, place
        self._column, self._constant = place.column.tolist(), place.constant.tolist()
        self._next = monitor.with_white.tolist()
        self._letter = layers.structure.letter_list

    @property
    def bytes(self) -> int:  # plans made together share it
        return self.layers.bytes

    @cached_property
    def reading(self) -> Ints:
        """Return [M, S]: the monitor's state after entering world state s in monitor state m."""
        return self.monitor.reading(self.mdp)

    def read(self, monitor: int, state: int) -> int:
        found: int = self._next[monitor][self._letter[state]]
        return found

    def readings(self, monitor: Ints, state: Ints) -> Ints:
        found: Ints = self.reading[monitor, state]
        return found

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        return self._taken(0, time, monitor, state)

    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        return self._taken(self.layers.columns.channel[label], time, monitor, state)

    def _taken(self, channel: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        taken = self.layers.take(channel, time, self.place.column[monitor], state)
        found: Floats = taken + self.place.constant[channel, monitor]
        return found

    def value(self, time: int, monitor: int, state: int) -> float:
        found: float = self.layers.item(time, state, 0, self._column[monitor]) + self._constant[0][monitor]
        return found

    def chance(self, label: int, time: int, monitor: int, state: int) -> float:
        channel = self.layers.columns.channel[label]
        found: float = self.layers.item(time, state, channel, self._column[monitor])
        found += self._constant[channel][monitor]
        return found

    def arrivals(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        time, monitor, state = np.broadcast_arrays(time, monitor, state)
        mdp, read = self.mdp, self.readings(monitor, state)
        ends = np.where(mdp.terminal[state] | (time >= mdp.horizon), 1.0, mdp.seen_end_probability)
        worth = ends * (self.rationality * self.monitor.reward[read])
        on = ends < 1
        worth[on] += (1.0 - ends[on]) * self.values(time[on], read[on], state[on])
        return worth

    def action_values(self, time: Ints, monitor: Ints, pair: Ints) -> Floats:
        mdp = self.mdp
        number = np.repeat(np.arange(len(pair)), mdp.outcome_offset[pair + 1] - mdp.outcome_offset[pair])
        outcome = spans(mdp.outcome_offset, pair)
        worth = mdp.probability[outcome] * self.arrivals(
            time[number] + 1, monitor[number], mdp.successor[outcome]
        )
        q: Floats = np.bincount(number, worth, minlength=len(pair)).astype(np.float64)
        return q if mdp.toll is None else q - mdp.toll[pair]


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
        return self.plans(world, [(monitor, rationality)])[0]

    def plans(self, world: World, tasks: Sequence[tuple[Monitor, float]]) -> list[TabularPlan]:
        """Plan for many tasks over one alphabet in one pass; they share their memory."""
        if not tasks:
            return []
        alphabet = tasks[0][0].alphabet
        if any(monitor.alphabet != alphabet for monitor, _ in tasks):
            raise WorldError("tasks that are planned together must read the same letters")
        columns = Columns.of(tasks, self.labels)
        by_numpy = self.by_numpy or not compiled.compiled_available()
        structure = structure_of(world.listed(), alphabet)
        layers = Layers(structure, columns, by_numpy=by_numpy, kept=self.kept, stop=self.stop)
        return [
            TabularPlan(layers, place, monitor, rationality)
            for (monitor, rationality), place in zip(tasks, columns.places, strict=True)
        ]

    def for_labels(self, *labels: int) -> TabularPlanner:
        return replace(self, labels=labels)

    def until(self, stop: Stop) -> TabularPlanner:
        return replace(self, stop=stop)

    def scorer(self, tree: PrefixTree, alphabet: tuple[str, ...], *, merge_repeats: bool) -> Scorer:
        return ManyScores(tree, alphabet, merge_repeats=merge_repeats, planner=self)


PLANNER = TabularPlanner()


def plan(world: World, monitor: Monitor, rationality: float) -> TabularPlan:
    """Plan for one task with the planner that everything uses unless told otherwise."""
    return PLANNER.plan(world, monitor, rationality)


# -- The numbers of many tasks at once, and nothing else of their plans ----------------------------------

SIDE_BY_SIDE = 64  # tasks that are planned in one pass without a compiler
CACHE = 1 << 20  # bytes of one layer that a pass may have, or one task's: what stays near the processor
A_WHILE = 1 << 26  # numbers that one call works out, before Python may hear an interrupt
WORTH_A_THREAD = 1 << 22  # numbers: below, handing over costs more than it saves
CELLS = 1 << 22  # transitions of the monitors that one call is given, or one monitor's

Numbers = tuple[float, float]


class Edges:
    """What the surprise of a tree asks of a plan, laid out so that many plans are asked at once.

    h = Σ #₍ᵢ,ⱼ₎·(V̂ᵢ − Q̂ⱼ) over the agent's edges: V̂ is asked for, Q̂ is an expectation over outcomes.
    """

    def __init__(self, tree: PrefixTree) -> None:
        self.tree, mdp = tree, tree.world.listed()
        self.root = np.flatnonzero(tree.parent < 0)
        chosen = np.flatnonzero(tree.chosen)
        leaving = np.bincount(tree.parent[chosen], tree.count[chosen], minlength=len(tree))
        self.agent: Ints = np.flatnonzero(leaving)
        self.leaving = leaving[self.agent].astype(np.float64)
        pair = tree.pair[chosen]
        outcome = spans(mdp.outcome_offset, pair)
        self.chosen = chosen
        self.node = np.repeat(chosen, mdp.outcome_offset[pair + 1] - mdp.outcome_offset[pair])
        self.state: Ints = mdp.successor[outcome]
        self.time: Ints = tree.time[self.node] + 1
        ends = np.where(mdp.terminal[self.state] | (self.time >= mdp.horizon), 1.0, mdp.seen_end_probability)
        weight = tree.count[self.node] * mdp.probability[outcome]
        self.ends, self.goes_on = weight * ends, weight * (1.0 - ends)
        self.on: Ints = np.flatnonzero(self.goes_on)
        self.toll = 0.0 if mdp.toll is None else float((tree.count[chosen] * mdp.toll[pair]).sum())

    def surprises(self, plans: Sequence[TabularPlan]) -> Floats:
        """Return h of plans that were made together."""
        tree, structure = self.tree, plans[0].layers.structure
        letter = structure.letter
        after, base = stacked([plan.monitor.with_white for plan in plans])
        column = np.concatenate([plan.place.column for plan in plans])
        constant = np.concatenate([plan.place.constant[0] for plan in plans])
        reward = np.concatenate([plan.rationality * plan.monitor.reward for plan in plans])
        monitor = np.empty((len(plans), len(tree)), dtype=np.intp)
        monitor[:, self.root] = after[base[:, None], letter[tree.state[self.root]]]
        for nodes, above, state in tree.levels:
            monitor[:, nodes] = after[monitor[:, above], letter[state]]
        monitor[:, self.chosen] = monitor[:, tree.parent[self.chosen]]

        def value(time: Ints, where: Ints, state: Ints) -> Floats:
            shape = where.shape
            times, states = np.broadcast_to(time, shape), np.broadcast_to(state, shape)
            found: Floats = plans[0].layers.take(0, times, column[where], states) + constant[where]
            return found

        v = value(tree.time[self.agent], monitor[:, self.agent], tree.state[self.agent])
        read = after[monitor[:, self.node], letter[self.state]]
        on = self.on
        q = (self.ends * reward[read]).sum(axis=1)
        q += (self.goes_on[on] * value(self.time[on], read[:, on], self.state[on])).sum(axis=1)
        result: Floats = (self.leaving * v).sum(axis=1) - q + self.toll
        return result


class ManyScores:
    """Asks for the numbers of many tasks: h, the surprise of a tree's paths, and p_sat."""

    def __init__(
        self,
        tree: PrefixTree,
        alphabet: tuple[str, ...],
        *,
        merge_repeats: bool,
        planner: TabularPlanner = PLANNER,
    ) -> None:
        self.tree, self.alphabet, self.stop = tree, alphabet, planner.stop
        self.merge_repeats, self.planner = merge_repeats, planner.for_labels(ACCEPTED)
        self.compiled = compiled.compiled_available() and not planner.by_numpy
        self.world = tree.world.listed()
        self.structure = structure_of(self.world, alphabet)
        self._known: dict[float, dict[bytes, Numbers]] = {}  # by rationality and monitor
        self._starts = np.array([state for state, _ in self.world.starts], dtype=np.int64)
        self._begins = np.array([chance for _, chance in self.world.starts])

    @property
    def work(self) -> int:
        return self.structure.rows * self.structure.most_actions + len(self.tree)

    @cached_property
    def _choices(self) -> TreeChoices:
        return TreeChoices(self.tree, self.structure)

    @cached_property
    def _edges(self) -> Edges:
        return Edges(self.tree)

    def at_each(self, tasks: Sequence[tuple[Monitor, float]]) -> list[Numbers]:
        result: list[Numbers] = []
        for first in range(0, len(tasks), SIDE_BY_SIDE):
            self.stop.check()
            plans = self.planner.plans(self.world, tasks[first : first + SIDE_BY_SIDE])
            surprises = self._edges.surprises(plans).tolist()
            result += zip(surprises, [plan.satisfaction_probability for plan in plans], strict=True)
        return result

    def at_one(self, tasks: Sequence[DFA], rationality: float) -> list[Numbers]:
        if not self.compiled:
            monitors = (make_monitor(task, merge_repeats=self.merge_repeats) for task in tasks)
            return self.at_each([(monitor, rationality) for monitor in monitors])
        if not tasks:
            return []
        kept = self._known.setdefault(rationality, {})
        letters = len(self.alphabet)
        found: Machines
        found, which = make_monitors(tasks, letters, merge_repeats=self.merge_repeats)
        cells, marks = found.cells.tobytes(), found.marks.tobytes()
        keys, at = [], 0
        for count in found.states:
            end = at + count
            keys.append(marks[at:end] + cells[4 * letters * at : 4 * letters * end])
            at = end
        new = [number for number, key in enumerate(keys) if key not in kept]
        if new:
            if len(new) < len(keys):
                found = Machines(
                    letters,
                    array("i", [found.states[number] for number in new]),
                    array("i", b"".join([keys[number][found.states[number] :] for number in new])),
                    array("B", b"".join([keys[number][: found.states[number]] for number in new])),
                )
            surprise, satisfied = self._compute(found, rationality)
            made = zip(surprise.tolist(), satisfied.tolist(), strict=True)
            kept.update(zip([keys[number] for number in new], made, strict=True))
        known = [kept[key] for key in keys]
        return [known[number] for number in which]

    def reading(self, tasks: Sequence[DFA]) -> tuple[Machines | list[Monitor], Ints]:
        if not self.compiled:
            monitors = [make_monitor(task, merge_repeats=self.merge_repeats) for task in tasks]
            return monitors, np.arange(len(tasks))
        found, which = make_monitors(tasks, len(self.alphabet), merge_repeats=self.merge_repeats)
        return found, np.array(which, dtype=np.int64)

    def of_choices(self, monitors: Machines | list[Monitor], agent: Acts) -> tuple[Floats, Floats]:
        """Return the surprise [M, E] of choices under M monitors of `reading`, and their p_sat [M].

        Choices come as `choice_nodes` has them; they are not weighted by how often they were made.
        """
        if isinstance(monitors, list):
            plans = self.planner.plans(
                self.world.felt_by(agent), [(one, agent.rationality) for one in monitors]
            )
            rows = [-along_tree(self.tree, plan).log_edge[self.choice_nodes] for plan in plans]
            chances = np.array([plan.satisfaction_probability for plan in plans])
            return np.array(rows).reshape(len(monitors), -1), chances
        choices = np.empty((len(monitors), len(self._choices.nodes)))
        _, satisfied = self._compute(monitors, agent.rationality, agent, choices)
        return choices, satisfied

    @cached_property
    def choice_nodes(self) -> Ints:
        return self._choices.nodes

    def _compute(
        self,
        monitors: Machines,
        rationality: float,
        agent: Acts | None = None,
        choices: Floats | None = None,
    ) -> tuple[Floats, Floats]:
        """Return h and p_sat of each monitor, on all cores where that pays, and fill in what choices are."""
        world = self.world.tolled(0.0) if agent is None else self.world.felt_by(agent)
        structure = structure_of(world, self.alphabet)
        horizon, native = self.world.horizon, library()
        assert native is not None, "the library is not built"
        count, letters, largest = len(monitors), monitors.letters, max(monitors.states)
        needed = 3 * 16 * structure.states * (largest + LANES)  # two layers of arrivals, one of values
        if needed > MOST_BYTES:
            raise WorldError(
                f"a plan for {structure.states} states × {largest} monitor states needs "
                f"{needed / 2**30:.1f} GiB; the limit is {MOST_BYTES / 2**30:.0f} GiB"
            )
        surprise, satisfied = np.empty((2, count))
        state_at = [0, *accumulate(monitors.states)]
        states_at, cells_at, marks_at = monitors.addresses
        most_columns = CACHE // (16 * structure.states)
        mean = -(-state_at[-1] // count)
        nodes, work, wide = len(self.tree), self.work * mean, len(self._choices.nodes)  # of one monitor
        threads = max(1, min(compiled.cores(), work * count // WORTH_A_THREAD))
        piece = max(1, min(A_WHILE // work, CELLS // (mean * letters), CELLS // nodes, -(-count // threads)))

        def run(first: int) -> None:
            before, many = state_at[first], min(piece, count - first)
            self.stop.check()
            if not native.demospec_surprises(
                *(*structure.addresses, letters, structure.states, structure.most_actions, horizon),
                *(len(self._starts), self._starts.ctypes.data, self._begins.ctypes.data),
                *(*self._choices.arguments, many, states_at + 4 * first),
                *(cells_at + 4 * letters * before, marks_at + before, rationality, most_columns),
                *(surprise.ctypes.data + 8 * first, satisfied.ctypes.data + 8 * first),
                *(0 if choices is None else choices.ctypes.data + 8 * wide * first, self.stop.address),
            ):
                raise MemoryError

        compiled.in_threads(threads, [partial(run, first) for first in range(0, count, piece)])
        self.stop.check()
        return surprise, satisfied


class TreeChoices:
    """A tree's agent nodes and what was chosen there, as compiled code takes them."""

    def __init__(self, tree: PrefixTree, structure: Structure) -> None:
        agent = np.flatnonzero(tree.player == Player.AGENT)
        number = np.full(len(tree), -1)
        number[agent] = np.arange(len(agent))
        above = np.where(tree.parent[agent] < 0, -1, tree.parent[tree.parent[agent]])
        chosen = np.flatnonzero(tree.chosen)
        chosen = chosen[np.argsort(-tree.time[chosen], kind="stable")]
        self.arrays = (
            np.where(above < 0, -1, number[above]).astype(np.int32),
            structure.letter[tree.state[agent]],
            number[tree.parent[chosen]].astype(np.int32),
            tree.time[chosen].astype(np.int64),
            tree.state[chosen].astype(np.int64),
            tree.pair[chosen].astype(np.int64),
            tree.count[chosen].astype(np.float64),
        )
        self.nodes: Ints = chosen
        above_at, read_at, *of_choices = (array.ctypes.data for array in self.arrays)
        self.arguments = (len(agent), above_at, read_at, len(chosen), *of_choices)


# -- How often the agent of one task satisfies another, for many pairs of tasks at once; compiled ---------


def pairs_fit(world: MDP, monitors: Sequence[Monitor]) -> bool:
    """Say whether pairs of these monitors can be planned by compiled code in the memory that there is."""
    largest = max((monitor.states for monitor in monitors), default=1) ** 2
    return compiled.compiled_available() and 3 * 16 * len(world.states) * (largest + LANES) <= MOST_BYTES


class Pairs:
    """Monitors over one alphabet in one world, to be asked about in pairs.

    Monitor states of several pairs that behave alike are one column. The numbers are those of plans, to the
    last digit: the same operations in the same order make them.
    """

    def __init__(self, world: MDP, monitors: Sequence[Monitor], stop: Stop = NEVER) -> None:
        self.world, self.stop = world, stop
        self.letters = len(monitors[0].alphabet)
        self.structure: Structure = structure_of(world, monitors[0].alphabet)
        self._states = array("i", [monitor.states for monitor in monitors])
        self._cells = array("i", [cell for monitor in monitors for row in monitor.table for cell in row])
        self._marks = array("B", [mark for monitor in monitors for mark in monitor.accepting.tolist()])
        self._starts = np.array([state for state, _ in world.starts], dtype=np.int64)

    def seconds_satisfied(self, pairs: Sequence[tuple[int, int]], rationalities: Sequence[float]) -> Floats:
        """Return, for each pair (i, j), how often the agent of monitor i, of a rationality, satisfies j."""
        found = np.empty(len(pairs))
        for rationality in dict.fromkeys(rationalities):
            which = [number for number, own in enumerate(rationalities) if own == rationality]
            found[which] = self._of_one_rationality([pairs[number] for number in which], rationality)
        return found

    def _of_one_rationality(self, pairs: Sequence[tuple[int, int]], rationality: float) -> list[float]:
        structure, native, count = self.structure, library(), len(pairs)
        assert native is not None, "the library is not built"
        numbers, chances = numbers_of(pairs), np.empty((count, len(self._starts)))
        states = sum(self._states[one] * self._states[other] for one, other in pairs) // count + 1
        work = structure.rows * structure.most_actions * states  # of one pair, at most
        threads = max(1, min(compiled.cores(), work * count // WORTH_A_THREAD))
        piece = max(1, min(A_WHILE // work, -(-count // threads)))

        def run(first: int) -> None:
            self.stop.check()
            many = min(piece, count - first)
            if not native.demospec_seconds(
                *(*structure.addresses, self.letters, structure.states, structure.most_actions),
                *(self.world.horizon, len(self._starts), self._starts.ctypes.data, len(self._states)),
                *map(address, (self._states, self._cells, self._marks)),
                *(many, address(numbers) + 8 * first, rationality, CACHE // (16 * structure.states)),
                *(chances.ctypes.data + chances.strides[0] * first, self.stop.address),
            ):
                raise MemoryError

        compiled.in_threads(threads, [partial(run, first) for first in range(0, count, piece)])
        self.stop.check()
        begins = [chance for _, chance in self.world.starts]
        return [math.fsum(b * c for b, c in zip(begins, row, strict=True)) for row in chances.tolist()]
