"""TOML as this program writes it: problem files, and tables that are added to the end of one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from demospec.readable import in_json, on_one_line


def to_toml(document: Mapping[str, Any]) -> str:
    """Write plain values as TOML: simple keys first, then tables, then lists of tables.

    >>> print(to_toml({"name": "x", "world": {"start": [5, 6]}, "examples": [{"word": [], "accept": True}]}))
    name = "x"
    <BLANKLINE>
    [world]
    start = [5, 6]
    <BLANKLINE>
    [[examples]]
    word = []
    accept = true
    <BLANKLINE>
    """
    return "\n".join(_toml_lines(document, "")).lstrip("\n") + "\n"


def toml_entry(key: str, table: Mapping[str, Any], note: str = "") -> str:
    """Write one more of a list of tables; a note stands behind its name.

    >>> print(toml_entry("examples", {"word": ["b"], "accept": False}, "as asked"), end="")
    [[examples]] # as asked
    word = ["b"]
    accept = false
    """
    return f"[[{key}]]{note and f' # {on_one_line(note)}'}\n{to_toml(table)}"


def _toml_lines(table: Mapping[str, Any], prefix: str) -> Iterable[str]:
    later: list[str] = []
    for key, value in table.items():
        name = f"{prefix}{toml_key(key)}"
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            for one in value:
                later += ["", f"[[{name}]]", *_toml_lines(one, f"{name}.")]
        elif isinstance(value, dict) and not prefix:
            later += ["", f"[{name}]", *_toml_lines(value, f"{name}.")]
        else:
            # A reader of maps does not count the line ends around them; of other texts they would be a part.
            drawn = key == "map" and isinstance(value, str) and _is_plain(value)
            yield f"{toml_key(key)} = " + (f'"""\n{value}\n"""' if drawn else toml_value(value))
    yield from later


def toml_key(key: str) -> str:
    """Write a key; one that is no plain word is quoted."""
    plain = key and all(sign.isascii() and (sign.isalnum() or sign in "_-") for sign in key)
    return key if plain else toml_value(key)


def toml_value(value: Any) -> str:
    """Write a value on one line, but for lists of lists.

    >>> toml_value({"a b": [1, 0.5, True]}), toml_value("x")
    ('{ "a b" = [1, 0.5, true] }', '"x"')
    """
    if isinstance(value, dict):
        inside = ", ".join(f"{toml_key(key)} = {toml_value(one)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        if value and all(isinstance(one, list) and len(one) > 2 for one in value):
            return "[\n" + "".join(f"  {toml_value(one)},\n" for one in value) + "]"
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    # TOML's strings, numbers and truth values are JSON's.
    return in_json(json.dumps(value, ensure_ascii=False))


def _is_plain(text: str) -> bool:
    return "\n" in text and all(sign == "\n" or (sign.isprintable() and sign not in '"\\') for sign in text)
