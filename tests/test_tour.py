"""The notebook: its cells run, and it holds what they show today."""

from __future__ import annotations

import importlib.util
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"


def make_tour() -> Any:
    specification = importlib.util.spec_from_file_location("make_tour", DOCS / "make_tour.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def outputs(notebook: dict[str, Any]) -> list[dict[str, list[str]]]:
    return [cell["outputs"][0]["data"] for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_shows_what_its_cells_give() -> None:
    module = make_tour()
    kept = json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8"))
    fresh = module.run(module.CELLS)
    assert [cell["source"] for cell in kept["cells"]] == [cell["source"] for cell in fresh["cells"]]
    for old, new in zip(outputs(kept), outputs(fresh), strict=True):
        assert old.keys() == new.keys()
        for kind in ("image/svg+xml", "text/html"):
            assert old.get(kind) == new.get(kind)


def test_problem_result_belief_and_comparison_are_pictures_in_a_notebook() -> None:
    shown = outputs(json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8")))
    kinds = {"".join(one["text/plain"]): one for one in shown}
    for name in ("<Problem>", "<Result>", "<Belief>", "<Comparison>", "<Score>"):
        assert "<svg" in "".join(kinds[name]["text/html"])
    (task,) = [one["image/svg+xml"] for one in shown if "image/svg+xml" in one]
    ElementTree.fromstring("".join(task))


def test_a_teacher_finds_exercises_with_answers() -> None:
    cells = json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    exercises = re.findall(r"\*\*Exercise (\d)\.\*\*", text)
    answers = re.findall(r"^(\d)\. ", text.split("## Answers")[1], re.MULTILINE)
    assert exercises == answers == ["1", "2", "3", "4", "5"]
