"""The newcomer's walk of docs/architecture.md is what the program does, and the tree there is the tree."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from demospec import native, problems

DOCUMENT = Path(__file__).parent.parent / "docs" / "architecture.md"
MOST_FILES, MOST_FRAMES = 60, 16

WALK = """
import json, sys, threading
from pathlib import Path
import demospec
from demospec.cli import main

source, wanted = str(Path(demospec.__file__).parent) + "/", {tuple(one) for one in json.loads(sys.argv[1])}
seen, deepest = set(), 0

def called(frame, event, argument):
    global deepest
    if event != "call":
        return
    depth, first = 0, True
    while frame is not None:
        code = frame.f_code
        place = (code.co_filename.removeprefix(source), code.co_name)
        if first and place not in wanted:
            return
        first = False
        if place in wanted:
            seen.add(place)
            depth += 1
        frame = frame.f_back
    deepest = max(deepest, depth)

sys.setprofile(called)
threading.setprofile(called)
try:
    main(["learn", sys.argv[2], "--method", "paper", "--iterations", "12"])
except SystemExit as end:
    code = end.code
sys.setprofile(None)
print(json.dumps([code, sorted(seen), deepest]))
"""


def walk() -> list[tuple[str, str]]:
    text = DOCUMENT.read_text(encoding="utf-8")
    part = text[text.index("<!-- walk -->") : text.index("<!-- end of the walk -->")]
    return [(file, name) for file, name in re.findall(r"^\d+\. `([^`]+)` `([^`]+)`", part, re.MULTILINE)]


def test_the_walk_is_what_the_program_does(tmp_path: Path) -> None:
    if native.library() is None:
        pytest.skip("the walk passes the compiled backup")
    steps = walk()
    assert len(steps) > 30
    assert len({file for file, _ in steps}) <= MOST_FILES
    robot = tmp_path / "robot.toml"
    robot.write_text(problems.text("robot-paper"), encoding="utf-8")
    command = [sys.executable, "-c", WALK, json.dumps(steps), str(robot)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    code, seen, deepest = json.loads(ran.stdout.splitlines()[-1])
    assert code == 0
    assert sorted({*steps} - {(file, name) for file, name in seen}) == []
    assert deepest <= MOST_FRAMES


def test_the_tree_is_the_tree() -> None:
    make = DOCUMENT.parent / "make_architecture.py"
    specification = importlib.util.spec_from_file_location("make_architecture", make)
    assert specification is not None
    assert specification.loader is not None
    made = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(made)
    text = DOCUMENT.read_text(encoding="utf-8")
    assert made.with_tree(text) == text
