"""Reliability diagrams, judged from their SVG text."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from recovery.reliability import SIDE, Reliability, reliability_diagram


def parts(svg: str, kind: str) -> list[ElementTree.Element]:
    return [part for part in ElementTree.fromstring(svg).iter() if part.get("class") == kind]


def draw(*lines: Reliability) -> str:
    return reliability_diagram(lines, title="a < b", x_label="probability", y_label="share")


def number(part: ElementTree.Element, name: str) -> float:
    return float(part.attrib[name])


def test_points_lie_where_they_belong_beside_the_diagonal() -> None:
    svg = draw(Reliability("one", [(0.0, 0.0, 1), (0.25, 0.75, 3), (1.0, 1.0, 12)]))
    (perfect,) = parts(svg, "perfect")
    left, right, bottom, top = (number(perfect, name) for name in ("x1", "x2", "y1", "y2"))
    assert right - left == bottom - top == SIDE
    first, middle, last = parts(svg, "point")
    assert (number(first, "cx"), number(first, "cy")) == pytest.approx((left, bottom), abs=0.01)
    assert (number(last, "cx"), number(last, "cy")) == pytest.approx((right, top), abs=0.01)
    assert number(middle, "cx") == pytest.approx(left + SIDE / 4, abs=0.01)
    assert number(middle, "cy") == pytest.approx(bottom - 3 * SIDE / 4, abs=0.01)
    assert number(last, "r") == pytest.approx(2 * number(middle, "r"), abs=0.01)  # four times the area


def test_every_line_has_a_name_and_its_own_colour_and_lies_on_the_page() -> None:
    lines = [
        Reliability(f"explore-without-something-{k} & more", [(0.1, 0.2, 5), (0.9, 0.8, 5)])
        for k in range(20)
    ]
    svg = draw(*lines)
    root = ElementTree.fromstring(svg)
    legend = parts(svg, "legend")
    assert [part.text for part in legend] == [line.name for line in lines]
    assert max(number(part, "y") for part in legend) < number(root, "height")
    assert len({part.get("stroke") for part in parts(svg, "reliability")[:5]}) == 5


def test_few_points_and_none() -> None:
    svg = draw(Reliability("nothing", []), Reliability("one", [(0.5, 0.5, 0)]))
    assert not parts(svg, "reliability")
    assert len(parts(svg, "point")) == 1
    with pytest.raises(ValueError, match="at least one line"):
        draw()
