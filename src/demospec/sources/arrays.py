"""Worlds from Python: from a function that tells what an action leads to, or from transition matrices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from demospec.errors import WorldError
from demospec.sources.model import plain, valuation_name
from demospec.tasks.propositions import letter_of
from demospec.wording import count, listing
from demospec.worlds.mdp import MDP
from demospec.worlds.unlisted import MOST_STATES
from demospec.worlds.world import Episode, State, show

Key = TypeVar("Key", bound=Hashable)
Propositions = str | Iterable[str] | None  # one, all that hold, or none


def from_function(
    step: Callable[[Key, Any], Mapping[Key, float] | None],
    start: Key | Mapping[Key, float],
    *,
    actions: Iterable[Any] | Callable[[Key], Iterable[Any]],
    episode: Episode,
    labels: Mapping[Key, Propositions] | Callable[[Key], Propositions] | None = None,
    terminal: Callable[[Key], bool] | None = None,
    name: Callable[[Key], State] | None = None,
    max_states: int = MOST_STATES,
) -> MDP:
    """Explore what can be reached from the start, and return it as a world.

    `step(state, action)` returns {state: probability}; nothing, where the action is not available. A state in
    which no action is, or that `terminal` names, ends the episode. States are any values that can be hashed;
    they are called as `name` says, by default as `state_name` writes them. A label is a proposition, several,
    or None.
    """
    begin: dict[Key, float] = dict(start) if isinstance(start, Mapping) else {start: 1.0}
    told = name or state_name
    names: dict[Key, State] = {}
    called: dict[State, Key] = {}

    def meet(key: Key) -> State:
        if key not in names:
            if len(names) >= max_states:
                raise WorldError(f"more than {max_states} states can be reached; max_states allows more")
            new = told(key)
            if new in called:
                raise WorldError(
                    f"the states {called[new]!r} and {key!r} would both be called {show(new)}; "
                    "give a `name` that tells them apart"
                )
            names[key], called[new] = new, key
        return names[key]

    for key in begin:
        meet(key)
    rows: list[tuple[State, str, dict[State, float]]] = []
    ends: list[State] = []
    waiting = list(begin)
    for key in waiting:  # which grows
        ends_here = terminal is not None and terminal(key)
        offered = () if ends_here else actions(key) if callable(actions) else actions
        before = len(rows)
        for action in offered:
            reached = step(key, action)
            if not reached:
                continue
            waiting += [one for one, p in reached.items() if p and one not in names]
            rows.append((names[key], plain(action), {meet(one): p for one, p in reached.items() if p}))
        if len(rows) == before:
            ends.append(names[key])
    held = labels if callable(labels) else (labels or {}).get
    letters = {names[key]: one for key in names if (one := letter(held(key)))}
    made = MDP.build(
        rows,
        start={names[key]: chance for key, chance in begin.items()},
        episode=episode,
        labels=letters,
        terminal=ends,
        states=list(called),
        actions=() if callable(actions) else [plain(action) for action in actions],
    )
    return replace(made, origin=f"explored from the start by a function: {count(len(names), 'state')}")


def letter(held: Propositions) -> str | None:
    """Return the letter of one proposition, of several, or of none.

    >>> letter("key"), letter({"key", "door"}), letter(None)
    ('key', 'door&key', None)
    """
    return letter_of([held] if isinstance(held, str) and held else held or ())


def state_name(value: object) -> State:
    """Return what a state is called: a text or a cell as it is, others readably.

    >>> state_name((3, 1)), state_name((3, "key")), state_name(frozenset("ba")), state_name(7)
    ((3, 1), '3, key', '{a, b}', '7')
    """
    if isinstance(value, tuple) and not hasattr(value, "_fields") and len(value) == 2:
        first, second = value
        if type(first) is int and type(second) is int:
            return first, second
    return value_text(value, outermost=True)


def value_text(value: object, *, outermost: bool = False) -> str:
    """Write a value readably; parts of a value that has parts are in brackets unless it is the outermost."""
    if isinstance(value, str):
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Set):
        return f"{{{', '.join(sorted(map(value_text, value)))}}}"
    if is_dataclass(value) and not isinstance(value, type):
        text = valuation_name({one.name: value_text(getattr(value, one.name)) for one in fields(value)})
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        text = valuation_name({name: value_text(one) for name, one in value._asdict().items()})
    elif isinstance(value, tuple):
        text = ", ".join(map(value_text, value))
    else:
        return plain(value)
    return text if outermost else f"({text})"


# -- Worlds from matrices of transition probabilities ----------------------------------------------------

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
    entries = zip(*(np.asarray(one).tolist() for one in (row, column, value)), strict=True)
    return int(shape[0]), [(s, t, float(p)) for s, t, p in entries if p]
