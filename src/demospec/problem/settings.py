"""How to search: one table, from which `[search]`, `[search.paper]`, options and documents follow."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from demospec import limits
from demospec.errors import InputError
from demospec.wording import listing, nearest, shown_value

Method = Literal["explore", "paper", "random-pivots", "enumeration"]
IdentifierKind = Literal["exact", "merging"]
METHODS: tuple[Method, ...] = get_args(Method)


def setting(
    default: Any, told: str, *, least: int | None = None, above: int | None = None, most: int = limits.COUNT
) -> Any:
    """Return a field: its default, what people are told of it, and between what numbers are."""
    return field(default=default, metadata={"told": told, "least": least, "above": above, "most": most})


@dataclass(frozen=True, kw_only=True)
class PaperSettings:
    """What only the paper's method and its baselines turn; the defaults are the paper's where it has them."""

    identifier: IdentifierKind = setting(
        "exact", "How tasks are found for labelled words; merging is quicker on many words, but not exact."
    )
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
    initial_temperature: float = setting(
        100.0, "Annealing: the part of the temperature that is cooled down to 0.", least=0
    )
    final_temperature: float = setting(1.0, "Annealing: the temperature at the end.", above=0)
    refine: bool = setting(
        False, "Treat actions and states as one in conjectures if no visited task tells them apart."
    )

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to search."""

    method: Method = setting(
        "explore",
        "How to search: explore, best first over edits of tasks; paper; or its baselines random-pivots "
        "and enumeration.",
    )
    without: tuple[str, ...] = setting((), "Leave out a part of the method explore.")
    iterations: int = setting(100, "Iterations of each chain.", least=1)
    chains: int = setting(1, "Independent chains.", least=1, most=limits.CHAINS)
    max_states: int = setting(10, "Largest automaton considered.", least=1, most=limits.STATES_LOOKED_FOR)
    max_evaluations: int | None = setting(
        None, "Stop when this many tasks are scored, over all chains.", least=1
    )
    max_seconds: float | None = setting(
        None,
        "Stop after this many seconds and return the best found so far; a fifth of them is kept for working "
        "out how sure it is. The result then depends on the machine.",
        above=0,
    )
    paper: PaperSettings = field(default_factory=PaperSettings)

    def __post_init__(self) -> None:
        object.__setattr__(self, "without", tuple(dict.fromkeys(self.without)))
        check_fields(self)
        if self.without and self.method != "explore":
            raise InputError(f'"without" leaves out parts of the method "explore", not of "{self.method}"')
        if self.method == "enumeration" and self.paper.identifier != "exact":
            raise InputError(
                f'the method "enumeration" lists tasks by size; "{self.paper.identifier}" does not'
            )

    def with_values(self, **values: Any) -> Settings:
        """Return the settings with some changed; the paper's are told by their names as well.

        >>> Settings().with_values(iterations=7, candidates=5).paper.candidates
        5
        """
        papers = {one.name: values.pop(one.name) for one in fields(PaperSettings) if one.name in values}
        return replace(self, **values, paper=replace(self.paper, **papers)) if papers or values else self

    @property
    def by_name(self) -> dict[str, Any]:
        """Return the value of every setting by its name, the paper's as well."""
        return {one.name: getattr(self.paper if one.of_paper else self, one.name) for one in table()}


@dataclass(frozen=True)
class Setting:
    """One row of the table."""

    name: str
    kind: type  # of its values, where there is one
    optional: bool  # None is allowed
    choices: tuple[str, ...]
    default: Any
    of_paper: bool  # a key of `[search.paper]`
    told: str
    least: int | None
    above: int | None
    most: int

    @property
    def key(self) -> str:
        """Return where a problem file says it."""
        return f"search.paper.{self.name}" if self.of_paper else f"search.{self.name}"


@cache
def table() -> tuple[Setting, ...]:
    """Return all settings: those of every method, then the paper's."""
    return (*rows_of(Settings), *rows_of(PaperSettings))


@cache
def rows_of(settings: type) -> tuple[Setting, ...]:
    """Return the rows of the settings of one class."""
    hints, rows = get_type_hints(settings), []
    for one in fields(settings):
        if one.metadata:
            hint, arguments = hints[one.name], get_args(hints[one.name])
            choices = arguments if get_origin(hint) is Literal else ()
            optional = type(None) in arguments  # which is the second
            kind = str if choices else (arguments[0] if optional else get_origin(hint) or hint)
            rows.append(
                Setting(
                    one.name, kind, optional, choices, one.default, settings is PaperSettings, **one.metadata
                )
            )
    return tuple(rows)


def told(value: Any) -> str:
    """Write a number that is refused; one of a thousand digits is cut."""
    return f"{value:g}" if isinstance(value, float) else shown_value(value)


def check_fields(settings: Settings | PaperSettings) -> None:
    """Refuse values that settings cannot have."""
    kind: type = type(settings)
    for one in rows_of(kind):
        check(one, getattr(settings, one.name))


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
        raise InputError(f"{one.name} must be at most {one.most:,}; found {shown_value(value)}")
    if one.least is not None and not value >= one.least:
        raise InputError(f"{one.name} must be at least {one.least}; found {told(value)}")
    if one.above is not None and not value > one.above:
        raise InputError(f"{one.name} must be above {one.above}; found {told(value)}")


def read_setting(text: str) -> tuple[str, Any]:
    """Read `search.KEY=VALUE`: the name of a setting, and its value as `Settings.with_values` takes it.

    The paper's settings are `search.paper.KEY`; as in a file, `search.KEY` is read as well.

    >>> read_setting("search.paper.candidates=40"), read_setting("search.without=edits, products")
    (('candidates', 40), ('without', ('edits', 'products')))
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    keys = {one.key: one for one in table()}
    one = {**{f"search.{one.name}": one for one in table()}, **keys}.get(key)
    if not equals:
        raise InputError(f'"{text}" sets nothing: give search.KEY=VALUE')
    if one is None:
        raise InputError(f'no setting is called "{key}"{nearest(key, keys)}; settings: {listing(keys)}')
    found = value_of(one, value)
    try:
        check(one, found)
    except InputError as error:
        raise error.within(key) from None
    return one.name, found


def value_of(one: Setting, text: str) -> Any:
    """Read the value of a setting, of the type that it has."""
    if one.kind is tuple:
        return tuple(name.strip() for name in text.split(",") if name.strip())
    if one.kind is bool:
        values = {"true": True, "false": False}
        if text not in values:
            raise InputError(f'{one.key} must be true or false; found "{text}"')
        return values[text]
    if one.kind is str:
        return text
    try:
        return one.kind(text)
    except ValueError:
        wanted = "a whole number" if one.kind is int else "a number"
        raise InputError(f'{one.key} must be {wanted}; found "{text}"') from None
