"""What a run writes down, as typed records: numbers, texts and lists, and nothing that could be executed.

A value is written by its type: a dataclass as the list of its fields, a mapping as pairs, a task as its
table.
Tasks and scores that occur several times in one record are written once. Reading checks every type, so that
a file from a stranger is read, or refused with the place.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from demospec.errors import FileError, TaskError
from demospec.explain.score import Score
from demospec.search.diss import PaperInfo
from demospec.search.engine import Info
from demospec.tasks import DFA, Composite, Task, clauses, task_from_json
from demospec.tasks.clauses import Clauses

Plain = Any  # what msgpack can hold
Pack = Callable[["Writer", Any], Plain]
Unpack = Callable[["Reader", Any], Any]
Value = TypeVar("Value")


class Writer:
    """One record that is being written."""

    def __init__(self) -> None:
        self.alphabet: tuple[str, ...] = ()
        self.tasks: list[Plain] = []
        self.scores: list[Plain] = []
        self._task: dict[int, int] = {}  # by identity
        self._score: dict[int, int] = {}
        self._alive: list[object] = []  # so that identities stay what they are

    def task(self, task: Task) -> int:
        """Return the number of a task: an automaton by its table, any other by its parts or its JSON."""
        known = self._task.get(id(task))
        if known is None:
            self.alphabet = task.alphabet
            plain: Plain
            if type(task) is DFA:
                own = task.minimal
                plain = [own.table, "".join("01"[mark] for mark in own.accepting)]
            elif type(task) is Composite:
                plain = [task.operator, [self.task(part) for part in task.parts]]
            elif type(task) is Clauses:
                plain = ["said", str(task)]
            else:
                plain = ["json", task.to_json()]
            known = self._task[id(task)] = len(self.tasks)
            self.tasks.append(plain)
            self._alive.append(task)
        return known

    def score(self, score: Score) -> int:
        """Return the number of a score."""
        known = self._score.get(id(score))
        if known is None:
            plain = [self.task(score.task), *(getattr(score, name) for name in NUMBERS)]
            known = self._score[id(score)] = len(self.scores)
            self.scores.append(plain)
            self._alive.append(score)
        return known


NUMBERS = [field.name for field in dataclasses.fields(Score)][1:]
SCORE_TYPES = {name: get_type_hints(Score)[name] for name in NUMBERS}


class Reader:
    """One record that is being read: the tasks and scores that it mentions."""

    def __init__(self, alphabet: Plain, tasks: Plain, scores: Plain) -> None:
        self.alphabet = tuple(expect(list, alphabet))
        self.tasks: list[Task] = []
        for plain in expect(list, tasks):
            self.tasks.append(self._task(*expect(list, plain)))
        self.scores: list[Score] = []
        for plain in expect(list, scores):
            task, *numbers = expect(list, plain)
            read = [
                converters(SCORE_TYPES[name])[1](self, number)
                for name, number in zip(NUMBERS, numbers, strict=True)
            ]
            self.scores.append(Score(self.tasks[index(task, self.tasks)], *read))

    def _task(self, first: Plain, second: Plain) -> Task:
        if first == "said":
            return clauses.parse(expect(str, second), self.alphabet)
        if first == "json":
            return task_from_json(expect(dict, second))
        if isinstance(first, str):
            parts = [self.tasks[index(part, self.tasks)].automaton for part in expect(list, second)]
            if first not in ("and", "or"):
                raise ValueError(f'parts are joined by "and" or "or", not by "{first}"')
            return Composite.of(first, parts)  # type: ignore[arg-type]
        table = tuple(tuple(expect(int, cell) for cell in expect(list, row)) for row in expect(list, first))
        marks = tuple(mark == "1" for mark in expect(str, second))
        task = DFA(alphabet=self.alphabet, table=table, accepting=marks)
        if (task.minimal.table, task.minimal.accepting) != (table, marks):
            raise TaskError("a task is not in its canonical form")
        return task.minimal


def dumps(kind: Any, value: object) -> bytes:
    """Write a value of a type."""
    writer = Writer()
    body = converters(kind)[0](writer, value)
    return msgspec.msgpack.encode([list(writer.alphabet), writer.tasks, writer.scores, body])


def loads(kind: type[Value], data: bytes) -> Value:
    """Read a value of a type; whatever else the bytes hold is refused."""
    try:
        alphabet, tasks, scores, body = expect(list, msgspec.msgpack.decode(data))
        unpack: Unpack = converters(kind)[1]  # type: ignore[arg-type]
        found: Value = unpack(Reader(alphabet, tasks, scores), body)
        return found
    except (msgspec.DecodeError, ValueError, TypeError, IndexError, KeyError, TaskError) as error:
        raise FileError(f"a record is not what it should be ({type(error).__name__}: {error})") from None


def expect(kind: type[Value], plain: Plain) -> Value:
    """Return a plain value of the kind that is expected; true is no number."""
    if kind is float and type(plain) is int:
        return float(plain)  # type: ignore[return-value]
    if type(plain) is not kind:
        raise TypeError(f"expected {kind.__name__}, found {type(plain).__name__}")
    return plain


def read_number(plain: Plain) -> int | float:
    """Return a number, of the kind that it was."""
    return expect(int if type(plain) is int else float, plain)


def index(plain: Plain, known: list[Any]) -> int:
    """Return the number of something that is known already."""
    place = expect(int, plain)
    if not 0 <= place < len(known):
        raise IndexError(f"{place} is not below {len(known)}")
    return place


@cache
def converters(kind: Any) -> tuple[Pack, Unpack]:
    """Return how values of a type are written and read."""
    if kind in (int, float, bool, str):
        return (lambda writer, value: value), (lambda reader, plain: expect(kind, plain))
    if kind == int | float:
        return (lambda writer, value: value), (lambda reader, plain: read_number(plain))
    if kind is bytes:
        return (lambda writer, value: value), (lambda reader, plain: expect(bytes, plain))
    if kind in (None, types.NoneType):
        return (lambda writer, value: None), (lambda reader, plain: expect(types.NoneType, plain))
    if kind is Score:
        return (lambda writer, value: writer.score(value)), (
            lambda reader, plain: reader.scores[index(plain, reader.scores)]
        )
    if kind is DFA:
        return (lambda writer, value: writer.task(value)), (
            lambda reader, plain: reader.tasks[index(plain, reader.tasks)].automaton
        )
    if kind is Task:
        return (lambda writer, value: writer.task(value)), (
            lambda reader, plain: reader.tasks[index(plain, reader.tasks)]
        )
    if kind is Info:
        return of_kinds((Info, PaperInfo))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return of_dataclass(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return (lambda writer, value: value), (lambda reader, plain: one_of(arguments, plain))
    if origin in (Union, types.UnionType):
        return of_option(arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return of_many(arguments[0], tuple)
    if origin is tuple:
        return of_tuple(arguments)
    if origin in (list, frozenset):
        return of_many(arguments[0], origin)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        pack, unpack = of_many(tuple[arguments[0], arguments[1]], list)  # type: ignore[valid-type]
        return (lambda writer, value: pack(writer, value.items())), (
            lambda reader, plain: dict(unpack(reader, plain))
        )
    raise TypeError(f"values of type {kind} cannot be written down")


def one_of(choices: tuple[Any, ...], plain: Plain) -> Any:
    if plain not in choices:
        raise ValueError(f"{plain!r} is none of {choices}")
    return plain


def of_option(arguments: tuple[Any, ...]) -> tuple[Pack, Unpack]:
    """Return how an optional value is written: none, or as itself."""
    others = [argument for argument in arguments if argument is not types.NoneType]
    if len(others) != 1:
        raise TypeError(f"one of several types cannot be written down: {others}")
    pack, unpack = converters(others[0])
    return (
        lambda writer, value: None if value is None else [pack(writer, value)],
        lambda reader, plain: None if plain is None else unpack(reader, *expect(list, plain)),
    )


def of_kinds(kinds: tuple[type, ...]) -> tuple[Pack, Unpack]:
    """Return how a value of one of several dataclasses is written: which it is, and its fields."""
    each = [of_dataclass(kind) for kind in kinds]

    def write(writer: Writer, value: Any) -> Plain:
        which = kinds.index(type(value))
        return [which, each[which][0](writer, value)]

    def read(reader: Reader, plain: Plain) -> Any:
        which, fields = expect(list, plain)
        return each[index(which, each)][1](reader, fields)

    return write, read


def of_many(kind: Any, container: Any) -> tuple[Pack, Unpack]:
    """Return how a collection is written; a set in an order that does not depend on hashes of texts."""
    pack, unpack = converters(kind)

    def write(writer: Writer, value: Any) -> Plain:
        found = [pack(writer, one) for one in value]
        return sorted(found, key=repr) if container is frozenset else found

    return write, lambda reader, plain: container(unpack(reader, one) for one in expect(list, plain))


def of_tuple(kinds: tuple[Any, ...]) -> tuple[Pack, Unpack]:
    """Return how a tuple of fixed length is written."""
    each = [converters(kind) for kind in kinds]
    return (
        lambda writer, value: [pack(writer, one) for (pack, _), one in zip(each, value, strict=True)],
        lambda reader, plain: tuple(
            unpack(reader, one) for (_, unpack), one in zip(each, expect(list, plain), strict=True)
        ),
    )


def of_dataclass(kind: type) -> tuple[Pack, Unpack]:
    """Return how a dataclass is written: the list of its fields."""
    hints = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    each: list[tuple[Pack, Unpack]] = []

    def known() -> list[tuple[Pack, Unpack]]:
        if not each:  # on first use: a type may mention itself
            each.extend(converters(hints[name]) for name in names)
        return each

    def write(writer: Writer, value: Any) -> Plain:
        return [pack(writer, getattr(value, name)) for (pack, _), name in zip(known(), names, strict=True)]

    def read(reader: Reader, plain: Plain) -> Any:
        values = zip(known(), expect(list, plain), strict=True)
        return kind(**dict(zip(names, [unpack(reader, one) for (_, unpack), one in values], strict=True)))

    return write, read
