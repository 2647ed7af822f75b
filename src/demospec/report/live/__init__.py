"""The script and the style that bring live pictures alive, as text: a page holds them, or a server does."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def script() -> str:
    """Return figures.js, an ES module; its first lines say how to use it."""
    return (files(__name__) / "figures.js").read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return figures.css: the colours of live pictures, light and dark, and how marks look."""
    return (files(__name__) / "figures.css").read_text(encoding="utf-8")
