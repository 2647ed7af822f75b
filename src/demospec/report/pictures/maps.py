"""Maps of grid worlds: with demonstrations drawn over them, or with a number and a colour in every cell.

Cells are (column, row) from 1, from the top left. Colours of numbers run from light to dark, so that they can
be told apart without colour vision and in print; every cell also says its number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from demospec.report.pictures.colours import (
    FAINT,
    FIXED,
    INK,
    MUTED,
    PAPER,
    Paint,
    channels,
    contrast,
    paint,
    text_colour,
)
from demospec.report.pictures.svg import (
    Look,
    Point,
    area,
    arrow_head,
    element,
    escape,
    page,
    path_to,
    polygon,
    text,
    text_width,
    towards,
    translated,
)
from demospec.wording import count
from demospec.worlds.gridworld import PLAIN, WHITE, Terrain

Cell = tuple[int, int]
MARGIN = 18.0
AXIS = 18.0  # room for column and row numbers
LINE = 22.0  # of a legend
ARROWS = {"^": "↑", "v": "↓", "<": "←", ">": "→"}


@dataclass(frozen=True)
class Grid:
    """The rows of a map, drawn with cells of one size."""

    rows: Sequence[str]
    side: float  # of a cell
    terrain: Terrain = PLAIN
    paint: Paint = FIXED

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0]:
            raise ValueError("the map is empty")
        columns = len(self.rows[0])
        for number_, row in enumerate(self.rows, start=1):
            if len(row) != columns:
                raise ValueError(f"map row {number_} has {len(row)} cells where row 1 has {columns}")

    @property
    def width(self) -> float:
        return len(self.rows[0]) * self.side

    @property
    def height(self) -> float:
        return len(self.rows) * self.side

    @property
    def letters(self) -> list[tuple[Cell, str]]:
        """Return every cell with its letter, row by row."""
        return [
            ((c, r), letter)
            for r, row in enumerate(self.rows, start=1)
            for c, letter in enumerate(row, start=1)
        ]

    def fill(self, character: str) -> str:
        """Return the colour of a cell: a wall's, its letter's, or none."""
        if character in self.terrain.walls:
            return self.paint.wall
        letter = self.terrain.letter(character)
        return self.paint.paper if letter is None else self.paint.letter(letter)

    def ink(self, character: str) -> str:
        """Return the ink that can be read on a cell."""
        letter = None if character in self.terrain.walls else self.terrain.letter(character)
        if letter is not None:
            return self.paint.on_letter(letter)
        return self.paint.ink if self.paint.live else text_colour(self.fill(character))

    def sign(self, character: str) -> str:
        """Return what is written in a cell's corner: its character; an arrow where it is one-way."""
        if character in self.terrain.walls or character == WHITE:
            return ""
        one_way = self.terrain.one_way and character in ARROWS
        return ARROWS[character] if one_way else character

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Return what the map's characters mean, where a legend says so."""
        drawn = {character for _, character in self.letters}
        letters = ((one, self.terrain.letter(one)) for one in self.terrain.legend if one in drawn)
        return [(character, letter or "no label") for character, letter in letters]

    def corner(self, cell: Cell) -> Point:
        """Return the top left of a cell."""
        return (cell[0] - 1) * self.side, (cell[1] - 1) * self.side

    def centre(self, cell: Cell) -> Point:
        return (cell[0] - 0.5) * self.side, (cell[1] - 0.5) * self.side

    def check(self, cell: Cell, name: str) -> None:
        """Refuse a cell that is not on the map."""
        columns, rows = len(self.rows[0]), len(self.rows)
        if not (1 <= cell[0] <= columns and 1 <= cell[1] <= rows):
            raise ValueError(
                f"{name}: cell ({cell[0]}, {cell[1]}) is not on the map of {columns} columns and {rows} rows"
            )

    def square(self, cell: Cell, **look: str | float) -> str:
        drawn = element("rect", class_="cell", **area(*self.corner(cell), self.side, self.side), **look)
        column, row = cell
        letter = self.terrain.letter(self.rows[row - 1][column - 1])
        live = self.paint.live
        return element("g", drawn, data_cell=f"{column},{row}", data_letter=letter) if live else drawn

    def frame(self) -> str:
        """Draw the line around all cells."""
        look: Look = {"fill": "none", "stroke": self.paint.ink, "stroke_width": 1.2}
        return element("rect", width=self.width, height=self.height, **look)

    def numbers(self) -> list[str]:
        """Write the numbers of columns and rows."""
        columns, rows = range(len(self.rows[0])), range(len(self.rows))
        fill = self.paint.muted
        return [
            *(text((c + 0.5) * self.side, -9, str(c + 1), size=10, fill=fill) for c in columns),
            *(text(-10, (r + 0.5) * self.side, str(r + 1), size=10, fill=fill) for r in rows),
        ]

    def page(self, body: Sequence[str], below: tuple[float, float], *, title: str) -> str:
        """Wrap what is drawn, with a legend of this width and height below the map, into a document."""
        legend_width, legend_height = below
        left, top = MARGIN + AXIS, MARGIN + AXIS + (26 if title else 0)
        width = max(max(self.width, legend_width) + AXIS, text_width(title, 14)) + 2 * MARGIN
        height = top + self.height + legend_height + MARGIN
        head = text(width / 2, MARGIN + 6, title, size=14, font_weight="bold", fill=self.paint.ink)
        drawn = [*([head] if title else []), translated(left, top, *body)]
        return page(drawn, width=width, height=height, title=title, paint=self.paint, kind="map")


