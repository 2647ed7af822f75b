"""Where reports look into the world of a problem: nothing else in `report` asks a problem for it."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.problem import Problem
from demospec.report.pictures.grid import Cell
from demospec.report.pictures.path_map import path_map
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path


def world_of(problem: Problem) -> MDP:
    """Return the world in which the demonstrations were shown."""
    return problem.mdp


def cell_of(world: MDP, state: int) -> Cell:
    """Return the cell that a state of a grid world is."""
    name = world.states[state]
    assert not isinstance(name, str)
    return name


def paths_svg(
    problem: Problem,
    shown: Sequence[Path],
    *,
    numbers: Sequence[int] = (),
    not_taken: Path | None = None,
    title: str = "",
) -> str:
    """Return the map of a grid world with paths on it."""
    world = problem.original
    assert problem.grid is not None

    def cells(path: Path) -> list[Cell]:
        return [cell_of(world, state) for state in problem.in_original(path).states(world)]

    return path_map(
        problem.grid,
        start=cell_of(world, world.start),
        paths=[cells(path) for path in shown],
        numbers=numbers,
        not_taken=[] if not_taken is None else cells(not_taken),
        title=title,
    )
