"""Charts are judged from their SVG text: lines, areas, frame."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from drawn import Picture, number_of, points_of

from demospec.report.pictures.charts import Band, band_chart


def chart(*bands: Band) -> Picture:
    return Picture(band_chart(bands, title="a < b", x_label="iteration", y_label="energy"))


def test_a_chart_has_a_line_an_area_and_a_name_for_each_band() -> None:
    picture = chart(Band("one", [3, 2, 1], [2, 1, 0], [4, 3, 2]), Band("two & more", [5, 5], [4, 4], [6, 6]))
    one, two = (points_of(line) for line in picture.all("median"))
    assert (len(one), len(two)) == (3, 2)
    assert one[0][1] < one[1][1] < one[2][1], "smaller values lie lower"
    assert one[0][0] == two[0][0], "both begin with iteration 1"
    assert two[0][1] < one[0][1]
    assert len(picture.all("area")) == 2
    assert {"one", "two & more", "a < b", "iteration", "energy"} <= set(picture.texts())


def test_areas_enclose_their_median() -> None:
    picture = chart(Band("one", [3, 2], [1, 0], [4, 3]))
    (line,), (area,) = picture.all("median"), picture.all("area")
    upper, lower = points_of(area)[:2], points_of(area)[:1:-1]
    for (x, y), (u, high), (v, low) in zip(points_of(line), upper, lower, strict=True):
        assert x == u == v
        assert high < y < low


def test_infinite_medians_are_skipped_and_infinite_quartiles_reach_the_frame() -> None:
    inf = math.inf
    picture = chart(Band("late", [inf, inf, 5, 4, 4], [inf, 6, 4, 3, 3], [inf, inf, inf, 5, 5]))
    (line,) = picture.all("median")
    (area,) = picture.all("area")
    assert len(points_of(line)) == 3
    frame_top = min(number_of(grid, "y1") for grid in picture.all("grid"))
    assert points_of(area)[0][1] == pytest.approx(frame_top)
    assert "nan" not in ElementTree.tostring(picture.root, "unicode")


@pytest.mark.parametrize("value", [0.0, 3.0, -1e6, 1e-12])
@pytest.mark.parametrize("length", [1, 2, 40])
def test_equal_values_and_single_points_are_drawn(value: float, length: int) -> None:
    picture = chart(Band("flat", [value] * length, [value] * length, [value] * length))
    assert len(picture.all("point" if length == 1 else "median")) == 1
    top, *_, bottom = sorted(number_of(grid, "y1") for grid in picture.all("grid"))
    shown = picture.all("point")[0].get("cy") if length == 1 else points_of(picture.all("median")[0])[0][1]
    assert top < float(shown or "nan") < bottom


def test_a_chart_without_any_finite_value_says_so() -> None:
    assert "no finite values" in chart(Band("none", [math.inf], [math.inf], [math.inf])).texts()


def test_charts_refuse_what_they_cannot_draw() -> None:
    with pytest.raises(ValueError, match="at least one band"):
        chart()
    with pytest.raises(ValueError, match="found 2, 1 and 2"):
        Band("odd", [1, 2], [1], [2, 3])
    with pytest.raises(ValueError, match=r'band "empty".*at least 1'):
        Band("empty", [], [], [])
