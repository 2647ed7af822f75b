"""Problems as the page holds them: read from texts, links and examples, and checked; no file is opened here.

The page holds a problem file's tables as JSON, with all worlds under `worlds`. Whatever comes from a page or
a link is data: grids that are written out, paths, tasks as text. Keys that name files are refused, and what
is too large for the studio.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path as FilePath
from typing import Any

import msgspec

from demospec.errors import FileError, InputError
from demospec.files.reading import convert, parse_document
from demospec.files.tables import GridScene, GridTable, ProblemDocument, TaskDocument
from demospec.files.task_text import read_task_line
from demospec.files.toml import to_toml
from demospec.files.values import build_problem
from demospec.files.writing import demonstration_table, world_table
from demospec.problem import Problem
from demospec.worlds.gridworld import GridWorld
from demospec.worlds.scene import Scene

Document = dict[str, Any]
NOWHERE = FilePath("/dev/null/no-folder")  # where files would be looked up; nothing can be there
ELSEWHERE = "demospec learn takes larger ones"
KEPT = ("task", "agent", "energy", "search", "examples")  # tables that are passed on as they are


@dataclass(frozen=True)
class Limits:
    """Limits of one studio; the page is told them, and the server holds to them whatever it is sent."""

    side: int = 64  # cells of a map, across and down
    worlds: int = 8
    runs: int = 60
    horizon: int = 400
    seconds: float = 60.0  # of a search
    searches: int = max(2, (os.cpu_count() or 2) // 2)  # at once; others wait
    pages: int = 24  # that are open, each with a process of its own
    bytes: int = 1_000_000  # of a request, and of a problem in a link
    grace: float = 10.0  # seconds until a page that is not heard of any more is taken to be closed

    def check_map(self, text: str, place: str = "world") -> None:
        """Refuse a map that is too large to be drawn, before anything is made of it."""
        rows = text.strip().splitlines()
        columns = max((len(row.strip()) for row in rows), default=0)
        if columns > self.side or len(rows) > self.side:
            most = f"the studio draws at most {self.side} × {self.side} cells; {ELSEWHERE}"
            raise InputError(f"the map has {columns} columns and {len(rows)} rows; {most}", place=place)

    def check(self, problem: Problem) -> None:
        """Refuse a problem that the page cannot draw, or that would take too long."""
        worlds, runs = len(problem.scenes), len(problem.demonstrations)
        for what, there, limit in ("worlds", worlds, self.worlds), ("demonstrations", runs, self.runs):
            if there > limit:
                raise InputError(f"there are {there} {what}; the studio takes at most {limit}")
        for scene in problem.scenes:
            place = f'world "{scene.name}"'
            if not isinstance(scene.original, GridWorld):
                other = "this one is of another kind, which demospec learn takes"
                raise InputError(f"the studio draws grid worlds; {other}", place=place)
            horizon = scene.original.episode.horizon
            if horizon > self.horizon:
                most = f"the studio takes at most {self.horizon}; {ELSEWHERE}"
                raise InputError(f"episodes have up to {horizon} steps; {most}", place=place)


def read_problem(document: Mapping[str, Any], limits: Limits, name: str = "") -> Problem:
    """Make and check the problem of a page's document, or of a file's."""
    tables = convert(document, ProblemDocument, name or "problem")
    try:
        refuse_files(tables, limits)
        problem = build_problem(with_bounds_read(tables), NOWHERE)
        limits.check(problem)
    except InputError as error:
        raise (error.within(name) if name else error) from None
    return problem


def refuse_files(tables: ProblemDocument, limits: Limits) -> None:
    """Refuse worlds that are no written maps, and whatever names a file."""
    worlds = [*([] if tables.world is None else [tables.world]), *tables.worlds]
    for number, world in enumerate(worlds, start=1):
        place = f'world "{world.name}"' if isinstance(world, GridScene) else f"world {number}"
        if not isinstance(world, GridTable):
            told = f'a world of kind "{world.__struct_config__.tag}" is for demospec learn'
            raise InputError(f"the studio draws grid worlds; {told}", place=place)
        if world.map is None:
            raise InputError("the studio opens no files: write the map out with the key map", place=place)
        limits.check_map(world.map, place)
    shown = [*tables.demonstrations, *(one for world in tables.worlds for one in world.demonstrations)]
    for number, run in enumerate(shown, start=1):
        if run.log is not None or run.minari is not None:
            raise InputError("the studio opens no files: write the run out", place=f"demonstration {number}")


def with_bounds_read(tables: ProblemDocument) -> ProblemDocument:
    """Return a problem's tables in which bounds of the task that are given as text are read, as tasks."""
    task, found = tables.task, {}
    for key in ("implies", "implied_by"):
        text = getattr(task, key)
        if isinstance(text, str):
            try:
                whole = read_task_line(text, tables.alphabet and tuple(sorted(tables.alphabet)))
            except InputError as error:
                raise error.within(f"task.{key}") from None
            found[key] = convert(whole.as_dfa().to_json(), TaskDocument, f"task.{key}")
    return msgspec.structs.replace(tables, task=msgspec.structs.replace(task, **found)) if found else tables


