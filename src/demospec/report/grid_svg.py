"""Maps of grid worlds with demonstrations drawn over them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from demospec.report.colours import FAINT, INK, MUTED, PAPER, letter_colour, line_colour, text_colour
from demospec.report.svg import Point, arrow_head, element, number, page, text, text_width, towards

Cell = tuple[int, int]
SIDE = 48.0  # of a cell
MARGIN = 18.0
AXIS = 18.0  # room for column and row numbers
HEAD = 11.0
LANE = 6.0  # distance between two paths side by side, when there is room
WIDEST_LANE = 0.36 * SIDE  # the outermost path stays inside its cells
LEGEND_LINE = 22.0
BADGE = 8.0  # radius of a numbered disc


def grid_svg(
    rows: Sequence[str],
    *,
    start: tuple[int, int],
    paths: Sequence[Sequence[tuple[int, int]]] = (),
    numbers: Sequence[int] = (),
    not_taken: Sequence[tuple[int, int]] = (),
    title: str = "",
) -> str:
    """Draw a map and the paths of demonstrations; cells are (column, row) from 1, from the top left.

    `numbers` are the demonstrations' where they are not 1, 2, …; the path that was not taken is dashed.
    Every path keeps to the right of its direction of travel, each in its own lane, so that paths that
    share cells, and the way there and back, stay apart.
    """
    _check(rows, start, [*paths, not_taken])
    width, height = len(rows[0]) * SIDE, len(rows) * SIDE
    left, top = MARGIN + AXIS, MARGIN + AXIS + (26 if title else 0)
    badges = [str(n) for n in numbers or range(1, len(paths) + 1)]
    legend = ["start", *(f"demonstration {n} ({_steps(p)})" for n, p in zip(badges, paths, strict=True))]
    lines = list(paths)
    if not_taken:
        lines.append(not_taken)
        badges.append("?")
        legend.append(f"the path not taken ({_steps(not_taken)})")
    offsets = [(k + 0.6) * min(LANE, WIDEST_LANE / (len(lines) - 0.4)) for k in range(len(lines))]
    drawn = [*_cells(rows), _start_mark(_centre(start), 0.38 * SIDE)]
    for k, path in enumerate(lines):
        drawn += _path(path, k, offsets[k], dashed=k == len(paths))
    drawn += _letters(rows)
    for k, place in _badge_places(lines, offsets):
        drawn += _badge(place, k, badges[k])

    for k, entry in enumerate(legend):
        y = height + 10 + LEGEND_LINE * (k + 0.5)
        drawn += [_start_mark((9, y), BADGE)] if k == 0 else _badge((9, y), k - 1, badges[k - 1])
        drawn.append(text(26, y, entry, size=12, text_anchor="start", class_="legend"))
    legend_width = 26 + max(text_width(entry, 12) for entry in legend)
    page_width = max(max(width, legend_width) + AXIS, text_width(title, 14)) + 2 * MARGIN
    page_height = top + height + 10 + LEGEND_LINE * len(legend) + MARGIN - 4
    body = [text(page_width / 2, MARGIN + 6, title, size=14, font_weight="bold")] if title else []
    body.append(element("g", *drawn, transform=f"translate({number(left)} {number(top)})"))
    return page(body, width=page_width, height=page_height, title=title)


def _check(rows: Sequence[str], start: Cell, paths: Sequence[Sequence[Cell]]) -> None:
    if not rows or not rows[0]:
        raise ValueError("the map is empty")
    for number_, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise ValueError(f"map row {number_} has {len(row)} cells where row 1 has {len(rows[0])}")
    named = [("the start", start)]
    named += [
        (f"demonstration {k}, step {n}", cell)
        for k, path in enumerate(paths, start=1)
        for n, cell in enumerate(path)
    ]
    for name, (column, row_number) in named:
        if not (1 <= column <= len(rows[0]) and 1 <= row_number <= len(rows)):
            raise ValueError(
                f"{name}: cell ({column}, {row_number}) is not on the map of "
                f"{len(rows[0])} columns and {len(rows)} rows"
            )


def _steps(path: Sequence[Cell]) -> str:
    count = max(0, len(path) - 1)
    return "1 step" if count == 1 else f"{count} steps"


def _centre(cell: Cell) -> Point:
    return (cell[0] - 0.5) * SIDE, (cell[1] - 0.5) * SIDE


# -- the map ----------------------------------------------------------------------------------------


def _cells(rows: Sequence[str]) -> list[str]:
    parts = []
    for r, row in enumerate(rows):
        for c, letter in enumerate(row):
            fill = PAPER if letter == "." else letter_colour(letter)
            parts.append(
                element(
                    "rect",
                    class_="cell",
                    x=c * SIDE,
                    y=r * SIDE,
                    width=SIDE,
                    height=SIDE,
                    fill=fill,
                    stroke=FAINT,
                )
            )
    width, height = len(rows[0]) * SIDE, len(rows) * SIDE
    parts.append(element("rect", width=width, height=height, fill="none", stroke=INK, stroke_width=1.2))
    parts += [text((c + 0.5) * SIDE, -9, str(c + 1), size=10, fill=MUTED) for c in range(len(rows[0]))]
    parts += [text(-10, (r + 0.5) * SIDE, str(r + 1), size=10, fill=MUTED) for r in range(len(rows))]
    return parts


def _letters(rows: Sequence[str]) -> list[str]:
    """Write each letter into its cell's corner, on a patch of its colour that hides lines behind it."""
    parts = []
    for r, row in enumerate(rows):
        for c, letter in enumerate(row):
            if letter != ".":
                x, y, colour = c * SIDE + 8, r * SIDE + 8, letter_colour(letter)
                parts.append(element("rect", x=x - 6, y=y - 5.5, width=12, height=11, rx=3, fill=colour))
                parts.append(text(x, y, letter, size=10.5, fill=text_colour(colour), font_weight="bold"))
    return parts


