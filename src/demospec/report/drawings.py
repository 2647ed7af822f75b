"""The pictures that belong to a result: tasks, what was shown, how the search went.

What draws is loaded when something is drawn: text for a terminal has no pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from demospec.belief.undetermined import Undetermined
from demospec.problem import Problem
from demospec.report.blocks import Block, Figure
from demospec.runs.result import Result
from demospec.tasks import Task
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import World, only_start

if TYPE_CHECKING:
    from demospec.report.pictures.maps import Cell


def task_svg(task: Task, *, live: bool = False) -> str:
    """Return the picture of a task; of one with parts, theirs."""
    from demospec.report.pictures.automaton import automaton_svg

    if len(task.parts) > 1:
        drawn = (automaton_svg(part.automaton, live=live) for part in task.parts)
        return f"<p>{task.joined_by}</p>".join(drawn)
    return automaton_svg(task.automaton, live=live)


def open_svg(shown: Undetermined, title: str = "", *, live: bool = False, tall: bool = False) -> str:
    """Return the picture of a task with what is not determined drawn light."""
    from demospec.report.pictures.automaton import automaton_svg

    return automaton_svg(shown.task, title=title, light=shown.light, also=shown.also, live=live, tall=tall)


def best_svg(result: Result) -> str:
    """Return the picture of the best task; what is not determined is light, unless it has parts."""
    task = result.best.task
    if len(task.parts) > 1:
        return f"{task_svg(task)}<p>or, as one automaton,</p>{task_svg(task.automaton)}"
    return task_svg(task.automaton) if result.findings is None else open_svg(result.findings.open)


def energy_svg(result: Result, *, live: bool = False) -> str:
    """Return the lowest energy by iteration, one line for each chain."""
    from demospec.report.pictures.charts import Band, band_chart

    chains: dict[int, list[float]] = {}
    for row in result.trace:
        energy = float("inf") if row.info.best is None else row.info.best.energy
        chains.setdefault(row.chain, []).append(energy)
    bands = [Band(f"chain {chain + 1}", line, line, line) for chain, line in chains.items()]
    return band_chart(bands, title="Lowest energy found", x_label="iteration", y_label="energy", live=live)


def world_svg(scene: Scene, title: str) -> str:
    """Return the map of a grid world with the demonstrations on it."""
    return paths_svg(scene, scene.demonstrations, title=title)


def map_of_demonstrations(problem: Problem) -> Sequence[Block]:
    """Return the maps with the demonstrations on them, where worlds are grids."""
    return [
        Figure(partial(world_svg, scene, f"{problem.name}{in_world(problem, scene)}"))
        for scene in problem.scenes
        if scene.grid is not None
    ]


# -- worlds -------------------------------------------------------------------------------------------


def in_world(problem: Problem, scene: Scene) -> str:
    """Return " in world …" where a problem has several; nothing where it has one."""
    return f" in world {scene.name}" if len(problem.scenes) > 1 else ""


def cell_of(world: World, state: int) -> Cell:
    """Return the cell that a state of a grid world is."""
    name = world.name(state)
    assert not isinstance(name, str)
    return name


def cells_of(scene: Scene, path: Path) -> list[Cell]:
    """Return the cells that a path passes."""
    world = scene.original
    return [cell_of(world, state) for state in scene.in_original(path).without_stop(world).states(world)]


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

    begins = [not_taken] if not_taken is not None else [*shown]
    start = begins[0].first(scene.world) if begins else world.starts[0][0]
    first = cells_of(scene, begins[0])[0] if begins else cell_of(world, start)
    return path_map(
        rows,
        start=first if len(world.starts) > 1 else cell_of(world, only_start(world)),
        paths=[cells_of(scene, path) for path in shown],
        numbers=numbers,
        not_taken=[] if not_taken is None else cells_of(scene, not_taken),
        title=title,
        terrain=scene.terrain,
        live=live,
    )
