"""Maps of grid worlds with demonstrations drawn over them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from demospec.report.pictures.colours import Paint, paint
from demospec.report.pictures.grid import LINE, Cell, Grid, letter_patch
from demospec.report.pictures.svg import Point, arrow_head, element, number, text, text_width, towards
from demospec.worlds.gridworld import PLAIN
from demospec.worlds.terrain import Terrain

SIDE = 48.0  # of a cell
HEAD = 11.0
LANE = 6.0  # distance between two paths side by side, when there is room
WIDEST_LANE = 0.36 * SIDE  # the outermost path stays inside its cells
BADGE = 8.0  # radius of a numbered disc


def path_map(
    rows: Sequence[str],
    *,
    start: Cell,
    paths: Sequence[Sequence[Cell]] = (),
    numbers: Sequence[int] = (),
    not_taken: Sequence[Cell] = (),
    title: str = "",
    terrain: Terrain = PLAIN,
    live: bool = False,
) -> str:
    """Draw a map and the paths of demonstrations; cells are (column, row) from 1, from the top left.

    `numbers` are the demonstrations' where they are not 1, 2, …; the path that was not taken is dashed.
    Every path keeps to the right of its direction of travel, each in its own lane, so that paths that
    share cells, and the way there and back, stay apart. In a live picture each cell is a group with
    `data-cell="column,row"` (and `data-letter`), each path one with `data-run`, its number or "?".
    """
    grid, look = Grid(rows, SIDE, terrain, paint(live)), paint(live)
    _check(grid, start, [*paths, not_taken])
    badges = [str(n) for n in numbers or range(1, len(paths) + 1)]
    legend = ["start", *(f"demonstration {n} ({_steps(p)})" for n, p in zip(badges, paths, strict=True))]
    lines = list(paths)
    if not_taken:
        lines.append(not_taken)
        badges.append("?")
        legend.append(f"the path not taken ({_steps(not_taken)})")
    offsets = [(k + 0.6) * min(LANE, WIDEST_LANE / (len(lines) - 0.4)) for k in range(len(lines))]
    drawn = [*_cells(grid), grid.frame(), *grid.numbers(), _start_mark(grid.centre(start), 0.38 * SIDE, look)]
    for k, path in enumerate(lines):
        line = _path(grid, path, k, offsets[k], dashed=k == len(paths))
        drawn += [element("g", *line, data_run=badges[k])] if live and line else line
    drawn += _letters(grid)
    for k, place in _badge_places(grid, lines, offsets):
        disc = _badge(place, k, badges[k], look)
        drawn += [element("g", *disc, data_run=badges[k])] if live else disc

    for k, entry in enumerate(legend):
        y = grid.height + 10 + LINE * (k + 0.5)
        drawn += [_start_mark((9, y), BADGE, look)] if k == 0 else _badge((9, y), k - 1, badges[k - 1], look)
        drawn.append(text(26, y, entry, size=12, text_anchor="start", class_="legend", fill=look.ink))
    for k, (character, letter) in enumerate(grid.entries, start=len(legend)):
        y = grid.height + 10 + LINE * (k + 0.5)
        drawn += letter_patch((9, y), character, (12, 11), grid.fill(character), grid.ink(character))
        drawn.append(text(26, y, letter, size=12, text_anchor="start", class_="legend", fill=look.ink))
    legend += [letter for _, letter in grid.entries]
    below = 26 + max(text_width(entry, 12) for entry in legend), 6 + LINE * len(legend)
    return grid.page(drawn, below, title=title)


def _check(grid: Grid, start: Cell, paths: Sequence[Sequence[Cell]]) -> None:
    grid.check(start, "the start")
    for k, path in enumerate(paths, start=1):
        for n, cell in enumerate(path):
            grid.check(cell, f"demonstration {k}, step {n}")


def _steps(path: Sequence[Cell]) -> str:
    count = max(0, len(path) - 1)
    return "1 step" if count == 1 else f"{count} steps"


def _cells(grid: Grid) -> list[str]:
    return [
        grid.square(cell, fill=grid.fill(letter), stroke=grid.paint.faint) for cell, letter in grid.letters
    ]


def _letters(grid: Grid) -> list[str]:
    """Write each letter into its cell's corner, over the lines."""
    parts = []
    for cell, letter in grid.letters:
        if sign := grid.sign(letter):
            x, y = grid.corner(cell)
            parts += letter_patch((x + 8, y + 8), sign, (12, 11), grid.fill(letter), grid.ink(letter))
    return parts


