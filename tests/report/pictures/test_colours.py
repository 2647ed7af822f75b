"""Colours can be told apart, and text on them can be read; numbers and text are written as XML needs them."""

from __future__ import annotations

import string
from itertools import combinations

import pytest

from demospec.report.pictures.colours import contrast, letter_colour, text_colour
from demospec.report.pictures.svg import escape, number


def test_text_on_letter_colours_can_be_read() -> None:
    for letter in [*string.printable, "coffee_machine", "office", "mail", "Ω", "茶"]:
        colour = letter_colour(letter)
        assert contrast(colour, text_colour(colour)) >= 4.5, letter


def test_small_letters_have_different_colours() -> None:
    assert len({letter_colour(letter) for letter in string.ascii_lowercase}) == 26


def test_grid_letters_differ_without_colour_vision() -> None:
    for one, other in combinations("rybg", 2):
        if {one, other} != {"b", "g"}:  # blue and brown are told apart by every kind of colour vision
            assert contrast(letter_colour(one), letter_colour(other)) > 1.45


def test_black_on_white_has_the_contrast_that_the_standard_names() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_numbers_and_escapes() -> None:
    assert [number(x) for x in (1.0, 1.005, -0.004, 12.3456, 100.0)] == ["1", "1", "0", "12.35", "100"]
    assert escape('<a href="x">&\ud800') == "&lt;a href=&quot;x&quot;&gt;&amp;�"
