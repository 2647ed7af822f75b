"""Pictures of automata: states in layers, one arrow for each pair of states, letters as coloured chips.

Self loops are not drawn: a letter without an arrow leaves the state as it is. Each arrow has a family of
candidate curves and label places; a local search picks one for each, so that curves keep clear of other
states, of each other and of labels.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, groupby, permutations, product

from demospec.report.colours import INK, MUTED, PAPER
from demospec.report.svg import (
    CHIP,
    Box,
    Curve,
    Point,
    arrow_head,
    bezier,
    box_distance,
    chip,
    chip_width,
    crosses,
    curve_points,
    element,
    number,
    page,
    segment_distance,
    text,
    text_width,
    towards,
)
from demospec.tasks.dfa import DFA
from demospec.tasks.tables import Table

RADIUS = 20.0
HEAD = 9.0  # length of an arrow head
GAP = 3.0  # between chips
ROW_LETTERS, ROW_WIDTH = 4, 170.0  # a label grows a new row beyond these
LAYER_GAP, STATE_GAP = (
    82.0,
    108.0,
)  # free space between layers, beside the label; least distance inside a layer
START_STUB = 30.0
CELL = 11.0  # two curves that share a square of this size are too close
BENDS = (0, 24, -24, 42, -42, 64, -64, 92, -92, 126, -126, 170, -170, 230, -230, 300, -300)
PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)  # of a label along its curve
SMALL_ORDERS, SMALL_ARROWS = 720, 14  # what is searched exhaustively, and how thoroughly
SWEEPS = 4

Cells = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class _Arrow:
    source: int
    target: int
    rows: tuple[tuple[str, ...], ...]  # of letters

    @cached_property
    def width(self) -> float:
        return max(map(_row_width, self.rows))

    @property
    def height(self) -> float:
        return len(self.rows) * (CHIP + GAP) - GAP


@dataclass(frozen=True)
class _Route:
    """One way to draw an arrow, and its cost before other arrows are looked at."""

    curve: Curve  # ends where the head begins
    tip: Point
    label: Box
    cost: float
    cells: Cells  # squares that the curve visits away from its ends
    label_cells: Cells


def automaton_svg(
    dfa: DFA,
    *,
    title: str = "",
    light: Collection[tuple[int, str, int]] = (),
    also: Collection[tuple[int, str, int]] = (),
) -> str:
    """Draw an automaton as a standalone SVG document; transitions in `light` are pale and dashed.

    So are those in `also`, which it does not have, but might. A light loop is a pale letter under its state.
    """
    loops = _loops(light, also)
    light = {*light, *also}
    arrows = _arrows(dfa, also)
    places, routes = _layout(dfa, (dfa.table, dfa.start), tuple(arrows))
    body, labels = [], []  # every label lies above every line
    for arrow, route in zip(arrows, routes, strict=True):
        letters = [letter for row in arrow.rows for letter in row]
        pale = {letter for letter in letters if (arrow.source, letter, arrow.target) in light}
        body += _draw_arrow(arrow, route, pale=len(pale) == len(letters))
        labels.append(_draw_label(arrow, route.label, pale))
    body += labels
    start_x, start_y = places[dfa.start]
    tip = (start_x - RADIUS - 2, start_y)
    stub = element(
        "path",
        class_="start",
        d=f"M{number(tip[0] - START_STUB)} {number(tip[1])}H{number(tip[0] - HEAD)}",
        stroke=INK,
        stroke_width=1.8,
        fill="none",
    )
    body += [stub, arrow_head(tip, (1, 0), size=HEAD, class_="start-head", fill=INK)]
    for state, place in enumerate(places):
        body += _draw_state(state, place, accepting=dfa.accepting[state])

    boxes = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    for loop in loops:
        x, y = places[loop.source]
        box = (x - loop.width / 2 - 3, y + RADIUS + 1, x + loop.width / 2 + 3, y + RADIUS + loop.height + 7)
        body.append(_draw_label(loop, box, [letter for row in loop.rows for letter in row]))
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
        body.append(text((left + right) / 2, top + 21, title, size=14, font_weight="bold", class_="title"))
    return page(body, width=right - left, height=bottom - top, title=title, origin=(left, top))


# -- what to draw -------------------------------------------------------------------------------


def _row_width(row: Sequence[str]) -> float:
    return sum(map(chip_width, row)) + GAP * (len(row) - 1)


def _arrows(dfa: DFA, also: Collection[tuple[int, str, int]] = ()) -> list[_Arrow]:
    """Merge the transitions with the same ends; the letters of one arrow are cut into even rows."""
    found = []
    changes = sorted((source, target, letter) for source, letter, target in {*dfa.changes(), *also})
    for (source, target), group in groupby(changes, key=lambda change: change[:2]):
        found.append(_Arrow(source, target, _rows([letter for _, _, letter in group])))
    return found


def _rows(letters: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    count = max(-(-len(letters) // ROW_LETTERS), math.ceil(_row_width(letters) / ROW_WIDTH))
    length = -(-len(letters) // count)
    return tuple(tuple(letters[k : k + length]) for k in range(0, len(letters), length))


def _loops(light: Collection[tuple[int, str, int]], also: Collection[tuple[int, str, int]]) -> list[_Arrow]:
    """Return the light loops, state by state, but for those that have an arrow beside them."""
    drawn = {(source, letter) for source, letter, _ in also}
    wanted = [loop for loop in sorted(set(light)) if loop[0] == loop[2] and loop[:2] not in drawn]
    return [
        _Arrow(state, state, _rows([letter for _, letter, _ in group]))
        for state, group in groupby(wanted, key=lambda loop: loop[0])
    ]


# -- where to put the states ----------------------------------------------------------------------


@lru_cache(maxsize=64)
def _layout(dfa: DFA, own: tuple[Table, int], arrows: tuple[_Arrow, ...]) -> tuple[list[Point], list[_Route]]:
    """Place the states and route the arrows: the best of a few orders that look promising before routing.

    Results draw a task several times. `own` tells apart automata of one language, which are equal.
    """
    layers = _layers(dfa)
    columns = _columns(layers, arrows)
    pitch = max([STATE_GAP, *(2 * RADIUS + 44 + arrow.height for arrow in arrows)])

    def straight(order: Sequence[Sequence[int]]) -> float:
        return round(_straight_cost(_places(order, columns, pitch), arrows), 3)

    if math.prod(math.factorial(len(layer)) for layer in layers) <= SMALL_ORDERS:
        orders = sorted(product(*(permutations(layer) for layer in layers)), key=straight)
        orders = orders[: 6 if len(arrows) <= SMALL_ARROWS else 1]
    else:
        orders = [_barycentre(layers, arrows)]
    laid_out = []
    for order in orders:
        places = _places(order, columns, pitch)
        cost, routes = _route(places, arrows, dfa.start)
        laid_out.append((cost, places, routes))
    _, places, routes = min(laid_out, key=lambda entry: entry[0])
    return places, routes


def _layers(dfa: DFA) -> list[tuple[int, ...]]:
    """Return the states by their breadth-first depth; unreachable ones follow the last of the others."""
    depth: dict[int, int] = {}
    first_unreachable = 0
    for root in (dfa.start, *range(dfa.states)):
        if root in depth:
            continue
        depth[root] = first_unreachable
        queue = deque([root])
        while queue:
            state = queue.popleft()
            for target in dfa.table[state]:
                if target not in depth:
                    depth[target] = depth[state] + 1
                    queue.append(target)
        first_unreachable = first_unreachable or max(depth.values()) + 1
    levels = range(max(depth.values()) + 1)
    return [tuple(state for state in range(dfa.states) if depth[state] == level) for level in levels]


def _columns(layers: Sequence[Sequence[int]], arrows: Sequence[_Arrow]) -> list[float]:
    """Return the x of each layer; the widest label between two neighbours fits between them."""
    level = {state: k for k, layer in enumerate(layers) for state in layer}
    room = LAYER_GAP + 8 * max(0, max(map(len, layers)) - 4)  # steep arrows need more
    columns = [0.0]
    for k in range(1, len(layers)):
        widths = [a.width for a in arrows if {level[a.source], level[a.target]} == {k - 1, k}]
        columns.append(columns[-1] + 2 * RADIUS + room + max(widths, default=0.0))
    return columns


def _places(order: Sequence[Sequence[int]], columns: Sequence[float], pitch: float) -> list[Point]:
    found = {
        state: (x, (k - (len(layer) - 1) / 2) * pitch)
        for x, layer in zip(columns, order, strict=True)
        for k, state in enumerate(layer)
    }
    return [found[state] for state in sorted(found)]


def _straight_cost(places: Sequence[Point], arrows: Sequence[_Arrow]) -> float:
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


def _barycentre(layers: Sequence[Sequence[int]], arrows: Sequence[_Arrow]) -> tuple[tuple[int, ...], ...]:
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


def _route(places: Sequence[Point], arrows: Sequence[_Arrow], start: int) -> tuple[float, list[_Route]]:
    """Choose a route for each arrow by coordinate descent; return the total cost and the routes."""
    ends = {(arrow.source, arrow.target) for arrow in arrows}
    candidates = []
    for arrow in arrows:
        both_ways = (arrow.target, arrow.source) in ends
        family = sorted(_family(arrow, places, start, both_ways), key=lambda route: round(route.cost, 3))
        candidates.append(family[: 60 if len(arrows) <= 2 * SMALL_ARROWS else 12])
    forward = range(len(arrows))
    by_length = sorted(forward, key=lambda k: math.dist(places[arrows[k].source], places[arrows[k].target]))
    sequences = (by_length, by_length[::-1], forward) if len(arrows) <= SMALL_ARROWS else (by_length,)
    return min((_descend(candidates, sequence) for sequence in sequences), key=lambda found: found[0])


def _descend(candidates: Sequence[Sequence[_Route]], sequence: Sequence[int]) -> tuple[float, list[_Route]]:
    """Improve one arrow after the other, in this sequence, until nothing changes."""
    chosen: dict[int, _Route] = {}
    for _ in range(SWEEPS):
        before = dict(chosen)
        for k in sequence:
            others = [route for j, route in chosen.items() if j != k]
            least = math.inf
            for route in candidates[k]:
                if route.cost >= least:
                    break  # the candidates come by rising cost
                cost = round(route.cost + sum(_pair_cost(route, other) for other in others), 3)
                if cost < least:
                    least, chosen[k] = cost, route
        if chosen == before:
            break
    pairs = sum(_pair_cost(one, other) for one, other in combinations(chosen.values(), 2))
    cost = pairs + sum(route.cost for route in chosen.values())
    return round(cost, 3), [chosen[k] for k in range(len(candidates))]


def _family(arrow: _Arrow, places: Sequence[Point], start: int, both_ways: bool) -> Iterator[_Route]:
    """Yield the candidate routes: several bends, and several places of the label on each."""
    a, b = places[arrow.source], places[arrow.target]
    length = math.dist(a, b)
    ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    reach = min(0.34 * length, 95.0)
    stub = (places[start][0] - RADIUS - START_STUB / 2, places[start][1])
    for bend in BENDS:
        if both_ways and bend == 0:
            continue  # the arrow back needs the room
        lift = (bend * uy, -bend * ux)
        near_a = (a[0] + reach * ux + lift[0], a[1] + reach * uy + lift[1])
        near_b = (b[0] - reach * ux + lift[0], b[1] - reach * uy + lift[1])
        tip = towards(b, near_b, RADIUS + 2)
        curve = (towards(a, near_a, RADIUS), near_a, near_b, towards(b, near_b, RADIUS + 1 + HEAD))
        points = curve_points(curve)
        cost = abs(bend) / 8 + 25 * (bend / length) ** 2
        cost += 6 if both_ways and bend < 0 else 0  # traffic keeps to one side
        for state, place in enumerate(places):
            if state not in (arrow.source, arrow.target):
                cost += _clearance_cost(min(math.dist(place, p) for p in points) - RADIUS)
        cost += _clearance_cost(min(math.dist(stub, p) for p in points) - START_STUB / 2)
        away = (p for p in points if min(math.dist(p, a), math.dist(p, b)) > RADIUS + 16)
        cells = frozenset((int(x // CELL), int(y // CELL)) for x, y in away)
        for rank, t in enumerate(PLACES):
            x, y = bezier(curve, t)
            w, h = arrow.width / 2 + 3, arrow.height / 2 + 3
            box = (x - w, y - h, x + w, y + h)
            in_circles = sum(box_distance(box, place) < RADIUS + 3 for place in places)
            in_circles += box_distance(box, tip) < HEAD
            in_circles += box_distance(box, stub) < START_STUB / 2
            yield _Route(curve, tip, box, cost + 1.5 * rank + 300 * in_circles, cells, _box_cells(box))


def _clearance_cost(clearance: float) -> float:
    return 1000 if clearance < 5 else 25 if clearance < 12 else 0


def _pair_cost(one: _Route, other: _Route) -> float:
    """Judge two arrows together: squares that both visit, lines behind labels, labels on labels."""
    cost = 7.0 * len(one.cells & other.cells)
    cost += 12.0 * (len(one.cells & other.label_cells) + len(other.cells & one.label_cells))
    p, q = one.label, other.label
    if p[0] < q[2] + 3 and q[0] < p[2] + 3 and p[1] < q[3] + 3 and q[1] < p[3] + 3:
        cost += 400
    return cost


def _box_cells(box: Box) -> Cells:
    left, top, right, bottom = (int(side // CELL) for side in box)
    return frozenset(product(range(left, right + 1), range(top, bottom + 1)))


# -- drawing --------------------------------------------------------------------------------------


def _draw_arrow(arrow: _Arrow, route: _Route, *, pale: bool) -> list[str]:
    p, c, d, q = (f"{number(x)} {number(y)}" for x, y in route.curve)
    ends: dict[str, str | float] = {"data_source": arrow.source, "data_target": arrow.target}
    look: dict[str, str | float] = {"stroke_dasharray": "5 4"} if pale else {}
    colour = "#b4bcc8" if pale else MUTED
    line = element(
        "path",
        class_="edge",
        d=f"M{p}C{c} {d} {q}",
        fill="none",
        stroke=colour,
        stroke_width=1.7,
        **look,
        **ends,
    )
    direction = (route.tip[0] - route.curve[3][0], route.tip[1] - route.curve[3][1])
    return [line, arrow_head(route.tip, direction, size=HEAD, class_="head", fill=colour)]


def _draw_label(arrow: _Arrow, box: Box, pale: Collection[str]) -> str:
    left, top, right, bottom = box
    parts = [
        element(
            "rect", class_="label", x=left, y=top, width=right - left, height=bottom - top, rx=7, fill=PAPER
        )
    ]
    y = top + 3 + CHIP / 2
    for row in arrow.rows:
        x = (left + right - _row_width(row)) / 2
        for letter in row:
            parts.append(chip(x, y, letter, pale=letter in pale))
            x += chip_width(letter) + GAP
        y += CHIP + GAP
    return element("g", *parts)


def _draw_state(state: int, place: Point, *, accepting: bool) -> list[str]:
    x, y = place
    look: dict[str, str | float] = {"fill": PAPER, "stroke": INK, "stroke_width": 1.8}
    parts = [element("circle", class_="state", cx=x, cy=y, r=RADIUS, **look)]
    if accepting:
        parts.append(element("circle", class_="accepting", cx=x, cy=y, r=RADIUS - 4, **look))
    return [*parts, text(x, y, str(state), size=14)]
