"""From a file's text to its tables; every refusal names the file and the place."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, BinaryIO, TypeVar

import msgspec
from msgspec import inspect

from demospec.errors import FileError
from demospec.limits import DIGITS, TEXT_BYTES
from demospec.wording import file_name, listing, nearest, shown_value


def read_text(source: str) -> str:
    """Return the text of a file, or of standard input for `-`."""
    if source != "-":
        return read_file(FilePath(source), file_name(source))
    if sys.stdin is None or sys.stdin.closed:
        raise FileError("is closed", place=file_name(source))
    return decode_text(at_most(sys.stdin.buffer, file_name(source)), file_name(source))


def at_most(stream: BinaryIO, name: str) -> bytes:
    """Return what a stream holds; one that does not end, or holds more than anybody writes, is refused."""
    data = stream.read(TEXT_BYTES + 1)
    if len(data) > TEXT_BYTES:
        raise FileError(f"holds more than {TEXT_BYTES >> 20} MiB, which is too much to read", place=name)
    return data


def read_file(path: FilePath, name: str) -> str:
    """Return the text of a file."""
    try:
        with open(path, "rb") as stream:
            data = at_most(stream, name)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", place=name) from None
    except ValueError:  # a NUL, or half a character
        raise FileError("cannot be read: no file can have that name", place=name) from None
    return decode_text(data, name)


def decode_text(data: bytes, name: str) -> str:
    """Return bytes as text; the byte order mark that some editors write does not count."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}", place=name
        ) from None
    if not text.strip():
        raise FileError("is empty", place=name)
    return text


def parse_document(text: str, name: str) -> Mapping[str, Any]:
    """Parse TOML, or JSON when the name or the text says so."""
    as_json = name.endswith(".json") or (not name.endswith(".toml") and text.lstrip().startswith("{"))
    try:
        document = json.loads(text, object_pairs_hook=each_key_once) if as_json else tomllib.loads(text)
        json.dumps(document, ensure_ascii=False, default=str).encode()
    except json.JSONDecodeError as error:
        what = f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
        raise FileError(what, place=name) from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"not TOML: {error}", place=name) from None
    except RecursionError:
        raise FileError("is nested too deeply", place=name) from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise FileError(f"{half} is half a character; its other half is missing", place=name) from None
    except ValueError as error:  # a number with thousands of digits, a key that is there twice
        raise FileError(str(error).partition(";")[0], place=name) from None
    if not isinstance(document, dict):
        raise FileError(f"expected an object, found {shown_value(document)}", place=name)
    if _LONG_NUMBER.search(text):
        check_numbers(document, name)
    return document


_LONG_NUMBER = re.compile(rf"[0-9a-fA-F_]{{{DIGITS - 3}}}")  # in any base


def check_numbers(value: Any, name: str, place: str = "") -> None:
    """Refuse whole numbers that do not fit into 64 bits, of which nobody has a use."""
    if isinstance(value, dict):
        for key, inner in value.items():
            check_numbers(inner, name, f"{place}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            check_numbers(inner, name, f"{place}[{index}]")
    elif isinstance(value, int) and abs(value) >= 10**DIGITS:
        what = f"the whole number {shown_value(value)} is too large; at most {DIGITS} digits are read"
        raise FileError(what, place=f"{name}: {place_in_words(place)}")


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; JSON by itself would let the last of two equal keys win."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{key}" is there twice')
        found[key] = value
    return found


Document = TypeVar("Document", bound=msgspec.Struct)

_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<where>.*?)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}


