"""The soft backup on the nodes of diagrams, from the end of an episode to its start.

A node stands for the rest of an episode as far as its outcome depends on it. What the outcome does not
depend on is skipped there, and counts all the same: an action that changes nothing is still a choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from demospec.plan.diagrams.symbolic import CodeTree, Symbolic
from demospec.worlds.mdp import Floats, Ints

if TYPE_CHECKING:
    from oxidd.bdd import BDDFunction


class Layer:
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
        self.layers = [Layer(len(world.coins)) for _ in range(world.episode.horizon + 1)]
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
        for below, actions in chosen(node, symbolic.code, first, first + symbolic.code.bits):
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


def chosen(node: BDDFunction, tree: CodeTree, level: int, below: int) -> Iterator[tuple[BDDFunction, int]]:
    """Yield what the actions of a code tree lead to, with the number of actions: a skipped bit counts all.

    The tree's first bit is at `level`; the levels from `below` on are no action's.
    """
    at = node.node_level()
    if tree.below is None or at is None or at >= below:
        yield node, tree.leaves
    else:
        both = cofactors(node) if at == level else (node, node)
        for branch, actions in zip(both, tree.below, strict=True):
            yield from chosen(branch, actions, level + 1, below)


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
