"""The words that complete paths can have: one for each way in which tasks can label a path of a world.

A path's past matters through (time, world state, monitor state of every task) alone. So paths are followed
layer by layer of time, and of those that meet in such a place only one is kept: the one that has passed the
fewest labelled states, which is the easiest to judge. Words that no task tells apart are then one.

Where a world's states cannot be listed, paths of agents that pursue the likeliest tasks are drawn instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from demospec.belief import Belief, acceptance
from demospec.explain.score import Score
from demospec.plan.base import ACCEPTED
from demospec.plan.sample import sample_path
from demospec.plan.structure import spans
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Bools, Ints
from demospec.worlds.paths import Path, start_of
from demospec.worlds.scene import Scene

FIRST = 64  # tasks that are followed beside each other; more where these do not tell many words apart
MANY_WORDS = 1000
MOST_PLACES = 200_000  # over all layers; with more, fewer tasks are followed
DRAWN_FOR = 10  # tasks, likeliest first, for whose agents paths are drawn
DRAWS = 20  # paths of each of these agents, and as many of one that pursues nothing


@dataclass(frozen=True)
class Possible:
    """A complete path of the world with a name, and its word; `drawn` where not all paths were looked at."""

    word: Word
    path: Path
    world: str
    drawn: bool


def possible_paths(belief: Belief, *, seed: int = 0, stop: Stop = NEVER) -> list[Possible]:
    """Return paths of all worlds, each word once, in the order of the words.

    There is one for each way in which the tasks of the belief label complete paths, or in worlds that are
    not listed for each way in which they label the drawn ones.
    """
    problem, found = belief.problem, dict[Word, Possible]()
    for number, scene in enumerate(problem.scenes):
        listed = isinstance(scene.world, MDP)
        if listed:
            paths = followed_paths(problem, belief.tasks, scene, stop=stop)
        else:
            rng = np.random.default_rng([seed, number])
            paths = drawn_paths(problem, belief.scores, scene, rng, stop=stop)
        for path in paths:
            word = problem.word(path, scene)
            found.setdefault(word, Possible(word, path, scene.name, not listed))
    return [found[word] for word in sorted(found, key=lambda word: (len(word), word))]


def drawn_paths(
    problem: Problem, scores: Sequence[Score], scene: Scene, rng: np.random.Generator, *, stop: Stop = NEVER
) -> list[Path]:
    """Draw paths of agents that pursue the likeliest tasks, and aimless ones.

    Of those that all tasks label alike, one with the shortest word is kept.
    """
    planner = problem.planner.for_labels(ACCEPTED).until(stop)
    chosen = scores[:DRAWN_FOR]
    agents = [(score.task, score.rationality) for score in chosen]
    agents.append((chosen[0].task, 0.0))
    words: dict[Word, Path] = {}
    for task, rationality in agents:
        plan = planner.plan(scene.world, problem.monitor(task), rationality)
        for _ in range(DRAWS):
            stop.check()
            path = sample_path(plan, rng)
            words.setdefault(problem.word(path, scene), path)
    order = sorted(words, key=lambda word: (len(word), word))
    labels = acceptance([score.task for score in scores], order)
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


class Monitors:
    """The monitors of several tasks, read beside each other; a place is named by a number when first seen."""

    def __init__(self, problem: Problem, tasks: Sequence[DFA]) -> None:
        monitors = [problem.monitor(task) for task in tasks]
        base = np.cumsum([0, *(monitor.states for monitor in monitors[:-1])])
        pairs = zip(monitors, base.tolist(), strict=True)
        self.after = np.concatenate([monitor.with_white + first for monitor, first in pairs])
        self.accepting: Bools = np.concatenate([monitor.accepting for monitor in monitors])
        self.number: dict[bytes, int] = {}
        self.rows: list[Ints] = []
        self.next = np.empty((0, self.after.shape[1]), dtype=np.intp)
        self.start = self.intern(base.astype(np.intp))

    def intern(self, row: Ints) -> int:
        """Return the number of a row of monitor states."""
        key = row.tobytes()
        known = self.number.get(key)
        if known is None:
            known = self.number[key] = len(self.rows)
            self.rows.append(row)
            if known >= len(self.next):
                more = np.full((max(64, len(self.next)), self.next.shape[1]), -1, dtype=np.intp)
                self.next = np.concatenate([self.next, more])
        return known

    def read(self, joint: Ints, letter: Ints) -> Ints:
        """Return the numbers after reading letters."""
        found: Ints = self.next[joint, letter]
        missing = np.flatnonzero(found < 0)
        if len(missing):
            width = self.next.shape[1]
            for code in np.unique(joint[missing] * width + letter[missing]).tolist():
                one, read = divmod(code, width)
                target = self.intern(self.after[self.rows[one], read])
                self.next[one, read] = target
            found = self.next[joint, letter]
        return found

    def labels(self) -> Bools:
        """Return [J, T]: what each task says of a path that ends in each place."""
        marks: Bools = self.accepting[np.array(self.rows)]
        return marks


@dataclass(frozen=True, eq=False)
class Layer:
    """The places that paths of one length are in, and how each was reached from the layer before."""

    state: Ints
    joint: Ints
    passed: Ints  # labelled states on the way
    before: Ints
    pair: Ints

    def same(self, other: Layer) -> bool:
        """Say whether the same places are reached, as plainly."""
        return self is other or (
            np.array_equal(self.state, other.state)
            and np.array_equal(self.joint, other.joint)
            and np.array_equal(self.passed, other.passed)
        )


def representatives(
    problem: Problem, tasks: Sequence[DFA], scene: Scene, most: int | None, stop: Stop = NEVER
) -> list[Path] | None:
    """Return a path for each way in which tasks label complete paths; None with more places than `most`."""
    mdp, joint = scene.mdp, Monitors(problem, tasks)
    letter_number: dict[str | None, int] = {letter: k for k, letter in enumerate(problem.alphabet)}
    letter_number[None] = len(problem.alphabet)
    letter = np.array([letter_number[label] for label in mdp.labels], dtype=np.intp)
    offset, successor, pair = moves(mdp)

    start = np.array([state for state, _ in mdp.starts], dtype=np.intp)
    nothing = np.zeros(len(start), dtype=np.intp)
    first = joint.read(nothing + joint.start, letter[start])
    passed = (letter[start] < len(problem.alphabet)).astype(np.intp)
    layers = [Layer(start, first, passed, nothing, nothing)]
    ending: dict[int, tuple[int, int, int]] = {}  # joint → labelled states passed, time, place
    places = 0

    def following(last: Layer) -> Layer:
        going = np.flatnonzero(~mdp.terminal[last.state])
        move = spans(offset, last.state[going])
        before = np.repeat(going, offset[last.state[going] + 1] - offset[last.state[going]])
        state = successor[move]
        read = joint.read(last.joint[before], letter[state])
        passed = last.passed[before] + (letter[state] < len(problem.alphabet))
        place = read * len(mdp.states) + state
        order = np.lexsort((passed, place))  # stable: of equals the first
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = np.diff(place[order]) > 0
        chosen = order[new]
        return Layer(state[chosen], read[chosen], passed[chosen], before[chosen], pair[move[chosen]])

    for time in range(1, mdp.horizon + 1):
        stop.check()
        again = known_layer(layers)
        layer = following(layers[-1]) if again is None else again
        if not len(layer.state):
            break
        layers.append(layer)
        places += len(layer.state) if again is None else 0
        if most is not None and places > most:
            return None
        over = np.full(len(layer.state), time == mdp.horizon or mdp.episode.end_probability > 0)
        over |= mdp.terminal[layer.state]
        for k in np.flatnonzero(over).tolist() if again is None or time == mdp.horizon else ():
            here = (int(layer.passed[k]), time, k)
            known = ending.get(int(layer.joint[k]))
            if known is None or here < known:
                ending[int(layer.joint[k])] = here
    labels = joint.labels()
    best: dict[bytes, tuple[int, int, int]] = {}
    for number in sorted(ending):
        key = labels[number].tobytes()
        best[key] = min(best.get(key, ending[number]), ending[number])
    return [path_to(mdp, layers, time, place) for _, time, place in best.values()]


def known_layer(layers: Sequence[Layer]) -> Layer | None:
    """Return the layer that comes next where the last one is as one or two steps before, else None.

    What follows depends on the layer alone. In a large part of a long episode nothing new is reached.
    """
    last = layers[-1]
    for period in (1, 2):
        if len(layers) > period and last.same(layers[-1 - period]):
            return layers[-period]
    return None


@lru_cache(maxsize=4)
def moves(mdp: MDP) -> tuple[Ints, Ints, Ints]:
    """Return (offset by state, successor, pair): each successor once, with the pair likeliest to lead there.

    Moves of a state come in the order of its pairs.
    """
    offset, successor, chosen = [0], [], []
    for state in range(len(mdp.states)):
        likeliest: dict[int, tuple[float, int]] = {}
        for pair in mdp.pairs(state):
            for reached, chance in mdp.outcomes(pair):
                if chance > likeliest.get(reached, (0.0, -1))[0]:
                    likeliest[reached] = chance, pair
        successor += list(likeliest)
        chosen += [pair for _, pair in likeliest.values()]
        offset.append(len(successor))
    return (
        np.array(offset, dtype=np.intp),
        np.array(successor, dtype=np.intp),
        np.array(chosen, dtype=np.intp),
    )


def path_to(mdp: MDP, layers: Sequence[Layer], time: int, place: int) -> Path:
    """Return the path that leads to a place."""
    steps: list[tuple[int, int]] = []
    for layer in reversed(layers[1 : time + 1]):
        steps.append((int(layer.pair[place]), int(layer.state[place])))
        place = int(layer.before[place])
    first = start_of(mdp, int(layers[0].state[place]))
    return Path(tuple(reversed(steps)), complete=True, start=first)
