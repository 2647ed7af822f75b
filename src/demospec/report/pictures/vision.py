"""How different colours look, also to people who do not see all of them; colours of letters that differ.

Distances are those of OKLab. Colour blindness is simulated in linear light by the matrices of Machado,
Oliveira and Fernandes (2009) for people who lack one kind of cone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from zlib import crc32

import numpy as np

from demospec.report.pictures.colours import HUES, letter_colour, text_colour
from demospec.worlds.mdp import Floats

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
    channels = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    looks = np.clip(EYES @ linear, 0, 1)
    found: Floats = np.cbrt(looks @ CONES.T) @ LAB.T
    return found


def distance(one: str, other: str) -> float:
    """Return how different two colours look to those who see the least difference.

    >>> distance("#f0623c", "#f0623c")
    0.0
    """
    return float(np.sqrt(((seen(one) - seen(other)) ** 2).sum(axis=1)).min())


def palette(letters: Iterable[str]) -> dict[str, str]:
    """Return a colour for each letter: its own, or another where that looks like an earlier letter's."""
    chosen: dict[str, str] = {}
    for letter in letters:
        colour = letter_colour(letter)

        def least(one: str) -> float:
            return min((distance(one, other) for other in chosen.values()), default=1.0)

        if least(colour) < APART:
            colour = max((colour, *HUES), key=lambda one: round(least(one), 6))
        chosen[letter] = colour
    return chosen


def letter_style(letters: Iterable[str]) -> str:
    """Return custom properties for live pictures: the letters whose colour is not their own."""
    told = [
        f"--ds-letter-{crc32(letter.encode('utf-8', 'replace')):08x}:{colour};"
        f"--ds-on-letter-{crc32(letter.encode('utf-8', 'replace')):08x}:{text_colour(colour)}"
        for letter, colour in palette(letters).items()
        if colour != letter_colour(letter)
    ]
    return f":root{{{';'.join(told)}}}\n" if told else ""
