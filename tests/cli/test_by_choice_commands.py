"""Problem files in which people decide when they are done: what the commands say, draw and refuse."""

from __future__ import annotations

import json
import tomllib

import pytest
from command_line import Shell, changed, shell

from all_paths import enumerate_paths
from demospec.cli.typed_path import read_typed, typed
from demospec.files.toml import to_toml
from demospec.worlds.gridworld import gridworld
from demospec.worlds.paths import read_path
from demospec.worlds.world import Episode

__all__ = ["shell"]  # the fixture

DONE = """
name = "done"
[world]
kind = "gridworld"
map = \"\"\"
a..
...
..b
\"\"\"
start = [2, 2]
[episode]
horizon = 7
ends = "by choice"
[agent]
rationality = 12
[agent.cost]
up = 2
"""
SHOWN = """
[[demonstrations]]
complete = true
path = ["right", [3, 2], "down", [3, 3]]
[[demonstrations]]
complete = true
path = ["down", [2, 3], "right", [3, 3]]
[[demonstrations]]
path = ["right", [3, 2]]
"""
MDP = """
[world]
kind = "mdp"
start = "s"
labels = { t = "a" }
transitions = [["s", "go", { t = 1 }], ["t", "wait", { t = 1 }]]
[episode]
horizon = 3
ends = "by choice"
"""
REACH = "reach b"


@pytest.fixture
def done(shell: Shell) -> str:
    return shell.write("done.toml", DONE + SHOWN)


def test_check_tells_how_runs_ended(shell: Shell, done: str) -> None:
    text = shell.good("check", done).out
    assert "done: 9 states, actions up, down, left, right, stop" in text
    assert "at most 7 steps, or until the agent stops\n" in text
    assert "up 2, stop 0, other actions 1" in text
    assert "demonstration 1  2 steps, then stopped, word b" in text
    assert "demonstration 3  1 step, unfinished, word ε" in text
    found = shell.good("check", done, "--json").json
    assert (found["states"], found["terminal_states"], found["ends"]) == (9, 0, "by choice")
    assert [run["stopped"] for run in found["demonstrations"]] == [True, True, False]


def test_what_is_drawn_is_read_back_as_it_was(shell: Shell, done: str) -> None:
    sampled = shell.good("sample", done, REACH, "--count", "30", "--seed", "1")
    drawn = tomllib.loads(sampled.out)["demonstrations"]
    assert all(run["complete"] for run in drawn)
    assert {len(run["path"]) < 14 for run in drawn} == {False, True}
    assert "stop" not in sampled.out
    again = shell.write("again.toml", DONE + to_toml({"demonstrations": drawn}))
    told = shell.good("check", again, "--json").json["demonstrations"]
    assert [run["stopped"] for run in told] == [len(run["path"]) < 14 for run in drawn]


def test_a_policy_says_how_likely_it_stops(shell: Shell, done: str) -> None:
    *_, last = shell.good("policy", done, REACH, "--path", "1", "--json").json["situations"]
    assert (last["state"], last["taken"]) == ([3, 3], "stop")
    assert sum(last["actions"].values()) == pytest.approx(1)
    assert not last["over"]
    refused = shell.refusal("policy", done, REACH, "--path", "1", "--time", "4")
    assert "the run has 2 steps; found 4" in refused


def test_maps_show_where_it_stops_and_nothing_that_is_no_cell(shell: Shell) -> None:
    done = shell.write("short.toml", changed(DONE, "horizon = 7", "horizon = 3") + SHOWN)
    shell.good("score", done, REACH, "--out", "out")
    overview = json.loads((shell.folder / "out" / "score.json").read_text())["policy"]
    assert all(isinstance(entry["state"], list) for entry in overview["states"])
    assert sum(entry["ends"] for entry in overview["states"]) == pytest.approx(1)
    assert 2 < overview["expected_steps"] < 3
    assert "(stopped)" not in (shell.folder / "out" / "score.html").read_text()
    picture = (shell.folder / "out" / "visits.svg").read_text()
    assert 'class="stop"' in picture
    assert "the agent stops" in picture


