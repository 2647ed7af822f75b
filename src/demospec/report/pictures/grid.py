"""What all maps of a grid world share: the frame and its numbers, letters on patches, the page around it.

Cells are (column, row) from 1, from the top left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demospec.report.pictures.colours import FIXED, Paint, text_colour
from demospec.report.pictures.svg import Point, element, number, page, text, text_width
from demospec.worlds.gridworld import PLAIN
from demospec.worlds.terrain import WHITE, Terrain

Cell = tuple[int, int]
MARGIN = 18.0
AXIS = 18.0  # room for column and row numbers
LINE = 22.0  # of a legend
ARROWS = {"^": "↑", "v": "↓", "<": "←", ">": "→"}


@dataclass(frozen=True)
class Grid:
    """The rows of a map, drawn with cells of one size."""

    rows: Sequence[str]
    side: float  # of a cell
    terrain: Terrain = PLAIN
    paint: Paint = FIXED

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0]:
            raise ValueError("the map is empty")
        for number_, row in enumerate(self.rows, start=1):
            if len(row) != len(self.rows[0]):
                raise ValueError(
                    f"map row {number_} has {len(row)} cells where row 1 has {len(self.rows[0])}"
                )

    @property
    def width(self) -> float:
        """Return the width of all cells."""
        return len(self.rows[0]) * self.side

    @property
    def height(self) -> float:
        """Return the height of all cells."""
        return len(self.rows) * self.side

    @property
    def letters(self) -> list[tuple[Cell, str]]:
        """Return every cell with its letter, row by row."""
        return [
            ((c, r), letter)
            for r, row in enumerate(self.rows, start=1)
            for c, letter in enumerate(row, start=1)
        ]

    def fill(self, character: str) -> str:
        """Return the colour of a cell: a wall's, its letter's, or none."""
        if character in self.terrain.walls:
            return self.paint.wall
        letter = self.terrain.letter(character)
        return self.paint.paper if letter is None else self.paint.letter(letter)

    def ink(self, character: str) -> str:
        """Return the ink that can be read on a cell."""
        letter = None if character in self.terrain.walls else self.terrain.letter(character)
        if letter is not None:
            return self.paint.on_letter(letter)
        return self.paint.ink if self.paint.live else text_colour(self.fill(character))

    def sign(self, character: str) -> str:
        """Return what is written in a cell's corner: its character; an arrow where it is one-way."""
        if character in self.terrain.walls or character == WHITE:
            return ""
        one_way = self.terrain.one_way and character in ARROWS
        return ARROWS[character] if one_way else character

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Return what the map's characters mean, where a legend says so."""
        drawn = {character for _, character in self.letters}
        letters = ((one, self.terrain.letter(one)) for one in self.terrain.legend if one in drawn)
        return [(character, letter or "no label") for character, letter in letters]

    def corner(self, cell: Cell) -> Point:
        """Return the top left of a cell."""
        return (cell[0] - 1) * self.side, (cell[1] - 1) * self.side

    def centre(self, cell: Cell) -> Point:
        """Return the middle of a cell."""
        return (cell[0] - 0.5) * self.side, (cell[1] - 0.5) * self.side

    def check(self, cell: Cell, name: str) -> None:
        """Refuse a cell that is not on the map."""
        columns, rows = len(self.rows[0]), len(self.rows)
        if not (1 <= cell[0] <= columns and 1 <= cell[1] <= rows):
            raise ValueError(
                f"{name}: cell ({cell[0]}, {cell[1]}) is not on the map of {columns} columns and {rows} rows"
            )

    def square(self, cell: Cell, **look: str | float) -> str:
        """Draw a cell."""
        x, y = self.corner(cell)
        drawn = element("rect", class_="cell", x=x, y=y, width=self.side, height=self.side, **look)
        if not self.paint.live:
            return drawn
        column, row = cell
        letter = self.terrain.letter(self.rows[row - 1][column - 1])
        read: dict[str, str | float] = {} if letter is None else {"data_letter": letter}
        return element("g", drawn, data_cell=f"{column},{row}", **read)

    def frame(self) -> str:
        """Draw the line around all cells."""
        look: dict[str, str | float] = {"fill": "none", "stroke": self.paint.ink, "stroke_width": 1.2}
        return element("rect", width=self.width, height=self.height, **look)

    def numbers(self) -> list[str]:
        """Write the numbers of columns and rows."""
        columns, rows = range(len(self.rows[0])), range(len(self.rows))
        look: dict[str, str | float] = {"fill": self.paint.muted}
        return [
            *(text((c + 0.5) * self.side, -9, str(c + 1), size=10, **look) for c in columns),
            *(text(-10, (r + 0.5) * self.side, str(r + 1), size=10, **look) for r in rows),
        ]

    def page(self, body: Sequence[str], below: tuple[float, float], *, title: str) -> str:
        """Wrap what is drawn, with a legend of this width and height below the map, into a document."""
        legend_width, legend_height = below
        left, top = MARGIN + AXIS, MARGIN + AXIS + (26 if title else 0)
        width = max(max(self.width, legend_width) + AXIS, text_width(title, 14)) + 2 * MARGIN
        height = top + self.height + legend_height + MARGIN
        drawn = []
        if title:
            drawn = [text(width / 2, MARGIN + 6, title, size=14, font_weight="bold", fill=self.paint.ink)]
        drawn.append(element("g", *body, transform=f"translate({number(left)} {number(top)})"))
        return page(drawn, width=width, height=height, title=title, paint=self.paint, kind="map")


def letter_patch(
    centre: Point, letter: str, size: tuple[float, float], colour: str, ink: str = "", **frame: str | float
) -> list[str]:
    """Write a letter on a patch of a colour, which hides what lies behind it."""
    (x, y), (width, height) = centre, size
    return [
        element(
            "rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=3, fill=colour, **frame
        ),
        text(x, y, letter, size=10.5, fill=ink or text_colour(colour), font_weight="bold", class_="letter"),
    ]
