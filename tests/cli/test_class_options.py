"""Classes of automata from the outside: the problem file, `learn`, `check` and `identify`."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from command_line import INCREMENTAL, ROBOT, Shell, changed, shell

from demospec.files import load
from demospec.identify import CoSafety, ImpliedBy, Monotone, Safety, SameEffect, by_name
from demospec.tasks import DFA

__all__ = ["shell"]  # the fixture

LOWER = ">0: b→2, g→2, r→2, y→1 | *1: b→2, g→2, r→2 | 2:"  # y, and y again


def with_task(*lines: str) -> str:
    return changed(ROBOT, "merge_repeats = true", "\n".join(["merge_repeats = true", *lines]))


def ranked(document: dict[str, Any]) -> list[DFA]:
    return [DFA.from_json(task) for task in document["ranked"]]


# -- the problem file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "classes"),
    [
        ('class = "safety"', (Safety(),)),
        ('class = ["monotone", "same-effect:b,g"]', (Monotone(), SameEffect("bg"))),
        ("class = []", ()),
        (f'implied_by = "{LOWER}"', (ImpliedBy(DFA.parse(LOWER)),)),
        (f'class = "co-safety"\nimplied_by = "{LOWER}"', (CoSafety(), ImpliedBy(DFA.parse(LOWER)))),
    ],
)
def test_a_file_names_classes(shell: Shell, line: str, classes: tuple[object, ...]) -> None:
    toml = shell.write("p.toml", with_task(line))
    as_json = shell.write("p.json", tomllib.loads(with_task(line)))
    assert load(toml).classes == load(as_json).classes == classes


def test_a_lower_bound_can_be_a_table_a_file_beside_the_problem_or_one_line(shell: Shell) -> None:
    (shell.folder / "below").mkdir()
    document = DFA.parse(LOWER).to_json()
    shell.write("below/lower.json", document)
    shell.write("below/lower.txt", LOWER)
    table = tomllib.loads(ROBOT)
    table["task"]["implied_by"] = document
    assert load(shell.write("p.json", table)).classes == (ImpliedBy(DFA.parse(LOWER)),)
    for bound in ("lower.json", "lower.txt", LOWER):
        file = shell.write("below/p.toml", with_task(f'implied_by = "{bound}"'))
        assert load(file).classes == (ImpliedBy(DFA.parse(LOWER)),)


def test_check_describes_the_classes(shell: Shell) -> None:
    file = shell.write(
        "p.toml", with_task('class = ["monotone", "same-effect:g,b"]', f'implied_by = "{LOWER}"')
    )
    found = shell.good("check", file, "--json").json
    assert found["class"] == ["monotone", "same-effect:b,g"]
    assert DFA.from_json(found["implied_by"]) == DFA.parse(LOWER)
    out = shell.good("check", file).out
    for part in (
        "monotone – A state that is left",
        "same-effect:b,g – The given letters",
        "contains  3 states",
    ):
        assert part in out
    plain = shell.good("check", shell.write("q.toml", ROBOT), "--json").json
    assert (plain["class"], plain["implied_by"]) == ([], None)


# -- learn -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["diss", "random-pivots", "enumeration"])
def test_learn_keeps_to_the_classes_of_the_file_and_of_the_options(shell: Shell, method: str) -> None:
    file = shell.write("p.toml", with_task('class = "co-safety"'))
    options = ("--iterations", "12", "--method", method, "--json")
    found = shell.good("learn", file, "--class", "ignores-repeats", "--implied-by", LOWER, *options).json
    assert found["settings"]["class"] == ["co-safety", "ignores-repeats"]
    assert DFA.from_json(found["settings"]["implied_by"]) == DFA.parse(LOWER)
    assert len(found["ranked"]) > 1
    for task in ranked(found):
        for one in (CoSafety(), by_name("ignores-repeats"), ImpliedBy(DFA.parse(LOWER))):
            assert one.holds(task)


def test_what_a_result_says_of_its_classes_goes_back_into_a_file(shell: Shell) -> None:
    file = shell.write("p.toml", with_task('class = "monotone"', f'implied_by = "{LOWER}"'))
    options = ("--iterations", "4", "--json")
    settings = shell.good("learn", file, "--class", "same-effect:g,b", *options).json["settings"]
    document = tomllib.loads(ROBOT)
    document["task"] |= {key: settings[key] for key in ("class", "implied_by", "merge_repeats")}
    again = shell.good("learn", shell.write("again.json", document), *options).json
    assert again["settings"] == settings


def test_classes_by_file_and_by_option_give_the_same_result(shell: Shell) -> None:
    options = ("--iterations", "15", "--json")
    by_file = shell.good("learn", shell.write("p.toml", with_task('class = ["safety"]')), *options).json
    by_option = shell.good("learn", shell.write("q.toml", ROBOT), "--class", "safety", *options).json
    assert by_file | {"seconds": 0} == by_option | {"seconds": 0}


def test_a_prior_and_a_class_hold_at_once(shell: Shell) -> None:
    file = shell.write("p.toml", INCREMENTAL)
    found = shell.good("learn", file, "--class", "monotone", "--iterations", "15", "--json").json
    prior = load(file).prior
    assert prior is not None
    for task in ranked(found):
        assert task.implies(prior)
        assert Monotone().holds(task)
    assert found["prior_size"] == prior.size


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--class", "saftey"], ['class "saftey" is not known', 'mean "safety"']),
        (["--class", "same-effect:b,x"], ["options", '"x"', "b, g, r, y"]),
        (["--implied-by", ">0: a→1 | *1:"], ['letter "a" is not in the alphabet']),
        (["--implied-by", "lower.json"], ["lower.json", "the letters a", "the problem's are b, g, r, y"]),
        (["--implied-by", ">*0:", "--class", "safety"], ["options", '"y" rejected']),
    ],
)
def test_options_that_do_not_fit_are_refused(shell: Shell, options: list[str], told: list[str]) -> None:
    shell.write("lower.json", DFA.parse(">0: a→1 | *1:").to_json())
    given = '\n[[examples]]\nword = ["y"]\naccept = false\n'
    message = shell.refusal("learn", shell.write("p.toml", ROBOT + given), *options)
    for part in told:
        assert part in message


# -- identify --------------------------------------------------------------------------------------------


def test_identify_keeps_above_a_lower_bound(shell: Shell) -> None:
    words = shell.write("w.json", {"alphabet": ["a", "b"], "accept": [["b"]], "reject": [["b", "b"]]})
    lower = ">0: a→1 | *1:"
    tasks = shell.good("identify", words, "--implied-by", lower, "--count", "5", "--json").json["tasks"]
    assert len(tasks) == 5
    assert all(DFA.parse(lower, "ab").implies(DFA.from_json(task)) for task in tasks)
    shell.write("lower.json", DFA.parse(lower, "ab").to_json())
    by_file = shell.good("identify", words, "--implied-by", "lower.json", "--count", "5", "--json")
    assert by_file.json["tasks"] == tasks
    assert '"b b" rejected' in shell.refusal("identify", words, "--implied-by", ">*0:")


def test_only_one_thing_is_read_from_standard_input(shell: Shell) -> None:
    robot = json.dumps(tomllib.loads(ROBOT))
    told = shell.refusal("learn", "-", "--implied-by", "-", stdin=robot)
    assert "PROBLEM and --implied-by cannot both be standard input" in told
    told = shell.refusal("identify", "w.json", "--implied-by", "-", "--implies", "-")
    assert "--implies and --implied-by cannot both be standard input" in told
