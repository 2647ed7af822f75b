"""The one door to the terminal: text and reports for people, UTF-8 everywhere, and what fails on the streams.

Reports are as wide as the terminal, with colours where it has them; `NO_COLOR` and `TERM=dumb` are honoured.
What is not a terminal gets plain lines of 80 columns.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO, cast

import click

from demospec.readable import readable
from demospec.report.blocks import Block, Tone, as_text, lines_of

WIDTH = 80  # of what is not a terminal
# Of the terminal's own palette, what can be read on light and on dark: bold, dim, bold red, magenta.
CODES: dict[Tone, str] = {"strong": "1", "faint": "2", "warning": "1;31", "command": "35"}


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


def show_report(blocks: Sequence[Block]) -> None:
    """Print a report."""
    if sys.stdout is None or not sys.stdout.isatty():
        click.echo(as_text(blocks, WIDTH))
        return
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        click.echo(as_text(blocks, width))
        return
    for line in lines_of(blocks, width):
        spans = ((CODES.get(span.tone), span.text) for span in line)
        click.echo("".join(f"\x1b[{code}m{text}\x1b[0m" if code else text for code, text in spans))
