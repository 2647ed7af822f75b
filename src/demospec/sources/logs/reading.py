"""From a file to the runs that it holds, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from demospec.errors import FileError, InputError
from demospec.sources.logs.csv_rows import read_csv
from demospec.sources.logs.json_rows import Reading, read_json
from demospec.sources.logs.layout import (
    Format,
    Layout,
    Lines,
    format_by_ending,
    format_by_line,
    without_gz,
)
from demospec.sources.logs.parquet import read_parquet
from demospec.sources.logs.runs import Runs, runs_of
from demospec.sources.logs.table import Table
from demospec.sources.logs.xes import read_xes
from demospec.wording import nearest, shown

FORMATS: tuple[Format, ...] = get_args(Format)
Row = Mapping[str, object] | Sequence[object]


def read_runs(source: str, layout: Layout, log_format: Format | None = None) -> Runs:
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
        if kind == "xes":
            layout = of_events(layout)
        delimiter = "\t" if without_gz(source).lower().endswith(".tsv") else None
        readers: dict[str, Callable[[], Table]] = {
            "csv": lambda: read_csv(lines, layout, delimiter),
            "jsonl": lambda: read_json(lines, layout),
            "xes": lambda: read_xes(lines, layout),
        }
        table = readers[kind]()
    finally:
        lines.close()
    return runs_of(table, layout)


def of_events(layout: Layout) -> Layout:
    """Return what is usual for XES: a state is the last event, and traces are complete."""
    if layout.state is None and layout.last is None:
        layout = replace(layout, last=1)
    return layout if layout.complete is not None else replace(layout, complete=True)


def runs_of_rows(rows: Iterable[Row], layout: Layout, source: str = "the log") -> Runs:
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
            raise FileError(f"{told}; found {shown(row)}", place=f"{source}: row {number}")
    reading = Reading(source, names, "row")
    for name in names:
        at = header.index(name)
        cells = [row.get(name) if isinstance(row, Mapping) else row[at] for row in given]
        reading.add_cells(name, cells, numbers)
    reading.add_lines(numbers)
    return runs_of(reading.table(roles), layout)
