"""Files that replies are kept in: labels and runs are added to the end, or a problem is written anew.

Labels are `[[examples]]` in a file of their own or a problem's. Runs are `[[demonstrations]]` at the end of a
problem file whose rest is not touched; or the whole problem so far is written after every run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from demospec.errors import FileError, InputError
from demospec.files.reading import convert, decode_text, parse_document, read_file
from demospec.files.tables import ExampleTable
from demospec.files.toml import to_toml, toml_entry
from demospec.files.writing import demonstration_table, problem_document
from demospec.problem import Problem, Settings
from demospec.runs.journal import writing
from demospec.tasks import Word
from demospec.tasks.examples import Examples
from demospec.wording import file_name, word_text
from demospec.worlds.paths import Path, word_of
from demospec.worlds.scene import Scene

FIRST_LINE = "# Written by demospec ask, anew after every demonstration: comments are not kept."


def example_toml(word: Word, label: bool) -> str:
    """Write an example as a problem file does."""
    return toml_entry("examples", {"word": list(word), "accept": label})


def read_label_file(out: FilePath, problem: Problem) -> Examples:
    """Return the examples that a file of labels holds, and check that more can be added to it.

    A file that is not there yet, or empty, holds none; it is not made before there is a label.
    """
    name = str(out)
    if name.endswith(".json"):
        raise FileError("labels can be added to a TOML file only", place=name)
    if not out.exists():
        check_new(out)
        return Examples()
    if is_empty(out):
        return Examples()
    text = read_file(out, name)
    if text.lstrip().startswith("{"):
        raise FileError("labels can be added to a TOML file only", place=name)
    try:
        longer = parse_document(f"{text}\n{example_toml((), True)}", name)
    except FileError:
        parse_document(text, name)  # what is wrong without the label is told first
        raise FileError("[[examples]] cannot be added to the end of this file", place=name) from None
    tables = [convert(one, ExampleTable, name) for one in longer["examples"][:-1]]
    words = [(word_of(one.word, merge_repeats=problem.merge_repeats), one.accept) for one in tables]
    try:
        return Examples.of([w for w, accept in words if accept], [w for w, accept in words if not accept])
    except InputError as error:
        raise error.within(name) from None


def append_label(out: FilePath, word: Word, label: bool) -> None:
    """Add a label to the file, for good."""
    with writing(out), out.open("ab") as file:
        file.write(f"\n{example_toml(word, label)}".encode())
        file.flush()
        os.fsync(file.fileno())


def check_new(out: FilePath) -> None:
    """Refuse a file that cannot be made; it is not there afterwards."""
    with writing(out):
        out.touch(exist_ok=False)
        out.unlink()


def is_empty(out: FilePath) -> bool:
    """Say whether a file holds nothing; refuse one that cannot be written."""
    with writing(out), out.open("ab"):
        return not out.read_bytes().strip()


@dataclass(frozen=True)
class ProblemFile:
    """Where the problem is written; it keeps the settings that its own file has."""

    path: FilePath
    settings: Settings

    @classmethod
    def check(cls, path: FilePath, source: str, problem: Problem) -> ProblemFile:
        """Refuse a file that cannot be written, or that holds anything but what was written before.

        Only the problem that was read from `source`, if it is such a file itself, may be written over.
        """
        name = str(path)
        if name.endswith(".json"):
            raise FileError("the problem is written as TOML", place=name)
        try:
            problem_document(problem)
        except InputError as error:
            raise error.within(file_name(source)) from None
        if not path.exists():
            check_new(path)
        elif not is_empty(path):
            ours = read_file(path, name).startswith(FIRST_LINE)
            if source == "-" or not os.path.samefile(source, path):
                hint = f"; go on from it with PROBLEM {name}" if ours else ""
                raise FileError(f"holds something already, which would be lost{hint}", place=name)
            if not ours:
                raise FileError("its comments would be lost; give another file", place=name)
        return cls(path, problem.settings)

    def write(self, problem: Problem) -> None:
        """Write the problem, for good: whatever happens, the file holds this or what it held before."""
        text = to_toml(problem_document(replace(problem, settings=self.settings)))
        target = FilePath(os.path.realpath(self.path))
        anew = target.with_name(f".{target.name}.new")
        with writing(self.path):
            with anew.open("wb") as file:
                file.write(f"{FIRST_LINE}\n\n{text}".encode())
                file.flush()
                os.fsync(file.fileno())
            os.replace(anew, target)


@dataclass(frozen=True)
class RunsFile:
    """A problem file in TOML to which runs in one of its worlds are added."""

    path: FilePath
    problem: Problem
    scene: Scene
    nested: bool  # whether the file has [[worlds]]

    @classmethod
    def check(cls, source: str, problem: Problem, scene: Scene) -> RunsFile:
        """Refuse a file to which nothing can be added: all of it must mean the same afterwards."""
        refuse_other_than_toml(source)
        path = FilePath(source)
        document = parse_document(read_file(path, source), source)
        nested = "worlds" in document
        if nested and document["worlds"][-1]["name"] != scene.name:
            last = document["worlds"][-1]["name"]
            raise FileError(
                f'runs are added to the end of the file, which belongs to the world "{last}"; '
                f'move the world "{scene.name}" to the end',
                place=source,
            )
        file = cls(path, problem, scene, nested)
        with writing(path), path.open("r+b") as opened:
            file.checked(opened.read(), {"complete": False, "path": []}, "")
        return file

    @property
    def key(self) -> str:
        """Return the name of the list that a run is added to."""
        return "worlds.demonstrations" if self.nested else "demonstrations"

    def text(self, path: Path) -> str:
        """Write a run as a problem file does; the comment tells its word."""
        word = path.word(self.scene.original, merge_repeats=self.problem.merge_repeats)
        return toml_entry(self.key, demonstration_table(self.scene.original, path), word_text(word))

    def append(self, path: Path) -> None:
        """Add a run for good; where that fails, the file is what it was."""
        document = demonstration_table(self.scene.original, path)
        with writing(self.path), self.path.open("r+b", buffering=0) as file:
            before = file.read()
            data = self.checked(before, document, self.text(path))
            try:
                while data:
                    data = data[file.write(data) :]
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(len(before))
                raise

    def checked(self, before: bytes, document: dict[str, Any], text: str) -> bytes:
        """Return what is added to the file; refuse where it would not be read as the run that it is."""
        name = str(self.path)
        added = f"\n{text or toml_entry(self.key, document, '')}"
        if b"\r\n" in before:
            added = added.replace("\n", "\r\n")
        old = decode_text(before, name)
        try:
            longer = parse_document(old + added, name)
            found = longer["worlds"][-1]["demonstrations"] if self.nested else longer["demonstrations"]
        except (FileError, KeyError, IndexError):
            parse_document(old, name)  # what is wrong without the run is told first
            raise FileError(f"[[{self.key}]] cannot be added to the end of this file", place=name) from None
        if found[-1] != document:
            raise FileError(f"[[{self.key}]] at the end of this file would not be read back", place=name)
        return added.encode()


def refuse_other_than_toml(source: str) -> None:
    """Refuse standard input, and JSON, to which nothing can be added."""
    if source == "-":
        raise FileError("runs are added to the problem file; standard input is none", place="PROBLEM")
    text = "" if source.endswith((".json", ".toml")) else read_file(FilePath(source), source)
    if source.endswith(".json") or text.lstrip().startswith("{"):
        raise FileError("runs can be added to a TOML file only, and this is JSON", place=source)
