"""Maps of a grid world with a number and a colour in every cell, and arrows for the moves that are made.

Colours run from light to dark, so that they can be told apart without colour vision and in print; every
cell also says its number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from demospec.report.pictures.colours import FAINT, INK, MUTED, PAPER, contrast
from demospec.report.pictures.grid import LINE, Cell, Grid, letter_patch
from demospec.report.pictures.svg import Point, element, escape, number, polygon, text, text_width
from demospec.worlds.gridworld import PLAIN
from demospec.worlds.terrain import Terrain

SIDE = 64.0  # of a cell
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
        if self.greatest <= self.least:
            return [self.least]
        shares = (0.0, 0.25, 0.5, 0.75, 1.0)
        return [
            self.least + (share * share if self.root else share) * (self.greatest - self.least)
            for share in shares
        ]


def colour_at(share: float) -> str:
    """Return the colour at a share, from 0 (light) to 1 (dark), as `#rrggbb`.

    >>> colour_at(0), colour_at(0.5), colour_at(1)
    ('#f4f9f7', '#408a9d', '#111a35')
    """
    place = share * (len(ANCHORS) - 1)
    at = min(int(place), len(ANCHORS) - 2)
    rest = place - at
    ends = zip(_channels(ANCHORS[at]), _channels(ANCHORS[at + 1]), strict=True)
    return "#" + "".join(f"{round(low + rest * (high - low)):02x}" for low, high in ends)


def _channels(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


@dataclass(frozen=True)
class Layer:
    """What a map shows: a number for each cell that has one, and what is drawn on top of it.

    `moves` are the probabilities of moves (`up`, `down`, `left`, `right`), drawn as arrows, and of stopping
    there (any other name), drawn as a square; `marks` are a
    few characters for a cell's corner; `told` is shown when the pointer rests on the cell. A number that
    rounds to 0 is left out where `hide_zero` says so.
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
    grid = Grid(rows, SIDE, terrain)
    meant = [f"{character}: {letter}" for character, letter in grid.entries]
    layer = replace(layer, notes=(*layer.notes, *meant))
    body = [_cell(grid, cell, letter, layer) for cell, letter in grid.letters]
    body += [grid.frame(), *_start_frame(grid.corner(start), SIDE), *grid.numbers()]
    legend, width, height = _legend(layer)
    body.append(element("g", *legend, transform=f"translate(0 {number(grid.height + 14)})"))
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
            middle = (x + SIDE / 2, y + 0.4 * SIDE)
            step = grid.terrain.steps.get(move)
            drawn = _stop(middle, chance, ink) if step is None else _arrow(middle, step, chance, ink)
            parts.append(drawn)
    if value is not None and not (layer.hide_zero and float(layer.scale.write(value)) == 0):
        low = bool(layer.moves)  # the arrows have the middle
        place, size = (y + 0.84 * SIDE, 12.0) if low else (y + 0.56 * SIDE, 14.0)
        parts.append(
            text(x + SIDE / 2, place, layer.scale.write(value), size=size, fill=ink, class_="number")
        )
    if sign := grid.sign(letter):  # framed, so that it stands out on every fill
        patch = grid.fill(letter)
        parts += letter_patch((x + 9, y + 9), sign, (13, 12), patch, stroke=PAPER, stroke_width=1.2)
    if mark := layer.marks.get(cell):
        parts.append(text(x + SIDE - 4, y + 9, mark, size=10.5, fill=ink, text_anchor="end", class_="mark"))
    return element("g", *parts)


def _start_frame(corner: Point, side: float) -> list[str]:
    """Draw a double frame just inside a cell: dark on light, light on dark."""
    x, y = corner
    inner: dict[str, str | float] = {
        "x": x + 2.5,
        "y": y + 2.5,
        "width": side - 5,
        "height": side - 5,
        "rx": 4,
        "fill": "none",
    }
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
    profile = [
        *((gap, shaft), (gap + length - head, shaft), (gap + length - head, barb), (gap + length, 0.0)),
        *((gap + length - head, -barb), (gap + length - head, -shaft), (gap, -shaft)),
    ]
    points = [(x + along * ux - across * uy, y + along * uy + across * ux) for along, across in profile]
    return polygon(points, class_="arrow", fill=ink, data_chance=f"{chance:.4f}")


def _stop(middle: Point, chance: float, ink: str) -> str:
    """Draw a square in the middle; its side is in proportion to the chance."""
    side, (x, y) = 2 + 10 * chance, middle
    square: dict[str, str | float] = {"x": x - side / 2, "y": y - side / 2, "width": side, "height": side}
    return element("rect", class_="stop", **square, fill=ink, data_chance=f"{chance:.4f}")


# -- legend ---------------------------------------------------------------------------------------


def _legend(layer: Layer) -> tuple[list[str], float, float]:
    """Return what stands below the map, its width and its height."""
    scale, width = layer.scale, 5 * SIDE
    ticks = scale.ticks
    parts = [text(0, 6, layer.caption, size=12, text_anchor="start", class_="legend")]
    top = 18.0
    if len(ticks) > 1:
        step = width / SHADES
        for k in range(SHADES):
            colour = colour_at((k + 0.5) / SHADES)  # the bar is even in colour, its numbers need not be
            parts.append(
                element("rect", class_="shade", x=k * step, y=top, width=step + 0.3, height=BAR, fill=colour)
            )
        parts.append(element("rect", y=top, width=width, height=BAR, fill="none", stroke=MUTED))
    for tick in ticks:
        x = width * scale.share(tick)
        anchor = "start" if x == 0 else "end" if x == width else "middle"
        if len(ticks) > 1:
            parts.append(element("line", x1=x, x2=x, y1=top + BAR, y2=top + BAR + 4, stroke=MUTED))
        parts.append(
            text(x, top + BAR + 12, scale.write(tick), size=11, fill=MUTED, text_anchor=anchor, class_="tick")
        )
    y = top + BAR + 12 + LINE
    parts += _start_frame((0, y - 8), 16)
    parts.append(text(26, y, "start", size=12, text_anchor="start", class_="legend"))
    longest = max(width, text_width(layer.caption, 12))
    if layer.moves:
        y += LINE
        entry, drawn = _arrow_legend(y)
        parts += drawn
        longest = max(longest, entry)
    for note in layer.notes:
        y += LINE
        parts.append(text(0, y, note, size=12, text_anchor="start", class_="legend"))
        longest = max(longest, text_width(note, 12))
    return parts, longest, y + 8


def _arrow_legend(y: float) -> tuple[float, list[str]]:
    """Return the right end and the parts of the line that tells what an arrow's length means."""
    x, parts = 0.0, []
    for chance in (1.0, 0.5, 0.25):
        parts.append(_arrow((x, y), (1, 0), chance, INK))
        x += 4 + REACH * chance + 4
        parts.append(text(x, y, f"{chance:g}", size=12, text_anchor="start", class_="legend"))
        x += text_width(f"{chance:g}", 12) + 12
    what = f"probability of a move (below {LEAST_ARROW:g}: not drawn)"
    parts.append(text(x, y, what, size=12, text_anchor="start", class_="legend"))
    return x + text_width(what, 12), parts
