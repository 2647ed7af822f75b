"""The runs of a log: which action was taken in which state, and where it led, run by run.

States and their labels come from columns, or are made of what was done last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, get_args

import numpy as np

from demospec.errors import FileError, InputError
from demospec.sources.logs.csv_rows import read_csv
from demospec.sources.logs.json_rows import GrowingColumns, read_json
from demospec.sources.logs.layout import Format, Layout, Lines, format_by_ending, format_by_line, without_gz
from demospec.sources.logs.parquet import read_parquet
from demospec.sources.logs.table import Column, LogRows, numbered, row_times, truth_of
from demospec.sources.logs.xes import read_xes
from demospec.tasks.propositions import letter_of
from demospec.wording import listing, nearest, shown_value
from demospec.worlds.mdp import Bools, Ints, spans

START = "(start)"  # the state of a run before its first event
BETWEEN = " > "


def states_of_events(events: Column, first: Ints, last: int) -> tuple[tuple[str, ...], dict[str, str], Ints]:
    """Make a state of the last so many events: names, labels (the last event), and [N] that after each event.

    `first` are the rows in which runs begin; the first state is that of a run without any event.
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
    names, labels = [START], dict[str, str]()
    for row in at.tolist():
        word = [events[k] for k in range(max(int(begin[row]), row - last + 1), row + 1)]
        names.append(BETWEEN.join(word))
        labels[names[-1]] = word[-1]
    return tuple(names), labels, codes + 1


def labels_of(table: LogRows, state: Column, layout: Layout) -> dict[str, str] | None:
    """Return the labels of states as their column tells them; several columns are propositions."""
    if layout.label is None:
        return None
    names = table.roles["label"]
    if isinstance(layout.label, str):
        column = table.columns[names[0]]
        letters = [value or None for value in column.values]
    else:
        column, letters = proposition_columns(table, names)
    _, first = numbered(state.codes * max(1, len(column.values)) + column.codes)
    found: dict[str, int] = {}  # the row that tells a state's label
    labels: dict[str, str] = {}
    for row in first.tolist():
        name, letter = state[row], letters[column.codes[row]]
        before = found.setdefault(name, row)
        if (old := letters[column.codes[before]]) != letter:
            said = [shown_value(one) if one else "no label" for one in (letter, old)]
            where = f"{table.unit} {table.lines[before]}"
            table.refuse(row, f'state "{name}" has {said[0]} here, and {said[1]} in {where}')
        if letter is not None:
            labels[name] = letter
    return labels


def proposition_columns(table: LogRows, names: tuple[str, ...]) -> tuple[Column, list[str | None]]:
    """Return columns of true and false as one, and the letter that each of its values is."""
    key = np.zeros(len(table), dtype=np.intp)
    for name in names:
        column = table.columns[name]
        for code, value in enumerate(column.values):
            if value and truth_of(value) is None:
                row = int(np.flatnonzero(column.codes == code)[0])
                table.refuse(row, f'"{name}": expected true or false; found {shown_value(value)}')
        holds = np.array([truth_of(value) is True for value in column.values], dtype=np.intp)
        key = numbered(key * 2 + holds[column.codes])[0]
    codes, first = numbered(key)
    letters = [
        letter_of(name for name in names if truth_of(table.columns[name][row])) for row in first.tolist()
    ]
    return Column(tuple(map(str, range(len(letters)))), codes), letters


# -- The runs of a log -----------------------------------------------------------------------------------

UNTOLD = -1  # a state that the log does not tell


