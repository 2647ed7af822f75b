"""Environments that hold their own table, `env.unwrapped.P`: by state and action what can come of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from demospec.errors import WorldError
from demospec.sources.environment import Reading
from demospec.sources.found import Found, Naming, Rewards, Rows
from demospec.sources.labelling import Labelling

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
