"""Witnesses by definition: all complete paths of a small world, their pivots, and what pivot values say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from demospec.testing.small_worlds import Prefix, beginning_paths, one_step_extensions, prefixes_of
from demospec.worlds.mdp import Floats
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import World


def enumerate_paths(world: World) -> list[Path]:
    """Return all complete paths of a small world, straight from the definition."""

    def complete_from(path: Path) -> Iterator[Path]:
        if path.complete:
            yield path
            return
        for pair in world.pairs(path.states(world)[-1]):
            for longer, _ in one_step_extensions(world, path, pair):
                yield from complete_from(longer)

    return [path for begin, _ in beginning_paths(world) for path in complete_from(begin)]


def environment_probability(world: World, path: Path) -> float:
    """Return the environment's share of a path's probability: where it began, outcomes, where it ended."""
    probability = dict(world.starts)[path.first(world)]
    prefix = path.upto(0)
    for number, (pair, _) in enumerate(path.steps, start=1):
        longer = path.upto(number)
        probability *= dict(one_step_extensions(world, prefix, pair))[longer]
        prefix = longer
    return probability


def pivot_of(path: Path, demonstrations: Iterable[Path]) -> Prefix:
    """Return the longest prefix of a path that conforms to the demonstrations.

    For a path that deviates it is the paper's pivot; a complete demonstration is its own.
    """
    conforming = {prefix for shown in demonstrations for prefix in prefixes_of(shown)}
    return next(prefix for prefix in reversed(prefixes_of(path)) if prefix in conforming)


def proxy_values(tree: PrefixTree, pivot_value: Floats, exit_chance: Floats) -> Floats:
    """Return V̂ and Q̂ [N] from pivot values alone, by the soft backup on the tree (Eq. proxy).

    −inf marks a node without a way out. `exit_chance` is the environment's, the same for every task.
    """
    children: list[list[int]] = [[] for _ in range(len(tree))]
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            children[parent].append(node)
    value = np.zeros(len(tree))
    for node in reversed(range(len(tree))):
        below = children[node]
        if tree.player[node] == Player.AGENT:
            value[node] = np.logaddexp.reduce([pivot_value[node], *value[below]])  # ln Σ exp
        elif tree.player[node] == Player.ENVIRONMENT:
            out = exit_chance[node]
            value[node] = tree.chance[below] @ value[below] + (out * pivot_value[node] if out > 0 else 0.0)
        else:
            value[node] = pivot_value[node]
    return value
