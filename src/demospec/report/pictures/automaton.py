"""Pictures of automata: states in layers, one arrow for each pair of states, letters as coloured chips.

Self loops are not drawn: a letter without an arrow leaves the state as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from itertools import groupby

from demospec.limits import PICTURED_STATES
from demospec.report.pictures.colours import Paint, paint
from demospec.report.pictures.layout import GAP, HEAD, RADIUS, START_STUB, Arrow, Route, layout, row_width
from demospec.report.pictures.svg import (
    CHIP,
    Box,
    Point,
    arrow_head,
    chip,
    chip_width,
    curve_points,
    element,
    number,
    page,
    text,
    text_width,
)
from demospec.tasks.dfa import DFA
from demospec.tasks.propositions import are_sets
from demospec.tasks.text import guard

ROW_LETTERS, ROW_WIDTH = 4, 170.0  # a label grows a new row beyond these


def too_large(dfa: DFA, title: str) -> str:
    """Draw a note in the place of an automaton that nobody could follow, and that would take minutes."""
    note = f"{dfa.states:,} states: too many to draw; {PICTURED_STATES} at most"
    width = text_width(note, 13)
    return page([text(width / 2 + 12, 20, note, size=13)], width=width + 24, height=40, title=title)


def automaton_svg(
    dfa: DFA,
    *,
    title: str = "",
    light: Collection[tuple[int, str, int]] = (),
    also: Collection[tuple[int, str, int]] = (),
    live: bool = False,
    tall: bool = False,
) -> str:
    """Draw an automaton as a standalone SVG document; transitions in `light` are pale and dashed.

    So are those in `also`, which it does not have, but might. A light loop is a pale letter under its state.
    A tall picture goes from the top to the bottom, as a phone has room. In a live picture states are groups
    with `data-state`, arrows have `data-from`, `data-to` and `data-letters`, a JSON list.
    """
    look = paint(live)
    if dfa.states > PICTURED_STATES:
        return too_large(dfa, title)
    loops = _loops(dfa, light, also)
    light = {*light, *also}
    arrows, faint = _arrows(dfa, light, also)
    places, routes = layout(dfa, (dfa.table, dfa.start), tuple(arrows), tall=tall)
    body, labels = [], []  # every label lies above every line
    for arrow, route in zip(arrows, routes, strict=True):
        pale = faint[arrow.source, arrow.target]
        line = _draw_arrow(arrow, route, look, pale=len(pale) == sum(map(len, arrow.rows)))
        said: dict[str, str | float] = {}
        if live:
            said = {
                "data_from": arrow.source,
                "data_to": arrow.target,
                "data_letters": letters_of(dfa, arrow),
            }
            line = [element("g", *line, class_="arrow", **said)]
        body += line
        labels.append(_draw_label(arrow, route.label, pale, look, **said))
    body += labels
    start_x, start_y = places[dfa.start]
    tip = (start_x - RADIUS - 2, start_y)
    stub = element(
        "path",
        class_="start",
        d=f"M{number(tip[0] - START_STUB)} {number(tip[1])}H{number(tip[0] - HEAD)}",
        stroke=look.ink,
        stroke_width=1.8,
        fill="none",
    )
    body += [stub, arrow_head(tip, (1, 0), size=HEAD, class_="start-head", fill=look.ink)]
    for state, place in enumerate(places):
        drawn = _draw_state(state, place, look, accepting=dfa.accepting[state])
        body += [element("g", *drawn, data_state=state)] if live else drawn

    boxes = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    for loop in loops:
        x, y = places[loop.source]
        box = (x - loop.width / 2 - 3, y + RADIUS + 1, x + loop.width / 2 + 3, y + RADIUS + loop.height + 7)
        body.append(_draw_label(loop, box, [letter for row in loop.rows for letter in row], look))
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
        bold: dict[str, str | float] = {"font_weight": "bold", "class_": "title", "fill": look.ink}
        body.append(text((left + right) / 2, top + 21, title, size=14, **bold))
    name = title or ("automaton" if live else "")
    size = right - left, bottom - top
    return page(
        body, width=size[0], height=size[1], title=name, origin=(left, top), paint=look, kind="automaton"
    )


def letters_of(dfa: DFA, arrow: Arrow) -> str:
    """Return the letters that lead along an arrow, as a JSON list."""
    row = zip(dfa.alphabet, dfa.table[arrow.source], strict=True)
    return json.dumps([letter for letter, target in row if target == arrow.target], ensure_ascii=False)


# -- what to draw -------------------------------------------------------------------------------


def _arrows(
    dfa: DFA, light: Collection[tuple[int, str, int]] = (), also: Collection[tuple[int, str, int]] = ()
) -> tuple[list[Arrow], dict[tuple[int, int], set[str]]]:
    """Merge the transitions with the same ends, and return by ends what of their labels is pale.

    The letters of one arrow are cut into even rows; letters of several propositions are told by a guard.
    """
    found: list[Arrow] = []
    pale: dict[tuple[int, int], set[str]] = {}
    changes = sorted((source, target, letter) for source, letter, target in {*dfa.changes(), *also})
    for (source, target), group in groupby(changes, key=lambda change: change[:2]):
        letters = [letter for _, _, letter in group]
        faint = [letter for letter in letters if (source, letter, target) in light]
        chips = letters
        if are_sets(dfa.alphabet):
            clear = [letter for letter in letters if letter not in faint]
            faint = guard(faint, dfa.alphabet) if faint else []
            chips = [*(guard(clear, dfa.alphabet) if clear else []), *faint]
        found.append(Arrow(source, target, _rows(chips)))
        pale[source, target] = set(faint)
    return found, pale


def _rows(letters: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    count = max(-(-len(letters) // ROW_LETTERS), math.ceil(row_width(letters) / ROW_WIDTH))
    length = -(-len(letters) // count)
    return tuple(tuple(letters[k : k + length]) for k in range(0, len(letters), length))


def _loops(
    dfa: DFA, light: Collection[tuple[int, str, int]], also: Collection[tuple[int, str, int]]
) -> list[Arrow]:
    """Return the light loops, state by state, but for those that have an arrow beside them."""
    drawn = {(source, letter) for source, letter, _ in also}
    wanted = [loop for loop in sorted(set(light)) if loop[0] == loop[2] and loop[:2] not in drawn]
    return [
        Arrow(state, state, _rows(guard([letter for _, letter, _ in group], dfa.alphabet)))
        for state, group in groupby(wanted, key=lambda loop: loop[0])
    ]


# -- drawing --------------------------------------------------------------------------------------


def _draw_arrow(arrow: Arrow, route: Route, paint: Paint, *, pale: bool) -> list[str]:
    p, c, d, q = (f"{number(x)} {number(y)}" for x, y in route.curve)
    ends: dict[str, str | float] = {}
    if not paint.live:
        ends = {"data_source": arrow.source, "data_target": arrow.target}
    look: dict[str, str | float] = {"stroke_dasharray": "5 4"} if pale else {}
    colour = paint.pale if pale else paint.muted
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


def _draw_label(arrow: Arrow, box: Box, pale: Collection[str], paint: Paint, **said: str | float) -> str:
    left, top, right, bottom = box
    size: dict[str, str | float] = {"width": right - left, "height": bottom - top}
    parts = [element("rect", class_="label", x=left, y=top, **size, rx=7, fill=paint.paper)]
    y = top + 3 + CHIP / 2
    for row in arrow.rows:
        x = (left + right - row_width(row)) / 2
        for letter in row:
            parts.append(chip(x, y, letter, pale=letter in pale, paint=paint))
            x += chip_width(letter) + GAP
        y += CHIP + GAP
    return element("g", *parts, **said)


def _draw_state(state: int, place: Point, paint: Paint, *, accepting: bool) -> list[str]:
    x, y = place
    look: dict[str, str | float] = {"fill": paint.paper, "stroke": paint.ink, "stroke_width": 1.8}
    parts = [element("circle", class_="state", cx=x, cy=y, r=RADIUS, **look)]
    if accepting:
        parts.append(element("circle", class_="accepting", cx=x, cy=y, r=RADIUS - 4, **look))
    return [*parts, text(x, y, str(state), size=14, fill=paint.ink)]
