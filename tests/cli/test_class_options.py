"""What is known about a task, from outside: classes and parts, in the file and on the command line."""

from __future__ import annotations

import itertools
import json
import tomllib
from typing import Any
from xml.etree import ElementTree

import pytest
from command_line import INCREMENTAL, ROBOT, Shell, changed, shell

from demospec.files import load
from demospec.identify.classes import CoSafety, ImpliedBy, Monotone, Safety, SameEffect, by_name
from demospec.tasks import DFA, Composite

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
        "(3 states, 57 bits)",
    ):
        assert part in out
    plain = shell.good("check", shell.write("q.toml", ROBOT), "--json").json
    assert (plain["class"], plain["implied_by"]) == ([], None)


# -- learn -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["paper", "random-pivots", "enumeration"])
def test_learn_keeps_to_the_classes_of_the_file_and_of_the_options(shell: Shell, method: str) -> None:
    file = shell.write("p.toml", with_task('class = "co-safety"'))
    options = ("--iterations", "12", "--method", method, "--json")
    found = shell.good(
        "learn", file, "--class", "ignores-repeats", "--class", f"implied-by:{LOWER}", *options
    ).json
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
        (["--class", "implied-by:>0: a→1 | *1:"], ['letter "a" is not in the alphabet']),
        (
            ["--class", "implied-by:lower.json"],
            ["lower.json", "the letters a", "the problem's are b, g, r, y"],
        ),
        (["--class", "implied-by:>*0:", "--class", "safety"], ["options", '"y" rejected']),
        (["--implied-by", "lower.json"], ['no option "--implied-by"; write --class implied-by:TASK']),
    ],
)
def test_options_that_do_not_fit_are_refused(shell: Shell, options: list[str], told: list[str]) -> None:
    shell.write("lower.json", DFA.parse(">0: a→1 | *1:").to_json())
    given = '\n[[examples]]\nword = ["y"]\naccept = false\n'
    message = shell.refusal("learn", shell.write("p.toml", ROBOT + given), *options)
    for part in told:
        assert part in message


# -- parts -----------------------------------------------------------------------------------------------


BOTH = Composite.parse("(>*0: r→1 | 1:) and (>0: y→1 | *1:)", "bgry")


def made_of(key: str, target: DFA) -> str:
    """The robot with a task of parts, of which short words are given."""
    given = "".join(
        f"\n[[examples]]\nword = {json.dumps(word)}\naccept = {str(target.accepts(word)).lower()}\n"
        for length in range(3)
        for word in itertools.product("bgry", repeat=length)
    )
    return with_task(f"{key} = 2") + given


@pytest.mark.parametrize("method", ["paper", "enumeration"])
@pytest.mark.parametrize(("key", "target"), [("all_of", BOTH), ("any_of", ~BOTH)])
def test_learn_finds_tasks_made_of_parts(shell: Shell, key: str, target: DFA, method: str) -> None:
    file = shell.write("p.toml", made_of(key, target))
    options = ("--iterations", "8", "--method", method, "--json")
    found = shell.good("learn", file, *options).json
    assert found["settings"][key] == 2
    composite = [task for task in found["ranked"] if "parts" in task]
    assert composite
    for document in composite:
        task = Composite.from_json(document)
        assert document["operator"] == {"all_of": "and", "any_of": "or"}[key]
        assert document["size"] == task.size == sum(part["size"] for part in document["parts"]) + 1
        for form in (str(task), shell.write("task.json", document)):
            scored = shell.good("score", file, form, "--json").json
            assert (scored["size"], scored["energy"]) == (document["size"], document["energy"])
    plain = shell.write("q.toml", changed(made_of(key, target), f"{key} = 2", ""))
    by_option = shell.good("learn", plain, f"--{key.replace('_', '-')}", "2", *options).json
    assert by_option | {"seconds": 0} == found | {"seconds": 0}
    if method == "enumeration":
        without = shell.good("learn", plain, *options).json["ranked"]
        assert min(task["size"] for task in composite) < min(task["size"] for task in without)


def test_parts_are_shown(shell: Shell) -> None:
    file = shell.write("p.toml", made_of("all_of", BOTH))
    assert "up to 2 automata, all of which" in shell.good("check", file).out
    out = shell.good("learn", file, "--iterations", "4", "--out", "out", "--details").out
    assert str(BOTH) in out
    ranked = json.loads((shell.folder / "out" / "result.json").read_text())["ranked"]
    place = next(number for number, task in enumerate(ranked, start=1) if "parts" in task)
    name = "best" if place == 1 else f"task-{place}"
    for picture in (f"{name}.svg", f"{name}-part-1.svg", f"{name}-part-2.svg"):
        ElementTree.parse(shell.folder / "out" / picture)
    page = (shell.folder / "out" / "report.html").read_text()
    assert str(BOTH).replace(">", "&gt;") in page
    assert ("joined by “and”" in page) == (place == 1)


def test_learn_by_state_merging(shell: Shell) -> None:
    file = shell.write("p.toml", changed(ROBOT, "[search]", '[search]\nidentifier = "merging"'))
    found = shell.good("learn", file, "--iterations", "12", "--json").json
    assert found["settings"]["identifier"] == "merging"
    assert len(found["ranked"]) > 2
    by_option = shell.good(
        "learn",
        shell.write("q.toml", ROBOT),
        "--set",
        "search.paper.identifier=merging",
        "--iterations",
        "12",
        "--json",
    ).json
    assert by_option | {"seconds": 0} == found | {"seconds": 0}
    assert '"merging" finds no tasks made of parts' in shell.refusal("learn", file, "--all-of", "2")
    assert '"merging" does not' in shell.refusal("learn", file, "--method", "enumeration")


def test_parts_are_joined_in_one_way(shell: Shell) -> None:
    file = shell.write("p.toml", with_task("all_of = 2"))
    told = shell.refusal("learn", file, "--all-of", "2", "--any-of", "3")
    assert "--all-of and --any-of cannot be combined" in told
    found = shell.good("learn", file, "--any-of", "3", "--iterations", "2", "--json").json["settings"]
    assert (found["all_of"], found["any_of"]) == (None, 3)


# -- identify --------------------------------------------------------------------------------------------


def test_identify_keeps_above_a_lower_bound(shell: Shell) -> None:
    words = shell.write("w.json", {"alphabet": ["a", "b"], "accept": [["b"]], "reject": [["b", "b"]]})
    lower = ">0: a→1 | *1:"
    tasks = shell.good("identify", words, "--class", f"implied-by:{lower}", "--count", "5", "--json").json[
        "tasks"
    ]
    assert len(tasks) == 5
    assert all(DFA.parse(lower, "ab").implies(DFA.from_json(task)) for task in tasks)
    shell.write("lower.json", DFA.parse(lower, "ab").to_json())
    by_file = shell.good("identify", words, "--class", "implied-by:lower.json", "--count", "5", "--json")
    assert by_file.json["tasks"] == tasks
    assert '"b b" rejected' in shell.refusal("identify", words, "--class", "implied-by:>*0:")


def test_only_one_thing_is_read_from_standard_input(shell: Shell) -> None:
    robot = json.dumps(tomllib.loads(ROBOT))
    told = shell.refusal("learn", "-", "--class", "implied-by:-", stdin=robot)
    assert "PROBLEM and --class implied-by: cannot both be standard input" in told
    told = shell.refusal("identify", "w.json", "--class", "implied-by:-", "--class", "implies:-")
    assert "--class implied-by: and --class implies: cannot both be standard input" in told
