"""`policy`, `sample` and `export` of what is believed: the library's numbers, and refusals in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import DELIVERY, ROBOT, Shell, shell

import demospec
from demospec import problems
from demospec.explain.score import agent_of
from demospec.plan.policy import MixturePolicy
from demospec.tasks.formats.gymnasium import belief_to_gymnasium
from demospec.tasks.mixture import Mixture

__all__ = ["shell"]  # the fixture

ANSWERS = [("reach y; never r", 0.4), ("reach y", 0.3), ("reach g", 0.2), ("never b", 0.05)]


@pytest.fixture
def robot(shell: Shell) -> str:
    return shell.write("robot.toml", ROBOT)


@pytest.fixture
def belief(shell: Shell) -> str:
    return shell.write("belief.json", {"answers": [{"task": text, "weight": w} for text, w in ANSWERS]})


@pytest.fixture
def believed(shell: Shell) -> str:
    """Write a problem that leaves sizes to the prior."""
    return shell.write("believed.toml", problems.text("robot"))


def acting(**options: Any) -> MixturePolicy:
    problem = demospec.load("robot.toml")
    weighted = [(demospec.load_task(text, problem.alphabet), weight) for text, weight in ANSWERS]
    return demospec.belief_policy(problem, weighted, **options)


# -- policy -------------------------------------------------------------------------------------------


def test_policy_tells_the_chance_to_satisfy_each_answer(shell: Shell, robot: str, belief: str) -> None:
    found = shell.good("policy", robot, belief, "--agent", "rationality=50", "--json").json
    policy = acting(rationality=50)
    assert found["rationality"] == 50
    assert found["satisfaction_probability"] == policy.plan.satisfaction_probability
    told = found["belief"]
    assert [answer["weight"] for answer in told["answers"]] == [weight for _, weight in ANSWERS]
    chances = [answer["satisfaction_probability"] for answer in told["answers"]]
    assert tuple(chances) == policy.satisfaction_probabilities
    assert (told["weight"], told["left_out"]) == (pytest.approx(0.95), [])
    (start,) = found["situations"]
    assert start["actions"] == policy.action_probabilities()
    assert tuple(start["answers"]) == policy.chances()
    assert [one["reward"] for one in found["monitor"]] == list(policy.mixture.reward)
    text = shell.good("policy", robot, belief, "--agent", "rationality=50").out
    assert "robot: an agent of rationality 50 that acts on 4 answers at once" in text
    assert f"{chances[2]:.4f}  Reach g." in text


def test_policy_along_a_run_and_in_a_situation(shell: Shell, robot: str, belief: str) -> None:
    policy = acting()
    shown = demospec.load(robot).demonstrations[0]
    found = shell.good("policy", robot, belief, "--path", "1", "--json").json
    for at, time in zip(found["situations"], range(len(shown.steps)), strict=False):
        assert tuple(at["answers"]) == policy.chances(shown.upto(time))
    last = found["situations"][-1]
    assert (last["over"], tuple(last["answers"])) == (True, policy.chances(shown))
    options = ("--state", "3,4", "--monitor", "1", "--time", "5", "--json")
    (one,) = shell.good("policy", robot, belief, *options).json["situations"]
    assert tuple(one["answers"]) == policy.chances((5, 1, (3, 4)))


def test_what_is_left_out_is_told(shell: Shell, robot: str, belief: str) -> None:
    found = shell.good("policy", robot, belief, "--agent", "answers=2", "--json").json["belief"]
    assert [one["weight"] for one in found["answers"]] == [0.4, 0.3]
    assert [one["weight"] for one in found["left_out"]] == [0.2, 0.05]
    text = shell.good("policy", robot, belief, "--agent", "answers=2").out
    assert "Not acted on: 2 answers with a weight of 0.2500 together." in text


def test_a_result_of_learn_is_a_belief(shell: Shell, robot: str) -> None:
    learned = shell.good("learn", robot, "--json")
    shell.write("result.json", learned.out)
    found = shell.good("policy", robot, "result.json", "--json").json["belief"]
    leading = learned.json["belief"]["answers"]
    assert found["answers"][0]["one_line"] == leading[0]["one_line"]
    assert found["answers"][0]["weight"] == leading[0]["weight"]
    assert len(found["answers"]) + len(found["left_out"]) == len(leading)


def test_what_to_act_on_is_made_anew_for_a_world(shell: Shell, believed: str) -> None:
    """In the world that was learned in it is the result's own; a wall makes it another."""
    learned = shell.good("learn", believed, "--json").json
    shell.write("result.json", learned)
    assert not learned["act_on"]["same_as_answer"]
    only = shell.good("policy", believed, "result.json", "--task-only", "--json").json
    both = shell.good("policy", believed, "result.json", "--json").json
    for found in (only, both):
        assert found["act_on"]["task"] == learned["act_on"]["task"]
        assert found["act_on"]["added"] == learned["act_on"]["added"]
    assert "belief" in both
    assert "belief" not in only
    task = demospec.load_task(shell.write("only.json", learned["act_on"]["task"]))
    policy = demospec.policy(demospec.load(believed), task, rationality=1000, effort=0)
    assert only["satisfaction_probability"] == pytest.approx(policy.satisfaction())
    narrow = """
[world]
kind = "gridworld"
map = "b.g.y"
start = [2, 1]
[episode]
horizon = 8
[task]
merge_repeats = true
"""
    other = shell.write("other.toml", 'alphabet = ["b", "g", "r", "y"]' + narrow)
    there = shell.good("policy", other, "result.json", "--task-only", "--json").json
    assert there["act_on"]["task"] != learned["act_on"]["task"]
    assert there["satisfaction_probability"] == pytest.approx(1)
    assert shell.good("sample", other, "result.json", "--task-only").out.startswith("[[demonstrations]]")


