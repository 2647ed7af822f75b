"""The conformance suite finds what is wrong: right planners bent in one way each, and the law that tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np
import pytest

from demospec.errors import InputError
from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE, Plan, Planner
from demospec.plan.monitor import Monitor
from demospec.plan.sampled import SampledPlan, SampledPlanner
from demospec.plan.tabular import PLANNER, TabularPlanner
from demospec.testing.planners import LAWS, check_planner
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.world import Episode, World

Change = Callable[..., Any]


class Bent(Plan):
    """A right plan whose answers are changed; `right` may be for another world or rationality."""

    def __init__(
        self,
        right: Plan,
        world: World,
        rationality: float,
        value: Change | None = None,
        chance: Change | None = None,
    ) -> None:
        super().__init__(world, right.monitor, rationality)
        self.right, self.change_value, self.change_chance = right, value, chance

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        if self.change_value is None:
            return self.right.values(time, monitor, state)
        return np.asarray(self.change_value(self.right, time, monitor, state))

    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        if self.change_chance is None:
            return self.right.chances(label, time, monitor, state)
        return np.asarray(self.change_chance(self.right, label, time, monitor, state))


@dataclass(frozen=True)
class Bender(Planner):
    """A planner that bends what a right one makes."""

    world: Callable[[MDP], MDP] = lambda mdp: mdp
    rationality: Callable[[float], float] = lambda rationality: rationality
    value: Change | None = None
    chance: Change | None = None
    kind: type[Bent] = Bent

    def plan(self, world: World, monitor: Monitor, rationality: float) -> Plan:
        right = PLANNER.plan(self.world(world.listed()), monitor, self.rationality(rationality))
        return self.kind(right, world, rationality, self.value, self.chance)


def rebuilt(mdp: MDP, *, terminal: bool = True, rarest: float = 0.0) -> MDP:
    """The same world with ends ignored (the agent goes on as from the start), or without rare outcomes."""
    rows = []
    for state, name in enumerate(mdp.states):
        source = mdp.start if mdp.terminal[state] else state
        for pair in mdp.pairs(source):
            likely = {mdp.states[s]: p for s, p in mdp.outcomes(pair) if p > rarest}
            total = sum(likely.values())
            shares = {s: p / total for s, p in likely.items()}
            rows.append((name, mdp.actions[mdp.pair_action[pair]], shares))
    return MDP.build(
        rows,
        start=mdp.states[mdp.start],
        labels={s: label for s, label in zip(mdp.states, mdp.labels, strict=True) if label is not None},
        terminal=[s for s, ends in zip(mdp.states, mdp.terminal, strict=True) if ends and terminal],
        states=mdp.states,
        actions=mdp.actions,
        episode=mdp.episode,
    )


def first_start_only(mdp: MDP) -> MDP:
    return replace(mdp, starts=((mdp.starts[0][0], 1.0),))


def forget_end_probability(mdp: MDP) -> MDP:
    return replace(mdp, episode=Episode(horizon=mdp.horizon))


def one_step_late(plan: Plan, time: Ints, monitor: Ints, state: Ints) -> Floats:
    return plan.values(np.maximum(time - 1, 0), monitor, state)


def overflowing(plan: Plan, *place: Ints) -> Floats:
    found = plan.values(*place)
    return np.where(found > 709, np.inf, found)


def instead(label: int, answer: Callable[[Plan, Sequence[Ints]], Floats]) -> Change:
    """Return the chances of one label computed in another way."""
    return lambda plan, asked, *place: answer(plan, place) if asked == label else plan.chances(asked, *place)


NOISE = count()


class Flat(Bent):
    """Loses the shape of what it is asked."""

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        return super().values(time.ravel(), monitor.ravel(), state.ravel())


class OffWhenAlone(Bent):
    """Answers single questions a little differently."""

    def chance(self, label: int, time: int, monitor: int, state: int) -> float:
        return super().chance(label, time, monitor, state) + 1e-6


class Misreads(Bent):
    """Reads many states at once as if they were white."""

    def readings(self, monitor: Ints, state: Ints) -> Ints:
        return monitor


class OneStart(Bent):
    """Takes the first state in which episodes begin for the only one."""

    def expected_value(self) -> float:
        return self.value(*self.beginnings[0][1])


class EqualStarts(Bent):
    """Begins in all of them as often."""

    def expected_chance(self, label: int) -> float:
        return float(np.mean([self.chance(label, *place) for _, place in self.beginnings]))


class Careless(Bender):
    """Plans many tasks with the rationality of the first."""

    def plans(self, world: World, tasks: Sequence[tuple[Monitor, float]]) -> list[Plan]:
        return [Bent(PLANNER.plan(world, monitor, tasks[0][1]), world, own) for monitor, own in tasks]


class Swaps(Bender):
    """Gives the plans of many tasks in another order."""

    def plans(self, world: World, tasks: Sequence[tuple[Monitor, float]]) -> Sequence[Plan]:
        return super().plans(world, tasks)[::-1]


HISTORIES = "V, Q and labels are those of all histories"
PRIOR = "OPEN is what the prior leaves open"
LOWER = "REVOCABLE is what the lower bound leaves open"
RARE = "outcomes as rare as 1e-12 count"
COUNTED = "an aimless agent counts paths"
EXTREMES = "dead ends, loops and goals out of reach"
POLICY = "the policy sums to one"
BACKUP = "V is the soft backup of V one step later"
LABELS_FIT = "labels fit together"
GROWS = "success grows with rationality"
MANY = "many tasks at once are many tasks"
AGAIN = "the same bytes again"
ARRAYS = "arrays are many numbers"
STARTS = "episodes begin as the world says"

WRONG: dict[str, tuple[Any, tuple[str, ...]]] = {
    "wrong sign": (Bender(rationality=lambda x: -x), (HISTORIES, EXTREMES, BACKUP, GROWS)),
    "forgets the end probability": (Bender(world=forget_end_probability), (HISTORIES, EXTREMES, BACKUP)),
    "one step late": (Bender(value=one_step_late), (HISTORIES, COUNTED, EXTREMES, POLICY, BACKUP)),
    "loses ln 2": (
        Bender(value=lambda plan, *place: plan.values(*place) - math.log(2)),
        (HISTORIES, PRIOR, LOWER, RARE, COUNTED, EXTREMES, POLICY, BACKUP),
    ),
    "ignores terminal states": (
        Bender(world=lambda mdp: rebuilt(mdp, terminal=False)),
        (HISTORIES, COUNTED, BACKUP),
    ),
    "plans for the best instead of the soft best": (
        Bender(
            rationality=lambda x: 1000.0,
            value=lambda plan, *place: plan.values(*place) * 0.01,
        ),
        (HISTORIES, COUNTED, POLICY, BACKUP),
    ),
    "ignores the prior": (
        Bender(chance=instead(OPEN, lambda plan, place: 1 - plan.chances(ACCEPTED, *place))),
        (PRIOR, BACKUP),
    ),
    "ignores the lower bound": (
        Bender(chance=instead(REVOCABLE, lambda plan, place: plan.chances(ACCEPTED, *place))),
        (LOWER, BACKUP),
    ),
    "takes what is open for what is revocable": (
        Bender(chance=instead(REVOCABLE, lambda plan, place: plan.chances(OPEN, *place))),
        (HISTORIES, LOWER, RARE, EXTREMES, BACKUP, LABELS_FIT),
    ),
    "more than certain": (
        Bender(chance=instead(ACCEPTED, lambda plan, place: plan.chances(ACCEPTED, *place) * 1.001)),
        (HISTORIES, EXTREMES, LABELS_FIT),
    ),
    "leaves out rare outcomes": (Bender(world=lambda mdp: rebuilt(mdp, rarest=1e-9)), (RARE,)),
    "overflows": (Bender(value=overflowing), (EXTREMES, POLICY, BACKUP)),
    "careless with many": (Careless(), (MANY,)),
    "swaps many": (Swaps(), (MANY,)),
    "a little noise": (
        Bender(value=lambda plan, *place: plan.values(*place) * (1 + 1e-15 * (next(NOISE) % 97))),
        (AGAIN,),
    ),
    "loses shapes": (Bender(kind=Flat), (ARRAYS,)),
    "off when alone": (Bender(kind=OffWhenAlone), (GROWS, ARRAYS)),
    "misreads": (Bender(kind=Misreads), (HISTORIES, BACKUP, ARRAYS)),
    "always begins in one state": (Bender(kind=OneStart), (STARTS,)),
    "plans only where the first start leads": (Bender(world=first_start_only), (STARTS,)),
    "begins anywhere as often": (Bender(kind=EqualStarts), (STARTS,)),
}


@pytest.mark.parametrize(
    ("wrong", "law"), [(wrong, law) for wrong, (_, laws) in WRONG.items() for law in laws]
)
def test_a_wrong_planner_is_caught_by_each_law_that_it_breaks(wrong: str, law: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check_planner(WRONG[wrong][0], laws=[law])
    assert str(caught.value).startswith(f'law "{law}", seed ')


def test_every_law_catches_some_planner() -> None:
    assert {law for _, laws in WRONG.values() for law in laws} == set(LAWS)


def test_a_planner_that_is_only_wrapped_passes() -> None:
    report = check_planner(Bender(), seeds=[5])
    assert min(report.compared.values()) > 10
    assert str(report).count("\n") == len(LAWS) - 1


def test_a_failure_names_law_seed_place_and_numbers() -> None:
    with pytest.raises(AssertionError) as caught:
        check_planner(WRONG["loses ln 2"][0], laws=[COUNTED], seeds=[7])
    message = str(caught.value)
    assert message.startswith('law "an aimless agent counts paths", seed 7: V at time 0, monitor ')
    assert 'state "s0": found ' in message
    assert "off by 0.693 where" in message
    assert "horizon 9, end probability 0)" in message


def test_what_a_planner_raises_is_a_failure() -> None:
    class Raises(Bender):
        def plan(self, world: World, monitor: Monitor, rationality: float) -> Plan:
            if rationality == 1000:
                raise OverflowError("math range error")
            return super().plan(world, monitor, rationality)

    with pytest.raises(
        AssertionError, match=r'law "the policy.*seed 0: OverflowError.*range.*rationality 1000'
    ):
        check_planner(Raises(), laws=[POLICY])


def test_what_is_not_a_plan_for_the_task_is_refused() -> None:
    class Returns(Bender):
        def plan(self, world: World, monitor: Monitor, rationality: float) -> Any:
            return 7 if rationality == 0 else PLANNER.plan(world, monitor, 3.0)

    with pytest.raises(AssertionError, match="returned a int, not a Plan"):
        check_planner(Returns(), laws=[POLICY])
    with pytest.raises(AssertionError, match="the plan's rationality is 3, expected 1"):
        check_planner(Returns(), laws=[HISTORIES])


def test_an_unknown_law_is_refused() -> None:
    with pytest.raises(InputError, match=r'no law "labels fit" \(did you mean "labels fit together"\?\)'):
        check_planner(PLANNER, laws=["labels fit"])


def test_a_tolerance_is_a_tolerance() -> None:
    slightly = Bender(value=lambda plan, *place: plan.values(*place) + 1e-7)
    check_planner(slightly, laws=[COUNTED, BACKUP], tolerance=1e-6)
    with pytest.raises(AssertionError, match="off by 1e-07 where"):
        check_planner(slightly, laws=[COUNTED])


@dataclass(frozen=True)
class Recorder(Bender):
    """Remembers what it was asked to plan for."""

    asked: list[tuple[MDP, Monitor, float]] = field(default_factory=list)

    def plan(self, world: World, monitor: Monitor, rationality: float) -> Plan:
        self.asked.append((world.listed(), monitor, rationality))
        return PLANNER.plan(world, monitor, rationality)


@pytest.mark.parametrize("seed", range(3))
def test_every_seed_covers_what_it_should(seed: int) -> None:
    recorder = Recorder()
    check_planner(recorder, laws=[HISTORIES, PRIOR, LOWER, RARE], seeds=[seed])

    def covered(condition: Callable[[MDP, Monitor, float], object]) -> int:
        return sum(bool(condition(*asked)) for asked in recorder.asked)

    def decided(monitor: Monitor) -> int:
        return sum(all(target == state for target in row) for state, row in enumerate(monitor.table))

    kinds: dict[str, Callable[[MDP, Monitor, float], object]] = {
        "ends by chance": lambda mdp, *_: mdp.episode.end_probability,
        "never ends by chance": lambda mdp, *_: mdp.episode.end_probability == 0,
        "terminal states": lambda mdp, *_: mdp.terminal.any(),
        "no terminal states": lambda mdp, *_: not mdp.terminal.any(),
        "different numbers of actions": lambda mdp, *_: len(set(np.diff(mdp.pair_offset))) > 1,
        "as many actions everywhere": lambda mdp, *_: len(set(np.diff(mdp.pair_offset))) == 1,
        "white states": lambda mdp, *_: None in mdp.labels,
        "one monitor state": lambda _, monitor, __: monitor.states == 1,
        "some of the monitor decided": lambda _, monitor, __: 0 < decided(monitor) < monitor.states,
        "nothing of the monitor decided": lambda _, monitor, __: decided(monitor) == 0,
        "a memory of the last letter": lambda _, monitor, __: monitor.states > 3,
        "a letter that does not occur": lambda mdp, monitor, _: set(monitor.alphabet) > set(mdp.letters),
        "a prior": lambda _, monitor, __: (monitor.open != ~monitor.accepting).any(),
        "a lower bound": lambda _, monitor, __: (monitor.revocable != monitor.accepting).any(),
        "rare outcomes": lambda mdp, *_: mdp.probability.min() < 1e-11,
        "no rationality": lambda _, __, rationality: rationality == 0,
        "most rationality": lambda _, __, rationality: rationality == 1000,
    }
    assert not [name for name, condition in kinds.items() if not covered(condition)]


SAMPLED = SampledPlanner(steps=2_000, draws=30)


def test_a_planner_that_estimates_must_tell_its_standard_errors() -> None:
    with pytest.raises(AssertionError, match="does not tell its standard errors"):
        check_planner(TabularPlanner(), standard_errors=5, laws=[COUNTED])


def test_an_estimate_is_not_exact() -> None:
    with pytest.raises(AssertionError, match="off by"):
        check_planner(SAMPLED, laws=[HISTORIES], seeds=[0])


@pytest.mark.parametrize("too", ["sure", "high"])
def test_an_estimate_that_is_too_sure_or_off_is_caught(too: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if too == "sure":
        right = SampledPlan.standard_errors
        monkeypatch.setattr(SampledPlan, "standard_errors", lambda *asked: right(*asked) / 10)
    else:
        true = SampledPlan.values
        monkeypatch.setattr(SampledPlan, "values", lambda *asked: true(*asked) + 0.5)
    with pytest.raises(AssertionError, match=r"V at time.*off by"):
        check_planner(SAMPLED, standard_errors=5, laws=[HISTORIES], seeds=[0])
