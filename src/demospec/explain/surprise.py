"""Surprise, proxy surprise and its gradient: the prefix tree and probabilities on it, nothing else."""

from __future__ import annotations

import numpy as np

from demospec.worlds.mdp import Floats
from demospec.worlds.prefix_tree import Player, PrefixTree


def surprise(tree: PrefixTree, log_edge: Floats) -> float:
    """Return h = −Σ #₍ᵢ,ⱼ₎ ln Pr(i ⇝ j) over the agent's edges, in nats."""
    return float(-(tree.count * log_edge)[tree.chosen].sum() + 0.0)


def gradient(tree: PrefixTree, log_edge: Floats, deviation: Floats) -> Floats:
    """Return ∂ĥ/∂𝕍 [N] (Prop. 2) in one pass, linear in the tree.

    w(i) = Σⱼ #₍ᵢ,ⱼ₎ over the agent's edges that leave i − # of the agent's edge that enters i
    g(n) = w(n) + g(parent)·Pr(parent ⇝ n)
    ∂ĥ/∂𝕍ₙ = g(n)·Pr(deviate at n)
    """
    entering = np.where(tree.chosen, tree.count, 0)
    inner = tree.parent >= 0
    leaving = np.bincount(tree.parent[inner], entering[inner], minlength=len(tree))
    g: list[float] = (leaving - entering).tolist()
    edge: list[float] = np.exp(log_edge).tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            g[node] += g[parent] * edge[node]
    return np.array(g) * deviation


def proxy_values(tree: PrefixTree, pivot_value: Floats, exit_chance: Floats) -> Floats:
    """Return V̂ and Q̂ [N] from pivot values alone, by the soft backup on the tree.

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


def proxy_surprise(tree: PrefixTree, pivot_value: Floats, exit_chance: Floats) -> float:
    """Return ĥ(𝕍): the surprise as a function of pivot values."""
    value = proxy_values(tree, pivot_value, exit_chance)
    log_edge = np.where(tree.chosen, value - value[tree.parent], 0.0)
    return surprise(tree, log_edge)
