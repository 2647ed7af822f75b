"""Maps with paths are judged from their SVG text: cells, start, lanes."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from drawn import Picture, number_of

from demospec.report.pictures.colours import letter_colour
from demospec.report.pictures.maps import path_map

ROWS = ["..rr..r.", "........", "g.....r.", "......r.", "..bbbbr.", "......ry", "..bbbbr.", "y.....rg"]
PATH_A = [(5, 6), (4, 6), (3, 6), (2, 6), (1, 6), (1, 7), (1, 8)]
PATH_B = [(5, 6), (5, 7), (4, 7), (3, 7), (3, 6), (2, 6), (1, 6), (1, 5), (1, 4), (1, 3), (1, 4)]


def test_a_grid_shows_its_cells_start_and_paths() -> None:
    picture = Picture(path_map(ROWS, start=(5, 6), paths=[PATH_A, PATH_B], title="x < y"))
    cells = picture.all("cell")
    fills = [cell.get("fill") for cell in cells]
    assert fills == ["#ffffff" if letter == "." else letter_colour(letter) for row in ROWS for letter in row]
    side = number_of(cells[0], "width")
    mark = picture.all("start")[0]
    assert (number_of(mark, "cx"), number_of(mark, "cy")) == (4.5 * side, 5.5 * side)
    assert len(picture.all("path")) == len(picture.all("head")) == 2
    assert picture.texts().count("r") == sum(row.count("r") for row in ROWS)
    assert {"x < y", "demonstration 1 (6 steps)", "demonstration 2 (10 steps)"} <= set(picture.texts())


def test_equal_paths_and_ways_back_stay_apart() -> None:
    there = [(1, 1), (2, 1), (3, 1)]
    picture = Picture(path_map(["..."], start=(1, 1), paths=[there, there, there[::-1]]))
    heights = [float(re.findall(r"-?[\d.]+", path.get("d", ""))[1]) for path in picture.all("path")]
    assert min(abs(a - b) for a, b in combinations(heights, 2)) >= 4
    colours = {path.get("stroke") for path in picture.all("path")}
    assert len(colours) == 3


def test_paths_stay_inside_the_cells_they_visit() -> None:
    picture = Picture(path_map(["....."], start=(1, 1), paths=[[(1, 1), (5, 1)]] * 12))
    side = number_of(picture.all("cell")[0], "height")
    for path in picture.all("path"):
        assert 0 < float(re.findall(r"-?[\d.]+", path.get("d", ""))[1]) < side


@pytest.mark.parametrize(
    "path", [[], [(1, 1)], [(1, 1), (1, 1)], [(1, 1), (2, 2), (1, 1)], [(2, 2), (1, 1)] * 3]
)
def test_odd_paths_are_drawn(path: list[tuple[int, int]]) -> None:
    picture = Picture(path_map(["a<", "&."], start=(1, 1), paths=[path]))
    assert len(picture.all("path")) == (len(set(path)) > 1)
    assert {"<", "&"} <= set(picture.texts())


def test_grids_refuse_what_is_not_on_the_map() -> None:
    with pytest.raises(
        ValueError, match=r"the start: cell \(9, 6\) is not on the map of 8 columns and 8 rows"
    ):
        path_map(ROWS, start=(9, 6))
    with pytest.raises(ValueError, match=r"demonstration 2, step 1: cell \(0, 6\)"):
        path_map(ROWS, start=(5, 6), paths=[PATH_A, [(1, 6), (0, 6)]])
    with pytest.raises(ValueError, match="map row 2 has 1 cells where row 1 has 2"):
        path_map(["..", "."], start=(1, 1))
