"""How a log is to be read: which columns tell what, and what a row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from demospec.errors import FileError, InputError, listing, nearest

Rows = Literal["choices", "outcomes"]
ROWS: tuple[Rows, ...] = get_args(Rows)
Roles = dict[str, tuple[str, ...]]

Format = Literal["csv", "jsonl", "parquet", "xes"]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Which columns of a log tell what; None is the column that is called as the role is, if there is one.

    A row is one of the `choices`: the state in which an action was chosen, and the action; the state that it
    led to is that of the run's next row. Or it is one of the `outcomes`: an action, and the state that it
    led to. With `last`, there are no states in the log: one is made of the last so many actions.
    """

    run: str | None = None
    time: str | None = None
    state: str | tuple[str, ...] | None = None
    action: str | None = None
    complete: str | bool | None = None
    label: str | tuple[str, ...] | None = None
    rows: Rows = "choices"
    last: int | None = None
    lifecycle: str | None = None  # of XES: only events with this transition

    def __post_init__(self) -> None:
        if self.rows not in ROWS:
            raise InputError(f'rows are "choices" or "outcomes"; found "{self.rows}"')
        if self.last is not None:
            if self.last < 1:
                raise InputError(f"last must be at least 1; found {self.last}")
            for name, given in (("state", self.state), ("label", self.label)):
                if given is not None:
                    raise InputError(f"give {name} or last, not both: states are made of the last actions")

    @property
    def by_events(self) -> bool:
        """Say whether states are made of the actions before."""
        return self.last is not None

    def named(self, role: str) -> tuple[str, ...]:
        """Return the columns that are named for a role."""
        given = getattr(self, role)
        if given is None or isinstance(given, bool):
            return ()
        return (given,) if isinstance(given, str) else tuple(given)

    def roles(self, header: Sequence[str], place: str) -> Roles:
        """Find the columns in a header; refuse what is named and not there, or is there twice."""
        found: Roles = {}
        for role in ("run", "time", "state", "action", "complete", "label"):
            if role == "state" and self.by_events:
                continue
            names = self.named(role)
            if not names and (role == "label" or isinstance(getattr(self, role), bool)):
                continue
            if not names and (role in ("state", "action") or role in header):
                names = (role,)
            for name in names:
                position(header, name, place, role="" if self.named(role) else role)
            if names:
                found[role] = names
        return found


def position(header: Sequence[str], name: str, place: str, *, role: str = "") -> int:
    """Return where a column is; refuse a name that is not in the header, or twice."""
    if name not in header:
        told = f"; say which column tells the {role}: {role} = …" if role else ""
        raise FileError(
            f'there is no column "{name}"{nearest(name, header)}; columns: {listing(header)}{told}',
            place=place,
        )
    if header.count(name) > 1:
        raise FileError(f'there are {header.count(name)} columns "{name}"', place=place)
    return header.index(name)
