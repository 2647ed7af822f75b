"""A task as text: automaton, formula or clauses, on the command line, in files and in problems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import demospec
from demospec.errors import InputError, PointedError
from demospec.files import load, load_task
from demospec.files.task_text import is_file_name, read_task_line
from demospec.identify.classes import ImpliedBy
from demospec.tasks import DFA
from demospec.tasks.clauses import Clauses, parse
from demospec.tasks.ltlf import automaton_of, parse_formula

LETTERS = tuple("bgry")
SAME = (
    "reach y; no r before y",
    "F y & (!r W y)",
    ">0: y→1, r→2 | *1: | 2:",
    ">0: y->1, r->2 | *1: | 2:",
    "(>*0: r→2, y→1 | *1: | 2:) and (>0: y→1 | *1:)",
)


@pytest.mark.parametrize("text", SAME)
def test_one_task_in_many_texts(text: str, tmp_path: Path) -> None:
    wanted = DFA.parse(SAME[2], LETTERS)
    assert read_task_line(text, LETTERS).automaton == wanted
    assert load_task(text, LETTERS).automaton == wanted
    (tmp_path / "task.txt").write_text(text + "\n")
    assert load_task(str(tmp_path / "task.txt"), LETTERS).automaton == wanted


def test_without_an_alphabet_the_letters_are_those_of_the_text() -> None:
    assert load_task("F y").alphabet == ("y",)
    assert load_task("reach y; never r").alphabet == ("r", "y")


@pytest.mark.parametrize(
    "formula", ["G (b -> F g)", "a", "!a", "G !r", "a -> b", "X[!] a", "last", "F(a&X[!] F b)"]
)
def test_formulas_are_not_taken_for_something_else(formula: str) -> None:
    letters = tuple("abgr")
    assert read_task_line(formula, letters) == automaton_of(parse_formula(formula, letters), letters)


def test_a_task_file_may_have_clauses(tmp_path: Path) -> None:
    task = parse("reach y; never r", LETTERS)
    path = tmp_path / "task.json"
    path.write_text(json.dumps(task.to_json()))
    read = load_task(str(path))
    assert isinstance(read, Clauses)
    assert read == task
    path.write_text(json.dumps({**task.to_json(), "clauses": "reach y"}))
    with pytest.raises(InputError, match='word "r y" is rejected, but its clauses say otherwise'):
        load_task(str(path))


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("F z", '"z"', 2),
        ("reach z", '"z" is not in the alphabet', 6),
        ("F y & (!r W", "expected a formula", 11),
        ("reach y; vist g", 'begins with "vist"', 9),
        ("no r bfore y", "bfore", 5),
        ("F y &", "expected a formula", 5),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text: str, message: str, at: int) -> None:
    with pytest.raises(PointedError, match=message) as caught:
        load_task(text, LETTERS)
    assert caught.value.at == at


def test_names_of_files_are_not_read_as_tasks(tmp_path: Path) -> None:
    assert is_file_name("task.json")
    assert is_file_name("folder/task")
    for name in ("nowhere.json", "no/where", str(tmp_path / "x.txt")):
        with pytest.raises(InputError, match=r"cannot be read|No such file"):
            load_task(name, LETTERS)
    with pytest.raises(InputError, match="there is no file of this name"):
        load_task("nowhere", LETTERS)


@pytest.mark.parametrize("key", ["implies", "implied_by"])
@pytest.mark.parametrize("text", ["never r", "G !r", ">*0: r→1 | 1:"])
def test_a_problem_takes_them_as_bounds(key: str, text: str, tmp_path: Path) -> None:
    from demospec import problems

    robot = problems.text("robot-paper")
    assert "[task]\n" in robot
    path = tmp_path / "robot.toml"
    path.write_text(robot.replace("[task]\n", f'[task]\n{key} = "{text}"\n'))
    problem = load(path)
    wanted = DFA.parse(">*0: r→1 | 1:", LETTERS)
    if key == "implies":
        assert problem.prior == wanted
    else:
        (bound,) = [one for one in problem.classes if isinstance(one, ImpliedBy)]
        assert bound.task == wanted


def test_formula_and_clauses_have_the_same_numbers() -> None:
    for name in ("robot", "robot-paper"):
        robot = demospec.load_example(name)
        scores = [demospec.score(robot, load_task(text, robot.alphabet)) for text in SAME[:3]]
        assert len({(score.size, score.surprise, score.energy) for score in scores}) == 1
