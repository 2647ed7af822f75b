"""Logs as JSON lines: a list of events on each line, or an object that holds a list or a single event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from demospec.errors import FileError
from demospec.files.reading import shown
from demospec.sources.logs.layout import Lines
from demospec.wording import listing, nearest

Name = int | str  # of a trace: its number, or what the log calls it
Trace = tuple[Name, Sequence[str]]
Event = tuple[Name, str | None]  # None: of this trace no event is told

EVENT_KEYS = ("events", "event")  # where the events are looked for if nobody says
EXPECTED = 'a list of events such as ["a", "b"], or an object that holds one'


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


def is_single(lines: Lines, column: str | None) -> bool:
    """Say whether the first line holds a single event, so that all lines tell of one trace."""
    line = lines.first(skip_blank=True)
    if not line:
        return False
    value = parse(lines, line)
    if isinstance(value, dict):
        value = value[event_key(lines, value, column)]
    return value is None or isinstance(value, str)


def json_traces(lines: Lines, column: str | None) -> Iterator[Trace]:
    """Read a trace on each line."""
    quick = msgspec.json.Decoder(list[str]).decode
    number = 0
    for line in lines:
        try:
            events = quick(line)
        except msgspec.DecodeError:  # an object, a null, a blank line, or a mistake
            if not line.strip():
                continue
            found = parse(lines, line)
            if isinstance(found, dict):
                column = event_key(lines, found, column)
                found = found[column]
            if not isinstance(found, list):
                raise FileError(f"expected {EXPECTED}, found {shown(found)}", place=lines.place) from None
            events = checked(lines, found)
        number += 1
        yield number, events


def json_single(lines: Lines, column: str | None) -> Iterator[Event]:
    """Read a single event on each line, all of one trace."""
    for line in lines:
        if not line.strip():
            continue
        found = parse(lines, line)
        if isinstance(found, dict):
            column = event_key(lines, found, column)
            found = found[column]
        if isinstance(found, list):
            raise FileError(f"expected a single event, found {shown(found)}", place=lines.place)
        yield 1, checked(lines, [found])[0]


def json_named(lines: Lines, column: str | None, trace: str) -> Iterator[Event]:
    """Read objects that name the trace which their events belong to."""
    quick = None
    for line in lines:
        try:
            if quick is None:
                raise msgspec.DecodeError  # the first line says where the events are
            entry = quick(line)
        except msgspec.DecodeError:
            if not line.strip():
                continue
            found = parse(lines, line)
            if not isinstance(found, dict) or trace not in found:
                hint = nearest(trace, found) if isinstance(found, dict) else ""
                told = f'expected an object with the key "{trace}"{hint}, found {shown(found)}'
                raise FileError(told, place=lines.place) from None
            name = found[trace]
            if type(name) not in (str, int):
                told = f'"{trace}": expected a name or a number, found {shown(name)}'
                raise FileError(told, place=lines.place) from None
            column = event_key(lines, found, column, trace)
            events = found[column]
            events = checked(lines, events if isinstance(events, list) else [events])
            quick = quick or decoder(column, trace)
        else:
            name, events = entry.name, entry.events
            if type(events) is str:
                yield name, events
                continue
        if not events:
            yield name, None
        for event in events:
            yield name, event


def decoder(column: str, trace: str) -> Callable[[str], Any]:
    """Return what reads the usual objects quickly; whatever it refuses is looked at again."""
    fields: list[tuple[str, Any]] = [("name", int | str), ("events", str | list[str])]
    entry = msgspec.defstruct("Entry", fields, rename={"name": trace, "events": column}, gc=False)
    return msgspec.json.Decoder(entry).decode


def parse(lines: Lines, line: str) -> Any:
    """Return the JSON value on a line."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        reason = str(error).removeprefix("JSON is malformed: ")
        told = f"not JSON: {reason}; expected {EXPECTED}, found {shown(line.strip())}"
        raise FileError(told, place=lines.place) from None
    except RecursionError:
        raise FileError("is nested too deeply", place=lines.place) from None


def event_key(lines: Lines, entry: Mapping[str, Any], column: str | None, trace: str | None = None) -> str:
    """Return the key of the events in an object, and refuse an object without it."""
    if column is None:
        return default_key(lines, [key for key in entry if key != trace], "key")
    if column not in entry:
        raise FileError(f'the key "{column}" is missing{nearest(column, entry)}', place=lines.place)
    return column


def checked(lines: Lines, events: list[Any]) -> list[str]:
    """Return events that are all strings; null is an event without a name."""
    for position, event in enumerate(events, start=1):
        if event is not None and not isinstance(event, str):
            at = f", event {position}" if len(events) > 1 else ""
            raise FileError(f"expected a string, found {shown(event)}", place=f"{lines.place}{at}")
    return [event or "" for event in events]
