"""A widget for notebooks: the map and the automaton of a result, drawn and walked as on its page.

It needs the package anywidget, an extra. Pictures are those of `pictures/`, and `live/figures.js` moves them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from demospec.errors import InputError
from demospec.report.drawings import cell_of
from demospec.report.live import script, style
from demospec.report.page.figures import walks_document, walks_of
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.maps import path_map
from demospec.report.values import Document
from demospec.report.words import sentence
from demospec.runs.result import Result
from demospec.runs.why import explain
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene

if TYPE_CHECKING:
    from anywidget import AnyWidget

# What anywidget calls: it puts pictures into the cell's output, and has figures.js bring them alive.
RENDER = """
export default {
  render({model, el}) {
    const shown = model.get("shown");
    el.classList.add("ds-widget");
    el.append(make("p", {class: "ds-sentence"}, shown.sentence));
    const pictures = make("div", {class: "ds-pictures"});
    for (const map of shown.maps) {
      const place = make("div", map.world === null ? {} : {"data-world": map.world});
      place.innerHTML = map.svg;
      pictures.append(place);
    }
    const automaton = make("div", {});
    automaton.innerHTML = shown.automaton;
    pictures.append(automaton);
    const controls = make("div", {class: "ds-walker"});
    el.append(pictures, controls);
    if (shown.runs.length) walker(el, shown.runs, controls);
    linkStates(el, shown.runs);
  },
};
"""
LOOK = """
.ds-widget { background: var(--ds-paper); color: var(--ds-ink); padding: .5rem; }
.ds-pictures { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
.ds-sentence { font-size: 1.3rem; font-weight: 600; margin: .25rem 0; }
"""


def widget(result: Result) -> AnyWidget:
    """Return a widget that shows a result: its sentence, maps and automaton, and the runs step by step."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise InputError('a widget needs the package anywidget: pip install "demospec[widget]"') from None

    class ResultWidget(anywidget.AnyWidget):
        """A result in a notebook."""

        _esm = script() + RENDER
        _css = style() + LOOK
        shown = traitlets.Dict().tag(sync=True)

    made: Any = ResultWidget(shown=widget_document(result))
    return made  # type: ignore[no-any-return]


def widget_document(result: Result) -> Document:
    """Return what the widget shows."""
    problem, task = result.problem, result.best.task
    several = len(problem.scenes) > 1
    walks = list(walks_of(problem, task.automaton, explain(result).demonstrations))
    return {
        "sentence": sentence(task),
        "maps": [
            {"world": scene.name if several else None, "svg": map_svg(scene)}
            for scene in problem.scenes
            if scene.grid is not None
        ],
        "automaton": automaton_svg(task.automaton, live=True),
        "runs": walks_document(problem, walks),
    }


def map_svg(scene: Scene) -> str:
    """Return the live map of a grid world with its demonstrations."""
    world, rows = scene.original, scene.grid
    assert rows is not None

    def cells(path: Path) -> list[tuple[int, int]]:
        states = scene.in_original(path).without_stop(world).states(world)
        return [cell_of(world, state) for state in states]

    return path_map(
        rows,
        start=cell_of(world, world.starts[0][0]),
        paths=[cells(path) for path in scene.demonstrations],
        terrain=scene.terrain,
        live=True,
    )
