"""XES: the event logs of process mining. A trace is a run, and its letters are the names of its events."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from demospec.errors import FileError
from demospec.sources.logs.layout import Layout, Lines
from demospec.sources.logs.table import MISSING, Column, Growing, LogRows, date
from demospec.wording import listing, nearest, shown_value

NAME, TIME, LIFECYCLE = "concept:name", "time:timestamp", "lifecycle:transition"
TRACE = "(trace)"  # the column of the table in which the names of traces are


@dataclass
class Event:
    """The attributes of an event that are asked for, and the line on which it begins."""

    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)  # keys that were not asked for


@dataclass
class Trace:
    """A trace: its name, or else its number, and its events."""

    name: str
    line: int
    events: list[Event] = field(default_factory=list)


class XesReader:
    """Reads a file line by line. A document type is refused, so that no entity is ever expanded."""

    def __init__(self, lines: Lines, wanted: Collection[str], case: str) -> None:
        self.lines, self.wanted, self.case = lines, wanted, case
        self._open: list[str] = []  # the elements around
        self._done: list[Trace] = []
        self._traces = 0
        self._trace = Trace("", 0)
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_entities
        self._parser.EntityDeclHandler = self._refuse_entities

    def __iter__(self) -> Iterator[Trace]:
        try:
            for line in self.lines:
                self._parser.Parse(line, False)
                if self._done:
                    yield from self._done
                    self._done = []
            self._parser.Parse("", True)
        except expat.ExpatError as error:
            where = f"{self.lines.name}: line {error.lineno}"
            raise FileError(f"not XML: {expat.ErrorString(error.code)}", place=where) from None

    def _refuse_entities(self, *declared: object) -> NoReturn:
        raise FileError(
            "declares a document type or entities: such a file is not read", place=self.lines.place
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        inside = self._open[-1] if self._open else None
        self._open.append(name)
        if inside is None and name != "log":
            raise FileError(f'is not XES: expected the element "log", found "{name}"', place=self.lines.place)
        if name == "trace" and inside == "log":
            self._traces += 1
            self._trace = Trace(str(self._traces), self._parser.CurrentLineNumber)
        elif name == "event" and inside == "trace":
            self._trace.events.append(Event(self._parser.CurrentLineNumber))
        elif inside == "event" and self._open[:3] == ["log", "trace", "event"]:
            key, event = attributes.get("key", ""), self._trace.events[-1]
            if key in self.wanted:
                event.attributes[key] = attributes.get("value", "")
            else:
                event.others.append(key)
        elif inside == "trace" and attributes.get("key") == self.case:
            self._trace.name = attributes.get("value", self._trace.name)

    def _end(self, name: str) -> None:
        self._open.pop()
        if name.rpartition(":")[2] == "trace" and len(self._open) == 1:
            self._done.append(self._trace)


def read_traces(
    lines: Lines,
    *,
    event: str = NAME,
    case: str = NAME,
    lifecycle: str | None = None,
    also: Collection[str] = (),
) -> Iterator[Trace]:
    """Yield the traces of a log, their events in the order of time where all of them have one.

    With a lifecycle only events with this transition, such as "complete", are read.
    """
    if not lines.first(skip_blank=True):
        raise FileError("is empty", place=lines.name)
    wanted = {event, TIME, LIFECYCLE, *also}
    for trace in XesReader(lines, wanted, case):
        if lifecycle is not None:
            asked = lifecycle.lower()
            trace.events = [one for one in trace.events if one.attributes.get(LIFECYCLE, "").lower() == asked]
        for one in trace.events:
            if event not in one.attributes:
                known = [*one.attributes, *one.others]
                told = (
                    f'the event has no attribute "{event}"{nearest(event, known)}; it has: {listing(known)}'
                )
                raise FileError(told, place=f"{lines.name}: line {one.line}")
        if all(TIME in one.attributes for one in trace.events):
            trace.events.sort(key=lambda one: moment(lines, one))
        yield trace


def moment(lines: Lines, event: Event) -> float:
    """Return the time of an event."""
    found = date(event.attributes[TIME])
    if found is None:
        text = shown_value(event.attributes[TIME])
        told = f"{TIME}: expected a date such as 2024-05-01T12:30:00; found {text}"
        raise FileError(told, place=f"{lines.name}: line {event.line}")
    return found


def read_xes(lines: Lines, layout: Layout) -> LogRows:
    """Read a log as a table: a row for each event."""
    roles = {"run": (TRACE,), "action": layout.named("action") or (NAME,)}
    for role in ("time", "state", "complete", "label"):
        if names := layout.named(role):
            roles[role] = names
    columns = {name: Growing() for role, names in roles.items() if role != "run" for name in names}
    traces: list[str] = []
    owner: list[int] = []
    numbers: list[int] = []
    (event,) = roles["action"]
    case = (layout.named("run") or (NAME,))[0]
    for trace in read_traces(lines, event=event, case=case, lifecycle=layout.lifecycle, also=columns.keys()):
        owner += [len(traces)] * len(trace.events)
        numbers += [one.line for one in trace.events]
        traces.append(trace.name)
        for name, column in columns.items():
            cells = [one.attributes.get(name, MISSING) for one in trace.events]
            column.add(cells, len(cells))
    if not owner:
        raise FileError(
            "has no events" + (" with this lifecycle" if layout.lifecycle else ""), place=lines.name
        )
    run = Column(tuple(traces), np.array(owner, dtype=np.intp))
    read = {TRACE: run, **{name: column.column() for name, column in columns.items()}}
    return LogRows(lines.name, np.array(numbers, dtype=np.intp), read, roles)
