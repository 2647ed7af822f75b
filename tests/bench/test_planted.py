"""The planted tasks: enough of each kind, all of them possible, and always the same."""

from __future__ import annotations

from zlib import crc32

import pytest

from demospec.explain.setup import resolve
from demospec.problem import METHODS
from recovery.measures import read_along
from recovery.planted import HORIZON, KINDS, LETTERS, TASKS, Sweep, chosen_tasks, drawn_map, named, planted


def test_there_are_at_least_thirty_tasks_of_eight_kinds_and_no_two_mean_the_same() -> None:
    assert len(TASKS) >= 30
    assert set(KINDS) == {
        "reach",
        "avoid",
        "sequence",
        "any order",
        "conditional",
        "counting",
        "response",
        "until",
    }
    assert len({one.name for one in TASKS}) == len({one.task for one in TASKS}) == len(TASKS)
    assert not {one.name for one in TASKS} & set(KINDS)


def test_worlds_have_all_letters_a_white_start_and_wind_in_every_second() -> None:
    for number in range(2 * len(TASKS)):
        rows, (column, row), wind = drawn_map(number)
        assert set("".join(rows)) == {*LETTERS, "."}
        assert rows[row - 1][column - 1] == "."
        assert (wind is not None) == (number % 2 == 0)


@pytest.mark.parametrize("number", range(len(TASKS)), ids=lambda number: TASKS[number].name)
def test_every_task_can_be_satisfied_in_its_worlds_and_is_not_trivial(number: int) -> None:
    task = TASKS[number].task
    for place in range(2):
        problem = planted(task, 2 * number + place, 1, seed=0)
        reading = read_along(problem, task, task)
        assert 0.1 < reading.own == reading.other < 1 - 1e-9
        assert reading.same == pytest.approx(1)


def test_demonstrations_are_complete_and_always_the_same() -> None:
    task = TASKS[19].task
    problem = planted(task, 38, 20, seed=3)
    assert all(path.complete and len(path.steps) == HORIZON for path in problem.demonstrations)
    assert problem.demonstrations == planted(task, 38, 20, seed=3).demonstrations
    assert problem.demonstrations[:5] == planted(task, 38, 5, seed=3).demonstrations
    assert problem.demonstrations != planted(task, 38, 20, seed=4).demonstrations


MAPS = 0xCA68B911  # a checksum of the first 66 maps


def test_worlds_are_those_of_the_figures_in_the_documents() -> None:
    maps = ["\n".join(drawn_map(number)[0]) for number in range(66)]
    assert crc32("\n\n".join(maps).encode()) == MAPS


def test_weights_are_by_rule_or_the_papers() -> None:
    task = TASKS[0].task
    assert resolve(planted(task, 0, 20, 0)).weights.size_weight == pytest.approx(0.02 * 20**0.5)
    assert resolve(planted(task, 0, 20, 0, "paper")).weights.size_weight == 0.02


def test_a_sweep_has_every_combination_once_and_says_how_it_is_called() -> None:
    sweep = Sweep((1, 2), ("b twice", "avoid r"), 3, (0, 5), ("paper", "enumeration"), "paper", 2.0)
    cases = list(sweep.cases())
    assert len(cases) == len(set(cases)) == len(sweep) == 2 * 2 * 3 * 2 * 2
    assert [case.world for case in cases if case.task == "avoid r"][:12:4] == [8, 9, 10]
    assert sweep.command == (
        "python benchmarks/recover.py --demonstrations 1,2 --tasks 'avoid r' --tasks 'b twice' --worlds 3 "
        "--seeds 0,5 --methods paper,enumeration --weights paper --limit 2"
    )
    assert len(Sweep()) == 2 * len(TASKS) * len(METHODS)


def test_tasks_are_chosen_by_name_or_kind() -> None:
    assert chosen_tasks(()) == tuple(one.name for one in TASKS)
    some = chosen_tasks(("until", "b once", "avoid r"))
    assert some == ("avoid r", "b once", "not r until y", "g until y")
    assert named(some) == ("avoid r", "b once", "until")
    assert chosen_tasks(named(some)) == some
