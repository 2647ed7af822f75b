"""A map that is a picture: each pixel is a cell, and a palette says which character its colour is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from demospec.errors import FileError, InputError, listing
from demospec.limits import CELLS

_COLOUR = re.compile(r"#?([0-9a-fA-F]{6})")


def map_of(path: FilePath, palette: Mapping[str, str]) -> str:
    """Return the map that a picture draws; a colour that the palette does not have is refused."""
    characters = dict(colour_of(*entry) for entry in palette.items())
    width, height, pixels = read_picture(path)
    found: list[str] = []
    for number, colour in enumerate(pixels):
        if colour not in characters:
            raise InputError(
                f"column {number % width + 1}, row {number // width + 1}: the colour {colour} is not in the "
                f"palette {listing(characters)}",
                place=str(path),
            )
        found.append(characters[colour])
    return "\n".join("".join(found[row * width : (row + 1) * width]) for row in range(height))


def colour_of(name: str, character: str) -> tuple[str, str]:
    """Return a colour as pictures tell it, and its character.

    >>> colour_of("FF0000", "r")
    ('#ff0000', 'r')
    """
    told = _COLOUR.fullmatch(name)
    if told is None:
        raise InputError(f'palette: "{name}" is no colour; write it as "#ff8800"')
    if len(character) != 1 or character.isspace():
        raise InputError(f'palette: "{name}" must be one character; found "{character}"')
    return f"#{told[1].lower()}", character


def read_picture(path: FilePath) -> tuple[int, int, list[str]]:
    """Return the width, the height and the colours of a picture, row by row."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise InputError('a map from a picture needs Pillow: pip install "demospec[picture]"') from None
    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > CELLS:
                size = f"{picture.width} × {picture.height}"
                raise InputError(f"{size} pixels are too many for a map: each is a cell", place=str(path))
            plain: Any = picture.convert("RGB")
            data = plain.tobytes()
            return plain.width, plain.height, [f"#{data[k : k + 3].hex()}" for k in range(0, len(data), 3)]
    except UnidentifiedImageError:
        raise FileError("is no picture that can be read", place=str(path)) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", place=str(path)) from None
