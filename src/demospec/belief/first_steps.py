"""How agents begin: a quick lower bound on how far apart they are.

The divergence of whole paths is at least that of their beginnings,

    KL ≥ Σ over the first steps ξ of Pr₁(ξ)·KL(π₁(· | ξ) ‖ π₂(· | ξ)),

and beginnings of many agents are compared at once. Histories in the same state that no agent tells apart are
one.
"""

from __future__ import annotations

import numpy as np

from demospec.belief.distance import Agents, quick
from demospec.plan.base import Plan
from demospec.plan.policy import log_policy
from demospec.tasks.side_by_side import Lockstep, Stack
from demospec.worlds.mdp import Floats, Ints
from demospec.worlds.walk import Layer, Walk

MOST_SITUATIONS = 100  # of one length; longer beginnings are not looked at
DEEPEST = 2  # steps: more tell little more, and take longer than the comparisons that they save
OF_A_PLAN = 4  # where plans are large: as many situations as the fourth part of a plan has


def first_layers(walk: Walk, deepest: int) -> list[Layer]:
    """Return the layers in which the first steps are taken, while they are few beside those of a plan."""
    layers: list[Layer] = []
    situations, most = 0, walk.mdp.horizon * walk.states // OF_A_PLAN
    for layer in walk:
        situations += len(layer)
        few = layer.time < deepest and (not layers or len(layer) <= MOST_SITUATIONS)
        if not len(layer.source) or not (few or situations <= most):
            break
        layers.append(layer)
    return layers


def lower_bounds(agents: Agents, deepest: int = DEEPEST) -> Floats:
    """Return [T, T]: for each ordered pair of agents a number that their divergence is not below."""
    count = len(agents.tasks)
    if not agents.is_listed:
        return np.zeros((count, count))
    stack = Stack.of(agents.monitors)
    found = [in_world(agents, number, stack, deepest) for number in range(len(agents.worlds))]
    bounds: Floats = np.max(found, axis=0)
    return bounds


def in_world(agents: Agents, world: int, stack: Stack, deepest: int) -> Floats:
    """Return the bounds of one of the worlds."""
    reader = Lockstep(stack)
    walk = Walk(agents.listed[world], reader, stop=agents.stop)
    layers = first_layers(walk, deepest)
    monitors: Ints = (reader.rows - stack.base).T  # [T, J]
    asked, planner = list(zip(agents.monitors, agents.rationalities, strict=True)), quick(agents.planner)
    present: list[Floats] = []
    log_chance: list[Floats] = []
    for some in agents.batches(asked):
        for plan in planner.plans(agents.worlds[world], some):
            made, chosen = beginnings(plan, walk.begin, layers, monitors[len(present)])
            present.append(made)
            log_chance.append(chosen)
    often, logs = np.array(present), np.array(log_chance)
    result: Floats = (often * logs).sum(axis=1)[:, None] - often @ logs.T
    return result


def beginnings(plan: Plan, begin: Floats, layers: list[Layer], monitor: Ints) -> tuple[Floats, Floats]:
    """Return, for every choice in the layers, how often it is made and ln π; monitors by node [J]."""
    arrived = begin
    made, logs = [], []
    for layer in layers:
        log_chance = log_policy(plan, layer, monitor[layer.node])
        chosen = (arrived * (1.0 - layer.ends))[layer.source[layer.first]] * np.exp(log_chance)
        made.append(chosen)
        logs.append(log_chance)
        arrived = layer.gather(chosen[layer.choice] * layer.chance)
    return np.concatenate(made), np.concatenate(logs)
