"""What cells do, against a step function that is written straight from the words of the document."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import WorldError
from demospec.worlds.gridworld import GridWorld, Slippery, Terrain, Wind, gridworld
from demospec.worlds.world import Episode, pairs_by_action

Cell = tuple[int, int]
EPISODE = Episode(horizon=4)
NAMES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def led(rows: list[str], cell: Cell, step: Cell, teleports: dict[Cell, Cell]) -> Cell:
    """Return where a step leads."""
    at = {(c + 1, r + 1): sign for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != "#"}
    to = (cell[0] + step[0], cell[1] + step[1])
    arrows = {"^": (0, -1), "v": (0, 1), "<": (-1, 0), ">": (1, 0)}
    beside = [(cell[0] + step[0], cell[1]), (cell[0], cell[1] + step[1])]
    squeezed = 0 not in step and not any(one in at for one in beside)
    wrong_exit = at[cell] in arrows and arrows[at[cell]] != step
    wrong_entry = at.get(to) in arrows and tuple(-x for x in arrows[at[to]]) == step
    if to not in at or squeezed or wrong_exit or wrong_entry:
        return cell
    return teleports.get(to, to)


def outcomes(world: GridWorld, cell: Cell, action: str) -> dict[Any, float]:
    state = world.number[cell]
    return {world.name(to): p for to, p in world.outcomes(pairs_by_action(world, state)[action])}


maps = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.text("..##a^v<>~", min_size=width, max_size=width), min_size=2, max_size=4)
)


@given(maps, st.sampled_from([4, 8]), st.sampled_from([0.0, 0.25]), st.booleans(), st.data())
def test_every_outcome_is_what_the_words_say(
    rows: list[str], moves: Any, gust: float, jumps: bool, data: st.DataObject
) -> None:
    free = [(c + 1, r + 1) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != "#"]
    if not free:
        return
    chosen = st.sampled_from(free)
    teleports = data.draw(st.dictionaries(chosen, chosen, max_size=2)) if jumps else {}
    terrain = Terrain(
        walls="#", one_way=True, moves=moves, teleports=tuple(teleports.items()),
        slippery=(Slippery(probability=0.2, characters="~"), Slippery(probability=0.5, cells=(free[0],))),
    )  # fmt: skip
    wind = Wind(direction="down", probability=gust)
    world = gridworld(rows, start=free[0], episode=EPISODE, terrain=terrain, wind=wind)
    assert list(world.states) == free
    assert len(world.actions) == moves
    for cell in free:
        sign = rows[cell[1] - 1][cell[0] - 1]
        assert world.label(world.number[cell]) == ("a" if sign == "a" else None)
        slip = 0.5 if cell == free[0] else 0.2 if sign == "~" else 0.0
        for action in world.actions:
            step = tuple(map(sum, zip(*(NAMES[part] for part in action.split("-")), strict=True)))
            turned = [(step[1], -step[0]), (-step[1], step[0])]
            expected: Counter[Cell] = Counter()
            expected[led(rows, cell, (step[0], step[1]), teleports)] += (1 - gust) * (1 - slip)  # type: ignore[assignment]
            for side in turned:
                expected[led(rows, cell, side, teleports)] += (1 - gust) * slip / 2  # type: ignore[assignment]
            expected[led(rows, cell, (0, 1), teleports)] += gust  # type: ignore[assignment]
            found = outcomes(world, cell, action)
            assert found == pytest.approx({to: p for to, p in expected.items() if p > 0})


def test_a_legend_says_what_holds_and_other_characters_are_themselves() -> None:
    terrain = Terrain(walls="#", legend={"k": ("key",), "D": ("key", "door"), "x": (), "~": ("ice",)},
                      slippery=(Slippery(probability=0.5, characters="~"),))  # fmt: skip
    world = gridworld(["kDx", "#a~", "..."], start=(1, 1), episode=EPISODE, terrain=terrain)
    labels = [world.label(world.number[cell]) for cell in ((1, 1), (2, 1), (3, 1), (2, 2), (3, 2))]
    assert labels == ["key", "door&key", None, "a", "ice"]
    assert terrain.character("door&key") == "D"
    assert terrain.character("ice") is None  # it would make the cell slippery
    assert terrain.character("b") == "b"
    assert terrain.character("#") is None
    assert list(terrain.remarks(["kD~", "#ab"])) == [
        "the legend names x, which the map does not have",
        "the legend does not name a, b: each is its own label",
    ]


def test_without_the_key_a_hash_is_a_label_as_before() -> None:
    world = gridworld(["a#.", "^.<"], start=(1, 1), episode=EPISODE)
    assert world.letters == ("#", "<", "^", "a")
    assert list(world.terrain.remarks(world.rows)) == ['# is a label: it is a wall only with walls = "#"']


def test_an_unavailable_move_is_one_that_leads_nowhere() -> None:
    terrain = Terrain(walls="#", one_way=True)
    world = gridworld([">..", ".#."], start=(1, 2), episode=EPISODE, terrain=terrain, blocked="unavailable")
    offered = {cell: list(pairs_by_action(world, world.number[cell])) for cell in ((1, 1), (1, 2))}
    assert offered == {(1, 1): ["right"], (1, 2): ["up"]}


@pytest.mark.parametrize(
    ("keys", "more", "told"),
    [
        ({"walls": "#"}, {"start": (2, 1)}, r"start cell \(2, 1\) is a wall"),
        ({"walls": "#"}, {"terminal": [(2, 1)]}, r"terminal cell \(2, 1\) is a wall"),
        ({"walls": "#", "teleports": (((1, 1), (2, 1)),)}, {}, r"teleport cell \(2, 1\) is a wall"),
        ({"teleports": (((1, 1), (9, 1)),)}, {}, "lies outside the map of 3 columns and 1 rows"),
        ({"teleports": (((1, 1), (3, 1)), ((1, 1), (1, 1)))}, {}, "leads to two cells"),
        ({"walls": "#", "legend": {"#": ("x",)}}, {}, "is a wall, where nothing is read"),
        ({"legend": {"ab": ("x",)}}, {}, '"ab" is not one character'),
        ({"walls": "<", "one_way": True}, {}, "cannot be a wall and something else"),
        ({"walls": "#"}, {"blocked": "unavailable"}, r"cell \(1, 1\) cannot be left"),
    ],
)  # fmt: skip
def test_mistakes_are_told(keys: dict[str, Any], more: dict[str, Any], told: str) -> None:
    with pytest.raises(WorldError, match=told):
        gridworld(["a#."], **{"start": (1, 1), "episode": EPISODE, "terrain": Terrain(**keys), **more})


def test_slippery_cells_need_a_probability_and_a_place() -> None:
    with pytest.raises(WorldError, match="not between 0 and 1"):
        Slippery(probability=2, characters="~")
    with pytest.raises(WorldError, match="characters or the cells"):
        Slippery(probability=0.5)
