"""One process at a time: a lock on a folder that goes when its holder is gone, however it went.

Runs that last: an append-only file from which an interrupted run goes on to the same result.

Every iteration is appended when it is done, and once in a while where all chains are. Whatever was written
last may be cut off: what is not whole is dropped, and done again. Each record carries its number and a
checksum over itself and all records before it, so that one that was changed, dropped, repeated or moved ends
what is read. Now and then the file is written anew without the points that later ones made useless. Only one
process at a time works on a folder. Records are typed (`records.py`): nothing in them is executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import msgspec
import numpy as np

from demospec import __version__, native
from demospec.errors import FileError
from demospec.files import ProblemDocument, build_problem, convert
from demospec.files.writing import problem_document
from demospec.limits import JOURNAL_BYTES
from demospec.problem import Problem
from demospec.runs import records
from demospec.runs.result import NOT_TYPED, Point, Row, Source

LOCK = ".run.lock"

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """A folder that is held by this process."""

    def __init__(self, file: IO[str], path: Path) -> None:
        self._file, self._path = file, path

    @classmethod
    def take(cls, folder: Path) -> Lock:
        """Hold a folder; refuse where another run holds it."""
        path = folder / LOCK
        while True:
            with writing(path):
                file = open(path, "a+", encoding="utf-8")  # noqa: SIM115  held as long as the run
            try:
                _lock(file)
            except OSError:
                file.seek(0)
                holder = file.read().strip()
                file.close()
                who = f"process {holder}" if holder.isdigit() else "another process"
                raise FileError(f"{who} is working on a run in this folder", place=str(folder)) from None
            with suppress(OSError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    break
            file.close()  # its last holder has just removed it: take the next one
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        return cls(file, path)

    def release(self) -> None:
        """Let the folder go."""
        with suppress(OSError):  # some systems do not remove a file that is open
            self._path.unlink()
        self._file.close()


# -- Runs that last --------------------------------------------------------------------------------------

JOURNAL = "run.journal"
ASIDE = "run.journal.before"
ANEW = ".run.journal.anew"
MAGIC = b"demospec journal 4\n"
DIGEST = 16  # bytes of a checksum
HEAD = 1 + 8 + 8 + DIGEST  # kind of the record, its number, its length, its checksum
RUN, ROW, POINT = b"R", b"r", b"p"
SECONDS = 1.0  # between points from which a run can go on, at least
SHARE = 0.05  # of the time that writing points may take, at most
USELESS = 1 << 26  # bytes of earlier points for which the file is written anew, if they are most of it


def environment() -> dict[str, str]:
    """Return what the bytes of a result depend on besides problem and seed."""
    return {
        "demospec": __version__,
        "NumPy": np.__version__,
        "the compiled library": "not in use" if native.library() is None else "in use",
        "a processor": platform.machine(),
    }


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell which file cannot be written: a full disk, a folder that may only be read."""
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", place=str(path)) from None


class Head(NamedTuple):
    """What a run is about."""

    problem: Problem
    seed: int
    source: Source  # as it was typed: it is told, and no file is opened for it


