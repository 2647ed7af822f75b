"""How to search: one table, from which the keys of `[search]`, the options and the documents follow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, get_args, get_type_hints

from demospec import limits
from demospec.errors import InputError
from demospec.wording import listing, nearest, shown

Method = Literal["explore", "paper", "random-pivots", "enumeration"]
IdentifierKind = Literal["exact", "merging"]
METHODS: tuple[Method, ...] = get_args(Method)


def setting(
    default: Any, told: str, *, least: int | None = None, above: int | None = None, most: int = limits.COUNT
) -> Any:
    """Return a field: its default, what people are told of it, and between what numbers are."""
    return field(default=default, metadata={"told": told, "least": least, "above": above, "most": most})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to search; the defaults are the paper's where the paper has them."""

    method: Method = setting(
        "explore",
        "How to search: best first over edits of tasks, the paper's method, or one of its baselines.",
    )
    without: tuple[str, ...] = setting((), "Leave out a part of the method explore.")
    identifier: IdentifierKind = setting(
        "exact", "How tasks are found for labelled words; merging is quicker on many words, but not exact."
    )
    iterations: int = setting(100, "Iterations of each chain.", least=1)
    chains: int = setting(1, "Independent chains.", least=1, most=limits.CHAINS)
    pivot_temperature: float = setting(
        0.002, "β: how sharply large gradients are preferred; inf = random pivots.", above=0
    )
    overrule_after: int = setting(
        4, "Number of pivots to try before a conjecture may overrule an earlier one.", least=1
    )
    reset_period: int = setting(
        10, "κ: restart from a good visited task after this many iterations.", least=1
    )
    candidates: int = setting(
        20,
        "Draw each task from this many consistent ones, the smallest first.",
        least=1,
        most=limits.CANDIDATES,
    )
    max_states: int = setting(10, "Largest automaton considered.", least=1, most=limits.STATES_LOOKED_FOR)
    initial_temperature: float = setting(
        100.0, "Annealing: the part of the temperature that is cooled down to 0.", least=0
    )
    final_temperature: float = setting(1.0, "Annealing: the temperature at the end.", above=0)
    refine: bool = setting(
        False, "Treat actions and states as one in conjectures if no visited task tells them apart."
    )
    max_evaluations: int | None = setting(
        None, "Stop when this many tasks are scored, over all chains.", least=1
    )
    max_seconds: float | None = setting(
        None,
        "Stop after this many seconds and return the best found so far; a fifth of the time is kept for "
        "working out how sure it is. The result then depends on the machine.",
        above=0,
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "without", tuple(dict.fromkeys(self.without)))
        for one in table():
            check(one, getattr(self, one.name))
        if self.without and self.method != "explore":
            raise InputError(f'"without" leaves out parts of the method "explore", not of "{self.method}"')
        if self.method == "enumeration" and self.identifier != "exact":
            raise InputError(f'the method "enumeration" lists tasks by size; "{self.identifier}" does not')


@dataclass(frozen=True)
class Setting:
    """One row of the table."""

    name: str
    kind: type  # of its values, where there is one
    optional: bool  # None is allowed
    choices: tuple[str, ...]
    default: Any
    told: str
    least: int | None
    above: int | None
    most: int


def table() -> Iterator[Setting]:
    """Yield all settings, in order."""
    hints = get_type_hints(Settings)
    for one in fields(Settings):
        yield row(one, hints[one.name])


def row(one: Field[Any], hint: Any) -> Setting:
    """Return the row of a field."""
    arguments = get_args(hint)
    choices = arguments if arguments and all(isinstance(choice, str) for choice in arguments) else ()
    optional = type(None) in arguments
    kinds = [kind for kind in arguments if isinstance(kind, type) and kind is not type(None)]
    kind = str if choices else (tuple if one.name == "without" else (kinds[0] if optional else hint))
    return Setting(one.name, kind, optional, choices, one.default, **one.metadata)


def told(value: Any) -> str:
    """Write a number that is refused; one of a thousand digits is cut."""
    return f"{value:g}" if isinstance(value, float) else shown(value)


def check(one: Setting, value: Any) -> None:
    """Refuse a value that a setting cannot have."""
    if value is None or one.kind is tuple:
        return
    if one.choices and value not in one.choices:
        raise InputError(
            f'{one.name} "{value}" is none of {listing(one.choices)}{nearest(str(value), one.choices)}'
        )
    finite = one.kind is float and one.name != "pivot_temperature"
    if finite and not math.isfinite(value):
        raise InputError(f"{one.name} must be a finite number; found {value:g}")
    if one.kind is int and value > one.most:
        raise InputError(f"{one.name} must be at most {one.most:,}; found {shown(value)}")
    if one.least is not None and not value >= one.least:
        raise InputError(f"{one.name} must be at least {one.least}; found {told(value)}")
    if one.above is not None and not value > one.above:
        raise InputError(f"{one.name} must be above {one.above}; found {told(value)}")
