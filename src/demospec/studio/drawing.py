"""What the page draws of a world: its map in layers, the pieces to paint with, where each move leads."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from demospec.errors import InputError
from demospec.files.reading import convert
from demospec.files.tables import GridScene
from demospec.files.values import build_scene
from demospec.files.worlds import build_terrain
from demospec.report.pictures.board import Line, board_svg, lines_layer, pieces, swatch
from demospec.studio.opening import NOWHERE, Document, Limits
from demospec.worlds.gridworld import GridWorld, Terrain, parse_map
from demospec.worlds.scene import Scene
from demospec.worlds.world import is_stopped, stops


def read_scene(table: Document, limits: Limits) -> Scene:
    """Make one of the page's worlds, without its runs."""
    given = convert({**table, "demonstrations": []}, GridScene, "world")
    if given.map is None or given.episode is None:
        raise InputError("a world has a map and says how episodes end", place="world")
    limits.check_map(given.map, f'world "{given.name}"')
    return build_scene(given, given.episode, given.demonstrations, {}, NOWHERE, given.name)


def read_map(table: Document, limits: Limits) -> tuple[tuple[str, ...], Terrain]:
    """Read the map of a world that may not be finished: without a start, with walls everywhere."""
    given = convert({**table, "demonstrations": []}, GridScene, "world")
    limits.check_map(given.map or "", f'world "{given.name}"')
    return parse_map(given.map or ""), build_terrain(given)


def board_document(table: Document, limits: Limits) -> Document:
    """Return the map of a world, and the pieces that any of its cells can get."""
    rows, terrain = read_map(table, limits)
    known = {character for row in rows for character in row} | {"."} | set(terrain.legend)
    characters = "".join(sorted(known | set(string.ascii_letters + string.digits) | set(terrain.walls)))
    return {
        "svg": board_svg(rows, terrain),
        "pieces": pieces(rows, terrain, characters),
        "remarks": list(terrain.remarks(rows)),
    }


def letters_document(names: Sequence[str]) -> Document:
    """Return the colours of letters."""
    return {name: swatch(name) for name in names}


def moves_document(table: Document, limits: Limits) -> Document:
    """Return where each move leads from each cell, with probabilities, and how episodes end."""
    world = read_scene(table, limits).original
    assert isinstance(world, GridWorld)
    moves: dict[str, Any] = {}
    ends = []
    for state, cell in enumerate(world.states):
        if is_stopped(world, state) or isinstance(cell, str):
            continue
        if world.terminal[state]:
            ends.append(list(cell))
            continue
        moves[f"{cell[0]},{cell[1]}"] = {
            world.action(pair): [[*world.states[to], chance] for to, chance in world.outcomes(pair)]
            for pair in world.pairs(state)
            if not stops(world, pair)
        }
    starts = [[*world.states[state]] for state, _ in world.starts]
    chances = [chance for _, chance in world.starts]
    return {"moves": moves, "terminal": ends, "starts": starts, "chances": chances}


def lines_document(table: Document, lines: Sequence[Document], limits: Limits) -> Document:
    """Return the lines of runs: each has cells, a name and a colour's number."""
    rows, terrain = read_map(table, limits)
    try:
        found = []
        for one in lines[: limits.runs + 2]:
            cells = [(int(c), int(r)) for c, r in one["cells"]]
            found.append(Line(cells, str(one["name"]), int(one["colour"]), bool(one.get("dashed"))))
        return dict(lines_layer(rows, terrain, found))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"a line cannot be drawn: {error}", place="lines") from None
