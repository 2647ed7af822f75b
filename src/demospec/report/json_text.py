"""Documents as JSON text: two spaces, keys as they come, one line for a list of plain things.

The standard library indents in Python, token by token, and breaks every list; a result has many thousands.
"""

from __future__ import annotations

import json
import math
from json.encoder import encode_basestring

from demospec.readable import in_json

_other = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def dumps(document: object) -> str:
    """Write a document; a number that JSON cannot hold is refused."""
    parts: list[str] = []
    _write(document, "\n", parts)
    return in_json("".join(parts))


def _write(value: object, line: str, parts: list[str]) -> None:
    """Append the parts of the text; `line` begins a line at the indentation of the value."""
    below = f"{line}  "
    if isinstance(value, dict) and value:
        begin = "{"
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key of a document is a string; found {key!r}")
            parts.append(f"{begin}{below}{encode_basestring(key)}: ")
            _write(inner, below, parts)
            begin = ","
        parts.append(f"{line}}}")
    elif not isinstance(value, list | tuple):
        parts.append(_plain(value))
    elif any(isinstance(inner, dict | list | tuple) for inner in value):
        begin = "["
        for inner in value:
            parts.append(f"{begin}{below}")
            _write(inner, below, parts)
            begin = ","
        parts.append(f"{line}]")
    else:
        parts.append(f"[{', '.join(map(_plain, value))}]")


def _plain(value: object) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    return "null" if value is None else _other(value)
