"""CSV: the header, and the rows below it, read in blocks."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from demospec.errors import FileError
from demospec.sources.logs.layout import Layout, Lines
from demospec.sources.logs.table import Growing, LogRows
from demospec.worlds.mdp import Ints

BLOCK = 1 << 9  # rows that are looked at together: few, so that they stay in the processor's cache
DELIMITERS = ",;\t"
Rows = list[list[str]]

# What the csv module says, and what a person can do something with.
TOLD = {
    "unexpected end of data": "a quote is opened here and does not end",
    "field larger than field limit": "a cell begins here that does not end: is a quote missing?",
    "new-line character seen": "a row holds a carriage return; write line feeds, or quote the cell",
}


def open_csv(lines: Lines, delimiter: str | None = None) -> tuple[Iterator[list[str]], list[str]]:
    """Return the rows of a file, and its header; what separates the cells is told by the first line."""
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lines.first().count)
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=True)
    with csv_told(lines):
        header = next(reader, None)
    if not header:
        raise FileError("expected a header with the names of the columns", place=f"{lines.name}: line 1")
    return reader, header


@contextmanager
def csv_told(lines: Lines) -> Iterator[None]:
    """Tell where a text is not CSV."""
    try:
        yield
    except csv.Error as error:
        raise FileError(f"not CSV: {error}", place=lines.place) from None


def read_csv(lines: Lines, layout: Layout, delimiter: str | None = None) -> LogRows:
    """Read the columns of a log that are asked for."""
    if not lines.first():
        raise FileError("is empty", place=lines.name)
    reader, header = open_csv(lines, delimiter)
    roles = layout.roles(header, lines.place)
    columns = {name: Growing() for names in roles.values() for name in names}
    at = {name: header.index(name) for name in columns}
    numbers: list[Ints] = []
    for rows, where in blocks(lines, reader, len(header)):
        cells = list(zip(*rows, strict=True))
        for name, column in columns.items():
            column.add(cells[at[name]], len(rows))
        numbers.append(where)
    if not numbers:
        raise FileError("has a header, but no rows", place=lines.name)
    read = {name: column.column() for name, column in columns.items()}
    return LogRows(lines.name, np.concatenate(numbers), read, roles)


def blocks(lines: Lines, reader: Iterator[list[str]], width: int) -> Iterator[tuple[Rows, Ints]]:
    """Yield rows that are as wide as the header, and the lines on which they begin, without blank lines."""
    before = lines.number
    while True:
        rows: Rows = []
        try:
            for row in reader:
                rows.append(row)
                if len(rows) == BLOCK:
                    break
        except csv.Error as error:
            begins = before + 1 + sum(map(height, rows))
            told = next((told for said, told in TOLD.items() if said in str(error)), f"{error}")
            raise FileError(f"not CSV: {told}", place=f"{lines.name}: line {begins}") from None
        if not rows:
            return
        after = lines.number
        where = np.arange(before + 1, before + 1 + len(rows))
        if after - before != len(rows):  # some cell has several lines
            where = before + 1 + np.concatenate([[0], np.cumsum([height(row) for row in rows])[:-1]])
        if set(map(len, rows)) != {width}:
            for row, line in zip(rows, where.tolist(), strict=True):
                if row and len(row) != width:
                    told = f"expected {width} cells, as in the header; found {len(row)}"
                    raise FileError(told, place=f"{lines.name}: line {line}")
            rows, where = list(filter(None, rows)), where[list(map(bool, rows))]  # without blank lines
        if rows:
            yield rows, where.astype(np.intp)
        before = after


def height(row: Sequence[str]) -> int:
    """Return on how many lines a row is written."""
    return 1 + sum(cell.count("\n") for cell in row)
