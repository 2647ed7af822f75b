"""`demospec policy` and `demospec score --out`: the library's numbers, and refusals in one line."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree

import pytest
from command_line import BEST, DELIVERY, INCREMENTAL, REACH, ROBOT, WITHOUT_DEMONSTRATIONS, Shell, shell

import demospec
from demospec.tasks import DFA

__all__ = ["shell"]  # the fixture

FETCH = ">0: parcel→1 | 1: home→2 | *2:"
SITUATION_KEYS = {"time", "state", "monitor", "value", "satisfaction_probability", "actions", "taken", "over"}
LEFT = '["left", [4, 6], "left", [3, 6]]'


@pytest.fixture
def robot(shell: Shell) -> str:
    return shell.write("robot.toml", ROBOT)


@pytest.fixture
def delivery(shell: Shell) -> str:
    return shell.write("delivery.toml", DELIVERY)


# -- policy -------------------------------------------------------------------------------------------


def test_without_options_it_is_about_the_start(shell: Shell, robot: str) -> None:
    found = shell.good("policy", robot, BEST, "--json").json
    policy = demospec.policy(demospec.load_example("robot-paper"), DFA.parse(BEST))
    (start,) = found["situations"]
    assert start.keys() >= SITUATION_KEYS
    assert start["actions"] == pytest.approx(policy.action_probabilities())
    assert start["value"] == pytest.approx(policy.value())
    assert start["satisfaction_probability"] == pytest.approx(0.6601, abs=5e-5)
    assert (start["time"], start["state"], start["monitor"], start["taken"]) == (0, [5, 6], 0, None)
    assert found["satisfaction_probability"] == pytest.approx(0.6601, abs=5e-5)
    assert DFA.parse(found["reads"]) == DFA.parse(BEST)


@pytest.mark.parametrize(
    ("text", "task", "number"), [(ROBOT, BEST, 1), (ROBOT, BEST, 2), (DELIVERY, FETCH, 2)]
)
def test_along_a_demonstration_and_along_the_same_path(
    shell: Shell, text: str, task: str, number: int
) -> None:
    file = shell.write("p.toml", text)
    problem = demospec.load(file)
    shown = problem.demonstrations[number - 1]
    policy = demospec.policy(problem, DFA.parse(task, problem.alphabet))
    found = shell.good("policy", file, task, "--path", str(number), "--json").json["situations"]
    assert [at["time"] for at in found] == list(range(len(shown.steps) + 1))
    for at, situation in zip(found, policy.situations(shown), strict=True):
        state = situation.state
        assert at["state"] == (state if isinstance(state, str) else list(state))
        assert at["monitor"] == situation.monitor
        prefix = demospec.Path(shown.steps[: situation.time], complete=at["over"])
        assert at["value"] == pytest.approx(policy.value(prefix))
        assert at["satisfaction_probability"] == pytest.approx(policy.satisfaction(prefix))
        assert at["actions"] == ({} if at["over"] else pytest.approx(policy.action_probabilities(prefix)))
    assert [at["over"] for at in found] == [False] * len(shown.steps) + [True]
    assert [part for at in found for part in (at["state"], at["taken"])][1:-1] == shown.to_file(problem.mdp)
    path = json.dumps(shown.to_file(problem.mdp), ensure_ascii=False)
    again = shell.good("policy", file, task, "--path", path, "--json").json["situations"]
    ends_anyway = policy.is_over(policy.path(shown)) and not problem.mdp.episode.end_probability
    assert again[:-1] == found[:-1]
    if ends_anyway:
        assert again == found


def test_the_surprise_of_a_demonstration_is_that_of_its_choices(shell: Shell, robot: str) -> None:
    score = shell.good("score", robot, BEST, "--json").json
    for number, demonstration in enumerate(score["demonstrations"], start=1):
        options = ["--path", str(number), "--json"]
        found = shell.good("policy", robot, BEST, *options).json["situations"]
        nats = -math.fsum(math.log(at["actions"][at["taken"]]) for at in found if at["taken"])
        assert nats == pytest.approx(demonstration["surprise"])


def test_time_picks_one_situation_of_a_run(shell: Shell, robot: str) -> None:
    along = shell.good("policy", robot, BEST, "--path", LEFT, "--json").json["situations"]
    assert [at["taken"] for at in along] == ["left", "left", None]
    for time in range(3):
        picked = shell.good("policy", robot, BEST, "--path", LEFT, "--time", str(time), "--json").json
        assert picked["situations"] == [along[time]]


@pytest.mark.parametrize(
    "written", ['"left", [4, 6], "left", [3, 6]', "['left', [4, 6], 'left', [3, 6],]", f" {LEFT}\n"]
)
def test_a_path_may_be_written_as_toml_or_without_brackets(shell: Shell, robot: str, written: str) -> None:
    expected = shell.good("policy", robot, BEST, "--path", LEFT, "--json").out
    assert shell.good("policy", robot, BEST, "--path", written, "--json").out == expected


def test_a_situation_is_that_of_a_history_that_leads_there(shell: Shell, robot: str) -> None:
    (expected,) = shell.good("policy", robot, BEST, "--path", LEFT, "--time", "2", "--json").json[
        "situations"
    ]
    for state in ("3,6", "(3, 6)", "[3, 6]"):
        options = ["--state", state, "--monitor", "0", "--time", "2", "--json"]
        (found,) = shell.good("policy", robot, BEST, *options).json["situations"]
        assert found["actions"] == pytest.approx(expected["actions"])
        assert found["value"] == pytest.approx(expected["value"])


def test_a_situation_without_more_is_a_beginning(shell: Shell, robot: str, delivery: str) -> None:
    (found,) = shell.good("policy", robot, BEST, "--state", "1,8", "--json").json["situations"]
    assert (found["time"], found["monitor"], found["satisfied_so_far"]) == (0, 3, True)
    (found,) = shell.good("policy", robot, BEST, "--time", "14", "--json").json["situations"]
    assert (found["time"], found["state"]) == (14, [5, 6])
    assert found["actions"] == pytest.approx(dict.fromkeys(["up", "down", "left", "right"], 0.25))
    (found,) = shell.good("policy", delivery, FETCH, "--state", "depot", "--json").json["situations"]
    assert (found["state"], found["monitor"]) == ("depot", 1)


def test_in_words_it_tells_the_same(shell: Shell, robot: str) -> None:
    out = shell.good("policy", robot, BEST, "--path", "2").out
    found = shell.good("policy", robot, BEST, "--path", "2", "--json").json
    lines = out.splitlines()
    assert found["reads"] in lines[2]
    assert len(lines) == 5 + len(found["situations"])
    for line, at in zip(lines[5:], found["situations"], strict=True):
        for part in (
            f"({at['state'][0]}, {at['state'][1]})",
            f"{at['satisfaction_probability']:.4f}",
            at["taken"] or "",
        ):
            assert part in line
        for action, chance in at["actions"].items():
            assert f"{action} {chance:.4f}" in line
    assert "the episode is over" in lines[-1]
    assert "taken" not in shell.good("policy", robot, BEST).out


def test_no_demonstration_is_needed_and_a_prior_does_not_matter(shell: Shell, robot: str) -> None:
    bare = shell.write("bare.toml", WITHOUT_DEMONSTRATIONS)
    prior = shell.write("prior.toml", INCREMENTAL)
    expected = shell.good("policy", robot, BEST, "--json").json
    for file in (bare, prior):
        found = shell.good("policy", file, BEST, "--json").json
        assert found["situations"][0]["actions"] == pytest.approx(expected["situations"][0]["actions"])
        assert found["reads"] == expected["reads"]


def test_standard_input(shell: Shell, robot: str) -> None:
    expected = shell.good("policy", robot, BEST, "--json").out
    assert shell.good("policy", "-", BEST, "--json", stdin=ROBOT).out == expected
    assert shell.good("policy", robot, "-", "--json", stdin=BEST).out == expected


REFUSED: list[tuple[list[str], list[str]]] = [
    (["--path", '["left", [4, 6], "fly", [3, 6]]'], ["--path: step 2", '"fly"', "available: up, down"]),
    (["--path", '["left", [1, 1]]'], ["--path: step 1", "(1, 1)", "probability 0"]),
    (["--path", '["left", [44, 6]]'], ["--path: step 1", "(44, 6) is not in this world"]),
    (["--path", '["left", 3]'], ["--path: step 1", "[column, row]", "found 3"]),
    (["--path", '["left", [true, 6]]'], ["--path: step 1", "[column, row]"]),
    (["--path", '["left", [4, 6, 1]]'], ["--path: step 1", "[column, row]"]),
    (["--path", "[1, [4, 6]]"], ["--path: step 1", "an action", "found 1"]),
    (["--path", '["left"]'], ["--path", "1 entries", "end with a state"]),
    (["--path", "left (4,6)"], ["--path", "expected a list such as", "left (4,6)"]),
    (["--path", '[]\nname = "x"'], ["--path", "expected a list"]),
    (["--path", "[" * 5000], ["--path"]),
    (["--path", "3"], ["--path", "2 demonstrations", "3"]),
    (["--path", "0"], ["--path", "0"]),
    (["--path", "1", "--time", "7"], ["--time", "6 steps", "7"]),
    (["--demonstration", "1"], ["there is no option", "write --path N"]),
    (["--state", "1,1", "--path", LEFT], ["--path and --state"]),
    (["--monitor", "1"], ["--monitor needs --state"]),
    (["--state", "9,9"], ["--state", '"9,9"', "not a state"]),
    (["--state", "hall"], ["--state", '"hall"']),
    (["--state", "1,1", "--monitor", "4"], ["monitor state 4", "0 and 3"]),
    (["--time", "15"], ["time 15", "0 and 14"]),
    (["--time", "-1"], ["--time", "-1"]),
]


@pytest.mark.parametrize(("options", "told"), REFUSED, ids=[" ".join(o)[:40] for o, _ in REFUSED])
def test_a_place_that_is_none_is_refused(
    shell: Shell, robot: str, options: list[str], told: list[str]
) -> None:
    message = shell.refusal("policy", robot, BEST, *options)
    for part in told:
        assert part in message
    assert shell.refusal("policy", robot, BEST, *options, "--json") == message


def test_bad_files_are_refused_by_name(shell: Shell, robot: str, delivery: str) -> None:
    assert "missing.toml: cannot be read" in shell.refusal("policy", "missing.toml", BEST)
    assert 'letter "q"' in shell.refusal("policy", robot, ">0: q→1 | *1:")
    assert "PROBLEM and TASK" in shell.refusal("policy", "-", "-")
    assert '"out" is terminal' in shell.refusal("policy", delivery, FETCH, "--state", "out")
    able = shell.write("able.toml", ROBOT.replace("rationality = 10", "competency = 0.99"))
    assert "able.toml: competency 0.99" in shell.refusal("policy", able, REACH)


# -- score --out ----------------------------------------------------------------------------------------


def test_score_writes_a_folder_and_prints_the_same_as_before(shell: Shell, robot: str) -> None:
    expected = shell.good("score", robot, BEST, "--json")
    ran = shell.good("score", robot, BEST, "--out", "out/below", "--json")
    assert ran.out == expected.out
    folder = shell.folder / "out" / "below"
    written = json.loads((folder / "score.json").read_text())
    assert {key: written[key] for key in expected.json} == expected.json
    assert written["policy"]["time"] == 0
    for picture in folder.glob("*.svg"):
        ElementTree.parse(picture)
    assert len(list(folder.glob("*.svg"))) == 14
    words = shell.good("score", robot, BEST, "--out", "other", "--time", "3").out
    assert "other/score.html" in words
    assert json.loads((shell.folder / "other" / "score.json").read_text())["policy"]["time"] == 3
    assert not list(folder.glob(".*"))


def test_score_refuses_places_and_times_that_are_none(shell: Shell, robot: str) -> None:
    shell.write("afile", "mine")
    for out in ("afile", "afile/below"):
        message = shell.refusal("score", robot, BEST, "--out", out)
        assert "cannot be written" in message
        assert out in message
    assert (shell.folder / "afile").read_text() == "mine"
    assert "time 15 is not between 0 and 14" in shell.refusal(
        "score", robot, BEST, "--out", "out", "--time", "15"
    )
    assert "--time needs --out" in shell.refusal("score", robot, BEST, "--time", "3")
