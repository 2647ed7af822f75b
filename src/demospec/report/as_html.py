"""Blocks as HTML: a page of its own, or a part of one; no script, no network."""

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
from demospec.report.pictures.svg import escape

LINE = "\n"
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:88rem;margin:2rem auto;padding:0 1rem}
body{color:#1b1f24;background:#fff}
p,h2,h3,h4,ul,ol{max-width:60rem}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.25rem .75rem;border-bottom:1px solid #d0d7de;text-align:right;vertical-align:middle}
.l{text-align:left}
figure{margin:1rem 0}svg{max-width:100%;height:auto}
.row{display:flex;flex-wrap:wrap;gap:1rem}.row figure{flex:1 1 24rem;max-width:42rem;margin:0}
"""


def as_page(title: str, blocks: Sequence[Block]) -> str:
    """Return a standalone page."""
    head = f'<meta charset="utf-8"><title>{escape(title)} – demospec</title><style>{STYLE}</style>'
    body = as_html(blocks)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


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
