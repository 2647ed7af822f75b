"""The pictures of the page: worlds with runs on them, runs as strips, the automaton wide and tall."""

from __future__ import annotations

import re
from collections.abc import Sequence

from demospec.belief.undetermined import Undetermined
from demospec.problem import Problem
from demospec.report.drawings import open_svg
from demospec.report.page.html import chip, paragraph, picture, tag
from demospec.report.page.walks import Walk
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.colours import LIVE
from demospec.report.pictures.svg import escape
from demospec.report.worlds import paths_svg
from demospec.runs.result import Result
from demospec.tasks.dfa import DFA
from demospec.wording import count
from demospec.worlds.scene import Scene

ON_ONE_MAP = 8  # runs: as many as there are colours
LARGEST_MAP = 10_000  # cells that are drawn
TALL_FROM = 340.0  # pixels: an automaton that is wider is drawn tall for phones


def sized(svg: str) -> str:
    """Tell the style sheet how wide a picture is by itself."""
    found = re.search(r' width="([\d.]+)"', svg)
    assert found is not None
    return svg.replace("<svg ", f'<svg style="--w:{found[1]}" ', 1)


def width_of(svg: str) -> float:
    """Return how wide a picture is by itself."""
    found = re.search(r' width="([\d.]+)"', svg)
    assert found is not None
    return float(found[1])


# -- worlds ---------------------------------------------------------------------------------------------


def world_figures(problem: Problem, walks: Sequence[Walk], title: str) -> str:
    """Draw every world with its first runs on the map; a world that is no grid, as strips."""
    several = len(problem.scenes) > 1
    parts = []
    for scene in problem.scenes:
        mine = [walk for walk in walks if walk.scene is scene]
        drawn = world_figure(problem, scene, mine, f"{title}, world {scene.name}" if several else title)
        parts.append(tag("div", drawn, data_world=scene.name if several else None))
    return "".join(parts)


def world_figure(problem: Problem, scene: Scene, walks: Sequence[Walk], title: str) -> str:
    """Draw a world with runs in it."""
    if not walks and problem.demonstrations:
        return ""
    if scene.grid is None or len(scene.grid) * len(scene.grid[0]) > LARGEST_MAP:
        return "".join(strip(walk) for walk in walks[:ON_ONE_MAP]) + left_out(len(walks))
    numbers = [walk.number for walk in walks[:ON_ONE_MAP]]
    shown = [problem.demonstrations[number - 1] for number in numbers]
    svg = paths_svg(scene, shown, numbers=numbers, live=True)
    named = svg.replace('aria-label="map"', f'aria-label="{escape(title)}"', 1)
    return picture(sized(named), class_="map") + left_out(len(walks))


def left_out(runs: int) -> str:
    """Say how many runs are not drawn."""
    return (
        paragraph(f"{count(runs - ON_ONE_MAP, 'more run')} not drawn.", "quiet") if runs > ON_ONE_MAP else ""
    )


def strip(walk: Walk) -> str:
    """Draw a run as what it passes: state, action, state, …; letters are on their colours."""
    parts = []
    for k, step in enumerate(walk.steps):
        action = "" if step.action is None else tag("span", f"{escape(step.action)} →", class_="action")
        letter = "" if step.letter is None else chip(step.letter)
        place = tag("span", escape(step.cell), letter, class_="place")
        parts.append(
            tag(
                "li",
                action,
                place,
                data_run=walk.number,
                data_step=k,
                data_cell=step.cell,
                data_letter=step.letter,
            )
        )
    head = tag("p", badge(walk.number), f"demonstration {walk.number}")
    return tag("div", head, tag("ol", *parts, class_="strip"), class_="run")


def badge(number: int) -> str:
    """Write the number of a run on the colour that its line has on the map."""
    k = (number - 1) % ON_ONE_MAP
    look = f"background:{LIVE.line(k)};color:{LIVE.on_line(k)}"
    return tag("span", str(number), class_="run-name", style=look, aria_hidden="true")


# -- automata -------------------------------------------------------------------------------------------


def automaton_figure(result: Result, title: str, *, large: bool) -> str:
    """Draw the automaton of the answer, wide and, where a phone has no room for that, tall as well."""
    found = result.findings
    task = result.best.task.automaton
    return automaton_picture(task, found.open if found is not None else None, title, large=large)


def automaton_picture(task: DFA, shown: Undetermined | None, title: str, *, large: bool = False) -> str:
    """Draw an automaton with what is not determined drawn light."""
    both = []
    for tall in (False, True):
        if shown is None:
            svg = automaton_svg(task, live=True, tall=tall)
        else:
            svg = open_svg(shown, live=True, tall=tall)
        named = svg.replace('aria-label="automaton"', f'aria-label="{escape(title)}"', 1)
        both.append(sized(named))
        if width_of(svg) <= TALL_FROM:
            break
    grow = " large" if large else ""
    if len(both) > 1 and width_of(both[1]) < width_of(both[0]):
        wide = picture(both[0], class_=f"wide{grow}")
        return tag("div", wide, picture(both[1], class_=f"tall{grow}"), class_="has-tall")
    return picture(both[0], class_=f"wide{grow}")
