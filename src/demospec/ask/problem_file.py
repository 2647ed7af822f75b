"""The problem so far as a file, written anew after every demonstration."""

from __future__ import annotations

import os
from pathlib import Path as FilePath

from demospec.ask.answers_file import check_new, writing
from demospec.errors import FileError
from demospec.files.reading import read_file
from demospec.files.writing import problem_document, to_toml
from demospec.problem import Problem

HEADER = "# Written by demospec ask, anew after every demonstration: comments are not kept."


def check_problem_file(out: FilePath, source: str, problem: Problem) -> None:
    """Refuse a file that cannot be written, or that holds anything but what was written before.

    Only the problem that is asked about, if it is such a file itself, may be written over.
    """
    name = str(out)
    if name.endswith(".json"):
        raise FileError("the problem is written as TOML", place=name)
    problem_document(problem)
    if not out.exists():
        check_new(out)
        return
    with writing(out), out.open("ab"):
        pass
    if not out.stat().st_size:
        return
    ours = read_file(out, name).startswith(HEADER)
    if source == "-" or not os.path.exists(source) or not os.path.samefile(source, out):
        hint = f"; go on from it with PROBLEM {name}" if ours else ""
        raise FileError(f"holds something already, which would be lost{hint}", place=name)
    if not ours:
        raise FileError("its comments would be lost; give another file", place=name)


def write_problem(out: FilePath, problem: Problem) -> None:
    """Write the problem, for good: whatever happens, the file holds either this or what it held before."""
    target = FilePath(os.path.realpath(out))
    anew = target.with_name(f".{target.name}.new")
    with writing(out):
        with anew.open("wb") as file:
            file.write(f"{HEADER}\n\n{to_toml(problem_document(problem))}".encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(anew, target)
