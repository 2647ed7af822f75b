"""Factored worlds: expressions, states that are numbered when they are met, and what is refused."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import paper
from all_paths import enumerate_paths, environment_probability
from demospec.errors import (
    ImpossibleStep,
    InputError,
    PastTheEnd,
    UnavailableAction,
    UnknownState,
    WorldError,
)
from demospec.plan.diagrams import DiagramPlanner
from demospec.problem import Problem
from demospec.report.documents import dumps
from demospec.report.problem_report import check_document
from demospec.worlds import unlisted
from demospec.worlds.factored import FactoredWorld, all_of, any_of, bit, bits, coin, integer, lift
from demospec.worlds.paths import read_path
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.world import Episode, World, only_start, pairs_by_action
from factored_worlds import paper_world, random_world, rooms

P, Q, N, M = bit("p"), bit("q"), integer("n", -2, 3), integer("m", 0, 4)
JOINS = [operator.and_, operator.or_, operator.xor]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
STEPS = Episode(horizon=3)


def world(**changes: Any) -> FactoredWorld:
    """Return a world of P and N, with some of its parts replaced."""
    parts: dict[str, Any] = {
        "variables": [P, N],
        "actions": {"flip": {"p": ~P}, "up": {"n": N.clip(N + 1)}},
        "start": {"n": 0},
        "episode": STEPS,
        "labels": {"a": P},
    }
    return FactoredWorld(**{**parts, **changes})


def chances(world: World, state: int, action: str) -> dict[Any, float]:
    """Return the outcomes of an action by name."""
    pair = pairs_by_action(world, state)[action]
    return {world.name(to): chance for to, chance in world.outcomes(pair)}


def number(world: World, name: str) -> int:
    """Return the number of a state that the world has."""
    found = world.find(name)
    assert found is not None
    return found


@pytest.mark.parametrize("join", JOINS)
def test_conditions_are_joined_as_in_python(join: Callable[[Any, Any], Any]) -> None:
    for p, q in product((False, True), repeat=2):
        given = {"p": p, "q": q}
        assert join(P, Q).at(given) is join(p, q)
        assert join(P, True).at(given) is join(True, P).at(given) is join(p, True)
        assert (~P).at(given) is (not p)
        assert P.then(Q, ~Q).at(given) is (q if p else not q)
        assert (P == Q).at(given) is (p == q)


@pytest.mark.parametrize("compare", COMPARISONS)
def test_numbers_are_compared_and_added_as_in_python(compare: Callable[[Any, Any], Any]) -> None:
    for n, m in product(N.domain, M.domain):
        given = {"n": n, "m": m}
        assert compare(N, M).at(given) is compare(n, m)
        assert compare(N, 1).at(given) is compare(n, 1)
        assert compare(1, N).at(given) is compare(1, n)
        assert (N + M - 1).at(given) == n + m - 1
        assert (2 - N + (1 + M)).at(given) == 2 - n + 1 + m
        assert N.clip(N + M).at(given) == max(-2, min(3, n + m))
        assert (N > M).then(N, 7).at(given) == (n if n > m else 7)
        assert lift(lambda a, b: (a * b) % 3)(N, M).at(given) == (n * m) % 3


def test_many_conditions_at_once() -> None:
    lamps = bits("lamp", 4)
    for lit in product((False, True), repeat=4):
        given = {lamp.name: one for lamp, one in zip(lamps, lit, strict=True)}
        assert all_of(lamps).at(given) is all(lit)
        assert any_of(lamps).at(given) is any(lit)
    assert all_of([]).at({}) is True
    assert any_of([]).at({}) is False
    assert all_of(bits("lamp", 5000)).at({f"lamp{k}": True for k in range(5000)}) is True


def test_what_numpy_returns_is_plain() -> None:
    table = np.array([[0, 1], [2, 3]])
    known = lift(lambda p, q: table[int(p), int(q)] > 1)(P, Q)
    assert known.at({"p": True, "q": False}) is True
    assert type(lift(lambda p: table[int(p), 0])(P).at({"p": True})) is int


def test_an_expression_is_neither_true_nor_a_key() -> None:
    with pytest.raises(WorldError, match="join conditions with &"):
        bool(P)
    with pytest.raises(WorldError, match="join conditions with &"):
        assert 0 < N < 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(P)
    with pytest.raises(WorldError, match="& needs a condition, true or false; found the number 2"):
        (P & N).at({"p": True, "n": 2})
    with pytest.raises(WorldError, match="then needs a condition"):
        N.then(P, Q).at({"p": True, "q": True, "n": 2})


def test_the_papers_world_is_that_of_its_map() -> None:
    factored, grid = paper_world(), paper.WORLD
    for column, row in product(range(1, 9), repeat=2):
        here, there = number(factored, f"column={column} row={row}"), grid.number[column, row]
        assert factored.label(here) == grid.labels[there]
        assert tuple(pairs_by_action(factored, here)) == grid.available(there)
        for action in grid.actions:
            expected = {
                f"column={cell[0]} row={cell[1]}": chance
                for cell, chance in chances(grid, there, action).items()
            }
            assert chances(factored, here, action) == pytest.approx(expected, rel=1e-12)
    assert factored.state_count == len(list(factored.names())) == len(factored.listed().states) == 64
    assert factored.letters == grid.letters


@pytest.mark.parametrize("seed", range(8))
def test_a_listed_world_has_the_same_paths(seed: int) -> None:
    rng = np.random.default_rng([seed, 7])
    factored = random_world(
        rng, horizon=2, end_probability=0.2 * (seed % 2), terminal=seed % 3 == 0, guarded=seed % 4 < 2
    )
    listed = factored.listed()

    def known(mdp: World) -> dict[str, tuple[float, tuple[str, ...]]]:
        return {
            dumps([path.to_file(mdp), path.complete]): (
                environment_probability(mdp, path),
                path.word(mdp, merge_repeats=False),
            )
            for path in enumerate_paths(mdp)
        }

    one, other = known(factored), known(listed)
    assert one.keys() == other.keys()
    for path, (probability, word) in one.items():
        assert other[path][0] == pytest.approx(probability, rel=1e-12)
        assert other[path][1] == word


def test_effects_of_an_action_read_the_old_state_and_those_of_the_world_the_new_one() -> None:
    swap = world(variables=[P, Q], actions={"swap": {"p": Q, "q": P}}, start={"p": True})
    assert chances(swap, only_start(swap), "swap") == {"q": 1.0}
    spill = coin("spill", 0.25)
    follow = world(
        variables=[P, Q],
        actions={"set": {"p": True}, "wait": {}},
        start={},
        every_step={"q": P, "p": P & ~spill},
    )
    assert chances(follow, only_start(follow), "set") == {"p q": 0.75, "q": 0.25}
    assert chances(follow, number(follow, "p"), "wait") == {"p q": 0.75, "q": 0.25}
    assert chances(follow, number(follow, "q"), "wait") == {"-": 1.0}


def test_outcomes_are_merged_by_the_state_reached() -> None:
    first, second = coin("first", 0.5), coin("second", 0.125)
    one = world(actions={"try": {"p": first & second}, "count": {"n": N.clip(N + first + second)}})
    assert chances(one, only_start(one), "try") == {"p n=0": 0.0625, "n=0": 0.9375}
    assert chances(one, only_start(one), "count") == {"n=0": 0.4375, "n=1": 0.5, "n=2": 0.0625}
    assert [c.name for c in one.coins] == ["first", "second"]


def test_coins_that_cannot_fall_two_ways_are_not_thrown() -> None:
    one = world(actions={"never": {"p": coin("x", 0.0)}, "surely": {"p": coin("y", 1.0)}})
    assert one.coins == ()
    assert chances(one, only_start(one), "surely") == {"p n=0": 1.0}


def test_the_first_label_whose_condition_holds_wins() -> None:
    one = world(labels={"both": P & (N == 1), "high": N > 0, "p": P})
    assert [one.label(number(one, s)) for s in ("p n=1", "n=1", "p n=0", "n=0")] == [
        "both",
        "high",
        "p",
        None,
    ]
    assert one.letters == ("both", "high", "p")


def test_states_are_numbered_when_they_are_met() -> None:
    lamps = rooms()
    assert lamps.state_count == 40 * 2**40
    assert len(list(lamps.names())) == 1
    path = read_path(
        lamps,
        ["right", "place=3", "switch", "place=3 lamp3", "right", "place=3 lamp3"],
        complete=None,
    )
    assert not path.complete
    assert len(list(lamps.names())) < 10
    assert path.to_file(lamps)[-1] == "place=3 lamp3"
    state = path.states(lamps)[-1]
    assert lamps.values(state)["place"] == 3
    assert {name for name, value in lamps.values(state).items() if value is True} == {"lamp3"}
    assert lamps.name_of({"lamp3": True, "place": 3}) == "place=3 lamp3"
    assert number(lamps, "lamp3 place=3") == number(lamps, "place=3 lamp3") == state
    assert lamps.find("place=40") is None
    assert lamps.find((3, 3)) is None
    assert lamps.find("place=2 lamp40") is None
    assert lamps.find("place=two") is None


def test_a_tree_in_a_factored_world_is_the_tree_in_the_listed_one() -> None:
    factored = paper_world()
    listed = factored.listed()
    trees = []
    for mdp in (factored, listed):
        shown = [
            read_path(
                mdp,
                [f"column={part[0]} row={part[1]}" if isinstance(part, list) else str(part) for part in file],
                complete=True,
            )
            for file in (paper.XI_G.to_file(paper.WORLD), paper.XI_B.to_file(paper.WORLD))
        ]
        trees.append(PrefixTree.build(mdp, shown))
    one, other = trees
    for field in ("player", "parent", "count", "time", "choice_node", "choice_child", "exit_node"):
        assert np.array_equal(getattr(one, field), getattr(other, field))
    assert one.chance == pytest.approx(other.chance, rel=1e-12, nan_ok=True)
    assert one.environment_surprise == pytest.approx(other.environment_surprise, rel=1e-12)


def test_paths_that_cannot_be_are_refused_by_name() -> None:
    one = world(available={"up": ~P}, terminal=N == 2)
    with pytest.raises(UnavailableAction, match='"up" is not available in state "p n=0"; available: flip'):
        read_path(one, ["flip", "p n=0", "up", "p n=1"], complete=None)
    with pytest.raises(UnknownState, match='state "n=9" is not in this world'):
        read_path(one, ["up", "n=9"], complete=None)
    with pytest.raises(ImpossibleStep, match='leads to "n=2" with probability 0; possible: "n=1" with 1'):
        read_path(one, ["up", "n=2"], complete=None)
    assert read_path(one, ["up", "n=1", "up", "n=2"], complete=None).complete
    with pytest.raises(PastTheEnd, match='state "n=2" is terminal'):
        read_path(one, ["up", "n=1", "up", "n=2", "flip", "p n=2"], complete=None)
    ends = [one.ends(number(one, str(name))) for name in one.names()]
    assert ends == [name == "n=2" or name == "p n=2" for name in one.names()]


def test_a_problem_knows_all_labels_before_they_are_met() -> None:
    problem = Problem.of(rooms(), planner=DiagramPlanner())
    assert problem.alphabet == ("door", "lit")
    with pytest.raises(InputError, match='the world has the label "lit", which is not in the alphabet door'):
        replace(problem, alphabet=("door",))
    document = check_document(problem)
    assert document["letters_never_seen"] == []
    assert document["start"] == "place=2"


def test_a_world_can_be_sent_to_another_process() -> None:
    one = rooms(lamps=(2, 4))
    before = chances(one, number(one, "place=4 lamp2"), "left")
    again = pickle.loads(pickle.dumps(one))
    assert chances(again, number(again, "place=4 lamp2"), "left") == before
    assert list(again.names()) == list(one.names())


def test_only_so_many_states_are_listed() -> None:
    with pytest.raises(WorldError, match=r"more than 1000 states can be reached, of 43980465111040 that"):
        rooms().explored(1000)
    assert len(rooms(count=5, lamps=(4,)).listed().states) == 10


LAMPS = bits("lamp", 13)
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "empty range": (lambda: integer("n", 3, 2), 'variable "n": the range from 3 to 2 is empty'),
    "chance": (lambda: coin("c", 1.5), 'coin "c": the probability 1.5 is not between 0 and 1'),
    "space": (lambda: bit("a b"), 'the name "a b" is empty, or has a space, a comma or = in it'),
    "two variables": (lambda: world(variables=[P, N, bit("p")]), 'two variables with the name "p"'),
    "no action": (lambda: world(actions={}), "at least one variable and one action"),
    "unknown variable changed": (
        lambda: world(actions={"flip": {"pp": ~P}}),
        r'action "flip" changes "pp", which is not a variable \(did you mean "p"\?\); variables: p, n',
    ),
    "unknown variable in the world": (lambda: world(every_step={"z": P}), 'every step changes "z"'),
    "unknown variable read": (lambda: world(labels={"a": Q}), '"q" is used, but is not one of the variables'),
    "another range": (lambda: world(labels={"a": integer("n", 0, 1) == 1}), '"n" is used, but is not one'),
    "unknown action": (
        lambda: world(available={"flipp": P}),
        r'"flipp" has a condition in available, but is not an action \(did you mean "flip"\?\)',
    ),
    "empty label": (lambda: world(labels={"": P}), "a label is empty"),
    "coin in a label": (lambda: world(labels={"a": coin("c", 0.5)}), 'the coin "c" decides a label'),
    "coin as a variable": (
        lambda: world(actions={"flip": {"p": coin("n", 0.5)}}),
        '"n" is the name of a variable and of a coin',
    ),
    "two coins": (
        lambda: world(actions={"flip": {"p": coin("c", 0.5) & coin("c", 0.25)}}),
        'coin "c" has two probabilities: 0.5, 0.25',
    ),
    "number as a label": (lambda: world(labels={"a": N}), 'label "a" needs a condition, true or false'),
    "start without a number": (lambda: world(start={}), 'the start: the number "n" has no value'),
    "start out of range": (
        lambda: world(start={"n": 4}),
        'the start: "n" becomes 4; expected a number from -2 to 3',
    ),
    "start of another kind": (lambda: world(start={"n": 0, "p": 1}), '"p" becomes 1; expected true or false'),
    "start not whole": (lambda: world(start={"n": 1.0}), '"n" becomes 1.0; expected a number from -2 to 3'),
    "start unknown": (lambda: world(start={"n": 0, "r": True}), 'the start: "r" is not a variable'),
    "start terminal": (lambda: world(terminal=N == 0), 'the start state "n=0" is terminal'),
    "nothing available": (
        lambda: world(available={"flip": P, "up": P}).pairs(0),
        'in state "n=0" no action is available; is it terminal?',
    ),
    "out of range": (
        lambda: world(actions={"up": {"n": N + 9}}).listed(),
        'action "up" in state "n=0": "n" becomes 9; expected a number from -2 to 3',
    ),
    "too many coins": (
        lambda: world(
            variables=LAMPS,
            start={},
            labels={},
            actions={"wait": {}},
            every_step={lamp.name: coin(f"c{lamp.name}", 0.5) for lamp in LAMPS},
        ).listed(),
        'action "wait" in state "-" depends on more than 12 coins; the outcomes of at most so many can',
    ),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(WorldError, match=message):
        make()


def test_a_world_that_cannot_be_listed_says_how_to_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unlisted, "MOST_STATES", 100)
    advice = r'more than 100 states .* cannot be listed; plan on decision diagrams \(planner = "diagrams"'
    with pytest.raises(WorldError, match=advice):
        rooms().listed()
    with pytest.raises(WorldError, match=advice):  # the planner that is taken unless told otherwise
        Problem.of(rooms())
    assert Problem.of(rooms(), planner=DiagramPlanner()).alphabet == ("door", "lit")
