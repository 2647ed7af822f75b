"""Runs that last: an append-only file from which an interrupted run goes on to the same result.

Every iteration is appended when it is done, and once in a while where all chains are. Whatever was written
last may be cut off: what is not whole is dropped, and done again. Now and then the file is written anew
without the points that later ones made useless. The records are pickles: go on with your own runs only.
"""

from __future__ import annotations

import os
import pickle
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from demospec.errors import FileError
from demospec.problem import Problem

NAME = "run.journal"
ASIDE = "run.journal.before"
ANEW = ".run.journal.anew"
MAGIC = b"demospec journal 3\n"
HEAD = 13  # bytes: kind of the record, its length, and its checksum
RUN, ROW, POINT = b"R", b"r", b"p"
SECONDS = 1.0  # between points from which a run can go on, at least
SHARE = 0.05  # of the time that writing points may take, at most
USELESS = 1 << 26  # bytes of earlier points for which the file is written anew, if they are most of it


@dataclass(frozen=True)
class Point:
    """Where a run can go on: after so many rows, with every chain at its place."""

    rows: int
    upto: int  # iterations that each chain makes until the end of the round that is under way
    places: tuple[Any, ...]  # of the chains
    seconds: float  # used so far


class Journal:
    """The file of one run."""

    def __init__(self, path: Path, problem: Problem, seed: int, rows: list[Any], point: Point | None) -> None:
        self.path, self.problem, self.seed = path, problem, seed
        self.rows, self.point = rows, point  # what was done before
        self._file: BinaryIO | None = None
        self._marked, self._wait = time.monotonic(), SECONDS
        self._useful = self._useless = self._last = 0  # bytes: of rows, of earlier points, of the last point

    @classmethod
    def begin(cls, folder: Path, problem: Problem, seed: int) -> Journal:
        """Start the journal of a new run; that of an unfinished one is put aside, not lost."""
        journal = cls(folder / NAME, problem, seed, [], None)
        try:
            if journal.path.exists():
                os.replace(journal.path, folder / ASIDE)
            journal._file = open(journal.path, "wb")  # noqa: SIM115  kept open as long as the run
            journal._file.write(MAGIC)
            journal._append(RUN, (problem, seed))
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
            over = (folder / "result.json").is_file()
            raise FileError(
                f"holds no unfinished run (no {NAME}{'; result.json is there' if over else ''})",
                place=str(folder),
            )
        whole = path.read_bytes()
        if not whole.startswith(MAGIC):
            raise FileError("is not a journal of this version of demospec", place=str(path))
        found = list(records(whole))
        if not found:
            raise FileError("holds nothing yet: start the run again", place=str(path))
        points = [k for k, (kind, _, _) in enumerate(found) if kind == POINT]
        kept = points[-1] if points else 0
        try:
            problem, seed = pickle.loads(whole[slice(*found[0][1:])])
            rows = [pickle.loads(whole[at:end]) for kind, at, end in found[:kept] if kind == ROW]
            point = pickle.loads(whole[slice(*found[kept][1:])]) if points else None
        except Exception as error:  # whatever a class that has changed since makes of it
            raise FileError(
                f"was written by another version of demospec ({type(error).__name__}: {error})",
                place=str(path),
            ) from None
        journal = cls(path, problem, seed, rows, point)
        os.truncate(path, found[kept][2])
        journal._file = open(path, "ab")  # noqa: SIM115
        return journal

    def row(self, row: Any) -> None:
        """Append one iteration."""
        self._useful += self._append(ROW, row)

    def due(self) -> bool:
        """Say whether it is time for a point: what a crash can cost is about a second of work."""
        return time.monotonic() - self._marked >= self._wait

    def mark(self, point: Point) -> None:
        """Append a point from which the run can go on, and see it on the disk."""
        began = time.monotonic()
        self._useless += self._last
        self._last = self._append(POINT, point)
        if self._useless > max(USELESS, self._useful + self._last):
            self._write_anew()
        assert self._file is not None
        os.fsync(self._file.fileno())
        self._marked = time.monotonic()
        self._wait = max(SECONDS, (self._marked - began) / SHARE) if SECONDS else 0.0

    def close(self, *, finished: bool) -> None:
        """Close the file; a run that is finished needs none."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if finished:
            self.path.unlink(missing_ok=True)

    def _append(self, kind: bytes, record: object) -> int:
        assert self._file is not None
        data = pickle.dumps(record, protocol=pickle.HIGHEST_PROTOCOL)
        self._file.write(kind + len(data).to_bytes(6, "big") + zlib.crc32(data).to_bytes(6, "big") + data)
        self._file.flush()
        return HEAD + len(data)

    def _write_anew(self) -> None:
        """Leave out all points but the last; a crash leaves the file as it was, or as it will be."""
        assert self._file is not None
        whole = self.path.read_bytes()
        found = list(records(whole))
        last = max(k for k, (kind, _, _) in enumerate(found) if kind == POINT)
        anew = self.path.with_name(ANEW)
        file = open(anew, "wb")  # noqa: SIM115  it becomes the journal
        file.write(MAGIC)
        for number, (kind, at, end) in enumerate(found):
            if kind != POINT or number == last:
                file.write(whole[at - HEAD : end])
        file.flush()
        os.fsync(file.fileno())
        self._file.close()
        os.replace(anew, self.path)
        self._file, self._useless = file, 0


def records(whole: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield kind, begin and end of each record up to the first that is not whole."""
    at = len(MAGIC)
    while at + HEAD <= len(whole):
        length, check = (int.from_bytes(whole[at + k : at + k + 6], "big") for k in (1, 7))
        begin, end = at + HEAD, at + HEAD + length
        if end > len(whole) or zlib.crc32(whole[begin:end]) != check:
            return
        yield whole[at : at + 1], begin, end
        at = end
