"""`[world]` with kind "gridworld": from its table to the world, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path as FilePath
from typing import Any, TypeVar

import msgspec

from demospec.errors import FileError, InputError
from demospec.files.log_table import Cell
from demospec.files.reading import read_file
from demospec.files.tables import GridTable, ProblemDocument, SceneTable, SlipperyTable, WorldTable
from demospec.worlds.gridworld import GridWorld, Wind, gridworld, parse_map
from demospec.worlds.terrain import Slippery, Terrain
from demospec.worlds.world import Episode

Table = TypeVar("Table", bound=WorldTable | SceneTable)


def with_maps(document: ProblemDocument, folder: FilePath) -> ProblemDocument:
    """Return a problem file in which maps that are files of their own are written out."""
    return msgspec.structs.replace(
        document,
        world=None if document.world is None else _with_map(document.world, folder, "world"),
        worlds=[_with_map(world, folder, f'world "{world.name}"') for world in document.worlds],
    )


def _with_map(table: Table, folder: FilePath, place: str) -> Table:
    if not isinstance(table, GridTable):
        return table
    told = [key for key in ("map", "map_file", "map_picture") if getattr(table, key) is not None]
    if not told:
        raise FileError('the key "map" is missing', place=place)
    if len(told) > 1:
        raise InputError(f"give {' or '.join(told)}, not both", place=place)
    if bool(table.palette) != (table.map_picture is not None):
        raise InputError("a palette and map_picture go together; one is missing", place=place)
    if table.map_picture is not None:
        from demospec.files.map_picture import map_of  # which few files need

        text = map_of(folder / table.map_picture, table.palette)
        return msgspec.structs.replace(table, map=text, map_picture=None, palette={})
    if table.map_file is None:
        return table
    text = read_file(folder / table.map_file, str(folder / table.map_file))
    return msgspec.structs.replace(table, map=text, map_file=None)


def build_grid(table: GridTable, episode: Episode) -> GridWorld:
    """Make the world of a map."""
    return gridworld(
        parse_map(table.map or ""),
        start=start_cells(table),
        episode=episode,
        wind=None if table.wind is None else Wind(**msgspec.structs.asdict(table.wind)),
        blocked=table.blocked,
        terminal=table.terminal,
        terrain=build_terrain(table),
    )


def build_terrain(table: GridTable) -> Terrain:
    """Make what the cells of a map do."""
    slippery = [table.slippery] if isinstance(table.slippery, SlipperyTable) else table.slippery
    return Terrain(
        walls=table.walls,
        one_way=table.one_way,
        slippery=tuple(
            Slippery(probability=one.probability, characters=one.characters, cells=tuple(one.cells))
            for one in slippery
        ),
        teleports=tuple(table.teleports),
        moves=table.moves,
        legend={
            character: ((label,) if label else ()) if isinstance(label, str) else tuple(label)
            for character, label in table.legend.items()
        },
    )


def terrain_document(terrain: Terrain) -> dict[str, Any]:
    """Return the keys of what the cells of a map do, but for those that have their default."""
    slippery = [
        {
            key: [[*cell] for cell in value] if key == "cells" else value
            for key, value in asdict(one).items()
            if value or key == "probability"
        }
        for one in terrain.slippery
    ]
    table: dict[str, Any] = {
        "walls": terrain.walls,
        "one_way": terrain.one_way,
        "slippery": slippery[0] if len(slippery) == 1 else slippery,
        "teleports": [[[*source], [*target]] for source, target in terrain.teleports],
        "moves": terrain.moves,
        "legend": {
            character: propositions[0] if len(propositions) == 1 else list(propositions)
            for character, propositions in terrain.legend.items()
        },
    }
    return {key: value for key, value in table.items() if value and (key, value) != ("moves", 4)}


def start_cells(table: GridTable) -> dict[Cell, float]:
    """Return the cells in which episodes of a gridworld begin, with their probabilities."""
    if table.start is not None and table.starts:
        raise InputError("give start or starts, not both")
    if table.start is not None:
        return {table.start: 1.0}
    if not table.starts:
        raise InputError('the key "start" is missing')
    given = [one.probability for one in table.starts]
    if any(chance is None for chance in given) and any(chance is not None for chance in given):
        raise InputError("starts: give every cell a probability, or none")
    cells: dict[Cell, float] = {}
    for one in table.starts:
        if one.cell in cells:
            raise InputError(f"starts: the cell {one.cell} is there twice")
        cells[one.cell] = 1 / len(given) if one.probability is None else one.probability
    return cells
