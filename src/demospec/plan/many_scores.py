"""The numbers of many tasks at once, and nothing else of their plans: surprise and satisfaction probability.

Monitors that are the same are planned once. Compiled, no layer of a plan is kept; without a compiler plans
are made as ever, some tasks at a time. A task's numbers do not depend on which others are asked for.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from functools import cache, cached_property, partial
from itertools import accumulate
from typing import Any

import numpy as np

from demospec.errors import WorldError
from demospec.native import library
from demospec.plan import compiled
from demospec.plan.along_tree import along_tree
from demospec.plan.base import ACCEPTED, Acts
from demospec.plan.columns import LANES, Structure, structure_of
from demospec.plan.monitor import Monitor, make_monitor, make_monitors
from demospec.plan.tabular import MOST_BYTES, PLANNER, TabularPlan, TabularPlanner
from demospec.tasks import DFA, packed
from demospec.tasks.side_by_side import stacked
from demospec.worlds.mdp import Floats, Ints, spans
from demospec.worlds.prefix_tree import Player, PrefixTree

SIDE_BY_SIDE = 64  # tasks that are planned in one pass without a compiler
CACHE = 1 << 20  # bytes of one layer that a pass may have, or one task's: what stays near the processor
A_WHILE = 1 << 26  # numbers that one call works out, before Python may hear an interrupt
WORTH_A_THREAD = 1 << 22  # numbers: below, handing over costs more than it saves
CELLS = 1 << 22  # transitions of the monitors that one call is given, or one monitor's

Numbers = tuple[float, float]

Int, Long, Address, Double = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p, ctypes.c_double


@cache
def function() -> Any:
    """Return `demospec_surprises` of the library; None where it is not built."""
    native = library()
    if native is None or not hasattr(native, "demospec_surprises") or not compiled.available():
        return None
    found = native.demospec_surprises
    world, tree = (
        [Address] * 8 + [Int] + [Long] * 4 + [Address] * 2,
        [Long] + [Address] * 2 + [Long] + [Address] * 5,
    )
    found.argtypes = [*world, *tree, Int, *[Address] * 3, Double, Int, *[Address] * 4]
    return found


def available() -> bool:
    """Say whether it is compiled."""
    return function() is not None and packed.available()


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
        self.compiled = available() and not planner.by_numpy
        self.world = tree.world.listed()
        self.structure = structure_of(self.world, alphabet)
        self._known: dict[float, dict[bytes, Numbers]] = {}  # by rationality and monitor
        self._starts = np.array([state for state, _ in self.world.starts], dtype=np.int64)
        self._begins = np.array([chance for _, chance in self.world.starts])

    @property
    def work(self) -> int:
        """Return how many numbers are worked out for each state of a task's monitor."""
        return self.structure.rows * self.structure.most_actions + len(self.tree)

    @cached_property
    def _choices(self) -> Choices:
        return Choices(self.tree, self.structure)

    @cached_property
    def _edges(self) -> Edges:
        return Edges(self.tree)

    def at_each(self, tasks: Sequence[tuple[Monitor, float]]) -> list[Numbers]:
        """Return (h, p_sat) of tasks, each with a rationality of its own."""
        result: list[Numbers] = []
        for first in range(0, len(tasks), SIDE_BY_SIDE):
            self.stop.check()
            plans = self.planner.plans(self.world, tasks[first : first + SIDE_BY_SIDE])
            surprises = self._edges.surprises(plans).tolist()
            result += zip(surprises, [plan.satisfaction_probability for plan in plans], strict=True)
        return result

    def at_one(self, tasks: Sequence[DFA], rationality: float) -> list[Numbers]:
        """Return (h, p_sat) of tasks whose agents are equally rational."""
        if not self.compiled:
            monitors = (make_monitor(task, merge_repeats=self.merge_repeats) for task in tasks)
            return self.at_each([(monitor, rationality) for monitor in monitors])
        if not tasks:
            return []
        kept = self._known.setdefault(rationality, {})
        letters = len(self.alphabet)
        found: packed.Machines
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
                found = packed.Machines(
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

    def reading(self, tasks: Sequence[DFA]) -> tuple[packed.Machines | list[Monitor], Ints]:
        """Return the M monitors of tasks, as `of_choices` takes them, and the number of each task's."""
        if not self.compiled:
            monitors = [make_monitor(task, merge_repeats=self.merge_repeats) for task in tasks]
            return monitors, np.arange(len(tasks))
        found, which = make_monitors(tasks, len(self.alphabet), merge_repeats=self.merge_repeats)
        return found, np.array(which, dtype=np.int64)

    def of_choices(self, monitors: packed.Machines | list[Monitor], agent: Acts) -> tuple[Floats, Floats]:
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
        """Return the nodes of the tree at which the choices end, in the order of `of_choices`."""
        return self._choices.nodes

    def _compute(
        self,
        monitors: packed.Machines,
        rationality: float,
        agent: Acts | None = None,
        choices: Floats | None = None,
    ) -> tuple[Floats, Floats]:
        """Return h and p_sat of each monitor, on all cores where that pays, and fill in what choices are."""
        world = self.world.tolled(0.0) if agent is None else self.world.felt_by(agent)
        structure = structure_of(world, self.alphabet)
        horizon, call = self.world.horizon, function()
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
            if not call(
                *(*structure.addresses, letters, structure.states, structure.most_actions, horizon),
                *(len(self._starts), self._starts.ctypes.data, self._begins.ctypes.data),
                *(*self._choices.arguments, many, states_at + 4 * first),
                *(cells_at + 4 * letters * before, marks_at + before, rationality, most_columns),
                *(surprise.ctypes.data + 8 * first, satisfied.ctypes.data + 8 * first),
                *(0 if choices is None else choices.ctypes.data + 8 * wide * first, self.stop.address),
            ):
                raise MemoryError

        pieces = range(0, count, piece)
        if threads == 1:
            for first in pieces:
                run(first)
        else:
            compiled.together(threads, [partial(run, first) for first in pieces])
        self.stop.check()
        return surprise, satisfied


class Choices:
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
