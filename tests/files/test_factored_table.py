"""Factored worlds as tables: the same world comes back, and what is refused is told by its place."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from demospec.errors import InputError, WorldError
from demospec.files.factored_table import build_factored, factored_document
from demospec.files.tables import FactoredTable
from demospec.testing.small_worlds import random_mdp
from demospec.worlds.expressions import Expression, Value, Variable
from demospec.worlds.factored import FactoredWorld, bit, bits, coin, integer, lift
from demospec.worlds.world import Episode, only_start
from factored_worlds import as_factored, paper_world, random_world, rooms

EPISODE = Episode(horizon=15)
ROOMS = """
variables = { place = "0..39", lamp = "bit[40]" }
coins = { slip = 0.03125 }
start = { place = 2 }
labels = { lit = "place == 4 and lamp[4]", door = "place == 0" }
[actions]
left = { place = "if slip then place else clip(place, place - 1)" }
right = { place = "if slip then place else clip(place, place + 1)" }
switch = { "lamp[place]" = "not lamp[place]" }
"""


def built(document: dict[str, Any], episode: Episode = EPISODE) -> FactoredWorld:
    return build_factored(msgspec.convert({"kind": "factored", **document}, FactoredTable), episode)


def read(text: str) -> FactoredWorld:
    return built(tomllib.loads(text))


def step(world: FactoredWorld, state: str) -> dict[str, dict[Any, float]]:
    """Return what each action that is available in a state can lead to."""
    return {
        world.action(pair): {world.name(to): chance for to, chance in world.outcomes(pair)}
        for pair in world.pairs(numbered(world, state))
    }


def check_alike(one: FactoredWorld, other: FactoredWorld, states: Sequence[str]) -> None:
    """Check that two worlds agree on everything that can be asked of these states."""
    assert [(v.name, v.domain) for v in one.variables] == [(v.name, v.domain) for v in other.variables]
    assert one.actions == other.actions
    assert list(one.conditions) == list(other.conditions)
    assert one.name(only_start(one)) == other.name(only_start(other))
    assert [(c.name, c.probability) for c in one.coins] == [(c.name, c.probability) for c in other.coins]
    for state in states:
        here, there = numbered(one, state), numbered(other, state)
        assert one.label(here) == other.label(there)
        assert one.ends(here) == other.ends(there)
        expected = step(one, state)
        assert step(other, state) == expected
        assert list(step(other, state)) == list(expected)


def numbered(world: FactoredWorld, name: str) -> int:
    """Return the number of a state that the world has."""
    found = world.find(name)
    assert found is not None
    return found


def drawn(world: FactoredWorld, count: int, seed: int = 0) -> list[str]:
    """Return the names of random states."""
    rng = np.random.default_rng(seed)
    return [
        world.name_of({v.name: v.domain[int(rng.integers(len(v.domain)))] for v in world.variables})
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_a_random_world_comes_back(seed: int) -> None:
    rng = np.random.default_rng([seed, 11])
    world = random_world(rng, coins=1 + seed % 3, terminal=seed % 2 == 0, guarded=seed % 3 == 0, lifted=False)
    document = factored_document(world)
    again = built(json.loads(json.dumps(document)), world.episode)
    check_alike(world, again, drawn(world, 40))
    assert factored_document(again) == document


@pytest.mark.parametrize("seed", range(4))
def test_a_listed_world_comes_back(seed: int) -> None:
    world = as_factored(random_mdp(np.random.default_rng([seed, 12]), states=6, actions=3))
    check_alike(world, built(factored_document(world), world.episode), drawn(world, 20))


def test_the_corridor_is_that_of_the_python_program() -> None:
    world = rooms()
    check_alike(world, read(ROOMS), drawn(world, 50))
    document = factored_document(world)
    check_alike(world, built(document), drawn(world, 50))
    assert document == {
        **tomllib.loads(ROOMS),
        "kind": "factored",
        "actions": {
            **tomllib.loads(ROOMS)["actions"],
            "switch": {"lamp[i] for i in 0..39": "lamp[i] xor place == i"},
        },
    }


def test_all_of_a_table_arrives() -> None:
    world = read(
        """
        variables = { n = "-1..2", level = "0..2[3]", p = "bit" }
        coins = { never = 0, heads = 0.5 }
        labels = { low = "all(level[i] == 0 for i in 0..2)", first = "n < 0", p = "p" }
        terminal = "n == 2"
        available = { reset = "p" }
        [start]
        n = -1
        "level[i] for i in 0..1" = 1
        level2 = 2
        p = true
        [actions]
        wait = {}
        reset = { "level[i] for i in 0..2" = 0, p = false }
        up = { n = "n + (if heads then 1 else 0)", "level[clip(0..2, n)]" = "2 - level[clip(0..2, n)]" }
        [every_step]
        p = "never or n == 1"
        """
    )
    assert world.name(only_start(world)) == "n=-1 level0=1 level1=1 level2=2 p"
    assert world.actions == ("wait", "reset", "up")
    assert step(world, "n=1 level0=1 level1=2 level2=0") == {
        "wait": {"n=1 level0=1 level1=2 level2=0 p": 1.0},
        "up": {"n=1 level0=1 level1=0 level2=0 p": 0.5, "n=2 level0=1 level1=0 level2=0": 0.5},
    }
    assert "reset" in step(world, "n=1 level0=1 level1=2 level2=0 p")
    level = "level0={} level1=0 level2=0"
    asked = [f"n=-1 {level}".format(0), f"n=-1 {level}".format(1), f"n=0 {level}".format(1)]
    assert [world.label(numbered(world, state)) for state in asked] == ["low", "first", None]
    end = numbered(world, f"n=2 {level}".format(0))
    assert world.ends(end)
    again = built(factored_document(world))
    check_alike(world, again, [state for state in drawn(world, 60) if "n=2" not in state])


def test_the_order_of_labels_counts() -> None:
    table = tomllib.loads(ROOMS)
    both = {"door": "place == 0", "lit": "lamp[0]"}
    for labels in (both, dict(reversed(both.items()))):
        world = built({**table, "labels": labels})
        assert list(factored_document(world)["labels"]) == list(labels)
        assert world.label(numbered(world, "place=0 lamp0")) == next(iter(labels))


def test_effects_that_are_not_alike_are_written_one_by_one() -> None:
    lamps, n = bits("lamp", 3), integer("n", 0, 9)
    effects: dict[str, dict[str, Expression | Value]] = {
        "some": {"lamp0": n == 0, "lamp1": n == 1},
        "unlike": {"lamp0": n == 0, "lamp1": n == 1, "lamp2": n == 3},
        "unordered": {"lamp1": n == 1, "lamp0": n == 0, "lamp2": n == 2},
        "constant": {"lamp0": False, "lamp1": False, "lamp2": False},
        "alike": {"n": 0, "lamp0": n == 0, "lamp1": n == 1, "lamp2": n == 2},
    }
    world = FactoredWorld(
        variables=[*lamps, n], actions=effects, start={"n": 0}, episode=EPISODE, labels={"a": lamps[0]}
    )
    document = factored_document(world)
    assert document["actions"] == {
        "some": {"lamp[0]": "n == 0", "lamp[1]": "n == 1"},
        "unlike": {"lamp[0]": "n == 0", "lamp[1]": "n == 1", "lamp[2]": "n == 3"},
        "unordered": {"lamp[1]": "n == 1", "lamp[0]": "n == 0", "lamp[2]": "n == 2"},
        "constant": {"lamp[i] for i in 0..2": "false"},
        "alike": {"n": "0", "lamp[i] for i in 0..2": "n == i"},
    }
    check_alike(world, built(document), drawn(world, 30))


NAMED: dict[str, list[Variable]] = {
    "not from 0 on": [bit("a1"), bit("a2")],
    "a gap": [bit("a0"), bit("a2")],
    "alone": [bit("a0")],
    "unlike": [bit("a0"), integer("a1", 0, 1)],
    "the name is taken": [bit("a0"), bit("a1"), bit("a")],
    "digits": [bit("0"), bit("1")],
    "digits within": [bit("a10"), bit("a11")],
    "counters": [bit(name) for name in ("i", "j", "k", "index")] + bits("a", 3),
    "words": [bit("if"), bit("not"), bit("then0"), bit("then1")],
    "signs": [bit("a[0]"), bit("a0"), bit("a1"), bit("ä-b"), bit("`")],
}


@pytest.mark.parametrize("variables", NAMED.values(), ids=NAMED.keys())
def test_any_names_come_back(variables: list[Variable]) -> None:
    last = variables[-1]
    values = {v.name: v.domain[0] for v in variables if not v.is_bit}
    world = FactoredWorld(
        variables=variables,
        actions={"go on": {v.name: ~v for v in variables if v.is_bit}, "wait": {}},
        start=values,
        episode=EPISODE,
        labels={"a": (last == 1 if not last.is_bit else last), "b c": variables[0]},
    )
    check_alike(world, built(json.loads(json.dumps(factored_document(world)))), drawn(world, 20))


REFUSED = [
    ('"0..39"', '"integer"', 'world.variables.place: expected "bit", a range such as "0..9", or an array'),
    ('"0..39"', '"3..2"', 'world.variables.place: variable "place": the range from 3 to 2 is empty'),
    ('"0..39"', '"0..65536"', "world.variables.place: a variable has at most 65536 values; found 65537"),
    ("bit[40]", "bit[10001]", "world.variables.lamp: an array has 1 to 10000 members; found 10001"),
    ("bit[40]", "bit[0]", "world.variables.lamp: an array has 1 to 10000 members; found 0"),
    ("bit[40]", "bit[10000]", "world.variables.lamp: there are more than 10000 variables"),
    (
        '"bit[40]"',
        '"bit[40]", lamp3 = "bit"',
        'world.variables.lamp3: there are two variables with the name "lamp3"',
    ),
    (
        '"bit[40]"',
        '"bit[5]", lamp1 = "bit[9]"',
        'world.variables.lamp1: "lamp1" is the name of an array and of a member',
    ),
    ("lamp =", '"a b" =', 'world.variables."a b": the name "a b" is empty, or has a space'),
    ("0.03125", "1.5", 'world.coins.slip: coin "slip": the probability 1.5 is not between 0 and 1'),
    ("slip = 0", "lamp = 0", 'world.coins.lamp: "lamp" is the name of a variable and of a coin'),
    (
        "{ place = 2",
        "{ plac = 2",
        'world.start: key "plac": column 1: "plac" is not known (did you mean "place"?)',
    ),
    (
        "= 2",
        '= 2, "lamp[place]" = true',
        'world.start: key "lamp[place]": the index must be known before there is a state',
    ),
    ("= 2", '= 2, lamp4 = true, "lamp[4]" = true', 'world.start: key "lamp[4]": "lamp4" gets a value twice'),
    ("= 2", "= 40", 'world: the start: "place" becomes 40; expected a number from 0 to 39'),
    ("= 2", "= 2.0", 'world: the start: "place" becomes 2.0; expected a number from 0 to 39'),
    ("place = 2", "", 'world: the start: the number "place" has no value'),
    ("lamp[4]", "lmap[4]", 'world.labels.lit: column 16: "lmap" is not known (did you mean "lamp"?)'),
    ("place == 0", "place", 'world.labels.door: column 1: expected a condition here; "place" is a number'),
    ("place == 0", "slip", 'world.labels.door: column 1: "slip" is a coin, but only the state decides here'),
    ("door =", '"" =', "world: a label is empty"),
    ("slip then place", "slip place", 'world.actions.left.place: column 9: expected "then", found "place"'),
    (
        "if slip then place else clip(place, place - 1)",
        "slip",
        'world.actions.left.place: column 1: expected a number for "place"; "slip" is a condition',
    ),
    (
        '"if slip then place else clip(place, place - 1)"',
        "1.5",
        "world.actions.left.place: expected a formula, a whole number, true or false; found 1.5",
    ),
    (
        '{ place = "if slip then place else clip(place, place - 1)" }',
        '"place - 1"',
        'world.actions.left: expected a table of effects, found "place - 1"',
    ),
    (
        '"lamp[place]" =',
        '"lamp[plce]" =',
        'world.actions.switch: key "lamp[plce]": column 6: "plce" is not known (did you mean "place"?)',
    ),
    ('"lamp[place]" =', "slip =", 'world.actions.switch: key "slip": column 1: "slip" is no variable'),
    (
        '{ "lamp',
        '{ lamp3 = true, "lamp[3]" = true, "lamp',
        'world.actions.switch: key "lamp[3]": "lamp3" gets a value twice',
    ),
    (
        '"lamp[place]" =',
        '"place for i in 0..1" =',
        'world.actions.switch: key "place for i in 0..1": "place" gets a value twice',
    ),
    (
        '"not lamp[place]"',
        '"not "',
        'world.actions.switch."lamp[place]": column 5: expected a value, found the end',
    ),
    ("[actions]", 'terminal = "place == 2"\n[actions]', 'world: the start state "place=2" is terminal'),
    (
        "[actions]",
        'terminal = "place = 2"\n[actions]',
        'world.terminal: column 7: "=" is no sign of formulas; write "=="',
    ),
    ("[actions]", 'available = { left = "" }\n[actions]', "world.available.left: the formula is empty"),
    (
        "[actions]",
        'available = { lift = "true" }\n[actions]',
        'world: "lift" has a condition in available, but is not an action (did you mean "left"?)',
    ),
    (
        "[actions]",
        "every_step = { wet = true }\n[actions]",
        'world.every_step: key "wet": column 1: "wet" is not known',
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_what_is_refused_is_told_by_its_place(old: str, new: str, message: str) -> None:
    assert old in ROOMS
    with pytest.raises(InputError) as refused:
        read(ROOMS.replace(old, new, 1))
    assert str(refused.value).startswith(message)


def test_a_world_without_actions_is_refused() -> None:
    with pytest.raises(WorldError, match="world: a world needs at least one variable and one action"):
        built({**tomllib.loads(ROOMS), "actions": {}})


def small(**changes: Any) -> FactoredWorld:
    p = bit("p")
    parts = {
        "variables": [p],
        "actions": {"a": {"p": ~p}},
        "start": {},
        "episode": EPISODE,
        "labels": {"l": p},
    }
    return FactoredWorld(**{**parts, **changes})


UNWRITABLE: dict[str, tuple[Callable[[], FactoredWorld], str]] = {
    "function": (paper_world, "world.labels.b: the Python function <lambda> cannot be written as a formula"),
    "function in an effect": (
        lambda: small(actions={"a": {"p": lift(lambda p: not p)(bit("p"))}}),
        "world.actions.a.p: the Python function <lambda> cannot be written as a formula",
    ),
    "gaps": (
        lambda: small(variables=[bit("p"), Variable("n", (1, 3))], start={"n": 1}),
        'the values of "n" are no range, and cannot be written',
    ),
    "kind": (
        lambda: small(actions={"a": {"p": coin("c", 0.5) + 1}}),
        'world.actions.a.p: expected a condition; "(if c then 1 else 0) + 1" is a number',
    ),
}


@pytest.mark.parametrize(("make", "message"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_what_cannot_be_written(make: Callable[[], FactoredWorld], message: str) -> None:
    with pytest.raises(InputError) as refused:
        factored_document(make())
    assert str(refused.value).startswith(message)
