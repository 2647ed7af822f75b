"""One of each kind of block, for tests."""

from __future__ import annotations

from demospec.report.blocks import (
    Block,
    Facts,
    Figure,
    Heading,
    InTerminal,
    Items,
    OnPage,
    Paragraph,
    Preformatted,
    Section,
    SideBySide,
    Table,
)

SVG = "<svg><circle/></svg>"


def never() -> str:
    """Draw a picture that nobody should ask for."""
    raise AssertionError("a picture was drawn that nobody shows")


def drawn() -> str:
    return SVG


EVERY: list[Block] = [
    Heading("A & B"),
    Paragraph("1 < 2"),
    Items(["one", "two <b>"]),
    Items([[Paragraph("first"), Facts([("a", "x"), ("long", "y")])], "second"], numbered=True),
    Facts([("size", "3 bits"), ("surprise", "<4>")]),
    Table(("n", "name", ""), [("1", "long name", "&"), ("10", "b", Figure(drawn, "shown"))], align="rlr"),
    Figure(drawn, "a picture"),
    Figure(drawn),
    SideBySide([Figure(drawn), Figure(drawn, "right")]),
    Preformatted("  kept\n    as it is"),
    Section("Empty in a terminal", [Figure(drawn)]),
    Section("Both", [Paragraph("inside"), Section("Below", [Paragraph("deeper")], 4)]),
    OnPage([Paragraph("for the page")]),
    InTerminal([Paragraph("for the terminal")]),
]