@dataclass(frozen=True, eq=False, kw_only=True)
class LogRuns:
    """R runs of N steps together; states and actions are numbered. Those of run r are `offset[r]` to `[r+1]`.

    `start` is untold where a run begins with an action; of a run's last step, `reached` may be untold.
    """

    source: str
    unit: str
    names: tuple[str, ...] | None  # None: the log is one run
    states: tuple[str, ...]
    actions: tuple[str, ...]
    labels: Mapping[str, str] | None  # by state, where the log tells them; a white one is left out
    offset: Ints  # [R + 1]
    start: Ints  # [R]
    start_line: Ints  # [R]
    action: Ints  # [N]
    reached: Ints  # [N]
    line: Ints  # [N], of the action
    reached_line: Ints  # [N]
    complete: tuple[bool | None, ...]
    by_events: bool = False  # a state is what was done last

    def __len__(self) -> int:
        return len(self.start)

    @property
    def steps(self) -> Ints:
        """Return [R]: how many steps a run has."""
        return np.diff(self.offset)

    def before(self) -> Ints:
        """Return [N]: the state in which each action was taken."""
        found = np.roll(self.reached, 1) if len(self.reached) else self.reached.copy()
        taken = self.steps > 0
        found[self.offset[:-1][taken]] = self.start[taken]
        return found

    def refuse(self, line: int, message: str, run: int | None = None) -> NoReturn:
        """Refuse the log because of a line."""
        whose = "" if run is None or self.names is None else f'run "{self.names[run]}": '
        raise FileError(f"{whose}{message}", place=f"{self.source}: {self.unit} {line}")

    def chosen(self, kept: Bools) -> LogRuns:
        at = np.flatnonzero(kept)
        steps = spans(self.offset, at)
        return replace(
            self,
            names=None if self.names is None else tuple(self.names[run] for run in at),
            offset=np.concatenate([[0], np.cumsum(self.steps[at])]).astype(np.intp),
            start=self.start[at],
            start_line=self.start_line[at],
            action=self.action[steps],
            reached=self.reached[steps],
            line=self.line[steps],
            reached_line=self.reached_line[steps],
            complete=tuple(self.complete[run] for run in at),
        )

    def only(self, names: tuple[str, ...]) -> LogRuns:
        """Return the runs with these names."""
        known = self.names or ()
        if unknown := [name for name in names if name not in known]:
            raise FileError(f'there is no run "{unknown[0]}"; runs: {listing(known)}', place=self.source)
        wanted = set(names)
        return self.chosen(np.array([name in wanted for name in known], dtype=np.bool_))


def runs_of(table: LogRows, layout: Layout) -> LogRuns:
    """Put the rows of a log in order, run by run, and read them as the layout says."""
    action, run = table.column("action"), table.column("run")
    assert action is not None
    if run is None:
        run = Column(("",), np.zeros(len(table), dtype=np.intp))
    else:
        check_told(table, run, "run")
    time = table.column("time")  # else in the order of the file
    keys = (run.codes,) if time is None else (row_times(table, time), run.codes)
    order = np.lexsort(keys)
    owner, action = run.codes[order], Column(action.values, action.codes[order])
    first = np.flatnonzero(np.diff(owner, prepend=-1))  # the first row of each run
    final = np.append(first[1:], len(owner)) - 1
    if layout.last is not None:
        check_told(table, action, "action", order)
        labels: Mapping[str, str] | None
        states, labels, codes = states_of_events(action, first, layout.last)
        outcomes, start = True, np.zeros(len(first), dtype=np.intp)
        begins = np.zeros(len(first), dtype=np.bool_)
    else:
        given = table.column("state")
        assert given is not None
        check_told(table, given, "state")
        labels = labels_of(table, given, layout)
        outcomes, states, codes = layout.rows == "outcomes", given.values, given.codes[order]
        begins = action.is_missing()[first] if outcomes else np.zeros(len(first), dtype=np.bool_)
        start = np.where(begins, codes[first], UNTOLD) if outcomes else codes[first]
    silent = action.is_missing()
    silent[first[begins]] = False
    if not outcomes:
        silent[final] = False
    if silent.any():
        row = int(order[np.flatnonzero(silent)[0]])
        where = "first" if outcomes else "last"
        table.refuse(row, f"the action is missing; only a run's {where} row may be without one")
    taken = ~action.is_missing()
    steps = np.add.reduceat(taken.astype(np.intp), first)
    at = np.flatnonzero(taken)
    lines = table.lines[order]
    reached, reached_at = codes[at], at
    if not outcomes:
        reached_at = np.minimum(at + 1, len(codes) - 1)
        untold = np.isin(at, final)
        reached = np.where(untold, UNTOLD, codes[reached_at])
    return LogRuns(
        source=table.source,
        unit=table.unit,
        names=None if "run" not in table.roles else tuple(run.values[code] for code in owner[first]),
        states=states,
        actions=action.values,
        labels=labels,
        offset=np.concatenate([[0], np.cumsum(steps)]).astype(np.intp),
        start=start,
        start_line=lines[first],
        action=action.codes[at],
        reached=reached,
        line=lines[at],
        reached_line=lines[reached_at],
        complete=endings(table, layout, order[final]),
        by_events=layout.last is not None,
    )


