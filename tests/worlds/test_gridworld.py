"""Grid worlds against a transition function written straight from the words of the contract."""

from __future__ import annotations

import math
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import WorldError
from demospec.worlds.gridworld import Direction, Wind, gridworld, parse_map
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

Cell = tuple[int, int]
Blocked = Literal["stay", "unavailable"]
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")
EPISODE = Episode(horizon=4)


def beside(cell: Cell, direction: Direction) -> Cell:
    column, row = cell
    match direction:
        case "up":
            return column, row - 1
        case "down":
            return column, row + 1
        case "left":
            return column - 1, row
        case "right":
            return column + 1, row


def chances(mdp: MDP, cell: Cell, action: str) -> dict[Cell, float]:
    state = mdp.number[cell]
    pair = mdp.pairs(state)[mdp.available(state).index(action)]
    named = {mdp.states[target]: p for target, p in mdp.outcomes(pair)}
    return {target: p for target, p in named.items() if isinstance(target, tuple)}


maps = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.text("..ab", min_size=width, max_size=width), min_size=1, max_size=4)
)
winds = st.none() | st.builds(
    Wind,
    direction=st.sampled_from(DIRECTIONS),
    probability=st.sampled_from([0, 1 / 32, 0.3, 1]) | st.floats(0, 1, allow_subnormal=False),
)


# -- laws -----------------------------------------------------------------------------------------------


@given(rows=maps, wind=winds, blocked=st.sampled_from(["stay", "unavailable"]))
def test_wind_replaces_the_move_and_walls_hold(rows: list[str], wind: Wind | None, blocked: Blocked) -> None:
    width, height = len(rows[0]), len(rows)
    cells = [(column, row) for row in range(1, height + 1) for column in range(1, width + 1)]
    if blocked == "unavailable" and cells == [(1, 1)]:
        return  # no move at all: refused, see below
    mdp = gridworld(rows, start=cells[-1], episode=EPISODE, wind=wind, blocked=blocked)
    assert set(mdp.states) == set(cells)
    for cell in cells:
        inside = [d for d in DIRECTIONS if beside(cell, d) in cells]
        offered = mdp.available(mdp.number[cell])
        assert set(offered) == set(DIRECTIONS if blocked == "stay" else inside)
        for action in DIRECTIONS:
            if action not in offered:
                continue
            expected: dict[Cell, float] = {}
            steered = beside(cell, action) if action in inside else cell
            expected[steered] = 1.0 if wind is None else 1 - wind.probability
            if wind is not None:
                blown = beside(cell, wind.direction) if wind.direction in inside else cell
                expected[blown] = expected.get(blown, 0) + wind.probability
            possible = {target: p for target, p in expected.items() if p > 0}
            assert chances(mdp, cell, action) == pytest.approx(possible, abs=1e-12)
            assert math.fsum(chances(mdp, cell, action).values()) == pytest.approx(1, abs=1e-14)


@given(maps)
def test_every_character_but_the_dot_labels_its_cell(rows: list[str]) -> None:
    mdp = gridworld(rows, start=(1, 1), episode=EPISODE)
    for row, line in enumerate(rows, start=1):
        for column, character in enumerate(line, start=1):
            assert mdp.labels[mdp.number[column, row]] == (None if character == "." else character)


# -- examples -------------------------------------------------------------------------------------------


def test_cells_are_column_and_row_from_1_from_the_top_left() -> None:
    mdp = gridworld(["ab.", "..c"], start=(2, 1), episode=EPISODE)
    named = {cell: label for cell, label in zip(mdp.states, mdp.labels, strict=True) if label}
    assert named == {(1, 1): "a", (2, 1): "b", (3, 2): "c"}
    assert mdp.states[mdp.start] == (2, 1)
    assert mdp.letters == ("a", "b", "c")
    assert chances(mdp, (2, 1), "down") == {(2, 2): 1}
    assert chances(mdp, (2, 1), "right") == {(3, 1): 1}


def test_wind_into_the_wall_stays_put_even_where_moves_into_it_are_not_available() -> None:
    down = Wind(direction="down", probability=0.25)
    mdp = gridworld(["..", ".."], start=(1, 1), episode=EPISODE, wind=down, blocked="unavailable")
    assert chances(mdp, (1, 2), "right") == {(2, 2): 0.75, (1, 2): 0.25}
    assert mdp.available(mdp.number[1, 2]) == ("up", "right")


def test_a_move_with_the_wind_is_certain() -> None:
    mdp = gridworld(["..", ".."], start=(1, 1), episode=EPISODE, wind=Wind(direction="down", probability=0.3))
    assert chances(mdp, (1, 1), "down") == {(1, 2): 1}
    assert chances(mdp, (1, 2), "down") == {(1, 2): 1}


