"""Logs of events, read line by line: words, single events, CSV, JSON lines; also pipes that go on.

An event without a name (an empty cell, a null, a blank line of single events) is "": it counts, and no task
reads it.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, get_args

from demospec.errors import FileError, InputError, listing, nearest
from demospec.files.json_logs import (
    Event,
    Name,
    Trace,
    default_key,
    is_single,
    json_named,
    json_single,
    json_traces,
)
from demospec.files.lines import Lines

LogFormat = Literal["lines", "events", "csv", "jsonl"]
LOG_FORMATS: tuple[LogFormat, ...] = get_args(LogFormat)
Shape = Literal["whole", "one", "several"]

ENDINGS: dict[str, LogFormat] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_JSON = re.compile(r'\s*(\[\s*(["\]]|null)|\{\s*["}])')


@dataclass(frozen=True, eq=False)
class Log:
    """What a log holds, as it comes: whole traces, or events, all of one trace or of several in turns."""

    lines: Lines
    format: LogFormat
    shape: Shape
    traces: Iterable[Trace] = ()  # of shape "whole"
    events: Iterable[Event] = ()  # of the others

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lines.close()


def open_log(
    source: str,
    *,
    log_format: LogFormat | None = None,
    column: str | None = None,
    trace: str | None = None,
    alphabet: Sequence[str] = (),
) -> Log:
    """Open a log; without a format it is told by the file's ending, or else by the first line.

    `column` and `trace` name the columns or keys of events and of traces. In lines, # begins a comment,
    unless a letter of the alphabet does.
    """
    if column is not None and column == trace:
        raise InputError(f'--column and --trace both name "{column}"')
    lines = Lines(source)
    try:
        kind = log_format or guess_format(lines, source, named=not (column is None and trace is None))
        if kind in ("lines", "events"):
            for option, given in (("--column", column), ("--trace", trace)):
                if given is not None:
                    raise InputError(f"{option} is for csv and jsonl; the log is read as {kind}")
            comments = not any(letter.startswith("#") for letter in alphabet)
            if kind == "lines":
                return Log(lines, kind, "whole", traces=words(lines, comments))
            return Log(lines, kind, "one", events=single_events(lines, comments))
        if kind == "csv":
            delimiter = "\t" if source.lower().endswith(".tsv") else None
            shape: Shape = "one" if trace is None else "several"
            return Log(lines, kind, shape, events=cells(lines, column, trace, delimiter))
        if trace is not None:
            return Log(lines, kind, "several", events=json_named(lines, column, trace))
        if is_single(lines, column):
            return Log(lines, kind, "one", events=json_single(lines, column))
        return Log(lines, kind, "whole", traces=json_traces(lines, column))
    except BaseException:
        lines.close()
        raise


def guess_format(lines: Lines, source: str, *, named: bool) -> LogFormat:
    """Tell the format by the file's ending, by the first line, and by whether columns are named."""
    known = ENDINGS.get(os.path.splitext(source)[1].lower())
    if known is not None:
        return known
    if _JSON.match(lines.first()):
        return "jsonl"
    return "csv" if named else "lines"


def words(lines: Iterable[str], comments: bool) -> Iterator[Trace]:
    """Read a trace on each line, events separated by blanks; a blank line is the empty word.

    >>> list(words(["a b\\n", "# twice\\n", "\\n"], comments=True))
    [(1, ['a', 'b']), (2, [])]
    """
    number = 0
    for line in lines:
        word = line.split()
        if comments and word and word[0][0] == "#":
            continue
        number += 1
        yield number, word


def single_events(lines: Iterable[str], comments: bool) -> Iterator[Event]:
    """Read one event on each line, all of one trace; a name may hold blanks.

    >>> list(single_events(["door open\\n"], comments=True))
    [(1, 'door open')]
    """
    for line in lines:
        event = line.strip()
        if comments and event and event[0] == "#":
            continue
        yield 1, event


def cells(lines: Lines, column: str | None, trace: str | None, delimiter: str | None) -> Iterator[Event]:
    """Read the header, and then an event in each row; of which trace, if a column is named for it."""
    if delimiter is None:
        delimiter = max(",;\t", key=lines.first().count)
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=True)
    with csv_told(lines):
        header = next(reader, None)
    if not header:
        raise FileError("expected a header with the names of the columns", place=f"{lines.name}: line 1")
    return rows(lines, reader, len(header), *columns(lines, header, column, trace))


def rows(
    lines: Lines, reader: Iterator[list[str]], width: int, event_at: int, trace_at: int | None
) -> Iterator[Event]:
    """Read the rows below a header; blank lines are left out."""
    with csv_told(lines):
        for row in reader:
            if len(row) == width:
                yield 1 if trace_at is None else row[trace_at], row[event_at]
            elif row:
                told = f"expected {width} columns, as in the header; found {len(row)}"
                raise FileError(told, place=lines.place)


@contextmanager
def csv_told(lines: Lines) -> Iterator[None]:
    """Tell where a text is not CSV."""
    try:
        yield
    except csv.Error as error:
        raise FileError(f"not CSV: {error}", place=lines.place) from None


def columns(
    lines: Lines, header: Sequence[str], column: str | None, trace: str | None
) -> tuple[int, int | None]:
    """Return where the events are, and where the traces' names."""
    for name in (column, trace):
        if name is not None and name not in header:
            raise FileError(
                f'there is no column "{name}"{nearest(name, header)}; columns: {listing(header)}',
                place=lines.place,
            )
    if column is None:
        column = default_key(lines, [name for name in header if name != trace], "column")
    return header.index(column), None if trace is None else header.index(trace)


__all__ = ["LOG_FORMATS", "Event", "Log", "LogFormat", "Name", "Shape", "Trace", "open_log"]
