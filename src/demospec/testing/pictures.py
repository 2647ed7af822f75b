"""Values taken apart, so that two can be compared to the last digit, and one with itself before and after."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from demospec.tasks import DFA, Composite


def picture(value: Any) -> Any:
    """Return what a value holds, as dictionaries, lists and sets of its own; what cannot change stays.

    >>> picture({"b": (1.0, 2.0), "a": frozenset([2])})
    [['b', [1.0, 2.0]], ['a', frozenset({2})]]
    """
    if isinstance(value, DFA):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: picture(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return [[picture(key), picture(own)] for key, own in value.items()]  # their order may matter
    if isinstance(value, list | tuple):
        return [picture(one) for one in value]
    if isinstance(value, Set):
        return frozenset(value)
    if isinstance(value, np.ndarray):
        return [str(value.dtype), *value.shape, *value.ravel().tolist()]
    return {name: picture(own) for name, own in vars(value).items()} if hasattr(value, "__dict__") else value


def difference(found: object, expected: object) -> str | None:
    """Say where two values differ first, and how; None when they are the same.

    >>> difference([1.0, float("nan")], [1.0, float("nan")])
    >>> difference({"a": (1, 2)}, {"a": (1, 3)})
    ', entry 1, entry 2, entry 2: found 2, expected 3'
    """
    return between(picture(found), picture(expected), "")


def between(found: Any, expected: Any, where: str) -> str | None:
    """Say where two pictures differ first."""
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        names = ((f"{where}, {name}", found[name], expected[name]) for name in found)
    elif isinstance(found, list) and isinstance(expected, list):
        if len(found) != len(expected):
            return f"{where}: found {len(found)} entries, expected {len(expected)}"
        pairs = enumerate(zip(found, expected, strict=True), start=1)
        names = ((f"{where}, entry {number}", one, other) for number, (one, other) in pairs)
    else:
        return None if same(found, expected) else f"{where}: found {short(found)}, expected {short(expected)}"
    return next((told for at, one, other in names if (told := between(one, other, at))), None)


def same(one: Any, other: Any) -> bool:
    """Say whether two values are one: numbers to the last digit, automata table by table."""
    if isinstance(one, DFA) and isinstance(other, DFA):
        parts = [task.parts if isinstance(task, Composite) else () for task in (one, other)]
        tables = [(task.alphabet, task.table, task.accepting, task.start) for task in (one, other)]
        return (
            tables[0] == tables[1] and len(parts[0]) == len(parts[1]) and all(map(same, parts[0], parts[1]))
        )
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    return type(one) is type(other) and bool(one == other)


def short(value: object) -> str:
    """Write a value for a message."""
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
