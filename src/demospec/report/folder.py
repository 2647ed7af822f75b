"""Results as folders: JSON for scripts, pictures and a page for people."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from demospec.errors import FileError
from demospec.explain.pursuing import policy as policy_of
from demospec.explain.score import Evaluation
from demospec.problem import Problem
from demospec.report.answer_report import SHOWN
from demospec.report.documents import dumps
from demospec.report.drawings import energy_svg, in_world, open_svg, world_svg
from demospec.report.html import as_page
from demospec.report.page.result_page import result_page
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.policy_report import overview_document, policy_maps
from demospec.report.result_document import result_document
from demospec.report.score_report import behaviour_blocks, score_blocks, score_document
from demospec.report.told import Told
from demospec.runs.result import NOT_TYPED, Result, Source
from demospec.tasks.showing import bits_text
from demospec.worlds.scene import Scene

# The names that results have, whichever of them one result has.
RESULT = (
    r"result\.json|best\.json|report\.html|energy\.svg|world(-\d+)?\.svg|(best|task-\d+)(-part-\d+)?\.svg"
)
SCORE = r"score\.json|score\.html|visits\.svg|ever\.svg|(value|success|visits)-\d+\.svg"


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to, or say why that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        what = "is a file, not a folder" if folder.is_file() else error.strerror or str(error)
        raise FileError(f"results cannot be written here: {what}", place=str(folder)) from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: a reader never sees half of it."""
    try:
        partial = path.with_name(f".{path.name}.partial")
        partial.write_bytes(data)
        os.replace(partial, path)
    except OSError as error:
        with suppress(OSError):  # half a file is no use
            path.with_name(f".{path.name}.partial").unlink(missing_ok=True)
        raise FileError(f"cannot be written: {error.strerror or error}", place=str(path)) from None
    except ValueError:  # no name at all, or one with a NUL
        raise FileError("cannot be written: no file can have that name", place=str(path)) from None


def write_files(folder: Path, texts: Mapping[str, str], names: str) -> list[Path]:
    """Write files into a folder; others whose whole name matches `names` are an earlier result's, and go."""
    make_folder(folder)
    for name, text in texts.items():
        write_bytes(folder / name, text.encode("utf-8"))
    for path in folder.iterdir():
        if path.name not in texts and re.fullmatch(names, path.name) and path.is_file():
            try:
                path.unlink()
            except OSError as error:
                what = f"is of an earlier result, and cannot be removed: {error.strerror or error}"
                raise FileError(what, place=str(path)) from None
    return [folder / name for name in texts]


def write_result(result: Result, folder: Path, source: Source = NOT_TYPED) -> list[Path]:
    """Write result.json, the best tasks and their parts as pictures and task files, and report.html.

    In the picture of the best task what is not determined is light.
    """
    problem, found = result.problem, result.findings
    shown = None if found is None else found.open
    texts = {"result.json": dumps(result_document(result)) + "\n"}
    for number, (score, _) in enumerate(result.leading[:SHOWN], start=1):
        name = "best" if number == 1 else f"task-{number}"
        title = f"energy {score.energy:.3f}, {bits_text(score.size)} bits"
        task = score.task
        known = shown is not None and task.automaton == shown.task
        drawn = open_svg(shown, title) if shown and known else automaton_svg(task.automaton, title=title)
        texts[f"{name}.svg"] = drawn
        for number, part in enumerate(task.parts if len(task.parts) > 1 else (), start=1):
            about = f"part {number}, {part.size} bits"
            texts[f"{name}-part-{number}.svg"] = automaton_svg(part.automaton, title=about)
    texts["best.json"] = dumps(result.best.task.to_json()) + "\n"
    texts["energy.svg"] = energy_svg(result)
    for number, scene in enumerate(problem.scenes, start=1):
        if scene.grid is not None:
            name = "world" if number == 1 else f"world-{number}"
            texts[f"{name}.svg"] = world_svg(scene, f"{problem.name}{in_world(problem, scene)}")
    texts["report.html"] = result_page(Told(result, source))
    return write_files(folder, texts, RESULT)


def write_score(
    problem: Problem, found: Evaluation, folder: Path, scene: Scene, *, time: int = 0
) -> list[Path]:
    """Write score.json, score.html, and maps where the scene's world is a grid."""
    policy = policy_of(problem, found.score.task, scene, rationality=found.score.rationality)
    overview = overview_document(policy, policy.worth(time))
    maps = policy_maps(problem, scene, policy, overview)
    document = {**score_document(problem, found), "policy": overview}
    blocks = score_blocks(problem, document, behaviour=behaviour_blocks(policy, overview, maps))
    page = as_page(problem.name, blocks)
    return write_files(folder, {"score.json": dumps(document) + "\n", **maps, "score.html": page}, SCORE)
