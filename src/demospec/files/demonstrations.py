"""`[[demonstrations]]` that are told in part: what was filled in when they were read."""

from __future__ import annotations

from demospec.errors import count
from demospec.files.log_table import DemonstrationTable
from demospec.files.tables import ProblemDocument


def filled_in(document: ProblemDocument) -> list[str]:
    """Say of each demonstration of a file what was filled in when it was read; nothing where all was told.

    Where a log or a dataset tells of many at once, nothing is said of any.
    """
    tables = [*document.demonstrations, *(one for world in document.worlds for one in world.demonstrations)]
    if any(table.log is not None or table.minari is not None for table in tables):
        return []
    return [_filled(table) for table in tables]


def _filled(table: DemonstrationTable) -> str:
    if table.actions is not None:
        return f"where {count(len(table.actions), 'action')} led"
    if table.cells is not None:
        return f"{count(len(table.cells) - 1, 'action')} between cells"
    return ""