# -- from elsewhere to the page --------------------------------------------------------------------------


def open_text(text: str, name: str, limits: Limits) -> Document:
    """Return the page's document of a problem file's text."""
    return page_document(parse_document(text, name), limits, name)


def open_link(fragment: str, limits: Limits) -> Document:
    """Return the page's document of a link's fragment: JSON, deflated, in base 64 for addresses."""
    code = fragment.rpartition("#")[2].removeprefix("p=")
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        inflating = zlib.decompressobj(-zlib.MAX_WBITS)
        text = inflating.decompress(packed, limits.bytes)
        if inflating.unconsumed_tail or not inflating.eof:
            raise FileError("is cut off, or holds more than a problem", place="the link")
        document = json.loads(text)
    except (binascii.Error, zlib.error, ValueError):
        raise FileError("holds no problem: it may have been cut off", place="the link") from None
    if not isinstance(document, dict):
        raise FileError("holds no problem", place="the link")
    return page_document(document, limits, "the link")


def page_document(document: Mapping[str, Any], limits: Limits, name: str) -> Document:
    """Return a problem file's tables as the page holds them: checked, and worlds in one list."""
    problem = read_problem(document, limits, name)
    kept = {key: document[key] for key in KEPT if document.get(key)}
    return {
        "name": problem.name,
        "alphabet": list(problem.alphabet),
        "worlds": [page_world(scene) for scene in problem.scenes],
        **kept,
    }


def page_world(scene: Scene) -> Document:
    """Return a world as the page holds it."""
    world = scene.original
    table = world_table(world)
    if scene.quotient is not None:
        table["merge_redundant"] = True
    if "slippery" in table and isinstance(table["slippery"], dict):
        table["slippery"] = [table["slippery"]]
    shown = [demonstration_table(world, scene.in_original(path)) for path in scene.demonstrations]
    return {"name": scene.name, **table, "episode": asdict(world.episode), "demonstrations": shown}


# -- from the page to a file ---------------------------------------------------------------------------------


def file_text(document: Document, limits: Limits) -> str:
    """Return a page's document as a problem file."""
    read_problem(document, limits)
    worlds = [dict(world) for world in document["worlds"]]
    told: Document = {
        key: value for key, value in document.items() if key != "worlds" and value not in ({}, [])
    }
    if len(worlds) == 1 and worlds[0]["name"] == "world":
        (only,) = worlds
        del only["name"]
        first = {"name": told.pop("name", "problem"), "alphabet": told.pop("alphabet", None), "world": only}
        last = {"episode": only.pop("episode"), "demonstrations": only.pop("demonstrations", [])}
        told = {**first, **told, **last}
    else:
        told["worlds"] = worlds
    return to_toml(without_nothing(told))


def without_nothing(value: Any) -> Any:
    """Return plain values without those that say nothing: TOML has no null."""
    if isinstance(value, dict):
        return {key: without_nothing(one) for key, one in value.items() if one is not None and one != []}
    return [without_nothing(one) for one in value] if isinstance(value, list) else value
