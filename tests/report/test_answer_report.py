"""A result is written once: what the terminal says, the page says too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from xml.etree import ElementTree

import pytest

from demospec import learn, load_example, problems
from demospec.report.answer_report import result_blocks
from demospec.report.blocks import Block, Facts, Figure, Items, OnPage, Paragraph, Section, Table, as_text
from demospec.report.html import as_html
from demospec.runs.result import Result


@lru_cache
def result(name: str) -> Result:
    return learn(load_example(name).with_settings(method="paper", iterations=25), seed=0)


def said(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield what blocks say in words, wherever they are shown."""
    for block in blocks:
        match block:
            case Paragraph():
                yield block.text
            case Section():
                yield block.title
                yield from said(block.blocks)
            case Items():
                for entry in block.entries:
                    yield from [entry] if isinstance(entry, str) else said(entry)
            case Facts():
                yield from (part for pair in block.pairs for part in pair)
            case Table():
                yield from block.header
                yield from (cell for row in block.rows for cell in row if isinstance(cell, str))
            case _:
                pass


@pytest.mark.parametrize("name", problems.names())
def test_terminal_and_page_say_the_same(name: str) -> None:
    words = [(result(name).problem.alphabet[0],)]
    blocks = result_blocks(result(name), words=words, conjectures=5)
    text = as_text(blocks)
    root = ElementTree.fromstring(f"<body>{as_html(blocks)}</body>")
    page = {part.text or "" for part in root.iter()}
    for sentence in said(blocks):
        if sentence != "What was shown":  # a picture, if anything
            assert sentence in text
            assert sentence in page
    assert ("What was shown" in page) == (result(name).problem.scene().grid is not None)
    assert {"The best tasks", "How sure is it?", "Why", "How the search went"} <= page
    assert f"{result(name).best.energy:.4f}" in text


@pytest.mark.parametrize("name", problems.names())
def test_the_page_shows_pictures_where_the_terminal_has_text(name: str) -> None:
    blocks = result_blocks(result(name), shown=2)
    root = ElementTree.fromstring(f"<body>{as_html(blocks)}</body>")
    pictures = sum(part.tag.endswith("svg") for part in root.iter())
    figures = [block for block in blocks if isinstance(block, Figure)]
    assert figures[0].text == result(name).best.task.pretty() in as_text(blocks)
    assert pictures >= 1 + 2 + 1  # the best, both tasks, the search
    assert "<svg" not in as_text(blocks)


def test_why_is_left_out_unless_it_is_asked_for() -> None:
    robot = result("robot")
    assert "\nWhy\n" not in as_text(result_blocks(robot, conjectures=None))
    few, many = (as_text(result_blocks(robot, conjectures=count)) for count in (1, 3))
    assert few.count("\n   leaves ") == 1
    assert many.count("\n   leaves ") == 3


def test_a_page_does_not_depend_on_how_long_the_search_took() -> None:
    slow = replace(result("robot"), seconds=1234.5)
    assert as_html(result_blocks(slow)) == as_html(result_blocks(result("robot")))
    assert "1234.50 s" in as_text(result_blocks(slow))


def test_what_is_for_the_page_is_not_in_the_text() -> None:
    (sure,) = [
        block
        for block in result_blocks(result("robot"))
        if isinstance(block, Section) and block.title == "How sure is it?"
    ]
    (drawn,) = [block for block in sure.blocks if isinstance(block, OnPage)]
    (paragraph,) = drawn.blocks
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text not in as_text([sure])
    assert paragraph.text in as_html([sure])
