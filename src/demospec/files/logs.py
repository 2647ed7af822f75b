"""Logs of events, read line by line: words, single events, CSV, JSON lines; also pipes that go on.

Nothing is read ahead of the line that is asked for, and nothing is kept of the lines before it. An event
without a name (an empty cell, a null, a blank line of single events) is "": it counts, and no task reads it.
"""

from __future__ import annotations

import csv
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from types import TracebackType
from typing import Any, BinaryIO, Literal, cast, get_args

import msgspec

from demospec.errors import FileError, InputError, listing, nearest
from demospec.files.reading import file_name, shown

LogFormat = Literal["lines", "events", "csv", "jsonl"]
LOG_FORMATS: tuple[LogFormat, ...] = get_args(LogFormat)

Shape = Literal["whole", "one", "several"]
Name = int | str  # of a trace: its number, or what the log calls it
Piece = tuple[Name, Sequence[str]]  # events of a trace, in order

ENDINGS: dict[str, LogFormat] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
EVENT_KEYS = ("events", "event")  # where the events are looked for if nobody says
_JSON = re.compile(r'\s*(\[\s*(["\]]|null)|\{\s*["}])')
_BLOCK = 1 << 16


class Lines:
    """The lines of a file, or of standard input for `-`, one at a time; `number` is that of the last."""

    def __init__(self, source: str) -> None:
        self.name, self.number = file_name(source), 0
        self._first: str | None = None
        self._own = source != "-"
        if not self._own:
            if sys.stdin is None or sys.stdin.closed:
                raise FileError("is closed", place=self.name)
            self._stream: BinaryIO = sys.stdin.buffer
        else:
            try:
                self._stream = open(source, "rb", buffering=_BLOCK)  # noqa: SIM115  closed by who asked for it
            except OSError as error:
                raise FileError(f"cannot be read: {error.strerror or error}", place=self.name) from None
            except ValueError:
                raise FileError("cannot be read: no file can have that name", place=self.name) from None
        self._size = regular_size(self._stream)

    @property
    def live(self) -> bool:
        """Say whether someone may still be writing: a pipe, a terminal."""
        return self._size is None

    @property
    def share(self) -> float:
        """Return how much of a file has been read."""
        return min(1.0, self._stream.tell() / self._size) if self._size else 0.0

    @property
    def place(self) -> str:
        """Return the file and the line, for a message."""
        return f"{self.name}: line {self.number}"

    def first(self) -> str:
        """Return the first line, which will be read again; nothing where there is none."""
        if self._first is None and self.number == 0:
            self._first = next(self._decoded(), None)
        return self._first or ""

    def __iter__(self) -> Iterator[str]:
        if self._first is not None:
            first, self._first = self._first, None
            yield first
        yield from self._decoded()

    def _decoded(self) -> Iterator[str]:
        try:
            for raw in self._stream:
                self.number += 1
                yield raw.decode() if self.number > 1 else raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FileError(
                f"is not UTF-8 text: byte {error.start + 1} is {error.object[error.start]:#04x}",
                place=self.place,
            ) from None
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", place=self.name) from None

    def close(self) -> None:
        """Close a file; standard input is not ours to close."""
        if self._own:
            self._stream.close()


def regular_size(stream: BinaryIO) -> int | None:
    """Return the size of a regular file in bytes; None for what has no end yet."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # a stream without a file behind it
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


@dataclass(frozen=True, eq=False)
class Log:
    """Traces as they come: each in one piece ("whole"), only one of them, or several in turns."""

    lines: Lines
    format: LogFormat
    shape: Shape
    pieces: Iterator[Piece]

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
    lines = Lines(source)
    try:
        return _log(lines, source, log_format, column, trace, alphabet)
    except BaseException:
        lines.close()
        raise


def _log(
    lines: Lines,
    source: str,
    log_format: LogFormat | None,
    column: str | None,
    trace: str | None,
    alphabet: Sequence[str],
) -> Log:
    kind = log_format or guess_format(lines, source, column=column, trace=trace)
    if kind in ("lines", "events"):
        for option, given in (("--column", column), ("--trace", trace)):
            if given is not None:
                raise InputError(f"{option} is for csv and jsonl; the log is read as {kind}", place="options")
        comments = not any(letter.startswith("#") for letter in alphabet)
        if kind == "lines":
            return Log(lines, kind, "whole", words(lines, comments))
        return Log(lines, kind, "one", single_events(lines, comments))
    if kind == "csv":
        tab = source.lower().endswith(".tsv")
        pieces = cells(lines, column, trace, "\t" if tab else None)
        return Log(lines, kind, "one" if trace is None else "several", pieces)
    values = json_values(lines)
    begin = next(values, None)
    every = values if begin is None else chain([begin], values)
    if trace is not None:
        return Log(lines, kind, "several", named_values(lines, every, column, trace))
    events = begin
    if isinstance(begin, dict):
        column = event_key(lines, begin, column)
        events = begin[column]
    shape: Shape = "one" if begin is not None and (events is None or isinstance(events, str)) else "whole"
    return Log(lines, kind, shape, values_in_order(lines, every, column, shape))


def guess_format(lines: Lines, source: str, *, column: str | None, trace: str | None) -> LogFormat:
    """Tell the format by the file's ending, by the first line, and by whether columns are named."""
    known = ENDINGS.get(os.path.splitext(source)[1].lower())
    if known is not None:
        return known
    if _JSON.match(lines.first()):
        return "jsonl"
    return "lines" if column is None and trace is None else "csv"


