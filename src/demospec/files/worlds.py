"""From a `[world]` table to its world: a map, which may be a picture, a model's files, or an environment."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, TypeVar

import msgspec

from demospec.errors import FileError, InputError
from demospec.files.log_table import Cell
from demospec.files.reading import read_file
from demospec.files.tables import (
    ExplicitTable,
    GridTable,
    GymnasiumTable,
    JaniTable,
    ModelTable,
    ProblemDocument,
    SceneTable,
    SlipperyTable,
    UmbTable,
    WorldTable,
)
from demospec.limits import CELLS
from demospec.sources.environment import make
from demospec.sources.gymnasium import MAX_STATES, GymnasiumWorld, from_gymnasium
from demospec.wording import listing
from demospec.worlds.gridworld import GridWorld, Slippery, Terrain, Wind, gridworld, parse_map
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

NamedTable = TypeVar("NamedTable", bound=WorldTable | SceneTable)


def located(document: ProblemDocument, folder: FilePath) -> ProblemDocument:
    """Return a problem file in which files are told from its own folder, and maps are written out."""
    return msgspec.structs.replace(
        document,
        world=None if document.world is None else _located(document.world, folder, "world"),
        worlds=[_located(world, folder, f'world "{world.name}"') for world in document.worlds],
    )


def _located(table: NamedTable, folder: FilePath, place: str) -> NamedTable:
    if isinstance(table, ModelTable):
        keys = ("transitions", "labelling", "states") if isinstance(table, ExplicitTable) else ("file",)
        named = {key: name for key in keys if (name := getattr(table, key)) is not None}
        return msgspec.structs.replace(table, **{key: str(folder / name) for key, name in named.items()})
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
        {"probability": one.probability}
        | ({"characters": one.characters} if one.characters else {})
        | ({"cells": [[*cell] for cell in one.cells]} if one.cells else {})
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
    if len({one.probability is None for one in table.starts}) > 1:
        raise InputError("starts: give every cell a probability, or none")
    cells: dict[Cell, float] = {}
    for one in table.starts:
        if one.cell in cells:
            raise InputError(f"starts: the cell {one.cell} is there twice")
        cells[one.cell] = 1 / len(table.starts) if one.probability is None else one.probability
    return cells


# -- A map that is a picture -----------------------------------------------------------------------------

_COLOUR = re.compile(r"#?([0-9a-fA-F]{6})")


def map_of(path: FilePath, palette: Mapping[str, str]) -> str:
    """Return the map that a picture draws; a colour that the palette does not have is refused."""
    characters = dict(colour_of(*entry) for entry in palette.items())
    rows = read_picture(path)
    for row, column in ((r, c) for r, pixels in enumerate(rows) for c in range(len(pixels))):
        if rows[row][column] not in characters:
            raise InputError(
                f"column {column + 1}, row {row + 1}: the colour {rows[row][column]} is not in the palette "
                f"{listing(characters)}",
                place=str(path),
            )
    return "\n".join("".join(map(characters.__getitem__, row)) for row in rows)


def colour_of(name: str, character: str) -> tuple[str, str]:
    """Return a colour as pictures tell it, and its character.

    >>> colour_of("FF0000", "r")
    ('#ff0000', 'r')
    """
    told = _COLOUR.fullmatch(name)
    if told is None:
        raise InputError(f'palette: "{name}" is no colour; write it as "#ff8800"')
    if len(character) != 1 or character.isspace():
        raise InputError(f'palette: "{name}" must be one character; found "{character}"')
    return f"#{told[1].lower()}", character


def read_picture(path: FilePath) -> list[list[str]]:
    """Return the colours of a picture, row by row."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise InputError('a map from a picture needs Pillow: pip install "demospec[picture]"') from None
    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > CELLS:
                size = f"{picture.width} × {picture.height}"
                raise InputError(f"{size} pixels are too many for a map: each is a cell", place=str(path))
            data: bytes = picture.convert("RGB").tobytes()
            colours = [f"#{data[k : k + 3].hex()}" for k in range(0, len(data), 3)]
            return [colours[k : k + picture.width] for k in range(0, len(colours), picture.width)]
    except UnidentifiedImageError:
        raise FileError("is no picture that can be read", place=str(path)) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", place=str(path)) from None


# -- From tables that name a model of another tool, or an environment, to its world ----------------------


def build_model(table: ModelTable, episode: Episode) -> MDP:
    """Make the world of a model that another tool describes."""
    from demospec.sources.explicit import from_explicit  # readers, which few files need
    from demospec.sources.prism import from_jani, from_prism
    from demospec.sources.umb import from_umb

    if isinstance(table, ExplicitTable):
        beside = [name for name in (table.labelling, table.states) if name is not None]
        source = [table.transitions, *beside] if beside else table.transitions
        return from_explicit(source, episode=episode, labels=table.labels)
    if isinstance(table, UmbTable):
        return from_umb(table.file, episode=episode, labels=table.labels)
    read = from_jani if isinstance(table, JaniTable) else from_prism
    return read(table.file, episode=episode, constants=table.constants, labels=table.labels)


def build_gymnasium(table: GymnasiumTable, episode: Episode) -> GymnasiumWorld:
    """Make the world that a table names; that it was estimated, its `source` says."""
    if table.samples is not None and table.samples < 1:
        raise InputError(f"samples must be at least 1; found {table.samples}")
    environment = make(table.id, table.kwargs)
    told = bool(table.labels or table.features)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return from_gymnasium(
                environment,
                labels=table.labels if told else None,
                features=table.features if told else None,
                horizon=episode.horizon,
                ends=episode.ends,
                end_probability=episode.end_probability,
                terminal=table.terminal,
                actions=table.actions or None,
                seed=table.seed,
                max_states=table.max_states or MAX_STATES,
                samples=table.samples,
            )
    finally:
        environment.close()
