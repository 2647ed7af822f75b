"""JSON lines: an object on each line, whose keys are the columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np

from demospec.errors import FileError
from demospec.sources.logs.layout import Layout, Lines
from demospec.sources.logs.table import MISSING, Growing, LogRows, Numbering
from demospec.wording import shown_value

BLOCK = 1 << 9  # rows that are looked at together: few, so that they stay in the processor's cache
KINDS: dict[type, str] = {
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    tuple: "a list",
}


def read_json(lines: Lines, layout: Layout) -> LogRows:
    """Read the keys of a log that are asked for; which there are is told by the first object."""
    first = lines.first(skip_blank=True)
    if not first:
        raise FileError("is empty", place=lines.name)
    roles = layout.roles([*json_object(lines, first)], lines.place)
    names = list(dict.fromkeys(name for named in roles.values() for name in named))
    reading = GrowingColumns(lines.name, names)
    decode = decoder(names)
    rows: list[Any] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, start=lines.number):
        try:
            row = decode(line)
        except msgspec.DecodeError:
            if not line.strip():
                continue
            json_object(lines, line)  # tells what is wrong with it
            raise AssertionError from None
        rows.append(row)
        numbers.append(number)
        if len(rows) == BLOCK:
            reading.add(rows, numbers)
            rows, numbers = [], []
    reading.add(rows, numbers)
    return reading.table(roles)


def decoder(names: Sequence[str]) -> Callable[[str], Any]:
    """Return what reads the named keys of an object; a key that is missing is None."""
    fields = [(f"cell{k}", Any, None) for k in range(len(names))]
    renamed = {f"cell{k}": name for k, name in enumerate(names)}
    return msgspec.json.Decoder(msgspec.defstruct("Row", fields, rename=renamed, gc=False)).decode


def json_value(lines: Lines, line: str, expected: str = "") -> Any:
    """Return the JSON value on a line."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        reason = str(error).removeprefix("JSON is malformed: ")
        told = f"not JSON: {reason}{expected and f'; expected {expected}'}, found {shown_value(line.strip())}"
        raise FileError(told, place=lines.place) from None
    except RecursionError:
        raise FileError("is nested too deeply", place=lines.place) from None


def json_object(lines: Lines, line: str) -> dict[str, Any]:
    """Return the object on a line; refuse anything else."""
    value = json_value(lines, line)
    if not isinstance(value, dict):
        raise FileError(f"expected an object, found {shown_value(value)}", place=lines.place)
    return value


class GrowingColumns:
    """Columns of values that may be strings, numbers and more, of one kind in each column."""

    def __init__(self, source: str, names: Sequence[str], unit: str = "line") -> None:
        self.source, self.unit = source, unit
        self._columns = {name: Growing() for name in names}
        self._codes = {name: Codes(column.numbering) for name, column in self._columns.items()}
        self._kinds: dict[str, tuple[str, int]] = {}  # of a column, and the line that says so
        self._lines: list[int] = []

    def add(self, rows: Sequence[Any], numbers: Sequence[int]) -> None:
        """Add rows, whose cells are cell0, cell1, …, and their lines."""
        for k, name in enumerate(self._columns):
            self.add_cells(name, list(map(attrgetter(f"cell{k}"), rows)), numbers)
        self.add_lines(numbers)

    def add_lines(self, numbers: Sequence[int]) -> None:
        self._lines += numbers

    def add_cells(self, name: str, cells: Sequence[Any], numbers: Sequence[int]) -> None:
        self.check(name, cells, numbers)
        if self._kinds.get(name, ("",))[0] == "a list":
            cells = [None if cell is None else tuple(cell) for cell in cells]
        try:
            self._columns[name].add_codes(
                np.fromiter(map(self._codes[name].__getitem__, cells), dtype=np.intp)
            )
        except TypeError:  # a list of lists
            self._columns[name].add(map(cell_text, cells), len(cells))

    def check(self, name: str, cells: Sequence[Any], numbers: Sequence[int]) -> None:
        """Refuse a column in which there are strings and numbers, say."""
        kinds = {KINDS.get(kind, "") for kind in set(map(type, cells)) - {type(None)}}
        if not kinds or (kinds == {self._kinds.get(name, ("", 0))[0]} and "" not in kinds):
            return
        for cell, line in zip(cells, numbers, strict=True):
            if cell is None:
                continue
            kind = KINDS.get(type(cell), "")
            before, at = self._kinds.setdefault(name, (kind, line))
            if not kind or kind != before:
                told = before if kind else "a string, a number or a list"
                because = f", as in {self.unit} {at}" if kind else ""
                raise FileError(
                    f'"{name}": expected {told}{because}; found {shown_value(cell)}',
                    place=f"{self.source}: {self.unit} {line}",
                )

    def table(self, roles: dict[str, tuple[str, ...]]) -> LogRows:
        """Return all that was added."""
        if not self._lines:
            raise FileError("has no rows", place=self.source)
        columns = {name: column.column() for name, column in self._columns.items()}
        return LogRows(self.source, np.array(self._lines, dtype=np.intp), columns, roles, self.unit)


class Codes(dict[object, int]):
    """The numbers of values; each is written as text once."""

    def __init__(self, numbering: Numbering) -> None:
        super().__init__()
        self.numbering = numbering

    def __missing__(self, cell: object) -> int:
        self[cell] = number = self.numbering[cell_text(cell)]
        return number


def cell_text(cell: object) -> str:
    """Write a cell as a CSV would have it.

    >>> cell_text(3), cell_text([3, 1]), cell_text(True), cell_text(None), cell_text("x")
    ('3', '3,1', 'true', '', 'x')
    """
    if isinstance(cell, str):
        return cell
    if cell is None:
        return MISSING
    if isinstance(cell, bool):
        return str(cell).lower()
    return ",".join(map(cell_text, cell)) if isinstance(cell, list | tuple) else str(cell)
