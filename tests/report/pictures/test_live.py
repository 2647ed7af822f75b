"""Live pictures: they say what their elements are, and look as files of their own do."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from demospec.report.live import script, style
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.colours import LINES
from demospec.report.pictures.maps import path_map
from demospec.tasks import DFA

TASK = DFA.parse(">0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3: b→2, r→2", ("b", "g", "r", "y"))
ROWS = ["..r", "b.#"]


def plain(svg: str) -> str:
    """Return a live picture with the colours that it has where nobody sets any."""
    return re.sub(r"var\(--ds-[a-z0-9-]+,(#[0-9a-f]{6})\)", r"\1", svg)


def shapes(svg: str) -> list[dict[str, str]]:
    """Return what is drawn, without what only says what it is, and without the background."""
    found = []
    for one in ElementTree.fromstring(svg).iter():
        if not one.tag.endswith(("svg", "}g", "title")) and one.get("rx") != "10":
            found.append({name: value for name, value in one.items() if not name.startswith("data-")})
    return found


def test_a_live_automaton_draws_the_same_and_says_what_it_is() -> None:
    live = automaton_svg(TASK, live=True)
    assert shapes(plain(live)) == shapes(automaton_svg(TASK))
    root = ElementTree.fromstring(live)
    states = [one.get("data-state") for one in root.iter() if one.get("data-state")]
    assert states == ["0", "1", "2", "3"]
    arrows = {
        (int(one.get("data-from", "")), letter, int(one.get("data-to", "")))
        for one in root.iter()
        if one.get("class") == "arrow"
        for letter in json.loads(one.get("data-letters", ""))
    }
    assert arrows == set(TASK.changes())


def test_a_live_map_names_cells_letters_and_runs() -> None:
    wanted = {"start": (1, 1), "paths": [[(1, 1), (2, 1), (2, 2)]], "not_taken": [(1, 1), (1, 2)]}
    live = path_map(ROWS, **wanted, live=True)  # type: ignore[arg-type]
    assert shapes(plain(live)) == shapes(path_map(ROWS, **wanted))  # type: ignore[arg-type]
    root = ElementTree.fromstring(live)
    cells = {one.get("data-cell"): one.get("data-letter") for one in root.iter() if one.get("data-cell")}
    assert cells == {"1,1": None, "2,1": None, "3,1": "r", "1,2": "b", "2,2": None, "3,2": "#"}
    assert [one.get("data-run") for one in root.iter() if one.get("data-run")] == ["1", "?", "1", "?"]


def test_a_picture_in_a_file_has_colours_of_its_own() -> None:
    for svg in (automaton_svg(TASK), path_map(ROWS, start=(1, 1), paths=[[(1, 1), (2, 1)]])):
        assert "var(" not in svg
        assert "data-cell" not in svg
        assert "data-state" not in svg


def test_a_tall_automaton_is_narrower() -> None:
    chain = DFA.parse(">0: a→1 | 1: b→2 | 2: a→3 | *3:", ("a", "b"))
    wide, tall = (ElementTree.fromstring(automaton_svg(chain, tall=one)) for one in (False, True))
    assert float(tall.get("width", "")) < 200 < float(wide.get("width", ""))
    assert float(tall.get("height", "")) > float(wide.get("height", ""))


def test_every_colour_that_pictures_ask_for_is_there_in_the_dark() -> None:
    asked = {"ink", "paper", "muted", "faint", "pale", "wall", "on-line"}
    asked |= {f"line-{k}" for k in range(len(LINES))}
    dark = style().split("prefers-color-scheme: dark")[1]
    assert all(f"--ds-{name}:" in dark for name in asked)


def test_the_script_is_a_module_that_loads_nothing() -> None:
    text = script()
    assert text.startswith("// @ts-check")
    assert not re.findall(r"^import ", text, re.MULTILINE)
    assert "fetch(" not in text
    assert "innerHTML" not in text
