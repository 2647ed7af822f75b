"""Worlds that can be played but not looked into: a simulator with `reset` and `step`, and adapters to it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from demospec.errors import InputError, WorldError, listing
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State


class Simulator(Protocol):
    """A world that can only be played, in the spirit of Gymnasium.

    A simulator may also have `cost(state, action)`; without, every step costs 1.

    `episode` says how episodes end besides: after `horizon` steps, or by chance. Neither is the simulator's
    business: it is reset when the horizon is reached, and need not end anything by chance.
    """

    @property
    def episode(self) -> Episode:
        """Return after how many steps an episode surely ends, and how likely it does after each step."""
        ...

    def reset(self) -> State:
        """Begin an episode; return the start state, the same every time."""
        ...

    def step(self, action: str) -> tuple[State, bool]:
        """Take an action; return the state reached, and whether the episode ends there."""
        ...

    def actions(self, state: State) -> Sequence[str]:
        """Return the actions that a state offers; it is asked only about states that go on."""
        ...

    def label(self, state: State) -> str | None:
        """Return a state's label; None is white."""
        ...


class WorldSimulator:
    """A known world, offered as a simulator only."""

    def __init__(self, mdp: MDP, *, seed: int = 0) -> None:
        self.mdp = mdp
        self._rng = np.random.default_rng(seed)
        self._state = mdp.start
        self._pair = [
            dict(zip(mdp.available(state), mdp.pairs(state), strict=True)) for state in range(len(mdp.states))
        ]
        self._reached: list[tuple[list[int], list[float]]] = []
        for pair in range(len(mdp.pair_action)):
            states, chances = zip(*mdp.outcomes(pair), strict=True)
            self._reached.append((list(states), list(accumulate(chances))[:-1]))

    @property
    def episode(self) -> Episode:
        """Return how episodes end."""
        return self.mdp.episode

    def reset(self) -> State:
        """Begin an episode."""
        self._state = self.mdp.start
        return self.mdp.states[self._state]

    def step(self, action: str) -> tuple[State, bool]:
        """Take an action."""
        states, chances = self._reached[self._pair[self._state][action]]
        self._state = states[bisect_right(chances, self._rng.random()) if chances else 0]
        return self.mdp.states[self._state], bool(self.mdp.terminal[self._state])

    def actions(self, state: State) -> Sequence[str]:
        """Return the actions that a state offers."""
        return self.mdp.available(self.mdp.number[state])

    def cost(self, state: State, action: str) -> float:
        """Return what an action costs in a state."""
        return self.mdp.cost(self._pair[self.mdp.number[state]][action])

    def label(self, state: State) -> str | None:
        """Return a state's label."""
        return self.mdp.labels[self.mdp.number[state]]


class GymnasiumSimulator:
    """A Gymnasium environment with discrete actions, and observations that are states.

    An environment is given, or the name under which `gymnasium.make` knows it. `labels` tells the label of
    each state that has one, `actions` the names of the actions, which are numbers unless given. A state is
    the observation itself where that is a text or a pair of whole numbers, else its text; `state` does it
    in another way. Rewards are not used. `terminated` ends an episode; `truncated` must not come before the
    horizon, which is the environment's own limit on steps unless `episode` is given.
    """

    def __init__(
        self,
        environment: Any,
        *,
        labels: Mapping[State, str] | Callable[[State], str | None],
        episode: Episode | None = None,
        actions: Sequence[str] | None = None,
        state: Callable[[Any], State] | None = None,
        seed: int = 0,
    ) -> None:
        self.environment = make(environment) if isinstance(environment, str) else environment
        self._label = labels.get if isinstance(labels, Mapping) else labels
        self._state = state or state_of
        self._seed: int | None = seed
        self._steps = 0
        space = self.environment.action_space
        if not hasattr(space, "n"):
            raise WorldError(
                f"the environment's actions are {space}; only a finite number of them can be planned for"
            )
        numbers = range(int(getattr(space, "start", 0)), int(getattr(space, "start", 0)) + int(space.n))
        names = tuple(map(str, numbers)) if actions is None else tuple(actions)
        if len(names) != len(numbers) or len(set(names)) != len(names):
            raise WorldError(f"the environment has {len(numbers)} actions; found the names {listing(names)}")
        self._action = dict(zip(names, numbers, strict=True))
        self._names = names
        limit = getattr(getattr(self.environment, "spec", None), "max_episode_steps", None)
        if episode is None:
            if limit is None:
                raise WorldError("the environment has no limit on steps: give `episode`, with a horizon")
            episode = Episode(horizon=int(limit))
        elif limit is not None and episode.horizon > limit:
            raise WorldError(
                f"the horizon is {episode.horizon} steps, but the environment stops after {limit}"
            )
        self._episode = episode

    @property
    def episode(self) -> Episode:
        """Return how episodes end."""
        return self._episode

    def reset(self) -> State:
        """Begin an episode; the environment is seeded at the first."""
        observation, _ = self.environment.reset(seed=self._seed)
        self._seed, self._steps = None, 0
        return self._state(observation)

    def step(self, action: str) -> tuple[State, bool]:
        """Take an action."""
        observation, _, terminated, truncated, _ = self.environment.step(self._action[action])
        self._steps += 1
        if truncated and not terminated and self._steps < self._episode.horizon:
            raise WorldError(
                f"the environment stopped after {self._steps} steps; the horizon, {self._episode.horizon}, "
                "must not be above its limit"
            )
        return self._state(observation), bool(terminated)

    def actions(self, state: State) -> Sequence[str]:
        """Return all actions: an environment takes any of them anywhere."""
        return self._names

    def label(self, state: State) -> str | None:
        """Return a state's label."""
        return self._label(state)


def make(name: str) -> Any:
    """Make a Gymnasium environment."""
    try:
        import gymnasium
    except ImportError as error:
        raise InputError(
            f'the environment "{name}" needs Gymnasium: pip install "demospec[gymnasium]"'
        ) from error
    return gymnasium.make(name)


def state_of(observation: object) -> State:
    """Return the state that an observation is.

    >>> state_of(np.int64(7)), state_of((3, np.int64(1))), state_of((14, 10, 0))
    ('7', (3, 1), '(14, 10, 0)')
    """
    if isinstance(observation, str):
        return observation
    if isinstance(observation, np.ndarray):
        raise WorldError(
            f"an observation is an array of shape {observation.shape}; give `state`, a function that names "
            "the state of an observation"
        )
    if not isinstance(observation, Hashable):
        raise WorldError(f"an observation is a {type(observation).__name__}, not a value; give `state`")
    plain = tuple(map(whole, observation)) if isinstance(observation, tuple) else whole(observation)
    if isinstance(plain, tuple) and len(plain) == 2 and all(type(part) is int for part in plain):
        return plain
    return str(plain)


def whole(number: object) -> object:
    """Return a NumPy integer as Python's own; anything else as it is."""
    return int(number) if isinstance(number, np.integer) else number