def letter_patch(
    centre: Point, letter: str, size: tuple[float, float], colour: str, ink: str = "", **frame: str | float
) -> list[str]:
    """Write a letter on a patch of a colour, which hides what lies behind it."""
    (x, y), (width, height) = centre, size
    patch = area(x - width / 2, y - height / 2, width, height)
    return [
        element("rect", **patch, rx=3, fill=colour, **frame),
        text(x, y, letter, size=10.5, fill=ink or text_colour(colour), font_weight="bold", class_="letter"),
    ]


def legend_text(y: float, entry: str, x: float = 26, **look: str | float) -> str:
    """Write a line of a legend."""
    return text(x, y, entry, size=12, text_anchor="start", class_="legend", **look)


# -- Maps of grid worlds with demonstrations drawn over them ---------------------------------------------

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
    grid.check(start, "the start")
    for k, path in enumerate([*paths, not_taken], start=1):
        for n, cell in enumerate(path):
            grid.check(cell, f"demonstration {k}, step {n}")
    badges = [str(n) for n in numbers or range(1, len(paths) + 1)]
    legend = ["start", *(f"demonstration {n} ({_steps(p)})" for n, p in zip(badges, paths, strict=True))]
    lines = list(paths)
    if not_taken:
        lines.append(not_taken)
        badges.append("?")
        legend.append(f"the path not taken ({_steps(not_taken)})")
    offsets = lanes(len(lines))
    drawn = [*_cells(grid), grid.frame(), *grid.numbers(), _start_mark(grid.centre(start), 0.38 * SIDE, look)]
    for k, path in enumerate(lines):
        line = _path(grid, path, k, offsets[k], dashed=k == len(paths))
        drawn += [element("g", *line, data_run=badges[k])] if live and line else line
    for cell, character in grid.letters:  # each letter in its cell's corner, over the lines
        if sign := grid.sign(character):
            x, y = grid.corner(cell)
            drawn += _letter(grid, (x + 8, y + 8), sign, character)
    for k, place in _badge_places(grid, lines, offsets):
        disc = _badge(place, k, badges[k], look)
        drawn += [element("g", *disc, data_run=badges[k])] if live else disc

    for k, entry in enumerate(legend):
        y = grid.height + 10 + LINE * (k + 0.5)
        drawn += [_start_mark((9, y), BADGE, look)] if k == 0 else _badge((9, y), k - 1, badges[k - 1], look)
        drawn.append(legend_text(y, entry, fill=look.ink))
    for k, (character, letter) in enumerate(grid.entries, start=len(legend)):
        y = grid.height + 10 + LINE * (k + 0.5)
        drawn += [*_letter(grid, (9, y), character, character), legend_text(y, letter, fill=look.ink)]
    legend += [letter for _, letter in grid.entries]
    below = 26 + max(text_width(entry, 12) for entry in legend), 6 + LINE * len(legend)
    return grid.page(drawn, below, title=title)


