"""What a plan says along the prefix tree: values, edge probabilities and ways out, node by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.plan.base import Plan
from demospec.plan.tabular import TabularPlan
from demospec.tasks.side_by_side import stacked
from demospec.worlds.mdp import Floats, Ints, spans
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
