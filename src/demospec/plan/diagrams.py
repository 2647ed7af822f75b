"""Planning on decision diagrams, for worlds whose states cannot be listed.

For each number of steps left and each monitor state there is one diagram: the outcome of the episode, as a
function of the state and of all that is still to be chosen and thrown (Vazquez-Chanlatte and Seshia, CAV
2020). They are made backward from the horizon, each from the one before by putting in what a step does.

Variables are ordered in causal time: the bits of the state; for each step the bits of its action, its coins,
and whether the episode ends after it; last, two bits that tell the outcomes of episodes apart. A node stands
for the rest of an episode as far as its outcome depends on it. What the outcome does not depend on is skipped
there, and counts all the same: an action that changes nothing is still a choice.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import and_, or_
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from demospec.errors import WorldError, missing_package
from demospec.plan.base import Abilities, Plan, Planner
from demospec.plan.monitor import Monitor
from demospec.worlds.expressions import (
    JOINS,
    Choice,
    Coin,
    Constant,
    Expression,
    Join,
    Lifted,
    Value,
    Variable,
    truth,
)
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.mdp import Floats, Ints
from demospec.worlds.world import World

if TYPE_CHECKING:
    from oxidd.bdd import BDDFunction, BDDManager, BDDSubstitution


# -- Expressions as decision diagrams --------------------------------------------------------------------

Split = dict[Value, "BDDFunction"]  # by value: where an expression has it
REMEMBERED = 1 << 18  # results of operations on diagrams
MOST_COMBINATIONS = 1 << 20  # of values of the parts of a lifted function
PATIENCE = 10.0  # seconds


def new_manager(nodes: int) -> BDDManager:
    """Return an empty store for so many nodes of diagrams."""
    try:
        from oxidd.bdd import BDDManager
    except ModuleNotFoundError:
        raise missing_package("planning on decision diagrams", "oxidd", "diagrams") from None
    return BDDManager(nodes, REMEMBERED, 1)


def collect(manager: BDDManager) -> None:
    """Free the nodes that nothing refers to; where the library is at it already, it is waited for."""
    done, deadline = manager.gc_count(), time.monotonic() + PATIENCE
    while manager.gc() == 0 and manager.gc_count() == done and time.monotonic() < deadline:
        time.sleep(0.001)


class Lifting:
    """Turns expressions into diagrams of one manager; `given` tells it where variables have which values."""

    def __init__(self, manager: BDDManager, given: Mapping[str, Split]) -> None:
        self.true, self.false = manager.true(), manager.false()
        self.given = given
        self._known: dict[int, tuple[Expression, Split]] = {}  # by identity; kept alive for it

    def holds(self, whole: Expression, place: str) -> BDDFunction:
        """Return where a condition holds."""
        return self.condition(self.split(whole), place)

    def split(self, whole: Expression) -> Split:
        """Return where an expression has which value; values that it cannot have are left out."""
        if id(whole) not in self._known:
            found = {value: there for value, there in self._split(whole).items() if there.satisfiable()}
            self._known[id(whole)] = whole, found
        return self._known[id(whole)][1]

    def _split(self, whole: Expression) -> Split:
        if isinstance(whole, (Variable, Coin)):
            return self.given[whole.name]
        if isinstance(whole, Constant):
            return {whole.value: self.true}
        parts = [self.split(part) for part in whole.parts]
        if isinstance(whole, Join):
            joined = reduce(JOINS[whole.sign], [self.condition(part, whole.sign) for part in parts])
            return {False: ~joined, True: joined}
        if isinstance(whole, Choice):
            where = self.condition(parts[0], "then")
            yes, no = parts[1:]
            return {
                value: where.ite(yes.get(value, self.false), no.get(value, self.false))
                for value in {**yes, **no}
            }
        assert isinstance(whole, Lifted)
        if math.prod(map(len, parts)) > MOST_COMBINATIONS:
            raise WorldError(
                f"a function of {len(parts)} expressions needs its value for {math.prod(map(len, parts))} "
                f"combinations of theirs; the limit is {MOST_COMBINATIONS}"
            )
        found: Split = {}
        for values in itertools.product(*parts):
            there = reduce(and_, (part[value] for part, value in zip(parts, values, strict=True)), self.true)
            if there.satisfiable():
                result = whole.apply(*values)
                found[result] = found.get(result, self.false) | there
        return found

    def condition(self, split: Split, place: str) -> BDDFunction:
        """Return where a split is true."""
        for value in split:
            truth(value, place)
        return split.get(True, self.false)

    def union(self, functions: Iterable[BDDFunction]) -> BDDFunction:
        """Return where one of the functions holds."""
        return reduce(or_, functions, self.false)


# -- A factored world as binary decision diagrams --------------------------------------------------------


class CodeTree:
    """The codes of some actions in bits, balanced; every string of bits begins with the code of one."""

    def __init__(self, actions: int) -> None:
        self.leaves = actions
        self.bits = (actions - 1).bit_length()  # of the longest code
        half = actions // 2
        self.below = (CodeTree(half), CodeTree(actions - half)) if half else None  # if true, if false

    def codes(self) -> Iterator[tuple[bool, ...]]:
        """Yield the actions' codes in order."""
        if self.below is None:
            yield ()
        else:
            for bit, tree in zip((False, True), reversed(self.below), strict=True):
                yield from ((bit, *rest) for rest in tree.codes())


