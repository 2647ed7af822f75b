"""Logs of events, read line by line: words, single events, CSV, JSON lines, XES; also pipes that go on.

An event without a name (an empty cell, a null, a blank line of single events) is "": it counts, and no task
reads it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, get_args

from demospec.errors import FileError, InputError
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
from demospec.sources.logs.csv_rows import csv_told, open_csv
from demospec.sources.logs.layout import Lines, position, without_gz
from demospec.sources.logs.xes import NAME, read_traces

LogFormat = Literal["lines", "events", "csv", "jsonl", "xes"]
LOG_FORMATS: tuple[LogFormat, ...] = get_args(LogFormat)
Shape = Literal["whole", "one", "several"]

ENDINGS: dict[str, LogFormat] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xes": "xes",
}
_XML = re.compile(r"\s*<(\?xml|log)\b")
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
    lifecycle: str | None = None,
    alphabet: Sequence[str] = (),
) -> Log:
    """Open a log; without a format it is told by the file's ending, or else by the first line.

    `column` and `trace` name the columns, keys or attributes of events and of traces; with `lifecycle` only
    events of XES with this transition are read. In lines, # begins a comment,
    unless a letter of the alphabet does.
    """
    if column is not None and column == trace and not without_gz(source).lower().endswith(".xes"):
        raise InputError(f'--column and --trace both name "{column}"')
    lines = Lines(source)
    try:
        kind = log_format or guess_format(lines, source, named=not (column is None and trace is None))
        if kind == "xes":
            return Log(lines, kind, "whole", traces=xes_traces(lines, column, trace, lifecycle))
        if lifecycle is not None:
            raise InputError(f"--lifecycle is for xes; the log is read as {kind}")
        if kind in ("lines", "events"):
            for option, given in (("--column", column), ("--trace", trace)):
                if given is not None:
                    raise InputError(f"{option} is for csv and jsonl; the log is read as {kind}")
            comments = not any(letter.startswith("#") for letter in alphabet)
            if kind == "lines":
                return Log(lines, kind, "whole", traces=words(lines, comments))
            return Log(lines, kind, "one", events=single_events(lines, comments))
        if kind == "csv":
            delimiter = "\t" if without_gz(source).lower().endswith(".tsv") else None
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
    known = ENDINGS.get(os.path.splitext(without_gz(source))[1].lower())
    if known is not None:
        return known
    if _JSON.match(lines.first()):
        return "jsonl"
    if _XML.match(lines.first()):
        return "xes"
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


def xes_traces(lines: Lines, column: str | None, trace: str | None, lifecycle: str | None) -> Iterator[Trace]:
    """Read the traces of an XES file: the names of their events."""
    event = column or NAME
    for found in read_traces(lines, event=event, case=trace or NAME, lifecycle=lifecycle):
        yield found.name, [one.attributes[event] for one in found.events]


def cells(lines: Lines, column: str | None, trace: str | None, delimiter: str | None) -> Iterator[Event]:
    """Read the header, and then an event in each row; of which trace, if a column is named for it."""
    reader, header = open_csv(lines, delimiter)
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


def columns(
    lines: Lines, header: Sequence[str], column: str | None, trace: str | None
) -> tuple[int, int | None]:
    """Return where the events are, and where the traces' names."""
    for name in (column, trace):
        if name is not None:
            position(header, name, lines.place)
    if column is None:
        column = default_key(lines, [name for name in header if name != trace], "column")
    return header.index(column), None if trace is None else header.index(trace)


__all__ = ["LOG_FORMATS", "Event", "Log", "LogFormat", "Name", "Shape", "Trace", "open_log"]
