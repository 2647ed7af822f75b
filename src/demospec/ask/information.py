"""What an answer is expected to tell about the task: mutual information under a belief, in nats.

    I(answer; task) = Σₜ w(t) Σₐ Pr(a | t) ln (Pr(a | t) / Σᵤ w(u) Pr(a | u))

That is by how much the answer is expected to shrink the belief's entropy. A label follows from the task, so
its information is the entropy of the label alone. A demonstration is a path of the maximum-entropy agent:
the sum over paths is done in full where they are few. Elsewhere it is the mean over drawn paths of what each
tells, the divergence of the belief after it from the belief before it.

Which of many demonstrations tells most, when each can only be estimated from draws? The first of a ranking by
estimates is the luckiest: its estimate is too high on average. So half of the draws choose, and the others
tell. In each round the candidates that are left share the draws of the round, and the better half of them
goes on (successive halving: Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed
bandits"). What a candidate is worth is then estimated anew, from as many draws that played no part in
choosing it. So the numbers of a ranking need not fall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from demospec.belief import Belief
from demospec.explain.setup import resolve
from demospec.plan.along_tree import along_tree
from demospec.plan.base import ACCEPTED, Plan
from demospec.plan.sample import sample_path
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path, start_of
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.walk import PathWalk
from demospec.worlds.world import World

LIKELIEST = 20  # tasks that a demonstration is expected to tell apart
MOST_PATHS = 2000  # so many are enumerated; where there are more, they are drawn
EACH_ROUND = 240  # draws that the candidates of a round share
FEWEST = 6  # draws of a candidate in a round


def of_label(chance: Floats) -> Floats:
    """Return the information of labels that are "yes" with these probabilities: their entropy.

    >>> of_label(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.0, 0.6931, 0.0]
    """
    p = np.clip(chance, 0.0, 1.0)
    q = 1.0 - p
    found: Floats = -(p * np.log(np.where(p > 0, p, 1.0)) + q * np.log(np.where(q > 0, q, 1.0)))
    return found + 0.0


@dataclass(frozen=True)
class Information:
    """A number of nats: computed in full, or a mean over so many drawn paths and its standard error."""

    nats: float
    error: float = 0.0
    draws: int = 0

    @property
    def exact(self) -> bool:
        """Say whether it was computed in full."""
        return not self.draws


def plans_in(belief: Belief, world: World, stop: Stop = NEVER) -> Sequence[Plan]:
    """Plan for every task of a belief in a world, which need not be one of the problem's.

    The agents are as rational as they are in the problem's worlds.
    """
    setup = resolve(belief.problem)
    planner, found = setup.planner.for_labels(ACCEPTED).until(stop), dict[int, Plan]()
    for manner in dict.fromkeys((score.effort, score.haste) for score in belief.scores):
        some = {k: one for k, one in enumerate(belief.scores) if (one.effort, one.haste) == manner}
        asked = [(setup.monitor(score.task), score.rationality) for score in some.values()]
        felt = world.listed().felt_by(next(iter(some.values()))) if any(manner) else world
        found |= zip(some, planner.plans(felt, asked), strict=True)
    return [found[number] for number in range(len(belief.scores))]


def of_all_paths(belief: Belief, mdp: MDP, stop: Stop = NEVER) -> Information:
    """Return the information of one demonstration in a world between tasks: over all paths."""
    log_chance = log_chances(mdp, plans_in(belief, mdp, stop), list(all_paths(mdp)), stop)
    gain = np.exp(log_chance) * (log_chance - mixture(log_chance, belief.weights))
    return Information(max(0.0, float(belief.weights @ gain.sum(axis=1))))


def of_drawn_paths(
    belief: Belief, world: World, draws: int, rng: np.random.Generator, stop: Stop = NEVER
) -> Information:
    """Estimate the information of one demonstration in a world: draw a task, a path of its agent, …

        E_ξ KL(Pr(task | ξ) ‖ Pr(task))

    which no path makes negative. The estimate is unbiased, and so is its squared error.
    """
    plans, weights = plans_in(belief, world, stop), belief.weights
    paths = []
    for number in rng.choice(len(plans), size=draws, p=weights).tolist():
        stop.check()
        paths.append(sample_path(plans[number], rng))
    log_chance = log_chances(world, plans, paths, stop)
    ratio = log_chance - mixture(log_chance, weights)  # ln Pr(task | ξ) / Pr(task)
    after = np.exp(ratio)
    told = np.maximum(weights @ (after * np.where(after > 0, ratio, 0.0)), 0.0)  # below 0 by rounding only
    return Information(float(told.mean()), float(told.std(ddof=1) / np.sqrt(draws)), draws)


def mixture(log_chance: Floats, weights: Floats) -> Floats:
    """Return ln Σᵤ w(u) Pr(ξ | u) [N] from ln Pr(ξ | u) [T, N]."""
    with np.errstate(divide="ignore"):
        found: Floats = np.logaddexp.reduce(log_chance + np.log(weights)[:, None], axis=0)
    return found


def log_chances(world: World, plans: Sequence[Plan], paths: Sequence[Path], stop: Stop = NEVER) -> Floats:
    """Return ln Pr(path | plan) [T, N], the environment's share included."""
    tree = PrefixTree.build(world, paths)
    nodes = [tree.nodes_of(path) for path in paths]
    first = np.cumsum([0, *(len(own) for own in nodes[:-1])])
    passed = np.concatenate(nodes)
    found = []
    for plan in plans:
        stop.check()
        found.append(np.add.reduceat(along_tree(tree, plan).log_edge[passed], first))
    return np.array(found)


