"""A log as a table of numbers: each column has its values once, and their numbers row by row; times too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NoReturn

import numpy as np

from demospec.errors import FileError
from demospec.wording import shown_value
from demospec.worlds.mdp import Floats, Ints

MISSING = ""  # a cell with nothing in it
TRUE = ("true", "1", "1.0", "yes")
FALSE = ("false", "0", "0.0", "no")


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column, in the order in which they first occur, and which of them each row has."""

    values: tuple[str, ...]
    codes: Ints  # [N]

    def is_missing(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return [N]: whether a row has nothing in this column."""
        if MISSING not in self.values:
            return np.zeros(len(self.codes), dtype=np.bool_)
        return np.asarray(self.codes == self.values.index(MISSING))

    def __getitem__(self, row: int) -> str:
        return self.values[self.codes.item(row)]


@dataclass(frozen=True, eq=False)
class LogRows:
    """The rows of a log, as far as they were asked for: N of them.

    `roles` says which columns tell the run, the state, the action and so on.
    """

    source: str  # what messages call the file
    lines: Ints  # [N], where a row is, counted from 1
    columns: Mapping[str, Column]
    roles: Mapping[str, tuple[str, ...]]
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, role: str) -> Column | None:
        """Return the column with a role; several are joined to one. None where there is none."""
        found = [self.columns[name] for name in self.roles.get(role, ())]
        return joined_columns(found) if found else None

    def refuse(self, row: int, message: str) -> NoReturn:
        """Refuse the log because of one of its rows."""
        raise FileError(message, place=f"{self.source}: {self.unit} {self.lines[row]}")


class Numbering(dict[str, int]):
    """Numbers values in the order in which they are first asked for."""

    def __missing__(self, value: str) -> int:
        self[value] = number = len(self)
        return number


class Growing:
    """A column to which cells are added block by block."""

    def __init__(self) -> None:
        self.numbering = Numbering()
        self._parts: list[Ints] = []

    def add(self, cells: Iterable[str], count: int) -> None:
        """Add so many cells."""
        self._parts.append(np.fromiter(map(self.numbering.__getitem__, cells), dtype=np.intp, count=count))

    def add_codes(self, codes: Ints) -> None:
        """Add cells that are numbered already."""
        self._parts.append(codes)

    def column(self) -> Column:
        """Return what was added so far."""
        return Column(tuple(self.numbering), np.concatenate([np.zeros(0, dtype=np.intp), *self._parts]))


def joined_columns(columns: Sequence[Column]) -> Column:
    """Return several columns as one, whose values are written with commas between them.

    >>> x, y = Column(("1", "2"), np.array([0, 1, 0])), Column(("5",), np.array([0, 0, 0]))
    >>> joined_columns([x, y]).values, joined_columns([x, y]).codes.tolist()
    (('1,5', '2,5'), [0, 1, 0])
    """
    if len(columns) == 1:
        return columns[0]
    key = columns[0].codes
    for column in columns[1:]:
        key = numbered(key * max(1, len(column.values)) + column.codes)[0]
    codes, first = numbered(key)
    cells = ([column[row] for column in columns] for row in first.tolist())
    values = tuple(MISSING if MISSING in parts else ",".join(parts) for parts in cells)
    return Column(values, codes)


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Number keys in the order in which they first occur; return the numbers, and where each first occurs.

    >>> codes, first = numbered(np.array([7, 3, 7]))
    >>> codes.tolist(), first.tolist()
    ([0, 1, 0], [0, 1])
    """
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], first[order]


def truth_of(text: str) -> bool | None:
    """Read true or false; None is neither.

    >>> truth_of("True"), truth_of("0"), truth_of("maybe")
    (True, False, None)
    """
    told = text.strip().lower()
    return True if told in TRUE else False if told in FALSE else None


# -- Times in logs ---------------------------------------------------------------------------------------


def time_number(text: str) -> float | None:
    """Read a time that is a number."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def date(text: str) -> float | None:
    """Read a time that is a date, as seconds; one without a time zone is in UTC.

    >>> date("1970-01-02"), date("1970-01-01T01:00:00.5+01:00"), date("soon")
    (86400.0, 0.5, None)
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def row_times(table: LogRows, column: Column) -> Floats:
    """Return [N]: the time of each row; refuse a column that is not all numbers, or all dates."""
    reads: Callable[[str], float | None] = time_number
    found = [reads(value) for value in column.values]
    if found and found[0] is None:
        reads = date
        found = [reads(value) for value in column.values]
    if None in found:
        row = int(np.flatnonzero(column.codes == found.index(None))[0])
        first = found.index(None) == 0
        told = "a number, or a date such as 2024-05-01T12:30:00"
        if not first:
            told = f"{'a number' if reads is time_number else 'a date'}, as in {table.unit} {table.lines[0]}"
        table.refuse(row, f"time: expected {told}; found {shown_value(column[row])}")
    return np.array(found, dtype=np.float64)[column.codes]
