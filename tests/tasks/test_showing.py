"""The registry: who makes the markup of an object, and what a few lines hold."""

from __future__ import annotations

import pytest

from demospec.tasks import showing
from demospec.tasks.showing import LINES, WIDTH, document_of, html_of, register, short


class Base:
    pass


class Derived(Base):
    pass


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "_html", {})
    monkeypatch.setattr(showing, "_documents", {})
    monkeypatch.setattr(showing, "SHOWING", [])


def test_nothing_is_shown_of_what_nobody_registered() -> None:
    assert html_of(Base()) is None
    with pytest.raises(TypeError, match="document for Base"):
        document_of(Base())


@pytest.mark.parametrize("kind", [Base, f"{__name__}.Base"])
def test_a_type_is_shown_and_so_are_those_derived_from_it(kind: type | str) -> None:
    register(kind, lambda shown: f"<p>{type(shown).__name__}</p>", lambda shown: {"a": 1})
    assert html_of(Base()) == "<p>Base</p>"
    assert html_of(Derived()) == "<p>Derived</p>"
    assert document_of(Derived()) == {"a": 1}


def test_the_nearest_type_counts() -> None:
    register(Derived, lambda shown: "derived")
    register(Base, lambda shown: "base")
    assert html_of(Derived()) == "derived"
    assert html_of(Base()) == "base"


def test_short_is_short() -> None:
    assert short(["a", "b\nc"]) == "a\nb\nc"
    told = short("x" * 500 for _ in range(100)).split("\n")
    assert len(told) == LINES
    assert told[-1] == "… and 91 more lines"
    assert {len(line) for line in told[:-1]} == {WIDTH}
    assert short(["y" * WIDTH] * LINES) == "\n".join(["y" * WIDTH] * LINES)
