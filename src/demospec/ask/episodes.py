"""The words that complete paths can have: one for each way in which tasks can label a path of a world.

A path's past matters through (time, world state, monitor state of every task) alone. So paths are followed
layer by layer of time, and of those that meet in such a place only one is kept: the one that has passed the
fewest labelled states, which is the easiest to judge. Words that no task tells apart are then one.

Where a world's states cannot be listed, paths of agents that pursue the likeliest tasks are drawn instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief import Belief, acceptance
from demospec.explain.score import Likely, Score
from demospec.explain.setup import resolve
from demospec.plan.base import ACCEPTED
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.side_by_side import Lockstep, Stack
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.walk import PathWalk, TooManySituations, Trails

FIRST = 64  # tasks that are followed beside each other; more where these do not tell many words apart
MANY_WORDS = 1000
MOST_PLACES = 200_000  # over all layers; with more, fewer tasks are followed
DRAWN_FOR = 10  # tasks, likeliest first, for whose agents paths are drawn
DRAWS = 20  # paths of each of these agents, and as many of one that pursues nothing


@dataclass(frozen=True)
class PossiblePath:
    """A complete path of the world with a name, and its word; `drawn` where not all paths were looked at."""

    word: Word
    path: Path
    world: str
    drawn: bool


def possible_paths(belief: Belief, *, seed: int = 0, stop: Stop = NEVER) -> list[PossiblePath]:
    """Return paths of all worlds, each word once, in the order of the words.

    There is one for each way in which the tasks of the belief label complete paths, or in worlds that are
    not listed for each way in which they label the drawn ones.
    """
    problem, found = belief.problem, dict[Word, PossiblePath]()
    for number, scene in enumerate(problem.scenes):
        listed = isinstance(scene.world, MDP)
        if listed:
            paths = followed_paths(problem, belief.tasks, scene, stop=stop)
        else:
            rng = np.random.default_rng([seed, number])
            paths = drawn_paths(problem, belief.scores, scene, rng, stop=stop)
        for path in paths:
            word = problem.word(path, scene)
            found.setdefault(word, PossiblePath(word, path, scene.name, not listed))
    return [found[word] for word in sorted(found, key=lambda word: (len(word), word))]


def drawn_paths(
    problem: Problem, scores: Sequence[Score], scene: Scene, rng: np.random.Generator, *, stop: Stop = NEVER
) -> list[Path]:
    """Draw paths of agents that pursue the likeliest tasks, and aimless ones.

    Of those that all tasks label alike, one with the shortest word is kept.
    """
    planner = resolve(problem).planner.for_labels(ACCEPTED).until(stop)
    chosen = scores[:DRAWN_FOR]
    agents = [(score.task, Likely.of(score)) for score in chosen]
    agents.append((chosen[0].task, Likely(0.0)))
    words: dict[Word, Path] = {}
    for task, agent in agents:
        plan = planner.plan(agent.world(scene), resolve(problem).monitor(task), agent.rationality)
        for _ in range(DRAWS):
            stop.check()
            path = sample_path(plan, rng)
            words.setdefault(problem.word(path, scene), path)
    order = sorted(words, key=lambda word: (len(word), word))
    labels = acceptance([score.language for score in scores], order)
    shortest = {column.tobytes(): word for word, column in reversed([*zip(order, labels.T, strict=True)])}
    return [words[word] for word in shortest.values()]


def followed_paths(
    problem: Problem,
    tasks: Sequence[DFA],
    scene: Scene,
    *,
    first: int = FIRST,
    most_places: int = MOST_PLACES,
    stop: Stop = NEVER,
) -> list[Path]:
    """Return one path for each way in which the tasks label complete paths of a listed world.

    The first tasks matter most: they are told apart in any case, the others where the world is small enough,
    or when the first ones do not tell many words apart.
    """
    followed = min(len(tasks), first)
    paths = representatives(problem, tasks[:followed], scene, most_places, stop)
    while paths is None:
        followed //= 2
        paths = representatives(problem, tasks[:followed], scene, most_places if followed > 1 else None, stop)
    while len(paths) < MANY_WORDS and followed < len(tasks):
        followed = min(len(tasks), 2 * followed)
        more = representatives(problem, tasks[:followed], scene, most_places, stop)
        if more is None:
            break
        paths = more
    return paths


def representatives(
    problem: Problem, tasks: Sequence[DFA], scene: Scene, most: int | None, stop: Stop = NEVER
) -> list[Path] | None:
    """Return a path for each way in which tasks label complete paths; None with more places than `most`."""
    reader = Lockstep(Stack.of([resolve(problem).monitor(task) for task in tasks]))
    walk = PathWalk(scene.mdp, reader, distinct=True, most=most, stop=stop)
    white = len(problem.alphabet)
    trails = Trails(walk, lambda node, letter: (letter < white).astype(np.intp))
    ending: dict[int, tuple[int, int, int]] = {}  # node → labelled states passed, time, place
    try:
        for layer, passed in trails:
            if layer.repeats and np.array_equal(passed, trails.layers[-1 - layer.repeats].cost):
                continue  # what ends here, ended some steps before
            over = np.flatnonzero(layer.ends)
            over = over[np.lexsort((passed[over], layer.node[over]))]  # stable: of equals the first
            for place in over[np.diff(layer.node[over], prepend=-1) > 0].tolist():
                here = (int(passed[place]), layer.time, place)
                node = int(layer.node[place])
                ending[node] = min(ending.get(node, here), here)
    except TooManySituations:
        return None
    labels = reader.stack.accepting[reader.rows]
    best: dict[bytes, tuple[int, int, int]] = {}
    for node in sorted(ending):
        key = labels[node].tobytes()
        best[key] = min(best.get(key, ending[node]), ending[node])
    return [trails.path(time, place, complete=True) for _, time, place in best.values()]
