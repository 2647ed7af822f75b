"""Environments with chance and without a table: played, and estimated from counts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from demospec.errors import WorldError
from demospec.sources.environment import Reading
from demospec.sources.found import Key, Naming
from demospec.sources.gymnasium_clones import played
from demospec.sources.labelling import Labelling
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.experience import Experience
from demospec.worlds.world import Episode, State


class Played:
    """An environment as a simulator; what is known of a state is taken down when it is first met."""

    def __init__(
        self,
        environment: Any,
        reading: Reading,
        actions: Mapping[int, str],
        labelling: Labelling,
        *,
        episode: Episode,
        seed: int,
        max_states: int,
    ) -> None:
        self.environment, self.reading, self.labelling = played(environment, reading), reading, labelling
        self.episode = episode
        self.naming = Naming(reading)
        self.max_states = max_states
        self.going: dict[Key, State] = {}
        self.ended: dict[Key, State] = {}
        self._numbers = {name: number for number, name in actions.items()}
        self._names = tuple(actions.values())
        self._seed: int | None = seed
        self._steps = 0

    def reset(self) -> State:
        """Begin an episode; the environment is seeded at the first."""
        observation, _ = self.environment.reset(seed=self._seed)
        self._seed, self._steps = None, 0
        return self._met(observation, ended=False)

    def step(self, action: str) -> tuple[State, bool]:
        """Take an action."""
        observation, _, ended, cut, _ = self.environment.step(self._numbers[action])
        self._steps += 1
        if (
            cut
            and not ended
            and self._steps < self.episode.horizon
            and self.environment.unwrapped is not (self.environment)
        ):
            raise WorldError(
                f"the environment stopped after {self._steps} steps; the horizon, {self.episode.horizon}, "
                "must not be above its limit"
            )
        return self._met(observation, ended=bool(ended)), bool(ended)

    def _met(self, observation: Any, *, ended: bool) -> State:
        key: Hashable = self.reading.key(self.environment, observation)
        if key not in self.naming.names:
            if len(self.naming.names) >= self.max_states:
                raise WorldError(
                    f"more than {self.max_states:,} states were found; give a larger max_states, or `state`, "
                    "a function that tells only what matters"
                )
            self.labelling.see(self.naming(key), key, self.environment, observation)
        (self.ended if ended else self.going)[key] = self.naming(key)
        return self.naming(key)

    def actions(self, state: State) -> Sequence[str]:
        """Return all actions: an environment takes any of them anywhere."""
        return self._names

    def label(self, state: State) -> str | None:
        """Return nothing: letters are known at the end."""
        return None


def sample_world(simulator: Played, samples: int, seed: int) -> tuple[EstimatedMDP, str]:
    """Return the world that so many steps give, without labels, and a sentence."""
    experience = Experience(simulator, several_starts=True)
    experience.explore(np.random.default_rng(seed), samples)
    world = experience.world()
    untried = int((world.tries == 0).sum())
    rest = (
        f"; {untried:,} of {len(world.tries):,} pairs of state and action were never tried" if untried else ""
    )
    return world, f"estimated from {samples:,} samples: {len(simulator.naming.names):,} states{rest}"
