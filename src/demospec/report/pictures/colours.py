"""One colour per letter, the same in every picture, and ink that can be read on it."""

from __future__ import annotations

from zlib import crc32

INK = "#1f2430"  # text and outlines
PAPER = "#ffffff"
MUTED = "#5b6472"  # secondary text, arrows
FAINT = "#d9dee5"  # grid lines, borders

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
_SHADES = (0.0, 0.55, -0.45)  # towards white, or black

# Dark enough to be seen as a line on white and on every cell colour with a white casing.
LINES = ("#1d3c8f", "#9c1c6b", "#0b6b57", "#a3470a", "#5a2d91", "#3d4450", "#7a1622", "#4f6206")


def letter_colour(letter: str) -> str:
    """Return the letter's colour as `#rrggbb`; it depends on nothing but the letter.

    >>> letter_colour("r"), letter_colour("lava")
    ('#f0623c', '#f0623c')
    """
    known = _MNEMONIC.get(letter) or _BY_NAME.get(letter.lower())
    if known:
        return known
    # All small letters differ; longer names are spread by a checksum, which, unlike `hash`, is fixed.
    index = ord(letter) - ord("a") if len(letter) == 1 else crc32(letter.encode("utf-8", "replace"))
    hue, shade = _HUES[index % len(_HUES)], _SHADES[index // len(_HUES) % len(_SHADES)]
    goal = 255 if shade > 0 else 0
    channels = (int(hue[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(c + abs(shade) * (goal - c)):02x}" for c in channels)


def line_colour(number: int) -> str:
    """Return the colour of the line number `number`, counted from 0; the colours repeat."""
    return LINES[number % len(LINES)]


def text_colour(background: str) -> str:
    """Return the ink, dark or white, that contrasts more with a `#rrggbb` background."""
    return max((INK, PAPER), key=lambda ink: contrast(ink, background))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two `#rrggbb` colours, from 1 to 21, as WCAG 2 defines it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
