"""The standard streams of a command: UTF-8 everywhere, text that people can read, and what fails on them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

import click

from demospec.readable import readable


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text for people; what it quotes cannot steer the terminal."""
    click.echo(readable(text), err=err, nl=nl)


class Forgiving:
    """Standard error that may be full or gone: what cannot be written there is dropped, and nothing else."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, or give the stream up."""
        try:
            return self._stream.write(text)
        except OSError:
            give_up(2)
            return len(text)

    def flush(self) -> None:
        """Flush, or give the stream up."""
        try:
            self._stream.flush()
        except OSError:
            give_up(2)


def give_up(descriptor: int) -> None:
    """Let what is still to be written to a stream go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Make the streams what every command relies on.

    JSON and TOML are UTF-8 wherever they are written, whatever the terminal's language is.
    """
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    before = sys.stderr
    if before is not None:  # closed by who started us
        sys.stderr = cast(TextIO, Forgiving(before))
    try:
        yield
    finally:
        sys.stderr = before