class Journal:
    """The file of one run. Whoever has one has the folder for itself until `close`."""

    def __init__(
        self, folder: Path, lock: Lock, head: Head, rows: Sequence[Row] = (), point: Point | None = None
    ) -> None:
        self.folder, self.path = folder, folder / JOURNAL
        self.problem, self.seed, self.source = head
        self.rows, self.point = list(rows), point  # what was done before
        self._lock = lock
        self._file: BinaryIO | None = None
        self._number, self._chain = 0, b""  # of the next record, and the checksum of the last
        self._marked, self._wait = time.monotonic(), SECONDS
        self._useful = self._useless = self._last = 0  # bytes: of rows, of earlier points, of the last point

    @classmethod
    def begin(cls, folder: Path, problem: Problem, seed: int, source: Source = NOT_TYPED) -> Journal:
        """Start the journal of a new run; that of an unfinished one is put aside, not lost."""
        document = problem_document(problem)
        lock = Lock.take(folder)
        try:
            journal = cls(folder, lock, Head(problem, seed, source))
            with writing(journal.path):
                if journal.path.exists():
                    os.replace(journal.path, folder / ASIDE)
                journal._file = open(journal.path, "wb")  # noqa: SIM115  kept open as long as the run
                journal._file.write(MAGIC)
                typed = json.dumps(asdict(source))  # in ASCII: names of files need not be Unicode
                run = {"environment": environment(), "seed": seed, "problem": document, "source": typed}
                journal._append(RUN, msgspec.json.encode(run))
            return journal
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, folder: Path) -> Journal:
        """Read an unfinished run, drop what was not whole, and get ready to go on."""
        path = folder / JOURNAL
        if not path.is_file():
            over = (folder / "result.json").is_file()
            raise FileError(
                f"holds no unfinished run (no {JOURNAL}{'; result.json is there' if over else ''})",
                place=str(folder),
            )
        lock = Lock.take(folder)
        try:
            return cls._read(folder, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _read(cls, folder: Path, lock: Lock) -> Journal:
        path = folder / JOURNAL
        try:
            with path.open("rb") as file:
                whole = file.read(JOURNAL_BYTES + 1)
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", place=str(path)) from None
        if len(whole) > JOURNAL_BYTES:
            raise FileError(f"holds more than {JOURNAL_BYTES >> 30} GiB", place=str(path))
        if not whole.startswith(MAGIC):
            raise FileError("is not a journal of this version of demospec", place=str(path))
        found = list(whole_records(whole))
        if not found or found[0].kind != RUN:
            raise FileError("holds nothing yet: start the run again", place=str(path))
        points = [k for k, record in enumerate(found) if record.kind == POINT]
        kept = points[-1] if points else 0
        try:
            head = read_head(found[0].data(whole))
            rows = [records.loads(Row, record.data(whole)) for record in found[:kept] if record.kind == ROW]
            point = records.loads(Point, found[kept].data(whole)) if points else None
        except FileError as error:
            raise error.within(str(path)) from None
        journal = cls(folder, lock, head, rows, point)
        journal._number, journal._chain = kept + 1, found[kept].digest
        with writing(path):
            os.truncate(path, found[kept].end)
            journal._file = open(path, "ab")  # noqa: SIM115
        return journal

    def row(self, row: Row) -> None:
        """Append one iteration."""
        with writing(self.path):
            self._useful += self._append(ROW, records.dumps(row))

    def due(self) -> bool:
        """Say whether it is time for a point: what a crash can cost is about a second of work."""
        return time.monotonic() - self._marked >= self._wait

    def mark(self, point: Point) -> None:
        """Append a point from which the run can go on, and see it on the disk."""
        began = time.monotonic()
        with writing(self.path):
            self._useless += self._last
            self._last = self._append(POINT, records.dumps(point))
            if self._useless > max(USELESS, self._useful + self._last):
                self._write_anew()
            assert self._file is not None
            os.fsync(self._file.fileno())
        self._marked = time.monotonic()
        self._wait = max(SECONDS, (self._marked - began) / SHARE) if SECONDS else 0.0

    def close(self, *, finished: bool) -> None:
        """Close the file; a run that is finished needs none. The folder is free again."""
        if self._file is None:
            return
        with suppress(OSError):  # what is not written by now never will be; what was not whole is dropped
            self._file.close()
        self._file = None
        try:
            if finished:
                with writing(self.path):
                    self.path.unlink(missing_ok=True)
        finally:
            self._lock.release()

    def _append(self, kind: bytes, data: bytes) -> int:
        assert self._file is not None
        head, self._chain = head_of(kind, self._number, self._chain, data)
        self._file.write(head + data)
        self._file.flush()
        self._number += 1
        return HEAD + len(data)

    def _write_anew(self) -> None:
        """Leave out all points but the last; a crash leaves the file as it was, or as it will be."""
        assert self._file is not None
        whole = self.path.read_bytes()
        found = list(whole_records(whole))
        last = max(k for k, record in enumerate(found) if record.kind == POINT)
        anew = self.path.with_name(ANEW)
        file = open(anew, "wb")  # noqa: SIM115  it becomes the journal
        file.write(MAGIC)
        self._number, self._chain = 0, b""
        old, self._file = self._file, file
        for number, record in enumerate(found):
            if record.kind != POINT or number == last:
                self._append(record.kind, record.data(whole))
        os.fsync(file.fileno())
        old.close()
        os.replace(anew, self.path)
        self._useless = 0


@dataclass(frozen=True)
class Record:
    """A record of a journal: where its data begin and end."""

    kind: bytes
    digest: bytes
    begin: int
    end: int

    def data(self, whole: bytes) -> bytes:
        return whole[self.begin : self.end]


def head_of(kind: bytes, number: int, before: bytes, data: bytes) -> tuple[bytes, bytes]:
    """Return the head of a record, and its checksum over itself, the data, and all records before."""
    plain = kind + number.to_bytes(8, "big") + len(data).to_bytes(8, "big")
    digest = hashlib.blake2b(before + plain + data, digest_size=DIGEST).digest()
    return plain + digest, digest


def whole_records(whole: bytes) -> Iterator[Record]:
    """Yield the records up to the first that is not whole, or not what was written."""
    at, before, number = len(MAGIC), b"", 0
    while at + HEAD <= len(whole):
        kind, length = whole[at : at + 1], int.from_bytes(whole[at + 9 : at + 17], "big")
        begin, end = at + HEAD, at + HEAD + length
        if end > len(whole):
            return
        head, before = head_of(kind, number, before, whole[begin:end])
        if head != whole[at:begin]:
            return
        yield Record(kind, before, begin, end)
        at, number = end, number + 1


def read_head(data: bytes) -> Head:
    """Return what a run is about; refuse one that would go on to other bytes here."""
    try:
        head: Any = msgspec.json.decode(data)
        there = msgspec.convert(head["environment"], dict[str, str])
        seed, source = msgspec.convert(head["seed"], int), msgspec.convert(json.loads(head["source"]), Source)
    except (msgspec.MsgspecError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileError(f"its first record is not what it should be ({error})") from None
    here = environment()
    different = [name for name in here if there.get(name) != here[name]]
    if different:
        told = (f"{name} {there.get(name)}, now {here[name]}" for name in different)
        raise FileError(
            f"was begun elsewhere: {'; '.join(told)}. The result would not be the same; "
            "go on there, or start again"
        )
    document = convert(head["problem"], ProblemDocument, "problem")
    for name in ("implies", "implied_by"):
        if isinstance(getattr(document.task, name), str):
            raise FileError(f"problem: task.{name} names a file; a journal holds the task itself")
    return Head(build_problem(document, Path("/nowhere")), seed, source)
