"""Runs that last: an append-only file from which an interrupted run goes on to the same result.

Every iteration is appended when it is done, and once in a while the whole state of the search. Whatever was
written last may be cut off: what is not whole is dropped, and done again. The records are pickles: go on with
your own runs only.
"""

from __future__ import annotations

import os
import pickle
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from demospec.errors import FileError
from demospec.problem import Problem

NAME = "run.journal"
ASIDE = "run.journal.before"
MAGIC = b"demospec journal 1\n"
HEAD = 12  # bytes: length of the record, and its checksum
SECONDS = 1.0  # between points from which a run can go on


@dataclass(frozen=True)
class Point:
    """Where a run can go on: after so many rows, in the middle of a chain, or at the start of one."""

    rows: int
    chain: int
    state: Any  # of the chain's engine; None before its first iteration
    random: dict[str, Any]  # state of the chain's generator
    best: Any  # the lowest energy so far, over all chains


class Journal:
    """The file of one run."""

    def __init__(self, path: Path, problem: Problem, seed: int, rows: list[Any], point: Point | None) -> None:
        self.path, self.problem, self.seed = path, problem, seed
        self.rows, self.point = rows, point  # what was done before
        self._file: BinaryIO | None = None
        self._marked = time.monotonic()

    @classmethod
    def begin(cls, folder: Path, problem: Problem, seed: int) -> Journal:
        """Start the journal of a new run; that of an unfinished one is put aside, not lost."""
        journal = cls(folder / NAME, problem, seed, [], None)
        try:
            if journal.path.exists():
                os.replace(journal.path, folder / ASIDE)
            journal._file = open(journal.path, "wb")  # noqa: SIM115  kept open as long as the run
            journal._file.write(MAGIC)
            journal._append(("run", problem, seed))
        except OSError as error:
            raise FileError(
                f"cannot be written: {error.strerror or error}", place=str(journal.path)
            ) from None
        return journal

    @classmethod
    def open(cls, folder: Path) -> Journal:
        """Read an unfinished run, drop what was not whole, and get ready to go on."""
        path = folder / NAME
        if not path.is_file():
            raise FileError("holds no unfinished run (no run.journal)", place=str(folder))
        whole = path.read_bytes()
        if not whole.startswith(MAGIC):
            raise FileError("is not a journal of this version of demospec", place=str(path))
        records, at = [], len(MAGIC)
        ends = []
        while at + HEAD <= len(whole):
            length, check = (int.from_bytes(whole[at + k : at + k + 6], "big") for k in (0, 6))
            record = whole[at + HEAD : at + HEAD + length]
            if len(record) < length or zlib.crc32(record) != check:
                break
            at += HEAD + length
            try:
                records.append(pickle.loads(record))
            except Exception as error:  # whatever a class that has changed since makes of it
                raise FileError(
                    f"was written by another version of demospec ({type(error).__name__}: {error})",
                    place=str(path),
                ) from None
            ends.append(at)
        if not records:
            raise FileError("holds nothing yet: start the run again", place=str(path))
        _, problem, seed = records[0]
        points = [k for k, record in enumerate(records) if record[0] == "point"]
        kept = points[-1] if points else 0
        rows = [record[1] for record in records[:kept] if record[0] == "row"]
        journal = cls(path, problem, seed, rows, records[kept][1] if points else None)
        os.truncate(path, ends[kept])
        journal._file = open(path, "ab")  # noqa: SIM115
        return journal

    def row(self, row: Any) -> None:
        """Append one iteration."""
        self._append(("row", row))

    def due(self) -> bool:
        """Say whether it is time for a point: what a crash can cost is about a second of work."""
        return time.monotonic() - self._marked >= SECONDS

    def mark(self, point: Point) -> None:
        """Append a point from which the run can go on, and see it on the disk."""
        self._append(("point", point))
        assert self._file is not None
        os.fsync(self._file.fileno())
        self._marked = time.monotonic()

    def close(self, *, finished: bool) -> None:
        """Close the file; a run that is finished needs none."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if finished:
            self.path.unlink(missing_ok=True)

    def _append(self, record: object) -> None:
        assert self._file is not None
        data = pickle.dumps(record, protocol=pickle.HIGHEST_PROTOCOL)
        self._file.write(len(data).to_bytes(6, "big") + zlib.crc32(data).to_bytes(6, "big") + data)
        self._file.flush()
