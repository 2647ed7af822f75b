"""Paths of which only the actions or only the states are told, where the rest follows."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.errors import DemonstrationError, ImpossibleStep, UnavailableAction, UnknownState, listing
from demospec.worlds.paths import read_start
from demospec.worlds.world import State, World, available, show, stops


def from_actions(
    world: World, actions: Sequence[str], *, start: State | None, demonstration: int
) -> list[str | State]:
    """Return the path that actions lead along; refuse one that can lead to several states."""
    state, flat = read_start(world, start, demonstration), list[str | State]()
    for step, action in enumerate(actions, start=1):
        offered = available(world, state)
        if action not in offered:
            raise UnavailableAction(
                f'action "{action}" is not available in state {show(world.name(state))}; '
                f"available: {listing(offered)}",
                demonstration=demonstration,
                step=step,
            )
        outcomes = world.outcomes(offered[action])
        if len(outcomes) > 1:
            names = " or ".join(show(world.name(reached)) for reached, _ in outcomes)
            raise DemonstrationError(
                f'action "{action}" in state {show(world.name(state))} can lead to {names}: '
                "write the path with its states, path = […]",
                demonstration=demonstration,
                step=step,
            )
        state = outcomes[0][0]
        flat += [action, world.name(state)]
    return flat


def from_states(
    world: World, states: Sequence[str | State], *, start: State | None, demonstration: int
) -> list[str | State]:
    """Return the path through states, the first of which is where it begins.

    Refuse a step that no action, or more than one, could have made.
    """
    if not states:
        raise DemonstrationError(
            "cells begin with the one in which the path does", demonstration=demonstration
        )
    if start is not None and states[0] != start:
        raise DemonstrationError(
            f"cells begin in {show(states[0])}, but start = {show(start)}", demonstration=demonstration
        )
    state, flat = read_start(world, states[0], demonstration), list[str | State]()
    for step, target in enumerate(states[1:], start=1):
        reached, here = world.find(target), show(world.name(state))
        if reached is None:
            raise UnknownState(
                f"state {show(target)} is not in this world", demonstration=demonstration, step=step
            )
        made = [
            action
            for action, pair in available(world, state).items()
            if not stops(world, pair) and reached in dict(world.outcomes(pair))
        ]
        if not made:
            raise ImpossibleStep(
                f"no action leads from {here} to {show(target)}", demonstration=demonstration, step=step
            )
        if len(made) > 1:
            raise DemonstrationError(
                f"{' or '.join(made)} can lead from {here} to {show(target)}: "
                "write the path with its actions, path = […]",
                demonstration=demonstration,
                step=step,
            )
        state = reached
        flat += [made[0], world.name(state)]
    return flat
