"""Which words are possible in a world: shortest ones that lead some automata where one asks.

Paths are followed step by step, all at once, with the automata beside them. What counts is the number of
letters, so for each time, state of the world and states of the automata the shortest word is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from demospec.plan.structure import structure_of
from demospec.tasks import DFA, Word
from demospec.tasks.tables import explore
from demospec.worlds.mdp import MDP, Bools, Ints, spans

NEVER = np.iinfo(np.int32).max
MOST_CELLS = 4_000_000  # times × states of the world × states of the reader
Counts = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Reader:
    """Automata that read a path together: N nodes, start 0, K letters and white.

    With merged repeats a node knows the letter read last, and does not read it again.
    """

    alphabet: tuple[str, ...]
    nodes: tuple[tuple[int, ...], ...]  # by node: the states of the automata, and the last letter or −1
    table: Ints  # [N, K + 1]
    reads: Bools  # [N, K + 1], whether the word grows

    @classmethod
    def of(cls, tasks: Sequence[DFA], *, merge_repeats: bool) -> Reader:
        """Put automata side by side."""
        alphabet = tasks[0].alphabet
        tables = [task.table for task in tasks]

        def step(node: tuple[int, ...], letter: int) -> tuple[int, ...]:
            if node[-1] == letter:
                return node
            states = (table[state][letter] for table, state in zip(tables, node[:-1], strict=True))
            return (*states, letter if merge_repeats else -1)

        nodes, rows = explore((*(task.start for task in tasks), -1), len(alphabet), step)
        count, letters = len(nodes), len(alphabet)
        table = np.empty((count, letters + 1), dtype=np.intp)
        table[:, :-1] = np.array(rows).reshape(count, letters)
        table[:, -1] = np.arange(count)
        reads = np.ones((count, letters + 1), dtype=np.bool_)
        reads[:, -1] = False
        if merge_repeats:
            last = np.array([node[-1] for node in nodes])
            reads[:, :-1] = last[:, None] != np.arange(letters)
        return cls(alphabet, tuple(nodes), table, reads)

    def states(self, number: int) -> Ints:
        """Return [N]: the state of one of the automata in each node."""
        return np.array([node[number] for node in self.nodes], dtype=np.intp)


class Words:
    """All paths of a world up to its horizon, read by a reader: the shortest word to everywhere.

    A place is the number n·S + s of a node n, with s read already, and a state s of the world.
    """

    def __init__(self, mdp: MDP, reader: Reader) -> None:
        self.mdp, self.reader = mdp, reader
        structure = structure_of(mdp, reader.alphabet)
        self.letter: Ints = structure.letter.astype(np.intp)
        self.states = len(mdp.states)
        self.taken = np.zeros(reader.reads.shape, dtype=np.bool_)  # [N, K + 1]: what some path reads where
        self.length: list[Counts] = []  # by time: letters of the shortest word, [N·S]
        self.parent: list[Counts] = []  # by time: the place before, [N·S]
        size = len(reader.nodes) * self.states
        first = self.letter[mdp.start]
        length = np.full(size, NEVER, dtype=np.int32)
        length[reader.table[0, first] * self.states + mdp.start] = reader.reads[0, first]
        self.taken[0, first] = True
        self.length.append(length)
        self.parent.append(np.full(size, -1, dtype=np.int32))
        for _ in range(mdp.horizon):
            self._step()

    @staticmethod
    def fits(mdp: MDP, reader: Reader) -> bool:
        """Say whether following all paths takes moderate memory."""
        return (mdp.horizon + 1) * len(mdp.states) * len(reader.nodes) <= MOST_CELLS

    @cached_property
    def _successors(self) -> tuple[Ints, Ints]:
        """Return the states that can follow each state, one behind the other, and where each begins."""
        mdp = self.mdp
        source = np.repeat(np.arange(self.states), np.diff(mdp.outcome_offset[mdp.pair_offset]))
        known = np.unique(source * self.states + mdp.successor)
        count = np.bincount(known // self.states, minlength=self.states)
        return np.concatenate([[0], np.cumsum(count)]), known % self.states

    def _step(self) -> None:
        before, reader = self.length[-1], self.reader
        here = np.flatnonzero(before < NEVER)
        here = here[~self.mdp.terminal[here % self.states]]
        offset, successor = self._successors
        world = here % self.states
        source = np.repeat(here, offset[world + 1] - offset[world])
        reached = successor[spans(offset, world)]
        node, letter = source // self.states, self.letter[reached]
        self.taken[node, letter] = True
        target = reader.table[node, letter] * self.states + reached
        length = before[source] + reader.reads[node, letter]
        order = np.lexsort((source, length, target))
        target, length, source = target[order], length[order], source[order]
        first = np.flatnonzero(np.diff(target, prepend=-1))
        shortest = np.full(len(before), NEVER, dtype=np.int32)
        parent = np.full(len(before), -1, dtype=np.int32)
        shortest[target[first]], parent[target[first]] = length[first], source[first]
        self.length.append(shortest)
        self.parent.append(parent)

    def ends(self, time: int) -> Bools:
        """Return [S]: where an episode can end after so many steps."""
        if time == 0:
            return np.zeros(self.states, dtype=np.bool_)
        if time >= self.mdp.horizon or self.mdp.episode.end_probability > 0:
            return np.ones(self.states, dtype=np.bool_)
        return np.asarray(self.mdp.terminal)

    def shortest(self, nodes: Bools, *, complete: bool) -> Word | None:
        """Return a shortest word that leads to one of the nodes [N], or None where no path does.

        With `complete` it is the word of a whole episode, else of any beginning of one.
        """
        wanted = np.repeat(nodes, self.states)
        best: tuple[int, int, int] | None = None
        for time, length in enumerate(self.length):
            here = wanted & np.tile(self.ends(time), len(nodes)) if complete else wanted
            place = int(np.argmin(np.where(here, length, NEVER)))
            found = int(length[place]) if here[place] else NEVER
            if found < (NEVER if best is None else best[0]):
                best = found, time, place
        return None if best is None else self._word(best[1], best[2])

    def _word(self, time: int, place: int) -> Word:
        letters: list[str] = []
        while time >= 0:
            before = int(self.parent[time][place])
            node = 0 if before < 0 else before // self.states
            letter = int(self.letter[place % self.states])
            if self.reader.reads[node, letter]:
                letters.append(self.reader.alphabet[letter])
            time, place = time - 1, before
        return tuple(reversed(letters))
