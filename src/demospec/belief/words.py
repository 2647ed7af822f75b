"""Which words are possible in some worlds: shortest ones that lead some automata where one asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from demospec.belief.distance import Agents
from demospec.tasks import Word
from demospec.tasks.side_by_side import Product
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Bools, Floats, Ints
from demospec.worlds.walk import Counts, Layer, TooManySituations, Trails, Walk

MOST_SITUATIONS = 4_000_000  # over all worlds; where there are more, words are not looked for
NEVER_READ = np.iinfo(np.intp).max


class Possible(NamedTuple):
    """A word, and the number of a world in which a path has it."""

    word: Word
    world: int


class Words:
    """All paths of some worlds up to their horizons, read by N nodes: the shortest words to everywhere."""

    def __init__(
        self, worlds: Sequence[MDP], reader: Product, stop: Stop = NEVER, most: int | None = None
    ) -> None:
        self.worlds, self.reader = worlds, reader
        self.trails: list[Trails] = []
        shape = reader.reads.shape
        self._length = np.full(shape, NEVER_READ)  # [N, K + 1], letters before a letter is read in a node
        self._before = np.full((*shape, 3), -1)  # the world, the time and the situation of those letters
        left = MOST_SITUATIONS if most is None else most
        for mdp in worlds:
            walk = Walk(mdp, reader, distinct=True, most=left, stop=stop)
            self.trails.append(trails := Trails(walk, self._cost))
            self._begin(walk)
            for layer, length in trails:
                if not layer.repeats or length is not trails.layers[-1 - layer.repeats].cost:
                    self._note(walk, layer, length)
            left -= walk.met

    @classmethod
    def of(cls, agents: Agents, reader: Product) -> Words | None:
        """Follow all paths of the worlds of some agents; None where they are too many, or not listed."""
        if not agents.is_listed:
            return None
        try:
            return cls(agents.listed, reader, agents.stop)
        except TooManySituations:
            return None

    def _cost(self, node: Ints, letter: Ints) -> Ints:
        return self.reader.reads[node, letter].astype(np.intp)

    def _begin(self, walk: Walk) -> None:
        """Note that the letters of start states are read after nothing."""
        letter = walk.letter[walk.first[0]]
        self._length[self.reader.start, letter] = 0
        self._before[self.reader.start, letter] = -1

    def _note(self, walk: Walk, layer: Layer, length: Counts) -> None:
        """Note which letters are read in which nodes, where fewer letters lead there than known so far."""
        place = layer.node[layer.source], walk.letter[layer.reached]
        shorter = np.flatnonzero(length[layer.source] < self._length[place])
        if not len(shorter):
            return
        backward = shorter[::-1]
        # The shortest is written last, and of equals the first.
        order = backward[np.argsort(-length[layer.source[backward]], kind="stable")]
        node, letter = (column[order] for column in place)
        self._length[node, letter] = length[layer.source[order]]
        self._before[node, letter, 0] = len(self.trails) - 1
        self._before[node, letter, 1] = layer.time
        self._before[node, letter, 2] = layer.source[order]

    @property
    def taken(self) -> Bools:
        """Return [N, K + 1]: what some path reads where."""
        found: Bools = self._length < NEVER_READ
        return found

    def shortest(self, nodes: Bools, *, complete: bool) -> Possible | None:
        """Return a shortest word that leads to one of the nodes [N], or None where no path does.

        With `complete` it is the word of a whole episode, else of any beginning of one.
        """
        best: tuple[int, int, int, int] | None = None
        for world, trails in enumerate(self.trails):
            for time, layer in enumerate(trails.layers):
                wanted = nodes[layer.node]
                here = np.flatnonzero(wanted & layer.over if complete else wanted)
                if len(here):
                    place = int(here[np.argmin(layer.cost[here])])
                    length = int(layer.cost[place])
                    if best is None or length < best[0]:
                        best = length, world, time, place
        return None if best is None else Possible(self._word(*best[1:]), best[1])

    def before(self, nodes: Bools, letter: int) -> Word | None:
        """Return a shortest word that leads to one of the nodes [N] in which a path then reads the letter."""
        able = np.flatnonzero(nodes & self.reader.reads[:, letter] & self.taken[:, letter])
        if not len(able):
            return None
        node = able[np.argmin(self._length[able, letter])]
        world, time, place = self._before[node, letter].tolist()
        return () if time < 0 else self._word(world, time, place)

    def _word(self, world: int, time: int, place: int) -> Word:
        trails, reader = self.trails[world], self.reader
        states = trails.path(time, place, complete=False).states(self.worlds[world])
        node, letters = reader.start, []
        for letter in trails.walk.letter[states].tolist():
            if reader.reads[node, letter]:
                letters.append(reader.alphabet[letter])
            node = int(reader.table[node, letter])
        return tuple(letters)


def per_transition(reader: Product, states: int, counts: Floats) -> Floats:
    """Sum what was counted [N, K + 1] by state of the first automaton and letter [Q, K], where it is read."""
    found = np.zeros((states, len(reader.alphabet)))
    np.add.at(found, reader.states(0), np.where(reader.reads, counts, 0.0)[:, :-1])
    return found
