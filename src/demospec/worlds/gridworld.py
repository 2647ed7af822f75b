"""Grid worlds: a map of letters, four moves, walls and wind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from demospec.errors import WorldError
from demospec.worlds.mdp import MDP, Episode, State

MOVES: dict[str, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
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


def gridworld(
    rows: Sequence[str],
    *,
    start: tuple[int, int],
    episode: Episode,
    wind: Wind | None = None,
    blocked: Literal["stay", "unavailable"] = "stay",
    terminal: Sequence[tuple[int, int]] = (),
) -> MDP:
    """Make the MDP of a map; cells are (column, row) from 1, from the top left.

    A move into the wall stays put, or with `blocked="unavailable"` is not offered. Wind into the wall
    always stays put. Any character but `.` is its cell's label.
    """
    rows = parse_map("\n".join(rows))
    width, height = len(rows[0]), len(rows)

    def cell_exists(cell: tuple[int, int]) -> bool:
        return 1 <= cell[0] <= width and 1 <= cell[1] <= height

    for what, cell in [("start", start), *(("terminal", cell) for cell in terminal)]:
        if not cell_exists(cell):
            raise WorldError(f"{what} cell {cell} lies outside the map of {width} columns and {height} rows")

    def moved(cell: tuple[int, int], direction: str) -> tuple[int, int]:
        to = (cell[0] + MOVES[direction][0], cell[1] + MOVES[direction][1])
        return to if cell_exists(to) else cell

    gust = 0.0 if wind is None else wind.probability
    cells = [(column, row) for row in range(1, height + 1) for column in range(1, width + 1)]
    transitions: list[tuple[State, str, dict[State, float]]] = []
    for cell in cells:
        for action in MOVES:
            target = moved(cell, action)
            if target == cell and blocked == "unavailable":
                continue
            outcomes: dict[State, float] = {target: 1 - gust}
            if wind is not None:
                blown = moved(cell, wind.direction)
                outcomes[blown] = outcomes.get(blown, 0.0) + gust
            transitions.append((cell, action, outcomes))
    return MDP.build(
        transitions,
        start=start,
        episode=episode,
        labels={(c, r): rows[r - 1][c - 1] for c, r in cells if rows[r - 1][c - 1] != "."},
        terminal=terminal,
        states=cells,
        actions=tuple(MOVES),
    )
