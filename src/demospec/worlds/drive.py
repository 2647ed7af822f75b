"""A run that is driven by hand, one action at a time; what chance does is drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from demospec.errors import InputError, listing
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import World, available, show, stops


@dataclass(frozen=True)
class Drive:
    """A run so far. One seed and one number of the run draw the same chance at the same step.

    So nobody can throw the dice again by taking a step back.
    """

    world: World
    seed: int
    run: int
    start: int
    steps: tuple[tuple[int, int], ...] = ()

    @classmethod
    def begin(cls, world: World, *, seed: int, run: int) -> Drive:
        """Begin a run in a start state."""
        return cls(world, seed, run, drawn(world.starts, seed, run, 0))

    @property
    def state(self) -> int:
        """Return the state in which the run is."""
        return self.steps[-1][1] if self.steps else self.start

    @property
    def offered(self) -> dict[str, int]:
        """Return the actions that can be taken now; to stop is to finish, and is none of them."""
        if self.over:
            return {}
        pairs = available(self.world, self.state)
        return {action: pair for action, pair in pairs.items() if not stops(self.world, pair)}

    @property
    def over(self) -> bool:
        """Say whether the episode has ended: in a terminal state, or at the horizon."""
        return bool(self.steps) and self.world.end_chance(self.state, len(self.steps)) == 1

    def taken(self, action: str) -> Drive:
        """Take an action."""
        offered = self.offered
        if self.over:
            raise InputError("the episode is over")
        if action not in offered:
            here = show(self.world.name(self.state))
            raise InputError(f'"{action}" is not offered in {here}; offered: {listing(offered)}')
        pair = offered[action]
        reached = drawn(self.world.outcomes(pair), self.seed, self.run, len(self.steps) + 1)
        return replace(self, steps=(*self.steps, (pair, reached)))

    def undone(self) -> Drive:
        """Take the last step back."""
        return replace(self, steps=self.steps[:-1])

    @property
    def labels(self) -> list[str | None]:
        """Return the labels of the states that were passed, the start included."""
        return [self.world.label(state) for state in (self.start, *(state for _, state in self.steps))]

    def path(self, *, finished: bool) -> Path:
        """Return the run as a demonstration.

        Where an episode can end, one that is finished has ended there. Elsewhere it is incomplete.
        """
        world, name = self.world, self.world.name
        by_choice = world.episode.by_choice
        if not self.steps and not (finished and by_choice):
            raise InputError("a run takes at least one step")
        ends = bool(self.steps) and world.end_chance(self.state, len(self.steps)) > 0
        flat = [part for pair, state in self.steps for part in (world.action(pair), name(state))]
        complete = self.over or (finished and (by_choice or ends))
        return read_path(world, flat, complete=complete, start=name(self.start))


def drawn(chances: Sequence[tuple[int, float]], seed: int, run: int, step: int) -> int:
    """Draw one of several numbers with their probabilities."""
    if len(chances) == 1:
        return chances[0][0]
    below = np.cumsum([chance for _, chance in chances])
    at = np.random.default_rng([seed, run, step]).random() * below[-1]
    return chances[min(int(np.searchsorted(below, at, side="right")), len(chances) - 1)][0]
