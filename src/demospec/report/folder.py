"""A result as a folder: JSON for scripts, pictures and a page for people."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryFile

from demospec.errors import FileError
from demospec.report.documents import dumps, result_document
from demospec.report.html import SHOWN, energy_svg, result_page, world_svg
from demospec.report.pictures.automaton import automaton_svg
from demospec.runs.learn import Result
from demospec.tasks import Composite


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to, or say why that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        what = "is a file, not a folder" if folder.is_file() else error.strerror or str(error)
        raise FileError(f"results cannot be written here: {what}", place=str(folder)) from None


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all: a reader never sees half of it."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", place=str(path)) from None


def write_result(result: Result, folder: Path) -> list[Path]:
    """Write result.json, the best tasks and their parts as pictures and task files, and report.html.

    In the picture of the best task what is not determined is light.
    """
    make_folder(folder)
    texts = {"result.json": dumps(result_document(result)) + "\n"}
    for number, entry in enumerate(result.ranked[:SHOWN], start=1):
        name = "best" if number == 1 else f"task-{number}"
        title = f"energy {entry.score.energy:.3f}, {entry.score.size} bits"
        task, shown = entry.score.task, result.findings.open
        light = {"light": shown.light, "also": shown.also} if task.minimal == shown.task else {}
        texts[f"{name}.svg"] = automaton_svg(task.minimal, title=title, **light)
        if isinstance(task, Composite):
            for part, dfa in enumerate(task.parts, start=1):
                texts[f"{name}-part-{part}.svg"] = automaton_svg(dfa, title=f"part {part}, {dfa.size} bits")
    texts["best.json"] = dumps(result.best.task.to_json()) + "\n"
    texts["energy.svg"] = energy_svg(result)
    world = world_svg(result)
    if world is not None:
        texts["world.svg"] = world
    texts["report.html"] = result_page(result)
    for name, text in texts.items():
        write_file(folder / name, text)
    return [folder / name for name in texts]
