"""Blocks as text, as lines of a width, and as HTML."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from demospec.report.blocks import (
    Advice,
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
    Span,
    Table,
    Together,
    as_text,
    lines_of,
)
from demospec.report.html import as_html, as_page

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


def test_every_block_has_its_text() -> None:
    assert as_text(EVERY) == "\n".join(
        [
            "A & B",
            "",
            "1 < 2",
            "",
            "one",
            "two <b>",
            "",
            "1. first",
            "   a     x",
            "   long  y",
            "",
            "2. second",
            "",
            "size      3 bits",
            "surprise  <4>",
            "",
            " n  name",
            " 1  long name      &",
            "10  b          shown",
            "",
            "a picture",
            "",
            "right",
            "",
            "  kept\n    as it is",
            "",
            "Both",
            "inside",
            "",
            "Below",
            "deeper",
            "",
            "for the terminal",
        ]
    )


def test_what_shows_nothing_leaves_no_trace() -> None:
    empty: list[Block] = [Items([]), Facts([]), Figure(never), SideBySide([])]
    nothing = [*empty, Section("x", empty), OnPage([Paragraph("p")])]
    assert as_text(nothing) == ""
    assert as_text([Paragraph("a"), *nothing, Paragraph("b")]) == "a\n\nb"


def test_columns_go_to_the_right_but_for_the_last() -> None:
    table = Table(("a", "bb"), [("100", "x"), ("1", "yyy")], note="(a: so many)")
    assert as_text([table]) == "  a  bb\n100  x\n  1  yyy\n(a: so many)"


def test_numbers_of_a_long_list_stay_in_line() -> None:
    lines = as_text([Items([f"entry {k}" for k in range(12)], numbered=True)]).split("\n")
    assert lines[0] == "1.  entry 0"
    assert lines[11] == "12. entry 11"


def test_no_picture_is_drawn_for_a_terminal() -> None:
    assert as_text([Figure(never, "f"), Table(("t",), [(Figure(never, "c"),)])]) == "f\n\nt\nc"


def test_a_width_breaks_text_and_keeps_its_words() -> None:
    text = "Probability 58 % that this is the whole task; the next likeliest answer has 8 %. " * 3
    blocks: list[Block] = [
        Paragraph(text),
        Items([text, text]),
        Items([text], numbered=True),
        Facts([("a", text)]),
        Table(("n", "told"), [("1", text)]),
    ]
    for width in (30, 47, 80):
        told = as_text(blocks, width)
        assert max(map(len, told.splitlines())) <= width
        assert not [line for line in told.splitlines() if line.strip().startswith("%")]
        assert told.split().count("likeliest") == 3 * 6
    assert as_text(EVERY, 1000) == as_text(EVERY)


def test_a_list_goes_on_with_an_indent() -> None:
    assert as_text([Items(["one two three", "four"])], 8) == "one two\n  three\nfour"
    assert as_text([Items(["one two three"], numbered=True)], 10) == "1. one two\n   three"


def test_facts_have_several_lines() -> None:
    facts = Facts([("Settled", "reach y\nnever r"), ("Open", "go")])
    assert as_text([facts]) == "Settled  reach y\n         never r\nOpen     go"


def test_what_belongs_together_has_no_empty_line() -> None:
    both: list[Block] = [Paragraph("a"), Paragraph("b")]
    assert as_text([Together(both), Together([]), Paragraph("c")]) == "a\nb\n\nc"


def test_code_that_does_not_fit_goes_below_its_row_whole() -> None:
    code = ">0: " + "b→1, " * 10
    table = Table(("", "in words", "task"), [("1", "reach y", Figure(never, code.strip()))], align="rlc")
    assert as_text([table], 40).splitlines() == [
        "   in words",
        "    task",
        "1  reach y",
        f"    {code.strip()}",
    ]
    assert len(as_text([table]).splitlines()) == 2


def test_tones_are_of_parts_of_a_line() -> None:
    lines = lines_of([Advice("Next:", "demospec ask"), Paragraph("Warning", "warning"), Facts([("a", "b")])])
    assert lines == [
        (Span("Next: "), Span("demospec ask", "command")),
        (),
        (Span("Warning", "warning"),),
        (),
        (Span("a  ", "strong"), Span("b")),
    ]


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
def test_what_shows_nothing_has_no_markup(block: Block) -> None:
    assert as_html([block]) == ""


def test_a_page_is_whole_and_needs_nothing_else() -> None:
    page = as_page("<t>", [Paragraph("p"), Table(("a",), [("1",)], note="what a is")])
    assert page.startswith("<!doctype html>\n")
    root = ElementTree.fromstring(page.removeprefix("<!doctype html>\n"))
    assert root.findtext("head/title") == "<t> – demospec"
    assert [found.text for found in root.iter("p")] == ["p", "what a is"]
    assert "http" not in page
    assert [one.get("src") for one in root.iter("script")] == [None]  # the one that turns it dark
