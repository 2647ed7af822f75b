"""One colour per letter, the same in every picture, and ink that can be read on it.

How different colours look, also to people who do not see all of them; colours of letters that differ.

Distances are those of OKLab. Colour blindness is simulated in linear light by the matrices of Machado,
Oliveira and Fernandes (2009) for people who lack one kind of cone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np

from demospec.worlds.mdp import Floats

INK, PAPER, MUTED, FAINT = "#1f2430", "#ffffff", "#5b6472", "#d9dee5"
NAMED = {"ink": INK, "paper": PAPER, "muted": MUTED, "faint": FAINT, "pale": "#b4bcc8", "wall": "#4a4f57"}

# Lava is bright and brown is dark, yellow is light and blue is not: the four grid letters differ in
# lightness as well as in hue, so that they stay apart without colour vision.
_MNEMONIC = {
    "r": "#f0623c",
    "y": "#f6cd3b",
    "b": "#2a71c6",
    "g": "#7c4c26",  # the drying tile is brown, not green
}
_BY_NAME = {
    "red": _MNEMONIC["r"],
    "lava": _MNEMONIC["r"],
    "yellow": _MNEMONIC["y"],
    "blue": _MNEMONIC["b"],
    "water": _MNEMONIC["b"],
    "brown": _MNEMONIC["g"],
    "green": "#117733",
}
_HUES = ("#88ccee", "#aa4499", "#ddcc77", "#332288", "#44aa99", "#e69f00", "#882255", "#b7bf5e", "#117733")
HUES = (*_MNEMONIC.values(), *_HUES)  # that letters can have where their own colours are too much alike
_SHADES = (0.0, 0.55, -0.45)  # towards white, or black

# Dark enough to be seen as a line on white and on every cell colour with a white casing.
LINES = ("#1d3c8f", "#9c1c6b", "#0b6b57", "#a3470a", "#5a2d91", "#3d4450", "#7a1622", "#4f6206")


@dataclass(frozen=True)
class Paint:
    """The colours of all that is no letter. A picture on a page takes the page's, so that it can be dark."""

    live: bool  # the picture is part of a page: it says what its elements are, and asks the page for colours
    ink: str  # text and outlines
    paper: str  # the background
    muted: str  # secondary text, arrows
    faint: str  # grid lines, borders
    pale: str  # what is not determined
    wall: str

    def ask(self, name: str, colour: str) -> str:
        """Return a colour, or the page's with this name."""
        return f"var(--ds-{name},{colour})" if self.live else colour

    def line(self, number: int) -> str:
        """Return the colour of the line number `number`, counted from 0."""
        return self.ask(f"line-{number % len(LINES)}", line_colour(number))

    def letter(self, letter: str) -> str:
        """Return a letter's colour; a page can give it another, where two letters look much the same."""
        return self.ask(f"letter-{checksum(letter):08x}", letter_colour(letter))

    def on_letter(self, letter: str) -> str:
        """Return the ink that can be read on a letter's colour."""
        return self.ask(f"on-letter-{checksum(letter):08x}", text_colour(letter_colour(letter)))

    def on_line(self, number: int) -> str:
        """Return the colour of text on a disc of that line's colour."""
        return self.ask("on-line", text_colour(line_colour(number)))


FIXED = Paint(False, **NAMED)
LIVE = Paint(True, **{name: f"var(--ds-{name},{colour})" for name, colour in NAMED.items()})


def paint(live: bool) -> Paint:
    """Return the colours of a picture on a page, or in a file of its own."""
    return LIVE if live else FIXED


def checksum(letter: str) -> int:
    """Return a number that, unlike `hash`, is the same in every process."""
    return crc32(letter.encode("utf-8", "replace"))


def channels(colour: str) -> list[int]:
    """Return red, green and blue of a `#rrggbb` colour, from 0 to 255."""
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def letter_colour(letter: str) -> str:
    """Return the letter's colour as `#rrggbb`; it depends on nothing but the letter.

    >>> letter_colour("r"), letter_colour("lava")
    ('#f0623c', '#f0623c')
    """
    known = _MNEMONIC.get(letter) or _BY_NAME.get(letter.lower())
    if known:
        return known
    # All small letters differ; longer names are spread by a checksum.
    index = ord(letter) - ord("a") if len(letter) == 1 else checksum(letter)
    hue, shade = _HUES[index % len(_HUES)], _SHADES[index // len(_HUES) % len(_SHADES)]
    goal = 255 if shade > 0 else 0
    return "#" + "".join(f"{round(c + abs(shade) * (goal - c)):02x}" for c in channels(hue))


def line_colour(number: int) -> str:
    """Return the colour of the line number `number`, counted from 0; the colours repeat."""
    return LINES[number % len(LINES)]


def text_colour(background: str) -> str:
    """Return the ink, dark or white, that contrasts more with a `#rrggbb` background."""
    return max((INK, PAPER), key=lambda ink: contrast(ink, background))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two `#rrggbb` colours, from 1 to 21, as WCAG 2 defines it."""
    parts = (linear(one), linear(other))
    dark, light = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in parts)
    return (light + 0.05) / (dark + 0.05)


def linear(colour: str) -> list[float]:
    """Return how much light the channels of a `#rrggbb` colour give, from 0 to 1."""
    shares = (channel / 255 for channel in channels(colour))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]


# -- How different colours look, also to people who do not see all of them; colours of letters  ----------

EYES = np.array(
    [
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ]
)
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
APART = 0.13  # about six times what can just be seen


@lru_cache(maxsize=256)
def seen(colour: str) -> Floats:
    """Return [4, 3]: a `#rrggbb` colour in OKLab, as four kinds of eyes see it."""
    looks = np.clip(EYES @ linear(colour), 0, 1)
    found: Floats = np.cbrt(looks @ CONES.T) @ LAB.T
    return found


def colour_distance(one: str, other: str) -> float:
    """Return how different two colours look to those who see the least difference.

    >>> colour_distance("#f0623c", "#f0623c")
    0.0
    """
    return float(np.sqrt(((seen(one) - seen(other)) ** 2).sum(axis=1)).min())


def palette(letters: Iterable[str]) -> dict[str, str]:
    """Return a colour for each letter: its own, or another where that looks like an earlier letter's."""
    chosen: dict[str, str] = {}
    for letter in letters:
        colour = letter_colour(letter)

        def least(one: str) -> float:
            return min((colour_distance(one, other) for other in chosen.values()), default=1.0)

        if least(colour) < APART:
            colour = max((colour, *HUES), key=lambda one: round(least(one), 6))
        chosen[letter] = colour
    return chosen


def letter_style(letters: Iterable[str]) -> str:
    """Return custom properties for live pictures: the letters whose colour is not their own."""
    told = [
        f"--ds-letter-{checksum(letter):08x}:{colour};--ds-on-letter-{checksum(letter):08x}:{text_colour(colour)}"
        for letter, colour in palette(letters).items()
        if colour != letter_colour(letter)
    ]
    return f":root{{{';'.join(told)}}}\n" if told else ""
