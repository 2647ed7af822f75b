"""What JSON documents are made of, and how they are written.

A document is a struct that tells what each of its keys is, beside the key; the reference is made from that.
A key whose struct says it already is told by the first line of the struct.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from demospec.problem import Problem
from demospec.readable import in_json
from demospec.tasks import Task
from demospec.tasks.showing import Document as Document
from demospec.tasks.words import Description
from demospec.worlds.scene import Scene

T = TypeVar("T")
Sometimes: TypeAlias = T | UnsetType  # of a key that is not always there: UNSET is its default
Number: TypeAlias = float | None  # null where it is not finite
HowFar: TypeAlias = Literal["always", "here"] | bool  # false


class JSON(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A document or a part of one; keys are in the order in which they are written."""

    @classmethod
    def of(cls, source: object, **known: Any) -> Self:
        """Make a document of something that has attributes with the names of the keys that are not known."""
        found = {name: getattr(source, name, UNSET) for name in cls.__struct_fields__ if name not in known}
        return cls(**{name: value for name, value in found.items() if value is not UNSET}, **known)

    def plain(self) -> Document:
        """Return the document as JSON has it, without keys that are unset."""
        names = zip(self.__struct_fields__, self.__struct_encode_fields__, strict=True)
        found = ((key, getattr(self, name)) for name, key in names)
        return {key: plain_value(value) for key, value in found if value is not UNSET}


class TaskJSON(JSON):
    """The task as a [task file](problem_file.md#a-task-file)."""

    kind: Literal["dfa"]
    alphabet: list[str]
    states: int
    start: int
    accepting: list[int]
    transitions: list[tuple[int, str, int]]
    clauses: Sometimes[str] = UNSET
    operator: Sometimes[str] = UNSET
    parts: Annotated[Sometimes[list[TaskJSON]], "What it is made of, as task files."] = UNSET
    size: Annotated[Sometimes[float], "Its size in bits."] = UNSET


class ScoredJSON(TaskJSON, kw_only=True):
    """The task as a task file, with its numbers."""

    surprise: Annotated[Number, "−ln of the probability of what was chosen, in nats."]
    energy: Annotated[Number, "The weighted sum of size and surprise."]
    rationality: Annotated[
        Number, "The rationality that it was scored with; of a learned agent, the likeliest."
    ]
    satisfaction_probability: Annotated[Number, "How often the task's agent succeeds."]
    weight: Annotated[float, "Its share: exp(−energy), normalised over the list."]


def task_document(task: Task, **known: object) -> Any:
    """Return a task file's object with more keys; parts come with their sizes.

    It is what a `TaskJSON` says, unless it is a task of somebody else, which may have keys of its own.
    """
    document = {**task.to_json(), **known}
    if known and len(task.parts) > 1:
        document["parts"] = [{**part.to_json(), "size": part.size} for part in task.parts]
    return document


def said_keys(found: Description) -> Document:
    """Return the keys with which every document says a task in words."""
    clauses = [clause.sentence for clause in found.clauses]
    return {"sentence": found.sentence, "clauses": clauses, "exact": found.exact, "formula": found.formula}


def world_key(problem: Problem, scene: Scene) -> Sometimes[str]:
    """Return the world's name, where a problem has several."""
    return scene.name if len(problem.scenes) > 1 else UNSET


def plain_value(value: object) -> Any:
    """Return a value as JSON has it; a number that is not finite is null."""
    if isinstance(value, JSON):
        return value.plain()
    if isinstance(value, Mapping):
        return {key: plain_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def version() -> str:
    """Return the version of demospec; a checkout that is not installed has none."""
    from importlib import metadata

    try:
        return metadata.version("demospec")
    except metadata.PackageNotFoundError:
        return "unknown"


# -- JSON as text ----------------------------------------------------------------------------------------
#
# Two spaces, keys as they come, one line for a list of plain things. The standard library indents in Python,
# token by token, and breaks every list; a result has many thousands.

_other = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def dumps(document: object) -> str:
    """Write a document; a number that JSON cannot hold is refused."""
    parts: list[str] = []
    _append(document, "\n", parts)
    return in_json("".join(parts))


def _append(value: object, line: str, parts: list[str]) -> None:
    """Append the parts of the text; `line` begins a line at the indentation of the value."""
    below = f"{line}  "
    if isinstance(value, dict) and value:
        begin = "{"
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key of a document is a string; found {key!r}")
            parts.append(f"{begin}{below}{encode_basestring(key)}: ")
            _append(inner, below, parts)
            begin = ","
        parts.append(f"{line}}}")
    elif not isinstance(value, list | tuple):
        parts.append(_atom(value))
    elif any(isinstance(inner, dict | list | tuple) for inner in value):
        begin = "["
        for inner in value:
            parts.append(f"{begin}{below}")
            _append(inner, below, parts)
            begin = ","
        parts.append(f"{line}]")
    else:
        parts.append(f"[{', '.join(map(_atom, value))}]")


def _atom(value: object) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    return "null" if value is None else _other(value)
