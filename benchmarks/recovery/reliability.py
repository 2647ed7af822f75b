"""Reliability diagrams: how often what was given a probability is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demospec.report.pictures.colours import FAINT, INK, MUTED, line_colour
from demospec.report.pictures.svg import element, number, page, text, text_width

SIDE = 300.0  # of the square that is plotted
MARGIN = 20.0
LINE_HEIGHT = 22.0
SMALL, NORMAL, LARGE = 11.0, 12.0, 14.0  # font sizes
SMALLEST, LARGEST = 2.5, 9.0  # radii of points


@dataclass(frozen=True)
class Reliability:
    """One line of a diagram: (mean probability, share that is true, how many) of each group, in order."""

    name: str
    points: Sequence[tuple[float, float, int]]


def reliability_diagram(lines: Sequence[Reliability], *, title: str, x_label: str, y_label: str) -> str:
    """Draw the share that is true over the probability that was given; the diagonal is perfect.

    The area of a point says how many of its line's cases it stands for.
    """
    if not lines:
        raise ValueError("a reliability diagram needs at least one line; found none")
    left = MARGIN + LINE_HEIGHT + 8 + text_width("100 %", SMALL)
    longest = max(text_width(line.name, NORMAL) for line in lines)
    width = max(left + SIDE + 24 + 30 + longest + MARGIN, text_width(title, LARGE) + 2 * MARGIN)
    top = MARGIN + LINE_HEIGHT + 4
    right, bottom = left + SIDE, top + SIDE

    def place(probability: float, true: float) -> tuple[float, float]:
        return left + probability * SIDE, bottom - true * SIDE

    body = [text(width / 2, MARGIN + 4, title, size=LARGE, font_weight="bold")]
    for k in range(6):
        x, y = place(k / 5, k / 5)
        name = f"{20 * k} %"
        body.append(element("line", class_="grid", x1=left, x2=right, y1=y, y2=y, stroke=FAINT))
        body.append(text(left - 8, y, name, size=SMALL, fill=MUTED, text_anchor="end"))
        body.append(element("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, stroke=INK))
        body.append(text(x, bottom + 14, name, size=SMALL, fill=MUTED))
    look: dict[str, str | float] = {"stroke": MUTED, "stroke_dasharray": "4 4"}
    body.append(element("line", class_="perfect", x1=left, y1=bottom, x2=right, y2=top, **look))
    corner = f"M{number(left)} {number(top)}V{number(bottom)}H{number(right)}"
    body.append(element("path", class_="axes", d=corner, fill="none", stroke=INK, stroke_width=1.2))
    body.append(text((left + right) / 2, bottom + 38, x_label, size=NORMAL, fill=MUTED))
    turn = f"rotate(-90 {number(MARGIN + 2)} {number((top + bottom) / 2)})"
    body.append(text(MARGIN + 2, (top + bottom) / 2, y_label, size=NORMAL, fill=MUTED, transform=turn))
    for k, line in enumerate(lines):
        colour, y = line_colour(k), top + LINE_HEIGHT * (k + 0.5)
        body.append(
            element("line", x1=right + 24, x2=right + 46, y1=y, y2=y, stroke=colour, stroke_width=2.2)
        )
        body.append(text(right + 54, y, line.name, size=NORMAL, text_anchor="start", class_="legend"))
        places = [place(probability, true) for probability, true, _ in line.points]
        route = " ".join(f"{number(x)},{number(y)}" for x, y in places)
        stroke: dict[str, str | float] = {"stroke": colour, "stroke_width": 1.6, "stroke_opacity": 0.7}
        if len(places) > 1:
            body.append(element("polyline", class_="reliability", points=route, fill="none", **stroke))
        total = max(1, sum(count for _, _, count in line.points))
        for (x, y), (_, _, count) in zip(places, line.points, strict=True):
            radius = max(SMALLEST, LARGEST * (count / total) ** 0.5)
            body.append(
                element("circle", class_="point", cx=x, cy=y, r=radius, fill=colour, fill_opacity=0.6)
            )
    height = max(bottom + 38 + MARGIN, top + LINE_HEIGHT * len(lines) + MARGIN)
    return page(body, width=width, height=height, title=title)
