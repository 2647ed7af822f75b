"""What a plan says along the prefix tree: values, edge probabilities and ways out, node by node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.mdp import Bools, Floats, Ints
from demospec.plan.soft_bellman import Plan
from demospec.prefix_tree import Player, PrefixTree


@dataclass(frozen=True, eq=False)
class AlongTree:
    """One plan's numbers on the N nodes of a tree.

    `value` is V̂ at agent nodes, Q̂ at environment nodes and λ·[accepted] at the end of a complete
    demonstration; `log_edge` is ln Pr(parent ⇝ node); `deviation` is the probability of leaving the tree
    at the node (1 at a leaf).
    """

    monitor: Ints  # [N], the monitor's state with the node's state read
    value: Floats  # [N]
    log_edge: Floats  # [N], 0 at the root
    deviation: Floats  # [N]
    pivot_value: Floats  # [N], 𝕍ᵢ in the paper; −inf where there is no way out
    accepted: Bools  # [N], what the monitor says of a path that ends here


def along_tree(tree: PrefixTree, plan: Plan) -> AlongTree:
    """Read a plan along the tree."""
    monitor = monitor_states(tree, plan)
    accepted = plan.monitor.accepting[monitor]
    environment = tree.player == Player.ENVIRONMENT

    # Q of every action at every agent node: those taken are the values of environment nodes.
    q = plan.action_values(tree.time[tree.choice_node], monitor[tree.choice_node], tree.choice_pair)
    value = np.where(
        tree.player == Player.NOBODY,
        plan.rationality * accepted,
        plan.value[np.minimum(tree.time, plan.mdp.horizon - 1), monitor, tree.state],
    )
    taken = tree.choice_child >= 0
    value[tree.choice_child[taken]] = q[taken]

    # ln π = Q − V on the agent's edges; the environment's are given.
    with np.errstate(invalid="ignore"):
        log_edge = np.where(environment, value - value[tree.parent], np.log(tree.chance))
    log_edge[0] = 0.0

    # 𝕍ᵢ = ln Σ exp Q over the actions not taken = Vᵢ + ln Pr(deviate at i)
    chance = np.exp(q - value[tree.choice_node])
    leaving = np.where(taken, 0.0, chance)
    deviation = np.bincount(tree.choice_node, leaving, minlength=len(tree)).astype(np.float64)
    with np.errstate(divide="ignore"):
        pivot_value = value + np.log(deviation)
    ended = tree.player == Player.NOBODY
    deviation[ended], pivot_value[ended] = 1.0, value[ended]

    # 𝕍ᵢ = E[V | outcome not in the tree]
    before = monitor[tree.exit_node]
    read = plan.reading[before, tree.exit_state]
    reached = np.minimum(tree.time[tree.exit_node] + 1, plan.mdp.horizon - 1)
    worth = (
        tree.exit_goes_on * plan.value[reached, read, tree.exit_state]
        + tree.exit_ends * plan.rationality * plan.monitor.accepting[read]
    )
    total = np.bincount(tree.exit_node, worth, minlength=len(tree))
    deviation[environment] = tree.exit_chance[environment]
    with np.errstate(divide="ignore", invalid="ignore"):
        pivot_value[environment] = np.where(tree.exit_chance > 0, total / tree.exit_chance, -np.inf)[
            environment
        ]
    return AlongTree(monitor, value, log_edge, deviation, pivot_value, accepted)


def monitor_states(tree: PrefixTree, plan: Plan) -> Ints:
    """Run the monitor down the tree."""
    monitor = np.full(len(tree), plan.start, dtype=np.intp)
    for nodes, above, state in tree.levels:
        monitor[nodes] = plan.reading[monitor[above], state]
    environment = np.flatnonzero(tree.player == Player.ENVIRONMENT)
    monitor[environment] = monitor[tree.parent[environment]]
    return monitor
