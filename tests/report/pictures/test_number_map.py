"""Maps are judged from their SVG text: numbers, colours and arrows are read back and measured."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from demospec.report.pictures.colours import contrast
from demospec.report.pictures.maps import BOX, LEAST_ARROW, Cell, Layer, Scale, colour_at, number_map
from demospec.report.pictures.svg import text_width
from demospec.worlds.gridworld import MOVES

ROWS = ("..r", "yb.")
CELLS: list[Cell] = [(c, r) for r in (1, 2) for c in (1, 2, 3)]
SHARES = [k / 200 for k in range(201)]
# Machado, Oliveira and Fernandes (2009), severity 1: what is seen without one kind of cones, in linear RGB.
WITHOUT = {
    "protanopia": ((0.1523, 1.0526, -0.2049), (0.1145, 0.7863, 0.0992), (-0.0039, -0.0481, 1.0520)),
    "deuteranopia": ((0.3673, 0.8606, -0.2280), (0.2801, 0.6725, 0.0474), (-0.0118, 0.0429, 0.9689)),
    "tritanopia": ((1.2555, -0.0767, -0.1788), (-0.0784, 0.9308, 0.1476), (0.0047, 0.6914, 0.3039)),
}


def linear(colour: str) -> list[float]:
    channels = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def lightness(rgb: list[float]) -> float:
    """Return L* of a linear colour, from 0 to 100."""
    y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


# -- the colours --------------------------------------------------------------------------------------


def test_lightness_falls_evenly_from_light_to_dark() -> None:
    seen = [lightness(linear(colour_at(share))) for share in SHARES]
    assert seen[0] > 95
    assert seen[-1] < 15
    steps = [before - after for before, after in pairwise(seen)]
    assert min(steps) > 0
    coarse = [before - after for before, after in pairwise(seen[::20])]
    assert max(coarse) < 1.25 * min(coarse)


@pytest.mark.parametrize("kind", WITHOUT)
def test_the_order_of_colours_is_seen_without_some_cones(kind: str) -> None:
    def seen(share: float) -> float:
        colour = linear(colour_at(share))
        return lightness([sum(w * c for w, c in zip(row, colour, strict=True)) for row in WITHOUT[kind]])

    assert all(before > after + 3 for before, after in pairwise(map(seen, SHARES[::10])))


def test_colours_follow_numbers_and_stop_at_the_ends() -> None:
    for scale in (Scale(-3, 7), Scale(0, 2, root=True)):
        span = scale.greatest - scale.least
        shares = [scale.share(scale.least + span * share) for share in SHARES]
        assert shares == sorted(set(shares))
        assert (shares[0], shares[-1]) == (0, 1)
        assert scale.colour(scale.least - 1) == colour_at(0)
        assert scale.colour(scale.greatest + 1) == colour_at(1)
        assert [scale.share(tick) for tick in scale.ticks] == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert Scale(5, 5).share(5) == 0
    assert Scale(5, 5).ticks == [5]


# -- a map, read back ---------------------------------------------------------------------------------


def layer(**changes: object) -> Layer:
    numbers = {cell: 0.004 + 0.199 * k for k, cell in enumerate(CELLS)}
    moves = {cell: {"up": 0.5, "down": 0.3, "left": 0.15, "right": 0.05} for cell in CELLS}
    settings: dict[str, object] = {
        "numbers": numbers,
        "scale": Scale(0, 1),
        "caption": "what it shows",
        "moves": moves,
        "marks": {(3, 1): "→2"},
        **changes,
    }
    return Layer(**settings)  # type: ignore[arg-type]


class Picture:
    """A map, read back from its text."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        self.parents = {child: parent for parent in self.root.iter() for child in parent}

    def all(self, name: str) -> list[ElementTree.Element]:
        return [found for found in self.root.iter() if found.get("class") == name]

    def texts(self, name: str) -> list[str]:
        return [found.text or "" for found in self.all(name)]

    def cell_of(self, part: ElementTree.Element) -> Cell | None:
        box = next((c for c in self.parents[part] if c.get("class") == "cell"), None)
        if box is None:
            return None  # in the legend
        return round(float(box.get("x", "")) / BOX) + 1, round(float(box.get("y", "")) / BOX) + 1

    def in_cells(self, name: str) -> list[tuple[Cell, ElementTree.Element]]:
        return [(cell, part) for part in self.all(name) if (cell := self.cell_of(part)) is not None]


