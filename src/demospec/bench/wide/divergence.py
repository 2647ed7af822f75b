"""How differently two tasks make agents in haste behave, by following what they do forward in time.

Who is in haste plans as if every step might be the last. What it foresees is not what happens, so that the
sum of ln π along an episode does not telescope as in `belief/distance.py`. Over whole episodes,

    KL(π₁ ‖ π₂) = Σₜ Σ_{m,s} Pr₁(t, m, s, goes on)·D(t, m, s)
    D(t, m, s) = Σₐ π₁(a | t, m₁, s)·(ln π₁(a | t, m₁, s) − ln π₂(a | t, m₂, s))

where m = (m₁, m₂) is what the monitors of both tasks remember, the state read; ln π = Q − V is that of plans
made in haste, and Pr₁ is what happens in the world when agent 1 acts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demospec.plan.base import ACCEPTED, Plan
from demospec.plan.monitor import make_monitor
from demospec.plan.policy import log_policy
from demospec.plan.rationality import Point
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.side_by_side import Product
from demospec.worlds.mdp import Floats
from demospec.worlds.walk import Walk


class HastyAgents:
    """The agents of T tasks in the W worlds of a problem, alike in all but their tasks, to be compared."""

    def __init__(self, problem: Problem, tasks: Sequence[DFA], agent: Point) -> None:
        monitors = [make_monitor(task, merge_repeats=problem.merge_repeats) for task in tasks]
        asked = [(monitor, agent.rationality) for monitor in monitors]
        worlds = [scene.felt_by(agent) for scene in problem.scenes]
        self.plans = [PLANNER.for_labels(ACCEPTED).plans(world, asked) for world in worlds]  # [W][T]

    def divergences(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return for each pair (i, j) the largest KL(πᵢ ‖ πⱼ) of all worlds: what an episode of i tells."""
        return np.array([max(divergence(plans[i], plans[j]) for plans in self.plans) for i, j in pairs])


def divergence(first: Plan, second: Plan) -> float:
    """Return KL(π₁ ‖ π₂), the nats that an episode of the first plan's agent tells against the second's."""
    both = Product.of([first.monitor, second.monitor], merge_repeats=False)
    mine, other = both.states(0), both.states(1)
    walk = Walk(first.world.listed(), both)
    arrived, nats = walk.begin, 0.0
    for layer in walk:
        present = (1.0 - layer.ends) * arrived
        own = log_policy(first, layer, mine[layer.node])
        chosen = present[layer.source[layer.first]] * np.exp(own)
        nats += float(chosen @ (own - log_policy(second, layer, other[layer.node])))
        arrived = layer.gather(chosen[layer.choice] * layer.chance)
    return max(nats, 0.0)  # rounding may take it below
