"""JSON text: what the standard library writes, but for lists of plain things, which stay on one line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.readable import in_json
from demospec.report.documents import dumps

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def joined(text: str) -> Iterator[str]:
    """Yield the lines of indented JSON with the lists that hold no list and no object on one line."""
    lines = iter(text.split("\n"))
    for line in lines:
        held = [line]
        while held[-1].endswith("[") or (len(held) > 1 and not held[-1].strip().startswith("]")):
            held.append(next(lines))
            if held[-1].strip()[:1] in ("[", "{"):
                yield from held[:-1]
                held = held[-1:]
        yield held[0] + " ".join(part.strip() for part in held[1:-1]) + "".join(held[1:][-1:]).strip()


@given(value=values)
def test_what_is_written_is_read_back(value: object) -> None:
    assert json.loads(dumps(value)) == value


@given(value=values)
def test_the_text_is_the_standard_librarys_with_short_lists_joined(value: object) -> None:
    assert dumps(value) == in_json("\n".join(joined(json.dumps(value, indent=2, ensure_ascii=False))))


def test_lists_of_plain_things_stay_on_one_line() -> None:
    assert dumps({"a": [1, "x", None, True, 0.1], "b": [], "c": [[1, 2], (3,)], "d": {}}) == (
        '{\n  "a": [1, "x", null, true, 0.1],\n  "b": [],\n  "c": [\n    [1, 2],\n    [3]\n  ],\n  "d": {}\n}'
    )


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_json_cannot_hold_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        dumps({"number": [number]})


def test_keys_are_strings() -> None:
    with pytest.raises(TypeError, match="found 3"):
        dumps({"a": {3: 4}})
