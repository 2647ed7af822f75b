"""SVG pictures as PNG, by the package resvg-py, which is an extra."""

from __future__ import annotations

import re

from demospec.errors import InputError

ZOOM = 2  # pixels for each of the picture's units


def png_of(svg: str, *, system_fonts: bool = True) -> bytes:
    """Return a picture as PNG; refuse where its text would be left out, because there is no font."""
    try:
        import resvg_py
    except ImportError:
        raise InputError('a PNG needs the package resvg-py: pip install "demospec[png]"') from None

    def drawn(markup: str) -> bytes:
        return bytes(resvg_py.svg_to_bytes(svg_string=markup, zoom=ZOOM, skip_system_fonts=not system_fonts))

    found = drawn(svg)
    without_text = re.sub(r"<text\b.*?</text>", "", svg, flags=re.DOTALL)
    if without_text != svg and drawn(without_text) == found:
        raise InputError("the text of the picture cannot be drawn: this machine has no fonts; use svg")
    return found
