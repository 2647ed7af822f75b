"""Worlds from a function: what an action in a state leads to, asked from the start until nothing is new."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from demospec.errors import WorldError, count
from demospec.sources.model import plain, valuation_name
from demospec.tasks.propositions import letter_of
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
        offered = () if terminal is not None and terminal(key) else actions_of(actions, key)
        before = len(rows)
        for action in offered:
            reached = step(key, action)
            if not reached:
                continue
            waiting += [one for one, p in reached.items() if p and one not in names]
            rows.append((names[key], plain(action), {meet(one): p for one, p in reached.items() if p}))
        if len(rows) == before:
            ends.append(names[key])
    letters = {names[key]: one for key in names if (one := letter(label_of(labels, key)))}
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


def actions_of(actions: Iterable[Any] | Callable[[Any], Iterable[Any]], key: object) -> Iterable[Any]:
    """Return the actions that a state may offer."""
    return actions(key) if callable(actions) else actions


def label_of(
    labels: Mapping[Any, Propositions] | Callable[[Any], Propositions] | None, key: Any
) -> Propositions:
    """Return the propositions of a state."""
    if labels is None:
        return None
    return labels(key) if callable(labels) else labels.get(key)


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
    return written(value, outermost=True)


def written(value: object, *, outermost: bool = False) -> str:
    """Write a value readably; parts of a value that has parts are in brackets unless it is the outermost."""
    if isinstance(value, str):
        return value
    if isinstance(value, Enum):
        return value.name
    parts: Sequence[str] | None = None
    if is_dataclass(value) and not isinstance(value, type):
        text = valuation_name({one.name: written(getattr(value, one.name)) for one in fields(value)})
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        text = valuation_name({name: written(one) for name, one in value._asdict().items()})
    elif isinstance(value, tuple):
        text = ", ".join(map(written, value))
    elif isinstance(value, Set):
        parts = sorted(map(written, value))
        return f"{{{', '.join(parts)}}}"
    else:
        return plain(value)
    return text if outermost else f"({text})"
