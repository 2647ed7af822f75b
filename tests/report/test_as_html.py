"""Blocks as HTML: well formed, escaped, and without what is for the terminal."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from report_blocks import EVERY, SVG, never

from demospec.report.blocks import Block, Facts, Figure, InTerminal, Items, Paragraph, Section, Table
from demospec.report.html import as_html, as_page


def test_every_block_has_its_markup() -> None:
    root = ElementTree.fromstring(f"<body>{as_html(EVERY)}</body>")
    texts = [text.strip() for text in root.itertext() if text.strip()]
    assert texts == [
        *("A & B", "1 < 2", "one", "two <b>", "first", "a", "x", "long", "y", "second"),
        *("size", "3 bits", "surprise", "<4>", "n", "name", "1", "long name", "&", "10", "b"),
        *("kept\n    as it is", "Empty in a terminal", "Both", "inside", "Below", "deeper", "for the page"),
    ]
    assert [found.tag for found in root] == [
        *("h2", "p", "ul", "ol", "table", "table", "figure", "figure", "div", "pre"),
        *("h3", "figure", "h3", "p", "h4", "p", "p"),
    ]
    assert len(list(root.iter("svg"))) == as_html(EVERY).count(SVG) == 6


def test_columns_that_go_to_the_left_say_so() -> None:
    root = ElementTree.fromstring(as_html([Table(("a", "b", "c"), [("1", "2", "3")], align="rlr")]))
    for row in root:
        assert [cell.get("class") for cell in row] == [None, "l", None]


@pytest.mark.parametrize(
    "block",
    [Items([]), Facts([]), Section("x", [Items([])]), InTerminal([Figure(never)]), Section("x", [])],
)
def test_what_shows_nothing_leaves_no_trace(block: Block) -> None:
    assert as_html([block]) == ""


def test_a_page_is_whole_and_needs_nothing_else() -> None:
    page = as_page("<t>", [Paragraph("p"), Table(("a",), [("1",)], note="what a is")])
    assert page.startswith("<!doctype html>\n")
    root = ElementTree.fromstring(page.removeprefix("<!doctype html>\n"))
    assert root.findtext("head/title") == "<t> – demospec"
    assert [found.text for found in root.iter("p")] == ["p", "what a is"]
    assert "http" not in page
    assert [one.get("src") for one in root.iter("script")] == [None]  # the one that turns it dark
