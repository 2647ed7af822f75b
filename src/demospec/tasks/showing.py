"""How objects show themselves: a few lines in a terminal, markup in a notebook, a document for JSON.

What makes markup and documents is `report.notebook`, above everything that is shown: it is the one module
that is known here by its name, and it is loaded when something is shown, so that nobody else waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from importlib import import_module
from typing import Any

Document = dict[str, Any]

WIDTH, LINES = 110, 10  # of what an object shows of itself
SHOWING = "demospec.report.notebook"  # registers what is below


@singledispatch
def markup(shown: object) -> str:
    """Return the markup, HTML or SVG, of an object; each type registers its own."""
    raise TypeError(f"nobody registered markup for {type(shown).__name__}")


@singledispatch
def document(shown: object) -> Document:
    """Return an object as a document that JSON can hold; each type registers its own."""
    raise TypeError(f"nobody registered a document for {type(shown).__name__}")


def html_of(shown: object) -> str:
    """Return an object's markup; what makes it is loaded first."""
    import_module(SHOWING)
    return markup(shown)


def document_of(shown: object) -> Document:
    """Return an object as a document; what makes it is loaded first."""
    import_module(SHOWING)
    return document(shown)


class Displayed:
    """An object that a notebook shows in its own way."""

    def _repr_html_(self) -> str:
        return html_of(self)


def bits_text(bits: int | float) -> str:
    """Write a number of bits; parts of bits, where a code has them.

    >>> bits_text(12), bits_text(12.345)
    ('12', '12.3')
    """
    return str(bits) if isinstance(bits, int) else f"{bits:.1f}"


def short(lines: Iterable[str]) -> str:
    """Return the first few lines, each cut to a width that a terminal has.

    >>> print(short(["a" * 200, *"bcdefghijklm"])[100:])
    aaaaaaaaa…
    b
    c
    d
    e
    f
    g
    h
    i
    … and 4 more lines
    """
    every = [line for one in lines for line in one.split("\n")]
    if len(every) > LINES:
        every = [*every[: LINES - 1], f"… and {len(every) - LINES + 1} more lines"]
    return "\n".join(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in every)
