"""What an answer is expected to tell about the task: mutual information under a belief, in nats.

    I(answer; task) = Σₜ w(t) Σₐ Pr(a | t) ln (Pr(a | t) / Σᵤ w(u) Pr(a | u))

That is by how much the answer is expected to shrink the belief's entropy. A label follows from the task, so
its information is the entropy of the label alone. A demonstration is a path of the maximum-entropy agent:
the sum over paths is done in full where they are few, and estimated from drawn ones elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from demospec.explain.score import Score
from demospec.plan.along_tree import along_tree
from demospec.plan.base import ACCEPTED, Plan
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import PrefixTree

MOST_PATHS = 2000  # so many are enumerated; where there are more, they are drawn
DRAWS = 6  # paths for each task


def of_label(chance: Floats) -> Floats:
    """Return the information of labels that are "yes" with these probabilities: their entropy.

    >>> of_label(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.0, 0.6931, 0.0]
    """
    p = np.clip(chance, 0.0, 1.0)
    q = 1.0 - p
    found: Floats = -(p * np.log(np.where(p > 0, p, 1.0)) + q * np.log(np.where(q > 0, q, 1.0)))
    return found + 0.0


def entropy(weights: Floats) -> float:
    """Return the entropy of a belief."""
    return float(-(weights * np.log(np.where(weights > 0, weights, 1.0))).sum() + 0.0)


@dataclass(frozen=True)
class Estimate:
    """A number of nats; the standard error is 0 where it was computed in full."""

    nats: float
    error: float = 0.0


def of_demonstration(
    problem: Problem,
    mdp: MDP,
    scores: Sequence[Score],
    weights: Floats,
    *,
    seed: int,
    draws: int = DRAWS,
    most_paths: int = MOST_PATHS,
) -> Estimate:
    """Return the information of one demonstration in a world, which may differ from the problem's.

    The agent is as rational as it is in the problem's world.
    """
    planner = problem.planner.for_labels(ACCEPTED)
    plans = planner.plans(mdp, [(problem.monitor(score.task), score.rationality) for score in scores])
    if count_paths(mdp, most_paths) <= most_paths:
        log_chance = log_chances(mdp, plans, list(all_paths(mdp)))
        gain = np.exp(log_chance) * (log_chance - mixture(log_chance, weights))
        return Estimate(max(0.0, float(weights @ gain.sum(axis=1))))
    paths, source = [], []
    for number, plan in enumerate(plans):
        rng = np.random.default_rng([seed, number])  # the same luck in every world
        paths += [sample_path(plan, rng) for _ in range(draws)]
        source += [number] * draws
    log_chance = log_chances(mdp, plans, paths)
    told = log_chance[source, np.arange(len(paths))] - mixture(log_chance, weights)
    by_task = told.reshape(len(plans), draws)
    spread = by_task.var(axis=1, ddof=1) / draws if draws > 1 else np.zeros(len(plans))
    return Estimate(max(0.0, float(weights @ by_task.mean(axis=1))), float(np.sqrt(weights**2 @ spread)))


def mixture(log_chance: Floats, weights: Floats) -> Floats:
    """Return ln Σᵤ w(u) Pr(ξ | u) [N] from ln Pr(ξ | u) [T, N]."""
    with np.errstate(divide="ignore"):
        found: Floats = np.logaddexp.reduce(log_chance + np.log(weights)[:, None], axis=0)
    return found


def log_chances(mdp: MDP, plans: Sequence[Plan], paths: Sequence[Path]) -> Floats:
    """Return ln Pr(path | plan) [T, N], the environment's share included."""
    tree = PrefixTree.build(mdp, paths)
    nodes = [tree.nodes_of(path) for path in paths]
    first = np.cumsum([0, *(len(own) for own in nodes[:-1])])
    passed = np.concatenate(nodes)
    return np.array([np.add.reduceat(along_tree(tree, plan).log_edge[passed], first) for plan in plans])


def count_paths(mdp: MDP, most: int) -> int:
    """Return how many complete paths there are, or a number above `most`."""
    here, ended = {mdp.start: 1}, 0
    for time in range(1, mdp.horizon + 1):
        there: dict[int, int] = {}
        for state, ways in here.items():
            for pair in mdp.pairs(state):
                for reached, _ in mdp.outcomes(pair):
                    stop = mdp.end_chance(reached, time)
                    ended += ways if stop > 0 else 0
                    if stop < 1:
                        there[reached] = there.get(reached, 0) + ways
        here = there
        if ended + sum(here.values()) > most:  # each of them ends one day
            return most + 1
    return ended


def all_paths(mdp: MDP) -> Iterator[Path]:
    """Yield every complete path."""
    unfinished: list[tuple[tuple[tuple[int, int], ...], int]] = [((), mdp.start)]
    while unfinished:
        steps, state = unfinished.pop()
        for pair in mdp.pairs(state):
            for reached, _ in mdp.outcomes(pair):
                longer = (*steps, (pair, reached))
                stop = mdp.end_chance(reached, len(longer))
                if stop > 0:
                    yield Path(longer, complete=True)
                if stop < 1:
                    unfinished.append((longer, reached))