class Symbolic:
    """The diagrams of one world.

    Levels: `width` bits of the state; then a block of `block` bits for each step, that of the k-th step from
    the end beginning at `first(k)`; from `bottom` on two bits for the outcome.
    """

    def __init__(self, world: FactoredWorld, nodes: int) -> None:
        self.world = world
        self.manager = new_manager(nodes)
        self.code = CodeTree(len(world.actions))
        sizes = [size_of(variable) for variable in world.variables]
        self.width = sum(sizes)
        firsts = (end - size for end, size in zip(itertools.accumulate(sizes), sizes, strict=True))
        self.first_bit = dict(zip(world.by_name, firsts, strict=True))
        self.block = self.code.bits + len(world.coins) + 1
        self.bottom = self.width + world.episode.horizon * self.block
        self.manager.add_vars(self.bottom + 2)
        self.outcomes = {self.outcome(*marks): marks for marks in itertools.product((False, True), repeat=2)}
        self.stopped = self.manager.var(self.bottom + 1)  # no outcome: a terminal state was reached
        self.unavailable = self.manager.not_var(self.bottom + 1)  # nor this: there is no such choice

        state: dict[str, Split] = {}
        for name, variable in world.by_name.items():
            first, size = self.first_bit[name], size_of(variable)
            state[name] = {v: self.cube(first, digits(k, size)) for k, v in enumerate(variable.domain)}
        read = Lifting(self.manager, state)
        self.labels = {
            label: read.holds(where, f'label "{label}"') for label, where in world.conditions.items()
        }
        self.terminal = read.holds(world.terminal_where, "terminal")
        offered = [
            read.holds(world.available_where.get(action, Constant(True)), f'where "{action}" is available')
            for action in world.actions
        ]
        deciding = reduce(and_, (read.union(split.values()) for split in state.values()), ~self.terminal)
        stuck = (deciding & ~read.union(offered)).pick_cube()
        if stuck is not None:
            raise WorldError(f'in state "{self.state_in(stuck)}" no action is available; is it terminal?')
        codes = [self.cube(self.first(world.episode.horizon), code) for code in self.code.codes()]
        self._allowed = read.union(map(and_, codes, offered))
        self._next: dict[int, BDDFunction] = {}
        for action, code, where in zip(world.actions, codes, offered, strict=True):
            self.add_action(action, code, deciding & where, state)
        self._steps: dict[int, tuple[BDDSubstitution, BDDFunction]] = {}
        self._bits: dict[int, list[bool]] = {}

    def first(self, k: int) -> int:
        """Return the level at which the block of the k-th step from the end begins."""
        return self.width + (self.world.episode.horizon - k) * self.block

    def cube(self, level: int, code: Iterable[Value]) -> BDDFunction:
        """Return where the bits from a level on have these values."""
        manager = self.manager
        literals = (manager.var(at) if bit else manager.not_var(at) for at, bit in enumerate(code, level))
        return reduce(and_, literals, manager.true())

    def outcome(self, accepted: bool, changeable: bool) -> BDDFunction:
        """Return what stands for an outcome; another task might give a changeable one the other label."""
        which, (true, false) = self.manager.var(self.bottom), (self.manager.true(), self.manager.false())
        return which.ite(true if changeable else false, true if accepted else false)

    def add_action(
        self, action: str, code: BDDFunction, where: BDDFunction, state: Mapping[str, Split]
    ) -> None:
        """Add what an action makes of the state in the first step; ranges are checked `where` it is taken."""
        world, var = self.world, self.manager.var
        first_coin = self.first(world.episode.horizon) + self.code.bits
        coins: dict[str, Split] = {
            coin.name: {True: var(level), False: ~var(level)}
            for level, coin in enumerate(world.coins, first_coin)
        }
        now: dict[str, Split] = {**state, **coins}
        for effects in (world.effects[action], world.every_step):
            lifting = Lifting(self.manager, now)
            now = {**now, **{name: lifting.split(effect) for name, effect in effects.items()}}
        for name in {**world.effects[action], **world.every_step}:
            variable, size = world.by_name[name], size_of(world.by_name[name])
            for value, there in now[name].items():
                cube = None if variable.can_be(value) else (there & where).pick_cube()
                if cube is not None:
                    raise WorldError(
                        f'action "{action}" in state "{self.state_in(cube)}": "{name}" becomes {value}; '
                        f"expected {variable.expected}"
                    )
            for bit, level in enumerate(range(self.first_bit[name], self.first_bit[name] + size)):
                ones = [value for n, value in enumerate(variable.domain) if digits(n, size)[bit]]
                becomes = lifting.union(now[name][value] for value in ones if value in now[name])
                self._next[level] = code.ite(becomes, self._next.get(level, var(level)))

    def step(self, k: int) -> tuple[BDDSubstitution, BDDFunction]:
        """Return what the k-th step from the end makes of the state, and which of its choices there are."""
        if k not in self._steps:
            from oxidd.bdd import BDDFunction

            first, here = self.first(self.world.episode.horizon), self.first(k)
            renamed = BDDFunction.make_substitution(
                (first + bit, self.manager.var(here + bit)) for bit in range(self.block)
            )
            after = [(level, bit.substitute(renamed)) for level, bit in self._next.items()]
            self._steps[k] = BDDFunction.make_substitution(after), self._allowed.substitute(renamed)
        return self._steps[k]

    def ends(self, k: int) -> BDDFunction:
        """Return the bit that tells whether the episode ends after the k-th step from the end."""
        return self.manager.var(self.first(k) + self.block - 1)

    def bits(self, state: int) -> list[bool]:
        """Return the bits of one of the world's states."""
        if state not in self._bits:
            values = self.world.values(state)
            self._bits[state] = [
                bit
                for name, variable in self.world.by_name.items()
                for bit in digits(variable.domain.index(values[name]), size_of(variable))
            ]
        return self._bits[state]

    def state_in(self, cube: Sequence[bool | None]) -> str:
        """Return the name of a state whose bits are as in a cube."""
        values = {}
        for name, variable in self.world.by_name.items():
            code = cube[self.first_bit[name] : self.first_bit[name] + size_of(variable)]
            values[name] = variable.domain[sum(2**at for at, bit in enumerate(reversed(code)) if bit)]
        return self.world.name_of(values)