# -- lines ------------------------------------------------------------------------------------------------


def words(lines: Iterable[str], comments: bool) -> Iterator[Piece]:
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


def single_events(lines: Iterable[str], comments: bool) -> Iterator[Piece]:
    """Read one event on each line, all of one trace; a name may hold blanks.

    >>> list(single_events(["door open\\n"], comments=True))
    [(1, ['door open'])]
    """
    for line in lines:
        event = line.strip()
        if not (comments and event[:1] == "#"):
            yield 1, [event]


# -- CSV --------------------------------------------------------------------------------------------------


def cells(lines: Lines, column: str | None, trace: str | None, delimiter: str | None) -> Iterator[Piece]:
    """Read an event in each row below a header, and the name of its trace if a column is named for it."""
    header_line = lines.first()
    if delimiter is None:
        delimiter = max(",;\t", key=header_line.count)
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=True)
    try:
        header = next(reader, None)
        if not header:
            raise FileError("expected a header with the names of the columns", place=f"{lines.name}: line 1")
        event_at, trace_at = columns(lines, header, column, trace)
        width = len(header)
        for row in reader:
            if len(row) != width:
                if not row:
                    continue  # a blank line
                raise FileError(
                    f"expected {width} columns, as in the header; found {len(row)}", place=lines.place
                )
            yield 1 if trace_at is None else row[trace_at], [row[event_at]]
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


def default_key(lines: Lines, names: Sequence[str], what: str) -> str:
    """Return the key of the events where nobody named it: the only one, or one that is called so."""
    if len(names) == 1:
        return names[0]
    for name in EVENT_KEYS:
        if name in names:
            return name
    raise FileError(
        f"name the {what} of the events with --column; found: {listing(names)}", place=lines.place
    )


# -- JSON lines -------------------------------------------------------------------------------------------


def json_values(lines: Lines) -> Iterator[Any]:
    """Read a JSON value on each line; blank lines are left out."""
    decode = msgspec.json.Decoder().decode
    for line in lines:
        try:
            value = decode(line)
        except msgspec.DecodeError as error:
            if not line.strip():
                continue
            reason = str(error).removeprefix("JSON is malformed: ")
            raise FileError(
                f"not JSON: {reason}; expected {EXPECTED}, found {shown(line.strip())}", place=lines.place
            ) from None
        except RecursionError:
            raise FileError("is nested too deeply", place=lines.place) from None
        if value is None:
            raise FileError(f"expected {EXPECTED}, found null", place=lines.place)
        yield value


EXPECTED = 'a list of events such as ["a", "b"], or an object that holds one'


def event_key(lines: Lines, entry: dict[str, Any], column: str | None, trace: str | None = None) -> str:
    """Return the key of the events in an object, and refuse an object without it."""
    if column is None:
        return default_key(lines, [key for key in entry if key != trace], "key")
    if column not in entry:
        raise FileError(f'the key "{column}" is missing{nearest(column, entry)}', place=lines.place)
    return column


def values_in_order(lines: Lines, values: Iterable[Any], column: str | None, shape: Shape) -> Iterator[Piece]:
    """Read traces without names: a trace on each line ("whole"), or all events of one."""
    for number, value in enumerate(values, start=1):
        found = value[event_key(lines, value, column)] if isinstance(value, dict) else value
        if isinstance(found, list) != (shape == "whole"):
            expected = "a list of events" if shape == "whole" else "a single event"
            raise FileError(
                f"expected {expected}, as on the first line; found {shown(found)}", place=lines.place
            )
        yield number if shape == "whole" else 1, events_of(lines, found)


def named_values(lines: Lines, values: Iterable[Any], column: str | None, trace: str) -> Iterator[Piece]:
    """Read objects that name the trace which their events belong to."""
    for value in values:
        if not isinstance(value, dict):
            raise FileError(
                f'expected an object with the key "{trace}", found {shown(value)}', place=lines.place
            )
        if trace not in value:
            raise FileError(f'the key "{trace}" is missing{nearest(trace, value)}', place=lines.place)
        name = value[trace]
        if type(name) not in (str, int):
            raise FileError(f'"{trace}": expected a name or a number, found {shown(name)}', place=lines.place)
        column = event_key(lines, value, column, trace)
        yield name, events_of(lines, value[column])


def events_of(lines: Lines, found: object) -> Sequence[str]:
    """Return events that are given as a list or as a single one; null is an event without a name."""
    events = found if isinstance(found, list) else [found]
    if not {*map(type, events)} <= {str}:
        for position, event in enumerate(events):
            if event is None:
                events[position] = ""
            elif not isinstance(event, str):
                at = f", event {position + 1}" if isinstance(found, list) else ""
                raise FileError(f"expected a string, found {shown(event)}", place=f"{lines.place}{at}")
    return cast(Sequence[str], events)
