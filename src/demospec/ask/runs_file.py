"""Runs that are added to the end of a problem file, one by one; the rest of it is not touched."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from demospec.ask.labels_file import writing
from demospec.errors import FileError
from demospec.files.reading import decode_text, parse_document, read_file
from demospec.files.toml import toml_entry
from demospec.files.writing import demonstration_table
from demospec.problem import Problem
from demospec.wording import word_text
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene


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
        """Write a run as a problem file does."""
        return self.table(
            demonstration_table(self.scene.original, path),
            word_text(path.word(self.scene.original, merge_repeats=self.problem.merge_repeats)),
        )

    def table(self, document: dict[str, Any], word: str) -> str:
        """Write a table of a problem file; its comment tells the word."""
        return toml_entry(self.key, document, word)

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
        added = f"\n{text or self.table(document, '')}"
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
