"""Maps that are pictures: each pixel is a cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from demospec.errors import DemospecError
from demospec.files import load
from demospec.worlds.gridworld import GridWorld

image = pytest.importorskip("PIL.Image")

COLOURS = {"r": (255, 0, 0), ".": (255, 255, 255), "#": (0, 0, 0)}
FILE = """
[world]
kind = "gridworld"
map_picture = "house.png"
palette = { "#ff0000" = "r", "ffffff" = ".", "#000000" = "#" }
walls = "#"
start = [1, 1]

[episode]
horizon = 5
"""
MAP = ("..r", ".#.")


def drawn(folder: Path, rows: tuple[str, ...] = MAP) -> Path:
    picture = image.new("RGB", (len(rows[0]), len(rows)))
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            picture.putpixel((x, y), COLOURS[character])
    picture.save(folder / "house.png")
    file = folder / "house.toml"
    file.write_text(FILE, encoding="utf-8")
    return file


def test_a_picture_is_its_map(tmp_path: Path) -> None:
    world = load(drawn(tmp_path)).scenes[0].original
    written = tmp_path / "written.toml"
    head, tail = FILE.split('map_picture = "house.png"\n')
    text = head + 'map = """\n..r\n.#.\n"""\n' + tail.split("\n", 1)[1]
    written.write_text(text, encoding="utf-8")
    other = load(written).scenes[0].original
    assert isinstance(world, GridWorld)
    assert isinstance(other, GridWorld)
    assert (world.rows, world.states, world.labels) == (other.rows, other.states, other.labels)
    assert world.rows == MAP


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"#ff0000" = "r", ', "", r"house.png: column 3, row 1: the colour #ff0000 is not in the palette"),
        ('"#ff0000"', '"red"', r'"red" is no colour'),
        ('= "r"', '= "rr"', r"must be one character"),
        ("house.png", "elsewhere.png", r"elsewhere.png: cannot be read"),
        ("house.png", "house.toml", r"house.toml: is no picture"),
        ('map_picture = "house.png"', 'map = "r."', r"a palette and map_picture go together"),
    ],
)
def test_bad_pictures_are_one_message(tmp_path: Path, old: str, new: str, told: str) -> None:
    file = drawn(tmp_path)
    file.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(DemospecError, match=told):
        load(file)
