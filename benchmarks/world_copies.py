"""Worlds with copies of actions and states: what tests of redundancy are made on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from demospec.problem import Problem
from demospec.testing.small_worlds import prefixes_of
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import State


def rebuilt(mdp: MDP, rows: Sequence[tuple[State, str, dict[State, float]]], actions: Sequence[str]) -> MDP:
    """Make a world with other rows; states that are new have been called after an old one, with primes."""
    names = dict.fromkeys((*mdp.states, *(row[0] for row in rows), *(s for row in rows for s in row[2])))
    like = {name: mdp.number[name if name in mdp.number else str(name).rstrip("′")] for name in names}
    return MDP.build(
        rows,
        start={mdp.states[state]: chance for state, chance in mdp.starts},
        episode=mdp.episode,
        labels={name: label for name, k in like.items() if (label := mdp.labels[k]) is not None},
        terminal=[name for name, k in like.items() if mdp.terminal[k]],
        states=tuple(names),
        actions=actions,
    )


def rows_of(mdp: MDP) -> list[tuple[State, str, dict[State, float]]]:
    """Return a world as (state, action, {successor: probability}) rows."""
    return [
        (name, action, {mdp.states[reached]: chance for reached, chance in mdp.outcomes(pair)})
        for state, name in enumerate(mdp.states)
        for action, pair in zip(mdp.available(state), mdp.pairs(state), strict=True)
    ]


def doubled(mdp: MDP) -> MDP:
    """Return the world with every action twice: pair p becomes 2p, and its copy 2p + 1."""
    rows = [(state, name, row) for state, action, row in rows_of(mdp) for name in (action, f"{action}′")]
    return rebuilt(mdp, rows, [name for action in mdp.actions for name in (action, f"{action}′")])


def doubled_problem(problem: Problem, *, second: bool = False) -> Problem:
    """Return the problem in the world with every action twice.

    Demonstrations take the first name of each action; with `second` every other one takes the other name.
    """
    shown = tuple(
        replace(path, steps=tuple((2 * pair + (second and k % 2), state) for pair, state in path.steps))
        for k, path in enumerate(problem.demonstrations)
    )
    scene = replace(problem.scene(), world=doubled(problem.mdp), demonstrations=shown)
    return replace(problem, scenes=(scene,))


def with_random_copies(rng: np.random.Generator, mdp: MDP, *, states: int, actions: int) -> MDP:
    """Add copies of so many states and of so many actions, drawn at random; copies come behind all others.

    What led to a state leads to it and its copies, in shares that are drawn anew for each action. The states'
    names are strings.
    """
    twins: dict[State, list[State]] = {name: [name] for name in mdp.states}
    for k in rng.integers(len(mdp.states), size=states).tolist():
        name = mdp.states[k]
        twins[name].append(f"{name}{'′' * len(twins[name])}")

    def spread(row: dict[State, float]) -> dict[State, float]:
        found: dict[State, float] = {}
        for name, chance in row.items():
            shares = rng.dirichlet(np.ones(len(twins[name]))).tolist()
            found |= {twin: chance * share for twin, share in zip(twins[name], shares, strict=True)}
        return found

    rows = rows_of(mdp)
    for k in rng.integers(len(rows), size=actions).tolist():
        state, action, row = rows[k]
        if not any(other[:2] == (state, f"{action}′") for other in rows):
            rows.append((state, f"{action}′", row))
    copied = [(twin, action, spread(row)) for state, action, row in rows for twin in twins[state]]
    names = [*mdp.actions, *dict.fromkeys(action for _, action, _ in rows)]
    return rebuilt(mdp, copied, names)


def leaves_by_a_copy(problem: Problem, merged: Problem, path: Path) -> bool:
    """Say whether a path leaves the demonstrations by an action or state that is a copy of what was shown.

    `merged` is the problem, merged.
    """
    image = merged.scene().from_original(path)
    return conforms(image, merged.demonstrations) > conforms(path, problem.demonstrations)


def conforms(path: Path, demonstrations: Sequence[Path]) -> int:
    """Return how many prefixes of a path were shown."""
    shown = {prefix for one in demonstrations for prefix in prefixes_of(one)}
    return sum(prefix in shown for prefix in prefixes_of(path))
