"""What a plan says along the prefix tree: values, edge probabilities and ways out, node by node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.plan.base import Plan
from demospec.worlds.mdp import Floats, Ints
from demospec.worlds.prefix_tree import Player, PrefixTree


@dataclass(frozen=True, eq=False)
class AlongTree:
    """One plan's numbers on the N nodes of a tree.

    `value` is V̂ at agent nodes, Q̂ at environment nodes and λ·[accepted] at the end of a complete
    demonstration; `log_edge` is ln Pr(parent ⇝ node); `deviation` is the probability of leaving the tree
    at the node (1 at a leaf).
    """

    tree: PrefixTree
    plan: Plan
    monitor: Ints  # [N], the monitor's state with the node's state read
    value: Floats  # [N]
    choice_value: Floats  # [C], Q of each alternative of the agent
    log_edge: Floats  # [N], 0 at the root
    deviation: Floats  # [N]

    @cached_property
    def pivot_value(self) -> Floats:
        """Return 𝕍 [N]; −inf where there is no way out.

        𝕍ᵢ = ln Σ exp Q over the actions not taken           (agent)
        𝕍ᵢ = E[V | outcome not in the tree]                  (environment)
        𝕍ᵢ = λ·[accepted]                                    (the end of a complete demonstration)
        """
        tree, plan = self.tree, self.plan
        pivot = np.where(tree.player == Player.NOBODY, self.value, -np.inf)
        left = tree.choice_child < 0
        np.logaddexp.at(pivot, tree.choice_node[left], self.choice_value[left])
        read = plan.readings(self.monitor[tree.exit_node], tree.exit_state)
        worth = tree.exit_ends * plan.rationality * plan.monitor.reward[read]
        on = tree.exit_goes_on > 0
        time = tree.time[tree.exit_node] + 1
        worth[on] += tree.exit_goes_on[on] * plan.values(time[on], read[on], tree.exit_state[on])
        total = np.bincount(tree.exit_node, worth, minlength=len(tree))
        out = tree.exit_chance > 0
        pivot[out] = total[out] / tree.exit_chance[out]
        return pivot


def along_tree(tree: PrefixTree, plan: Plan) -> AlongTree:
    """Read a plan along the tree."""
    monitor = monitor_states(tree, plan)
    ended = tree.player == Player.NOBODY

    # Q of every action at every agent node: those taken are the values of environment nodes.
    q = plan.action_values(tree.time[tree.choice_node], monitor[tree.choice_node], tree.choice_pair)
    agent = tree.player == Player.AGENT
    value = np.zeros(len(tree))
    value[agent] = plan.values(tree.time[agent], monitor[agent], tree.state[agent])
    value[ended] = plan.rationality * plan.monitor.reward[monitor[ended]]
    taken = tree.choice_child >= 0
    value[tree.choice_child[taken]] = q[taken]

    # ln π = Q − V on the agent's edges; the environment's are given.
    log_edge = np.where(tree.chosen, value - value[tree.parent], tree.log_chance)

    # Pr(deviate at i) = Σ π over the actions not taken; the environment's is given; leaves are left.
    chance = np.exp(q - value[tree.choice_node])
    leaving = np.where(taken, 0.0, chance)
    deviation = np.bincount(tree.choice_node, leaving, minlength=len(tree)) + tree.exit_chance
    deviation[ended] = 1.0
    return AlongTree(tree, plan, monitor, value, q, log_edge, deviation)


def monitor_states(tree: PrefixTree, plan: Plan) -> Ints:
    """Run the monitor down the tree."""
    monitor = np.zeros(len(tree), dtype=np.intp)
    root = np.flatnonzero(tree.parent < 0)
    monitor[root] = plan.readings(monitor[root], tree.state[root])
    for nodes, above, state in tree.levels:
        monitor[nodes] = plan.readings(monitor[above], state)
    environment = np.flatnonzero(tree.player == Player.ENVIRONMENT)
    monitor[environment] = monitor[tree.parent[environment]]
    return monitor
