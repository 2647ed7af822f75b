"""Demonstrations: paths that were shown, checked against the world, complete or not.

Of some only the actions or only the states are told, where the rest follows; others are driven by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from demospec.errors import (
    DemonstrationError,
    ImpossibleStep,
    InputError,
    PastTheEnd,
    UnavailableAction,
    UnknownState,
)
from demospec.wording import listing, nearest
from demospec.worlds.world import (
    STOP,
    STOPPED,
    State,
    World,
    only_start,
    pairs_by_action,
    place_of,
    show,
    start_names,
    stops,
)


@dataclass(frozen=True)
class Path:
    """A path from a start state: (state-action pair, state reached) steps, and whether it has ended.

    It holds the numbers of one world: that world's functions read it. `start` is None where the world has
    a single start state.
    """

    steps: tuple[tuple[int, int], ...]
    complete: bool
    start: int | None = None

    def first(self, world: World) -> int:
        """Return the state in which the path begins."""
        return only_start(world) if self.start is None else self.start

    def states(self, world: World) -> list[int]:
        """Return the states in order, the start included."""
        return [self.first(world), *(state for _, state in self.steps)]

    def word(self, world: World, *, merge_repeats: bool) -> tuple[str, ...]:
        """Return the labels of the states in order: white removed first, then repeats merged."""
        return word_of([world.label(state) for state in self.states(world)], merge_repeats=merge_repeats)

    def without_stop(self, world: World) -> Path:
        """Return the path without the step that stops it, where it was stopped: what it did before that."""
        stopped = bool(self.steps) and stops(world, self.steps[-1][0])
        return replace(self, steps=self.steps[:-1]) if stopped else self

    def named(self, world: World) -> list[str | State]:
        """Return the names of actions and states in order: action, state, action, state, …

        A step that stops the episode is left out. That the path is complete tells it: `read_path` adds it.
        """
        steps = self.without_stop(world).steps
        return [name for pair, state in steps for name in (world.action(pair), world.name(state))]

    def to_file(self, world: World) -> list[object]:
        """Return the problem file's form: action, state, action, state, …"""
        return list(map(file_state, self.named(world)))

    def upto(self, steps: int) -> Path:
        """Return the beginning of the path, so many steps, with its end if that is all of it."""
        return Path(self.steps[:steps], self.complete and steps >= len(self.steps), self.start)


def start_of(world: World, state: int) -> int | None:
    """Return what a path that begins in a state has as its `start`."""
    return None if len(world.starts) == 1 else state


def word_of(labels: Sequence[str | None], *, merge_repeats: bool) -> tuple[str, ...]:
    """Turn labels into a word: b □ b is b b, and b when repeats are merged.

    >>> word_of([None, "b", "b", None, "y", "b"], merge_repeats=True)
    ('b', 'y', 'b')
    """
    word: list[str] = []
    for label in labels:
        if label is not None and not (merge_repeats and word and word[-1] == label):
            word.append(label)
    return tuple(word)


def file_state(state: State) -> str | list[int]:
    """Return a state as a problem file writes it."""
    return state if isinstance(state, str) else list(state)


def read_start(world: World, start: State | None, demonstration: int) -> int:
    """Return the number of the state in which a demonstration begins."""
    if start is None:
        if len(world.starts) > 1:
            raise DemonstrationError(
                f"the world has several start states ({start_names(world)}); say where the path begins: "
                "start = …",
                demonstration=demonstration,
            )
        return world.starts[0][0]
    number = world.find(start)
    if number is None or number not in dict(world.starts):
        raise DemonstrationError(
            f"no episode begins in state {show(start)}; start states: {start_names(world)}",
            demonstration=demonstration,
        )
    return number


def read_path(
    world: World,
    path: Sequence[str | State],
    *,
    complete: bool | None,
    demonstration: int = 1,
    start: State | None = None,
) -> Path:
    """Check a path (action, state, action, state, … after the start) against the world.

    `complete=None` means: complete exactly when the episode cannot go on from its last state. `start` can
    be left out where all episodes begin in one state. Where episodes end by choice, a path that is complete
    although the episode could go on was stopped there: the step that stops it is added.
    """
    if len(path) % 2:
        raise DemonstrationError(
            f"the path has {len(path)} entries; it must alternate action, state, and end with a state",
            demonstration=demonstration,
        )
    state = begin = read_start(world, start, demonstration)
    horizon = world.episode.horizon
    steps: list[tuple[int, int]] = []
    for step, (action, target) in enumerate(zip(path[::2], path[1::2], strict=True), start=1):
        at = world.name(state)
        if world.end_chance(state, step - 1) == 1:
            over = "is terminal" if world.ends(state) else f"was reached at the horizon of {horizon} steps"
            raise PastTheEnd(
                f"the path goes on, but state {show(at)} {over}", demonstration=demonstration, step=step
            )
        pair, state = taken(world, state, action, target, demonstration=demonstration, step=step)
        steps.append((pair, state))
    return ended(world, tuple(steps), begin, complete=complete, demonstration=demonstration)