def convert(document: Mapping[str, Any], kind: type[Document], name: str) -> Document:
    """Turn a parsed file into its structure; errors tell the place, what was found, what was expected."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        parts = _AT.match(str(error))
        assert parts is not None
    types, value, place = look_up(document, kind, parts["where"] or "")
    what = parts["what"].replace("`", "")
    choices = [str(choice) for t in types if isinstance(t, inspect.LiteralType) for choice in t.values]
    if key := what.partition("Object contains unknown field ")[2]:
        known = []
        for table in (t for t in types if isinstance(t, inspect.StructType)):
            known += [table.tag_field] if table.tag_field else []  # numbers that results attach are not told
            known += [f.encode_name for f in table.fields if not isinstance(f.type, inspect.AnyType)]
        what = f'unknown key "{key}"{nearest(key, known)}; known: {listing(known, 20)}'
    elif key := what.partition("Object missing required field ")[2]:
        what = f'the key "{key}" is missing'
    elif what.startswith("Invalid") and choices:
        number = "a number or " if any(isinstance(t, inspect.FloatType) for t in types) else ""
        hint = nearest(str(value), choices)
        choices = [f'"{choice}"' for choice in choices]
        what = f"expected {number}{' or '.join(choices)}, found {shown_value(value)}{hint}"
    elif expected := what.partition("Expected ")[2].partition(", got")[0].replace(" | null", ""):
        expected = re.sub(r"\w+", lambda word: _WORDS.get(word[0], word[0]), expected)
        what = f"expected {expected.replace(' | ', ' or ')}, found {shown_value(value)}"
    else:
        what = f"{what[0].lower()}{what[1:]}: {shown_value(value)}"
    raise FileError(what, place=f"{name}: {place}" if place else name)


def look_up(
    document: Mapping[str, Any], kind: type[msgspec.Struct], where: str
) -> tuple[Sequence[inspect.Type], Any, str]:
    """Follow a place such as `.demonstrations[0].path[3]`.

    Returns the types that fit there, the value that is there, and the place as a person would tell it.
    """
    value: Any = document
    types, place = union_types(inspect.type_info(kind), value), ""
    for step in _STEP.finditer(where):
        key: Any = step["key"]
        (at,) = [t for t in types if isinstance(t, Container)][:1]
        if isinstance(at, inspect.StructType) and key == at.tag_field:
            tags = [t.tag for t in types if isinstance(t, inspect.StructType)]
            inner: inspect.Type = inspect.LiteralType(tuple(map(str, tags)))
        elif isinstance(at, inspect.StructType):
            inner = next(field.type for field in at.fields if field.encode_name == key)
        elif isinstance(at, inspect.DictType):  # the message does not name the key
            inner = at.value_type
            key = next((k for k, v in value.items() if not fits_type(inner, v)), next(iter(value)))
        else:
            key = int(step["index"])
            inner = at.item_types[key] if isinstance(at, inspect.TupleType) else at.item_type
        place += f"[{key}]" if step["index"] else f".{key}"
        value = value.get(key) if isinstance(value, dict) else value[key]
        types = union_types(inner, value)
    return types, value, place_in_words(place)


def fits_type(info: inspect.Type, value: object) -> bool:
    """Say whether a value of a table is of its type, where that is a string, a number or a list of strings.

    >>> either = inspect.type_info(str | list[str])
    >>> fits_type(either, ["a"]), fits_type(either, ["a", 3])
    (True, False)
    """
    if isinstance(info, inspect.UnionType):
        return any(fits_type(one, value) for one in info.types)
    if isinstance(info, inspect.ListType):
        return isinstance(value, list) and all(fits_type(info.item_type, one) for one in value)
    good = str if isinstance(info, inspect.StrType) else float | int
    return isinstance(value, good) and not isinstance(value, bool)


Container = inspect.StructType | inspect.DictType | inspect.ListType | inspect.TupleType


def union_types(info: inspect.Type, value: object) -> Sequence[inspect.Type]:
    """Return the types of a union; of tables told apart by a tag only the one that the value names."""
    if not isinstance(info, inspect.UnionType):
        return [info]
    named = [
        t
        for t in info.types
        if isinstance(t, inspect.StructType)
        and t.tag_field
        and isinstance(value, dict)
        and value.get(t.tag_field) == t.tag
    ]
    return named or info.types


def place_in_words(place: str) -> str:
    """Tell a place as the other messages do, counting from 1.

    >>> places = ".demonstrations[0].path[3]", ".examples[2].word", ".world.transitions[0][1]"
    >>> tuple(map(place_in_words, places))
    ('demonstration 1, step 2', 'example 3: word', 'world.transitions, entry 1, entry 2')
    """
    world = re.match(r"^\.worlds\[(\d+)\](?=\.|$)", place)
    if world:
        inside = place_in_words(place[world.end() :])
        return f"world {int(world[1]) + 1}" + (f": {inside}" if inside else "")
    place = re.sub(
        r"^\.demonstrations\[(\d+)\](?:\.path\[(\d+)\])?",
        lambda at: f"demonstration {int(at[1]) + 1}" + (f", step {int(at[2]) // 2 + 1}" if at[2] else ""),
        place,
    )
    place = re.sub(r"^\.examples\[(\d+)\]", lambda at: f"example {int(at[1]) + 1}", place)
    place = re.sub(r"\[(\d+)\]", lambda at: f", entry {int(at[1]) + 1}", place).removeprefix(".")
    place = re.sub(r"\[(.*)\]$", r', "\1"', place)
    return re.sub(r"^((?:demonstration|example) \d+)\.", r"\1: ", place)