def test_terminal_cells_offer_nothing() -> None:
    mdp = gridworld(["..."], start=(1, 1), episode=EPISODE, terminal=[(3, 1)])
    assert mdp.available(mdp.number[3, 1]) == ()
    assert mdp.end_chance(mdp.number[3, 1], 1) == 1


def test_blank_lines_around_a_map_and_indentation_do_not_count() -> None:
    assert parse_map("\n\n   .a\n   b.  \n\n") == (".a", "b.")


# -- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "   ", "\n \n"])
def test_an_empty_map_is_refused(text: str) -> None:
    with pytest.raises(WorldError, match="map is empty"):
        parse_map(text)


def test_a_map_of_no_rows_is_refused() -> None:
    with pytest.raises(WorldError, match="map is empty"):
        gridworld([], start=(1, 1), episode=EPISODE)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("...\n..", 'map row 2, "..", has 2 cells; row 1, "...", has 3'),
        ("..\n..\n....", 'map row 3, "....", has 4 cells; row 1, "..", has 2'),
        ("..\n\n..", 'map row 2, "", has 0 cells'),
    ],
)
def test_a_ragged_map_is_refused_with_the_row_and_both_lengths(text: str, culprit: str) -> None:
    with pytest.raises(WorldError) as refusal:
        parse_map(text)
    assert culprit in str(refusal.value)


@pytest.mark.parametrize("cell", [(0, 1), (1, 0), (4, 1), (1, 3), (-1, -1), (2, 3)])
def test_a_cell_outside_the_map_is_refused_with_the_map_s_size(cell: Cell) -> None:
    with pytest.raises(WorldError) as refusal:
        gridworld(["...", "..."], start=cell, episode=EPISODE)
    assert f"start cell {cell} lies outside the map of 3 columns and 2 rows" in str(refusal.value)
    with pytest.raises(WorldError) as refusal:
        gridworld(["...", "..."], start=(1, 1), episode=EPISODE, terminal=[cell])
    assert f"terminal cell {cell} lies outside" in str(refusal.value)


@pytest.mark.parametrize("probability", [1.2, -0.1, math.nan, math.inf])
def test_a_wind_probability_outside_0_to_1_is_refused(probability: float) -> None:
    with pytest.raises(WorldError, match=f"wind probability {probability:g} is not between 0 and 1"):
        Wind(direction="down", probability=probability)


def test_an_unknown_wind_direction_is_refused() -> None:
    with pytest.raises(WorldError, match='wind direction "south" is none of up, down, left, right'):
        Wind(direction="south", probability=0.5)  # type: ignore[arg-type]


def test_a_start_cell_that_is_terminal_is_refused() -> None:
    with pytest.raises(WorldError, match=r"start state \(1, 1\) is terminal"):
        gridworld([".."], start=(1, 1), episode=EPISODE, terminal=[(1, 1)])


def test_a_cell_without_any_move_is_refused() -> None:
    with pytest.raises(WorldError, match=r"cell \(1, 1\) cannot be left"):
        gridworld(["a"], start=(1, 1), episode=EPISODE, blocked="unavailable")


@given(maps, winds)
def test_a_start_of_probability_1_is_the_start(rows: list[str], wind: Wind | None) -> None:
    short, long = (
        gridworld(rows, start=start, episode=EPISODE, wind=wind) for start in ((1, 1), {(1, 1): 1.0})
    )
    assert (short.starts, short.states, short.labels) == (long.starts, long.states, long.labels)
    assert short.probability.tobytes() == long.probability.tobytes()


def test_episodes_may_begin_in_several_cells() -> None:
    world = gridworld([".a.", "..."], start={(1, 1): 0.5, (3, 2): 0.5}, episode=EPISODE)
    assert [(world.states[state], chance) for state, chance in world.starts] == [((1, 1), 0.5), ((3, 2), 0.5)]
    with pytest.raises(WorldError, match=r"start cell \(4, 1\) lies outside the map of 3 columns and 2 rows"):
        gridworld([".a.", "..."], start={(1, 1): 0.5, (4, 1): 0.5}, episode=EPISODE)


def test_a_world_from_a_map_keeps_it() -> None:
    wind = Wind(direction="up", probability=0.25)
    world = gridworld([" .a ", "b."], start=(1, 1), episode=EPISODE, wind=wind, blocked="unavailable")
    assert (world.rows, world.wind, world.blocked) == ((".a", "b."), wind, "unavailable")