def size_of(variable: Variable) -> int:
    """Return how many bits hold a variable."""
    return (len(variable.domain) - 1).bit_length()


def digits(number: int, size: int) -> list[bool]:
    """Return a number in bits, the most significant first.

    >>> digits(6, 4)
    [False, True, True, False]
    """
    return [bool(number >> at & 1) for at in reversed(range(size))]


symbolic_of = lru_cache(maxsize=4)(Symbolic)


# -- The soft backup on the nodes of diagrams, from the end of an episode to its start -------------------


class DiagramLayer:
    """The nodes of one step, k steps before the horizon.

    A group is a node before the agent chooses. What an action leads to is an item: a coin that is still to
    be thrown, or an arrival when all have fallen.
    """

    def __init__(self, coins: int) -> None:
        self.groups: dict[BDDFunction, int] = {}
        self.unseen: list[BDDFunction] = []  # groups that have not been expanded
        self.decided: list[tuple[int, int]] = []  # group, outcome: which cannot change any more
        self.choosing: list[tuple[int, int]] = []  # group, where its choices begin
        self.choices: list[tuple[int, int]] = []  # item, number of actions that lead to it
        self.items: dict[BDDFunction, int] = {}
        self.coins: list[list[tuple[int, int, int]]] = [[] for _ in range(coins)]  # item, if true, if false
        self.arrivals: list[tuple[int, int, int]] = []  # item, outcome if it ends, group if it goes on
        self.stops: list[tuple[int, int]] = []  # item, outcome: in a terminal state

    def group(self, node: BDDFunction) -> int:
        """Return the number of a group."""
        number = self.groups.get(node)
        if number is None:
            number = self.groups[node] = len(self.groups)
            self.unseen.append(node)
        return number


