"""Grid worlds: a map of letters, moves, wind, and what its cells do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from demospec.errors import WorldError
from demospec.worlds.mdp import MDP
from demospec.worlds.terrain import MOVES as MOVES
from demospec.worlds.terrain import Cell, Terrain
from demospec.worlds.world import STOP, Episode, State

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
    ground = terrain.ground(rows)
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
    letters = {(column, row): terrain.letter(rows[row - 1][column - 1]) for column, row in cells}
    world = MDP.build(
        transitions,
        start=dict(begin.items()),
        episode=episode,
        labels={cell: letter for cell, letter in letters.items() if letter is not None},
        terminal=terminal,
        states=cells,
        actions=tuple(terrain.steps),
    )
    arrays = {name.name: getattr(world, name.name) for name in fields(MDP)}
    made = GridWorld(**arrays, rows=rows, wind=wind, blocked=blocked, terrain=terrain)
    return made.priced(costs or {})
