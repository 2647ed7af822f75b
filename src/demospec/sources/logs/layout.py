"""How a log is to be read: its format, its lines, which columns tell what, and what a row is."""

from __future__ import annotations

import gzip
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from operator import length_hint
from typing import BinaryIO, Literal, cast, get_args

from demospec.errors import FileError, InputError
from demospec.wording import file_name, listing, nearest

Rows = Literal["choices", "outcomes"]
ROWS: tuple[Rows, ...] = get_args(Rows)
Roles = dict[str, tuple[str, ...]]

Format = Literal["csv", "jsonl", "parquet", "xes"]
ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xes": "xes",
}
_BEGINNINGS: tuple[tuple[Format, re.Pattern[str]], ...] = (
    ("jsonl", re.compile(r'\s*(\[\s*(["\]]|null)|\{\s*["}])')),
    ("xes", re.compile(r"\s*<(\?xml|log)\b")),
)


def format_by_ending(source: str) -> Format | None:
    """Tell the format of a log by the file's ending."""
    return ENDINGS.get(os.path.splitext(without_gz(source))[1].lower())


def format_by_line(line: str) -> Format | None:
    """Tell the format of a log by its first line; None where that can be anything."""
    return next((kind for kind, begins in _BEGINNINGS if begins.match(line)), None)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Which columns of a log tell what; None is the column that is called as the role is, if there is one.

    A row is one of the `choices`: the state in which an action was chosen, and the action; the state that it
    led to is that of the run's next row. Or it is one of the `outcomes`: an action, and the state that it
    led to. With `last`, there are no states in the log: one is made of the last so many actions.
    """

    run: str | None = None
    time: str | None = None
    state: str | tuple[str, ...] | None = None
    action: str | None = None
    complete: str | bool | None = None
    label: str | tuple[str, ...] | None = None
    rows: Rows = "choices"
    last: int | None = None
    lifecycle: str | None = None  # of XES: only events with this transition

    def __post_init__(self) -> None:
        if self.rows not in ROWS:
            raise InputError(f'rows are "choices" or "outcomes"; found "{self.rows}"')
        if self.last is not None:
            if self.last < 1:
                raise InputError(f"last must be at least 1; found {self.last}")
            for name, given in (("state", self.state), ("label", self.label)):
                if given is not None:
                    raise InputError(f"give {name} or last, not both: states are made of the last actions")

    def named(self, role: str) -> tuple[str, ...]:
        """Return the columns that are named for a role."""
        given = getattr(self, role)
        if given is None or isinstance(given, bool):
            return ()
        return (given,) if isinstance(given, str) else tuple(given)

    def roles(self, header: Sequence[str], place: str) -> Roles:
        """Find the columns in a header; refuse what is named and not there, or is there twice."""
        found: Roles = {}
        for role in ("run", "time", "state", "action", "complete", "label"):
            if role == "state" and self.last is not None:
                continue
            names = self.named(role)
            if not names and (role == "label" or isinstance(getattr(self, role), bool)):
                continue
            if not names and (role in ("state", "action") or role in header):
                names = (role,)
            for name in names:
                position(header, name, place, role="" if self.named(role) else role)
            if names:
                found[role] = names
        return found


def position(header: Sequence[str], name: str, place: str, *, role: str = "") -> int:
    """Return where a column is; refuse a name that is not in the header, or twice."""
    if name not in header:
        told = f"; say which column tells the {role}: {role} = …" if role else ""
        raise FileError(
            f'there is no column "{name}"{nearest(name, header)}; columns: {listing(header)}{told}',
            place=place,
        )
    if header.count(name) > 1:
        raise FileError(f'there are {header.count(name)} columns "{name}"', place=place)
    return header.index(name)


# -- The lines of a file, or of a pipe that goes on; nothing is kept of what has been read ---------------

BLOCK = 1 << 16  # bytes of a file that are read at once
MARK = b"\xef\xbb\xbf"  # the byte order mark that some editors write


class Lines:
    """The lines of a file, or of standard input for `-`, with their ends; `.gz` is unpacked.

    A file is read in blocks, a pipe line by line: each is there before the next is awaited.
    """

    def __init__(self, source: str) -> None:
        self.name = file_name(source)
        self._own = source != "-"
        if self._own:
            try:
                self._file: BinaryIO = open(source, "rb", buffering=BLOCK)  # noqa: SIM115  see `close`
            except OSError as error:
                raise FileError(f"cannot be read: {error.strerror or error}", place=self.name) from None
            except ValueError:
                raise FileError("cannot be read: no file can have that name", place=self.name) from None
        else:
            if sys.stdin is None or sys.stdin.closed:
                raise FileError("is closed", place=self.name)
            self._file = sys.stdin.buffer
        packed = self._own and without_gz(source) != source
        self._stream = cast(BinaryIO, gzip.GzipFile(fileobj=self._file)) if packed else self._file
        self._size = None  # of what has no end yet
        with suppress(OSError):  # a stream without a file behind it
            found = os.fstat(self._file.fileno())
            self._size = found.st_size if stat.S_ISREG(found.st_mode) else None
        self._first: list[str] = []
        self._taken, self._block = 0, iter(list[str]())  # lines of all blocks; what is left of the last one
        self._rest = chain.from_iterable(self._blocks())
        self._waiting = self._stopped = False

    @property
    def live(self) -> bool:
        """Say whether someone may still be writing: a pipe, a terminal."""
        return self._size is None

    @property
    def share(self) -> float:
        """Return how much of a file has been read."""
        return min(1.0, self._file.tell() / self._size) if self._size else 0.0

    @property
    def number(self) -> int:
        """Return the number of the last line, from 1."""
        return self._taken - length_hint(self._block)

    @property
    def place(self) -> str:
        """Return the file and the last line, for a message."""
        return f"{self.name}: line {self.number}"

    def first(self, *, skip_blank: bool = False) -> str:
        """Return the first line, which will be read again; nothing where there is none.

        Blank lines before it are read and left out if they are to be skipped.
        """
        while not self._first or (skip_blank and not self._first[0].strip()):
            self._first = [line] if (line := next(self._rest, None)) is not None else []
            if line is None:
                return ""
        return self._first[0]

    def __iter__(self) -> Iterator[str]:
        return chain(self._first, self._rest) if self._first else self._rest

    def _blocks(self) -> Iterator[Iterator[str]]:
        while raw := self._read():
            if not self._taken and raw[0].startswith(MARK):
                raw[0] = raw[0][len(MARK) :]
            try:
                lines = list(map(bytes.decode, raw))
            except UnicodeDecodeError:
                yield from self._refused(raw)
            self._taken += len(lines)
            self._block = iter(lines)
            yield self._block

    def _refused(self, raw: list[bytes]) -> Iterator[Iterator[str]]:
        """Yield the lines before one that is not text, and then refuse it."""
        for line in raw:
            self._taken += 1
            try:
                yield iter([line.decode()])
            except UnicodeDecodeError as error:
                byte = f"byte {error.start + 1} is {line[error.start]:#04x}"
                raise FileError(f"is not UTF-8 text: {byte}", place=self.place) from None

    def _read(self) -> list[bytes]:
        """Return the next lines of a file, or the next line of a pipe; nothing at the end."""
        if self._stopped:
            raise KeyboardInterrupt
        try:
            if not self.live:
                return self._stream.readlines(BLOCK)
            self._waiting = True
            line = self._stream.readline()
            return [line] if line else []
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise FileError(f"cannot be read: {reason}", place=self.name) from None
        finally:
            self._waiting = False

    def stop(self) -> None:
        """Raise KeyboardInterrupt before more is read: at once if a line is awaited, or if asked again.

        For a signal's handler: what has been read is worked on to its end.
        """
        if self._waiting or self._stopped:
            raise KeyboardInterrupt
        self._stopped = True

    def close(self) -> None:
        """Close a file; standard input is not ours to close."""
        if self._own:
            self._file.close()


def without_gz(source: str) -> str:
    """Return the name of a file without what says that it is packed.

    >>> without_gz("runs.csv.gz"), without_gz("runs.csv")
    ('runs.csv', 'runs.csv')
    """
    return source[:-3] if source.lower().endswith(".gz") else source
