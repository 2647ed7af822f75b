"""Problems as the page holds them: what is read back is the same, and no file is ever opened."""

from __future__ import annotations

import base64
import json
import zlib
from copy import deepcopy
from typing import Any

import pytest

import demospec
from demospec import problems
from demospec.errors import InputError
from demospec.files import load
from demospec.studio import lessons
from demospec.studio.drawing import lines_document, moves_document
from demospec.studio.opening import (
    Limits,
    file_text,
    open_link,
    open_text,
    read_problem,
)

LIMITS = Limits()
ROBOT = open_text(problems.text("robot"), "robot.toml", LIMITS)
NAMES = [str(one["name"]) for one in lessons.listed()]


def link_fragment(document: dict[str, Any]) -> str:
    """The fragment that holds a document: what the page itself makes of it."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    return "p=" + base64.urlsafe_b64encode(packing.compress(text) + packing.flush()).decode().rstrip("=")


@pytest.mark.parametrize("name", NAMES)
def test_files_and_links_hold_the_whole_problem(name: str, tmp_path: Any) -> None:
    document = lessons.lesson_document(name, LIMITS)
    assert open_link(link_fragment(document), LIMITS) == document
    text = file_text(document, LIMITS)
    assert open_text(text, "again.toml", LIMITS) == document
    path = tmp_path / "problem.toml"
    path.write_text(text, encoding="utf-8")
    read, meant = load(path), read_problem(document, LIMITS)
    assert read.words == meant.words
    assert read.alphabet == meant.alphabet


def test_the_paper_example_is_learned_as_elsewhere() -> None:
    here = read_problem(deepcopy(ROBOT), LIMITS)
    there = demospec.load_example("robot")
    assert here.words == there.words
    assert here.settings == there.settings
    assert here.agent == there.agent
    assert [scene.mdp.labels for scene in here.scenes] == [scene.mdp.labels for scene in there.scenes]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": {"implies": "/etc/passwd"}}, "task.implies"),
        ({"worlds": [{"kind": "log", "name": "x", "log": "/etc/passwd"}]}, "grid worlds"),
        ({"worlds": [{"kind": "prism", "name": "x", "file": "/etc/passwd"}]}, "grid worlds"),
        ({"worlds": [{"kind": "gridworld", "name": "x", "map_file": "/etc/passwd"}]}, "opens no files"),
        ({"worlds": [{"kind": "gridworld", "name": "x", "map_picture": "/x.png"}]}, "opens no files"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_what_names_a_file_is_refused(change: dict[str, Any], message: str) -> None:
    document = {**deepcopy(ROBOT), **change}
    with pytest.raises(InputError, match=message):
        read_problem(document, LIMITS)


def test_runs_that_are_files_are_refused() -> None:
    document = deepcopy(ROBOT)
    document["worlds"][0]["demonstrations"] = [{"log": "/etc/passwd"}]
    with pytest.raises(InputError, match="opens no files"):
        read_problem(document, LIMITS)


def test_limits_hold() -> None:
    document = deepcopy(ROBOT)
    with pytest.raises(InputError, match="at most 4 × 4"):
        read_problem(document, Limits(side=4))
    with pytest.raises(InputError, match="at most 5"):
        read_problem(document, Limits(horizon=5))
    with pytest.raises(InputError, match="at most 1"):
        read_problem(document, Limits(runs=1))


def test_a_link_that_unpacks_to_very_much_is_refused() -> None:
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packing.compress(json.dumps({"name": "x" * 50_000_000}).encode()) + packing.flush()
    with pytest.raises(InputError, match="more than a problem"):
        open_link("#p=" + base64.urlsafe_b64encode(packed).decode(), LIMITS)
    with pytest.raises(InputError, match="holds no problem"):
        open_link("#p=nonsense!", LIMITS)


def test_moves_are_those_of_the_world() -> None:
    table = deepcopy(ROBOT)["worlds"][0]
    told = moves_document(table, LIMITS)
    assert told["moves"]["5,6"]["left"] == [[4, 6, 0.96875], [5, 7, 0.03125]]
    assert told["starts"] == [[5, 6]]


def test_a_line_outside_the_map_is_refused() -> None:
    table = deepcopy(ROBOT)["worlds"][0]
    with pytest.raises(InputError, match="not on the map"):
        lines_document(table, [{"cells": [[99, 1]], "name": "1", "colour": 0}], LIMITS)
