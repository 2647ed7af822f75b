"""Worlds from matrices of transition probabilities: NumPy's, SciPy's sparse ones, or nested lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from demospec.errors import WorldError, count, listing
from demospec.sources.explored import Propositions, letter
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State, show

Place = State | int  # a state by its name, or by its row


def from_arrays(
    transitions: Any,
    *,
    start: Place | Mapping[Any, float],
    episode: Episode,
    labels: Mapping[Any, Propositions] | None = None,
    terminal: Iterable[Place] = (),
    states: Sequence[State] = (),
    actions: Sequence[str] = (),
) -> MDP:
    """Return the world of transition matrices.

    `transitions` is one matrix for each action (a list, or a mapping by the action's name), dense or sparse,
    with the probability to get from state s to state t in row s, column t; or one array [S, A, S] or
    [A, S, S]. An action whose row is all 0 is not available there; a state without any is terminal. States
    and actions are called by their numbers unless `states` and `actions` name them.
    """
    matrices = by_action(transitions, actions)
    entries = {action: coordinates(matrix, action) for action, matrix in matrices.items()}
    sizes = {size for size, _ in entries.values()}
    if len(sizes) > 1:
        raise WorldError(f"the matrices differ in size: {listing(sorted(sizes))} states")
    (number,) = sizes
    names = tuple(states) or tuple(map(str, range(number)))
    if len(names) != number or len(set(names)) != number:
        raise WorldError(f"there are {number} states, and {len(set(names))} different names for them")

    def place(told: Place) -> State:
        if isinstance(told, int | np.integer):
            if not 0 <= told < number:
                raise WorldError(f"there is no state {told}: they are numbered from 0 to {number - 1}")
            return names[int(told)]
        if told not in names:
            raise WorldError(f"{show(told)} is not a state; states: {listing(map(show, names))}")
        return told

    rows: dict[tuple[int, str], dict[State, float]] = {}
    for action, (_, cells) in entries.items():
        for state, target, chance in cells:
            found = rows.setdefault((state, action), {})
            found[names[target]] = found.get(names[target], 0.0) + chance
    offers = {state for state, _ in rows}
    ends = {place(state) for state in terminal} | {names[s] for s in range(number) if s not in offers}
    letters = {place(state): told for state, held in (labels or {}).items() if (told := letter(held))}
    made = MDP.build(
        [(names[state], action, outcomes) for (state, action), outcomes in sorted(rows.items())],
        start={place(s): p for s, p in start.items()} if isinstance(start, Mapping) else place(start),
        episode=episode,
        labels=letters,
        terminal=[name for name in names if name in ends],
        states=names,
        actions=tuple(matrices),
    )
    told = f"made from arrays: {count(number, 'state')}, {count(len(matrices), 'action')}"
    return replace(made, origin=told)


def by_action(transitions: Any, actions: Sequence[str]) -> dict[str, Any]:
    """Return the matrices by the names of their actions."""
    if isinstance(transitions, Mapping):
        if actions:
            raise WorldError("the mapping names the actions; leave `actions` out")
        found = {str(action): matrix for action, matrix in transitions.items()}
    else:
        if isinstance(transitions, np.ndarray):
            transitions = list(sides(transitions))
        names = actions or [str(number) for number in range(len(transitions))]
        if len(names) != len(transitions):
            raise WorldError(f"there are {len(transitions)} matrices, and {len(names)} names of actions")
        found = dict(zip(names, transitions, strict=True))
    if not found or len(found) < len(transitions):
        raise WorldError("every action needs a matrix and a name of its own")
    return found


def sides(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array as [A, S, S]; it may be [S, A, S]."""
    if array.ndim != 3:
        raise WorldError(f"expected an array [S, A, S] or [A, S, S], found the shape {array.shape}")
    first, second, third = array.shape
    if first == second == third:
        raise WorldError(
            f"an array {array.shape} can be read in two ways: give list(P) where P[action] is a matrix, "
            "list(P.swapaxes(0, 1)) where P[state] is"
        )
    return array if second == third else array.swapaxes(0, 1)


def coordinates(matrix: Any, action: str) -> tuple[int, list[tuple[int, int, float]]]:
    """Return the size of a square matrix, and its entries that are not 0: row, column, value."""
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        shape, row, column, value = sparse.shape, sparse.row, sparse.col, sparse.data
    else:
        try:
            dense = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise WorldError(f'the matrix of action "{action}" is no array of numbers') from None
        shape, (row, column) = dense.shape, np.nonzero(dense) if dense.ndim == 2 else ((), ())
        value = dense[row, column] if dense.ndim == 2 else dense
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise WorldError(f'the matrix of action "{action}" is {shape}; expected a square one')
    entries = zip(
        np.asarray(row).tolist(), np.asarray(column).tolist(), np.asarray(value).tolist(), strict=True
    )
    return int(shape[0]), [(s, t, float(p)) for s, t, p in entries if p]
