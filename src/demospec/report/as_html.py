"""Blocks as HTML: a page of its own, or a part of one; no network."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.report.blocks import (
    Advice,
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
    Together,
)
from demospec.report.page.shell import shell
from demospec.report.pictures.svg import escape

LINE = "\n"
SCROLLED = '<div class="scroll" tabindex="0" role="group" aria-label="table"><table>', "</table></div>"


def as_page(title: str, blocks: Sequence[Block]) -> str:
    """Return a standalone page; a table that is wider than the page can be scrolled."""
    begin, end = SCROLLED
    return shell(title, as_html(blocks).replace("<table>", begin).replace("</table>", end))


def as_html(blocks: Sequence[Block]) -> str:
    """Return the markup of blocks.

    >>> as_html([Section("A & B", [Paragraph("1 < 2")])])
    '<h3>A &amp; B</h3>\\n<p>1 &lt; 2</p>'
    """
    return "\n".join(markup for block in blocks if (markup := _html(block)))


def _html(block: Block) -> str:
    match block:
        case Heading():
            return f"<h2>{escape(block.text)}</h2>"
        case Paragraph():
            return f"<p>{escape(block.text)}</p>"
        case Advice():
            return f"<p>{escape(block.text)} <code>{escape(block.command)}</code></p>"
        case Together():
            return as_html(block.blocks)
        case Preformatted():
            return f"<pre>{escape(block.text)}</pre>"
        case Figure():
            return f"<figure>{block.draw()}</figure>"
        case SideBySide():
            return f'<div class="row">{"".join(map(_html, block.figures))}</div>'
        case Items():
            return _items(block)
        case Facts():
            return _facts(block)
        case Table():
            return _table(block)
        case Section():
            inner = as_html(block.blocks)
            return f"<h{block.level}>{escape(block.title)}</h{block.level}>\n{inner}" if inner else ""
        case OnPage():
            return as_html(block.blocks)
        case InTerminal():
            return ""


def _items(items: Items) -> str:
    entries = (escape(entry) if isinstance(entry, str) else as_html(entry) for entry in items.entries)
    tag = "ol" if items.numbered else "ul"
    lines = "".join(f"<li>{entry}</li>" for entry in entries)
    return f"<{tag}>{lines}</{tag}>" if lines else ""


def _facts(facts: Facts) -> str:
    rows = (
        f'<tr><th class="l">{escape(name)}</th><td class="l">{escape(told).replace(LINE, "<br/>")}</td></tr>'
        for name, told in facts.pairs
    )
    return f"<table>{''.join(rows)}</table>" if facts.pairs else ""


def _table(table: Table) -> str:
    lines = [_row("th", table.header, table.columns)]
    lines += [_row("td", row, table.columns) for row in table.rows]
    note = f"\n<p>{escape(table.note)}</p>" if table.note else ""
    return f"<table>{''.join(lines)}</table>{note}"


def _row(tag: str, cells: Sequence[str | Figure], columns: str) -> str:
    parts = []
    for cell, side in zip(cells, columns, strict=True):
        look = ' class="l"' if side in "lc" else ""
        parts.append(f"<{tag}{look}>{escape(cell) if isinstance(cell, str) else cell.draw()}</{tag}>")
    return f"<tr>{''.join(parts)}</tr>"
