"""Logs of events, read as they come: words, single events, CSV, JSON lines, XES; also pipes that go on.

An event without a name (an empty cell, a null, a blank line of single events) is "": it counts, and no task
reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import msgspec

from demospec.errors import FileError, InputError
from demospec.sources.logs.csv_rows import csv_told, open_csv
from demospec.sources.logs.json_rows import json_value
from demospec.sources.logs.layout import Lines, format_by_ending, format_by_line, position, without_gz
from demospec.sources.logs.xes import NAME, read_traces
from demospec.wording import listing, nearest, shown_value

LogFormat = Literal["lines", "events", "csv", "jsonl", "xes"]
LOG_FORMATS: tuple[LogFormat, ...] = get_args(LogFormat)
Shape = Literal["whole", "one", "several"]

TraceName = int | str  # its number, or what the log calls it
EventTrace = tuple[TraceName, Sequence[str]]
NamedEvent = tuple[TraceName, str | None]  # None: of this trace no event is told

EVENT_KEYS = ("events", "event")  # where the events are looked for if nobody says
EXPECTED = 'a list of events such as ["a", "b"], or an object that holds one'


@dataclass(frozen=True, eq=False)
class Log:
    """What a log holds, as it comes: whole traces, or events, all of one trace or of several in turns."""

    lines: Lines
    format: LogFormat
    shape: Shape
    traces: Iterable[EventTrace] = ()  # of shape "whole"
    events: Iterable[NamedEvent] = ()  # of the others

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *error: object) -> None:
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
    ending = format_by_ending(source)
    if column is not None and column == trace and ending != "xes":
        raise InputError(f'--columns: event and run are both "{column}"')
    lines = Lines(source)
    try:
        known = ending if ending != "parquet" else None  # columns, which nobody can write line by line
        usual: LogFormat = "lines" if column is None and trace is None else "csv"
        kind = log_format or known or format_by_line(lines.first()) or usual
        assert kind != "parquet"  # no line begins one
        if kind == "xes":
            event = column or NAME
            found = read_traces(lines, event=event, case=trace or NAME, lifecycle=lifecycle)
            named = ((told.name, [one.attributes[event] for one in told.events]) for told in found)
            return Log(lines, kind, "whole", traces=named)
        if lifecycle is not None:
            raise InputError(f"--columns: lifecycle= is for xes; the log is read as {kind}")
        if kind in ("lines", "events"):
            for option, given in (("event", column), ("run", trace)):
                if given is not None:
                    raise InputError(f"--columns: {option}= is for csv and jsonl; the log is read as {kind}")
            comments = not any(letter.startswith("#") for letter in alphabet)
            if kind == "lines":
                return Log(lines, kind, "whole", traces=words_on_lines(lines, comments))
            return Log(lines, kind, "one", events=single_events(lines, comments))
        if kind == "csv":
            delimiter = "\t" if without_gz(source).lower().endswith(".tsv") else None
            shape: Shape = "one" if trace is None else "several"
            return Log(lines, kind, shape, events=csv_events(lines, column, trace, delimiter))
        if trace is not None:
            return Log(lines, kind, "several", events=json_named(lines, column, trace))
        first = lines.first(skip_blank=True)  # where it is a single event, all lines tell of one trace
        value = json_slowly(lines, first, column)[0] if first else []
        if value is None or isinstance(value, str):
            return Log(lines, kind, "one", events=json_single(lines, column))
        return Log(lines, kind, "whole", traces=json_traces(lines, column))
    except BaseException:
        lines.close()
        raise


def words_on_lines(lines: Iterable[str], comments: bool) -> Iterator[EventTrace]:
    """Read a trace on each line, events separated by blanks; a blank line is the empty word.

    >>> list(words_on_lines(["a b\\n", "# twice\\n", "\\n"], comments=True))
    [(1, ['a', 'b']), (2, [])]
    """
    number = 0
    for line in lines:
        word = line.split()
        if comments and word and word[0][0] == "#":
            continue
        number += 1
        yield number, word


def single_events(lines: Iterable[str], comments: bool) -> Iterator[NamedEvent]:
    """Read one event on each line, all of one trace; a name may hold blanks.

    >>> list(single_events(["door open\\n"], comments=True))
    [(1, 'door open')]
    """
    for line in lines:
        event = line.strip()
        if not (comments and event and event[0] == "#"):
            yield 1, event


def csv_events(
    lines: Lines, column: str | None, trace: str | None, delimiter: str | None
) -> Iterator[NamedEvent]:
    """Read the header at once, and then an event in each row; of which trace, if a column is named for it.

    Blank lines are left out.
    """
    reader, header = open_csv(lines, delimiter)
    if column is not None:
        position(header, column, lines.place)
    trace_at, width = None if trace is None else position(header, trace, lines.place), len(header)
    event_at = header.index(
        column or default_key(lines, [name for name in header if name != trace], "column")
    )

    def rows() -> Iterator[NamedEvent]:
        with csv_told(lines):
            for row in reader:
                if len(row) == width:
                    yield 1 if trace_at is None else row[trace_at], row[event_at]
                elif row:
                    told = f"expected {width} columns, as in the header; found {len(row)}"
                    raise FileError(told, place=lines.place)

    return rows()


# -- JSON lines: a list of events on each line, or an object that holds a list or a single event ------------


def default_key(lines: Lines, names: Sequence[str], what: str) -> str:
    """Return the key of the events where nobody named it: the only one, or one that is called so."""
    for name in names if len(names) == 1 else EVENT_KEYS:
        if name in names:
            return name
    told = f"name the {what} of the events with --columns event=NAME; found: {listing(names)}"
    raise FileError(told, place=lines.place)


def event_key(lines: Lines, entry: Mapping[str, Any], column: str | None, trace: str | None = None) -> str:
    """Return the key of the events in an object, and refuse an object without it."""
    if column is None:
        return default_key(lines, [key for key in entry if key != trace], "key")
    if column not in entry:
        raise FileError(f'the key "{column}" is missing{nearest(column, entry)}', place=lines.place)
    return column


def json_slowly(lines: Lines, line: str, column: str | None) -> tuple[Any, str | None]:
    """Read what a line says of events, whatever it is; return it with the key where it stands."""
    value = json_value(lines, line, EXPECTED)
    if isinstance(value, dict):
        column = event_key(lines, value, column)
        value = value[column]
    return value, column


def json_traces(lines: Lines, column: str | None) -> Iterator[EventTrace]:
    """Read a trace on each line."""
    quick = msgspec.json.Decoder(list[str]).decode
    number = 0
    for line in lines:
        try:
            events = quick(line)
        except msgspec.DecodeError:  # an object, a null, a blank line, or a mistake
            if not line.strip():
                continue
            value, column = json_slowly(lines, line, column)
            if not isinstance(value, list):
                raise FileError(
                    f"expected {EXPECTED}, found {shown_value(value)}", place=lines.place
                ) from None
            events = event_names(lines, value)
        number += 1
        yield number, events


def json_single(lines: Lines, column: str | None) -> Iterator[NamedEvent]:
    """Read a single event on each line, all of one trace."""
    for line in lines:
        if line.strip():
            value, column = json_slowly(lines, line, column)
            if isinstance(value, list):
                raise FileError(f"expected a single event, found {shown_value(value)}", place=lines.place)
            yield 1, event_names(lines, [value])[0]


def json_named(lines: Lines, column: str | None, trace: str) -> Iterator[NamedEvent]:
    """Read objects that name the trace which their events belong to."""
    quick: Callable[[str], Any] | None = None  # of the usual objects; what it refuses is looked at again
    for line in lines:
        try:
            if quick is None:
                raise msgspec.DecodeError  # the first line says where the events are
            entry = quick(line)
        except msgspec.DecodeError:
            if not line.strip():
                continue
            value = json_value(lines, line, EXPECTED)
            if not isinstance(value, dict) or trace not in value:
                hint = nearest(trace, value) if isinstance(value, dict) else ""
                told = f'expected an object with the key "{trace}"{hint}, found {shown_value(value)}'
                raise FileError(told, place=lines.place) from None
            name = value[trace]
            if type(name) not in (str, int):
                told = f'"{trace}": expected a name or a number, found {shown_value(name)}'
                raise FileError(told, place=lines.place) from None
            column = event_key(lines, value, column, trace)
            events = value[column]
            events = event_names(lines, events if isinstance(events, list) else [events])
            if quick is None:
                fields: list[tuple[str, Any]] = [("name", int | str), ("events", str | list[str])]
                keys = {"name": trace, "events": column}
                usual = msgspec.defstruct("Entry", fields, rename=keys, gc=False)
                quick = msgspec.json.Decoder(usual).decode
        else:
            name, events = entry.name, entry.events
            if type(events) is str:
                yield name, events
                continue
        if not events:
            yield name, None
        for event in events:
            yield name, event


def event_names(lines: Lines, events: list[Any]) -> list[str]:
    """Return events that are all strings; null is an event without a name."""
    for number, event in enumerate(events, start=1):
        if event is not None and not isinstance(event, str):
            at = f", event {number}" if len(events) > 1 else ""
            raise FileError(f"expected a string, found {shown_value(event)}", place=f"{lines.place}{at}")
    return [event or "" for event in events]