class Nodes:
    """The nodes that were reached so far; layers[k] are those k steps before the horizon."""

    def __init__(self, symbolic: Symbolic) -> None:
        self.symbolic, world = symbolic, symbolic.world
        self.layers = [DiagramLayer(len(world.coins)) for _ in range(world.episode.horizon + 1)]
        self.chances = [coin.probability for coin in world.coins]
        self.outcome = {node: number for number, node in enumerate(symbolic.outcomes)}

    def __len__(self) -> int:
        return sum(len(layer.groups) + len(layer.items) for layer in self.layers)

    def reach(self, k: int, node: BDDFunction) -> int:
        """Take in a node at which an episode can be k steps before the horizon, and all that can follow.

        Returns the number of its group.
        """
        found = self.layers[k].group(node)
        for left in range(k, -1, -1):
            layer = self.layers[left]
            for node in layer.unseen:
                number = layer.groups[node]
                if node in self.outcome:
                    layer.decided.append((number, self.outcome[node]))
                else:
                    layer.choosing.append((number, len(layer.choices)))
                    layer.choices += self.expand(left, node).items()
            layer.unseen.clear()
        return found

    def expand(self, k: int, node: BDDFunction) -> dict[int, int]:
        """Return the items that a group's actions lead to, with the number of actions for each."""
        symbolic, found = self.symbolic, dict[int, int]()
        first = symbolic.first(k)
        for below, actions in chosen_actions(node, symbolic.code, first, first + symbolic.code.bits):
            if below != symbolic.unavailable:
                item = self.item(k, below)
                found[item] = found.get(item, 0) + actions
        return found

    def item(self, k: int, node: BDDFunction) -> int:
        """Return the number of an item, taken in with all that follows on it in this step."""
        layer, symbolic = self.layers[k], self.symbolic
        number = layer.items.get(node)
        if number is not None:
            return number
        level = node.node_level()
        at = symbolic.bottom if level is None else level - symbolic.first(k) - symbolic.code.bits
        if at < len(self.chances):
            true, false = (self.item(k, below) for below in cofactors(node))
            number = layer.items[node] = len(layer.items)
            layer.coins[at].append((number, true, false))
            return number
        number = layer.items[node] = len(layer.items)
        # Where nothing depends on the end, nothing does on what follows; or the episode cannot end here.
        ended, on = cofactors(node) if at == len(self.chances) else (node, node)
        if on == symbolic.stopped:
            layer.stops.append((number, self.outcome[ended]))
        else:
            layer.arrivals.append((number, self.outcome.get(ended, 0), self.layers[k - 1].group(on)))
        return number

    def back_up(self, rationality: float) -> list[Floats]:
        """Return [4, groups] for each layer: V, then the chance of each label.

        V = λ·[accepted] at the end; Q = E[V] over coins; V = ln Σ exp Q over all actions, skipped or not.
        Where the outcome is decided, nothing is left but choices that do not matter.
        """
        accepted, changeable = np.array(list(self.symbolic.outcomes.values())).T
        final = np.stack([rationality * accepted, accepted, changeable & ~accepted, changeable & accepted])
        world = self.symbolic.world
        ends = world.episode.end_probability
        aimless = 0.0  # V of an agent that has nothing to gain
        found: list[Floats] = []
        for layer in self.layers:
            here = np.empty((len(final), len(layer.groups)))
            group, outcome = columns(layer.decided, 2)
            here[:, group] = final[:, outcome]
            here[0, group] += aimless
            if layer.choosing:
                value = np.empty((len(final), len(layer.items)))
                item, outcome, group = columns(layer.arrivals, 3)
                value[:, item] = ends * final[:, outcome] + (1 - ends) * found[-1][:, group]
                item, outcome = columns(layer.stops, 2)
                value[:, item] = final[:, outcome]
                for chance, rows in reversed(list(zip(self.chances, layer.coins, strict=True))):
                    item, true, false = columns(rows, 3)
                    value[:, item] = chance * value[:, true] + (1 - chance) * value[:, false]
                group, first = columns(layer.choosing, 2)
                here[:, group] = soften(value, first, *columns(layer.choices, 2))
            found.append(here)
            aimless = math.log(len(world.actions)) + (1 - ends) * aimless
        return found


