"""Blocks as lines of a width: what is broken, what is not, and what goes below."""

from __future__ import annotations

from report_blocks import EVERY, never

from demospec.report.blocks import (
    Advice,
    Block,
    Facts,
    Figure,
    Items,
    Paragraph,
    Span,
    Table,
    Together,
    as_text,
    lines_of,
)


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