def test_a_task_that_is_handed_over_says_which_it_is(shell: Shell, believed: str) -> None:
    learned = shell.good("learn", believed, "--json").json
    shell.write("result.json", learned)
    for key, options in (("answer", ()), ("act_on", ("--act-on",))):
        said = shell.good("describe", "result.json", *options, "--json")
        kept = shell.good("export", "result.json", "--format", "json", *options)
        task = demospec.load_task(shell.write("task.json", learned[key]["task"]))
        assert demospec.load_task(shell.write("said.json", said.json["task"])).automaton == task.automaton
        assert demospec.load_task(shell.write("kept.json", kept.out)).automaton == task.automaton
        assert ("was made for the worlds of this result" in said.err) == (key == "act_on")
        assert ("was made for the worlds of this result" in kept.err) == (key == "act_on")


def test_a_search_that_was_cut_hands_over_its_task_alone(shell: Shell, believed: str) -> None:
    learned = shell.good("learn", believed, "--max-evaluations", "300", "--json").json
    assert (learned["finished"], learned["act_on"], learned["belief"]) == (False, None, None)
    assert (learned["answer"]["probability"], learned["answer"]["enough"]) == (None, None)
    assert (learned["answers"], learned["claims"], learned["mass_not_scored"]) == ([], [], None)
    assert learned["scored"] >= 300
    shell.write("result.json", learned)
    for options in ((), ("--task-only",)):
        found = shell.good("policy", believed, "result.json", *options, "--json").json
        assert demospec.DFA.parse(found["reads"], ("b", "g", "r", "y")) is not None
        assert "belief" not in found


def test_rationality_and_effort_can_be_given_for_one_task(shell: Shell, robot: str) -> None:
    problem = demospec.load(robot)
    task = demospec.load_task("reach y", problem.alphabet)
    policy = demospec.policy(problem, task, rationality=40, effort=0.5)
    found = shell.good("policy", robot, "reach y", "--agent", "rationality=40,effort=0.5", "--json").json
    assert found["satisfaction_probability"] == policy.satisfaction()


# -- sample -------------------------------------------------------------------------------------------


