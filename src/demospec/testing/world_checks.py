"""Conformance of worlds: one call checks a world of one's own against what everything else relies on.

States are met from the starts on, at most so many. The first thing that is wrong ends the check with one
message: the law, the place, what was found and what was expected.

>>> import demospec
>>> report = check_world(demospec.load_example("delivery").world)
>>> list(report.compared) == list(LAWS)
True
"""

from __future__ import annotations

import math
import pickle
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from demospec.errors import WorldError
from demospec.testing.laws import LawReport, LawRun, run_laws
from demospec.wording import listing
from demospec.worlds.world import ENDS, STOP, STOPPED, Episode, State, World, show

MOST = 2_000  # states that are met unless told otherwise
TOLERANCE = 1e-9  # on probabilities
NOBODY = "no state has this name"


class StateTold(NamedTuple):
    """What a world says about one state."""

    name: State
    label: str | None
    ends: bool
    pairs: range
    offers: tuple[tuple[str, Sequence[tuple[int, float]]], ...]  # action and outcomes, pair by pair
    costs: tuple[float, ...]  # pair by pair


def ask(world: World, state: int) -> StateTold:
    """Ask a world about one state."""
    pairs = world.pairs(state)
    offers = tuple((world.action(pair), tuple(world.outcomes(pair))) for pair in pairs)
    costs = tuple(map(world.cost, pairs))
    return StateTold(world.name(state), world.label(state), world.ends(state), pairs, offers, costs)


@dataclass
class WorldCheck(LawRun):
    """One run of the suite: the world, and how many of its states are met."""

    world: World
    most: int

    def expect(self, holds: bool, message: str) -> None:
        """Compare once; fail where it does not hold."""
        self.passed()
        if not holds:
            self.fail(message)

    def same(self, what: str, found: object, expected: object) -> None:
        """Compare two answers."""
        self.expect(found == expected, f"{what}: found {found!r}, expected {expected!r}")

    @cached_property
    def met(self) -> dict[int, StateTold]:
        """Return what the world says about the states that episodes can reach, when it is asked first."""
        found: dict[int, StateTold] = {}
        todo = deque(state for state, _ in self.world.starts)
        while todo and len(found) < self.most:
            state = todo.popleft()
            if state not in found:
                found[state] = ask(self.world, state)
                todo.extend(reached for _, outcomes in found[state].offers for reached, _ in outcomes)
        return found

    @property
    def pairs(self) -> list[tuple[str, str, int, Sequence[tuple[int, float]]]]:
        """Return the place, the action, the number and the outcomes of each state-action pair met."""
        return [
            (f"state {show(told.name)}, action {show(action)}", action, pair, outcomes)
            for told in self.met.values()
            for pair, (action, outcomes) in zip(told.pairs, told.offers, strict=True)
        ]


# -- laws -----------------------------------------------------------------------------------------------


def can_be_asked(check: WorldCheck) -> None:
    """Every state that is reached is told by a whole number, and the world answers questions about it."""
    for state, told in check.met.items():
        check.expect(isinstance(state, int), f"the state {state!r} is not a whole number")
        check.expect(
            isinstance(told.pairs, range) and told.pairs.step == 1,
            f"state {show(told.name)}: pairs() is {told.pairs!r}, not a range without gaps",
        )


def names_lead_back(check: WorldCheck) -> None:
    """A state's name leads back to it, and to no other."""
    world, seen = check.world, dict[State, int]()
    for state, told in check.met.items():
        name = told.name
        cell = isinstance(name, tuple) and len(name) == 2 and all(isinstance(k, int) for k in name)
        check.expect(
            isinstance(name, str) or cell, f"the name {name!r} is neither text nor two whole numbers"
        )
        other = seen.setdefault(name, state)
        check.expect(other == state, f"states {other} and {state} have one name, {show(name)}")
        check.same(f"find({show(name)})", world.find(name), state)
    known = list(world.names())
    check.same("names that names() has twice", twice(known), [])
    check.same("names that names() lacks", [name for name in seen if name not in set(known)], [])
    nobody = NOBODY
    while nobody in known:
        nobody += "′"
    check.same(f"find({show(nobody)})", world.find(nobody), None)


def outcomes_are_distributions(check: WorldCheck) -> None:
    """What a pair leads to has positive probabilities that sum to 1, each state once."""
    for place, _, _, outcomes in check.pairs:
        distribution(check, place, outcomes)


