"""The map that people draw on: in layers, with the pieces that a page puts into cells, drawn once.

A page that paints a cell changes that cell alone: it puts a piece there, which is drawn here at the origin of
a cell. Lines of runs are a layer of their own, drawn anew when a run gets longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from demospec.report.pictures.colours import LIVE, letter_colour, text_colour
from demospec.report.pictures.maps import (
    SIDE,
    Cell,
    Grid,
    _badge,
    _badge_places,
    _cells,
    _lane,
    _path,
    _start_mark,
    lanes,
    letter_patch,
)
from demospec.report.pictures.svg import Look, area, element, number, translated
from demospec.worlds.gridworld import PLAIN, Terrain

LAYERS = ("glow", "marks", "paths", "signs", "badges", "walker")  # above the cells, in this order


@dataclass(frozen=True)
class Line:
    """A run that is drawn on a map: its cells, what its badge says, and which colour it has."""

    cells: Sequence[Cell]
    name: str
    colour: int
    dashed: bool = False


def board_svg(rows: Sequence[str], terrain: Terrain = PLAIN) -> str:
    """Draw the empty map: cells with their letters, and a group for each layer above them."""
    grid = Grid(rows, SIDE, terrain, LIVE)
    signs = [
        translated(*grid.corner(cell), *sign(grid, character), data_sign=f"{cell[0]},{cell[1]}")
        for cell, character in grid.letters
    ]
    layers = [element("g", *(signs if name == "signs" else [""]), class_=f"layer-{name}") for name in LAYERS]
    body = [element("g", *_cells(grid), class_="layer-cells"), grid.frame(), *grid.numbers(), *layers]
    return grid.page(body, (0.0, 0.0), title="")


def sign(grid: Grid, character: str) -> list[str]:
    """Draw what is written in the corner of a cell, at the origin."""
    said = grid.sign(character)
    return letter_patch((8, 8), said, (12, 11), grid.fill(character), grid.ink(character)) if said else []


def pieces(rows: Sequence[str], terrain: Terrain, characters: str) -> dict[str, Any]:
    """Return what a page puts into cells: by character its colour, letter and sign; and the marks of cells.

    All are drawn at the origin of a cell of the side that is told.
    """
    grid = Grid(rows, SIDE, terrain, LIVE)
    middle = (SIDE / 2, SIDE / 2)
    stripes = "".join(
        f"M{number(SIDE - 4 - k)} {number(SIDE - 4)}L{number(SIDE - 4)} {number(SIDE - 4 - k)}"
        for k in (6, 12, 18)
    )
    walker: Look = {"fill": LIVE.ink, "stroke": LIVE.paper, "stroke_width": 3}
    end: Look = {"stroke": LIVE.ink, "stroke_width": 2, "stroke_dasharray": "3 3"}
    return {
        "side": SIDE,
        "cells": {
            character: {
                "fill": grid.fill(character),
                "letter": terrain.letter(character),
                "sign": "".join(sign(grid, character)),
            }
            for character in characters
        },
        "marks": {
            "start": _start_mark(middle, 0.38 * SIDE, LIVE),
            "slippery": element("path", d=stripes, stroke=LIVE.muted, stroke_width=2, fill="none"),
            "walker": element("circle", cx=SIDE / 2, cy=SIDE / 2, r=0.22 * SIDE, **walker),
            "cursor": element("rect", **area(2, 2, SIDE - 4, SIDE - 4), fill="none"),
            "terminal": element("rect", **area(4, 4, SIDE - 8, SIDE - 8), rx=4, fill="none", **end),
        },
    }


def swatch(letter: str) -> dict[str, str]:
    """Return the colour of a letter, and the ink that can be read on it."""
    return {"fill": letter_colour(letter), "ink": text_colour(letter_colour(letter))}


def moves(grid: Grid, line: Line, offset: float) -> list[str]:
    """Draw each move of a run by itself: not seen, unless a page lights it up."""
    drawn = []
    for step, (here, there) in enumerate(pairwise(line.cells), start=1):
        if here != there:
            (x1, y1), (x2, y2) = _lane(grid, (here, there), offset)
            told: Look = {"data_run": line.name, "data_step": step}
            drawn.append(element("line", class_="move", x1=x1, y1=y1, x2=x2, y2=y2, **told))
    return drawn


def lines_layer(rows: Sequence[str], terrain: Terrain, lines: Sequence[Line]) -> dict[str, str]:
    """Draw runs: the markup of the layers `paths` and `badges`."""
    grid = Grid(rows, SIDE, terrain, LIVE)
    for line in lines:
        for step, cell in enumerate(line.cells):
            grid.check(cell, f"run {line.name}, step {step}")
    offsets = lanes(len(lines))
    paths = [
        element("g", *moves(grid, line, offset), *drawn, data_run=line.name)
        for line, offset in zip(lines, offsets, strict=True)
        if (drawn := _path(grid, line.cells, line.colour, offset, dashed=line.dashed))
    ]
    badges = [
        element("g", *_badge(place, lines[k].colour, lines[k].name, LIVE), data_badge=lines[k].name)
        for k, place in _badge_places(grid, [line.cells for line in lines], offsets)
    ]
    return {"paths": "".join(paths), "badges": "".join(badges)}
