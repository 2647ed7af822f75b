"""States of a log and their labels: from columns, or made of what was done last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from demospec.errors import shown
from demospec.sources.logs.layout import Layout
from demospec.sources.logs.table import Column, Table, numbered, truth_of
from demospec.tasks.propositions import letter_of
from demospec.worlds.mdp import Ints

START = "(start)"  # the state of a run before its first event
BETWEEN = " > "


@dataclass(frozen=True, eq=False)
class EventStates:
    """States that are made of the events before; the first one is that of a run without any."""

    names: tuple[str, ...]
    labels: Mapping[str, str]
    codes: Ints  # [N], the state after each event


def states_of_events(events: Column, first: Ints, last: int) -> EventStates:
    """Make a state of the last so many events; its label is the last of them.

    `first` are the rows in which runs begin.
    """
    begin = np.zeros(len(events.codes), dtype=np.intp)
    begin[first] = first
    begin = np.maximum.accumulate(begin)
    rows = np.arange(len(events.codes))
    key = events.codes
    for back in range(1, last):
        before = np.where(rows - back >= begin, events.codes[rows - back] + 1, 0)
        key = numbered(key * (len(events.values) + 1) + before)[0]
    codes, at = numbered(key)
    names, labels = [START], {}
    for row in at.tolist():
        word = [events[k] for k in range(max(int(begin[row]), row - last + 1), row + 1)]
        names.append(BETWEEN.join(word))
        labels[names[-1]] = word[-1]
    return EventStates(tuple(names), labels, codes + 1)


def labels_of(table: Table, state: Column, layout: Layout) -> dict[str, str] | None:
    """Return the labels of states as their column tells them; several columns are propositions."""
    if layout.label is None:
        return None
    names = table.roles["label"]
    if isinstance(layout.label, str):
        column = table.columns[names[0]]
        letters = [value or None for value in column.values]
    else:
        column, letters = propositions(table, names)
    _, first = numbered(state.codes * max(1, len(column.values)) + column.codes)
    found: dict[str, int] = {}  # the row that tells a state's label
    labels: dict[str, str] = {}
    for row in first.tolist():
        name, letter = state[row], letters[column.codes[row]]
        before = found.setdefault(name, row)
        if (old := letters[column.codes[before]]) != letter:
            said = [shown(one) if one else "no label" for one in (letter, old)]
            where = f"{table.unit} {table.lines[before]}"
            table.refuse(row, f'state "{name}" has {said[0]} here, and {said[1]} in {where}')
        if letter is not None:
            labels[name] = letter
    return labels


def propositions(table: Table, names: tuple[str, ...]) -> tuple[Column, list[str | None]]:
    """Return columns of true and false as one, and the letter that each of its values is."""
    key = np.zeros(len(table), dtype=np.intp)
    for name in names:
        column = table.columns[name]
        for code, value in enumerate(column.values):
            if value and truth_of(value) is None:
                row = int(np.flatnonzero(column.codes == code)[0])
                table.refuse(row, f'"{name}": expected true or false; found {shown(value)}')
        holds = np.array([truth_of(value) is True for value in column.values], dtype=np.intp)
        key = numbered(key * 2 + holds[column.codes])[0]
    codes, first = numbered(key)
    letters = [
        letter_of(name for name in names if truth_of(table.columns[name][row])) for row in first.tolist()
    ]
    return Column(tuple(map(str, range(len(letters)))), codes), letters
