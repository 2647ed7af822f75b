"""`[[demonstrations]]`: whole paths, or actions or cells alone, where the others follow from them."""

from __future__ import annotations

from demospec.errors import DemonstrationError, count
from demospec.files.tables import DemonstrationTable, ProblemDocument
from demospec.worlds.filling import from_actions, from_states
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import State, World


def read_demonstration(world: World, table: DemonstrationTable, number: int) -> Path:
    """Read a demonstration and check it against the world."""
    told = [key for key in ("path", "actions", "cells") if getattr(table, key) is not None]
    if not told:
        raise DemonstrationError('the key "path" is missing', demonstration=number)
    if len(told) > 1:
        raise DemonstrationError(f"give {' or '.join(told)}, one of them", demonstration=number)
    start: State | None = table.start
    path: list[str | State] = [*(table.path or ())]
    if table.actions is not None:
        path = from_actions(world, table.actions, start=start, demonstration=number)
    elif table.cells is not None:
        path = from_states(world, table.cells, start=start, demonstration=number)
        start = table.cells[0]
    return read_path(world, path, complete=table.complete, demonstration=number, start=start)


def filled_in(document: ProblemDocument) -> list[str]:
    """Say of each demonstration of a file what was filled in when it was read; nothing where all was told."""
    tables = [*document.demonstrations, *(one for world in document.worlds for one in world.demonstrations)]
    return [_filled(table) for table in tables]


def _filled(table: DemonstrationTable) -> str:
    if table.actions is not None:
        return f"where {count(len(table.actions), 'action')} led"
    if table.cells is not None:
        return f"{count(len(table.cells) - 1, 'action')} between cells"
    return ""
