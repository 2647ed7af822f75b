"""One process at a time: a lock on a folder that goes when its holder is gone, however it went."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from demospec.errors import FileError

NAME = ".run.lock"

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
        self._file: IO[str] | None = file
        self._path = path

    @classmethod
    def take(cls, folder: Path) -> Lock:
        """Hold a folder; refuse where another run holds it."""
        path = folder / NAME
        while True:
            try:
                file = open(path, "a+", encoding="utf-8")  # noqa: SIM115  held as long as the run
            except OSError as error:
                raise FileError(f"cannot be written: {error.strerror or error}", place=str(path)) from None
            try:
                _lock(file)
            except OSError:
                file.seek(0)
                holder = file.read().strip()
                file.close()
                who = f"process {holder}" if holder.isdigit() else "another process"
                raise FileError(f"{who} is working on a run in this folder", place=str(folder)) from None
            if _is_at(file, path):
                break
            file.close()  # its last holder has just removed it: take the next one
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        return cls(file, path)

    def release(self) -> None:
        """Let the folder go."""
        if self._file is not None:
            with suppress(OSError):  # some systems do not remove a file that is open
                self._path.unlink()
            self._file.close()
            self._file = None


def _is_at(file: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False
