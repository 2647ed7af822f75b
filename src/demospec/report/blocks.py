"""A report as a sequence of blocks: written once, shown as text in a terminal and as HTML on a page.

Blocks hold plain text, never markup, and no sign that would steer a terminal: those are shown escaped. A
figure is drawn when a page is made, and not before.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, Union

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


# -- blocks as lines of a given width -------------------------------------------------------------------

HANGING = 2  # columns, where a line of a list goes on
DRAWING = 10  # columns, where a line of a drawing goes on
LEAST = 14  # columns that a column of text keeps
BELOW = 4  # columns before code that goes below its row
GAP = "  "  # between the columns of a table
TIED = "\u00a0"  # a blank at which no line is broken


class Span(NamedTuple):
    """A part of a line, and how it looks."""

    text: str
    tone: Tone = ""


Line = tuple[Span, ...]


def lines_of(blocks: Sequence[Block], width: int | None = None) -> list[Line]:
    """Return the lines of blocks, with an empty line between two of them; without a width none is broken."""
    found: list[Line] = []
    for lines in (_lines(block, width) for block in blocks):
        found += [(), *lines] if found and lines else lines
    return found


def _together(blocks: Sequence[Block], width: int | None) -> list[Line]:
    return [line for block in blocks for line in _lines(block, width)]


def _lines(block: Block, width: int | None) -> list[Line]:
    match block:
        case Heading():
            return _text(block.text, width, tone="strong")
        case Paragraph():
            return _text(block.text, width, tone=block.tone)
        case Advice():
            return _advice(block, width)
        case Together():
            return _together(block.blocks, width)
        case Preformatted():
            return [(Span(line),) for line in block.text.split("\n")] if block.text else []
        case Figure():
            return _text(block.text, width, hanging=DRAWING)
        case Items():
            return _items(block, width)
        case Facts():
            return _facts(block, width)
        case Table():
            return _table(block, width)
        case Section():
            inner = lines_of(block.blocks, width)
            return [(Span(block.title, "strong"),), *inner] if inner else []
        case SideBySide(shown) | InTerminal(shown):
            return lines_of(shown, width)
        case OnPage():
            return []


def wrapped(text: str, width: int | None, hanging: int = 0) -> list[str]:
    """Break a text into lines; what goes on is indented. A share stays on the line of its number.

    >>> wrapped("reach y (97 %) and go", 13, 2)
    ['reach y', '  (97 %) and', '  go']
    """
    if width is None:
        return text.split("\n")
    found = []
    for line in text.split("\n"):
        parts = textwrap.wrap(
            line.replace(" %", f"{TIED}%"),
            max(width, hanging + 1),
            subsequent_indent=" " * hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        found += [part.replace(f"{TIED}%", " %") for part in parts] or [""]
    return found


def _text(text: str, width: int | None, *, hanging: int = 0, tone: Tone = "") -> list[Line]:
    return [(Span(line, tone),) for line in wrapped(text, width, hanging)] if text else []


def _advice(advice: Advice, width: int | None) -> list[Line]:
    command = Span(advice.command, "command")
    *before, last = wrapped(advice.text, width)
    if width is not None and len(last) + 1 + len(advice.command) > width:
        return [*_text(advice.text, width), (Span(" " * HANGING), command)]
    return [*((Span(line),) for line in before), (Span(f"{last} "), command)]


def _items(items: Items, width: int | None) -> list[Line]:
    indent = len(str(len(items.entries))) + 2 if items.numbered else 0
    inner = None if width is None else width - indent
    entries = [
        _text(entry, inner, hanging=0 if items.numbered else HANGING)
        if isinstance(entry, str)
        else _together(entry, inner)
        for entry in items.entries
    ]
    loose = any(not isinstance(entry, str) and len(_together(entry, None)) > 1 for entry in items.entries)
    found: list[Line] = []
    for number, entry in enumerate(entries, start=1):
        if loose and found:
            found.append(())
        starts = [f"{number}.".ljust(indent), *[" " * indent] * (len(entry) - 1)]
        marked: list[Line] = [(Span(start), *line) for start, line in zip(starts, entry, strict=False)]
        found += marked if items.numbered else entry
    return found


def _facts(facts: Facts, width: int | None) -> list[Line]:
    name_width = max((len(name) for name, _ in facts.pairs), default=0) + len(GAP)
    inner = None if width is None else max(width - name_width, LEAST)
    found: list[Line] = []
    for name, told in facts.pairs:
        parts = wrapped(told, inner, hanging=HANGING if "\n" in told else 0)
        for number, part in enumerate(parts):
            found.append((Span((name if number == 0 else "").ljust(name_width), "strong"), Span(part)))
    return found


def _table(table: Table, width: int | None) -> list[Line]:
    rows = [
        [cell if isinstance(cell, str) else cell.text for cell in row] for row in (table.header, *table.rows)
    ]
    natural = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns, below = table.columns, False
    if width is not None and columns.endswith("c") and total(natural) > width:
        columns, natural, below = columns[:-1], natural[:-1], True  # code goes on a line of its own
    widths = fitting(natural, columns, width)
    found: list[Line] = []
    for number, row in enumerate(rows):
        tone: Tone = "strong" if number == 0 else ""
        broken = [
            wrapped(cell, room if side == "l" else None)
            for cell, room, side in zip(row, widths, columns, strict=False)
        ]
        for k in range(max(map(len, broken))):
            cells = [parts[k] if k < len(parts) else "" for parts in broken]
            line = GAP.join(
                cell.rjust(room) if side == "r" else cell.ljust(room)
                for cell, room, side in zip(cells, widths, columns, strict=True)
            )
            found.append((Span(line.rstrip(), tone),))
        if below:
            found.append((Span(f"{' ' * BELOW}{row[-1]}", tone),))
    return [*found, *_text(table.note, width, tone="faint")]


def total(widths: Sequence[int]) -> int:
    """Return how wide columns are with the gaps between them."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def fitting(widths: list[int], columns: str, width: int | None) -> list[int]:
    """Return the columns' widths in a line of some width: the widest columns of text give way first.

    >>> fitting([3, 40, 60], "rll", 80)
    [3, 36, 37]
    """
    widths = list(widths)
    text = [k for k, side in enumerate(columns) if side == "l"]
    while width is not None and total(widths) > width:
        widest = max(text, key=lambda k: widths[k], default=None)
        if widest is None or widths[widest] <= LEAST:
            break
        widths[widest] -= 1
    return widths


# -- blocks as plain text -------------------------------------------------------------------------------


def as_text(blocks: Sequence[Block], width: int | None = None) -> str:
    """Return the text of blocks, with an empty line between two of them; without a width no line is broken.

    >>> from demospec.report.blocks import Heading, Paragraph, Section
    >>> print(as_text([Heading("robot"), Section("How sure is it?", [Paragraph("Not very.")])]))
    robot
    <BLANKLINE>
    How sure is it?
    Not very.
    """
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines_of(blocks, width))
