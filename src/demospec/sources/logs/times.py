"""Times in logs: numbers, or dates as ISO 8601 writes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from demospec.errors import shown
from demospec.sources.logs.table import Column, Table
from demospec.worlds.mdp import Floats


def number(text: str) -> float | None:
    """Read a time that is a number."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def date(text: str) -> float | None:
    """Read a time that is a date, as seconds; one without a time zone is in UTC.

    >>> date("1970-01-02"), date("1970-01-01T01:00:00.5+01:00"), date("soon")
    (86400.0, 0.5, None)
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def times(table: Table, column: Column) -> Floats:
    """Return [N]: the time of each row; refuse a column that is not all numbers, or all dates."""
    reads: Callable[[str], float | None] = number
    found = [reads(value) for value in column.values]
    if found and found[0] is None:
        reads = date
        found = [reads(value) for value in column.values]
    if None in found:
        row = int(np.flatnonzero(column.codes == found.index(None))[0])
        first = found.index(None) == 0
        told = "a number, or a date such as 2024-05-01T12:30:00"
        if not first:
            told = f"{'a number' if reads is number else 'a date'}, as in {table.unit} {table.lines[0]}"
        table.refuse(row, f"time: expected {told}; found {shown(column[row])}")
    return np.array(found, dtype=np.float64)[column.codes]
