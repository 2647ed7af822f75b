"""The words that complete paths of a world can have: one for each way in which tasks can label a path.

A path's past matters through (time, world state, monitor state of every task) alone. So paths are followed
layer by layer of time, and of those that meet in such a place only one is kept: the one that has passed the
fewest labelled states, which is the easiest to judge. Words that no task tells apart are then one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.worlds.mdp import MDP, Bools, Ints, spans
from demospec.worlds.paths import Path

FIRST = 64  # tasks that are followed beside each other; more where these do not tell many words apart
MANY = 1000  # words
MOST_PLACES = 200_000  # over all layers; with more, fewer tasks are followed


@dataclass(frozen=True)
class Possible:
    """A complete path of the world, and its word."""

    word: Word
    path: Path


def possible(
    problem: Problem, tasks: Sequence[DFA], *, first: int = FIRST, most_places: int = MOST_PLACES
) -> list[Possible]:
    """Return one path for each way in which the tasks label complete paths, in the order of the words.

    The first tasks matter most: they are told apart in any case, the others where the world is small enough,
    or when the first ones do not tell many words apart.
    """
    followed = min(len(tasks), first)
    paths = representatives(problem, tasks[:followed], most_places)
    while paths is None:
        followed //= 2
        paths = representatives(problem, tasks[:followed], most_places if followed > 1 else None)
    while len(paths) < MANY and followed < len(tasks):
        followed = min(len(tasks), 2 * followed)
        more = representatives(problem, tasks[:followed], most_places)
        if more is None:
            break
        paths = more
    found = {problem.word(path): path for path in paths}
    return [Possible(word, found[word]) for word in sorted(found, key=lambda word: (len(word), word))]


class Joint:
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


def representatives(problem: Problem, tasks: Sequence[DFA], most: int | None) -> list[Path] | None:
    """Return a path for each way in which tasks label complete paths; None with more places than `most`."""
    mdp, joint = problem.mdp, Joint(problem, tasks)
    letter_number: dict[str | None, int] = {letter: k for k, letter in enumerate(problem.alphabet)}
    letter_number[None] = len(problem.alphabet)
    letter = np.array([letter_number[label] for label in mdp.labels], dtype=np.intp)
    offset, successor, pair = moves(mdp)

    nothing, start = np.zeros(1, dtype=np.intp), np.array([mdp.start], dtype=np.intp)
    first = joint.read(np.array([joint.start], dtype=np.intp), letter[start])
    layers = [Layer(start, first, nothing, nothing, nothing)]
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
    return [path_to(layers, time, place) for _, time, place in best.values()]


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


def path_to(layers: Sequence[Layer], time: int, place: int) -> Path:
    """Return the path that leads to a place."""
    steps: list[tuple[int, int]] = []
    for layer in reversed(layers[1 : time + 1]):
        steps.append((int(layer.pair[place]), int(layer.state[place])))
        place = int(layer.before[place])
    return Path(tuple(reversed(steps)), complete=True)
