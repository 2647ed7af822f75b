"""Environments without chance, explored: every action in every state, by copies or by replaying.

Environments with chance and without a table: played, and estimated from counts.

Environments that hold their own table, `env.unwrapped.P`: by state and action what can come of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from demospec.errors import WorldError
from demospec.sources.environment import (
    Found,
    Key,
    Labelling,
    Naming,
    Outcome,
    Reading,
    Rewards,
    Rows,
    changing_wrappers,
    layers,
)
from demospec.sources.familiar import Snapshot, is_minigrid, is_plain
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.simulator import Experience
from demospec.worlds.world import Episode, State

CHECKED = 200  # states that are met again, and whose every action is tried again


class Chance(Exception):
    """A step drew a random number: what comes of it cannot be told from one try."""


class Keeping(Protocol):
    """How an environment is brought back to where it was."""

    how: str

    def begun(self, environment: Any, seed: int) -> Any:
        """Keep where an environment is after a reset with a seed."""
        ...

    def after(self, kept: Any, action: int, environment: Any) -> Any:
        """Keep where an environment is that took an action from what was kept."""
        ...

    def load(self, kept: Any) -> Any:
        """Return an environment that is where it was kept."""
        ...


class Copies:
    """Deep copies."""

    how = "by cloning"

    def begun(self, environment: Any, seed: int) -> Any:
        """Keep a copy."""
        return deepcopy(environment)

    def after(self, kept: Any, action: int, environment: Any) -> Any:
        """Keep the environment itself: what was loaded was a copy."""
        return environment

    def load(self, kept: Any) -> Any:
        """Return a copy."""
        return deepcopy(kept)


@dataclass
class Snapshots:
    """Only what a step can change, put back into one environment."""

    environment: Any
    how: str = "by cloning"

    def begun(self, environment: Any, seed: int) -> Snapshot:
        """Take a snapshot."""
        return Snapshot.of(environment)

    def after(self, kept: Snapshot, action: int, environment: Any) -> Snapshot:
        """Take a snapshot."""
        return Snapshot.of(environment)

    def load(self, kept: Snapshot) -> Any:
        """Put the environment back."""
        kept.restore(self.environment)
        return self.environment


@dataclass
class Replays:
    """The seed and the actions that lead there, taken again."""

    environment: Any
    how: str = "by replaying"

    def begun(self, environment: Any, seed: int) -> tuple[int, tuple[int, ...]]:
        """Keep the seed."""
        return seed, ()

    def after(self, kept: tuple[int, tuple[int, ...]], action: int, environment: Any) -> Any:
        """Keep one action more."""
        return kept[0], (*kept[1], action)

    def load(self, kept: tuple[int, tuple[int, ...]]) -> Any:
        """Reset, and take the actions."""
        seed, actions = kept
        self.environment.reset(seed=seed)
        for action in actions:
            self.environment.step(action)
        return self.environment


def keeping_of(environment: Any) -> Keeping:
    """Return the quickest way to bring an environment back; it has been reset."""
    if environment is environment.unwrapped and is_minigrid(environment) and is_plain(environment):
        return Snapshots(environment)
    try:
        deepcopy(environment)
    except Exception:  # a window, a handle of another library: whatever it is, it cannot be copied
        return Replays(environment)
    return Copies()


def played(environment: Any, reading: Reading) -> Any:
    """Return the part of an environment that is enough to play: the innermost where it tells the state."""
    return environment.unwrapped if reading.unwrapped and not changing_wrappers(environment) else environment


def explore(
    environment: Any,
    reading: Reading,
    actions: Mapping[int, str],
    labelling: Labelling,
    *,
    seeds: Sequence[int],
    max_states: int,
    keeping: Keeping | None = None,
) -> tuple[Found, str]:
    """Try every action in every state that can be reached; raise `Chance` where that is not enough."""
    inner = played(environment, reading)
    naming = Naming(reading)
    kept: dict[Key, Any] = {}
    again: dict[tuple[Key, bool], Any] = {}  # states that were met again: by staying there, or from elsewhere
    starts: dict[Key, float] = {}
    for seed in seeds:
        observation, _ = inner.reset(seed=seed)
        keeping = keeping or keeping_of(inner)
        key = reading.key(inner, observation)
        starts[key] = starts.get(key, 0.0) + 1 / len(seeds)
        if key not in kept:
            labelling.see(naming(key), key, inner, observation)
            kept[key] = keeping.begun(inner, seed)
    assert keeping is not None
    rows: Rows = {}
    rewards: Rewards = {}
    left = list(kept)
    for key in left:
        row = rows[key] = {}
        for number, name in actions.items():
            environment, observation, ended, reward = step(keeping.load(kept[key]), number)
            reached = reading.key(environment, observation)
            rewards[key, name, reached] = reward
            row[name] = {(reached, ended): 1.0}
            if reached not in naming.names:
                labelling.see(naming(reached), reached, environment, observation)
            if ended:
                continue
            if reached in kept:
                once = reached, reached == key
                if once not in again and len(again) < CHECKED:
                    again[once] = keeping.after(kept[key], number, environment)
                continue
            if len(kept) >= max_states:
                raise WorldError(
                    f"more than {max_states:,} states were found; give a larger max_states, fewer actions, "
                    "or `state`, a function that tells only what matters"
                )
            kept[reached] = keeping.after(kept[key], number, environment)
            left.append(reached)
    check_alike(again, rows, reading, actions, keeping, naming)
    return Found(rows, starts, naming, rewards), f"explored: {len(naming.names):,} states {keeping.how}"


def step(environment: Any, action: int) -> tuple[Any, Any, bool, float]:
    """Take an action that must not depend on chance; return what is observed, and whether that is the end."""
    before = generators(environment)
    observation, reward, ended, _, _ = environment.step(action)  # truncated is not terminal
    if generators(environment) != before:
        raise Chance
    return environment, observation, bool(ended), float(reward)


def generators(environment: Any) -> list[Any]:
    """Return the states of all random generators that an environment holds, and of the global ones."""
    shared: Any = np.random.get_state()  # noqa: NPY002  an environment may draw from it
    found: list[Any] = [random.getstate(), shared[2], shared[1].tobytes()]
    for layer in layers(environment):
        for value in vars(layer).values():
            if isinstance(value, np.random.Generator):
                found.append(str(value.bit_generator.state))
            elif isinstance(value, np.random.RandomState):
                found.append(str(value.get_state()))
            elif isinstance(value, random.Random):
                found.append(value.getstate())
    return found


def check_alike(
    again: Mapping[tuple[Key, bool], Any],
    rows: Rows,
    reading: Reading,
    actions: Mapping[int, str],
    keeping: Keeping,
    naming: Naming,
) -> None:
    """Refuse two situations that are called the same state, but in which an action does not do the same."""
    for (key, _), kept in again.items():
        for number, name in actions.items():
            environment, observation, ended, _ = step(keeping.load(kept), number)
            now: Outcome = reading.key(environment, observation), ended
            (then,) = rows[key][name]
            if now != then:
                raise WorldError(
                    f'two situations are called the state "{naming(key)}", but after "{name}" one is in '
                    f"{told(naming, then)}, the other in {told(naming, now)}; give `state`, a function of "
                    "the environment or the observation that tells them apart"
                )


def told(naming: Naming, outcome: Outcome) -> str:
    """Write where a step led, for a message."""
    return f'"{naming(outcome[0])}"' + (" at the end" if outcome[1] else "")


# -- Environments with chance and without a table --------------------------------------------------------


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


# -- Environments that hold their own table, `env.unwrapped.P` -------------------------------------------

RESETS = 1_000  # to see where episodes begin, where the environment does not say it


def has_table(environment: Any) -> bool:
    """Say whether an environment has a table that tells all of what it does."""
    inner = environment.unwrapped
    table = getattr(inner, "P", None)
    fickle = getattr(inner, "fickle_passenger", False)  # who changes the destination beside the table
    return isinstance(table, Mapping) and bool(table) and not fickle


def read_table(
    environment: Any, reading: Reading, actions: Mapping[int, str], labelling: Labelling, seed: int
) -> tuple[Found, str]:
    """Return what the table holds, and a sentence."""
    inner = environment.unwrapped
    rows: Rows = {}
    rewards: Rewards = {}
    for state, by_action in inner.P.items():
        row = rows[int(state)] = {}
        for number, name in actions.items():
            outcomes = row[name] = {}
            for chance, reached, reward, ended in by_action[number]:
                if chance > 0:
                    at = int(reached), bool(ended)
                    outcomes[at] = outcomes.get(at, 0.0) + float(chance)
                    rewards[int(state), name, int(reached)] = float(reward)
    starts, told = start_chances(environment, reading, seed)
    naming = Naming(reading)
    if labelling.needs_environment:
        see_all(environment, [int(state) for state in inner.P], naming, labelling)
    return Found(rows, starts, naming, rewards), f"read from the table env.unwrapped.P{told}"


def start_chances(environment: Any, reading: Reading, seed: int) -> tuple[dict[Any, float], str]:
    """Return where episodes begin, as the environment says it, or as resets show it."""
    told = getattr(environment.unwrapped, "initial_state_distrib", None)
    if told is not None:
        return {state: float(chance) for state, chance in enumerate(told) if chance > 0}, ""
    observation, _ = environment.reset(seed=seed)
    seen = Counter([reading.key(environment, observation)])
    for _ in range(RESETS - 1):
        seen[reading.key(environment, environment.reset()[0])] += 1
    starts = {key: times / RESETS for key, times in sorted(seen.items())}
    more = f"; start states by {RESETS:,} resets" if len(starts) > 1 else ""
    return starts, more


def see_all(environment: Any, states: list[int], naming: Naming, labelling: Labelling) -> None:
    """Put the environment into each state of its table, one after the other."""
    inner = environment.unwrapped
    inner.reset(seed=0)
    if not hasattr(inner, "s"):
        raise WorldError(
            "labels and features ask for the environment, but it cannot be put into a state of its table; "
            "give labels as a table by state"
        )
    for state in states:
        inner.s = state
        labelling.see(naming(state), state, environment, state)
    inner.reset(seed=0)
