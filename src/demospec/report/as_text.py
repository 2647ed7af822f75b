"""Blocks as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from demospec.report.blocks import (
    Block,
    Facts,
    Figure,
    Heading,
    InTerminal,
    Items,
    OnPage,
    Paragraph,
    Preformatted,
    Section,
    SideBySide,
    Table,
)


def as_text(blocks: Sequence[Block]) -> str:
    """Return the text of blocks, with an empty line between two of them.

    >>> from demospec.report.blocks import Heading, Paragraph
    >>> print(as_text([Heading("robot"), Section("How sure is it?", [Paragraph("Not very.")])]))
    robot
    <BLANKLINE>
    How sure is it?
    Not very.
    """
    return "\n\n".join(_shown(blocks))


def _shown(blocks: Sequence[Block]) -> Iterator[str]:
    return (text for block in blocks if (text := _text(block)))


def _text(block: Block) -> str:
    match block:
        case Heading() | Paragraph() | Preformatted() | Figure():
            return block.text
        case Items():
            return _items(block)
        case Facts():
            return _facts(block)
        case Table():
            return _table(block)
        case Section():
            inner = as_text(block.blocks)
            return f"{block.title}\n{inner}" if inner else ""
        case SideBySide():
            return as_text(block.figures)
        case InTerminal():
            return as_text(block.blocks)
        case OnPage():
            return ""


def _items(items: Items) -> str:
    entries = [
        entry if isinstance(entry, str) else "\n".join(_shown(entry))  # what belongs together stays together
        for entry in items.entries
    ]
    if items.numbered:
        width = len(str(len(entries))) + 2
        entries = [
            f"{number}.".ljust(width) + entry.replace("\n", "\n" + " " * width)
            for number, entry in enumerate(entries, start=1)
        ]
    return ("\n\n" if any("\n" in entry for entry in entries) else "\n").join(entries)


def _facts(facts: Facts) -> str:
    width = max((len(name) for name, _ in facts.pairs), default=0)
    return "\n".join(f"{name.ljust(width)}  {told}".rstrip() for name, told in facts.pairs)


def _table(table: Table) -> str:
    rows = [
        [cell if isinstance(cell, str) else cell.text for cell in row] for row in (table.header, *table.rows)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if side == "l" else cell.rjust(width)
            for cell, width, side in zip(row, widths, table.columns, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, table.note] if table.note else lines)