def points(arrow: ElementTree.Element) -> list[tuple[float, float]]:
    numbers = [float(part) for part in re.findall(r"-?[\d.]+", arrow.get("points", ""))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def box_of_text(part: ElementTree.Element) -> tuple[float, float, float, float]:
    size, x, base = (float(part.get(name, "")) for name in ("font-size", "x", "y"))
    width = text_width(part.text or "", size)
    left = {"middle": x - width / 2, "end": x - width, "start": x}[part.get("text-anchor", "")]
    return left, base - 0.75 * size, left + width, base + 0.05 * size


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_every_cell_shows_its_number_and_its_colour() -> None:
    shown = layer()
    picture = Picture(number_map(ROWS, shown, start=(2, 2), title="a map"))
    assert {cell: part.text for cell, part in picture.in_cells("number")} == {
        cell: f"{value:.2f}" for cell, value in shown.numbers.items()
    }
    assert {cell: part.get("fill") for cell, part in picture.in_cells("cell")} == {
        cell: shown.scale.colour(value) for cell, value in shown.numbers.items()
    }
    assert {cell: part.text for cell, part in picture.in_cells("letter")} == {
        (3, 1): "r",
        (1, 2): "y",
        (2, 2): "b",
    }
    assert {cell: part.text for cell, part in picture.in_cells("mark")} == {(3, 1): "→2"}
    assert "what it shows" in picture.texts("legend")
    assert picture.texts("tick") == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert "a map" in [part.text for part in picture.root.iter() if part.tag.endswith("text")]


def test_numbers_and_arrows_can_be_read_on_every_colour() -> None:
    for share in SHARES:
        shown = layer(numbers=dict.fromkeys(CELLS, share))
        picture = Picture(number_map(ROWS, shown, start=(1, 1)))
        inks = {
            part.get("fill", "") for name in ("number", "arrow", "mark") for _, part in picture.in_cells(name)
        }
        assert all(contrast(ink, colour_at(share)) >= 4.5 for ink in inks)


def test_arrows_point_where_the_move_goes_and_are_as_long_as_it_is_likely() -> None:
    moves = {"up": 0.5, "down": 0.3, "left": 0.15, "right": 0.05}
    picture = Picture(number_map(ROWS, layer(), start=(1, 1)))
    found = picture.in_cells("arrow")
    drawn = [move for move, chance in moves.items() if chance >= LEAST_ARROW]
    assert len(found) == len(CELLS) * len(drawn)
    lengths: dict[str, set[float]] = {}
    for cell, arrow in found:
        corners = points(arrow)
        back = corners[0][0] / 2 + corners[-1][0] / 2, corners[0][1] / 2 + corners[-1][1] / 2
        (x, y), tip = back, corners[3]
        length = math.dist(back, tip)
        direction = round((tip[0] - x) / length), round((tip[1] - y) / length)
        move = next(name for name, way in MOVES.items() if way == direction)
        assert float(arrow.get("data-chance", "")) == moves[move]
        lengths.setdefault(move, set()).add(round(length / moves[move], 0))
        left, top = (cell[0] - 1) * BOX, (cell[1] - 1) * BOX
        assert all(left < px < left + BOX and top < py < top + BOX for px, py in corners)
    assert set(lengths) == set(drawn)
    assert len({length for found_lengths in lengths.values() for length in found_lengths}) == 1


@pytest.mark.parametrize("move", MOVES)
def test_nothing_in_a_cell_covers_anything_else(move: str) -> None:
    shown = layer(
        numbers=dict.fromkeys(CELLS, 24.5),
        scale=Scale(10, 30),
        moves={cell: {move: 1.0} for cell in CELLS},
        marks=dict.fromkeys(CELLS, "→12"),
    )
    picture = Picture(number_map(("rrr", "rrr"), shown, start=(1, 1)))
    for cell in CELLS:
        boxes = [
            box_of_text(part)
            for name in ("number", "letter", "mark")
            for place, part in picture.in_cells(name)
            if place == cell
        ]
        (corners,) = [points(part) for place, part in picture.in_cells("arrow") if place == cell]
        boxes.append(
            (
                min(x for x, _ in corners),
                min(y for _, y in corners),
                max(x for x, _ in corners),
                max(y for _, y in corners),
            )
        )
        left, top = (cell[0] - 1) * BOX, (cell[1] - 1) * BOX
        assert len(boxes) == 4
        assert not any(overlap(a, b) for a, b in combinations(boxes, 2))
        assert all(left < b[0] and b[2] < left + BOX and top < b[1] and b[3] < top + BOX for b in boxes)


@pytest.mark.parametrize("rows", [("..",), ROWS, ("." * 12,) * 2])
def test_what_is_written_stays_on_the_page(rows: tuple[str, ...]) -> None:
    shown = layer(numbers={(1, 1): 1.0, (2, 1): 0.0}, notes=("a remark about what is drawn here",) * 2)
    picture = Picture(number_map(rows, shown, start=(1, 1), title="the title of this map"))
    _, _, width, height = map(float, picture.root.get("viewBox", "").split())
    shift = next(g for g in picture.root if g.tag.endswith("g")).get("transform", "")
    dx, dy = (float(part) for part in re.findall(r"[\d.]+", shift))
    lines = []
    for part in picture.all("legend") + picture.all("tick"):
        below = float(re.findall(r"[\d.]+", picture.parents[part].get("transform", ""))[1])
        left, top, right, bottom = box_of_text(part)
        box = left + dx, top + dy + below, right + dx, bottom + dy + below
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= width
        assert box[3] <= height
        lines.append(box)
    assert not any(overlap(a, b) for a, b in combinations(lines, 2))


def test_small_numbers_are_left_out_where_that_is_said() -> None:
    shown = layer(hide_zero=True)
    picture = Picture(number_map(ROWS, shown, start=(1, 1)))
    assert (1, 1) not in {cell for cell, _ in picture.in_cells("number")}
    assert len(picture.in_cells("number")) == len(CELLS) - 1
    assert len(picture.in_cells("cell")) == len(CELLS)


def test_a_cell_without_a_number_is_white() -> None:
    picture = Picture(number_map(ROWS, layer(numbers={(1, 1): 0.5}, moves={}), start=(1, 1)))
    fills = {cell: part.get("fill") for cell, part in picture.in_cells("cell")}
    assert fills[2, 1] == "#ffffff"
    assert len(picture.in_cells("number")) == 1


def test_one_number_everywhere_needs_no_colour_bar() -> None:
    picture = Picture(
        number_map(ROWS, layer(numbers=dict.fromkeys(CELLS, 3.0), scale=Scale(3, 3)), start=(1, 1))
    )
    assert picture.texts("tick") == ["3.00"]
    assert picture.all("shade") == []


def test_the_colour_bar_runs_through_all_colours() -> None:
    shades = [part.get("fill", "") for part in Picture(number_map(ROWS, layer(), start=(1, 1))).all("shade")]
    falling = [lightness(linear(shade)) for shade in shades]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > 95
    assert falling[-1] < 15


def test_text_is_escaped_and_pictures_can_share_a_page() -> None:
    shown = layer(caption='a < b & "c"', told={(1, 1): "<script>"}, marks={(1, 1): "<&"})
    svg = number_map(("<&.", "..."), shown, start=(1, 1), title="<x>")
    picture = Picture(svg)
    assert 'a < b & "c"' in picture.texts("legend")
    assert "<script>" not in svg
    assert " id=" not in svg
    assert "<style" not in svg
