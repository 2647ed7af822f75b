"""Run the commands of some documents and write below them what they print; a test checks it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parent
DOCUMENTS = [FOLDER / name for name in ("agent.md", "answer.md", "belief.md", "redundant.md", "weights.md")]
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def text(document: Path) -> str:
    """Return a document in which each command that shows what it prints shows what it prints now."""
    with TemporaryDirectory() as folder:

        def command(found: re.Match[str]) -> str:
            line, shown = found.groups()
            printed = run(line, folder)
            return f"$ {line}\n{printed if shown else ''}"

        def block(found: re.Match[str]) -> str:
            return COMMAND.sub(command, found[0])

        return BLOCK.sub(block, document.read_text(encoding="utf-8"))


def run(line: str, folder: str) -> str:
    """Run a command of the shell, and return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        line, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{line}\n{done.stderr}")
    return "".join(f"{one.rstrip()}\n" for one in done.stdout.rstrip("\n").split("\n"))


if __name__ == "__main__":
    for one in DOCUMENTS:
        one.write_text(text(one), encoding="utf-8")
