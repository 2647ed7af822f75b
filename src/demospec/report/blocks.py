"""A report as a sequence of blocks: written once, shown as text in a terminal and as HTML on a page.

Blocks hold plain text, never markup, and no sign that would steer a terminal: those are shown escaped. A
figure is drawn when a page is made, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Union

from demospec.readable import readable

Tone = Literal["", "strong", "faint", "warning", "command"]  # how text looks, where looks can differ

Block = Union[
    "Heading",
    "Paragraph",
    "Advice",
    "Together",
    "Items",
    "Facts",
    "Table",
    "Figure",
    "SideBySide",
    "Preformatted",
    "Section",
    "OnPage",
    "InTerminal",
]


class Readable:
    """A block whose texts are made readable when it is made: whoever shows it need not think of it."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # each of those below is a dataclass
            object.__setattr__(self, field.name, _made_readable(getattr(self, field.name)))


def _made_readable(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list | tuple):
        return type(value)(map(_made_readable, value))
    return value


@dataclass(frozen=True)
class Heading(Readable):
    """The title of a whole report."""

    text: str


@dataclass(frozen=True)
class Paragraph(Readable):
    """One or more sentences."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Advice(Readable):
    """What to do, and the command that does it: a line that can be pasted, and is never broken."""

    text: str
    command: str


@dataclass(frozen=True)
class Together:
    """Blocks that belong together: no empty line between two of them."""

    blocks: Sequence[Block]


@dataclass(frozen=True)
class Items(Readable):
    """A list; an entry is a sentence, or blocks that belong together."""

    entries: Sequence[str | Sequence[Block]]
    numbered: bool = False


@dataclass(frozen=True)
class Facts(Readable):
    """Names, each with what is to be said about it: a text, or lines of text."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table(Readable):
    """A table; a cell is text or a figure.

    `align` has a letter for each column: l for left, r for right; c is left too, for code, which is never
    broken. Without it all but the last go to the right. The note explains the columns.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str | Figure]]
    align: str = ""
    note: str = ""

    @property
    def columns(self) -> str:
        """Return the letter of each column."""
        return self.align or "r" * (len(self.header) - 1) + "l"


@dataclass(frozen=True)
class Figure(Readable):
    """A picture, drawn when it is needed, as SVG; and what a terminal shows instead, if anything."""

    draw: Callable[[], str]
    text: str = ""


@dataclass(frozen=True)
class SideBySide:
    """Figures in a row, as far as the page is wide."""

    figures: Sequence[Figure]


@dataclass(frozen=True)
class Preformatted(Readable):
    """Text whose lines and spaces stay as they are."""

    text: str


@dataclass(frozen=True)
class Section(Readable):
    """Blocks under a title; where nothing in it can be shown, the title is not shown either."""

    title: str
    blocks: Sequence[Block]
    level: int = 3


@dataclass(frozen=True)
class OnPage:
    """Blocks for the page alone."""

    blocks: Sequence[Block]


@dataclass(frozen=True)
class InTerminal:
    """Blocks for the terminal alone."""

    blocks: Sequence[Block]
