"""What the backup reads: a world's structure, and the monitor states of many tasks side by side as columns.

Where a monitor cannot change any more, nothing needs to be computed: V is the certain reward plus the value
of an agent with nothing left to gain, which is one column for all tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from demospec.plan.base import ACCEPTED, LABELS, REVOCABLE
from demospec.plan.monitor import Monitor
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.walk import first_steps


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
        self.depth = first_steps(mdp)

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

    @cached_property
    def rows(self) -> int:
        """Return how many pairs of a time and a state an episode can be in."""
        steps = self.depth[self.depth < self.mdp.horizon].astype(np.int64)
        return int((self.mdp.horizon - steps).sum())


structure_of = lru_cache(maxsize=16)(Structure)


# -- Many tasks in one pass ------------------------------------------------------------------------------

LANES = 4  # columns come in fours


@dataclass(frozen=True)
class ColumnPlace:
    """Where one task's numbers are: value m is that of column[m] plus constant[0, m], and so with labels."""

    column: Ints  # [M]
    constant: Floats  # [C, M]


@dataclass(frozen=True)
class Columns:
    """What the backup needs to know of the tasks: C channels (V, then labels), L columns, K letters.

    After reading a letter, column l goes on with the value of column source[letter, l] plus
    added[letter, :, l], and is worth final[letter, :, l] if the episode ends.
    """

    channel: dict[int, int]  # by label: where its chances are
    source: Ints  # [K + 1, L]
    added: Floats  # [K + 1, C, L]
    final: Floats  # [K + 1, C, L]
    places: tuple[ColumnPlace, ...]  # by task

    @cached_property
    def source32(self) -> npt.NDArray[np.int32]:
        """Return the sources as the compiled backup takes them."""
        return self.source.astype(np.int32)

    @property
    def channels(self) -> int:
        """Return how many numbers a column has for each state: V, then the labels."""
        return int(self.final.shape[1])

    @property
    def width(self) -> int:
        """Return how many columns there are, those that fill up the lanes too."""
        return int(self.final.shape[2])

    @classmethod
    def of(cls, tasks: Sequence[tuple[Monitor, float]], labels: Sequence[int]) -> Columns:
        """Lay out monitors over one alphabet, each with its rationality; `labels` are those asked for."""
        monitors = [monitor for monitor, _ in tasks]
        most = max(len(monitor.outputs) for monitor in monitors)
        asked = [*labels, *range(len(LABELS), most)]  # what a monitor tells beyond the usual is asked for too
        pairs = [(monitor.outputs[REVOCABLE], monitor.outputs[ACCEPTED]) for monitor in monitors]
        if same := REVOCABLE in asked and all((one == other).all() for one, other in pairs):
            asked.remove(REVOCABLE)
        channel = {label: 1 + at for at, label in enumerate(asked)}
        channels = 1 + len(channel)
        if same:
            channel[REVOCABLE] = channel[ACCEPTED]
        live = [
            [m for m, row in enumerate(monitor.table) if any(m != t for t in row)] for monitor in monitors
        ]
        first = np.cumsum([0, *map(len, live)])
        aimless = int(first[-1])  # the last column, if any task has a use for it
        count = aimless + any(len(own) < monitor.states for own, monitor in zip(live, monitors, strict=True))
        letters = len(monitors[0].alphabet)
        width = -(-count // LANES) * LANES
        source = np.empty((letters + 1, width), dtype=np.intp)
        source[:] = np.arange(width)
        added, final = np.zeros((2, letters + 1, channels, width))
        places = []
        for (monitor, rationality), own, at in zip(tasks, live, first[:-1].tolist(), strict=True):
            outputs = np.zeros((channels, monitor.states))
            outputs[0] = rationality * monitor.reward
            for label, marks in enumerate(monitor.outputs):
                if label in channel:
                    outputs[channel[label]] = marks
            column = np.full(monitor.states, aimless)
            column[own] = at + np.arange(len(own))
            constant = outputs.copy()
            constant[:, own] = 0.0
            places.append(ColumnPlace(column, constant))
            targets = monitor.with_white[own].T  # [K + 1, live]
            span = slice(at, at + len(own))
            source[:, span] = column[targets]
            added[:, :, span] = constant[:, targets].transpose(1, 0, 2)
            final[:, :, span] = outputs[:, targets].transpose(1, 0, 2)
        return cls(channel, source, added, final, tuple(places))
