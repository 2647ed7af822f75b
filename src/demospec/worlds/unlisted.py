"""Worlds that are told by rules, state by state: states are numbered when they are first met.

A world of one's own says where episodes begin, what a state offers, what comes of it, and which label it
has. Paths, prefix trees and samplers then work as in a listed world; `listed()` explores it where it can.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Generic, TypeVar, cast

import numpy as np

from demospec.errors import WorldError
from demospec.tasks.showing import Displayed, short
from demospec.wording import count, listing
from demospec.worlds.mdp import MDP, check_distribution, normalized
from demospec.worlds.world import (
    STOP,
    STOPPED,
    Episode,
    Starts,
    State,
    check_no_stop,
    end_chance,
    is_stopped,
    show,
    stops,
    unless_ones,
)

Key = TypeVar("Key", bound=Hashable)

MOST_STATES = 1 << 16  # that `listed` explores: ten times as many take a minute


class StoppedKey(Enum):
    """The state of episodes that were stopped, where a world has no key of its own for it."""

    HERE = STOPPED


class UnlistedWorld(Displayed, ABC, Generic[Key]):
    """A world whose states are keys: anything that can be hashed. Their names are the keys unless said.

    Where episodes end by choice, `stop` is added to what every state offers.
    """

    def __init__(self, *, episode: Episode, actions: Iterable[str], letters: Iterable[str]) -> None:
        self.episode = episode
        self.actions = tuple(dict.fromkeys(actions))
        check_no_stop(episode, self.actions)
        if episode.by_choice:
            self.actions += (STOP,)
        self.letters = tuple(sorted(set(letters)))
        self._keys: list[Key] = []  # by number of a state
        self._met: dict[Key, int] = {}
        self._labels: list[str | None] = []
        self._ends: list[bool] = []
        self._pairs: dict[int, range] = {}
        self._pair: list[tuple[int, str]] = []  # state and action
        self._outcomes: dict[int, list[tuple[int, float]]] = {}
        self._listed: MDP | None = None

    # -- what a world of one's own says ---------------------------------------------------------------

    @abstractmethod
    def begin(self) -> Mapping[Key, float]:
        """Return the states in which episodes begin with their probabilities."""

    @abstractmethod
    def offered(self, key: Key) -> Sequence[str]:
        """Return the actions of a state that is not terminal."""

    @abstractmethod
    def reached(self, key: Key, action: str) -> Mapping[Key, float]:
        """Return what an action in a state can lead to, with probabilities."""

    @abstractmethod
    def labelled(self, key: Key) -> str | None:
        """Return a state's label; None is white."""

    def over(self, key: Key) -> bool:
        """Say whether reaching a state ends the episode."""
        del key
        return False

    def spent(self, key: Key, action: str) -> float:
        """Return what an action costs in a state, in units of the agent's effort."""
        del key, action
        return 1.0

    def written(self, key: Key) -> State:
        """Return the name of a state."""
        return cast(State, key)

    def read(self, name: State) -> Key | None:
        """Return the state with a name; None where there is none."""
        return cast(Key, name)

    # -- what everybody asks ----------------------------------------------------------------------------

    @property
    def stopped(self) -> Key:
        """Return the state that `stop` leads to."""
        return cast(Key, StoppedKey.HERE)

    def _name(self, key: Key) -> State:
        return STOPPED if self.episode.by_choice and key == self.stopped else self.written(key)

    @cached_property
    def starts(self) -> Starts:
        """Return the states in which episodes begin, each with its probability."""
        begin = self.begin()
        check_distribution({self.written(key): chance for key, chance in begin.items()}, "start")
        found = tuple((self.meet(key), chance) for key, chance in normalized(begin).items())
        for state, _ in found:
            if self._ends[state]:
                raise WorldError(
                    f"the start state {show(self.name(state))} is terminal: no episode could take a step"
                )
        return found

    def meet(self, key: Key) -> int:
        """Return the number of a state; one that is new gets the next."""
        number = self._met.get(key)
        if number is None:
            label, ends = None, True
            if not (self.episode.by_choice and key == self.stopped):
                label, ends = self.labelled(key), self.over(key)
            number = self._met[key] = len(self._keys)
            self._keys.append(key)
            self._labels.append(label)
            self._ends.append(ends)
        return number

    def key(self, state: int) -> Key:
        """Return a state by its number."""
        return self._keys[state]

    def name(self, state: int) -> State:
        return self._name(self._keys[state])

    def names(self) -> Iterable[State]:
        """Return the names of the states met so far."""
        return map(self._name, self._keys)

    def find(self, name: State) -> int | None:
        """Return the number of the state with a name; asking for it is meeting it."""
        key = self.stopped if self.episode.by_choice and name == STOPPED else self.read(name)
        return None if key is None else self.meet(key)

    def label(self, state: int) -> str | None:
        """Return a state's label; None is white."""
        return self._labels[state]

    def ends(self, state: int) -> bool:
        """Say whether a state is terminal."""
        return self._ends[state]

    def end_chance(self, state: int, steps: int) -> float:
        """Return the probability that an episode ends on reaching `state` with its `steps`-th step."""
        return end_chance(self, state, steps)

    def pairs(self, state: int) -> range:
        """Return the numbers of a state's state-action pairs."""
        known = self._pairs.get(state)
        if known is None:
            offered = () if self._ends[state] else tuple(self.offered(self._keys[state]))
            if not offered and not self._ends[state]:
                raise WorldError(f"in state {show(self.name(state))} no action is available; is it terminal?")
            if self.episode.by_choice and offered:
                offered = (*(action for action in offered if action != STOP), STOP)
            known = self._pairs[state] = range(len(self._pair), len(self._pair) + len(offered))
            self._pair += [(state, action) for action in offered]
        return known

    def action(self, pair: int) -> str:
        """Return the name of a pair's action."""
        return self._pair[pair][1]

    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        """Return the possible successors of a state-action pair with their probabilities."""
        known = self._outcomes.get(pair)
        if known is None:
            state, action = self._pair[pair]
            stop = stops(self, pair)
            chances = {self.stopped: 1.0} if stop else self.reached(self._keys[state], action)
            names = {self._name(key): chance for key, chance in chances.items()}
            check_distribution(names, f'state {show(self.name(state))}, action "{action}"')
            known = [(self.meet(key), chance) for key, chance in normalized(chances).items()]
            self._outcomes[pair] = known
        return known

    def cost(self, pair: int) -> float:
        """Return what choosing a pair costs, in units of the agent's effort."""
        state, action = self._pair[pair]
        return 0.0 if stops(self, pair) else self.spent(self._keys[state], action)

    def __repr__(self) -> str:
        steps, met = count(self.episode.horizon, "step"), count(len(self._keys), "state")
        told = f"{type(self).__name__}: {met} met so far, actions {listing(self.actions)}, letters "
        return short([f"{told}{listing(self.letters)}; episodes of at most {steps}"])

    def listed(self) -> MDP:
        """Return the world as arrays: the states that can be reached, and those that were met."""
        if self._listed is None:
            self._listed = self.explored(MOST_STATES)
        return self._listed

    def explored(self, most: int) -> MDP:
        """List the states that can be reached, at most so many; those that were met keep their numbers.

        The state of stopped episodes is the last one.
        """
        rows: list[tuple[State, str, dict[State, float]]] = []
        costs: dict[tuple[State, str], float] = {}
        assert self.starts
        number = 0
        while number < len(self._keys):  # which grows
            for pair in self.pairs(number):
                costs[self.name(number), self.action(pair)] = self.cost(pair)
                if stops(self, pair):
                    self.outcomes(pair)
                    continue
                after = {self.name(state): chance for state, chance in self.outcomes(pair)}
                rows.append((self.name(number), self.action(pair), after))
            if len(self._keys) > most:
                raise WorldError(self.too_many(most))
            number += 1
        every = [state for state in range(len(self._keys)) if not is_stopped(self, state)]
        made = MDP.build(
            rows,
            start={self.name(state): chance for state, chance in self.starts},
            episode=self.episode,
            labels={self.name(state): label for state in every if (label := self._labels[state]) is not None},
            terminal=[self.name(state) for state in every if self._ends[state]],
            states=[self.name(state) for state in every],
            actions=[action for action in self.actions if not (self.episode.by_choice and action == STOP)],
        )
        priced = [costs[name, one] for k, name in enumerate(made.states) for one in made.available(k)]
        return replace(made, costs=unless_ones(np.array(priced)))

    def too_many(self, most: int) -> str:
        """Return the message for a world that cannot be listed."""
        return f"more than {most} states can be reached: they cannot be listed"
