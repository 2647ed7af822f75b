"""What a run writes down, as typed records: numbers, texts and lists, and nothing that could be executed.

A dataclass is written as the list of its fields, a mapping as pairs, a task as its table. Tasks and scores
that occur several times in one record are written once. Reading checks every type, so that a file from a
stranger is read, or refused with the place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from types import NoneType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from demospec.errors import FileError, TaskError
from demospec.explain.score import Score
from demospec.search.diss import PaperInfo
from demospec.search.engine import Info
from demospec.tasks import DFA, Composite, Task, clauses, task_from_json
from demospec.tasks.clauses import Clauses

Plain = Any  # what msgpack can hold
Place = Annotated[int, msgspec.Meta(ge=0)]  # of a task or a score among those of the record
Value = TypeVar("Value")


@cache
def fields_of(kind: Any) -> dict[str, Any]:
    """Return the types of a dataclass's fields by name."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}


NUMBERS = tuple(fields_of(Score))[1:]
SCORE: Any = tuple[Place, *(fields_of(Score)[name] for name in NUMBERS)]  # type: ignore[misc]
RECORD: Any = tuple[tuple[str, ...], list[tuple[str, Any]], list[SCORE], Any]


class Writer:
    """One record that is being written."""

    def __init__(self) -> None:
        self.alphabet: tuple[str, ...] = ()
        self.tasks: list[Plain] = []
        self.scores: list[Plain] = []
        self._known: dict[int, int] = {}  # numbers of tasks and scores, by identity
        self._alive: list[object] = []  # so that identities stay what they are

    def plain(self, value: Any) -> Plain:
        """Return a value as it is written; a set in an order that does not depend on hashes of texts."""
        if value is None or isinstance(value, bool | int | float | str | bytes):
            return value
        if isinstance(value, Score | Task):
            if id(value) not in self._known:
                number = self._score(value) if isinstance(value, Score) else self._task(value)
                self._known[id(value)] = number
                self._alive.append(value)
            return self._known[id(value)]
        if isinstance(value, Mapping):
            return [[self.plain(key), self.plain(one)] for key, one in value.items()]
        if isinstance(value, frozenset):
            return sorted(map(self.plain, value), key=repr)
        if isinstance(value, tuple | list):
            return [self.plain(one) for one in value]
        return [self.plain(getattr(value, name)) for name in fields_of(value.__class__)]

    def _score(self, score: Score) -> int:
        self.scores.append([self.plain(score.task), *(getattr(score, name) for name in NUMBERS)])
        return len(self.scores) - 1

    def _task(self, task: Task) -> int:
        self.alphabet = task.alphabet
        plain: tuple[str, Plain]
        if type(task) is DFA:
            plain = "table", (task.minimal.table, task.minimal.accepting)
        elif type(task) is Composite:
            plain = task.operator, [self.plain(part) for part in task.parts]
        elif type(task) is Clauses:
            plain = "said", str(task)
        else:
            plain = "json", task.to_json()
        self.tasks.append(plain)
        return len(self.tasks) - 1


class Reader:
    """One record that is being read: the tasks and scores that it mentions."""

    def __init__(
        self, alphabet: tuple[str, ...], tasks: list[tuple[str, Plain]], scores: list[tuple[Any, ...]]
    ) -> None:
        self.alphabet = alphabet
        self.tasks: list[Task] = []
        for how, said in tasks:
            self.tasks.append(self._task(how, said))
        self.scores = [Score(self.tasks[task], *numbers) for task, *numbers in scores]

    def _task(self, how: str, said: Plain) -> Task:
        if how == "said":
            return clauses.parse(msgspec.convert(said, str), self.alphabet)
        if how == "json":
            return task_from_json(msgspec.convert(said, dict[str, Any]))
        if how in ("and", "or"):
            parts = [self.tasks[part].automaton for part in msgspec.convert(said, list[Place])]
            return Composite.of(how, parts)  # type: ignore[arg-type]
        table, marks = msgspec.convert(said, tuple[tuple[tuple[int, ...], ...], tuple[bool, ...]])
        task = DFA(alphabet=self.alphabet, table=table, accepting=marks)
        if how != "table" or (task.minimal.table, task.minimal.accepting) != (table, marks):
            raise TaskError("a task is not in its canonical form")
        return task.minimal

    def value(self, kind: Any, plain: Plain) -> Any:
        """Return a value of a type."""
        if kind is Score:
            return self.scores[msgspec.convert(plain, Place)]
        if kind in (Task, DFA):
            task = self.tasks[msgspec.convert(plain, Place)]
            return task if kind is Task else task.automaton
        if kind is Info and len(plain) > len(fields_of(Info)):
            kind = PaperInfo
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            fields = zip(fields_of(kind).items(), msgspec.convert(plain, list), strict=True)
            return kind(**{name: self.value(hint, one) for (name, hint), one in fields})
        origin, kinds = get_origin(kind), get_args(kind)
        if NoneType in kinds:
            others = tuple(one for one in kinds if one is not NoneType)
            return None if plain is None else self.value(Union[others], plain)  # noqa: UP007
        if origin is tuple and kinds[-1] is not Ellipsis:
            parts = zip(kinds, msgspec.convert(plain, list), strict=True)
            return tuple(self.value(one, part) for one, part in parts)
        if origin in (tuple, list, frozenset):
            return origin(self.value(kinds[0], one) for one in msgspec.convert(plain, list))
        if origin is Mapping:
            return dict(self.value(list[tuple[kinds]], plain))  # type: ignore[valid-type]
        return msgspec.convert(plain, kind)  # numbers and texts: true is no number


def dumps(value: object) -> bytes:
    """Write a value."""
    writer = Writer()
    body = writer.plain(value)
    return msgspec.msgpack.encode((writer.alphabet, writer.tasks, writer.scores, body))


def loads(kind: type[Value], data: bytes) -> Value:
    """Read a value of a type; whatever else the bytes hold is refused."""
    try:
        *known, body = msgspec.msgpack.decode(data, type=RECORD)
        return cast(Value, Reader(*known).value(kind, body))
    except (msgspec.MsgspecError, ValueError, TypeError, IndexError, KeyError, TaskError) as error:
        raise FileError(f"a record is not what it should be ({type(error).__name__}: {error})") from None