def lanes(lines: int) -> list[float]:
    """Return how far each of so many paths keeps to the right."""
    return [(k + 0.6) * min(LANE, WIDEST_LANE / (lines - 0.4)) for k in range(lines)]


def _steps(path: Sequence[Cell]) -> str:
    return count(max(0, len(path) - 1), "step")


def _cells(grid: Grid) -> list[str]:
    return [
        grid.square(cell, fill=grid.fill(letter), stroke=grid.paint.faint) for cell, letter in grid.letters
    ]


def _letter(grid: Grid, centre: Point, said: str, character: str) -> list[str]:
    return letter_patch(centre, said, (12, 11), grid.fill(character), grid.ink(character))


def _start_mark(centre: Point, radius: float, paint: Paint) -> str:
    look: Look = {"fill": paint.paper, "fill_opacity": 0.6, "stroke": paint.ink, "stroke_width": 1.8}
    return element("circle", class_="start", cx=centre[0], cy=centre[1], r=radius, **look)


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
    look: Look = {"fill": "none", "stroke_linejoin": "round", "stroke_linecap": "round"}
    dashes: Look = {"stroke_dasharray": "5 5"} if dashed else {}
    ahead = tip[0] - before[0], tip[1] - before[1]
    return [
        element("path", d=route, stroke=paper, stroke_width=4.6, stroke_opacity=0.85, **look),
        element("path", class_="path", d=route, stroke=colour, stroke_width=2.4, **look, **dashes),
        arrow_head(tip, ahead, size=HEAD, class_="head", fill=colour, stroke=paper),
    ]


