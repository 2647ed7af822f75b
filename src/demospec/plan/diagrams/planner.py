"""The planner on decision diagrams, for factored worlds whose states cannot be listed.

For each number of steps left and each monitor state there is one diagram: the outcome of the episode, as a
function of the state and of all that is still to be chosen and thrown (Vazquez-Chanlatte and Seshia, CAV
2020). They are made backward from the horizon, each from the one before by putting in what a step does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from demospec.errors import WorldError
from demospec.plan.base import Abilities, Plan, Planner
from demospec.plan.diagrams.lifting import collect
from demospec.plan.diagrams.nodes import Nodes, cofactors
from demospec.plan.diagrams.symbolic import symbolic_of
from demospec.plan.monitor import Monitor
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.mdp import Floats, Ints
from demospec.worlds.world import World

if TYPE_CHECKING:
    from oxidd.bdd import BDDFunction

MOST_NODES = 1 << 24
BYTES_STORED, BYTES_READ = 32, 300  # of a node in the diagrams, and of one that was read into Python


class Diagram:
    """The diagrams of one task in one world, `roots[k][m]` with k steps left and the monitor in state m."""

    def __init__(self, world: FactoredWorld, monitor: Monitor, most_nodes: int) -> None:
        self.world, self.monitor = world, monitor
        self.symbolic = symbolic_of(world, most_nodes)
        self.roots = self.unroll()
        self.nodes = Nodes(self.symbolic)
        self._places: dict[tuple[int, int, int], tuple[int, int]] = {}
        for state, _ in world.starts:
            self.place(0, monitor.step(0, world.label(state)), state)

    def unroll(self) -> list[list[BDDFunction]]:
        """Build the diagrams backward from the horizon."""
        symbolic, monitor, world = self.symbolic, self.monitor, self.world
        unknown = [label for label in symbolic.labels if label not in monitor.alphabet]
        if unknown:
            raise WorldError(f'the world has the label "{min(unknown)}", which no task reads')
        changeable = monitor.open | monitor.revocable
        over = [
            symbolic.outcome(*marks)
            for marks in zip(monitor.accepting.tolist(), changeable.tolist(), strict=True)
        ]
        may_end = world.episode.end_probability > 0
        roots = [over]
        for k in range(1, world.episode.horizon + 1):
            arrived = roots[-1]
            if k > 1:
                ends = symbolic.ends(k)
                arrived = [
                    symbolic.terminal.ite(
                        ends.ite(end, symbolic.stopped), ends.ite(end, on) if may_end else on
                    )
                    for end, on in zip(over, arrived, strict=True)
                ]
            step, allowed = symbolic.step(k)
            roots.append([])
            for state, row in enumerate(monitor.table):
                read = arrived[state]  # after the label of the state that is reached, the first that holds
                for label, where in reversed(symbolic.labels.items()):
                    read = where.ite(arrived[row[monitor.alphabet.index(label)]], read)
                roots[k].append(allowed.ite(read.substitute(step), symbolic.unavailable))
        return roots

    @cached_property
    def bytes(self) -> int:
        """Return about how much memory the diagrams take."""
        stored = sum(root.node_count() for root in self.roots[-1])
        return BYTES_STORED * stored + BYTES_READ * len(self.nodes)

    def place(self, time: int, monitor: int, state: int) -> tuple[int, int]:
        """Return the layer and the group of an episode that has taken `time` steps."""
        found = self._places.get((time, monitor, state))
        if found is None:
            k, bits = self.world.episode.horizon - time, self.symbolic.bits(state)
            node = self.roots[k][monitor]
            while (level := node.node_level()) is not None and level < len(bits):
                node = cofactors(node)[not bits[level]]
            found = self._places[time, monitor, state] = k, self.nodes.reach(k, node)
        return found


class DiagramPlan(Plan):
    """The plan of one task: numbers for every node that an episode can pass."""

    def __init__(self, diagram: Diagram, rationality: float) -> None:
        super().__init__(diagram.world, diagram.monitor, rationality)
        self.diagram = diagram
        self._numbers = diagram.nodes.back_up(self.rationality)

    @property
    def bytes(self) -> int:
        """Return about how much memory the plan takes; plans of one task share it."""
        return self.diagram.bytes

    def numbers(self, channel: int, places: Sequence[tuple[int, int]]) -> list[float]:
        """Return numbers of layers' groups: channel 0 is V, the others are labels."""
        if any(group >= self._numbers[k].shape[1] for k, group in places):  # asked where no episode can be
            self._numbers = self.diagram.nodes.back_up(self.rationality)
        return [self._numbers[k].item(channel, group) for k, group in places]

    def value(self, time: int, monitor: int, state: int) -> float:
        """Return one of the values."""
        return self.numbers(0, [self.diagram.place(time, monitor, state)])[0]

    def chance(self, label: int, time: int, monitor: int, state: int) -> float:
        """Return one of the chances."""
        return self.numbers(1 + label, [self.diagram.place(time, monitor, state)])[0]

    def take(self, channel: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return some of the numbers."""
        asked = zip(time.ravel().tolist(), monitor.ravel().tolist(), state.ravel().tolist(), strict=True)
        numbers = self.numbers(channel, [self.diagram.place(*at) for at in asked])
        return np.array(numbers, dtype=np.float64).reshape(np.shape(time))

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return V."""
        return self.take(0, time, monitor, state)

    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the probability of a label."""
        return self.take(1 + label, time, monitor, state)


@dataclass(frozen=True)
class DiagramPlanner(Planner):
    """Plans factored worlds on decision diagrams of at most so many nodes in all."""

    abilities: ClassVar[Abilities] = Abilities()

    most_nodes: int = MOST_NODES

    def plan(self, world: World, monitor: Monitor, rationality: float) -> DiagramPlan:
        """Plan for one task; tasks with the same monitor share their diagrams."""
        if not isinstance(world, FactoredWorld):
            raise WorldError("decision diagrams need a factored world: see demospec.worlds.factored")
        return DiagramPlan(self.diagram(world, monitor), rationality)

    def diagram(self, world: FactoredWorld, monitor: Monitor) -> Diagram:
        """Return the diagrams of a task; those of earlier tasks are forgotten where memory is needed."""
        try:
            return diagram_of(world, monitor, self.most_nodes)
        except MemoryError:
            diagram_of.cache_clear()
        try:
            collect(symbolic_of(world, self.most_nodes).manager)
            return diagram_of(world, monitor, self.most_nodes)
        except MemoryError:
            raise WorldError(
                f"the diagrams of a task with {monitor.states} monitor states over {world.episode.horizon} "
                f"steps need more than {self.most_nodes} nodes; DiagramPlanner(most_nodes=…) allows more"
            ) from None


@lru_cache(maxsize=4)
def diagram_of(world: FactoredWorld, monitor: Monitor, most_nodes: int) -> Diagram:
    """Return the diagrams of a task in a world; agents of different rationality share them."""
    return Diagram(world, monitor, most_nodes)
