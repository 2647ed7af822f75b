"""Where the states of an automaton stand, and how its arrows run between them.

States stand in layers. Each arrow has a family of routes; a local search picks one for each, so that curves
keep clear of other states, of each other and of labels.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product

from demospec.report.pictures.automaton_routes import RADIUS, Arrow, Route, routes_of
from demospec.report.pictures.svg import Point, crosses, segment_distance
from demospec.tasks.dfa import DFA
from demospec.tasks.tables import Table

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
    if tall:
        pitch = max([NARROW_GAP, *(2 * RADIUS + 12 + arrow.width for arrow in arrows)])
    else:
        pitch = max([STATE_GAP, *(2 * RADIUS + 44 + arrow.height for arrow in arrows)])

    def placed(order: Sequence[Sequence[int]]) -> list[Point]:
        places = _places(order, columns, pitch)
        return [(y, x) for x, y in places] if tall else places

    def straight(order: Sequence[Sequence[int]]) -> float:
        return round(_straight_cost(placed(order), arrows), 3)

    if math.prod(math.factorial(len(layer)) for layer in layers) <= SMALL_ORDERS:
        orders = sorted(product(*(permutations(layer) for layer in layers)), key=straight)
        orders = orders[: 6 if len(arrows) <= SMALL_ARROWS else 1]
    else:
        orders = [_barycentre(layers, arrows)]
    laid_out = []
    for order in orders:
        places = placed(order)
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


def _columns(layers: Sequence[Sequence[int]], arrows: Sequence[Arrow], *, tall: bool) -> list[float]:
    """Return where each layer is; the widest label between two neighbours, or the highest, fits there."""
    level = {state: k for k, layer in enumerate(layers) for state in layer}
    room = LAYER_GAP + 8 * max(0, max(map(len, layers)) - 4)  # steep arrows need more
    columns = [0.0]
    for k in range(1, len(layers)):
        widths = [
            a.height if tall else a.width for a in arrows if {level[a.source], level[a.target]} == {k - 1, k}
        ]
        columns.append(columns[-1] + 2 * RADIUS + room + max(widths, default=0.0))
    return columns


def _places(order: Sequence[Sequence[int]], columns: Sequence[float], pitch: float) -> list[Point]:
    found = {
        state: (x, (k - (len(layer) - 1) / 2) * pitch)
        for x, layer in zip(columns, order, strict=True)
        for k, state in enumerate(layer)
    }
    return [found[state] for state in sorted(found)]


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