def _rounded(corners: Sequence[Point]) -> str:
    """Return path data through the corners, each cut off by a small curve."""
    parts = [path_to("M", corners[0])]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        cut = min(5.0, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        parts += [path_to("L", towards(corner, before, cut)), path_to("Q", corner)]
        parts.append(path_to(" ", towards(corner, after, cut)))
    return "".join([*parts, path_to("L", corners[-1])])


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
    look: Look = {"fill": paint.line(k), "stroke": paint.paper, "stroke_width": 1.2}
    disc = element("circle", class_="badge", cx=x, cy=y, r=BADGE, **look)
    return [disc, text(x, y, name, size=10, fill=paint.on_line(k), font_weight="bold")]


# -- Maps of a grid world with a number and a colour in every cell, and arrows for the moves th ----------

BOX = 64.0  # of a cell
BAR = 13.0  # height of the colour bar
SHADES = 48  # in the colour bar
REACH = 21.0  # of an arrow that is certain, from its middle
LEAST_ARROW = 0.1  # less likely moves are not drawn

# Light and bluish to dark; the lightness falls evenly, and no letter of a map has these hues.
ANCHORS = ("#f4f9f7", "#c0dfdb", "#8fc4c3", "#61a8af", "#408a9d", "#2b6c87", "#204e71", "#193355", "#111a35")
BLACK = "#000000"


@dataclass(frozen=True)
class Scale:
    """From numbers to colours: what is at most `least` is lightest, what is at least `greatest` darkest.

    With `root`, colours follow the square root, which tells small numbers apart.
    """

    least: float
    greatest: float
    root: bool = False
    decimals: int = 2

    def share(self, value: float) -> float:
        """Return where a number lies between the ends, from 0 to 1."""
        if self.greatest <= self.least:
            return 0.0
        share = min(1.0, max(0.0, (value - self.least) / (self.greatest - self.least)))
        return math.sqrt(share) if self.root else share

    def colour(self, value: float) -> str:
        """Return the colour of a number."""
        return colour_at(self.share(value))

    def write(self, value: float) -> str:
        """Return a number as cells and legend show it."""
        return f"{value + 0.0:.{self.decimals}f}"

    @property
    def ticks(self) -> list[float]:
        """Return the numbers that the colour bar names."""
        spread = max(0.0, self.greatest - self.least)
        shares = (0.0, 0.25, 0.5, 0.75, 1.0) if spread else (0.0,)
        return [self.least + (share * share if self.root else share) * spread for share in shares]


def colour_at(share: float) -> str:
    """Return the colour at a share, from 0 (light) to 1 (dark), as `#rrggbb`.

    >>> colour_at(0), colour_at(0.5), colour_at(1)
    ('#f4f9f7', '#408a9d', '#111a35')
    """
    place = share * (len(ANCHORS) - 1)
    at = min(int(place), len(ANCHORS) - 2)
    rest = place - at
    ends = zip(channels(ANCHORS[at]), channels(ANCHORS[at + 1]), strict=True)
    return "#" + "".join(f"{round(low + rest * (high - low)):02x}" for low, high in ends)


@dataclass(frozen=True)
class Layer:
    """What a map shows: a number for each cell that has one, and what is drawn on top of it.

    `moves` are the probabilities of moves (`up`, `down`, `left`, `right`), drawn as arrows, and of stopping
    there (any other name), drawn as a square; `marks` are a few characters for a cell's corner; `told` is
    shown when the pointer rests on the cell. A number that rounds to 0 is left out where `hide_zero` says so.
    """

    numbers: Mapping[Cell, float]
    scale: Scale
    caption: str
    moves: Mapping[Cell, Mapping[str, float]] = field(default_factory=dict)
    marks: Mapping[Cell, str] = field(default_factory=dict)
    told: Mapping[Cell, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    hide_zero: bool = False


def number_map(
    rows: Sequence[str], layer: Layer, *, start: Cell, title: str = "", terrain: Terrain = PLAIN
) -> str:
    """Draw a map; cells are (column, row) from 1, from the top left."""
    grid = Grid(rows, BOX, terrain)
    meant = [f"{character}: {letter}" for character, letter in grid.entries]
    layer = replace(layer, notes=(*layer.notes, *meant))
    body = [_cell(grid, cell, letter, layer) for cell, letter in grid.letters]
    body += [grid.frame(), *_start_frame(grid.corner(start), BOX), *grid.numbers()]
    legend, width, height = _legend(layer)
    body.append(translated(0, grid.height + 14, *legend))
    return grid.page(body, (width, height + 8), title=title)


# -- cells ----------------------------------------------------------------------------------------


def _cell(grid: Grid, cell: Cell, letter: str, layer: Layer) -> str:
    x, y = grid.corner(cell)
    value = layer.numbers.get(cell)
    wall = letter in grid.terrain.walls
    fill = grid.fill(letter) if wall else PAPER if value is None else layer.scale.colour(value)
    ink = max((BLACK, PAPER), key=lambda one: contrast(one, fill))
    parts = [element("title", escape(told))] if (told := layer.told.get(cell)) else []
    parts.append(grid.square(cell, fill=fill, stroke=FAINT))
    moves = layer.moves.get(cell, {})
    for move, chance in moves.items():
        if chance >= LEAST_ARROW:
            middle = (x + BOX / 2, y + 0.4 * BOX)
            step = grid.terrain.steps.get(move)
            drawn = _stop(middle, chance, ink) if step is None else _arrow(middle, step, chance, ink)
            parts.append(drawn)
    if value is not None and not (layer.hide_zero and float(layer.scale.write(value)) == 0):
        low = bool(layer.moves)  # the arrows have the middle
        place, size = (y + 0.84 * BOX, 12.0) if low else (y + 0.56 * BOX, 14.0)
        parts.append(text(x + BOX / 2, place, layer.scale.write(value), size=size, fill=ink, class_="number"))
    if sign := grid.sign(letter):  # framed, so that it stands out on every fill
        patch = grid.fill(letter)
        parts += letter_patch((x + 9, y + 9), sign, (13, 12), patch, stroke=PAPER, stroke_width=1.2)
    if mark := layer.marks.get(cell):
        parts.append(text(x + BOX - 4, y + 9, mark, size=10.5, fill=ink, text_anchor="end", class_="mark"))
    return element("g", *parts)


def _start_frame(corner: Point, side: float) -> list[str]:
    """Draw a double frame just inside a cell: dark on light, light on dark."""
    inner: Look = {**area(corner[0] + 2.5, corner[1] + 2.5, side - 5, side - 5), "rx": 4, "fill": "none"}
    return [
        element("rect", **inner, stroke=PAPER, stroke_width=4.4),
        element("rect", class_="start", **inner, stroke=INK, stroke_width=2),
    ]


def _arrow(middle: Point, move: tuple[int, int], chance: float, ink: str) -> str:
    """Draw an arrow away from the middle; its length is in proportion to the chance."""
    (x, y), norm = middle, math.hypot(*move)
    ux, uy = (move[0] / norm, move[1] / norm) if norm > 1 else move
    gap, length = 2.0, REACH * chance
    head = min(9.0, 0.5 * length + 2)
    shaft, barb = 0.8 + 0.8 * chance, 0.5 * head
    neck, tip = gap + length - head, (gap + length, 0.0)
    profile = [
        *((gap, shaft), (neck, shaft), (neck, barb), tip),
        *((neck, -barb), (neck, -shaft), (gap, -shaft)),
    ]
    points = [(x + along * ux - across * uy, y + along * uy + across * ux) for along, across in profile]
    return polygon(points, class_="arrow", fill=ink, data_chance=f"{chance:.4f}")


def _stop(middle: Point, chance: float, ink: str) -> str:
    """Draw a square in the middle; its side is in proportion to the chance."""
    side, (x, y) = 2 + 10 * chance, middle
    square = area(x - side / 2, y - side / 2, side, side)
    return element("rect", class_="stop", **square, fill=ink, data_chance=f"{chance:.4f}")


# -- legend ---------------------------------------------------------------------------------------


def _legend(layer: Layer) -> tuple[list[str], float, float]:
    """Return what stands below the map, its width and its height."""
    scale, width = layer.scale, 5 * BOX
    ticks = scale.ticks
    parts = [legend_text(6, layer.caption, 0)]
    top, bottom = 18.0, 18.0 + BAR
    if len(ticks) > 1:
        step = width / SHADES
        for k in range(SHADES):
            colour = colour_at((k + 0.5) / SHADES)  # the bar is even in colour, its numbers need not be
            parts.append(element("rect", class_="shade", **area(k * step, top, step + 0.3, BAR), fill=colour))
        parts.append(element("rect", y=top, width=width, height=BAR, fill="none", stroke=MUTED))
    for tick in ticks:
        x = width * scale.share(tick)
        if len(ticks) > 1:
            parts.append(element("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, stroke=MUTED))
        look: Look = {
            "text_anchor": "start" if x == 0 else "end" if x == width else "middle",
            "class_": "tick",
        }
        parts.append(text(x, bottom + 12, scale.write(tick), size=11, fill=MUTED, **look))
    y = bottom + 12 + LINE
    parts += [*_start_frame((0, y - 8), 16), legend_text(y, "start")]
    longest = max(width, *(text_width(line, 12) for line in (layer.caption, *layer.notes)))
    if layer.moves:
        y += LINE
        entry, drawn = _arrow_legend(y)
        parts += drawn
        longest = max(longest, entry)
    for note in layer.notes:
        y += LINE
        parts.append(legend_text(y, note, 0))
    return parts, longest, y + 8


def _arrow_legend(y: float) -> tuple[float, list[str]]:
    """Return the right end and the parts of the line that tells what an arrow's length means."""
    x, parts = 0.0, []
    for chance in (1.0, 0.5, 0.25):
        parts.append(_arrow((x, y), (1, 0), chance, INK))
        x += 4 + REACH * chance + 4
        parts.append(legend_text(y, f"{chance:g}", x))
        x += text_width(f"{chance:g}", 12) + 12
    what = f"probability of a move (below {LEAST_ARROW:g}: not drawn)"
    parts.append(legend_text(y, what, x))
    return x + text_width(what, 12), parts
