"""The lines of a file or of a pipe that goes on, one at a time; nothing is read ahead, nothing is kept."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from demospec.errors import FileError
from demospec.files.reading import file_name

BLOCK = 1 << 16


class Lines:
    """The lines of a file, or of standard input for `-`; `number` is that of the last one, from 1."""

    def __init__(self, source: str) -> None:
        self.name, self.number = file_name(source), 0
        self._first: list[str] = []
        self._own = source != "-"
        if self._own:
            try:
                self._stream: BinaryIO = open(source, "rb", buffering=BLOCK)  # noqa: SIM115  see `close`
            except OSError as error:
                raise FileError(f"cannot be read: {error.strerror or error}", place=self.name) from None
            except ValueError:
                raise FileError("cannot be read: no file can have that name", place=self.name) from None
        else:
            if sys.stdin is None or sys.stdin.closed:
                raise FileError("is closed", place=self.name)
            self._stream = sys.stdin.buffer
        self._size = regular_size(self._stream)
        self._waiting = self._stopped = False
        self._rest = self._decoded()

    @property
    def live(self) -> bool:
        """Say whether someone may still be writing: a pipe, a terminal."""
        return self._size is None

    @property
    def share(self) -> float:
        """Return how much of a file has been read."""
        return min(1.0, self._stream.tell() / self._size) if self._size else 0.0

    @property
    def place(self) -> str:
        """Return the file and the line, for a message."""
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

    def _decoded(self) -> Iterator[str]:
        try:
            self._wait()
            for number, raw in enumerate(self._stream, start=1):
                self._waiting = False
                self.number = number
                yield raw.decode() if number > 1 else raw.decode("utf-8-sig")
                self._wait()
        except UnicodeDecodeError as error:
            raise FileError(
                f"is not UTF-8 text: byte {error.start + 1} is {error.object[error.start]:#04x}",
                place=self.place,
            ) from None
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", place=self.name) from None
        finally:
            self._waiting = False

    def _wait(self) -> None:
        self._waiting = True
        if self._stopped:
            raise KeyboardInterrupt

    def stop(self) -> None:
        """Raise KeyboardInterrupt before the next line: at once if it is awaited, or if asked again.

        For a signal's handler: what has been read is worked on to its end.
        """
        if self._waiting or self._stopped:
            raise KeyboardInterrupt
        self._stopped = True

    def close(self) -> None:
        """Close a file; standard input is not ours to close."""
        if self._own:
            self._stream.close()


def regular_size(stream: BinaryIO) -> int | None:
    """Return the size of a regular file in bytes; None for what has no end yet."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # a stream without a file behind it
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
