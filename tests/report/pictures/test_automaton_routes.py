"""Routes are found in one pass over arrays; one at a time, in plain Python, they come out the same."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import pytest

from demospec.report.pictures import automaton
from demospec.report.pictures.automaton import (
    BENDS,
    CELL,
    HEAD,
    PLACES,
    RADIUS,
    START_STUB,
    Arrow,
    Squares,
    routes_of,
)
from demospec.report.pictures.svg import Box, Point, bezier, curve_points, towards

STUB = RADIUS + START_STUB / 2


def from_box(box: Box, point: Point) -> float:
    return math.hypot(
        max(box[0] - point[0], 0.0, point[0] - box[2]), max(box[1] - point[1], 0.0, point[1] - box[3])
    )


def clearance_cost(clearance: float) -> float:
    return 1000 if clearance < 5 else 25 if clearance < 12 else 0


def one_by_one(
    arrow: Arrow, places: Sequence[Point], start: int, both_ways: bool
) -> Iterator[tuple[float, list[Point], Box, list[Point]]]:
    """Yield the cost, the curve, the label and the points away from its ends of every route."""
    a, b = places[arrow.source], places[arrow.target]
    length = math.dist(a, b)
    ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    reach = min(0.34 * length, 95.0)
    stub = (places[start][0] - STUB, places[start][1])
    for bend in BENDS:
        if both_ways and bend == 0:
            continue
        near_a = (a[0] + reach * ux + bend * uy, a[1] + reach * uy - bend * ux)
        near_b = (b[0] - reach * ux + bend * uy, b[1] - reach * uy - bend * ux)
        tip = towards(b, near_b, RADIUS + 2)
        curve = (towards(a, near_a, RADIUS), near_a, near_b, towards(b, near_b, RADIUS + 1 + HEAD))
        points = curve_points(curve)
        cost = abs(bend) / 8 + 25 * (bend / length) ** 2 + (6 if both_ways and bend < 0 else 0)
        for state, place in enumerate(places):
            if state not in (arrow.source, arrow.target):
                cost += clearance_cost(min(math.dist(place, p) for p in points) - RADIUS)
        cost += clearance_cost(min(math.dist(stub, p) for p in points) - START_STUB / 2)
        away = [p for p in points if min(math.dist(p, a), math.dist(p, b)) > RADIUS + 16]
        for rank, t in enumerate(PLACES):
            x, y = bezier(curve, t)
            w, h = arrow.width / 2 + 3, arrow.height / 2 + 3
            box = (x - w, y - h, x + w, y + h)
            covered = sum(from_box(box, place) < RADIUS + 3 for place in places)
            covered += (from_box(box, tip) < HEAD) + (from_box(box, stub) < START_STUB / 2)
            yield cost + 1.5 * rank + 300 * covered, list(curve), box, away


def squares_of_box(box: Box) -> int:
    left, top, right, bottom = (int(side // CELL) for side in box)
    return (right - left + 1) * (bottom - top + 1)


@pytest.mark.parametrize("at_once", [1, 400])
@pytest.mark.parametrize("seed", range(6))
def test_routes_are_those_found_one_by_one(seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automaton, "AT_ONCE", at_once)
    rng = random.Random(seed)
    places = [(rng.uniform(0, 90) + 180 * (k // 2), rng.uniform(0, 30) + 110 * (k % 2)) for k in range(6)]
    ends = {(a, b) for a in range(6) for b in range(6) if a != b and rng.random() < 0.3}
    arrows = [Arrow(a, b, (tuple("rybg"[: rng.randint(1, 4)]),)) for a, b in sorted(ends)]
    for arrow, routes in zip(arrows, routes_of(arrows, places, 0, 60), strict=True):
        expected = list(one_by_one(arrow, places, 0, (arrow.target, arrow.source) in ends))
        expected.sort(key=lambda route: round(route[0], 3))
        found = list(routes)
        assert list(routes) == found, "what was made once is kept"
        assert len(found) == 60
        for route, (cost, curve, box, away) in zip(found, expected, strict=False):
            assert route.cost == pytest.approx(cost)
            assert [*chain(*route.curve)] == pytest.approx([*chain(*curve)])
            assert route.label == pytest.approx(box)
            assert route.cells.bit_count() == len({(x // CELL, y // CELL) for x, y in away})
            assert route.label_cells.bit_count() == squares_of_box(box)


def test_squares_do_not_run_into_each_other() -> None:
    arrow = Arrow(0, 1, (("a" * 60,),))
    squares = Squares.around([arrow], [(-7.0, 3.0), (200.0, 50.0)])
    left, top, right, bottom = -7.0 - 320, 3.0 - 320, 200.0 + 320, 50.0 + 320
    whole = squares.of_box((left, top, right, bottom))
    assert whole.bit_count() == squares_of_box((left, top, right, bottom))
    columns = [squares.of_box((x, top, x, bottom)) for x in range(-320, 500, int(CELL))]
    assert all(column.bit_count() == columns[0].bit_count() for column in columns)
    assert not any(one & other for one, other in pairwise(columns))