def chosen_actions(
    node: BDDFunction, tree: CodeTree, level: int, below: int
) -> Iterator[tuple[BDDFunction, int]]:
    """Yield what the actions of a code tree lead to, with the number of actions: a skipped bit counts all.

    The tree's first bit is at `level`; the levels from `below` on are no action's.
    """
    at = node.node_level()
    if tree.below is None or at is None or at >= below:
        yield node, tree.leaves
    else:
        both = cofactors(node) if at == level else (node, node)
        for branch, actions in zip(both, tree.below, strict=True):
            yield from chosen_actions(branch, actions, level + 1, below)


def cofactors(node: BDDFunction) -> tuple[BDDFunction, BDDFunction]:
    """Return what a node is where its first bit is true, and where it is false."""
    both = node.cofactors()
    assert both is not None
    return both


def columns(rows: Sequence[tuple[int, ...]], width: int) -> Ints:
    """Return rows of numbers as columns."""
    return np.array(rows, dtype=np.intp).reshape(-1, width).T


def soften(value: Floats, first: Ints, item: Ints, count: Ints) -> Floats:
    """Return V = ln Σ exp Q and chances averaged by π, where `count` actions lead to the same item.

    The largest Q is taken out of the sum, so that no rationality overflows.
    """
    q = value[:, item]
    top = np.maximum.reduceat(q[0], first)
    fan = np.diff(np.append(first, len(item)))
    weight = count * np.exp(q[0] - np.repeat(top, fan))
    total = np.add.reduceat(weight, first)
    q[0] = 0.0
    softened: Floats = np.add.reduceat(q * weight, first, axis=1) / total
    softened[0] = top + np.log(total)
    return softened


# -- The planner on decision diagrams, for factored worlds whose states cannot be listed -----------------

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
        over = list(map(symbolic.outcome, monitor.accepting.tolist(), changeable.tolist()))
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
        return self.numbers(0, [self.diagram.place(time, monitor, state)])[0]

    def chance(self, label: int, time: int, monitor: int, state: int) -> float:
        return self.numbers(1 + label, [self.diagram.place(time, monitor, state)])[0]

    def take(self, channel: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        asked = zip(time.ravel().tolist(), monitor.ravel().tolist(), state.ravel().tolist(), strict=True)
        numbers = self.numbers(channel, [self.diagram.place(*at) for at in asked])
        return np.array(numbers, dtype=np.float64).reshape(np.shape(time))

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        return self.take(0, time, monitor, state)

    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
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


diagram_of = lru_cache(maxsize=4)(Diagram)  # agents of different rationality share them
