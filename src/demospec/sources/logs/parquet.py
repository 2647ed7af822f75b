"""Parquet: columns of one type each, read with pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

import numpy as np

from demospec.errors import FileError, InputError, missing_package
from demospec.sources.logs.json_rows import KINDS, cell_text
from demospec.sources.logs.layout import Layout
from demospec.sources.logs.table import MISSING, Growing, LogRows
from demospec.wording import shown_value

BLOCK = 1 << 16  # rows that are read at once


def read_parquet(source: str, layout: Layout) -> LogRows:
    """Read the columns of a log that are asked for; rows are counted from 1."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise missing_package("a Parquet file", "pyarrow", "parquet", place=source) from None
    if source == "-":
        raise InputError("a Parquet file cannot be read from standard input")
    with parquet_errors(source):
        file = parquet.ParquetFile(source)
        roles = layout.roles(file.schema_arrow.names, source)
        names = list(dict.fromkeys(name for named in roles.values() for name in named))
        columns = {name: Growing() for name in names}
        for batch in file.iter_batches(BLOCK, columns=names):
            for name, column in columns.items():
                add(source, name, column, batch.column(batch.schema.get_field_index(name)))
        rows = file.metadata.num_rows
    if not rows:
        raise FileError("has no rows", place=source)
    read = {name: column.column() for name, column in columns.items()}
    for name, one in read.items():
        if len(one.codes) != rows:
            what = f'says that it has {rows:,} rows, but "{name}" has {len(one.codes):,}'
            raise FileError(what, place=source)
    return LogRows(source, np.arange(1, rows + 1), read, roles, "row")


def add(source: str, name: str, column: Growing, cells: Any) -> None:
    """Add what a batch has in a column: each of its values is written as text once."""
    import pyarrow

    if pyarrow.types.is_nested(cells.type):
        column.add([parquet_text(source, name, cell) for cell in cells.to_pylist()], len(cells))
        return
    found = cells if pyarrow.types.is_dictionary(cells.type) else cells.dictionary_encode()
    values = [parquet_text(source, name, value) for value in found.dictionary.to_pylist()]
    number = np.array([column.numbering[value] for value in values], dtype=np.intp)
    codes = found.indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.intp)
    if found.null_count:
        number = np.append(number, column.numbering[MISSING])
    column.add_codes(number[codes])


def parquet_text(source: str, name: str, value: object) -> str:
    if isinstance(value, date | datetime):
        return value.isoformat()
    if value is not None and type(value) not in KINDS:
        told = f'"{name}": expected strings, numbers, dates or lists; found {shown_value(str(value))}'
        raise FileError(told, place=source)
    return cell_text(value)


@contextmanager
def parquet_errors(source: str) -> Iterator[None]:
    """Tell in one line what is wrong with a file."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        reason = getattr(error, "strerror", None) or f"{error}".split("\n")[0]
        raise FileError(f"cannot be read: {reason}", place=source) from None
