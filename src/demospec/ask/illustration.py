"""A path for people: on the map of a gridworld, or as the states that it passes."""

from __future__ import annotations

from itertools import groupby

from demospec.ask.labels import LabelQuestion
from demospec.ask.run_questions import RunQuestion
from demospec.problem import Problem
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import State, is_stopped, show


def illustrate_question(problem: Problem, question: LabelQuestion | RunQuestion) -> str:
    """Draw the run that a label is asked for, or where the run begins that is asked for."""
    if isinstance(question, RunQuestion):
        return illustrate_starts(question.scene)
    return illustrate(problem.scene(question.world), question.path)


def illustrate(scene: Scene, path: Path) -> str:
    """Draw a path of a scene on the map if there is one, and tell its steps."""
    steps = steps_text(scene, path)
    if scene.grid is None:
        return steps
    world = scene.original
    states = scene.in_original(path).without_stop(world).states(world)
    return f"{map_text(scene.grid, [world.name(state) for state in states])}\n{steps}"


def illustrate_starts(scene: Scene) -> str:
    """Draw where episodes begin on the map if there is one."""
    if scene.grid is None:
        return ""
    world = scene.original
    return map_text(scene.grid, [world.name(state) for state, _ in world.starts], numbers=False)


def map_text(rows: tuple[str, ...], cells: list[State], *, numbers: bool = True) -> str:
    """Draw a gridworld's map; a cell that a path enters has the number of the step that enters it last.

    0 is the start, and without `numbers` all cells are. Every cell keeps its letter.

    >>> print(map_text(("a..", "..b"), [(2, 2), (2, 1), (1, 1)]))
    a2 .1 .
    .  .0 b
    """
    entered = {cell: number if numbers else 0 for number, cell in enumerate(cells)}
    width = 1 + len(str(max(entered.values())))
    lines = []
    for row, line in enumerate(rows, start=1):
        marked = (f"{letter}{entered.get((column, row), '')}" for column, letter in enumerate(line, start=1))
        lines.append(" ".join(cell.ljust(width) for cell in marked).rstrip())
    return "\n".join(lines)


def steps_text(scene: Scene, path: Path) -> str:
    """Tell the steps: in a gridworld the actions, elsewhere also where each leads.

    A step that does not lead where its action aims, because of wind or a wall, also tells where it leads.
    """
    world, told = scene.original, []
    for pair, state in scene.in_original(path).steps:
        action = world.action(pair)
        likeliest = max(world.outcomes(pair), key=lambda outcome: outcome[1])[0]
        plain = is_stopped(world, state) or (scene.grid is not None and state == likeliest)
        told.append(action if plain else f"{action} to {show(world.name(state))}")
    groups = [(step, len(list(same))) for step, same in groupby(told)]
    return ", ".join(step if count == 1 else f"{step} ×{count}" for step, count in groups)
