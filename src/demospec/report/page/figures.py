"""The pictures of the page: worlds with runs on them, runs as strips, the automaton wide and tall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from demospec.problem import Problem
from demospec.report.documents import Document, plain_value
from demospec.report.drawings import open_svg, paths_svg
from demospec.report.html import letter_chip, paragraph, picture, tag
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.colours import LIVE
from demospec.report.pictures.svg import escape, number
from demospec.report.words import decimal
from demospec.runs.result import Result
from demospec.runs.why import ShownRun
from demospec.tasks.dfa import DFA
from demospec.wording import count
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import is_stopped, show

ON_ONE_MAP = 8  # runs: as many as there are colours
LARGEST_MAP = 10_000  # cells that are drawn
TALL_FROM = 340.0  # pixels: an automaton that is wider is drawn tall for phones


def sized(svg: str, name: str = "") -> str:
    """Tell the style sheet how wide a picture is by itself; those who do not see it are told its name."""
    if name:
        svg = re.sub(r'aria-label="\w*"', lambda _: f'aria-label="{escape(name)}"', svg, count=1)
    return svg.replace("<svg ", f'<svg style="--w:{number(width_of(svg))}" ', 1)


def width_of(svg: str) -> float:
    """Return how wide a picture is by itself."""
    found = re.search(r' width="([\d.]+)"', svg)
    assert found is not None
    return float(found[1])


def fits_a_map(scene: Scene, cells: float) -> bool:
    """Say whether a world is a grid of no more cells than that."""
    return scene.grid is not None and len(scene.grid) * len(scene.grid[0]) <= cells


# -- worlds ---------------------------------------------------------------------------------------------


def world_figures(problem: Problem, walks: Sequence[Walk], title: str) -> str:
    """Draw every world with its first runs on the map; a world that is no grid, as strips."""
    several = len(problem.scenes) > 1
    parts = []
    for scene in problem.scenes:
        mine, drawn = [walk for walk in walks if walk.scene is scene], ""
        first, left = mine[:ON_ONE_MAP], len(mine) - ON_ONE_MAP
        if not fits_a_map(scene, LARGEST_MAP):
            drawn = "".join(map(strip, first))
        elif mine or not problem.demonstrations:
            numbers = [walk.number for walk in first]
            shown = [problem.demonstrations[number - 1] for number in numbers]
            name = f"{title}, world {scene.name}" if several else title
            drawn = picture(sized(paths_svg(scene, shown, numbers=numbers, live=True), name), class_="map")
        told = paragraph(f"{count(left, 'more run')} not drawn.", "quiet") if left > 0 else ""
        parts.append(tag("div", drawn + told, data_world=scene.name if several else None))
    return "".join(parts)


def strip(walk: Walk) -> str:
    """Draw a run as what it passes: state, action, state, …; letters are on their colours."""
    parts = []
    for k, step in enumerate(walk.steps):
        action = "" if step.action is None else tag("span", f"{escape(step.action)} →", class_="action")
        letter = "" if step.letter is None else letter_chip(step.letter)
        place = tag("span", escape(step.cell), letter, class_="place")
        where = {"data_cell": step.cell, "data_letter": step.letter}
        parts.append(tag("li", action, place, data_run=walk.number, data_step=k, **where))
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
    found, grow = result.findings, " large" if large else ""
    if found is None:
        draw = partial(automaton_svg, result.best.task.automaton, live=True)
    else:
        draw = partial(open_svg, found.open, live=True)
    wide = sized(draw(), title)
    drawn = picture(wide, class_=f"wide{grow}")
    if width_of(wide) <= TALL_FROM:
        return drawn
    tall = sized(draw(tall=True), title)
    if width_of(tall) >= width_of(wide):
        return drawn
    return tag("div", drawn, picture(tall, class_=f"tall{grow}"), class_="has-tall")


# -- runs step by step ----------------------------------------------------------------------------------

MOST_RUNS, MOST_STEPS = 30, 3000  # on one page


@dataclass(frozen=True)
class WalkStep:
    """Where a run is after a step; step 0 is where it begins. Surprises are in nats, None where not known."""

    cell: str  # a grid's "column,row", else the state's name
    place: str  # the same for people
    letter: str | None
    state: int  # of the automaton, after what is read here
    action: str | None = None
    surprise: float | None = None
    prior_surprise: float | None = None


@dataclass(frozen=True)
class Walk:
    """A run, step by step."""

    number: int  # from 1
    scene: Scene
    steps: tuple[WalkStep, ...]


def walk_of(
    scene: Scene, path: Path, number: int, task: DFA, *, merge_repeats: bool, shown: ShownRun | None = None
) -> Walk:
    """Follow a path through its world and an automaton; `shown` knows how surprising each step is."""
    world, original = scene.world, scene.original
    states, originals = path.states(world), scene.in_original(path).states(original)
    state, last = task.start, None
    steps: list[WalkStep] = []
    for k, (here, there) in enumerate(zip(states, originals, strict=True)):
        name = original.name(there)
        cell, place = name if isinstance(name, str) else ",".join(map(str, name)), show(name)
        if stopped := is_stopped(world, here):
            cell, place = steps[-1].cell, steps[-1].place
        letter = None if stopped else world.label(here)
        if letter is not None and not (merge_repeats and letter == last):
            state, last = task.table[state][task.alphabet.index(letter)], letter
        known = shown.steps[k - 1] if shown is not None and 0 < k <= len(shown.steps) else None
        action = None if k == 0 else world.action(path.steps[k - 1][0])
        surprises = (None, None) if known is None else (known.surprise, known.prior_surprise)
        steps.append(WalkStep(cell, place, letter, state, action, *surprises))
    return Walk(number, scene, tuple(steps))


def walks_of(problem: Problem, task: DFA, shown: Sequence[ShownRun] = ()) -> Iterator[Walk]:
    """Follow all demonstrations, as many as one page holds."""
    known = {one.number: one for one in shown}
    total = 0
    for which, scene, path in islice(problem.shown, MOST_RUNS):
        total += len(path.steps)
        if total > MOST_STEPS:
            return
        yield walk_of(scene, path, which, task, merge_repeats=problem.merge_repeats, shown=known.get(which))


def step_words(walk: Walk, k: int) -> str:
    """Tell a step in a sentence or two."""
    step, last = walk.steps[k], len(walk.steps) - 1
    if k == 0:
        told = f"Start in {step.place}."
        begins = f" It reads {step.letter}: the task begins in state {step.state}."
        return told if step.letter is None else told + begins
    before = walk.steps[k - 1]
    told = f"Step {k} of {last}: {step.action}, to {step.place}."
    if step.letter is not None:
        change = "stays in" if before.state == step.state else "goes to"
        told += f" It reads {step.letter}: the task {change} state {step.state}."
    if step.surprise is not None:
        told += f" Surprise {decimal(step.surprise, '.2f')} nats"
        if step.prior_surprise is not None:
            told += f", {decimal(step.prior_surprise, '.2f')} without the task"
        told += "."
    return told


def walks_document(problem: Problem, walks: Sequence[Walk]) -> list[Document]:
    """Return the runs as `live/figures.js` reads them."""
    return [
        {
            "run": walk.number,
            "name": f"demonstration {walk.number}",
            **({"world": walk.scene.name} if len(problem.scenes) > 1 else {}),
            "steps": [
                {
                    "cell": step.cell,
                    "letter": step.letter,
                    "state": step.state,
                    **({} if step.action is None else {"action": step.action}),
                    **({} if step.surprise is None else {"surprise": plain_value(step.surprise)}),
                    "told": step_words(walk, k),
                }
                for k, step in enumerate(walk.steps)
            ],
        }
        for walk in walks
    ]
