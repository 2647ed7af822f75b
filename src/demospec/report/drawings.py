"""The pictures that belong to a result: tasks, what was shown, how the search went."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from demospec.belief.undetermined import Undetermined
from demospec.problem import Problem
from demospec.report.blocks import Block, Figure
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.chart import Band, band_chart
from demospec.report.worlds import paths_svg
from demospec.runs.learn import Result
from demospec.tasks import DFA, Composite


def task_svg(task: DFA) -> str:
    """Return the picture of a task; of one with parts, theirs."""
    if isinstance(task, Composite):
        return f"<p>{task.operator}</p>".join(map(automaton_svg, task.parts))
    return automaton_svg(task.minimal)


def open_svg(shown: Undetermined, title: str = "") -> str:
    """Return the picture of a task with what is not determined drawn light."""
    return automaton_svg(shown.task, title=title, light=shown.light, also=shown.also)


def best_svg(result: Result) -> str:
    """Return the picture of the best task; what is not determined is light, unless it has parts."""
    task = result.best.task
    if isinstance(task, Composite):
        return f"{task_svg(task)}<p>or, as one automaton,</p>{automaton_svg(task.minimal)}"
    return open_svg(result.findings.open)


def energy_svg(result: Result) -> str:
    """Return the lowest energy by iteration, one line for each chain."""
    chains: dict[int, list[float]] = {}
    for row in result.trace:
        energy = float("inf") if row.info.best is None else row.info.best.energy
        chains.setdefault(row.chain, []).append(energy)
    bands = [Band(f"chain {chain + 1}", line, line, line) for chain, line in chains.items()]
    return band_chart(bands, title="Lowest energy found", x_label="iteration", y_label="energy")


def world_svg(problem: Problem) -> str:
    """Return the map of a grid world with the demonstrations on it."""
    return paths_svg(problem, problem.demonstrations, title=problem.name)


def map_of_demonstrations(problem: Problem) -> Sequence[Block]:
    """Return the map with the demonstrations on it, where the world is a grid."""
    return [] if problem.grid is None else [Figure(partial(world_svg, problem))]
