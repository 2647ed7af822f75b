"""Run the commands of the documents in order, and write below them what they print; a test checks it.

python docs/make_printed.py [PAGE …]

A block with `:caption: NAME` is a file, which is written before the commands that follow. A command below
which a document shows nothing is run, and goes on showing nothing. A line "…" alone stands for lines that are
left out: what is shown around it must still be printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
SKIPPED = ("pip install", "make ", "git clone", "cd ", "source ", "python -m venv")  # they set something up
FILE = r"^```\{code-block\} \w+\n:caption: (?P<name>[\w./-]+)\n\n?(?P<content>.*?)^```$"
CONSOLE = r"^```console\n(?P<console>.*?)^```$"
BLOCK = re.compile(f"{FILE}|{CONSOLE}", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
Run = Callable[[str, str], str]  # a command, and what the document shows of it, to what it should show

LONGEST = 600  # seconds of one command: a page that waits for ever would stop all tests


def documents() -> list[Path]:
    """Return all pages with commands."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(FOLDER.rglob("*.md"))]
    pages = [page for page in pages if "_build" not in page.parts]
    return [page for page in pages if CONSOLE_BLOCK.search(page.read_text(encoding="utf-8"))]


CONSOLE_BLOCK = re.compile(CONSOLE, re.MULTILINE | re.DOTALL)


def text(document: Path) -> str:
    """Return a document in which each command that shows what it prints shows what it prints now."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "benchmarks").symlink_to(ROOT / "benchmarks")  # for commands from a checkout

        def block(found: re.Match[str]) -> str:
            if found["name"]:
                (Path(folder) / found["name"]).write_text(found["content"], encoding="utf-8")
                return found[0]
            return f"```console\n{COMMAND.sub(command, found['console'])}```"

        def command(found: re.Match[str]) -> str:
            line, shown = found.groups()
            if line.startswith(SKIPPED):
                return found[0]
            printed = run(line, folder)
            return f"$ {line}\n{current(shown, printed) if shown else ''}"

        return BLOCK.sub(block, document.read_text(encoding="utf-8"))


def current(shown: str, printed: str) -> str:
    """Return what a document should show; where it leaves something out, what it shows if that is printed."""
    if "…\n" not in re.findall(r"^.*\n", shown, re.MULTILINE):
        return printed
    parts = re.split(r"^…\n", shown, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(map(re.escape, parts))
    return shown if re.fullmatch(pattern, printed) else printed


def run(line: str, folder: str) -> str:
    """Run a command of the shell, and return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    done = subprocess.run(
        line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST
    )
    if done.returncode:
        raise RuntimeError(f"{line}\n{done.stderr}")
    return "".join(f"{one.rstrip()}\n" for one in done.stdout.rstrip("\n").split("\n"))


if __name__ == "__main__":
    for one in map(Path, sys.argv[1:]) if sys.argv[1:] else documents():
        one.write_text(text(one.resolve()), encoding="utf-8")
