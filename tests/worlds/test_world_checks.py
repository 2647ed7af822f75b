"""The conformance suite of worlds: all of ours pass, and a wrong one is caught by the law that it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from toy_world import Corridor, Place

import demospec
from demospec import problems
from demospec.errors import InputError, WorldError
from demospec.explain.pursuing import sample
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.small_worlds import random_mdp
from demospec.testing.world_checks import LAWS, check_world
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path
from demospec.worlds.simulator import Experience, WorldSimulator
from demospec.worlds.world import Episode, Starts, State, World
from factored_worlds import as_factored, random_world, rooms

ASKED, NAMES, OUTCOMES, PAIRS, TERMINAL, LETTERS, STARTS, ENDS, STOPS, COSTS, AGAIN, LISTED, PICKLED = LAWS
KEY_THEN_DOOR = DFA.parse(">0: key→1 | 1: door→2 | *2:")


def estimated() -> MDP:
    experience = Experience(WorldSimulator(random_mdp(np.random.default_rng(2), terminal=1), seed=0))
    experience.explore(np.random.default_rng(0), 200)
    return experience.world()


OURS: dict[str, World] = {
    **{name: demospec.load_example(name).world for name in problems.names()},
    "one start": random_mdp(np.random.default_rng(0)),
    "several starts": random_mdp(np.random.default_rng(1), states=7, terminal=2, starts=3, horizon=5),
    "ends by chance": random_mdp(np.random.default_rng(1), states=7, starts=2, end_probability=0.1),
    "grid": gridworld(
        [".a.", "b.c"],
        start={(1, 1): 0.5, (3, 1): 0.5},
        wind=Wind(direction="up", probability=0.25),
        blocked="unavailable",
        terminal=[(3, 2)],
        episode=Episode(horizon=1),
    ),
    "estimated": estimated(),
    "factored": rooms(count=6, lamps=(2, 4), end_probability=0.25),
    "told by rules": Corridor(),
    "grid, by choice": gridworld(
        ["a.", "b."], start=(2, 1), terminal=[(1, 2)], episode=Episode(horizon=3, ends="by choice")
    ),
    "factored, by choice": rooms(count=6, lamps=(2, 4), ends="by choice"),
    "told by rules, by choice": Corridor("by choice"),
}


@pytest.mark.parametrize("name", OURS)
def test_a_world_conforms(name: str) -> None:
    report = check_world(OURS[name])
    assert list(report.compared) == list(LAWS)
    nothing = [law for law, number in report.compared.items() if number == 0]
    assert nothing == ([LISTED] if name == "lamps" else [])  # which has too many states
    assert str(report).count("\n") == len(LAWS) - 1


@pytest.mark.parametrize("seed", range(6))
def test_random_factored_worlds_conform(seed: int) -> None:
    rng, laws = np.random.default_rng([seed, 3]), [law for law in LAWS if law != PICKLED]
    world = random_world(rng, terminal=bool(seed % 2), guarded=seed % 3 > 0, end_probability=0.2)
    check_world(world, laws=laws)  # functions that are lifted there are lambdas, which cannot be pickled
    check_world(as_factored(random_mdp(rng, starts=2)))


def test_a_world_with_too_many_states_is_checked_as_far_as_is_said() -> None:
    world = rooms()
    report = check_world(world, most=50)
    assert len(list(world.names())) < 500
    assert report.compared[LISTED] == 0
    assert min(number for law, number in report.compared.items() if law != LISTED) > 0


def test_a_task_is_learned_in_a_world_of_ones_own() -> None:
    bare = Problem.of(Corridor(), agent=Fixed(20.0))
    drawn = sample(bare, KEY_THEN_DOOR, count=4, seed=1)
    world = Corridor()  # where nothing has been met, so that its numbers are others
    shown = [
        read_path(world, path.named(bare.world), complete=True, start=bare.world.name(path.first(bare.world)))
        for path in drawn
    ]
    problem = Problem.of(world, shown, agent=Fixed(20.0))
    assert problem.words == tuple(path.word(world, merge_repeats=False) for path in shown)
    result = demospec.learn(problem.with_settings(iterations=30), seed=0)
    assert result.best.task == KEY_THEN_DOOR
    again = demospec.learn(bare.with_demonstrations(drawn).with_settings(iterations=30), seed=0)
    assert again.best == result.best


# -- wrong worlds -----------------------------------------------------------------------------------------


class Bent:
    """A right world, one of whose answers is changed by those who derive from it."""

    def __init__(self) -> None:
        self.right = MDP.build(
            [
                ("s", "go", {"t": 0.5, "u": 0.5}),
                ("s", "stay", {"s": 1.0}),
                ("t", "go", {"s": 0.25, "end": 0.75}),
                ("u", "stay", {"u": 1.0}),
            ],
            start={"s": 0.5, "t": 0.5},
            labels={"t": "a", "u": "b"},
            terminal=["end"],
            episode=Episode(horizon=3, end_probability=0.125),
        )

    @property
    def episode(self) -> Episode:
        return self.right.episode

    @property
    def starts(self) -> Starts:
        return self.right.starts

    @property
    def actions(self) -> tuple[str, ...]:
        return self.right.actions

    @property
    def letters(self) -> tuple[str, ...]:
        return self.right.letters

    def pairs(self, state: int) -> range:
        return self.right.pairs(state)

    def action(self, pair: int) -> str:
        return self.right.action(pair)

    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        return self.right.outcomes(pair)

    def cost(self, pair: int) -> float:
        return self.right.cost(pair)

    def label(self, state: int) -> str | None:
        return self.right.label(state)

    def ends(self, state: int) -> bool:
        return self.right.ends(state)

    def end_chance(self, state: int, steps: int) -> float:
        return self.right.end_chance(state, steps)

    def name(self, state: int) -> State:
        return self.right.name(state)

    def find(self, name: State) -> int | None:
        return self.right.find(name)

    def names(self) -> Iterable[State]:
        return self.right.names()

    def listed(self) -> MDP:
        return self.right


class LeadsNowhere(Bent):
    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        return [(7, 1.0)]


class ListsPairs(Bent):
    def pairs(self, state: int) -> Any:
        return list(self.right.pairs(state))


class OneNameForTwo(Bent):
    def name(self, state: int) -> State:
        return "s" if self.right.name(state) == "u" else self.right.name(state)


class Forgets(Bent):
    def find(self, name: State) -> int | None:
        return None if name == "u" else self.right.find(name)


class FindsAnything(Bent):
    def find(self, name: State) -> int | None:
        return self.right.number.get(name, 0)


class NamesTwice(Bent):
    def names(self) -> Iterable[State]:
        return [*self.right.names(), "s"]


class LosesChances(Bent):
    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        return [(state, 0.9 * chance) for state, chance in self.right.outcomes(pair)]


class KeepsTheImpossible(Bent):
    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        found = self.right.outcomes(pair)
        return found if len(found) > 1 else [*found, (1 - found[0][0] % 2, 0.0)]


class SaysItTwice(Bent):
    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        return [(state, chance / 2) for state, chance in self.right.outcomes(pair)] * 2


class SharesPairs(Bent):
    def pairs(self, state: int) -> range:
        return range(0) if self.ends(state) else range(2)


class CallsActionsOtherwise(Bent):
    def action(self, pair: int) -> str:
        return self.right.action(pair).upper()


class OffersTwice(Bent):
    def action(self, pair: int) -> str:
        return "go"


class GoesOnAfterTheEnd(Bent):
    def ends(self, state: int) -> bool:
        return self.right.ends(state) or self.right.name(state) == "u"


class StopsWithoutAnEnd(Bent):
    def ends(self, state: int) -> bool:
        return False


class LabelsOtherwise(Bent):
    def label(self, state: int) -> str | None:
        return "c" if state == 1 else self.right.label(state)


class UnsortedLetters(Bent):
    @property
    def letters(self) -> tuple[str, ...]:
        return ("b", "a")


class SeldomBegins(Bent):
    @property
    def starts(self) -> Starts:
        return self.right.starts[:1]


class BeginsAtTheEnd(Bent):
    @property
    def starts(self) -> Starts:
        return ((self.right.number["s"], 0.5), (self.right.number["end"], 0.5))


class NeverBegins(Bent):
    @property
    def starts(self) -> Starts:
        return ()


class ForgetsTheHorizon(Bent):
    def end_chance(self, state: int, steps: int) -> float:
        return 1.0 if self.ends(state) else self.episode.end_probability


class NeverEndsByChance(Bent):
    def end_chance(self, state: int, steps: int) -> float:
        return float(self.ends(state) or steps >= self.episode.horizon)


class CannotBeStopped(Bent):
    @property
    def episode(self) -> Episode:
        return Episode(horizon=3, ends="by choice")

    def end_chance(self, state: int, steps: int) -> float:
        return float(self.ends(state) or steps >= 3)


class Pays(Bent):
    def cost(self, pair: int) -> float:
        return -1.0


class ListsOtherCosts(Bent):
    def listed(self) -> MDP:
        return self.right.priced({"go": 2.0})


class ChangesItsMind(Bent):
    def __init__(self) -> None:
        super().__init__()
        self.asked = count()

    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        found = self.right.outcomes(pair)
        return found[::-1] if next(self.asked) % 2 else found


class ListsAnother(Bent):
    def listed(self) -> MDP:
        return replace(self.right, labels=self.right.labels[::-1])


class ListsOneStart(Bent):
    def listed(self) -> MDP:
        return replace(self.right, starts=((self.right.starts[0][0], 1.0),))


class ListsAnotherEnd(Bent):
    def listed(self) -> MDP:
        return replace(self.right, episode=Episode(horizon=3))


class ListsOtherChances(Bent):
    def listed(self) -> MDP:
        return replace(self.right, probability=self.right.probability[::-1])


class CannotBeSent(Bent):
    def __init__(self) -> None:
        super().__init__()
        self.open = lambda: None


class Renumbers(Corridor):
    """Begins anew in another process, where states are met in another order."""

    def __reduce__(self) -> Any:
        return MetElsewhere, ()


class MetElsewhere(Corridor):
    def begin(self) -> dict[Place, float]:
        return dict(reversed(super().begin().items()))


class FindsWhatIsNot(Corridor):
    def read(self, name: State) -> Any:
        return name


class BrokenRule(Corridor):
    def labelled(self, key: Place) -> str | None:
        return {1: "key", 2: None, 3: None}[key[0]]


WRONG: dict[type[Any], tuple[str, str]] = {
    LeadsNowhere: (ASKED, "IndexError was raised"),
    BrokenRule: (ASKED, "KeyError was raised: 4"),
    NeverBegins: (STARTS, "starts: probabilities sum to 0, not 1"),
    ListsPairs: (ASKED, r'state "s": pairs\(\) is \[0, 1\], not a range without gaps'),
    OneNameForTwo: (NAMES, 'states 0 and 2 have one name, "s"'),
    Forgets: (NAMES, r'find\("u"\): found None, expected 2'),
    FindsAnything: (NAMES, r'find\("no state has this name"\): found 0, expected None'),
    FindsWhatIsNot: (NAMES, r'find\("no state has this name"\): found \d+, expected None'),
    NamesTwice: (NAMES, r"names that names\(\) has twice: found \['s'\], expected \[\]"),
    LosesChances: (OUTCOMES, 'state "s", action "go": probabilities sum to 0.9, not 1'),
    KeepsTheImpossible: (OUTCOMES, 'state "s", action "stay": "t" has the probability 0; leave out'),
    SaysItTwice: (
        OUTCOMES,
        r"""action "go": states that are there twice: found \['"t"', '"u"'\]""",
    ),
    SharesPairs: (PAIRS, 'state "t", action "go": pair 0 is that of state "s", action "go" already'),
    CallsActionsOtherwise: (PAIRS, 'state "s", action "GO": not one of the actions go, stay'),
    OffersTwice: (PAIRS, r"""actions that state "s" offers twice: found \['go'\], expected \[\]"""),
    GoesOnAfterTheEnd: (TERMINAL, 'state "u" is terminal, and has 1 state-action pairs'),
    StopsWithoutAnEnd: (TERMINAL, 'state "end" is not terminal, and has 0 state-action pairs'),
    LabelsOtherwise: (LETTERS, """state "t" has the label 'c'; letters: a, b"""),
    UnsortedLetters: (LETTERS, r"letters: found \('b', 'a'\), expected \('a', 'b'\)"),
    SeldomBegins: (STARTS, "starts: probabilities sum to 0.5, not 1"),
    BeginsAtTheEnd: (STARTS, 'the start state "end" is terminal'),
    ForgetsTheHorizon: (ENDS, r'end_chance\(\) of state "s" at step 3: found 0.125, expected 1.0'),
    NeverEndsByChance: (ENDS, r'end_chance\(\) of state "s" at step 1: found 0.0, expected 0.125'),
    CannotBeStopped: (STOPS, 'state "s", action "stop": how often it is offered: found 0, expected 1'),
    Pays: (COSTS, 'state "s", action "go": the cost is -1'),
    ListsOtherCosts: (LISTED, r"costs of state "),
    ChangesItsMind: (AGAIN, 'offers of state "[st]", asked again: found'),
    ListsAnother: (LISTED, """label of state "t", listed: found 'b', expected 'a'"""),
    ListsOneStart: (LISTED, r"starts, listed: found {'s': 1.0}, expected {'s': 0.5, 't': 0.5}"),
    ListsAnotherEnd: (LISTED, "the episode, listed: found"),
    ListsOtherChances: (LISTED, 'action "go" in state "s", listed: found'),
    CannotBeSent: (PICKLED, "was raised: Can't"),
    Renumbers: (PICKLED, r"starts, pickled: found \(\(0, 0.25\), \(1, 0.75\)\), expected \(\(0, 0.75\), "),
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_a_wrong_world_is_caught_by_the_law_that_it_breaks(wrong: type[Any]) -> None:
    law, message = WRONG[wrong]
    with pytest.raises(AssertionError, match=message) as caught:
        check_world(wrong())
    assert str(caught.value).startswith(f'law "{law}": ')
    with pytest.raises(AssertionError, match=message):  # also when it is the only one that is asked for
        check_world(wrong(), laws=[law])


def test_every_law_catches_some_world() -> None:
    assert {law for law, _ in WRONG.values()} == set(LAWS)


def test_a_world_that_is_only_wrapped_passes() -> None:
    assert min(check_world(Bent()).compared.values()) > 0


def test_a_world_may_refuse_to_be_listed() -> None:
    class Refuses(Bent):
        def listed(self) -> MDP:
            raise WorldError("there are too many states")

    laws = [law for law in LAWS if law != PICKLED]  # classes of a function cannot be sent
    assert check_world(Refuses(), laws=laws).compared[LISTED] == 0


def test_an_unknown_law_is_refused() -> None:
    with pytest.raises(InputError, match=r'no law "labels" \(did you mean "labels are letters"\?\)'):
        check_world(Corridor(), laws=["labels"])
