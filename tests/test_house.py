"""The program stays as small as it is: these numbers rise only with a reason in the commit."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import demospec
from traced import learning

MOST = {
    "modules": 240,
    "lines of one module": 769,
    "names of functions and classes that stand in more than one module": 5,
    "modules that share their file's name with another": 20,
    "modules that `demospec --version` imports": 9,
    "modules that `import demospec.problem.settings` imports": 7,
    "files that run in `demospec learn robot.toml`": 88,
    "frames on the stack there": 20,
}
FEWEST_LINES = 180  # of the median module

ROOT = Path(demospec.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
LINES = [len(file.read_text(encoding="utf-8").splitlines()) for file in FILES]


def shared_names() -> int:
    """Count the top-level functions and classes whose name stands in several modules."""
    found: Counter[str] = Counter()
    for file in FILES:
        body = ast.parse(file.read_text(encoding="utf-8")).body
        found.update({one.name for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef)})
    return sum(count > 1 for count in found.values())


def shared_files() -> int:
    """Count the modules of which another one has the file name."""
    names = Counter(file.name for file in FILES if not file.name.startswith("__"))
    return sum(count for count in names.values() if count > 1)


def imported(code: str) -> int:
    """Count the modules of the program that are there after some code has run."""
    after = "import sys; print(sum(name.split('.')[0] == 'demospec' for name in sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{after}"], capture_output=True, text=True, check=True
    )
    return int(ran.stdout.splitlines()[-1])


SETTINGS = "import demospec.problem.settings"
VERSION = "from demospec.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass"


def test_nothing_grows() -> None:
    learned = learning()
    now = {
        "modules": len(FILES),
        "lines of one module": max(LINES),
        "names of functions and classes that stand in more than one module": shared_names(),
        "modules that share their file's name with another": shared_files(),
        "modules that `demospec --version` imports": imported(VERSION),
        "modules that `import demospec.problem.settings` imports": imported(
            "import demospec.problem.settings"
        ),
        "files that run in `demospec learn robot.toml`": len(learned.files),
        "frames on the stack there": len(learned.deepest),
    }
    assert now.keys() == MOST.keys()
    assert {what: count for what, count in now.items() if count > MOST[what]} == {}


def test_a_module_is_a_subject() -> None:
    assert statistics.median(LINES) >= FEWEST_LINES
