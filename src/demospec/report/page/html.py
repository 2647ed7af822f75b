"""Writing HTML: elements, letters and words as coloured chips, tables behind pictures, text for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from demospec.report.pictures.colours import LIVE
from demospec.report.pictures.svg import escape


def tag(name: str, *children: str, **attributes: str | int | None) -> str:
    """Write an element that is closed; children are markup, an attribute that is None is left out.

    >>> tag("p", "1 &lt; 2", class_="told", data_run=None)
    '<p class="told">1 &lt; 2</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>"


def section(title: str, *children: str, anchor: str, lead: str = "") -> str:
    """Write a part of the page with its title; `lead` says in a sentence what it is."""
    led = [tag("p", escape(lead), class_="lead")] if lead else []
    name = f"{anchor}-title"
    return tag("section", tag("h2", escape(title), id=name), *led, *children, id=anchor, aria_labelledby=name)


def card(*children: str, title: str = "", class_: str = "card") -> str:
    """Write things that belong together; the title is one of level 3."""
    return tag("div", *([tag("h3", escape(title))] if title else []), *children, class_=class_)


def paragraph(text: str, class_: str | None = None) -> str:
    """Write a paragraph of plain text."""
    return tag("p", escape(text), class_=class_)


def items(texts: Iterable[str], class_: str | None = None) -> str:
    """Write a list of plain texts; nothing where there is none."""
    lines = [tag("li", escape(one)) for one in texts]
    return tag("ul", *lines, class_=class_) if lines else ""


def more(title: str, *children: str, class_: str = "more", open_: bool = False) -> str:
    """Write what is shown to those who open it."""
    return tag(
        "details", tag("summary", escape(title)), *children, class_=class_, open="open" if open_ else None
    )


def chip(letter: str) -> str:
    """Write a letter on its colour."""
    look = f"background:{LIVE.letter(letter)};color:{LIVE.on_letter(letter)}"
    return tag("span", escape(letter), class_="chip", style=look)


def chips(word: Sequence[str]) -> str:
    """Write a word, letter by letter; the empty one is said."""
    if not word:
        return tag("span", "no letter at all", class_="empty")
    return tag("span", *(chip(letter) for letter in word), class_="word")


def command(line: str) -> str:
    """Write a command as somebody would type it."""
    return tag("pre", tag("code", escape(line)), class_="command", tabindex=0)


def picture(svg: str, caption: str = "", *, class_: str | None = None) -> str:
    """Write a picture; one that is too wide for the page can be scrolled, by keys too."""
    told = [tag("figcaption", escape(caption))] if caption else []
    inner = tag("div", svg, class_="scroll", tabindex=0, role="group", aria_label=caption or "picture")
    return tag("figure", inner, *told, class_=class_)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
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