def distribution(check: WorldCheck, place: str, chances: Sequence[tuple[int, float]]) -> None:
    """Check states with their probabilities."""
    called = [show(check.world.name(state)) for state, _ in chances]
    for name, (_, chance) in zip(called, chances, strict=True):
        impossible = f"{place}: {name} has the probability {chance:g}; leave out what cannot happen"
        check.expect(0 < chance <= 1 + TOLERANCE, impossible)
    check.same(f"{place}: states that are there twice", twice(called), [])
    total = math.fsum(chance for _, chance in chances)
    check.expect(abs(total - 1) <= TOLERANCE, f"{place}: probabilities sum to {total:.9g}, not 1")


def twice(items: Iterable[Hashable]) -> list[Hashable]:
    """Return what is there more than once."""
    return [item for item, count in Counter(items).items() if count > 1]


def pairs_are_told_apart(check: WorldCheck) -> None:
    """A pair belongs to one state and a named action, and a state offers an action once."""
    actions = check.world.actions
    check.same("actions that are there twice", twice(actions), [])
    owner: dict[int, str] = {}
    for place, action, pair, _ in check.pairs:
        check.expect(action in actions, f"{place}: not one of the actions {listing(actions)}")
        first = owner.setdefault(pair, place)
        check.expect(first == place, f"{place}: pair {pair} is that of {first} already")
    for told in check.met.values():
        offered = [action for action, _ in told.offers]
        check.same(f"actions that state {show(told.name)} offers twice", twice(offered), [])


def terminal_states(check: WorldCheck) -> None:
    """Nothing can be chosen in a terminal state, something in all others."""
    for told in check.met.values():
        kind = "is terminal" if told.ends else "is not terminal"
        found = f"state {show(told.name)} {kind}, and has {len(told.offers)} state-action pairs"
        check.expect(bool(told.offers) != told.ends, found)


def labels_are_letters(check: WorldCheck) -> None:
    """A label is None or one of the letters, which are sorted, each once, none of them empty."""
    letters = check.world.letters
    check.same("letters", tuple(letters), tuple(sorted(set(letters))))
    check.expect("" not in letters, "a letter is empty; white states have the label None")
    for told in check.met.values():
        found = f"state {show(told.name)} has the label {told.label!r}; letters: {listing(letters)}"
        check.expect(told.label is None or told.label in letters, found)


def starts(check: WorldCheck) -> None:
    """Where episodes begin is a distribution over states that are not terminal."""
    begin = check.world.starts
    distribution(check, "starts", begin)
    for state, _ in begin:
        told = ask(check.world, state)
        check.expect(not told.ends, f"the start state {show(told.name)} is terminal")


def episodes_end(check: WorldCheck) -> None:
    """An episode ends surely in terminal states and at the horizon, before that by the end probability."""
    world, episode = check.world, check.world.episode
    check.expect(isinstance(episode, Episode), f"the episode is a {type(episode).__name__}")
    horizon = episode.horizon
    times = sorted({1, 2, max(1, horizon - 1), horizon, horizon + 1})
    for state, told in check.met.items():
        for time in times:
            sure = told.ends or time >= horizon
            expected = 1.0 if sure else episode.end_probability
            found = world.end_chance(state, time)
            check.same(f"end_chance() of state {show(told.name)} at step {time}", found, expected)


def episodes_can_be_stopped(check: WorldCheck) -> None:
    """Where episodes end by choice, every state has `stop`: free, and surely to one white terminal state."""
    world = check.world
    check.expect(world.episode.ends in ENDS, f"episodes end {show(world.episode.ends)}")
    if not world.episode.by_choice:
        return
    for told in check.met.values():
        place = f'state {show(told.name)}, action "{STOP}"'
        found = [k for k, (action, _) in enumerate(told.offers) if action == STOP]
        check.same(f"{place}: how often it is offered", len(found), 0 if told.ends else 1)
        for k in found:
            after = [(world.name(state), chance) for state, chance in told.offers[k][1]]
            check.same(place, after, [(STOPPED, 1.0)])
            check.same(f"cost of {place}", told.costs[k], 0.0)
    stopped = world.find(STOPPED)
    if stopped is None:
        check.fail(f"there is no state {show(STOPPED)}")
    check.same(f"label and end of {show(STOPPED)}", (world.label(stopped), world.ends(stopped)), (None, True))


def costs(check: WorldCheck) -> None:
    """What a step costs is a number, finite and at least 0."""
    for told in check.met.values():
        for (action, _), cost in zip(told.offers, told.costs, strict=True):
            place = f'state {show(told.name)}, action "{action}"'
            check.expect(math.isfinite(cost) and cost >= 0, f"{place}: the cost is {cost:g}")


