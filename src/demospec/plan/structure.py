"""One world's transition structure, laid out for the backup; made once and used for every task."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from demospec.worlds.mdp import MDP, Floats, spans

UNREACHABLE = np.iinfo(np.int32).max


class Structure:
    """What the backup reads of a world: S states, in contiguous arrays."""

    def __init__(self, mdp: MDP, alphabet: tuple[str, ...]) -> None:
        self.mdp, self.alphabet = mdp, alphabet
        self.states = len(mdp.states)
        self.most_actions = int(np.diff(mdp.pair_offset).max())
        self.goes_on: Floats = np.where(mdp.terminal, 0.0, 1.0 - mdp.episode.end_probability)
        self.seen_to_go_on: Floats = self.goes_on * (1.0 - mdp.hurry)  # by the agent
        self.both = np.stack([self.goes_on, self.seen_to_go_on])
        self.letter = mdp.letter_numbers(alphabet).astype(np.int32)
        self.letter_list: list[int] = self.letter.tolist()
        self.depth = depths(mdp)

    @cached_property
    def addresses(self) -> tuple[int, ...]:
        """Return where the arrays are, in the order in which the compiled backup takes them."""
        mdp = self.mdp
        arrays = (mdp.pair_offset, mdp.outcome_offset, mdp.successor, mdp.probability)
        toll = mdp.toll  # not there: 0, which compiled code takes for none
        return (
            *(array.ctypes.data for array in arrays),
            0 if toll is None else toll.ctypes.data,
            *(array.ctypes.data for array in (self.both, self.letter, self.depth)),
        )

    @property
    def white(self) -> int:
        """Return what is read in a white state."""
        return len(self.alphabet)

    @cached_property
    def rows(self) -> int:
        """Return how many pairs of a time and a state an episode can be in."""
        steps = self.depth[self.depth < self.mdp.horizon].astype(np.int64)
        return int((self.mdp.horizon - steps).sum())


@lru_cache(maxsize=16)
def structure_of(mdp: MDP, alphabet: tuple[str, ...]) -> Structure:
    """Return the world's structure, made on first use."""
    return Structure(mdp, alphabet)


def depths(mdp: MDP) -> npt.NDArray[np.int32]:
    """Return [S]: the fewest steps that lead to each state, up to the horizon.

    Here each state is left once, when it is first reached. A walk (`worlds/walk.py`) leaves it in every
    layer of time, which would take so many times as long.
    """
    depth = np.full(len(mdp.states), UNREACHABLE, dtype=np.int32)
    frontier = np.array([state for state, _ in mdp.starts], dtype=np.intp)
    depth[frontier] = 0
    for steps in range(1, mdp.horizon):
        pairs = spans(mdp.pair_offset, frontier)
        found = np.unique(mdp.successor[spans(mdp.outcome_offset, pairs)])
        frontier = found[depth[found] == UNREACHABLE]
        if not len(frontier):
            break
        depth[frontier] = steps
    return depth
