"""What a command does, as data: the functions that it calls, by their first call, and how deep it goes."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from demospec import problems

TRACING = """
import json, sys, threading
from inspect import CO_OPTIMIZED
from pathlib import Path
import demospec
from demospec.cli import main
from demospec.runs import progress_line

progress_line.PATIENCE = 1e9  # what is said in between depends on how busy the machine is
source = str(Path(demospec.__file__).parent) + "/"
own, first, deepest, here = {}, {}, [], threading.local()

def called(frame, event, argument):
    global deepest
    code = frame.f_code
    place = own.get(code)
    if place is None:
        ours = code.co_filename.startswith(source) and code.co_flags & CO_OPTIMIZED  # no bodies of classes
        inlined = code.co_name in ("<listcomp>", "<dictcomp>", "<setcomp>")  # they are, from Python 3.12 on
        name = code.co_qualname.replace("<locals>.", "")
        own[code] = place = (code.co_filename.removeprefix(source), name) if ours and not inlined else ()
    if not place:
        return
    stack = here.__dict__.setdefault("stack", [])
    if event == "call":
        first.setdefault(place)
        stack.append(place)
        if len(stack) > len(deepest):
            deepest = stack[:]
    elif event == "return" and stack:
        stack.pop()

sys.setprofile(called)
threading.setprofile(called)
try:
    main(sys.argv[1:])
except SystemExit as end:
    code = end.code
sys.setprofile(None)
print(json.dumps([code, list(first), deepest]))
"""


class Traced(NamedTuple):
    """The functions of the program that a command called, and its deepest stack: (file, name)."""

    called: list[tuple[str, str]]  # in the order of their first calls
    deepest: list[tuple[str, str]]

    @property
    def files(self) -> list[str]:
        return sorted({file for file, _ in self.called})


@cache
def learning() -> Traced:
    """Return what `demospec learn robot.toml` does."""
    with TemporaryDirectory() as folder:
        robot = Path(folder) / "robot.toml"
        robot.write_text(problems.text("robot"), encoding="utf-8")
        command = [sys.executable, "-c", TRACING, "learn", str(robot)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    code, called, deepest = json.loads(ran.stdout.splitlines()[-1])
    assert code == 0, ran.stderr
    return Traced(*([(file, name) for file, name in places] for places in (called, deepest)))
