"""Grid worlds: a map of letters, four moves, walls and wind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from demospec.errors import WorldError
from demospec.worlds.mdp import MDP
from demospec.worlds.world import STOP, Episode, State

MOVES: dict[str, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
Cell = tuple[int, int]
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
) -> GridWorld:
    """Make the world of a map; cells are (column, row) from 1, from the top left.

    A move into the wall stays put, or with `blocked="unavailable"` is not offered. Wind into the wall
    always stays put. Any character but `.` is its cell's label.
    """
    rows = parse_map("\n".join(rows))
    width, height = len(rows[0]), len(rows)

    def cell_exists(cell: tuple[int, int]) -> bool:
        return 1 <= cell[0] <= width and 1 <= cell[1] <= height

    begin = dict(start) if isinstance(start, Mapping) else {start: 1.0}
    for what, cell in [*(("start", cell) for cell in begin), *(("terminal", cell) for cell in terminal)]:
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
    world = MDP.build(
        transitions,
        start=dict(begin.items()),
        episode=episode,
        labels={(c, r): rows[r - 1][c - 1] for c, r in cells if rows[r - 1][c - 1] != "."},
        terminal=terminal,
        states=cells,
        actions=tuple(MOVES),
    )
    arrays = {name.name: getattr(world, name.name) for name in fields(MDP)}
    return GridWorld(**arrays, rows=rows, wind=wind, blocked=blocked).priced(costs or {})
