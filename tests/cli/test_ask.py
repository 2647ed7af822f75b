"""The command `ask`: answers by a pipe, by a task, refusals, what is kept."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from command_line import COMMAND, DELIVERY, WITHOUT_DEMONSTRATIONS, Shell, shell

from demospec import load, problems
from demospec.ask import Dialogue
from demospec.cli.ask import Replying, talk
from demospec.errors import InputError
from demospec.tasks import DFA

__all__ = ["shell"]

CORNERS = """
name = "corners"

[world]
kind = "gridworld"
map = '''
a..
...
..b
'''
start = [2, 2]

[episode]
horizon = 7

[agent]
rationality = 8

[task]
merge_repeats = true

[search]
iterations = 6

[[demonstrations]]
path = [
  "up", [2, 1], "left", [1, 1], "right", [2, 1], "left", [1, 1], "left", [1, 1], "down", [1, 2],
  "up", [1, 1],
]
"""
AVOID = ">0: a→1, b→2 | *1: b→2 | 2:"


@pytest.fixture
def corners(shell: Shell) -> Shell:
    shell.write("corners.toml", CORNERS)
    return shell


def examples_of(printed: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = tomllib.loads(printed[printed.index("[[examples]]") :])["examples"]
    return found


def test_a_task_answers_until_it_is_found(corners: Shell) -> None:
    ran = corners.good("ask", "corners.toml", "--answers", AVOID, "--sure", "0.99", "--out", "answers.toml")
    truth = DFA.parse(AVOID, "ab")
    (line,) = [line for line in ran.out.splitlines() if line.startswith("automaton ")]
    learned = DFA.parse(line.removeprefix("automaton").strip(), "ab")
    for word in ("", "a", "b", "ab", "ba"):
        assert learned.accepts(word) == truth.accepts(word)
    answers = examples_of(ran.out)
    assert answers
    assert all(truth.accepts(one["word"]) == one["accept"] for one in answers)  # type: ignore[arg-type]
    saved = Path("answers.toml").read_text(encoding="utf-8")
    assert examples_of(saved) == answers
    again = corners.good("ask", "corners.toml", "--answers", AVOID, "--sure", "0.99")
    assert again.out == ran.out.replace("the labels are in answers.toml\n", "")
    # The answers go on counting: pasted to the problem, nothing that contradicts them is learned.
    corners.write("more.toml", CORNERS + saved)
    for ranked in corners.good("learn", "more.toml", "--json").json["ranked"]:
        task = DFA.from_json(
            {key: ranked[key] for key in ("alphabet", "states", "start", "accepting", "transitions")}
        )
        assert all(task.accepts(one["word"]) == one["accept"] for one in answers)  # type: ignore[arg-type]


def test_answers_come_from_a_pipe_and_bad_ones_are_asked_again(corners: Shell) -> None:
    ran = corners.good("ask", "corners.toml", "--sure", "1", stdin="maybe\n\nYes\ns\nn\n")
    assert '"maybe" is none of y, n, s and q' in ran.out
    assert "please answer y, n, s or q" in ran.out
    assert "a0" not in ran.out
    assert ".0" in ran.out  # the start on the map
    answers = examples_of(ran.out)
    assert [one["accept"] for one in answers] == [True, False][: len(answers)]
    assert len(answers) >= 1
    assert "you left" in ran.out or "one answer has" in ran.out or "no path is left" in ran.out


def test_leaving_before_the_first_answer_leaves_no_file(corners: Shell) -> None:
    for kind in ("label", "start"):
        options = ("ask", "corners.toml", "--kind", kind, "--out", "new.toml", "--iterations", "2")
        ran = corners.good(*options, stdin="q\n")
        assert "you left; 0" in ran.out
        assert not Path("new.toml").exists()
        corners.good(*options, stdin="q\n")


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_file_holds_no_answers_yet(corners: Shell, content: str) -> None:
    corners.write("new.toml", content)
    ran = corners.good("ask", "corners.toml", "--out", "new.toml", "--answers", AVOID, "--most", "1")
    assert examples_of(Path("new.toml").read_text(encoding="utf-8")) == examples_of(ran.out)


def test_the_end_of_the_input_is_the_end_of_the_dialogue(corners: Shell) -> None:
    ran = corners.good("ask", "corners.toml")
    assert "you left; 0 labels given" in ran.out
    assert "[[examples]]" not in ran.out
    assert "automaton >" in ran.out
    assert corners.good("ask", "corners.toml", stdin="q\n").out == ran.out.replace("[q]uit: \n", "[q]uit: ")


def test_so_many_questions_are_asked_at_most(corners: Shell) -> None:
    ran = corners.good("ask", "corners.toml", "--answers", AVOID, "--sure", "1", "--most", "1")
    assert "1 question asked; 1 label given" in ran.out
    assert ran.out.count("should the agent be content") == 1


def test_json_lists_the_questions_and_nothing_else(corners: Shell) -> None:
    found = corners.good("ask", "corners.toml", "--json").json
    assert list(found) == ["name", "kind", "reason", "determined", "questions", "answers", "least_nats"]
    assert found["reason"] is None
    assert len(found["questions"]) > 1
    problem = load("corners.toml")
    for one in found["questions"]:
        assert 0 < one["yes"] < 1
        assert one["nats"] >= found["least_nats"]
        corners.write(
            "path.toml",
            CORNERS.split("[[demonstrations]]")[0] + f"[[demonstrations]]\npath = {one['path']}\n",
        )
        (path,) = load("path.toml").demonstrations
        assert path.complete
        assert list(problem.word(path)) == one["word"]
    assert (
        corners.good("ask", "corners.toml", "--json", "--most", "1").json["questions"]
        == found["questions"][:1]
    )
    assert sum(one["weight"] for one in found["answers"]) <= 1 + 1e-9


@pytest.mark.parametrize("kind", ["start", "edit"])
def test_json_ranks_demonstrations_and_asks_nothing(corners: Shell, kind: str) -> None:
    options = ("--kind", kind, "--most", "3", "--iterations", "2")
    found = corners.good("ask", "corners.toml", *options, "--json").json
    assert list(found) == ["name", "kind", "questions"]
    assert len(found["questions"]) == 3
    keys = ["state"] if kind == "start" else ["cell", "before", "letter"]
    for one in found["questions"]:
        assert list(one) == ["world", *keys, "nats", "standard_error", "draws"]
        assert one["world"] == "world"
        assert one["nats"] > 0
        assert (one["standard_error"] > 0) == (one["draws"] > 0)


def test_the_problem_itself_can_take_the_answers(corners: Shell) -> None:
    corners.good(
        "ask", "corners.toml", "--answers", AVOID, "--out", "corners.toml", "--most", "2", "--sure", "1"
    )
    first = examples_of(Path("corners.toml").read_text(encoding="utf-8"))
    assert len(first) == 2
    given = load("corners.toml").given.mapping
    assert len(given) == 2
    asked = corners.good("ask", "corners.toml", "--json", "--sure", "1").json["questions"]
    assert all(tuple(one["word"]) not in given for one in asked)


def test_answers_of_an_earlier_dialogue_are_given(corners: Shell) -> None:
    corners.write("answers.toml", '[[examples]]\nword = ["b"]\naccept = true\n')
    ran = corners.good("ask", "corners.toml", "--out", "answers.toml", stdin="q\n")
    assert "reads b\n" not in ran.out
    refused = corners.refusal("ask", "corners.toml", "--out", "answers.toml", "--answers", AVOID)
    assert 'rejects "b", which is given as accepted' in refused


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--kind", "path"), "is not one of 'label', 'start', 'edit', 'any'"),
        (("--most", "0"), "--most"),
        (("--sure", "2"), "--sure"),
        (("--answers", ">0: z→1 | *1:"), '"z"'),
        (("--json", "--answers", AVOID), "--answers is for the dialogue"),
        (("--json", "--out", "x.toml"), "--out is for the dialogue"),
        (("--kind", "start", "--json", "--out", "x.toml"), "--out is for the dialogue"),
        (("--kind", "start", "--out", "nowhere/x.toml"), "nowhere/x.toml: cannot be written"),
        (
            ("--kind", "start", "--out", "list.toml"),
            "list.toml: holds something already, which would be lost",
        ),
        (("--kind", "edit", "--out", "corners.toml"), "its comments would be lost; give another file"),
        (("--kind", "edit", "--out", "new.json"), "the problem is written as TOML"),
        (("--out", "nowhere/x.toml"), "nowhere/x.toml: cannot be written"),
        (("--out", "list.toml"), "[[examples]] cannot be added to the end of this file"),
        (("--out", "bad.toml"), "demospec: bad.toml: not TOML"),
        (("--out", "new.json"), "labels can be added to a TOML file only"),
        (("--out", "data.json"), "labels can be added to a TOML file only"),
        (("--out", "wrong.toml"), "accept"),
        (("--iterations", "0"), "--iterations"),
    ],
)
def test_refusals(corners: Shell, arguments: tuple[str, ...], told: str) -> None:
    corners.write("list.toml", "examples = []\n")
    corners.write("bad.toml", "examples =\n")
    corners.write("data.json", '{"examples": []}')
    corners.write("wrong.toml", '[[examples]]\nword = ["b"]\n')
    assert told in corners.refusal("ask", "corners.toml", *arguments)


def test_refusals_of_problems(shell: Shell) -> None:
    assert "no such file" in shell.refusal("ask", "nothing.toml").lower()
    shell.write("none.toml", WITHOUT_DEMONSTRATIONS)
    assert "there are no demonstrations to learn from" in shell.refusal("ask", "none.toml")
    shell.write("delivery.toml", DELIVERY)
    assert "only a gridworld's map can be edited" in shell.refusal("ask", "delivery.toml", "--kind", "edit")
    assert "PROBLEM cannot be standard input" in shell.refusal("ask", "-", stdin=DELIVERY)
    assert "cannot both be standard input" in shell.refusal("ask", "-", "--answers", "-", stdin=DELIVERY)


def test_a_world_without_a_map_tells_the_states(shell: Shell) -> None:
    shell.write("delivery.toml", DELIVERY)
    ran = shell.good("ask", "delivery.toml", "--iterations", "3", stdin="q\n")
    assert ' to "' in ran.out


def test_answers_that_no_task_meets_are_told(corners: Shell) -> None:
    # One state accepts all words or none: another label for a second word leaves nothing.
    problem = load("corners.toml").with_settings(method="paper", max_states=1)
    one, other = Dialogue.begin(load("corners.toml")).questions[:2]
    dialogue = Dialogue.begin(problem, enough=1.1).replied(True, one).replied(False, other)
    with pytest.raises(InputError, match=r"at most 1 state meets .* one of the labels may be wrong"):
        talk(dialogue, Replying(None), 20)
    assert len(examples_of(corners.capsys.readouterr().out)) == 2


def is_written(name: str) -> bool:
    """Say whether a file holds something: it is there for a moment, and empty, where it is tried at first."""
    try:
        return Path(name).stat().st_size > 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_keeps_the_answers(corners: Shell) -> None:
    command = [*COMMAND, "ask", "corners.toml", "--sure", "1", "--out", "answers.toml"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(os.environ)) as process:
        assert process.stdin is not None
        process.stdin.write(b"n\n")
        process.stdin.flush()
        while not is_written("answers.toml"):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, err.decode()
    assert b"Traceback" not in err
    (answer,) = examples_of(out.decode())
    assert examples_of(Path("answers.toml").read_text(encoding="utf-8")) == [answer]
    assert answer["accept"] is False


# -- demonstrations -----------------------------------------------------------------------------------------


def test_a_run_is_shown_checked_written_and_learned_from(corners: Shell) -> None:
    told = ("nowhere", "(1, 1) up", "", "up left left", "q")
    ran = corners.good(
        *("ask", "corners.toml", "--kind", "start", "--sure", "1", "--out", "more.toml"),
        stdin="\n".join(told) + "\n",
    )
    assert "question 1: show a run from (" in ran.out
    assert "0" in ran.out.split("show a run")[1]
    assert "is expected to tell 0." in ran.out
    assert 'step 1: action "nowhere" is not available in state (' in ran.out
    assert "no episode begins in state (1, 1)" in ran.out
    assert "question 2: " in ran.out  # the empty line skipped the first
    assert "you left; 1 run shown" in ran.out
    assert "the problem with all runs is in more.toml" in ran.out
    assert ran.out.endswith(": up left left\n")
    written = load("more.toml")
    assert written.scenes[0].name == "world"
    assert len(written.demonstrations) == 2
    assert written.demonstrations[0] == load("corners.toml").demonstrations[0]
    name = ran.out.splitlines()[-1].partition(": ")[0]
    (path,) = written.scene(name).demonstrations[-1:]
    assert [written.scene(name).world.action(pair) for pair, _ in path.steps] == ["up", "left", "left"]
    assert corners.good("learn", "more.toml", "--json").json["ranked"]


def test_the_file_that_was_written_can_be_gone_on_with(corners: Shell) -> None:
    options = ("--kind", "start", "--answers", AVOID, "--sure", "1", "--iterations", "2", "--most", "1")
    corners.good("ask", "corners.toml", *options, "--out", "more.toml")
    assert len(load("more.toml").demonstrations) == 2
    refused = corners.refusal("ask", "corners.toml", *options, "--out", "more.toml")
    assert "more.toml: holds something already, which would be lost; go on from it" in refused
    ran = corners.good("ask", "more.toml", *options, "--out", "more.toml", "--seed", "1")
    again = load("more.toml")
    assert len(again.demonstrations) == 3
    assert "1 question asked; 1 run shown" in ran.out
    assert not list(Path().glob(".more*"))


@pytest.mark.parametrize("kind", ["start", "edit"])
def test_an_agent_with_a_task_demonstrates(corners: Shell, kind: str) -> None:
    options = ("--kind", kind, "--answers", AVOID, "--sure", "1", "--iterations", "2", "--most", "2")
    ran = corners.good("ask", "corners.toml", *options, "--out", "more.toml")
    assert "2 questions asked; 2 runs shown" in ran.out
    assert corners.good("ask", "corners.toml", *options).out == ran.out.replace(
        "the problem with all runs is in more.toml\n", ""
    )
    problem = load("more.toml")
    assert problem.settings == load("corners.toml").settings  # options are for this time
    assert len(problem.demonstrations) == 3
    assert all(path.complete for path in problem.demonstrations)
    # What is printed can be typed: it gives the same problem.
    runs = [line.rpartition("quits): ")[2] for line in ran.out.splitlines() if "quits): " in line]
    typing = ("--kind", kind, "--sure", "1", "--iterations", "2", "--most", "2", "--out", "typed.toml")
    corners.good("ask", "corners.toml", *typing, stdin="\n".join(runs) + "\n")
    assert Path("typed.toml").read_bytes() == Path("more.toml").read_bytes()


def test_an_edited_map_is_drawn_with_its_letter(corners: Shell) -> None:
    ran = corners.good(
        "ask", "corners.toml", "--kind", "edit", "--sure", "1", "--iterations", "2", stdin="q\n"
    )
    asked = re.search(
        r"show a run in the map with \((\d), (\d)\) (\w+) instead of (\w+)\n((?:.*\n){3})", ran.out
    )
    assert asked is not None
    column, row, letter = int(asked[1]), int(asked[2]), asked[3]
    cell = asked[5].splitlines()[row - 1].split()[column - 1]
    assert cell[0] == ("." if letter == "white" else letter)
    assert asked[5].splitlines()[1].split()[1] == ".0"  # where episodes begin


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_file_takes_the_problem(corners: Shell, content: str) -> None:
    corners.write("more.toml", content)
    options = ("--kind", "start", "--answers", AVOID, "--sure", "1", "--iterations", "2", "--most", "1")
    corners.good("ask", "corners.toml", *options, "--out", "more.toml")
    assert len(load("more.toml").demonstrations) == 2


def test_it_is_sure_after_a_telling_run(corners: Shell) -> None:
    ran = corners.good("ask", "corners.toml", "--kind", "start", "--sure", "0.01")
    assert "one answer has" in ran.out
    assert "0 runs shown" in ran.out
    assert "question" not in ran.out


def test_worlds_are_named_where_there_are_several(corners: Shell) -> None:
    head, _, shown = CORNERS.partition("[world]")
    world, _, rest = shown.partition("[episode]")
    tables, _, run = rest.partition("[[demonstrations]]")
    both = f'''{head}[episode]{tables}
[[worlds]]
name = "yard"{world}
[[worlds.demonstrations]]{run}
[[worlds]]
name = "hall"
kind = "gridworld"
map = """
ab.
...
"""
start = [3, 2]
'''
    corners.write("both.toml", both)
    asked = corners.good("ask", "both.toml", "--json", "--sure", "1").json["questions"]
    assert {one["world"] for one in asked} <= {"yard", "hall"}
    ran = corners.good("ask", "both.toml", "--sure", "1", stdin="q\n")
    assert re.search(r'question 1: a path that reads .* in the world "(yard|hall)"\n', ran.out)
    offers = corners.good("ask", "both.toml", "--json", "--kind", "start").json["questions"]
    assert {one["world"] for one in offers} == {"yard", "hall"}
    edits = corners.good("ask", "both.toml", "--json", "--kind", "edit", "--most", "99").json["questions"]
    assert {one["world"] for one in edits} == {"yard", "hall"}
    ran = corners.good("ask", "both.toml", "--sure", "1", "--kind", "start", stdin="q\n")
    assert re.search(r'show a run from \(\d, \d\) in the world "(yard|hall)"', ran.out)


def test_runs_in_a_world_with_names(shell: Shell) -> None:
    shell.write("delivery.toml", DELIVERY)
    options = ("--kind", "start", "--iterations", "3", "--sure", "1", "--most", "1")
    truth = ">0: parcel→1 | 1: home→2 | *2:"
    ran = shell.good("ask", "delivery.toml", *options, "--answers", truth, "--out", "more.toml")
    assert 'show a run from "' in ran.out
    problem = load("more.toml")
    assert len(problem.demonstrations) == len(load("delivery.toml").demonstrations) + 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_keeps_the_runs(corners: Shell) -> None:
    command = [*COMMAND, "ask", "corners.toml", "--kind", "start", "--sure", "1", "--out", "more.toml"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(os.environ)) as process:
        assert process.stdin is not None
        process.stdin.write(b"up up left left\n")
        process.stdin.flush()
        while not is_written("more.toml"):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130, err.decode()
    assert b"Traceback" not in err
    assert out.decode().endswith(": up up left left\n")
    assert len(load("more.toml").demonstrations) == 2


def test_in_a_world_that_is_not_listed_paths_are_drawn(shell: Shell) -> None:
    pytest.importorskip("oxidd")
    shell.write("lamps.toml", problems.text("lamps"))
    found = shell.good("ask", "lamps.toml", "--json", "--iterations", "2").json
    assert found["questions"]
    assert all(one["drawn"] for one in found["questions"])
    ran = shell.good("ask", "lamps.toml", "--iterations", "2", stdin="q\n")
    assert "answers possible on the paths that were drawn" in ran.out
    assert "the best of some paths that were drawn, not of all" in ran.out
    told = "lamps.toml: start states can be compared only in a world whose states are listed"
    assert told in shell.refusal("ask", "lamps.toml", "--kind", "start")
    assert "only a gridworld's map can be edited" in shell.refusal("ask", "lamps.toml", "--kind", "edit")


def test_a_label_or_a_run_may_be_asked_for(corners: Shell) -> None:
    options = ("--kind", "any", "--sure", "1", "--iterations", "2", "--most", "2")
    found = corners.good("ask", "corners.toml", *options, "--json").json
    assert found["kind"] == "any"
    assert list(found) == ["name", "kind", "reason", "determined", "questions", "answers", "least_nats"]
    ran = corners.good("ask", "corners.toml", *options, "--answers", AVOID, "--out", "more.toml")
    assert re.search(r"2 questions asked; \d labels? given, \d runs? shown", ran.out)
    written = load("more.toml")
    assert len(written.demonstrations) + len(written.given.mapping) == 3
    assert "the problem with all replies is in more.toml" in ran.out
