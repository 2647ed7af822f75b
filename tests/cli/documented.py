"""The problems that documents tell of: files that they write or print, and how they learn from them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from demospec import problems

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"^```(console|toml|\{code-block\} toml\n:caption: .*)\n(.*?)^```", re.MULTILINE | re.DOTALL
)
ELSEWHERE = re.compile(
    r"^(file|log|minari|map_file|transitions) = \"", re.MULTILINE
)  # other files that one names
TOLD = {"--json", "--why"}  # options that change what is told, not what is learned
TOLD_WITH_VALUE = {"--out", "--jobs", "--seed", "--top"}


class Case(NamedTuple):
    """A problem file's text, and the options that it is learned with."""

    text: str
    options: tuple[str, ...]


def cases() -> dict[str, Case]:
    """Return the shipped examples and all that documents learn from, each once, by a name."""
    found = {name: Case(problems.text(name), ()) for name in problems.names()}
    found |= {f"{name}, paper": Case(problems.text(name), ("--method", "paper")) for name in problems.names()}
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for case in in_document(document.read_text(encoding="utf-8")):
            if case not in found.values():
                found[f"{document.stem} {len(found)} {' '.join(case.options)}".strip()] = case
    return found


def in_document(text: str) -> Iterator[Case]:
    """Yield the problems of a document: those that it learns from, and those that it only writes."""
    files: dict[str, str] = {}
    for kind, body in BLOCK.findall(text):
        if kind != "console":
            if is_problem(body):
                yield Case(body, ())
            continue
        for line in body.splitlines():
            words = (
                shlex.split(line[2:], comments=True) if line.startswith(("$ demospec", "$ printf")) else []
            )
            if words[:1] == ["printf"] and words[-2][:1] == ">" and words[-1].endswith(".toml"):
                before = files.get(words[-1], "") if words[-2] == ">>" else ""
                files[words[-1]] = before + words[1].replace("\\n", "\n")
            elif words[:2] == ["demospec", "example"] and ">" in words:
                files[words[-1]] = problems.text(words[2])
            elif words[:2] == ["demospec", "learn"] and words[2] in files and "--log" not in words:
                if ELSEWHERE.search(files[words[2]]):
                    continue
                yield Case(files[words[2]], tuple(learning(words[3:])))
    yield from (Case(content, ()) for content in files.values() if is_problem(content))


def is_problem(text: str) -> bool:
    """Say whether a text is a whole problem file, which needs no other file."""
    return "[world]" in text and "[[demonstrations]]" in text and not ELSEWHERE.search(text)


def learning(options: list[str]) -> Iterator[str]:
    """Leave out the options that only change what is told, and what comes after a redirection or a pipe."""
    left = iter(options)
    for option in left:
        if option in (">", "|"):
            return
        if option in TOLD_WITH_VALUE:
            next(left)
        elif option not in TOLD:
            yield option
