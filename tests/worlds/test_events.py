"""Labels of events, and states with several propositions: built, read from files, and learned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

import pytest

import demospec
from demospec.errors import ImpossibleStep, InputError, WorldError
from demospec.files import load
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem
from demospec.tasks.clauses import parse
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path
from demospec.worlds.world import Episode, Event, State

SIDE = 4


def cliff() -> MDP:
    """Return a corridor of two rows: along the lower one a step down falls, and puts back to the start."""
    rows: list[tuple[State, str, dict[State, float]]] = []
    for row in ("t", "b"):
        for k in range(SIDE):
            here = f"{row}{k}"
            rows.append((here, "right", {f"{row}{min(k + 1, SIDE - 1)}": 1.0}))
            rows.append((here, "up", {f"t{k}": 1.0}))
            rows.append((here, "down", {f"b{k}" if row == "t" else "b0": 1.0}))
    falls: dict[Event, str] = {(f"b{k}", "down", "b0"): "fell" for k in range(1, SIDE)}
    return MDP.build(
        rows, start="b0", episode=Episode(horizon=8), labels={f"b{SIDE - 1}": "goal"}, events=falls
    )


def test_an_event_is_a_state_of_its_own() -> None:
    world = cliff()
    assert world.letters == ("fell", "goal")
    fallen = world.find("b0 · fell")
    assert fallen is not None
    assert world.label(fallen) == "fell"
    assert [world.action(pair) for pair in world.pairs(fallen)] == ["right", "up", "down"]
    path = read_path(world, ["right", "b1", "down", "b0", "right", "b1"], complete=False)
    assert path.word(world, merge_repeats=False) == ("fell",)
    again = read_path(world, ["right", "b1", "down", "b0 · fell", "right", "b1"], complete=False)
    assert again == path
    with pytest.raises(ImpossibleStep):
        read_path(world, ["right", "b0"], complete=False)
    with pytest.raises(WorldError, match="cannot happen"):
        MDP.build(
            [("s", "go", {"s": 1.0})],
            start="s",
            episode=Episode(horizon=2),
            events={("s", "go", "elsewhere"): "fell"},
        )


def test_a_place_and_an_event_make_one_letter() -> None:
    world = MDP.build(
        [("s", "go", {"t": 1.0}), ("s", "jump", {"t": 1.0}), ("t", "go", {"s": 1.0})],
        start="s",
        episode=Episode(horizon=4),
        labels={"t": ["home", "dry"]},
        events={("s", "jump", "t"): ["fell"]},
    )
    assert world.letters == ("dry&fell&home", "dry&home")


def test_falling_can_be_forbidden() -> None:
    bare = Problem.of(cliff(), agent=Learned(), code="words", merge_repeats=True)
    wanted = parse("reach goal; never fell", bare.alphabet)
    shown = demospec.sample(replace(bare, agent=Fixed(100.0)), wanted, count=12, seed=1)
    result = demospec.learn(bare.with_demonstrations(shown), seed=0)
    assert result.best.language == wanted.automaton


ROOMS = """
name = "rooms"

[world]
kind = "mdp"
start = "hall"
labels = { shelf = "key", exit = "goal", "exit*" = ["goal", "key"], "hall*" = "key" }
terminal = ["exit", "exit*"]
transitions = [
  ["hall", "take", { shelf = 1 }], ["hall", "leave", { exit = 1 }], ["hall", "wait", { hall = 1 }],
  ["shelf", "back", { "hall*" = 1 }], ["shelf", "drop", { hall = 1 }],
  ["hall*", "leave", { "exit*" = 1 }], ["hall*", "drop", { hall = 1 }], ["hall*", "wait", { "hall*" = 1 }],
]

[episode]
horizon = 6

[task]
merge_repeats = true
"""


def test_two_propositions_that_hold_at_once_are_learned(tmp_path: FilePath) -> None:
    file = tmp_path / "rooms.toml"
    file.write_text(ROOMS, encoding="utf-8")
    bare = load(file)
    assert bare.alphabet == ("goal", "goal&key", "key")
    wanted = parse("reach goal&key", bare.alphabet)
    shown = demospec.sample(replace(bare, agent=Fixed(50.0)), wanted, count=12, seed=0)
    result = demospec.learn(bare.with_demonstrations(shown), seed=0)
    assert result.best.language == wanted.automaton
    assert "goal&key" in str(result.best.task)
    assert "goal & key" in demospec.DFA.pretty(result.best.language)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('shelf = "key"', "shelf = 3", r"world.labels, \"shelf\": expected .*, found 3"),
        ('["goal", "key"]', '["goal", 3]', r"expected .*, found"),
        ("[episode]", 'events = [["hall", "leave", "exit", []]]\n[episode]', r"has no label"),
        (
            "[episode]",
            'events = [["hall", "leave", "exit", "a"], ["hall", "leave", "exit", "b"]]\n[episode]',
            r"entry 2: this step is listed twice",
        ),
        ("[episode]", 'events = [["hall", "fly", "exit", "a"]]\n[episode]', r"cannot happen"),
        ('["goal", "key"]', '["goal", "a&b"]', r'"a&b" cannot be a proposition'),
    ],
)
def test_bad_labels_are_one_message(tmp_path: FilePath, old: str, new: str, told: str) -> None:
    file = tmp_path / "rooms.toml"
    file.write_text(ROOMS.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=told):
        load(file)


def test_a_problem_with_events_is_written_and_read(tmp_path: FilePath) -> None:
    file = tmp_path / "events.toml"
    text = ROOMS.replace("[episode]", 'events = [["hall", "leave", "exit", ["left", "early"]]]\n\n[episode]')
    file.write_text(text, encoding="utf-8")
    problem = load(file)
    assert problem.alphabet == ("early&goal&left", "goal&key", "key")
    from demospec.files.toml import to_toml
    from demospec.files.writing import problem_document

    again = tmp_path / "again.toml"
    again.write_text(to_toml(problem_document(problem)), encoding="utf-8")
    assert load(again).alphabet == problem.alphabet
