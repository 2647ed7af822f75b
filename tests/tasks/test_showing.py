"""Who makes the markup of an object, and what a few lines hold."""

from __future__ import annotations

import pytest

from demospec.tasks.showing import LINES, WIDTH, Displayed, document, document_of, html_of, markup, short


class Base(Displayed):
    pass


class Derived(Base):
    pass


class Nearer(Base):
    pass


@markup.register
def show_base(shown: Base) -> str:
    return f"<p>{type(shown).__name__}</p>"


@markup.register
def show_nearer(shown: Nearer) -> str:
    return "nearer"


@document.register
def document_of_base(shown: Base) -> dict[str, int]:
    return {"a": 1}


def test_nothing_is_shown_of_what_nobody_registered() -> None:
    with pytest.raises(TypeError, match="markup for object"):
        html_of(object())
    with pytest.raises(TypeError, match="document for object"):
        document_of(object())


def test_a_type_is_shown_and_so_are_those_derived_from_it() -> None:
    assert html_of(Base()) == Base()._repr_html_() == "<p>Base</p>"
    assert html_of(Derived()) == "<p>Derived</p>"
    assert document_of(Derived()) == {"a": 1}


def test_the_nearest_type_counts() -> None:
    assert html_of(Nearer()) == "nearer"


def test_short_is_short() -> None:
    assert short(["a", "b\nc"]) == "a\nb\nc"
    told = short("x" * 500 for _ in range(100)).split("\n")
    assert len(told) == LINES
    assert told[-1] == "… and 91 more lines"
    assert {len(line) for line in told[:-1]} == {WIDTH}
    assert short(["y" * WIDTH] * LINES) == "\n".join(["y" * WIDTH] * LINES)
