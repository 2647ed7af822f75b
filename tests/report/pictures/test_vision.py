"""Colours of letters differ for everybody, also where their own would not."""

from __future__ import annotations

from itertools import combinations

import pytest

from demospec.report.pictures.colours import (
    APART,
    HUES,
    colour_distance,
    contrast,
    letter_colour,
    letter_style,
    palette,
    text_colour,
)


@pytest.mark.parametrize(
    "letters", [("b", "g", "r", "y"), ("parcel", "home", "fall"), ("key", "door", "goal", "lava", "ball")]
)
def test_a_few_letters_look_different_to_everybody(letters: tuple[str, ...]) -> None:
    chosen = palette(letters)
    assert min(colour_distance(one, other) for one, other in combinations(chosen.values(), 2)) >= APART


def test_many_letters_still_have_different_colours() -> None:
    letters = "abcdefghij"
    chosen = palette(letters)
    assert len(set(chosen.values())) == len(letters)


def test_red_and_green_of_one_lightness_look_alike_to_some() -> None:
    assert colour_distance("#c05000", "#6b8000") < APART < colour_distance("#000000", "#ffffff")


def test_letters_that_differ_keep_their_colours_and_a_page_says_nothing_of_them() -> None:
    letters = ("b", "g", "r", "y")
    assert palette(letters) == {letter: letter_colour(letter) for letter in letters}
    assert letter_style(letters) == ""


def test_a_letter_with_another_colour_is_told_to_the_page() -> None:
    letters = ("parcel", "home", "fall")
    changed = [colour for letter, colour in palette(letters).items() if colour != letter_colour(letter)]
    style = letter_style(letters)
    assert changed
    assert all(colour in style for colour in changed)


def test_what_is_written_on_a_colour_can_be_read() -> None:
    assert min(contrast(colour, text_colour(colour)) for colour in HUES) >= 4.5