def the_same_again(check: WorldCheck) -> None:
    """What was said once is said again: numbers stay, whatever has been asked in between."""
    begin = check.world.starts
    for state, told in reversed(check.met.items()):
        agree(check, told, ask(check.world, state), "asked again")
    check.same("starts, asked again", check.world.starts, begin)


def agree(check: WorldCheck, told: StateTold, again: StateTold, how: str) -> None:
    """Compare what is said about one state."""
    for part, expected, found in zip(StateTold._fields, told, again, strict=True):
        check.same(f"{part} of state {show(told.name)}, {how}", found, expected)


def the_same_listed(check: WorldCheck) -> None:
    """As arrays it is the same world, by the names of states and actions."""
    met, world = check.met, check.world
    if any(state not in met for _, _, _, outcomes in check.pairs for state, _ in outcomes):
        return  # there are more states: to list them could take long, and memory
    try:
        mdp = world.listed()
    except WorldError:
        return  # it may refuse
    check.same("the episode, listed", mdp.episode, world.episode)
    check.same("labels, listed, that are no letters", sorted(set(mdp.letters) - set(world.letters)), [])
    same_chances(check, "starts, listed", chances_by_name(mdp, mdp.starts), world.starts)
    for told in met.values():
        number, place = mdp.find(told.name), f"state {show(told.name)}, listed"
        if number is None:
            check.fail(f"{place}: there is no such state")
        check.same(f"label of {place}", mdp.label(number), told.label)
        check.same(f"end of {place}", mdp.ends(number), told.ends)
        found = {mdp.action(pair): chances_by_name(mdp, mdp.outcomes(pair)) for pair in mdp.pairs(number)}
        check.same(f"actions of {place}", sorted(found), sorted(action for action, _ in told.offers))
        spent = {mdp.action(pair): mdp.cost(pair) for pair in mdp.pairs(number)}
        expected = {action: cost for (action, _), cost in zip(told.offers, told.costs, strict=True)}
        check.same(f"costs of {place}", spent, expected)
        for action, outcomes in told.offers:
            same_chances(check, f'action "{action}" in {place}', found[action], outcomes)


def chances_by_name(world: World, chances: Iterable[tuple[int, float]]) -> dict[State, float]:
    """Return probabilities by the names of states."""
    return {world.name(state): chance for state, chance in chances}


def same_chances(
    check: WorldCheck, place: str, found: dict[State, float], told: Sequence[tuple[int, float]]
) -> None:
    """Compare a distribution with the one that the world tells, but for rounding."""
    expected = chances_by_name(check.world, told)
    check.expect(
        found.keys() == expected.keys()
        and all(math.isclose(found[name], expected[name], abs_tol=TOLERANCE) for name in found),
        f"{place}: found {found!r}, expected {expected!r}",
    )


def pickled(check: WorldCheck) -> None:
    """Another process gets the same world: paths hold its numbers."""
    again: Any = pickle.loads(pickle.dumps(check.world))
    for part in ("starts", "episode", "actions", "letters"):
        check.same(f"{part}, pickled", getattr(again, part), getattr(check.world, part))
    for state, told in check.met.items():
        agree(check, told, ask(again, state), "pickled")


LAWS: dict[str, Callable[[WorldCheck], None]] = {
    "what is reached can be asked about": can_be_asked,
    "names and numbers are inverse": names_lead_back,
    "outcomes are distributions": outcomes_are_distributions,
    "a pair is one action of one state": pairs_are_told_apart,
    "terminal states offer nothing, others something": terminal_states,
    "labels are letters": labels_are_letters,
    "episodes begin by a distribution, and not at their end": starts,
    "episodes end as told": episodes_end,
    "episodes that end by choice can be stopped": episodes_can_be_stopped,
    "costs are numbers": costs,
    "the same answers again": the_same_again,
    "listed, it is the same world": the_same_listed,
    "pickled, it is the same world": pickled,
}


def check_world(world: World, *, most: int = MOST, laws: Iterable[str] | None = None) -> LawReport:
    """Check a world; an AssertionError tells the first thing that is wrong.

    Laws are checked on the first `most` states that episodes reach. A world with more is not listed.
    `laws` are names from `LAWS`; all of them unless given.
    """
    check = WorldCheck(world, most)
    return run_laws(LAWS, laws, lambda: [check])
