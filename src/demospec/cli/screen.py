"""What people read of a command: as wide as the terminal, with colours where it has them, else plain.

`NO_COLOR` and `TERM=dumb` are honoured. What is not a terminal gets lines of 80 columns, and the package rich
is not loaded for it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

import click

from demospec.report.as_text import as_text
from demospec.report.blocks import Block, Tone
from demospec.report.layout import lines_of

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
