"""A path for people: on the map of a gridworld, or as the states that it passes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from demospec.problem import Problem
from demospec.worlds.paths import Path
from demospec.worlds.world import show


def illustrate(problem: Problem, path: Path) -> str:
    """Draw a path on the map if there is one, and tell its steps."""
    steps = steps_text(problem, path)
    grid = problem.scene().grid
    return steps if grid is None else f"{map_text(problem, grid, path)}\n{steps}"


def map_text(problem: Problem, rows: Sequence[str], path: Path) -> str:
    """Draw a gridworld's map; a cell that the path enters has the number of the step that enters it last.

    0 is the start. Every cell keeps its letter.
    """
    scene = problem.scene()
    world = scene.original
    states = scene.in_original(path).states(world)
    entered = {world.name(state): number for number, state in enumerate(states)}
    width = 1 + len(str(len(path.steps)))
    lines = []
    for row, line in enumerate(rows, start=1):
        cells = (f"{letter}{entered.get((column, row), '')}" for column, letter in enumerate(line, start=1))
        lines.append(" ".join(cell.ljust(width) for cell in cells).rstrip())
    return "\n".join(lines)


def steps_text(problem: Problem, path: Path) -> str:
    """Tell the steps: in a gridworld the actions, elsewhere also where each leads.

    A step that does not lead where its action aims, because of wind or a wall, also tells where it leads.
    """
    scene = problem.scene()
    world, told = scene.original, []
    for pair, state in scene.in_original(path).steps:
        action = world.action(pair)
        likeliest = max(world.outcomes(pair), key=lambda outcome: outcome[1])[0]
        plain = scene.grid is not None and state == likeliest
        told.append(action if plain else f"{action} to {show(world.name(state))}")
    groups = [(step, len(list(same))) for step, same in groupby(told)]
    return ", ".join(step if count == 1 else f"{step} ×{count}" for step, count in groups)
