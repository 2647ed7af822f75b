"""How often the agent of one task satisfies another, for many pairs of tasks at once; compiled.

No layer of a plan is kept, and monitor states of several pairs that behave alike are one column. The numbers
are those of plans, to the last digit: the same operations in the same order make them.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import partial

import numpy as np

from demospec.native import library
from demospec.plan import compiled
from demospec.plan.columns import LANES, Structure, structure_of
from demospec.plan.monitor import Monitor
from demospec.plan.tabular import A_WHILE, CACHE, MOST_BYTES, WORTH_A_THREAD
from demospec.tasks.tables import address, numbers_of
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Floats


def pairs_fit(world: MDP, monitors: Sequence[Monitor]) -> bool:
    """Say whether pairs of these monitors can be planned by compiled code in the memory that there is."""
    largest = max((monitor.states for monitor in monitors), default=1) ** 2
    return compiled.compiled_available() and 3 * 16 * len(world.states) * (largest + LANES) <= MOST_BYTES


class Pairs:
    """Monitors over one alphabet in one world, to be asked about in pairs."""

    def __init__(self, world: MDP, monitors: Sequence[Monitor], stop: Stop = NEVER) -> None:
        self.world, self.stop = world, stop
        self.letters = len(monitors[0].alphabet)
        self.structure: Structure = structure_of(world, monitors[0].alphabet)
        self._states = array("i", [monitor.states for monitor in monitors])
        self._cells = array("i", [cell for monitor in monitors for row in monitor.table for cell in row])
        self._marks = array("B", [mark for monitor in monitors for mark in monitor.accepting.tolist()])
        self._starts = np.array([state for state, _ in world.starts], dtype=np.int64)

    def seconds_satisfied(self, pairs: Sequence[tuple[int, int]], rationalities: Sequence[float]) -> Floats:
        """Return, for each pair (i, j), how often the agent of monitor i, of a rationality, satisfies j."""
        found = np.empty(len(pairs))
        for rationality in dict.fromkeys(rationalities):
            which = [number for number, own in enumerate(rationalities) if own == rationality]
            found[which] = self._of_one_rationality([pairs[number] for number in which], rationality)
        return found

    def _of_one_rationality(self, pairs: Sequence[tuple[int, int]], rationality: float) -> list[float]:
        structure, native, count = self.structure, library(), len(pairs)
        assert native is not None, "the library is not built"
        numbers, chances = numbers_of(pairs), np.empty((count, len(self._starts)))
        states = sum(self._states[one] * self._states[other] for one, other in pairs) // count + 1
        work = structure.rows * structure.most_actions * states  # of one pair, at most
        threads = max(1, min(compiled.cores(), work * count // WORTH_A_THREAD))
        piece = max(1, min(A_WHILE // work, -(-count // threads)))

        def run(first: int) -> None:
            self.stop.check()
            many = min(piece, count - first)
            if not native.demospec_seconds(
                *(*structure.addresses, self.letters, structure.states, structure.most_actions),
                *(self.world.horizon, len(self._starts), self._starts.ctypes.data, len(self._states)),
                *map(address, (self._states, self._cells, self._marks)),
                *(many, address(numbers) + 8 * first, rationality, CACHE // (16 * structure.states)),
                *(chances.ctypes.data + chances.strides[0] * first, self.stop.address),
            ):
                raise MemoryError

        pieces = [partial(run, first) for first in range(0, count, piece)]
        if threads == 1:
            for one in pieces:
                one()
        else:
            compiled.in_threads(threads, pieces)
        self.stop.check()
        begins = [chance for _, chance in self.world.starts]
        return [math.fsum(b * c for b, c in zip(begins, row, strict=True)) for row in chances.tolist()]
