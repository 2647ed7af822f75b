"""What laws are told in: cases, places and questions of planners, one message for what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple, NoReturn, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from demospec.errors import InputError
from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE, Plan, Planner
from demospec.plan.monitor import Monitor, make_monitor
from demospec.tasks import DFA
from demospec.wording import listing, nearest
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.world import show

ROUNDING = 1e-15  # no tolerance is below


@runtime_checkable
class Estimate(Protocol):
    """What a plan with statistical error offers besides: how far off it may be; inf where it cannot tell."""

    def standard_errors(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the standard error of each of `Plan.values`."""
        ...

    def chance_standard_errors(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        """Return the standard error of each of `Plan.chances`."""
        ...


class Places(NamedTuple):
    """Where a plan is asked: arrays of one shape."""

    time: Ints
    monitor: Ints
    state: Ints

    @classmethod
    def of(cls, places: Iterable[tuple[int, int, int]]) -> Places:
        """Make the arrays."""
        return cls(*np.array(list(places), dtype=np.intp).reshape(-1, 3).T)

    @property
    def each(self) -> list[tuple[int, int, int]]:
        """Return (time, monitor, state) of each place."""
        return list(zip(self.time.tolist(), self.monitor.tolist(), self.state.tolist(), strict=True))

    def at(self, chosen: Ints | list[int]) -> Places:
        """Return some of the places."""
        return Places(self.time[chosen], self.monitor[chosen], self.state[chosen])


class Question(NamedTuple):
    """What a plan is asked at a place: V, or the chance of a label."""

    name: str
    label: int | None = None

    def many(self, plan: Plan, places: Places) -> Floats:
        """Ask at all places at once."""
        return plan.values(*places) if self.label is None else plan.chances(self.label, *places)

    def one(self, plan: Plan, place: tuple[int, int, int]) -> float:
        """Ask at one place."""
        return plan.value(*place) if self.label is None else plan.chance(self.label, *place)

    def errors(self, plan: Estimate, places: Places) -> Floats:
        """Ask how far off the answers may be."""
        if self.label is None:
            return plan.standard_errors(*places)
        return plan.chance_standard_errors(self.label, *places)


QUESTIONS = (
    Question("V"),
    Question("chance of ACCEPTED", ACCEPTED),
    Question("chance of OPEN", OPEN),
    Question("chance of REVOCABLE", REVOCABLE),
)


@dataclass(frozen=True, eq=False)
class Case:
    """A world, a task in it, and how the task reads paths."""

    mdp: MDP
    task: DFA
    rationality: float
    merge_repeats: bool = False
    prior: DFA | None = None
    lower: DFA | None = None

    @cached_property
    def monitor(self) -> Monitor:
        """Return the task's monitor."""
        return make_monitor(self.task, merge_repeats=self.merge_repeats, prior=self.prior, lower=self.lower)

    def __str__(self) -> str:
        episode, bounds = self.mdp.episode, (("prior", self.prior), ("lower bound", self.lower))
        parts = [
            f"task {self.task}",
            *(f"{name} {bound}" for name, bound in bounds if bound is not None),
            *["repeats merged"] * self.merge_repeats,
            f"rationality {self.rationality:g}",
            f"{len(self.mdp.states)} states, {int(self.mdp.terminal.sum())} of them terminal",
            f"horizon {episode.horizon}",
            f"end probability {episode.end_probability:g}",
        ]
        return ", ".join(parts)


class Failure(AssertionError):
    """A law that does not hold."""


@dataclass(frozen=True)
class Report:
    """What was checked: how much was compared for each law."""

    compared: Mapping[str, int]

    def __str__(self) -> str:
        return "\n".join(f"{count:>9,}  {law}" for law, count in self.compared.items())


class Checking(Protocol):
    """One run of a suite."""

    compared: Counter[str]

    def begin(self, law: str, seed: int) -> None:
        """Say what is checked now."""
        ...

    def fail(self, message: str, cause: Exception | None = None) -> NoReturn:
        """Raise the one message."""
        ...


Suite = TypeVar("Suite", bound=Checking)


def run_laws(
    check: Suite,
    laws: Mapping[str, Callable[[Suite, np.random.Generator], None]],
    chosen: Iterable[str],
    seeds: Iterable[int],
) -> Report:
    """Check laws with seeds; whatever a law raises besides is told as its failure."""
    wanted, numbers = list(chosen), list(laws)
    for law, seed in product(wanted, list(seeds)):
        check.begin(law, seed)
        try:
            laws[law](check, np.random.default_rng([seed, numbers.index(law)]))
        except Failure:
            raise
        except Exception as error:
            check.fail(f"{type(error).__name__} was raised: {error}", error)
    return Report({law: check.compared[law] for law in wanted})


def chosen_laws(names: Iterable[str] | None, known: Collection[str]) -> list[str]:
    """Return the laws that are asked for, all of them unless some are; refuse one that there is not."""
    chosen = list(known if names is None else names)
    for law in chosen:
        if law not in known:
            raise InputError(
                f'there is no law "{law}"{nearest(law, known)}; laws: {listing(known, len(known))}'
            )
    return chosen


@dataclass
class Check:
    """One run of the suite: what is checked now, how exactly, and how much has been compared."""

    planner: Planner
    tolerance: float
    standard_errors: float
    law: str = ""
    seed: int = 0
    case: Case | None = None
    compared: Counter[str] = field(default_factory=Counter)

    def begin(self, law: str, seed: int) -> None:
        """Say what is checked now."""
        self.law, self.seed, self.case = law, seed, None

    def fail(self, message: str, cause: Exception | None = None) -> NoReturn:
        """Raise the one message."""
        about = "" if self.case is None else f" ({self.case})"
        raise Failure(f'law "{self.law}", seed {self.seed}: {message}{about}') from cause

    def plan(self, case: Case) -> Plan:
        """Let the planner plan for a case."""
        self.case = case
        return self.accept(case, self.planner.plan(case.mdp, case.monitor, case.rationality))

    def accept(self, case: Case, made: object) -> Plan:
        """Refuse what is not a plan for the case."""
        self.case = case
        if not isinstance(made, Plan):
            self.fail(f"the planner returned a {type(made).__name__}, not a Plan")
        if made.rationality != case.rationality:
            self.fail(f"the plan's rationality is {made.rationality:g}, expected {case.rationality:g}")
        if made.monitor is not case.monitor:
            self.fail("the plan's monitor is not the one that was given")
        if self.standard_errors and not isinstance(made, Estimate):
            self.fail("the plan does not tell its standard errors: see demospec.testing.checks.Estimate")
        return made

    def world(self, made: Plan, case: Case) -> MDP:
        """Return the world in which a plan must fit together: an estimate does so in its own."""
        return made.world.listed() if self.standard_errors else case.mdp

    def compare(
        self,
        what: str,
        places: Places,
        found: npt.ArrayLike,
        expected: npt.ArrayLike,
        *,
        slack: Floats | float = 0.0,
        finer: float = 1.0,
    ) -> None:
        """Compare numbers, one for each place, with a tolerance that is `finer` than usual."""
        assert self.case is not None
        got, wanted = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
        if got.shape != wanted.shape:
            self.fail(f"{what}: found an array of shape {got.shape}, expected {wanted.shape}")
        self.compared[self.law] += wanted.size
        allowed = max(self.tolerance * finer, ROUNDING) * np.maximum(1.0, np.abs(wanted)) + slack
        wrong = np.flatnonzero(~(np.abs(got - wanted) <= allowed)).tolist()  # a nan is wrong
        if wrong:
            at = wrong[0]
            self.fail(
                f"{what} at {self.place(places, at)}: found {got[at]:.12g}, expected {wanted[at]:.12g}, "
                f"off by {abs(got[at] - wanted[at]):.3g} where {allowed[at]:.3g} is allowed; "
                f"{len(wrong)} of {wanted.size} are wrong"
            )

    def place(self, places: Places, at: int) -> str:
        """Name a place."""
        assert self.case is not None
        time, monitor, state = places.each[at]
        return f"time {time}, monitor {monitor}, state {show(self.case.mdp.states[state])}"

    def truly(self, made: Plan, places: Places, *expected: npt.ArrayLike, finer: float = 1.0) -> None:
        """Compare answers with the true world's, in the order of `QUESTIONS`, as far as they are given."""
        for question, wanted in zip(QUESTIONS, expected, strict=False):
            slack: Floats | float = 0.0
            if self.standard_errors and isinstance(made, Estimate):
                slack = self.standard_errors * question.errors(made, places)
            self.compare(question.name, places, question.many(made, places), wanted, slack=slack, finer=finer)


def reachable(mdp: MDP, monitor: Monitor) -> Places:
    """Return every (time, monitor, state) in which an agent can stand and choose."""
    found: list[tuple[int, int, int]] = []
    layer = {(monitor.step(0, mdp.labels[state]), state) for state, _ in mdp.starts}
    for time in range(mdp.horizon):
        found += [(time, m, s) for m, s in sorted(layer)]
        layer = {
            (monitor.step(m, mdp.labels[reached]), reached)
            for m, s in layer
            for pair in mdp.pairs(s)
            for reached, _ in mdp.outcomes(pair)
            if mdp.end_chance(reached, time + 1) < 1
        }
    return Places.of(found)


def choices(mdp: MDP, places: Places) -> tuple[Ints, Ints]:
    """Return the state-action pairs of all places: the number of the place, the pair."""
    rows = [(at, pair) for at, state in enumerate(places.state.tolist()) for pair in mdp.pairs(state)]
    number, pair = np.array(rows, dtype=np.intp).T
    return number, pair
