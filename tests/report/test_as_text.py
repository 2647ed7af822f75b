"""Blocks as text: what a terminal shows, and what it leaves out."""

from __future__ import annotations

from report_blocks import EVERY, never

from demospec.report.blocks import (
    Block,
    Facts,
    Figure,
    Items,
    OnPage,
    Paragraph,
    Section,
    SideBySide,
    Table,
    as_text,
)


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
