"""HTML: elements and chips of letters, blocks as markup, and the page around what is told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from demospec.report import live
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
from demospec.report.pictures.colours import LIVE, letter_style
from demospec.report.pictures.svg import element, escape


def tag(name: str, *children: str, **attributes: str | int | None) -> str:
    """Write an element that is closed; children are markup, an attribute that is None is left out.

    >>> tag("p", "1 &lt; 2", class_="told", data_run=None)
    '<p class="told">1 &lt; 2</p>'
    """
    return element(name, *(children or ("",)), **attributes)


def section(title: str, *children: str, anchor: str, lead: str = "") -> str:
    """Write a part of the page with its title; `lead` says in a sentence what it is."""
    led = [tag("p", escape(lead), class_="lead")] if lead else []
    name = f"{anchor}-title"
    return tag("section", tag("h2", escape(title), id=name), *led, *children, id=anchor, aria_labelledby=name)


def card(*children: str, title: str = "") -> str:
    """Write things that belong together; the title is one of level 3."""
    return tag("div", tag("h3", escape(title)) if title else "", *children, class_="card")


def paragraph(text: str, class_: str | None = None) -> str:
    """Write a paragraph of plain text; nothing where there is none."""
    return tag("p", escape(text), class_=class_) if text else ""


def items(texts: Iterable[str]) -> str:
    """Write a list of plain texts; nothing where there is none."""
    lines = [tag("li", escape(one)) for one in texts]
    return tag("ul", *lines) if lines else ""


def more(title: str, *children: str) -> str:
    """Write what is shown to those who open it."""
    return tag("details", tag("summary", escape(title)), *children, class_="more")


def letter_chip(letter: str) -> str:
    """Write a letter on its colour."""
    look = f"background:{LIVE.letter(letter)};color:{LIVE.on_letter(letter)}"
    return tag("span", escape(letter), class_="chip", style=look)


def chips(word: Sequence[str]) -> str:
    """Write a word, letter by letter; the empty one is said."""
    if not word:
        return tag("span", "no letter at all", class_="empty")
    return tag("span", *(letter_chip(letter) for letter in word), class_="word")


def command(line: str) -> str:
    """Write a command as somebody would type it."""
    return tag("pre", tag("code", escape(line)), class_="command", tabindex=0)


def picture(svg: str, caption: str = "", *, class_: str | None = None) -> str:
    """Write a picture; one that is too wide for the page can be scrolled, by keys too."""
    told = [tag("figcaption", escape(caption))] if caption else []
    inner = tag("div", svg, class_="scroll", tabindex=0, role="group", aria_label=caption or "picture")
    return tag("figure", inner, *told, class_=class_)


def captioned_table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Write a table whose cells are markup, under a caption for those who do not see it."""
    head = tag("tr", *(tag("th", escape(one), scope="col") for one in header))
    body = [
        tag("tr", *(tag("td", cell) if k else tag("th", cell, scope="row") for k, cell in enumerate(row)))
        for row in rows
    ]
    named = tag("caption", escape(caption))
    whole = tag("table", named, tag("thead", head), tag("tbody", *body))
    return tag("div", whole, class_="scroll", tabindex=0, role="group", aria_label=caption)


def data(document: object, class_: str) -> str:
    """Write a JSON document for a script; nothing in it can end the element."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" class="{escape(class_)}">{text}</script>'


# -- blocks as HTML -------------------------------------------------------------------------------------

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
    return "\n".join(markup for block in blocks if (markup := _markup(block)))


def _markup(block: Block) -> str:
    match block:
        case Heading():
            return f"<h2>{escape(block.text)}</h2>"
        case Paragraph():
            return f"<p>{escape(block.text)}</p>" if block.text else ""
        case Advice():
            return f"<p>{escape(block.text)} <code>{escape(block.command)}</code></p>"
        case Together() | OnPage():
            return as_html(block.blocks)
        case Preformatted():
            return f"<pre>{escape(block.text)}</pre>"
        case Figure():
            return f"<figure>{block.draw()}</figure>"
        case SideBySide():
            return f'<div class="row">{"".join(map(_markup, block.figures))}</div>'
        case Items():
            entries = (escape(one) if isinstance(one, str) else as_html(one) for one in block.entries)
            lines = [tag("li", entry) for entry in entries]
            return tag("ol" if block.numbered else "ul", *lines) if lines else ""
        case Facts():
            return _facts_markup(block)
        case Table():
            return _table_markup(block)
        case Section():
            inner = as_html(block.blocks)
            return f"<h{block.level}>{escape(block.title)}</h{block.level}>\n{inner}" if inner else ""
        case InTerminal():
            return ""


def _facts_markup(facts: Facts) -> str:
    rows = [
        tag(
            "tr",
            tag("th", escape(name), class_="l"),
            tag("td", escape(told).replace("\n", "<br/>"), class_="l"),
        )
        for name, told in facts.pairs
    ]
    return tag("table", *rows) if rows else ""


def _table_markup(table: Table) -> str:
    looks = ["l" if side in "lc" else None for side in table.columns]
    lines = []
    for number, row in enumerate((table.header, *table.rows)):
        cells = (escape(cell) if isinstance(cell, str) else cell.draw() for cell in row)
        name = "td" if number else "th"
        lines.append(
            tag("tr", *(tag(name, cell, class_=look) for cell, look in zip(cells, looks, strict=True)))
        )
    return tag("table", *lines) + (f"\n<p>{escape(table.note)}</p>" if table.note else "")


# -- the page around what is told -----------------------------------------------------------------------

THEME = (
    '<button type="button" class="theme" hidden="hidden" aria-pressed="false">'
    '<span aria-hidden="true">◐</span> <span class="theme-name">Dark</span></button>'
)


@cache
def own(name: str) -> str:
    """Return a file of this folder as text."""
    return (files("demospec.report.page") / name).read_text(encoding="utf-8")


def shell(
    title: str,
    body: str,
    *,
    contents: Sequence[tuple[str, str]] = (),
    alive: bool = False,
    letters: Sequence[str] = (),
) -> str:
    """Return a standalone page; `contents` are anchors with names, `alive` if pictures can be walked.

    Letters whose colours look much the same get others.
    """
    links = "".join(tag("li", tag("a", escape(name), href=f"#{anchor}")) for anchor, name in contents)
    menu = tag("nav", tag("ul", links), aria_label="Contents") if contents else ""
    style = live.style() + letter_style(letters) + own("page.css")
    script = (live.script() + "\nenliven(document);\n" if alive else "") + own("theme.js")
    head = (
        '<meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>'
        '<meta name="color-scheme" content="light dark"/>'
        f"<title>{escape(title)} – demospec</title>\n<style>\n{style}</style>"
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n'
        f'<a class="skip" href="#main">Skip to the answer</a>\n'
        f'<header class="top"><span class="brand">demospec</span>{menu}{THEME}</header>\n'
        f'<main id="main">\n{body}\n</main>\n'
        f'<script type="module">\n{script}</script>\n</body>\n</html>\n'
    )
