"""The ways in which an arrow between two states can be drawn: several bends, several places of its label.

All arrows of a picture are looked at in one pass over arrays: A arrows, B bends, L places of a label, N
states. Only sums, products and square roots are used, so that every machine draws the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.report.pictures.svg import CHIP, Box, Curve, Point, chip_width
from demospec.worlds.mdp import Floats, Ints

RADIUS = 20.0  # of a state
HEAD = 9.0  # length of an arrow head
GAP = 3.0  # between chips
START_STUB = 30.0
CELL = 11.0  # two curves that share a square of this size are too close
BENDS = (0, 24, -24, 42, -42, 64, -64, 92, -92, 126, -126, 170, -170, 230, -230, 300, -300)
PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)  # of a label along its curve
SPACING = 6.0  # between the points of a curve that are looked at, about
AT_ONCE = 400  # arrows times states that are looked at in one pass

Cells = int  # a set of squares: bit k stands for square number k


def row_width(row: Sequence[str]) -> float:
    """Return the width of a row of chips."""
    return sum(map(chip_width, row)) + GAP * (len(row) - 1)


@dataclass(frozen=True)
class Arrow:
    """All transitions between two states, with their letters in rows."""

    source: int
    target: int
    rows: tuple[tuple[str, ...], ...]

    @cached_property
    def width(self) -> float:
        """Return the width of the label."""
        return max(map(row_width, self.rows))

    @property
    def height(self) -> float:
        """Return the height of the label."""
        return len(self.rows) * (CHIP + GAP) - GAP


@dataclass(frozen=True, eq=False)
class Route:
    """One way to draw an arrow, and its cost before other arrows are looked at."""

    curve: Curve  # ends where the head begins
    tip: Point
    label: Box
    cost: float
    cells: Cells  # squares that the curve visits away from its ends
    label_cells: Cells


@dataclass(frozen=True)
class Squares:
    """A picture cut into squares, numbered column by column."""

    left: float
    top: float
    rows: int

    @classmethod
    def around(cls, arrows: Sequence[Arrow], places: Sequence[Point]) -> Squares:
        """Leave room for everything that can be drawn around the states."""
        label = max([0.0, *(max(arrow.width, arrow.height) for arrow in arrows)])
        room = CELL * math.ceil((max(BENDS) + RADIUS + label) / CELL)
        left, top, bottom = min(x for x, _ in places), min(y for _, y in places), max(y for _, y in places)
        x, y = (CELL * math.floor(side / CELL) - room for side in (left, top))
        return cls(x, y, rows=math.ceil((bottom - top + 2 * room) / CELL) + 2)

    def of_points(self, points: Floats) -> Cells:
        """Return the squares that points lie in."""
        found = ((points - (self.left, self.top)) // CELL).astype(np.intp)
        cells = 0
        for square in set((found[:, 0] * self.rows + found[:, 1]).tolist()):
            cells |= 1 << square
        return cells

    def of_box(self, box: Box) -> Cells:
        """Return the squares that a box covers."""
        left, right = (int((side - self.left) // CELL) for side in box[::2])
        top, bottom = (int((side - self.top) // CELL) for side in box[1::2])
        column = (1 << bottom - top + 1) - 1
        cells = 0
        for x in range(left, right + 1):
            cells |= column << x * self.rows + top
        return cells


class Routes:
    """The routes of one arrow, cheapest first; each is made when it is first looked at."""

    def __init__(self, families: Families, arrow: int, most: int) -> None:
        self._families, self._arrow = families, arrow
        costs = [round(cost, 3) for cost in families.cost[arrow].ravel().tolist()]
        possible = [k for k, cost in enumerate(costs) if cost < np.inf]
        self._left = iter(sorted(possible, key=costs.__getitem__)[:most])
        self._made: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        yield from self._made
        for choice in self._left:
            bend, place = divmod(choice, len(PLACES))
            self._made.append(self._families.route(self._arrow, bend, place))
            yield self._made[-1]


def routes_of(arrows: Sequence[Arrow], places: Sequence[Point], start: int, most: int) -> list[Routes]:
    """Return the cheapest routes of each arrow."""
    ends = {(arrow.source, arrow.target) for arrow in arrows}
    squares = Squares.around(arrows, places)
    found: list[Routes] = []
    some = max(1, AT_ONCE // len(places))
    for first in range(0, len(arrows), some):
        now = arrows[first : first + some]
        back = [(arrow.target, arrow.source) in ends for arrow in now]
        families = Families(now, back, places, start, squares)
        found += [Routes(families, k, most) for k in range(len(now))]
    return found


class Families:
    """All routes of some arrows, as arrays; where an arrow leads back as well, the two keep apart."""

    def __init__(
        self,
        arrows: Sequence[Arrow],
        leads_back: Sequence[bool],
        places: Sequence[Point],
        start: int,
        squares: Squares,
    ) -> None:
        self._squares = squares
        source = np.array([arrow.source for arrow in arrows], dtype=np.intp)
        target = np.array([arrow.target for arrow in arrows], dtype=np.intp)
        self._states = np.array(places)
        self._stub = self._states[start] - (RADIUS + START_STUB / 2, 0.0)
        both_ways = np.array(leads_back)[:, None]
        bend = np.array(BENDS, dtype=np.float64)
        a, b = self._states[source], self._states[target]
        length = distance(a, b)[:, None]
        self._curves(a, b, length, bend)
        cost = np.abs(bend) / 8 + 25 * (bend / length) ** 2 + 6.0 * (both_ways & (bend < 0))  # to one side
        cost = cost + self._clearance(source, target)
        cost[both_ways & (bend == 0)] = np.inf  # the arrow back needs the room
        self._labels(arrows)
        self.cost: Floats = cost[..., None] + 1.5 * np.arange(len(PLACES)) + 300.0 * self._covered()
        self._cells: dict[tuple[int, int], Cells] = {}

    def _curves(self, a: Floats, b: Floats, length: Floats, bend: Floats) -> None:
        """Bend the way from a to b, once for each bend: curves [A, B, 4, 2] and their tips [A, B, 2]."""
        along = (b - a) / length
        reach = np.minimum(0.34 * length, 95.0) * along
        lift = bend[:, None] * np.stack([along[:, 1], -along[:, 0]], axis=-1)[:, None]
        near_a, near_b = (a + reach)[:, None] + lift, (b - reach)[:, None] + lift
        a, b = np.broadcast_to(a[:, None], near_a.shape), np.broadcast_to(b[:, None], near_b.shape)
        self._tip = towards(b, near_b, RADIUS + 2)
        ends = towards(a, near_a, RADIUS), towards(b, near_b, RADIUS + 1 + HEAD)
        self._curve = np.stack([ends[0], near_a, near_b, ends[1]], axis=2)

    def _clearance(self, source: Ints, target: Ints) -> Floats:
        """Return [A, B]: what it costs to come near other states, or the stub at the start."""
        curve, bends = self._curve.reshape(-1, 4, 2), len(BENDS)
        span = distance(curve[:, 0], curve[:, 3]) + distance(curve[:, 0], curve[:, 1])
        steps = 4 + (span / SPACING).astype(np.intp)
        self._first = np.concatenate([[0], np.cumsum(steps + 1)])
        owner = np.repeat(np.arange(len(curve)), steps + 1)
        step = np.arange(len(owner)) - self._first[owner]
        self._points = bezier_points(curve[owner], step / steps[owner])
        away = distance(self._points[:, None], self._states)
        near_ends = np.minimum(
            away[np.arange(len(owner)), source[owner // bends]],
            away[np.arange(len(owner)), target[owner // bends]],
        )
        self._away = near_ends > RADIUS + 16
        clear = np.minimum.reduceat(away, self._first[:-1], axis=0) - RADIUS
        number = np.arange(len(curve))
        clear[number, source[number // bends]] = clear[number, target[number // bends]] = np.inf
        stub = np.minimum.reduceat(distance(self._points, self._stub), self._first[:-1]) - START_STUB / 2
        cost: Floats = clearance_cost(clear).sum(axis=1) + clearance_cost(stub)
        return cost.reshape(-1, bends)

    def _labels(self, arrows: Sequence[Arrow]) -> None:
        """Put the labels along the curves: boxes [A, B, L, 4]."""
        middle = bezier_points(self._curve[:, :, None], np.array(PLACES))
        half = np.array([(arrow.width / 2 + 3, arrow.height / 2 + 3) for arrow in arrows])[:, None, None]
        self._box = np.concatenate([middle - half, middle + half], axis=-1)

    def _covered(self) -> Ints:
        """Return [A, B, L]: how many states, heads and stubs a label covers."""
        box = self._box[..., None, :]
        states = (box_distance(box, self._states) < RADIUS + 3).sum(axis=-1)
        heads = box_distance(self._box, self._tip[:, :, None]) < HEAD
        stubs = box_distance(self._box, self._stub) < START_STUB / 2
        covered: Ints = states + heads + stubs
        return covered

    def route(self, arrow: int, bend: int, place: int) -> Route:
        """Make one of the routes."""
        p, q, r, s = map(tuple, self._curve[arrow, bend].tolist())
        left, top, right, bottom = self._box[arrow, bend, place].tolist()
        tip_x, tip_y = self._tip[arrow, bend].tolist()
        return Route(
            (p, q, r, s),
            (tip_x, tip_y),
            (left, top, right, bottom),
            self.cost.item(arrow, bend, place),
            self._cells_of(arrow, bend),
            self._squares.of_box((left, top, right, bottom)),
        )

    def _cells_of(self, arrow: int, bend: int) -> Cells:
        if (arrow, bend) not in self._cells:
            curve = arrow * len(BENDS) + bend
            points = slice(self._first[curve], self._first[curve + 1])
            self._cells[arrow, bend] = self._squares.of_points(self._points[points][self._away[points]])
        return self._cells[arrow, bend]


def distance(one: Floats, other: Floats) -> Floats:
    """Return the distances between points [..., 2]."""
    dx, dy = one[..., 0] - other[..., 0], one[..., 1] - other[..., 1]
    found: Floats = np.sqrt(dx * dx + dy * dy)
    return found


def towards(origin: Floats, goal: Floats, far: float) -> Floats:
    """Return the points so far from the origin in the direction of the goal."""
    found: Floats = origin + (far / distance(origin, goal))[..., None] * (goal - origin)
    return found


def bezier_points(curve: Floats, t: Floats) -> Floats:
    """Return points [..., 2] of curves [..., 4, 2] at t, from 0 to 1."""
    s = 1 - t
    a, b, c, d = (part[..., None] for part in (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t))
    found: Floats = a * curve[..., 0, :] + b * curve[..., 1, :] + c * curve[..., 2, :] + d * curve[..., 3, :]
    return found


def box_distance(box: Floats, point: Floats) -> Floats:
    """Return the distances of points [..., 2] from boxes [..., 4], 0 inside them."""
    outside = np.maximum(np.maximum(box[..., :2] - point, point - box[..., 2:]), 0.0)
    return distance(outside, np.zeros(2))


def clearance_cost(clearance: Floats) -> Floats:
    """Return what it costs to come so near."""
    return np.where(clearance < 5, 1000.0, np.where(clearance < 12, 25.0, 0.0))
