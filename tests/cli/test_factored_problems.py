"""Factored worlds on the command line: the example that ships, its planners, and what a file gets wrong."""

from __future__ import annotations

import sys
import tomllib

import pytest
from command_line import ROBOT, Shell, changed, shell

from demospec import problems
from demospec.files import load
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.sampled import SampledPlanner
from demospec.plan.tabular import PLANNER
from demospec.tasks import DFA
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.mdp import MDP
from factored_worlds import rooms

__all__ = ["shell"]  # the fixture

LAMPS = problems.text("lamps")
TRUTH = ">0: lit→1 | 1: door→2 | *2:"
SMALL = changed(LAMPS, "0..39", "0..5", "bit[40]", "bit[6]")


@pytest.fixture
def lamps(shell: Shell) -> str:
    return shell.write("lamps.toml", LAMPS)


def test_the_task_is_learned_from_the_file_that_ships(shell: Shell, lamps: str) -> None:
    found = shell.good("learn", lamps, "--json", "--iterations", "4").json
    assert DFA.from_json(found["best"]) == DFA.parse(TRUTH)
    assert found["best"]["satisfaction_probability"] == pytest.approx(0.9875, abs=5e-5)


def test_the_file_holds_the_corridor_of_the_documents(shell: Shell, lamps: str) -> None:
    world, expected = load(lamps).world, rooms()
    assert isinstance(world, FactoredWorld)
    assert world.state_count == 40 * 2**40
    assert world.letters == expected.letters
    for state in ("place=2", "place=4 lamp2 lamp39", "place=0 lamp0", "place=39"):
        here, there = world.find(state), expected.find(state)
        assert here is not None
        assert there is not None
        for one, other in zip(world.pairs(here), expected.pairs(there), strict=True):
            reached = {world.name(to): chance for to, chance in world.outcomes(one)}
            assert reached == {expected.name(to): chance for to, chance in expected.outcomes(other)}


def test_the_other_commands_know_such_a_file(shell: Shell, lamps: str) -> None:
    assert "episodes  at most 15 steps" in shell.good("check", lamps).out
    scored = shell.good("score", lamps, TRUTH, "--json").json
    assert [demo["accepted"] for demo in scored["demonstrations"]] == [True, True]
    drawn = shell.good("sample", lamps, TRUTH, "--count", "2").out
    shown = [demo["path"] for demo in tomllib.loads(drawn)["demonstrations"]]
    assert shown == [demo["path"] for demo in tomllib.loads(LAMPS)["demonstrations"]]
    ran = shell.good("learn", lamps, "--iterations", "1", "--why", "--word", "lit door", "--out", "out")
    assert "written to" in ran.out
    assert (shell.folder / "out" / "report.html").is_file()


# -- planners -----------------------------------------------------------------------------------------


def planned(shell: Shell, text: str, planner: str) -> str:
    return shell.write("p.toml", changed(text, 'planner = "diagrams"', planner))


def test_a_factored_world_is_planned_on_diagrams_unless_something_else_is_said(shell: Shell) -> None:
    left_out = load(planned(shell, LAMPS, ""))
    assert left_out.planner == DiagramPlanner()
    table = load(planned(shell, LAMPS, 'planner = { kind = "diagrams", most_nodes = 5000 }'))
    assert table.planner == DiagramPlanner(5000)
    assert load(shell.write("robot.toml", ROBOT)).planner == PLANNER


def test_a_small_factored_world_can_be_listed(shell: Shell) -> None:
    listed = load(planned(shell, SMALL, 'planner = "tabular"'))
    assert listed.planner == PLANNER
    assert isinstance(listed.world, MDP)
    assert len(listed.mdp.states) == 6 * 2**6
    by_table = shell.good("score", "p.toml", TRUTH, "--json").json
    by_diagrams = shell.good("score", shell.write("d.toml", SMALL), TRUTH, "--json").json
    assert by_table["surprise"] == pytest.approx(by_diagrams["surprise"], rel=1e-9)