def _start_mark(centre: Point, radius: float) -> str:
    x, y = centre
    look: dict[str, str | float] = {"fill": PAPER, "fill_opacity": 0.6, "stroke": INK, "stroke_width": 1.8}
    return element("circle", class_="start", cx=x, cy=y, r=radius, **look)


# -- the paths ----------------------------------------------------------------------------------------


def _lane(path: Sequence[Cell], offset: float) -> list[Point]:
    """Return the corners of a path moved by `offset` to the right of its direction of travel."""
    centres = [_centre(cell) for cell in path]
    centres = centres[:1] + [q for p, q in pairwise(centres) if p != q]  # waiting draws nothing
    if len(centres) < 2:
        return centres
    normals = []
    for (px, py), (qx, qy) in pairwise(centres):
        length = math.hypot(qx - px, qy - py)
        normals.append((-(qy - py) / length, (qx - px) / length))
    corners = []
    turns = zip([normals[0], *normals], [*normals, normals[-1]], strict=True)
    for (x, y), (before, after) in zip(centres, turns, strict=True):
        cosine = before[0] * after[0] + before[1] * after[1]
        if cosine < -0.9:  # back where it came from: cross over to the other lane
            corners += [(x + offset * before[0], y + offset * before[1])]
            corners += [(x + offset * after[0], y + offset * after[1])]
        else:
            scale = offset / (1 + cosine)
            corners.append((x + scale * (before[0] + after[0]), y + scale * (before[1] + after[1])))
    return corners


def _path(path: Sequence[Cell], k: int, offset: float, *, dashed: bool) -> list[str]:
    corners = _lane(path, offset)
    if len(corners) < 2:
        return []  # the badge alone stands for a path that does not move
    before = corners[-2]
    tip = towards(corners[-1], before, -8 if k % 2 else HEAD - 8)  # heads side by side are staggered
    colour = line_colour(k)
    route = _rounded([*corners[:-1], towards(tip, before, HEAD - 1)])
    look: dict[str, str | float] = {"fill": "none", "stroke_linejoin": "round", "stroke_linecap": "round"}
    dashes: dict[str, str | float] = {"stroke_dasharray": "5 5"} if dashed else {}
    return [
        element("path", d=route, stroke=PAPER, stroke_width=4.6, stroke_opacity=0.85, **look),
        element("path", class_="path", d=route, stroke=colour, stroke_width=2.4, **look, **dashes),
        arrow_head(
            tip, (tip[0] - before[0], tip[1] - before[1]), size=HEAD, class_="head", fill=colour, stroke=PAPER
        ),
    ]


def _rounded(corners: Sequence[Point], radius: float = 5.0) -> str:
    """Return path data through the corners, each cut off by a small curve."""
    parts = [f"M{number(corners[0][0])} {number(corners[0][1])}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        cut = min(radius, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        (x1, y1), (x2, y2) = towards(corner, before, cut), towards(corner, after, cut)
        parts.append(f"L{number(x1)} {number(y1)}Q{number(corner[0])} {number(corner[1])}")
        parts.append(f" {number(x2)} {number(y2)}")
    return "".join([*parts, f"L{number(corners[-1][0])} {number(corners[-1][1])}"])


def _badge_places(paths: Sequence[Sequence[Cell]], offsets: Sequence[float]) -> Iterator[tuple[int, Point]]:
    """Yield each path's index and the middle of its loneliest step, clear of the badges before it."""
    traffic = Counter(frozenset(step) for path in paths for step in pairwise(path))
    taken: list[Point] = []
    for k, (path, offset) in enumerate(zip(paths, offsets, strict=True)):
        choices = []
        for n, step in enumerate(pairwise(path)):
            if step[0] != step[1]:
                (px, py), (qx, qy) = _lane(step, offset)
                place = ((px + qx) / 2, (py + qy) / 2)
                hidden = any(math.dist(place, other) < 2 * BADGE for other in taken)
                choices.append((hidden, traffic[frozenset(step)], abs(n + 1 - len(path) / 2), place))
        if not choices and path:
            x, y = _centre(path[0])
            choices = [(False, 0, 0.0, (x + offset, y + offset))]
        if choices:
            taken.append(min(choices)[-1])
            yield k, taken[-1]


def _badge(place: Point, k: int, name: str) -> list[str]:
    x, y = place
    colour = line_colour(k)
    disc = element("circle", class_="badge", cx=x, cy=y, r=BADGE, fill=colour, stroke=PAPER, stroke_width=1.2)
    return [disc, text(x, y, name, size=10, fill=text_colour(colour), font_weight="bold")]
