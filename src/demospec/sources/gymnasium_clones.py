"""Environments without chance, explored: every action in every state, by copies or by replaying."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from demospec.errors import WorldError
from demospec.sources.environment import Reading, changing_wrappers, layers
from demospec.sources.found import Found, Key, Naming, Outcome, Rewards, Rows
from demospec.sources.labelling import Labelling
from demospec.sources.minigrid import Snapshot, is_minigrid, is_plain

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
