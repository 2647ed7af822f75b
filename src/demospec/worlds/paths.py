"""Demonstrations: paths that were shown, checked against the world, complete or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demospec.errors import (
    DemonstrationError,
    ImpossibleStep,
    PastTheEnd,
    UnavailableAction,
    UnknownState,
    listing,
    nearest,
)
from demospec.worlds.mdp import MDP, State, show


@dataclass(frozen=True)
class Path:
    """A path from the start state: (state-action pair, state reached) steps, and whether it has ended.

    It holds the numbers of one MDP: that MDP's functions read it.
    """

    steps: tuple[tuple[int, int], ...]
    complete: bool

    def states(self, mdp: MDP) -> list[int]:
        """Return the states in order, the start included."""
        return [mdp.start, *(state for _, state in self.steps)]

    def word(self, mdp: MDP, *, merge_repeats: bool) -> tuple[str, ...]:
        """Return the labels of the states in order: white removed first, then repeats merged."""
        return word_of([mdp.labels[state] for state in self.states(mdp)], merge_repeats=merge_repeats)

    def to_file(self, mdp: MDP) -> list[object]:
        """Return the problem file's form: action, state, action, state, …"""
        return [
            part
            for pair, state in self.steps
            for part in (mdp.actions[mdp.pair_action[pair]], file_state(mdp.states[state]))
        ]


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


def file_state(state: State) -> object:
    """Return a state as a problem file writes it."""
    return state if isinstance(state, str) else list(state)


def read_path(
    mdp: MDP, path: Sequence[str | State], *, complete: bool | None, demonstration: int = 1
) -> Path:
    """Check a path (action, state, action, state, … after the start) against the world.

    `complete=None` means: complete exactly when the episode cannot go on from its last state.
    """
    if len(path) % 2:
        raise DemonstrationError(
            f"the path has {len(path)} entries; it must alternate action, state, and end with a state",
            demonstration=demonstration,
        )
    state = mdp.start
    steps: list[tuple[int, int]] = []
    for step in range(1, len(path) // 2 + 1):
        action, target = path[2 * step - 2], path[2 * step - 1]
        at = mdp.states[state]
        if mdp.end_chance(state, step - 1) == 1:
            over = (
                "is terminal" if mdp.terminal[state] else f"was reached at the horizon of {mdp.horizon} steps"
            )
            raise PastTheEnd(
                f"the path goes on, but state {show(at)} {over}", demonstration=demonstration, step=step
            )
        offered = dict(zip(mdp.available(state), mdp.pairs(state), strict=True))
        if not isinstance(action, str) or action not in offered:
            hint = nearest(action, offered) if isinstance(action, str) else ""
            raise UnavailableAction(
                f'action "{action}" is not available in state {show(at)}{hint}; '
                f"available: {listing(offered)}",
                demonstration=demonstration,
                step=step,
            )
        if target not in mdp.number:
            hint = nearest(str(target), map(str, mdp.states))
            raise UnknownState(
                f"state {show(target)} is not in this world{hint}", demonstration=demonstration, step=step
            )
        chances = dict(mdp.outcomes(offered[action]))
        if mdp.number[target] not in chances:
            possible = listing(f"{show(mdp.states[s])} with {p:.6g}" for s, p in chances.items())
            raise ImpossibleStep(
                f'action "{action}" in state {show(at)} leads to {show(target)} with probability 0; '
                f"possible: {possible}",
                demonstration=demonstration,
                step=step,
            )
        state = mdp.number[target]
        steps.append((offered[action], state))
    ending = mdp.end_chance(state, len(steps)) if steps else 0.0
    if complete is None:
        complete = ending == 1
    if complete and not steps:
        raise PastTheEnd(
            "the path is complete without a step, but an episode takes at least one",
            demonstration=demonstration,
        )
    if complete and ending == 0:
        raise PastTheEnd(
            f"the path is complete after {len(steps)} steps in state {show(mdp.states[state])}, but there an "
            f"episode cannot end: the state is not terminal, the horizon is {mdp.horizon} steps, and "
            "the end probability is 0",
            demonstration=demonstration,
            step=len(steps),
        )
    if not complete and ending == 1:
        raise PastTheEnd(
            f"the path is marked incomplete, but the episode is over after step {len(steps)}",
            demonstration=demonstration,
            step=len(steps),
        )
    return Path(steps=tuple(steps), complete=complete)