def test_runs_are_drawn_from_the_one_plan(shell: Shell, robot: str, belief: str) -> None:
    options = ("--agent", "rationality=200", "--count", "30", "--seed", "3")
    found = shell.good("sample", robot, belief, *options, "--json").json
    assert tuple(one["satisfaction_probability"] for one in found["belief"]["answers"]) == (
        acting(rationality=200).satisfaction_probabilities
    )
    problem = demospec.load(robot)
    tasks = [demospec.load_task(text, problem.alphabet) for text, _ in ANSWERS]
    for run in found["demonstrations"]:
        assert run["satisfied"] == [task.accepts(run["word"]) for task in tasks]
        weight = sum(w for (_, w), marked in zip(ANSWERS, run["satisfied"], strict=True) if marked)
        assert run["reward"] == pytest.approx(weight / 0.95)
    text = shell.good("sample", robot, belief, *options).out
    assert text.count("[[demonstrations]] # satisfies answers ") == 30
    head = ROBOT.split("[[demonstrations]]")[0]
    shell.write("drawn.toml", head + text)
    assert len(demospec.load("drawn.toml").demonstrations) == 30


def test_runs_of_one_task_at_a_given_rationality(shell: Shell, robot: str) -> None:
    problem = demospec.load(robot)
    likely = agent_of(problem, demospec.load_task("reach y", problem.alphabet))
    same = shell.good("sample", robot, "reach y", "--count", "5").out
    assert (
        shell.good(
            "sample", robot, "reach y", "--count", "5", "--agent", f"rationality={likely.rationality}"
        ).out
        == same
    )
    assert shell.good("sample", robot, "reach y", "--count", "5", "--agent", "rationality=1").out != same


# -- export -------------------------------------------------------------------------------------------


def test_a_belief_is_exported_as_a_wrapper(shell: Shell, belief: str) -> None:
    options = ("--format", "gymnasium", "--alphabet", "b g r y")
    shell.good("export", belief, *options, "--out", "wrapper.py")
    weighted = [(demospec.load_task(text, ("b", "g", "r", "y")), weight) for text, weight in ANSWERS]
    expected = belief_to_gymnasium(Mixture.of(weighted, merge_repeats=False))
    assert Path("wrapper.py").read_text(encoding="utf-8") == expected
    assert json.loads(shell.good("export", belief, *options, "--json").out)["text"] == expected


# -- refusals -----------------------------------------------------------------------------------------


def test_refusals(shell: Shell, robot: str, belief: str) -> None:
    for command in ("policy", "sample"):
        told = shell.refusal(command, robot, "reach y", "--agent", "answers=2")
        assert "--agent: answers= needs a result of learn, without --task-only" in told
        told = shell.refusal(command, robot, "reach y", "--answers", "2")
        assert 'there is no option "--answers"; write --agent answers=N' in told
        told = shell.refusal(command, robot, "reach y", "--agent", "effort=lazy")
        assert '--agent: effort must be a number; found "lazy"' in told
    told = shell.refusal("policy", robot, belief, "--agent", "rationality=-1")
    assert "--agent: rationality must be between 0 and 1000; found -1" in told
    told = shell.refusal("sample", robot, belief, "--agent", "effort=inf")
    assert "--agent: effort must be a finite number of at least 0; found inf" in told
    for handing in (("describe", belief), ("export", belief, "--format", "hoa")):
        told = shell.refusal(*handing, "--act-on")
        assert "belief.json: expected a result of `learn` that says what to act on" in told
    told = shell.refusal("policy", "-", "-")
    assert "cannot both be standard input" in told
    other = shell.write("other.json", {"answers": [{"task": ">0: z→1 | *1:", "weight": 1}]})
    told = shell.refusal("policy", robot, other)
    assert "other.json: answer 1: task: " in told
    none = shell.write("none.json", {"answers": []})
    assert "none.json: a mixture needs a task with a weight above 0; found none" in shell.refusal(
        "policy", robot, none
    )
    delivery = shell.write("delivery.toml", DELIVERY)
    letters = shell.write(
        "letters.json",
        {"answers": [{"task": {**demospec.DFA.from_formula("F y", "y").to_json()}, "weight": 1}]},
    )
    assert "letters.json: the task reads the letters y" in shell.refusal("policy", delivery, letters)
