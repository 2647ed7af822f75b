"""The problem so far as a file, written anew after every demonstration."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from demospec.ask.labels_file import check_new, is_empty, writing
from demospec.errors import FileError, InputError
from demospec.files.reading import file_name, read_file
from demospec.files.toml import to_toml
from demospec.files.writing import problem_document
from demospec.problem import Problem, Settings

FIRST_LINE = "# Written by demospec ask, anew after every demonstration: comments are not kept."


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
