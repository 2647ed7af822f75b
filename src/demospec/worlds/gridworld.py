"""Grid worlds: a map of letters, moves, wind, and what cells do besides having a label.

They may be walls, one-way, slippery, or teleports, and a legend may say what they are labelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from demospec.errors import WorldError
from demospec.tasks.propositions import letter_of
from demospec.wording import listing
from demospec.worlds.mdp import MDP, as_world_kind
from demospec.worlds.world import STOP, Episode, State

Cell = tuple[int, int]
Step = tuple[int, int]
MOVES: dict[str, Step] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
DIAGONALS: dict[str, Step] = {
    "up-left": (-1, -1),
    "up-right": (1, -1),
    "down-left": (-1, 1),
    "down-right": (1, 1),
}
ONE_WAY: dict[str, Step] = {"^": (0, -1), "v": (0, 1), "<": (-1, 0), ">": (1, 0)}
WHITE = "."


@dataclass(frozen=True, kw_only=True)
class Slippery:
    """On these cells, and those with these characters, a move goes sideways with this probability.

    To either side half of the time, as seen by whoever moves.
    """

    probability: float
    characters: str = ""
    cells: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.probability <= 1:
            raise WorldError(f"slippery: the probability {self.probability:g} is not between 0 and 1")
        if not self.characters and not self.cells:
            raise WorldError("slippery: give the characters or the cells that are")


@dataclass(frozen=True, kw_only=True)
class Terrain:
    """How the characters of a map are read, and what its cells do.

    Walls cannot be entered. With `one_way` a cell `>` is left to the right only, and not entered from there.
    Whoever enters the first cell of a teleport is in the second. A character that has a role is no label;
    others are labels, unless the legend says what holds there: nothing, one proposition or several.
    """

    walls: str = ""
    one_way: bool = False
    slippery: tuple[Slippery, ...] = ()
    teleports: tuple[tuple[Cell, Cell], ...] = ()
    moves: Literal[4, 8] = 4
    legend: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for character in self.legend:
            if len(character) != 1:
                raise WorldError(f'legend: "{character}" is not one character of a map')
            if character in self.walls:
                raise WorldError(f'legend: "{character}" is a wall, where nothing is read')
        for character in self.walls:
            if character in self._slipping or (self.one_way and character in ONE_WAY):
                raise WorldError(f'"{character}" cannot be a wall and something else')
        sources = [source for source, _ in self.teleports]
        if twice := [cell for cell in sources if sources.count(cell) > 1]:
            raise WorldError(f"teleports: {twice[0]} leads to two cells")
        if self.moves not in (4, 8):
            raise WorldError(f"a cell has 4 moves, or 8 with the diagonals; found {self.moves}")

    @property
    def _slipping(self) -> str:
        return "".join(one.characters for one in self.slippery)

    @property
    def steps(self) -> dict[str, Step]:
        """Return the moves by the names of their actions."""
        return MOVES if self.moves == 4 else {**MOVES, **DIAGONALS}

    def has_role(self, character: str) -> bool:
        """Say whether a character does something, and so is no label by itself."""
        one_way = self.one_way and character in ONE_WAY
        return one_way or character in self.walls or character in self._slipping

    def letter(self, character: str) -> str | None:
        """Return what is read in a cell with a character; None is nothing."""
        if character in self.legend:
            return letter_of(self.legend[character])
        return None if character == WHITE or self.has_role(character) else character

    def character(self, letter: str | None) -> str | None:
        """Return a character without a role that reads a letter; None where a map cannot write it."""
        choices = (WHITE, *self.legend, *([letter] if letter is not None and len(letter) == 1 else []))
        found = (one for one in choices if self.letter(one) == letter and not self.has_role(one))
        return next(found, None)

    def remarks(self, rows: Sequence[str]) -> Iterator[str]:
        """Say what about a map and its legend may be a mistake."""
        drawn = {character for row in rows for character in row}
        if unused := [one for one in self.legend if one not in drawn]:
            yield f"the legend names {listing(unused)}, which the map does not have"
        if unused := [one for one in self.walls if one not in drawn]:
            yield f"walls are {listing(unused)}, which the map does not have"
        plain = sorted(one for one in drawn if one not in self.legend and self.letter(one) is not None)
        if self.legend and plain:
            yield f"the legend does not name {listing(plain)}: each is its own label"
        if "#" in plain and not self.legend:
            yield '# is a label: it is a wall only with walls = "#"'


@dataclass(frozen=True)
class Ground:
    """A terrain on the rows of a map; cells are (column, row) from 1, from the top left."""

    rows: tuple[str, ...]
    terrain: Terrain

    def __post_init__(self) -> None:
        for cell in (cell for pair in self.terrain.teleports for cell in pair):
            self.check("teleport", cell)
        for cell in (cell for one in self.terrain.slippery for cell in one.cells):
            self.check("slippery", cell)

    def check(self, what: str, cell: Cell) -> None:
        """Refuse a cell that is outside the map, or a wall."""
        if not self.inside(cell):
            size = f"{len(self.rows[0])} columns and {len(self.rows)} rows"
            raise WorldError(f"{what} cell {cell} lies outside the map of {size}")
        if not self.is_free(cell):
            raise WorldError(f"{what} cell {cell} is a wall")

    def inside(self, cell: Cell) -> bool:
        """Say whether a cell is on the map."""
        return 1 <= cell[0] <= len(self.rows[0]) and 1 <= cell[1] <= len(self.rows)

    def character(self, cell: Cell) -> str:
        """Return what the map has in a cell."""
        return self.rows[cell[1] - 1][cell[0] - 1]

    def is_free(self, cell: Cell) -> bool:
        """Say whether a cell is on the map, and no wall."""
        return self.inside(cell) and self.character(cell) not in self.terrain.walls

    @property
    def cells(self) -> list[Cell]:
        """Return the cells that are no walls, row by row."""
        every = ((c, r) for r in range(1, len(self.rows) + 1) for c in range(1, len(self.rows[0]) + 1))
        return [cell for cell in every if self.is_free(cell)]

    def moved(self, cell: Cell, step: Step) -> Cell:
        """Return where a step leads; one that is blocked leads nowhere.

        A diagonal step is blocked between two cells that are walls.
        """
        to = (cell[0] + step[0], cell[1] + step[1])
        if not self.is_free(to):
            return cell
        if step[0] and step[1] and not (self.is_free((to[0], cell[1])) or self.is_free((cell[0], to[1]))):
            return cell
        if self.terrain.one_way:
            leaves, enters = ONE_WAY.get(self.character(cell)), ONE_WAY.get(self.character(to))
            if leaves not in (None, step) or enters == (-step[0], -step[1]):
                return cell
        return dict(self.terrain.teleports).get(to, to)

    def outcomes(self, cell: Cell, step: Step) -> dict[Cell, float]:
        """Return where a step can lead without wind, with probabilities."""
        slips = self.slips(cell)
        found = {self.moved(cell, step): 1 - slips}
        if slips:
            for side in ((step[1], -step[0]), (-step[1], step[0])):
                to = self.moved(cell, side)
                found[to] = found.get(to, 0.0) + slips / 2
        return found

    def slips(self, cell: Cell) -> float:
        """Return how often a move goes sideways from a cell; the last that tells of it counts."""
        for one in reversed(self.terrain.slippery):
            if cell in one.cells or self.character(cell) in one.characters:
                return one.probability
        return 0.0


# -- Grid worlds -----------------------------------------------------------------------------------------

PLAIN = Terrain()
Direction = Literal["up", "down", "left", "right"]


@dataclass(frozen=True, kw_only=True)
class Wind:
    """With this probability the wind's direction replaces the agent's move."""

    direction: Direction
    probability: float

    def __post_init__(self) -> None:
        if self.direction not in MOVES:
            raise WorldError(f'wind direction "{self.direction}" is none of {", ".join(MOVES)}')
        if not 0 <= self.probability <= 1:
            raise WorldError(f"wind probability {self.probability:g} is not between 0 and 1")


def parse_map(text: str) -> tuple[str, ...]:
    """Cut a map into its rows; blank lines around it and indentation do not count.

    >>> parse_map('''
    ...   .a
    ...   b.
    ... ''')
    ('.a', 'b.')
    """
    rows = tuple(line.strip() for line in text.strip().splitlines())
    if not rows or not rows[0]:
        raise WorldError("the map is empty")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise WorldError(
                f'map row {number}, "{row}", has {len(row)} cells; row 1, "{rows[0]}", has {len(rows[0])}'
            )
    return rows


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GridWorld(MDP):
    """A listed world that came from a map: its rows, and how moves work."""

    rows: tuple[str, ...]
    wind: Wind | None
    blocked: Literal["stay", "unavailable"]
    terrain: Terrain = PLAIN

    @property
    def usual_costs(self) -> dict[str, float]:
        """Return what each action costs unless told otherwise: every move 1, also against a wall."""
        return {action: 0.0 if action == STOP else 1.0 for action in self.actions}


def gridworld(
    rows: Sequence[str],
    *,
    start: Cell | Mapping[Cell, float],
    episode: Episode,
    wind: Wind | None = None,
    blocked: Literal["stay", "unavailable"] = "stay",
    terminal: Sequence[Cell] = (),
    costs: Mapping[str, float] | None = None,
    terrain: Terrain = PLAIN,
) -> GridWorld:
    """Make the world of a map; cells are (column, row) from 1, from the top left.

    A move into the wall stays put, or with `blocked="unavailable"` is not offered. Wind into the wall
    always stays put. Any character but `.` is its cell's label, unless `terrain` says otherwise.
    """
    rows = parse_map("\n".join(rows))
    ground = Ground(rows, terrain)
    begin = dict(start) if isinstance(start, Mapping) else {start: 1.0}
    for what, cell in [*(("start", cell) for cell in begin), *(("terminal", cell) for cell in terminal)]:
        ground.check(what, cell)
    gust = 0.0 if wind is None else wind.probability
    cells = ground.cells
    transitions: list[tuple[State, str, dict[State, float]]] = []
    for cell in cells:
        before = len(transitions)
        for action, step in terrain.steps.items():
            aimed = ground.outcomes(cell, step)
            if blocked == "unavailable" and ground.moved(cell, step) == cell:
                continue
            outcomes: dict[State, float] = {target: (1 - gust) * chance for target, chance in aimed.items()}
            if wind is not None:
                blown = ground.moved(cell, MOVES[wind.direction])
                outcomes[blown] = outcomes.get(blown, 0.0) + gust
            transitions.append((cell, action, outcomes))
        if len(transitions) == before and cell not in terminal:
            raise WorldError(
                f'cell {cell} cannot be left: make it a wall, list it in terminal, or take blocked = "stay"'
            )
    letters = {cell: terrain.letter(ground.character(cell)) for cell in cells}
    world = MDP.build(
        transitions,
        start=dict(begin.items()),
        episode=episode,
        labels={cell: letter for cell, letter in letters.items() if letter is not None},
        terminal=terminal,
        states=cells,
        actions=tuple(terrain.steps),
    )
    made = as_world_kind(world, GridWorld, rows=rows, wind=wind, blocked=blocked, terrain=terrain)
    return made.priced(costs or {})