def _start_mark(centre: Point, radius: float, paint: Paint) -> str:
    x, y = centre
    look: dict[str, str | float] = {
        "fill": paint.paper,
        "fill_opacity": 0.6,
        "stroke": paint.ink,
        "stroke_width": 1.8,
    }
    return element("circle", class_="start", cx=x, cy=y, r=radius, **look)


# -- the paths ----------------------------------------------------------------------------------------


def _lane(grid: Grid, path: Sequence[Cell], offset: float) -> list[Point]:
    """Return the corners of a path moved by `offset` to the right of its direction of travel."""
    centres = [grid.centre(cell) for cell in path]
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


def _path(grid: Grid, path: Sequence[Cell], k: int, offset: float, *, dashed: bool) -> list[str]:
    corners = _lane(grid, path, offset)
    if len(corners) < 2:
        return []  # the badge alone stands for a path that does not move
    before = corners[-2]
    tip = towards(corners[-1], before, -8 if k % 2 else HEAD - 8)  # heads side by side are staggered
    colour, paper = grid.paint.line(k), grid.paint.paper
    route = _rounded([*corners[:-1], towards(tip, before, HEAD - 1)])
    look: dict[str, str | float] = {"fill": "none", "stroke_linejoin": "round", "stroke_linecap": "round"}
    dashes: dict[str, str | float] = {"stroke_dasharray": "5 5"} if dashed else {}
    return [
        element("path", d=route, stroke=paper, stroke_width=4.6, stroke_opacity=0.85, **look),
        element("path", class_="path", d=route, stroke=colour, stroke_width=2.4, **look, **dashes),
        arrow_head(
            tip, (tip[0] - before[0], tip[1] - before[1]), size=HEAD, class_="head", fill=colour, stroke=paper
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


def _badge_places(
    grid: Grid, paths: Sequence[Sequence[Cell]], offsets: Sequence[float]
) -> Iterator[tuple[int, Point]]:
    """Yield each path's index and the middle of its loneliest step, clear of the badges before it."""
    traffic = Counter(frozenset(step) for path in paths for step in pairwise(path))
    taken: list[Point] = []
    for k, (path, offset) in enumerate(zip(paths, offsets, strict=True)):
        choices = []
        for n, step in enumerate(pairwise(path)):
            if step[0] != step[1]:
                (px, py), (qx, qy) = _lane(grid, step, offset)
                place = ((px + qx) / 2, (py + qy) / 2)
                hidden = any(math.dist(place, other) < 2 * BADGE for other in taken)
                choices.append((hidden, traffic[frozenset(step)], abs(n + 1 - len(path) / 2), place))
        if not choices and path:
            x, y = grid.centre(path[0])
            choices = [(False, 0, 0.0, (x + offset, y + offset))]
        if choices:
            taken.append(min(choices)[-1])
            yield k, taken[-1]


def _badge(place: Point, k: int, name: str, paint: Paint) -> list[str]:
    x, y = place
    look: dict[str, str | float] = {"fill": paint.line(k), "stroke": paint.paper, "stroke_width": 1.2}
    disc = element("circle", class_="badge", cx=x, cy=y, r=BADGE, **look)
    return [disc, text(x, y, name, size=10, fill=paint.on_line(k), font_weight="bold")]