def test_the_planner_that_plays_the_world_first(shell: Shell) -> None:
    table = 'planner = { kind = "sampled", steps = 300, draws = 3, seed = 7 }'
    assert load(planned(shell, SMALL, table)).planner == SampledPlanner(steps=300, draws=3, seed=7)
    assert load(planned(shell, SMALL, 'planner = "sampled"')).planner == SampledPlanner()
    robot = shell.write("robot.toml", changed(ROBOT, "[agent]", f"[agent]\n{table}"))
    assert load(robot).planner == SampledPlanner(steps=300, draws=3, seed=7)


@pytest.mark.parametrize(
    ("planner", "message"),
    [
        (
            'planner = "diagram"',
            'agent.planner: expected "diagrams" or "sampled" or "tabular", found "diagram"',
        ),
        ("planner = 3", "agent.planner: expected a string or a table, found 3"),
        ('planner = { kind = "table" }', 'agent.planner.kind: expected "tabular" or "diagrams" or "sampled"'),
        (
            'planner = { kind = "diagrams", nodes = 1 }',
            'agent.planner: unknown key "nodes" (did you mean "most_nodes"?)',
        ),
        (
            'planner = { kind = "diagrams", most_nodes = 0 }',
            "agent.planner.most_nodes: expected a whole number >= 1, found 0",
        ),
        ('planner = { kind = "sampled", draws = 1 }', "agent.planner: standard errors need at least 2 draws"),
    ],
)
def test_planners_that_are_refused(shell: Shell, planner: str, message: str) -> None:
    assert message in shell.refusal("check", planned(shell, SMALL, planner))


def test_planners_that_do_not_fit_the_world_are_refused(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = shell.write("robot.toml", changed(ROBOT, "[agent]", '[agent]\nplanner = "diagrams"'))
    assert 'agent.planner: "diagrams" plans worlds of the kind "factored" only' in shell.refusal(
        "check", robot
    )
    monkeypatch.setattr("demospec.worlds.unlisted.MOST_STATES", 100)
    refused = shell.refusal("check", planned(shell, SMALL, 'planner = "tabular"'))
    assert "more than 100 states can be reached" in refused


def test_what_to_install_for_diagrams(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    small = shell.write("small.toml", SMALL)
    monkeypatch.setitem(sys.modules, "oxidd", None)
    monkeypatch.setitem(sys.modules, "oxidd.bdd", None)
    shell.good("check", small)
    assert 'pip install "demospec[diagrams]"' in shell.refusal("score", small, TRUTH)


# -- files that are refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "slip then place",
            "slip place",
            'world.actions.left.place: column 9: expected "then", found "place"',
        ),
        (
            '"not lamp[place]"',
            '"not lmap[place]"',
            'world.actions.switch."lamp[place]": column 5: "lmap" is not',
        ),
        ("start = { place = 2 }", "", 'world: the key "start" is missing'),
        ("start = { place = 2 }", "start = 2", "world.start: expected a table, found 2"),
        ("slip = 0.03125", 'slip = "rare"', 'world.coins, "slip": expected a number, found "rare"'),
        ('door = "place == 0"', "door = 0", 'world.labels, "door": expected a string, found 0'),
        (
            "[world.actions]",
            "action = 1\n[world.actions]",
            'world: unknown key "action" (did you mean "actions"?)',
        ),
        (
            '"place=3 lamp2"',
            '"place=3 lamp40"',
            'demonstration 1, step 4: state "place=3 lamp40" is not in this world',
        ),
    ],
)
def test_files_that_are_refused(shell: Shell, old: str, new: str, message: str) -> None:
    assert f"lamps.toml: {message}" in shell.refusal(
        "check", shell.write("lamps.toml", changed(LAMPS, old, new))
    )


def test_what_needs_every_state_is_refused_and_the_rest_is_told(shell: Shell, lamps: str) -> None:
    told = shell.good("policy", lamps, TRUTH, "--json").json["situations"]
    assert [one["state"] for one in told] == ["place=2"]
    assert sum(told[0]["actions"].values()) == pytest.approx(1)
    assert "needs a world whose states can be listed" in shell.refusal(
        "policy", lamps, TRUTH, "--state", "place=3"
    )
    assert "cannot be listed" in shell.refusal("score", lamps, TRUTH, "--out", "out")
    assert not (shell.folder / "out").exists()