def count_paths(mdp: MDP, most: int) -> int:
    """Return how many complete paths there are, or a number above `most`."""
    walk, ended = PathWalk(mdp), 0.0
    ways = np.ones(len(walk.begin))
    for layer in walk:
        ended += float(ways[layer.ends > 0].sum())
        ways = layer.gather(ways[layer.source])
        if ended + ways.sum() > most:  # each of them ends one day
            return most + 1
    return int(ended)


def all_paths(mdp: MDP) -> Iterator[Path]:
    """Yield every complete path."""
    walk = PathWalk(mdp)
    here = [[Path((), True, start_of(mdp, state))] for state in walk.first[0].tolist()]
    for layer in walk:
        for ends, paths in zip(layer.ends.tolist(), here, strict=True):
            yield from paths if ends else ()
        moves = (layer.source, layer.pair, layer.reached, layer.target)
        there: list[list[Path]] = [[] for _ in range(layer.target.max(initial=-1) + 1)]
        for source, pair, reached, target in zip(*(part.tolist() for part in moves), strict=True):
            there[target] += [replace(path, steps=(*path.steps, (pair, reached))) for path in here[source]]
        here = there


# -- the best of many --------------------------------------------------------------------------------------

Estimating = Callable[[int, int, tuple[int, ...]], Information]
"""From a candidate's number, how many draws it gets, and the seed of their luck; or in full, without them."""


def ranked(
    candidates: int, estimating: Estimating, *, seed: int = 0, each_round: int = EACH_ROUND
) -> list[tuple[int, Information]]:
    """Return the numbers of all candidates, best first, with estimates that played no part in choosing.

    All candidates of a round have the same luck: what differs between them is then mostly their worth.
    Candidates that are left by a round come in its order, after those that went on.
    """
    exact: dict[int, Information] = {}
    total, draws = [0.0] * candidates, [0] * candidates

    def worth(number: int) -> float:
        return exact[number].nats if number in exact else total[number] / draws[number]

    left, behind, turn = list(range(candidates)), list[int](), 0
    while left:
        for number in left:
            if number in exact:
                continue
            share = max(FEWEST, each_round // len(left))
            found = estimating(number, share, (seed, 0, turn))
            if found.exact:
                exact[number] = found
            else:
                total[number] += share * found.nats
                draws[number] += share
        left.sort(key=lambda number: -worth(number))
        if len(left) == 1 or all(number in exact for number in left):
            break
        half = (len(left) + 1) // 2
        left, behind, turn = left[:half], left[half:] + behind, turn + 1
    return [
        (number, exact[number] if number in exact else estimating(number, draws[number], (seed, 1)))
        for number in left + behind
    ]
