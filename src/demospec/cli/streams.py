"""The standard streams of a command: UTF-8 everywhere, text that people can read, and what fails on them.

What people read of a command: as wide as the terminal, with colours where it has them, else plain.

`NO_COLOR` and `TERM=dumb` are honoured. What is not a terminal gets lines of 80 columns, and the package rich
is not loaded for it.
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


# -- What people read of a command -----------------------------------------------------------------------

WIDTH = 80  # of what is not a terminal
# Colours of the terminal's own palette that can be read on light and on dark.
STYLES: dict[Tone, str] = {"strong": "bold", "faint": "dim", "warning": "bold red", "command": "magenta"}


def show(blocks: Sequence[Block]) -> None:
    """Print a report."""
    if not is_terminal():
        click.echo(as_text(blocks, WIDTH))
    elif has_colours():
        _show_in_colours(blocks)
    else:
        click.echo(as_text(blocks, terminal_width()))


def is_terminal() -> bool:
    """Say whether somebody reads standard output as it comes."""
    return sys.stdout is not None and sys.stdout.isatty()


def has_colours() -> bool:
    """Say whether colours are wanted: not with `NO_COLOR`, nor where the terminal is said to be dumb."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    """Return how many columns there are."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def _show_in_colours(blocks: Sequence[Block]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines_of(blocks, terminal_width()):
        console.print(Text.assemble(*((span.text, STYLES.get(span.tone, "")) for span in line)))
