"""The page around what is told: one file, light and dark, no network; it works without its script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from demospec.report import live
from demospec.report.page.html import tag
from demospec.report.pictures.colours import letter_style
from demospec.report.pictures.svg import escape

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
    links = "".join(f'<li><a href="#{escape(anchor)}">{escape(name)}</a></li>' for anchor, name in contents)
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
