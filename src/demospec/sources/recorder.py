"""A wrapper for Gymnasium environments that records runs as demonstrations in a world's state names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from demospec.errors import InputError, UnknownState, WorldError
from demospec.plan.policy import Policy
from demospec.sources.environment import gymnasium_package
from demospec.sources.gymnasium import GymnasiumWorld, link_of
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import STOP, State

Wrapper: Any = gymnasium_package("the recorder").Wrapper


@dataclass
class RecordedEpisode:
    """One episode as it happened; `states` are the world's names of what was observed."""

    seed: int | None
    states: list[State]
    observations: list[Any]
    names: list[str] = field(default_factory=list)  # of the actions
    actions: list[Any] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    terminations: list[bool] = field(default_factory=list)
    truncations: list[bool] = field(default_factory=list)
    stopped: bool = False  # by choice

    @property
    def path(self) -> list[str | State]:
        """Return action, state, action, state, … after the start."""
        return [part for step in zip(self.names, self.states[1:], strict=True) for part in step]


class Recorder(Wrapper):  # type: ignore[misc]
    """Records what an agent, a person or a program does in an environment.

    Play it as the environment itself, with `reset` and `step`, or let a policy `play`. An episode that
    terminates, or reaches the world's horizon, is a complete demonstration; one that is truncated before, or
    left by another `reset` or by `close`, is not. `stop` ends an episode by choice, where the world has that.
    """

    def __init__(self, env: Any, world: GymnasiumWorld) -> None:
        super().__init__(env)
        self.world, self.link = world, link_of(world)
        self.recordings: list[RecordedEpisode] = []
        self._now: RecordedEpisode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Begin an episode; without a seed in the start from which the world was explored, where it was."""
        self._keep()
        if seed is None and self.link.seeds:
            seed = self.link.seeds[0]
        observation, info = self.env.reset(seed=seed, options=options)
        self._now = RecordedEpisode(seed, [self._state(observation, False)], [observation])
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Any]:
        """Take an action, and take it down."""
        if self._now is None:
            raise InputError("the episode is over: reset the environment before another step")
        name = self.link.action(action)
        observation, reward, terminated, truncated, info = self.env.step(action)
        run = self._now
        run.states.append(self._state(observation, bool(terminated)))
        run.names.append(name)
        run.observations.append(observation)
        run.actions.append(action)
        run.rewards.append(float(reward))
        run.terminations.append(bool(terminated))
        run.truncations.append(bool(truncated))
        if terminated or truncated:
            self._keep()
        return observation, reward, terminated, truncated, info

    def stop(self) -> None:
        """End the episode by choice: enough was done."""
        if not self.world.episode.by_choice:
            told = 'the world\'s episodes do not end by choice; give `from_gymnasium` ends="by choice"'
            raise InputError(told)
        if self._now is None or not self._now.names:
            raise InputError("no step was taken that could be the last")
        self._now.stopped = True
        self._keep()

    def close(self) -> None:
        """Close the environment; an episode that is under way is kept, unfinished."""
        self._keep()
        super().close()

    def _keep(self) -> None:
        if self._now is not None and self._now.names:
            self.recordings.append(self._now)
        self._now = None

    def _state(self, observation: Any, ended: bool) -> State:
        try:
            return self.link.state(self.env, observation, ended=ended)
        except WorldError as error:
            step = 0 if self._now is None else len(self._now.names) + 1
            number, self._now = len(self.recordings) + 1, None
            raise UnknownState(error.message, demonstration=number, step=step) from None

    @property
    def demonstrations(self) -> tuple[Path, ...]:
        """Return the episodes so far as demonstrations, checked against the world."""
        found: list[Path] = []
        for number, run in enumerate(self.recordings, start=1):
            complete, start = True if run.stopped else None, run.states[0]
            told = read_path(self.world, run.path, complete=complete, demonstration=number, start=start)
            found.append(told)
        return tuple(found)

    def play(
        self, policy: Policy | Callable[[Any], Any], *, episodes: int = 1, seed: int = 0
    ) -> tuple[Path, ...]:
        """Play episodes by a policy of demospec's, or a function from observation to action.

        The first episode's reset has `seed`, the second's `seed` + 1, and so on; in a world that was
        explored, the seeds from which it was. An episode ends at the world's horizon, if not before. Return
        what was recorded in these episodes.
        """
        rng, before = np.random.default_rng(seed), len(self.recordings)
        numbers = {name: number for number, name in self.link.actions.items()}
        for episode in range(episodes):
            seeds = self.link.seeds
            observation, _ = self.reset(seed=seeds[episode % len(seeds)] if seeds else seed + episode)
            run = self._now
            while self._now is run and run is not None and len(run.names) < self.world.horizon:
                if not isinstance(policy, Policy):
                    action = policy(observation)
                else:
                    history = list(zip(run.names, run.states[1:], strict=True))
                    chances = policy.action_probabilities(policy.path(history, run.states[0]))
                    share = np.array(list(chances.values())) / sum(chances.values())
                    chosen = str(rng.choice(list(chances), p=share))
                    if chosen == STOP and self.world.episode.by_choice:
                        self.stop()
                        break
                    action = numbers[chosen]
                observation = self.step(action)[0]
            self._keep()
        return self.demonstrations[before:]

    def to_minari(self, dataset: str, **metadata: Any) -> Any:
        """Write what was recorded as a Minari dataset: see `demospec.to_minari`."""
        from demospec.sources.minari import to_minari

        return to_minari(self, dataset, **metadata)
