"""Pictures of automata: states in layers, one arrow for each pair of states, letters as coloured chips.

Self loops are not drawn: a letter without an arrow leaves the state as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations, groupby, permutations, product

import numpy as np

from demospec.limits import PICTURED_STATES
from demospec.report.pictures.colours import Paint, paint
from demospec.report.pictures.svg import (
    CHIP,
    Box,
    Curve,
    Look,
    Point,
    area,
    arrow_head,
    chip,
    chip_width,
    crosses,
    curve_points,
    element,
    number,
    page,
    path_to,
    segment_distance,
    text,
    text_width,
)
from demospec.tasks.dfa import DFA
from demospec.tasks.propositions import are_sets, guard
from demospec.tasks.tables import Table
from demospec.worlds.mdp import Floats, Ints

Move = tuple[int, str, int]  # a transition: state, letter, state
ROW_LETTERS, ROW_WIDTH = 4, 170.0  # a label grows a new row beyond these


def automaton_svg(
    dfa: DFA,
    *,
    title: str = "",
    light: Collection[Move] = (),
    also: Collection[Move] = (),
    live: bool = False,
    tall: bool = False,
) -> str:
    """Draw an automaton as a standalone SVG document; transitions in `light` are pale and dashed.

    So are those in `also`, which it does not have, but might. A light loop is a pale letter under its state.
    A tall picture goes from the top to the bottom, as a phone has room. In a live picture states are groups
    with `data-state`, arrows have `data-from`, `data-to` and `data-letters`, a JSON list.
    """
    look = paint(live)
    if dfa.states > PICTURED_STATES:  # nobody could follow it, and it would take minutes
        note = f"{dfa.states:,} states: too many to draw; {PICTURED_STATES} at most"
        width = text_width(note, 13)
        return page([text(width / 2 + 12, 20, note, size=13)], width=width + 24, height=40, title=title)
    loops = _loops(dfa, light, also)
    light = {*light, *also}
    arrows = _arrows(dfa, light, also)
    places, routes = layout(dfa, (dfa.table, dfa.start), tuple(arrows), tall=tall)
    body, labels = [], []  # every label lies above every line
    for arrow, route in zip(arrows, routes, strict=True):
        line = _draw_arrow(arrow, route, look)
        said: Look = {}
        if live:
            row = zip(dfa.alphabet, dfa.table[arrow.source], strict=True)
            letters = [letter for letter, target in row if target == arrow.target]
            said = {"data_from": arrow.source, "data_to": arrow.target}
            said["data_letters"] = json.dumps(letters, ensure_ascii=False)
            line = [element("g", *line, class_="arrow", **said)]
        body += line
        labels.append(_draw_label(arrow, route.label, look, **said))
    body += labels
    start_x, start_y = places[dfa.start]
    tip = (start_x - RADIUS - 2, start_y)
    way = f"{path_to('M', (tip[0] - START_STUB, tip[1]))}H{number(tip[0] - HEAD)}"
    body.append(element("path", class_="start", d=way, stroke=look.ink, stroke_width=1.8, fill="none"))
    body.append(arrow_head(tip, (1, 0), size=HEAD, class_="start-head", fill=look.ink))
    for state, place in enumerate(places):
        drawn = _draw_state(state, place, look, accepting=dfa.accepting[state])
        body += [element("g", *drawn, data_state=state)] if live else drawn

    boxes = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    for loop in loops:
        x, y = places[loop.source]
        box = (x - loop.width / 2 - 3, y + RADIUS + 1, x + loop.width / 2 + 3, y + RADIUS + loop.height + 7)
        body.append(_draw_label(loop, box, look))
        boxes.append(box)
    boxes += [route.label for route in routes] + [(tip[0] - START_STUB, start_y, start_x, start_y)]
    boxes += [(x, y, x, y) for route in routes for x, y in curve_points(route.curve)]
    margin = 18.0
    left, top = (min(box[k] for box in boxes) - margin for k in (0, 1))
    right, bottom = (max(box[k] for box in boxes) + margin for k in (2, 3))
    if title:
        top -= 24
        widen = max(0.0, text_width(title, 14) + 2 * margin - (right - left))
        left, right = left - widen / 2, right + widen / 2
        bold: Look = {"font_weight": "bold", "class_": "title", "fill": look.ink}
        body.append(text((left + right) / 2, top + 21, title, size=14, **bold))
    width, height, origin = right - left, bottom - top, (left, top)
    return page(body, width=width, height=height, title=title, origin=origin, paint=look, kind="automaton")


# -- what to draw -------------------------------------------------------------------------------


def _arrows(dfa: DFA, light: Collection[Move], also: Collection[Move]) -> list[Arrow]:
    """Merge the transitions with the same ends; letters of several propositions are told by a guard."""
    found: list[Arrow] = []
    changes = sorted((source, target, letter) for source, letter, target in {*dfa.changes(), *also})
    for (source, target), group in groupby(changes, key=lambda change: change[:2]):
        letters = [letter for _, _, letter in group]
        faint = [letter for letter in letters if (source, letter, target) in light]
        chips = letters
        if are_sets(dfa.alphabet):
            clear = [letter for letter in letters if letter not in faint]
            faint = guard(faint, dfa.alphabet) if faint else []
            chips = [*(guard(clear, dfa.alphabet) if clear else []), *faint]
        found.append(Arrow(source, target, _rows(chips), frozenset(faint)))
    return found


def _rows(letters: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Cut the letters of an arrow into even rows."""
    count = max(-(-len(letters) // ROW_LETTERS), math.ceil(row_width(letters) / ROW_WIDTH))
    length = -(-len(letters) // count)
    return tuple(tuple(letters[k : k + length]) for k in range(0, len(letters), length))


def _loops(dfa: DFA, light: Collection[Move], also: Collection[Move]) -> list[Arrow]:
    """Return the light loops, state by state, but for those that have an arrow beside them."""
    drawn = {(source, letter) for source, letter, _ in also}
    wanted = [loop for loop in sorted(set(light)) if loop[0] == loop[2] and loop[:2] not in drawn]
    groups = groupby(wanted, key=lambda loop: loop[0])
    read = [(state, guard([letter for _, letter, _ in group], dfa.alphabet)) for state, group in groups]
    return [Arrow(state, state, _rows(chips), frozenset(chips)) for state, chips in read]


# -- drawing --------------------------------------------------------------------------------------


def _draw_arrow(arrow: Arrow, route: Route, paint: Paint) -> list[str]:
    pale = len(arrow.pale) == sum(map(len, arrow.rows))
    way = "".join(map(path_to, "MC  ", route.curve))
    ends: Look = {} if paint.live else {"data_source": arrow.source, "data_target": arrow.target}
    look: Look = {"stroke_dasharray": "5 4"} if pale else {}
    colour = paint.pale if pale else paint.muted
    line = element("path", class_="edge", d=way, fill="none", stroke=colour, stroke_width=1.7, **look, **ends)
    direction = (route.tip[0] - route.curve[3][0], route.tip[1] - route.curve[3][1])
    return [line, arrow_head(route.tip, direction, size=HEAD, class_="head", fill=colour)]


def _draw_label(arrow: Arrow, box: Box, paint: Paint, **said: str | float) -> str:
    left, top, right, bottom = box
    back = area(left, top, right - left, bottom - top)
    parts = [element("rect", class_="label", **back, rx=7, fill=paint.paper)]
    y = top + 3 + CHIP / 2
    for row in arrow.rows:
        x = (left + right - row_width(row)) / 2
        for letter in row:
            parts.append(chip(x, y, letter, pale=letter in arrow.pale, paint=paint))
            x += chip_width(letter) + GAP
        y += CHIP + GAP
    return element("g", *parts, **said)


def _draw_state(state: int, place: Point, paint: Paint, *, accepting: bool) -> list[str]:
    x, y = place
    look: Look = {"fill": paint.paper, "stroke": paint.ink, "stroke_width": 1.8}
    parts = [element("circle", class_="state", cx=x, cy=y, r=RADIUS, **look)]
    if accepting:
        parts.append(element("circle", class_="accepting", cx=x, cy=y, r=RADIUS - 4, **look))
    return [*parts, text(x, y, str(state), size=14, fill=paint.ink)]


# -- The ways in which an arrow between two states can be drawn: several bends, several places of its label.
#
# All arrows of a picture are looked at in one pass over arrays: A arrows, B bends, L places of a label, N
# states. Only sums, products and square roots are used, so that every machine draws the same picture.

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
    pale: frozenset[str] = field(default=frozenset(), compare=False)  # what of its letters; they lie the same

    @cached_property
    def width(self) -> float:  # of the label
        return max(map(row_width, self.rows))

    @property
    def height(self) -> float:
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
        return sum(1 << square for square in set((found[:, 0] * self.rows + found[:, 1]).tolist()))

    def of_box(self, box: Box) -> Cells:
        """Return the squares that a box covers."""
        left, right = (int((side - self.left) // CELL) for side in box[::2])
        top, bottom = (int((side - self.top) // CELL) for side in box[1::2])
        column = (1 << bottom - top + 1) - 1
        return sum(column << x * self.rows + top for x in range(left, right + 1))


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
        length = distances(a, b)[:, None]
        self._curves(a, b, length, bend)
        cost = np.abs(bend) / 8 + 25 * (bend / length) ** 2 + 6.0 * (both_ways & (bend < 0))  # to one side
        cost = cost + self._clearance(source, target)
        cost[both_ways & (bend == 0)] = np.inf  # the arrow back needs the room
        self._labels(arrows)
        self.cost: Floats = cost[..., None] + 1.5 * np.arange(len(PLACES)) + 300.0 * self._covered()
        self._cells: dict[int, Cells] = {}  # by curve

    def _curves(self, a: Floats, b: Floats, length: Floats, bend: Floats) -> None:
        """Bend the way from a to b, once for each bend: curves [A, B, 4, 2] and their tips [A, B, 2]."""
        along = (b - a) / length
        reach = np.minimum(0.34 * length, 95.0) * along
        lift = bend[:, None] * np.stack([along[:, 1], -along[:, 0]], axis=-1)[:, None]
        near_a, near_b = (a + reach)[:, None] + lift, (b - reach)[:, None] + lift
        a, b = np.broadcast_to(a[:, None], near_a.shape), np.broadcast_to(b[:, None], near_b.shape)
        self._tip = points_towards(b, near_b, RADIUS + 2)
        ends = points_towards(a, near_a, RADIUS), points_towards(b, near_b, RADIUS + 1 + HEAD)
        self._curve = np.stack([ends[0], near_a, near_b, ends[1]], axis=2)

    def _clearance(self, source: Ints, target: Ints) -> Floats:
        """Return [A, B]: what it costs to come near other states, or the stub at the start."""
        curve, bends = self._curve.reshape(-1, 4, 2), len(BENDS)
        span = distances(curve[:, 0], curve[:, 3]) + distances(curve[:, 0], curve[:, 1])
        steps = 4 + (span / SPACING).astype(np.intp)
        self._first = np.concatenate([[0], np.cumsum(steps + 1)])
        owner = np.repeat(np.arange(len(curve)), steps + 1)
        step = np.arange(len(owner)) - self._first[owner]
        self._points = bezier_points(curve[owner], step / steps[owner])
        away = distances(self._points[:, None], self._states)
        near_ends = np.minimum(
            away[np.arange(len(owner)), source[owner // bends]],
            away[np.arange(len(owner)), target[owner // bends]],
        )
        self._away = near_ends > RADIUS + 16
        clear = np.minimum.reduceat(away, self._first[:-1], axis=0) - RADIUS
        number = np.arange(len(curve))
        clear[number, source[number // bends]] = clear[number, target[number // bends]] = np.inf
        stub = np.minimum.reduceat(distances(self._points, self._stub), self._first[:-1]) - START_STUB / 2
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
        curve = arrow * len(BENDS) + bend
        if curve not in self._cells:
            points = slice(self._first[curve], self._first[curve + 1])
            self._cells[curve] = self._squares.of_points(self._points[points][self._away[points]])
        p, q, r, s = map(tuple, self._curve[arrow, bend].tolist())
        left, top, right, bottom = self._box[arrow, bend, place].tolist()
        tip_x, tip_y = self._tip[arrow, bend].tolist()
        cost, box = self.cost.item(arrow, bend, place), (left, top, right, bottom)
        squares = self._cells[curve], self._squares.of_box(box)
        return Route((p, q, r, s), (tip_x, tip_y), box, cost, *squares)


def distances(one: Floats, other: Floats) -> Floats:
    """Return the distances between points [..., 2]."""
    dx, dy = one[..., 0] - other[..., 0], one[..., 1] - other[..., 1]
    found: Floats = np.sqrt(dx * dx + dy * dy)
    return found


def points_towards(origin: Floats, goal: Floats, far: float) -> Floats:
    """Return the points so far from the origin in the direction of the goal."""
    found: Floats = origin + (far / distances(origin, goal))[..., None] * (goal - origin)
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
    return distances(outside, np.zeros(2))


def clearance_cost(clearance: Floats) -> Floats:
    """Return what it costs to come so near."""
    return np.where(clearance < 5, 1000.0, np.where(clearance < 12, 25.0, 0.0))


# -- Where the states of an automaton stand, and how its arrows run between them -------------------------
#
# States stand in layers. Each arrow has a family of routes; a local search picks one for each, so that curves
# keep clear of other states, of each other and of labels.

LAYER_GAP = 82.0  # free space between layers, beside the label
STATE_GAP = 108.0  # least distance inside a layer
NARROW_GAP = 96.0  # the same where layers are side by side of each other
SMALL_ORDERS, SMALL_ARROWS = 720, 14  # what is searched exhaustively, and how thoroughly
SWEEPS = 4


@lru_cache(maxsize=64)
def layout(
    dfa: DFA, own: tuple[Table, int], arrows: tuple[Arrow, ...], *, tall: bool = False
) -> tuple[list[Point], list[Route]]:
    """Place the states and route the arrows: the best of a few orders that look promising before routing.

    Results draw a task several times. `own` tells apart automata of one language, which are equal. Layers
    follow each other from left to right, or, in a tall picture, from top to bottom.
    """
    layers = _layers(dfa)
    columns = _columns(layers, arrows, tall=tall)
    sizes = [2 * RADIUS + (12 + arrow.width if tall else 44 + arrow.height) for arrow in arrows]
    pitch = max([NARROW_GAP if tall else STATE_GAP, *sizes])

    def placed(order: Sequence[Sequence[int]]) -> list[Point]:
        found = {
            state: (x, (k - (len(layer) - 1) / 2) * pitch)
            for x, layer in zip(columns, order, strict=True)
            for k, state in enumerate(layer)
        }
        places = [found[state] for state in sorted(found)]
        return [(y, x) for x, y in places] if tall else places

    def straight(order: Sequence[Sequence[int]]) -> float:
        return round(_straight_cost(placed(order), arrows), 3)

    if math.prod(math.factorial(len(layer)) for layer in layers) <= SMALL_ORDERS:
        orders = sorted(product(*(permutations(layer) for layer in layers)), key=straight)
        orders = orders[: 6 if len(arrows) <= SMALL_ARROWS else 1]
    else:
        orders = [_barycentre(layers, arrows)]
    laid_out = [(places, _route(places, arrows, dfa.start)) for places in map(placed, orders)]
    places, (_, routes) = min(laid_out, key=lambda entry: entry[1][0])
    return places, routes


def _layers(dfa: DFA) -> list[tuple[int, ...]]:
    """Return the states by their breadth-first depth; unreachable ones follow the last of the others."""
    depth: dict[int, int] = {}
    first_unreachable = 0
    for root in (dfa.start, *range(dfa.states)):
        if root in depth:
            continue
        depth[root] = first_unreachable
        queue = [root]
        for state in queue:  # grows while we walk
            for target in dfa.table[state]:
                if target not in depth:
                    depth[target] = depth[state] + 1
                    queue.append(target)
        first_unreachable = first_unreachable or max(depth.values()) + 1
    levels = range(max(depth.values()) + 1)
    return [tuple(state for state in range(dfa.states) if depth[state] == level) for level in levels]


def _columns(layers: Sequence[Sequence[int]], arrows: Sequence[Arrow], *, tall: bool) -> list[float]:
    """Return where each layer is; the widest label between two neighbours, or the highest, fits there."""
    level = {state: k for k, layer in enumerate(layers) for state in layer}
    room = LAYER_GAP + 8 * max(0, max(map(len, layers)) - 4)  # steep arrows need more
    columns = [0.0]
    for k in range(1, len(layers)):
        between = [arrow for arrow in arrows if {level[arrow.source], level[arrow.target]} == {k - 1, k}]
        widest = max((arrow.height if tall else arrow.width for arrow in between), default=0.0)
        columns.append(columns[-1] + 2 * RADIUS + room + widest)
    return columns


def _straight_cost(places: Sequence[Point], arrows: Sequence[Arrow]) -> float:
    """Judge an order by straight lines: crossings, states in the way, length."""
    ends = sorted({(min(a.source, a.target), max(a.source, a.target)) for a in arrows})
    cost = 0.0
    for a, b in ends:
        cost += 0.002 * math.dist(places[a], places[b])
        cost += 1.5 * sum(
            segment_distance(place, places[a], places[b]) < RADIUS + 8
            for state, place in enumerate(places)
            if state not in (a, b)
        )
    for (a, b), (c, d) in combinations(ends, 2):
        if len({a, b, c, d}) == 4:
            cost += crosses(places[a], places[b], places[c], places[d])
    return cost


def _barycentre(layers: Sequence[Sequence[int]], arrows: Sequence[Arrow]) -> tuple[tuple[int, ...], ...]:
    """Order each layer by the mean height of each state's neighbours, for a few sweeps."""
    order = [tuple(layer) for layer in layers]
    near: dict[int, list[int]] = {state: [] for layer in layers for state in layer}
    for arrow in arrows:
        near[arrow.source].append(arrow.target)
        near[arrow.target].append(arrow.source)
    for _ in range(8):
        for k, layer in enumerate(order):
            height = {s: place - (len(one) - 1) / 2 for one in order for place, s in enumerate(one)}
            mean = {s: sum(height[t] for t in near[s]) / max(1, len(near[s])) for s in layer}
            order[k] = tuple(sorted(layer, key=lambda s: (round(mean[s], 6), s)))
    return tuple(order)


# -- how to route the arrows ----------------------------------------------------------------------


def _route(places: Sequence[Point], arrows: Sequence[Arrow], start: int) -> tuple[float, list[Route]]:
    """Choose a route for each arrow by coordinate descent; return the total cost and the routes."""
    candidates = routes_of(arrows, places, start, 60 if len(arrows) <= 2 * SMALL_ARROWS else 12)
    forward = range(len(arrows))
    by_length = sorted(forward, key=lambda k: math.dist(places[arrows[k].source], places[arrows[k].target]))
    sequences = (by_length, by_length[::-1], forward) if len(arrows) <= SMALL_ARROWS else (by_length,)
    return min((_descend(candidates, sequence) for sequence in sequences), key=lambda found: found[0])


def _descend(candidates: Sequence[Iterable[Route]], sequence: Sequence[int]) -> tuple[float, list[Route]]:
    """Improve one arrow after the other, in this sequence, until nothing changes."""
    chosen: dict[int, Route] = {}
    beside: dict[int, list[Route]] = {}  # what each arrow was last chosen beside
    for _ in range(SWEEPS):
        before = dict(chosen)
        for k in sequence:
            others = [route for j, route in chosen.items() if j != k]
            if beside.get(k) == others:
                continue
            beside[k] = others
            least = math.inf
            for route in candidates[k]:
                if route.cost >= least:
                    break  # the candidates come by rising cost
                pairs = 0.0
                for other in others:
                    pairs += _pair_cost(route, other)
                    if route.cost + pairs > least + 0.001:
                        break  # it is not the best, whatever the rest costs
                cost = round(route.cost + pairs, 3)
                if cost < least:
                    least, chosen[k] = cost, route
        if chosen == before:
            break
    pairs = sum(_pair_cost(one, other) for one, other in combinations(chosen.values(), 2))
    cost = pairs + sum(route.cost for route in chosen.values())
    return round(cost, 3), [chosen[k] for k in range(len(candidates))]


def _pair_cost(one: Route, other: Route) -> float:
    """Judge two arrows together: squares that both visit, lines behind labels, labels on labels."""
    lines, behind = one.cells & other.cells, (one.cells & other.label_cells, other.cells & one.label_cells)
    cost = 7.0 * lines.bit_count() + 12.0 * (behind[0].bit_count() + behind[1].bit_count())
    p, q = one.label, other.label
    if p[0] < q[2] + 3 and q[0] < p[2] + 3 and p[1] < q[3] + 3 and q[1] < p[3] + 3:
        cost += 400
    return cost
