"""Writing SVG: elements, text and its estimated width, letter chips, the page; and the geometry of curves.

Pictures carry no ids, style sheets or scripts, so that many of them can be put into one HTML page. Those that
are drawn for a page ("live") ask it for their colours by custom properties, and say by data attributes what
their elements are: see `live/figures.js`.

SVG pictures as PNG, by the package resvg-py, which is an extra.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

from demospec.errors import InputError
from demospec.report.pictures.colours import FIXED, INK, Paint

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom
Curve = tuple[Point, Point, Point, Point]  # a cubic Bézier curve
CHIP, CHIP_TEXT = 18.0, 11.5  # height of a chip, size of the letter in it
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def number(value: float) -> str:
    """Write a number with at most two decimals.

    >>> number(2.0), number(0.126), number(-0.001)
    ('2', '0.13', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def escape(text: str) -> str:
    """Return text as XML character data, also inside quotes; what XML cannot hold becomes �."""
    text = _NOT_XML.sub("�", text)
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(plain, entity)
    return text


Look = dict[str, str | float]  # attributes


def element(tag: str, *children: str, **attributes: str | float | None) -> str:
    """Write an element; children are markup, `stroke_width` means `stroke-width`, `class_` means `class`.

    An attribute that is None is left out.
    """
    given = {name: value for name, value in attributes.items() if value is not None}
    values = (value if isinstance(value, str) else number(value) for value in given.values())
    names = (name.rstrip("_").replace("_", "-") for name in given)
    written = "".join(f' {name}="{escape(value)}"' for name, value in zip(names, values, strict=True))
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


def area(left: float, top: float, width: float, height: float) -> Look:
    """Return where a rectangle is, as its attributes."""
    return {"x": left, "y": top, "width": width, "height": height}


def translated(x: float, y: float, *children: str, **attributes: str | float) -> str:
    """Move what is drawn at the origin to a point."""
    return element("g", *children, **attributes, transform=f"translate({number(x)} {number(y)})")


def path_to(letter: str, point: Point) -> str:
    """Write a step of a path."""
    return f"{letter}{number(point[0])} {number(point[1])}"


def text(x: float, y: float, content: str, *, size: float = 12, **attributes: str | float) -> str:
    """Write one line of text, centred at (x, y) unless `text_anchor` says otherwise."""
    settings: Look = {"text_anchor": "middle", "fill": INK, **attributes}
    # 0.35 em below the middle is the baseline; `dominant-baseline` is not understood everywhere.
    return element("text", escape(content), x=x, y=y + 0.35 * size, font_size=size, **settings)


def text_width(content: str, size: float) -> float:
    """Estimate the width of a line of text, rather too wide than too narrow."""

    def em(character: str) -> float:
        if unicodedata.east_asian_width(character) in "WF":
            return 1.0
        if character in "ijl.,:;|!'I ":
            return 0.36
        return 0.92 if character in "mwMW%@<>&+=~#^" else 0.72 if character.isupper() else 0.62

    return size * sum(map(em, content))


def polygon(points: Sequence[Point], **attributes: str | float) -> str:
    return element("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in points), **attributes)


def arrow_head(tip: Point, direction: Point, *, size: float, **attributes: str | float) -> str:
    """Write a triangle of length `size` that ends at `tip` and points in `direction`."""
    norm = math.hypot(*direction) or 1.0
    ux, uy = direction[0] / norm * size, direction[1] / norm * size
    back_x, back_y = tip[0] - ux, tip[1] - uy
    corners = [tip, (back_x - 0.45 * uy, back_y + 0.45 * ux), (back_x + 0.45 * uy, back_y - 0.45 * ux)]
    return polygon(corners, **attributes)


def chip_width(letter: str) -> float:
    """Return the width of a letter's chip; long names make it wider."""
    return max(CHIP, 1.06 * text_width(letter, CHIP_TEXT) + 9)  # bold is wider


def chip(left: float, middle: float, letter: str, *, pale: bool = False, paint: Paint = FIXED) -> str:
    """Write a letter on a small rounded rectangle of its colour, or, when pale, with a dashed border."""
    width, colour = chip_width(letter), paint.letter(letter)
    look = {"fill": paint.paper, "stroke": colour, "stroke_dasharray": "3 2"} if pale else {"fill": colour}
    ink = paint.muted if pale else paint.on_letter(letter)
    back = element("rect", class_="chip", **area(left, middle - CHIP / 2, width, CHIP), rx=5, **look)
    return back + text(left + width / 2, middle, letter, size=CHIP_TEXT, fill=ink, font_weight="bold")


def page(
    body: Sequence[str],
    *,
    width: float,
    height: float,
    title: str,
    origin: Point = (0, 0),
    paint: Paint = FIXED,
    kind: str = "",
) -> str:
    """Wrap a picture into a standalone document with a white rounded background.

    A live one says which `kind` of picture it is, and takes background and size from the page.
    """
    (x, y), namespace = origin, "http://www.w3.org/2000/svg"
    whole: Look = {"viewBox": " ".join(map(number, (x, y, width, height))), "width": width, "height": height}
    if paint.live:
        told: Look = {"aria_label": title or kind, "font_family": FONT}
        look: Look = {**whole, "role": "img", **told, "class_": "ds-figure", "data_figure": kind}
        return element("svg", "\n".join(body), xmlns=namespace, **look)
    inside = area(x + 0.5, y + 0.5, width - 1, height - 1)
    background = element("rect", **inside, rx=10, fill=paint.paper, stroke=paint.faint)
    drawn = "\n".join([*([element("title", escape(title))] if title else []), background, *body])
    look = {**whole, "role": "img", "font_family": FONT, "style": "max-width:100%"}
    return element("svg", "\n", drawn, "\n", xmlns=namespace, **look)


# -- geometry ---------------------------------------------------------------------------------------


def bezier(curve: Curve, t: float) -> Point:
    """Return the point of a curve at t, from 0 to 1."""
    s = 1 - t
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = curve
    a, b, c, d = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
    return a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy


def curve_points(curve: Curve) -> list[Point]:
    """Return points along a curve, about 6 apart."""
    count = 4 + int((math.dist(curve[0], curve[3]) + math.dist(curve[0], curve[1])) / 6)
    return [bezier(curve, k / count) for k in range(count + 1)]


def towards(origin: Point, goal: Point, distance: float) -> Point:
    """Return the point at a distance from the origin in the direction of the goal."""
    share = distance / math.dist(origin, goal)
    return origin[0] + share * (goal[0] - origin[0]), origin[1] + share * (goal[1] - origin[1])


def segment_distance(point: Point, p: Point, q: Point) -> float:
    """Return the distance of a point from the segment pq."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    along = ((point[0] - p[0]) * dx + (point[1] - p[1]) * dy) / (dx * dx + dy * dy)
    along = min(1.0, max(0.0, along))
    return math.dist(point, (p[0] + along * dx, p[1] + along * dy))


def crosses(p: Point, q: Point, r: Point, s: Point) -> bool:
    """Say whether the segments pq and rs cross inside."""

    def turn(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return turn(p, q, r) * turn(p, q, s) < 0 and turn(r, s, p) * turn(r, s, q) < 0


# -- SVG pictures as PNG, by the package resvg-py, which is an extra -------------------------------------

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