def check_told(table: LogRows, column: Column, role: str, order: Ints | None = None) -> None:
    """Refuse a column in which a cell is empty."""
    missing = column.is_missing()
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        table.refuse(row if order is None else int(order[row]), f"the {role} is missing")


def endings(table: LogRows, layout: Layout, final: Ints) -> tuple[bool | None, ...]:
    """Say of each run whether it is complete, by its last row; None where nobody says."""
    if isinstance(layout.complete, bool):
        return (layout.complete,) * len(final)
    column = table.column("complete")
    if column is None:
        return (None,) * len(final)
    truth = {value: truth_of(value) for value in column.values}
    for row in final.tolist():
        if column[row] and truth[column[row]] is None:
            table.refuse(row, f"complete: expected true or false; found {shown_value(column[row])}")
    return tuple(truth[column[row]] for row in final.tolist())


# -- From a file, or rows in memory, to the runs that they hold -------------------------------------------

FORMATS: tuple[Format, ...] = get_args(Format)
Row = Mapping[str, object] | Sequence[object]


def read_runs(source: str, layout: Layout, log_format: Format | None = None) -> LogRuns:
    """Read the runs of a log; its format is told by the file's ending, or else by its first line."""
    if log_format is not None and log_format not in FORMATS:
        raise InputError(
            f'unknown format "{log_format}"{nearest(log_format, FORMATS)}; known: {", ".join(FORMATS)}'
        )
    kind = log_format or format_by_ending(source)
    if kind != "xes" and kind is not None and layout.lifecycle is not None:
        raise InputError("lifecycle is for XES; other logs have no such thing", place=source)
    if kind == "parquet":
        return runs_of(read_parquet(source, layout), layout)
    lines = Lines(source)
    try:
        kind = kind or format_by_line(lines.first(skip_blank=True)) or "csv"
        if kind == "xes":  # where a state is the last event, and traces are complete, unless told
            last = 1 if layout.state is None and layout.last is None else layout.last
            layout = replace(layout, last=last, complete=layout.complete is None or layout.complete)
        delimiter = "\t" if without_gz(source).lower().endswith(".tsv") else None
        readers: dict[str, Callable[[], LogRows]] = {
            "csv": lambda: read_csv(lines, layout, delimiter),
            "jsonl": lambda: read_json(lines, layout),
            "xes": lambda: read_xes(lines, layout),
        }
        table = readers[kind]()
    finally:
        lines.close()
    return runs_of(table, layout)


def runs_of_rows(rows: Iterable[Row], layout: Layout, source: str = "the log") -> LogRuns:
    """Read the runs of rows in memory: (run, state, action), or mappings from columns to values."""
    given = list(rows)
    if not given:
        raise FileError("there are none", place=source)
    first = given[0]
    named = isinstance(first, Mapping)
    header = [*first] if isinstance(first, Mapping) else ["run", "state", "action", "label"][: len(first)]
    roles = layout.roles([str(name) for name in header], source)
    names = list(dict.fromkeys(name for found in roles.values() for name in found))
    numbers = range(1, len(given) + 1)
    for number, row in zip(numbers, given, strict=True):
        if isinstance(row, Mapping) != named or (not named and len(row) != len(header)):
            told = f"expected {'a mapping' if named else f'{len(header)} cells'}, as in row 1"
            raise FileError(f"{told}; found {shown_value(row)}", place=f"{source}: row {number}")
    reading = GrowingColumns(source, names, "row")
    for name in names:
        at = header.index(name)
        cells = [row.get(name) if isinstance(row, Mapping) else row[at] for row in given]
        reading.add_cells(name, cells, numbers)
    reading.add_lines(numbers)
    return runs_of(reading.table(roles), layout)
