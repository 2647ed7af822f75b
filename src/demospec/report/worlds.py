"""What reports say and draw of the worlds of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demospec.problem import Problem
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import World, only_start

if TYPE_CHECKING:
    from demospec.report.pictures.maps import Cell


def in_world(problem: Problem, scene: Scene) -> str:
    """Return " in world …" where a problem has several; nothing where it has one."""
    return f" in world {scene.name}" if len(problem.scenes) > 1 else ""


def world_key(problem: Problem, scene: Scene) -> dict[str, str]:
    """Return the world's name for a document, where a problem has several."""
    return {"world": scene.name} if len(problem.scenes) > 1 else {}


def cell_of(world: World, state: int) -> Cell:
    """Return the cell that a state of a grid world is."""
    name = world.name(state)
    assert not isinstance(name, str)
    return name


def paths_svg(
    scene: Scene,
    shown: Sequence[Path],
    *,
    numbers: Sequence[int] = (),
    not_taken: Path | None = None,
    title: str = "",
    live: bool = False,
) -> str:
    """Return the map of a grid world with paths on it."""
    from demospec.report.pictures.maps import path_map  # which is loaded when something is drawn

    world, rows = scene.original, scene.grid
    assert rows is not None

    def cells(path: Path) -> list[Cell]:
        return [cell_of(world, state) for state in scene.in_original(path).without_stop(world).states(world)]

    begins = [not_taken] if not_taken is not None else [*shown]
    start = begins[0].first(scene.world) if begins else world.starts[0][0]
    first = cells(begins[0])[0] if begins else cell_of(world, start)
    return path_map(
        rows,
        start=first if len(world.starts) > 1 else cell_of(world, only_start(world)),
        paths=[cells(path) for path in shown],
        numbers=numbers,
        not_taken=[] if not_taken is None else cells(not_taken),
        title=title,
        terrain=scene.terrain,
        live=live,
    )
