"""Grids in problem files: every key is read, and written back; paths that are filled in."""

from __future__ import annotations

from pathlib import Path

import pytest

from demospec import Episode, load
from demospec.ask.run_questions import with_letter
from demospec.errors import InputError
from demospec.files.reading import convert
from demospec.files.tables import ProblemDocument
from demospec.files.toml import to_toml
from demospec.files.values import build_problem
from demospec.files.writing import problem_document
from demospec.problem import Problem
from demospec.report.drawings import paths_svg
from demospec.worlds.gridworld import GridWorld, Wind, gridworld
from demospec.worlds.paths import from_actions, from_states

HOUSE = """
[world]
kind = "gridworld"
map = '''
k.#..
..>~D
..#..
'''
start = [1, 2]
walls = "#"
one_way = true
slippery = { probability = 0.25, characters = "~" }
teleports = [[[5, 3], [1, 1]]]
moves = 8
legend = { k = "key", D = ["door", "key"] }

[episode]
horizon = 9
ends = "by choice"
"""
PLAIN = HOUSE.split("walls =")[0] + "\n[episode]" + HOUSE.split("[episode]")[1]


def read(folder: Path, text: str) -> Problem:
    (folder / "p.toml").write_text(text)
    return load(folder / "p.toml")


def grid_of(problem: Problem) -> GridWorld:
    world = problem.scene().original
    assert isinstance(world, GridWorld)
    return world


def same(one: GridWorld, other: GridWorld) -> bool:
    return (one.states, one.labels, one.actions, one.terrain) == (
        other.states, other.labels, other.actions, other.terrain,
    ) and one.probability.tolist() == other.probability.tolist()  # fmt: skip


def test_a_house_is_read_and_written_back(tmp_path: Path) -> None:
    problem = read(tmp_path, HOUSE)
    world = grid_of(problem)
    assert problem.alphabet == ("door&key", "key")
    assert len(world.actions) == 9
    again = read(tmp_path, to_toml(problem_document(problem)))
    assert same(grid_of(again), world)
    document = convert(problem_document(problem), ProblemDocument, "again")
    assert same(grid_of(build_problem(document, Path("/nowhere"))), world)


def test_several_slippery_grounds_are_written_back(tmp_path: Path) -> None:
    two = "slippery = [{ probability = 0.25, cells = [[1, 1]] }, { probability = 0.5, characters = '~' }]"
    problem = read(tmp_path, HOUSE.replace('slippery = { probability = 0.25, characters = "~" }', two))
    assert same(grid_of(read(tmp_path, to_toml(problem_document(problem)))), grid_of(problem))


def test_a_map_may_be_a_file_beside_the_problem(tmp_path: Path) -> None:
    head, drawn, rest = HOUSE.split("'''")
    (tmp_path / "house.txt").write_text(drawn)
    text = head.replace("map = ", 'map_file = "house.txt"') + rest
    assert same(grid_of(read(tmp_path, text)), grid_of(read(tmp_path, HOUSE)))
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path, text.replace("house.txt", "none.txt"))
    with pytest.raises(InputError, match="give map or map_file, not both"):
        read(tmp_path, HOUSE.replace("start = [1, 2]", 'start = [1, 2]\nmap_file = "house.txt"'))
    with pytest.raises(InputError, match='the key "map" is missing'):
        read(tmp_path, head.replace("map = ", "") + rest)


@pytest.mark.parametrize(
    "shown",
    [
        'path = ["right", [2, 2], "up", [2, 1], "left", [1, 1]]',
        'actions = ["right", "up", "left"]',
        "cells = [[1, 2], [2, 2], [2, 1], [1, 1]]",
    ],
)
def test_actions_alone_and_cells_alone_are_the_same_path(tmp_path: Path, shown: str) -> None:
    problem = read(tmp_path, f"{PLAIN}\n[[demonstrations]]\ncomplete = true\n{shown}\n")
    (path,) = problem.demonstrations
    whole = ["right", (2, 2), "up", (2, 1), "left", (1, 1)]
    assert path.named(problem.scene().world) == whole


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ('actions = ["right", "fly"]', 'demonstration 1, step 2: action "fly" is not available'),
        ('cells = [[1, 2], [5, 1]]', r"step 1: no action leads from \(1, 2\) to \(5, 1\)"),
        ('cells = [[1, 2], [1, 9]]', r"step 1: state \(1, 9\) is not in this world"),
        ('cells = [[1, 1]]', "no episode begins in state"),
        ("cells = []", "cells begin with"),
        ("cells = [[1, 2]]\nstart = [1, 1]", "cells begin in"),
        ("cells = [[1, 2]]\nactions = []", "give actions or cells, one of them"),
        ("complete = false", 'the key "path" is missing'),
    ],
)  # fmt: skip
def test_what_cannot_be_filled_in_is_told(tmp_path: Path, shown: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read(tmp_path, f"{PLAIN}\n[[demonstrations]]\n{shown}\n")


def test_chance_and_walls_leave_paths_open() -> None:
    wind = Wind(direction="down", probability=0.5)
    world = gridworld(["a.", ".b"], start=(1, 1), episode=Episode(horizon=3), wind=wind)
    with pytest.raises(InputError, match=r'"right" in state \(1, 1\) can lead to \(2, 1\) or \(1, 2\)'):
        from_actions(world, ["right"], start=None, demonstration=1)
    still = gridworld(["a.", ".b"], start=(1, 1), episode=Episode(horizon=3))
    with pytest.raises(InputError, match=r"up or left can lead from \(1, 1\) to \(1, 1\)"):
        from_states(still, [(1, 1), (1, 1)], start=None, demonstration=1)


def test_an_edit_of_the_map_keeps_what_cells_do(tmp_path: Path) -> None:
    world = grid_of(read(tmp_path, HOUSE))
    changed = with_letter(world, (2, 1), "door&key")
    assert changed.rows[0] == "kD#.."
    assert changed.terrain == world.terrain
    with pytest.raises(InputError, match="no character"):
        with_letter(world, (2, 1), "window")


def test_pictures_draw_walls_and_tell_the_legend(tmp_path: Path) -> None:
    problem = read(tmp_path, f"{HOUSE}\n[[demonstrations]]\npath = ['up', [1, 1]]\ncomplete = true\n")
    svg = paths_svg(problem.scene(), problem.demonstrations)
    assert svg.count('fill="#4a4f57"') == 2
    assert ">#<" not in svg
    for said in (">→<", ">door&amp;key<", ">key<", ">~<"):
        assert said in svg
