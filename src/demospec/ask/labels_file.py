"""The file of labels: `[[examples]]` that are added one by one, in a file of their own or a problem's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath

from demospec.errors import FileError, InputError
from demospec.files.reading import convert, parse_document, read_file
from demospec.files.tables import ExampleTable
from demospec.files.toml import toml_entry
from demospec.problem import Problem
from demospec.tasks import Word
from demospec.tasks.examples import Examples
from demospec.worlds.paths import word_of


def example_toml(word: Word, label: bool) -> str:
    """Write an example as a problem file does."""
    return toml_entry("examples", {"word": list(word), "accept": label})


def read_labels(out: FilePath, problem: Problem) -> Examples:
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
        with out.open("xb"):
            pass
        out.unlink()


def is_empty(out: FilePath) -> bool:
    """Say whether a file holds nothing; refuse one that cannot be written."""
    with writing(out), out.open("ab"):
        return not out.read_bytes().strip()


@contextmanager
def writing(out: FilePath) -> Iterator[None]:
    """Tell what is wrong with a file that cannot be written."""
    try:
        yield
    except OSError as error:
        told = f"cannot be written: {error.strerror or error}"
        raise FileError(told, place=str(out)) from None
