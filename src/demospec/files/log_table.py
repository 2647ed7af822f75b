"""Logs in problem files: as demonstrations, and as the source of a world; read and written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from demospec.errors import FileError, InputError, told_within
from demospec.sources.logs.layout import Format, Layout, Rows
from demospec.wording import listing
from demospec.worlds.estimated import CountedMDP
from demospec.worlds.paths import Path, from_actions, from_states, read_path
from demospec.worlds.world import Episode, State, World

if TYPE_CHECKING:
    from demospec.sources.logs.runs import LogRuns

Cell = tuple[int, int]
COLUMNS = ("run", "time", "state", "action", "rows", "last", "lifecycle", "format")  # of a log alone


class LogColumns(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The keys by which a table tells how its log is read: see `Layout`."""

    run: str | None = None
    time: str | None = None
    state: str | list[str] | None = None
    action: str | None = None
    rows: Rows | None = None
    last: int | None = None
    lifecycle: str | None = None
    format: Format | None = None


class DemonstrationTable(LogColumns, forbid_unknown_fields=True, kw_only=True):
    """One of `[[demonstrations]]`: a path, a log of many, or a Minari dataset.

    In the place of `path`, `actions` or `cells` alone where the others follow from them. `word` and
    `accepted` come with what `sample` prints.
    """

    path: list[str | Cell] | None = None
    actions: list[str] | None = None
    cells: list[str | Cell] | None = None
    complete: bool | str | None = None
    start: str | Cell | None = None
    log: str | None = None
    only: list[str] | None = None
    minari: str | None = None
    episodes: list[int] | None = None  # of the dataset, counted from 0; all of them unless given
    word: Any = None
    accepted: Any = None


class CountsTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`world.counts`: a world that was counted from a log, written out."""

    source: str
    runs: int
    left_out: int = 0
    by_events: bool = False
    starts: dict[str, int]
    states: list[str] = []
    actions: list[str] = []
    outcomes: list[tuple[str, str, dict[str, int]]]


class LogTable(LogColumns, forbid_unknown_fields=True, kw_only=True, tag="log", tag_field="kind"):
    """`[world]` with kind "log"."""

    log: str | None = None
    complete: bool | str | None = None
    label: str | list[str] | None = None
    labels: dict[str, str] | Literal["states"] | None = None
    min_count: int = 1
    counts: CountsTable | None = None


def runs_in(table: LogColumns, log: str, folder: FilePath, **rest: Any) -> LogRuns:
    """Read the log of a table."""
    from demospec.sources.logs.runs import read_runs  # readers, which few files need

    told = {name: getattr(table, name) for name in COLUMNS if name != "format"} | rest
    given: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    given |= {name: tuple(one) for name, one in given.items() if isinstance(one, list)}
    layout = Layout(**given)
    return read_runs(log if log == "-" else os.fspath(folder / log), layout, table.format)


def seen_from(table: DemonstrationTable, folder: FilePath) -> DemonstrationTable:
    """Return a table whose log is named from here, as one that a file in a folder could hold."""
    if table.log in (None, "-") or folder.resolve() == FilePath.cwd():
        return table
    assert table.log is not None
    return msgspec.structs.replace(table, log=os.path.abspath(table.log))


# -- demonstrations -----------------------------------------------------------------------------------


def build_demonstrations(
    world: World, tables: Sequence[DemonstrationTable], folder: FilePath
) -> tuple[Path, ...]:
    """Read what was shown in a world: paths, and logs of many."""
    paths: list[Path] = []
    for table in tables:
        number = len(paths) + 1
        if table.minari is not None:
            paths += read_dataset(world, table.minari, table, number)
            continue
        if table.log is None:
            paths.append(build_path(world, table, number))
            continue
        reason = "path or log, not both; a log tells its own states"
        check_keys(table, ("path", "actions", "cells", "start"), number, reason)
        runs = runs_in(table, table.log, folder, complete=table.complete)
        if table.only is not None:
            runs = runs.only(tuple(table.only))
        paths += paths_of(world, runs, number)
    return tuple(paths)


def paths_of(world: World, runs: LogRuns, first: int = 1) -> tuple[Path, ...]:
    """Return the runs of a log as demonstrations in a world, counted from a number."""
    from demospec.sources.log_world import demonstrations_of_runs

    return demonstrations_of_runs(world, runs, first)


def read_dataset(world: World, name: str, table: DemonstrationTable, number: int) -> list[Path]:
    """Read the demonstrations of a Minari dataset."""
    from demospec.sources.gymnasium import GymnasiumWorld  # readers, which few files need
    from demospec.sources.minari import from_minari

    with told_within(f"demonstration {number}"):
        for key in ("path", "actions", "cells", "complete", "start", "log"):
            if getattr(table, key) is not None:
                raise InputError(f"give minari or {key}, not both")
        if not isinstance(world, GymnasiumWorld):
            raise InputError('a Minari dataset needs a world of kind "gymnasium"')
        return from_minari(name, world, episodes=table.episodes)


def build_path(world: World, table: DemonstrationTable, number: int) -> Path:
    """Read a path that is written out: all of it, or actions or cells from which the rest follows."""
    place = f"demonstration {number}"
    told = [key for key in ("path", "actions", "cells") if getattr(table, key) is not None]
    if not told:
        raise FileError('the key "path" is missing', place=place)
    if len(told) > 1:
        raise FileError(f"give {' or '.join(told)}, one of them", place=place)
    check_keys(table, (*COLUMNS, "only"), number, "it tells how a log is read, and there is no log")
    if isinstance(table.complete, str):
        raise FileError(f'complete: expected true or false, found "{table.complete}"', place=place)
    start: State | None = table.start
    path: list[str | State] = [*(table.path or ())]
    if table.actions is not None:
        path = from_actions(world, table.actions, start=start, demonstration=number)
    elif table.cells is not None:
        path = from_states(world, table.cells, start=start, demonstration=number)
        start = table.cells[0]
    return read_path(world, path, complete=table.complete, demonstration=number, start=start)


def check_keys(table: DemonstrationTable, names: Sequence[str], number: int, reason: str) -> None:
    """Refuse keys that do not go with the others."""
    if given := [name for name in names if getattr(table, name) is not None]:
        told = f"the key {listing(given)} is not for this: {reason}"
        raise InputError(told, place=f"demonstration {number}")


# -- worlds -------------------------------------------------------------------------------------------


def build_log_world(
    table: LogTable, folder: FilePath, episode: Episode | None
) -> tuple[CountedMDP, LogRuns | None]:
    """Make the world of a log, and return the runs that it was counted from; none where it is written out."""
    if (table.log is None) == (table.counts is None):
        told = 'give the key "log", the name of a file' if table.log is None else "give log or counts"
        raise InputError(told)
    if table.counts is not None:
        if episode is None:
            raise InputError("a world that is written out says how its episodes end: [episode]")
        written = msgspec.structs.asdict(table.counts)
        labels = table.labels if isinstance(table.labels, dict) else {}
        return CountedMDP.of(written.pop("outcomes"), episode=episode, labels=labels, **written), None
    assert table.log is not None
    runs = runs_in(table, table.log, folder, complete=table.complete, label=table.label)
    from demospec.sources.log_world import counted_world

    return counted_world(runs, episode=episode, labels=table.labels, min_count=table.min_count)


def counted_document(world: CountedMDP, states: Sequence[str], actions: Sequence[str]) -> dict[str, Any]:
    """Return `[world]`: the counts instead of the log, so that the same world is read back."""
    began = zip(world.starts, world.began, strict=True)  # how many runs, by start state
    return {
        "kind": "log",
        "labels": {
            name: label
            for name in states
            if (state := world.find(name)) is not None and (label := world.label(state)) is not None
        },
        "counts": {
            "source": world.source,
            "runs": world.runs,
            "left_out": world.left_out,
            "by_events": world.by_events,
            "starts": {str(world.name(state)): number for (state, _), number in began},
            "states": list(states),
            "actions": list(actions),
            "outcomes": [list(row) for row in world.counted()],
        },
    }
