"""`describe` and `diff` on the command line."""

from __future__ import annotations

import pytest
from command_line import BEST, REACH, ROBOT, Shell, shell  # noqa: F401

AT_ONCE = "F (b & X[!] y)"


def test_a_task_in_words(shell: Shell) -> None:  # noqa: F811
    out = shell.good("describe", BEST).out
    assert out.startswith("Never r; reach y with no b since g.\n\nexactly this, always\n")
    assert "G !r" in out
    assert ">0: b→3" not in out.split("formula")[0]
    assert "((" in out


def test_json_has_the_shape_of_the_contract(shell: Shell) -> None:  # noqa: F811
    document = shell.good("describe", BEST, "--json").json
    assert document["exact"] == "always"
    assert document["clauses"] == ["never r", "reach y with no b since g"]
    assert document["task"]["kind"] == "dfa"
    assert {"sentence", "clauses", "exact", "formula", "task"} <= set(document)


def test_what_clauses_leave_is_told_state_by_state(shell: Shell) -> None:  # noqa: F811
    shell.write("robot.toml", ROBOT)
    ran = shell.good("describe", AT_ONCE, "--world", "robot.toml")
    assert "not all of it" in ran.out
    assert "  after b (not enough): g or r leads back to the start, y is enough for good\n" in ran.out
    document = shell.good("describe", AT_ONCE, "--world", "robot.toml", "--json").json
    assert document["exact"] is False
    assert document["rest"]


def test_a_picture_is_written(shell: Shell) -> None:  # noqa: F811
    told = shell.refusal("describe", REACH, "--out", "reach.svg")
    assert 'no option "--out"; write demospec export TASK --format svg --out FILE' in told
    shell.good("export", REACH, "--format", "svg", "--out", "reach.svg")
    assert (shell.folder / "reach.svg").read_text(encoding="utf-8").startswith("<svg")
    told = shell.refusal("export", REACH, "--format", "svg", "--out", "nowhere/reach.svg")
    assert "cannot be written" in told


def test_constants_need_letters(shell: Shell) -> None:  # noqa: F811
    assert shell.good("describe", ">*0:", "--alphabet", "a b").out.startswith("Anything.\n")
    assert shell.good("describe", ">0:", "--alphabet", "a b").out.startswith("Nothing at all.\n")
    assert "alphabet" in shell.refusal("describe", ">0:")


def test_a_task_file_over_fewer_letters_is_described_in_a_world(shell: Shell) -> None:  # noqa: F811
    shell.write("robot.toml", ROBOT)
    task = {"kind": "dfa", "alphabet": ["y"], "states": 2, "start": 0, "accepting": [1]}
    shell.write("task.json", {**task, "transitions": [[0, "y", 1]]})
    document = shell.good("describe", "task.json", "--world", "robot.toml", "--json").json
    assert document["sentence"] == "Reach y."
    assert document["task"]["alphabet"] == ["b", "g", "r", "y"]


def test_how_two_tasks_differ(shell: Shell) -> None:  # noqa: F811
    shell.write("robot.toml", ROBOT)
    ran = shell.good("diff", BEST, REACH, "--world", "robot.toml")
    assert ran.out.splitlines()[0] == (
        "The first implies the second, not the other way: "
        'only the second accepts "b y". Only the first asks: never r; reach y with no b since g.'
    )
    assert "can tell them apart" in ran.out
    document = shell.good("diff", BEST, REACH, "--world", "robot.toml", "--json").json
    assert document["equal"] is False
    assert document["first_implies_second"] is True
    assert document["second_implies_first"] is False
    assert document["only_first"] is None
    assert document["only_second"] == ["b", "y"]
    assert document["told_apart"] is True
    assert document["told_apart_by"][-1] == "y"


def test_what_no_run_can_tell(shell: Shell) -> None:  # noqa: F811
    shell.write("robot.toml", ROBOT)
    forty = " | ".join(f"{n}: b→{n + 1}, g→{n + 1}, r→{n + 1}, y→{n + 1}" for n in range(1, 40))
    short = f">*0: b→1, g→1, r→1, y→1 | *{forty.replace('| ', '| *')} | 40:"
    ran = shell.good("diff", short, ">*0:", "--world", "robot.toml")
    assert ran.out.endswith("No run here can tell them apart.\n")
    assert shell.good("diff", short, ">*0:", "--world", "robot.toml", "--json").json["told_apart"] is False


def test_formulas_and_clauses_are_about_all_letters(shell: Shell) -> None:  # noqa: F811
    document = shell.good("diff", "end with y", "F (y & X[!] r)", "--json").json
    assert document["only_first"] == ["y"]
    assert document["only_second"] == ["y", "r"]
    assert shell.good("diff", "reach y; no r before y", "F y & (!r W y)").out.startswith("Both say the same")


def test_the_same_task_said_twice(shell: Shell) -> None:  # noqa: F811
    ran = shell.good("diff", REACH, ">0: y→1 | *1: y→2 | *2:")
    assert ran.out == "Both say the same: no word tells them apart.\n"


def test_letters_that_one_task_does_not_name(shell: Shell) -> None:  # noqa: F811
    ran = shell.good("diff", REACH, ">0: z→1 | *1:")
    assert "The first task does not name z: in an automaton they change nothing." in ran.out
    assert "told_apart" not in shell.good("diff", REACH, BEST, "--json").json


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["describe", "nowhere.json"], "cannot be read"),
        (["describe", REACH, "--alphabet", "y y"], "twice"),
        (["describe", REACH, "--alphabet", ""], "spaces between"),
        (["describe", REACH, "--alphabet", "a b"], '"y" is not in the alphabet a, b'),
        (["describe", "-", "--world", "-"], "cannot both be standard input"),
        (["describe", REACH, "--world", "x.toml", "--alphabet", "y"], "cannot be combined"),
        (["diff", "-", "-"], "cannot both be standard input"),
        (["diff", REACH], "Missing argument"),
    ],
)
def test_refusals(shell: Shell, arguments: list[str], told: str) -> None:  # noqa: F811
    assert told in shell.refusal(*arguments)