def test_learning_and_its_reasons(shell: Shell, done: str) -> None:
    ran = shell.good("learn", done, "--iterations", "8", "--why", "--out", "result")
    assert "(stopped)" not in ran.out
    for file in ("report.html", "result.json", "world.svg"):
        assert "(stopped)" not in (shell.folder / "result" / file).read_text()
    found = shell.good("learn", done, "--iterations", "8", "--why", "--method", "paper", "--json").json
    steps = [step for run in found["why"]["demonstrations"] for step in run["steps"]]
    assert "stop" in {step["action"] for step in steps}
    assert "(stopped)" not in str(found)


def test_paths_that_are_typed_can_be_stopped(shell: Shell, done: str) -> None:
    options = ("--kind", "start", "--iterations", "4", "--most", "2", "--sure", "1", "--seed", "0")
    ran = shell.good("ask", done, *options, "--answers", REACH, "--out", "shown.toml")
    assert "(stopped)" not in ran.out
    assert "(stopped)" not in (shell.folder / "shown.toml").read_text()
    told = shell.good("check", "shown.toml", "--json").json["demonstrations"]
    assert len(told) == 5


def test_what_is_typed_is_read_back() -> None:
    world = gridworld(["a.", ".b"], start=(2, 1), episode=Episode(horizon=3, ends="by choice"))
    stopped = read_path(world, ["left", (1, 1)], complete=True)
    assert read_typed(world, "left stop") == read_typed(world, "left $") == stopped
    assert read_typed(world, "$") == read_typed(world, "stop") == read_path(world, [], complete=True)
    for path in enumerate_paths(world):
        assert read_typed(world, typed(world, path)) == path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["ends = ", "end_probability = 0.5\nends = "], "episode: the end probability is 0.5, but episodes"),
        (['"by choice"', '"by chioce"'], 'expected "by chance" or "by choice", found "by chioce" (did you'),
        (["up = 2", "pu = 2"], 'agent.cost: "pu" has a cost, but is not an action (did you mean "up"?)'),
        (["up = 2", "up = -2"], 'agent.cost: the cost of "up" must be at least 0, and finite; found -2'),
        (["up = 2", "up = inf"], "finite; found inf"),
        (["up = 2", 'up = "much"'], 'agent.cost, "up": expected a number, found "much"'),
        (["up = 2", "stop = 1"], 'agent.cost: "stop" is free where episodes end by choice'),
        (['"right", [3, 2], "down"', '"stop", [3, 2], "down"'], "demonstration 1, step 1: "),
    ],
)
def test_files_that_are_refused(shell: Shell, changes: list[str], message: str) -> None:
    name = shell.write("wrong.toml", changed(DONE + SHOWN, *changes))
    assert message in shell.refusal("check", name)


def test_an_action_of_the_world_with_that_name_is_refused(shell: Shell) -> None:
    name = shell.write("wrong.toml", changed(MDP, '"wait"', '"stop"'))
    assert 'world: the world has an action "stop" of its own' in shell.refusal("check", name)
    name = shell.write("right.toml", changed(MDP, '"wait"', '"stop"', '\nends = "by choice"', ""))
    assert "1 terminal state" not in shell.good("check", name).out


def test_an_idle_action_costs_nothing_unless_told(shell: Shell) -> None:
    name = shell.write("idle.toml", MDP)
    assert shell.good("check", name, "--json").json["costs"] == {"wait": 0, "stop": 0}
    told = shell.write("told.toml", f"{MDP}\n[agent.cost]\nwait = 1\n")
    assert shell.good("check", told, "--json").json["costs"] == {"stop": 0}


def test_a_cost_is_told_to_every_world_that_has_the_action(shell: Shell) -> None:
    worlds = """
[agent.cost]
left = 3
wait = 2
[[worlds]]
name = "map"
kind = "gridworld"
map = ".a"
start = [1, 1]
[worlds.episode]
horizon = 2
ends = "by choice"
[[worlds]]
name = "list"
kind = "mdp"
start = "s"
labels = { t = "a" }
transitions = [["s", "go", { t = 1 }], ["t", "wait", { t = 1 }]]
[worlds.episode]
horizon = 2
"""
    found = shell.good("check", shell.write("two.toml", worlds), "--json").json["worlds"]
    assert [world["costs"] for world in found] == [{"left": 3, "stop": 0}, {"wait": 2}]
    wrong = shell.write("wrong.toml", changed(worlds, "wait = 2", "waits = 2"))
    assert 'agent.cost: "waits" has a cost' in shell.refusal("check", wrong)