def ended(
    world: World, steps: tuple[tuple[int, int], ...], begin: int, *, complete: bool | None, demonstration: int
) -> Path:
    """Return the path of steps that are known to be possible; check how it ends: see `read_path`."""
    state = steps[-1][1] if steps else begin
    ending = world.end_chance(state, len(steps)) if steps else 0.0
    if complete and ending < 1 and world.episode.by_choice:
        stop = taken(world, state, STOP, STOPPED, demonstration=demonstration, step=len(steps) + 1)
        return Path((*steps, stop), True, start_of(world, begin))
    if complete is None:
        complete = ending == 1
    if complete and not steps:
        raise PastTheEnd(
            "the path is complete without a step, but an episode takes at least one",
            demonstration=demonstration,
        )
    if complete and ending == 0:
        raise PastTheEnd(
            f"the path is complete after {len(steps)} steps in state {show(world.name(state))}, but there an "
            f"episode cannot end: the state is not terminal, the horizon is {world.episode.horizon} steps, "
            "and the end probability is 0",
            demonstration=demonstration,
            step=len(steps),
        )
    if not complete and ending == 1:
        raise PastTheEnd(
            f"the path is marked incomplete, but the episode is over after step {len(steps)}",
            demonstration=demonstration,
            step=len(steps),
        )
    return Path(steps, complete, start_of(world, begin))


def taken(
    world: World, state: int, action: str | State, target: str | State, *, demonstration: int, step: int
) -> tuple[int, int]:
    """Return one step, checked against the world: the state-action pair, and the state reached."""
    at, offered = world.name(state), pairs_by_action(world, state)
    if not isinstance(action, str) or action not in offered:
        hint = nearest(action, offered) if isinstance(action, str) else ""
        raise UnavailableAction(
            f'action "{action}" is not available in state {show(at)}{hint}; available: {listing(offered)}',
            demonstration=demonstration,
            step=step,
        )
    if stops(world, offered[action]) and target != STOPPED:
        raise ImpossibleStep(
            f'"{STOP}" leads to no other state: end the path before it, with complete = true',
            demonstration=demonstration,
            step=step,
        )
    chances = dict(world.outcomes(offered[action]))
    reached = world.find(target)
    if reached not in chances:
        # The only outcome at a place, where the path names the place and not what happened on the way.
        there = [state for state in chances if place_of(world.name(state)) == place_of(target)]
        reached = there[0] if len(there) == 1 else reached
    if reached is None:
        hint = nearest(str(target), map(str, world.names()))
        raise UnknownState(
            f"state {show(target)} is not in this world{hint}", demonstration=demonstration, step=step
        )
    if reached not in chances:
        possible = listing(f"{show(world.name(s))} with {p:.6g}" for s, p in chances.items())
        raise ImpossibleStep(
            f'action "{action}" in state {show(at)} leads to {show(target)} with probability 0; '
            f"possible: {possible}",
            demonstration=demonstration,
            step=step,
        )
    return offered[action], reached


# -- Paths of which only the actions or only the states are told, where the rest follows -----------------


def from_actions(
    world: World, actions: Sequence[str], *, start: State | None, demonstration: int
) -> list[str | State]:
    """Return the path that actions lead along; refuse one that can lead to several states."""
    state, flat = read_start(world, start, demonstration), list[str | State]()
    for step, action in enumerate(actions, start=1):
        offered = pairs_by_action(world, state)
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
            f"cells begin in {show(states[0])}, but start = {show(start)}",
            demonstration=demonstration,
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
            for action, pair in pairs_by_action(world, state).items()
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


# -- A run that is driven by hand, one action at a time; what chance does is drawn by a seed -------------


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
        pairs = pairs_by_action(self.world, self.state)
        return {action: pair for action, pair in pairs.items() if not stops(self.world, pair)}

    @property
    def over(self) -> bool:
        """Say whether the episode has ended: in a terminal state, or at the horizon."""
        return bool(self.steps) and self.world.end_chance(self.state, len(self.steps)) == 1

    def taken(self, action: str) -> Drive:
        if self.over:
            raise InputError("the episode is over")
        pair = self.offered.get(action)
        if pair is None:
            here = show(self.world.name(self.state))
            raise InputError(f'"{action}" is not offered in {here}; offered: {listing(self.offered)}')
        reached = drawn(self.world.outcomes(pair), self.seed, self.run, len(self.steps) + 1)
        return replace(self, steps=(*self.steps, (pair, reached)))

    def undone(self) -> Drive:
        return replace(self, steps=self.steps[:-1])

    @property
    def labels(self) -> list[str | None]:
        """Return the labels of the states that were passed, the start included."""
        return [self.world.label(state) for state in (self.start, *(state for _, state in self.steps))]

    def path(self, *, finished: bool) -> Path:
        """Return the run as a demonstration.

        Where an episode can end, one that is finished has ended there. Elsewhere it is incomplete.
        """
        world, by_choice = self.world, self.world.episode.by_choice
        if not self.steps and not (finished and by_choice):
            raise InputError("a run takes at least one step")
        ends = bool(self.steps) and world.end_chance(self.state, len(self.steps)) > 0
        complete = self.over or (finished and (by_choice or ends))
        flat = Path(self.steps, complete, self.start).named(world)
        return read_path(world, flat, complete=complete, start=world.name(self.start))


def drawn(chances: Sequence[tuple[int, float]], seed: int, run: int, step: int) -> int:
    """Draw one of several numbers with their probabilities."""
    if len(chances) == 1:
        return chances[0][0]
    below = np.cumsum([chance for _, chance in chances])
    at = np.random.default_rng([seed, run, step]).random() * below[-1]
    return chances[min(int(np.searchsorted(below, at, side="right")), len(chances) - 1)][0]
