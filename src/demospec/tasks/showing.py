"""How objects show themselves: a few lines in a terminal, markup in a notebook, a document for JSON.

What makes markup and documents lies in `report`, above everything that is shown. It is registered here,
below, so that no object needs to import it; and only when something is shown, so that nobody else waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from demospec.later import SHOWING

Document = dict[str, Any]

WIDTH, LINES = 110, 10  # of what an object shows of itself

_html: dict[str, Callable[[Any], str]] = {}
_documents: dict[str, Callable[[Any], Document]] = {}


def bits_text(bits: int | float) -> str:
    """Write a number of bits; parts of bits, where a code has them.

    >>> bits_text(12), bits_text(12.345)
    ('12', '12.3')
    """
    return str(bits) if isinstance(bits, int) else f"{bits:.1f}"


def register(
    kind: type | str, html: Callable[[Any], str], document: Callable[[Any], Document] | None = None
) -> None:
    """Let functions make the markup, HTML or SVG, and the document of a type and of those derived from it.

    A type whose module is not needed otherwise can be given by its name, `module.Type`.
    """
    name = kind if isinstance(kind, str) else _name(kind)
    _html[name] = html
    if document is not None:
        _documents[name] = document


def html_of(shown: object) -> str | None:
    """Return an object's markup; None, which a notebook takes for none, where nobody registered."""
    make = next((_html[name] for name in _names(shown) if name in _html), None)
    return None if make is None else make(shown)


def document_of(shown: object) -> Document:
    """Return an object as a document that JSON can hold."""
    for name in _names(shown):
        if name in _documents:
            return _documents[name](shown)
    raise TypeError(f"nobody registered a document for {type(shown).__name__}")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _names(shown: object) -> Iterator[str]:
    for module in SHOWING:
        import_module(module)
    return map(_name, type(shown).__mro__)


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
