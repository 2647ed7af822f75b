"""Conformance of planners: one call checks a planner of one's own against enumeration and the laws of plans.

Some laws are of a plan by itself, in worlds of any size: how what it says fits together. Others compare it
with the true world: with all histories of small ones, with others by hand. The first number that is wrong
ends the check with one message: the law, the seed, the place, what was found and what was expected. Plans are
asked only about where an episode can be.

>>> from demospec.plan.tabular import TabularPlanner
>>> report = check_planner(TabularPlanner(), seeds=[0])
>>> list(report.compared) == list(LAWS)
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise, product
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from demospec.plan.base import ACCEPTED, LABELS, OPEN, REVOCABLE, Plan, Planner
from demospec.plan.monitor import Monitor, make_monitor
from demospec.tasks import DFA
from demospec.testing.laws import LawReport, LawRun, run_laws
from demospec.testing.small_worlds import ByEnumeration, random_dfa, random_mdp
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.paths import Path
from demospec.worlds.world import Episode, State, show

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
        return cls(*np.array(list(places), dtype=np.intp).reshape(-1, 3).T)

    @property
    def each(self) -> list[tuple[int, int, int]]:
        """Return (time, monitor, state) of each place."""
        return list(zip(self.time.tolist(), self.monitor.tolist(), self.state.tolist(), strict=True))

    def at(self, chosen: Ints | list[int]) -> Places:
        return Places(self.time[chosen], self.monitor[chosen], self.state[chosen])


class PlanQuestion(NamedTuple):
    """What a plan is asked at a place: V, or the chance of a label."""

    name: str
    label: int | None = None

    def many(self, plan: Plan, places: Places) -> Floats:
        """Ask at all places at once."""
        return plan.values(*places) if self.label is None else plan.chances(self.label, *places)

    def one(self, plan: Plan, place: tuple[int, int, int]) -> float:
        """Ask at one place."""
        return plan.value(*place) if self.label is None else plan.chance(self.label, *place)


NAMES = {ACCEPTED: "ACCEPTED", OPEN: "OPEN", REVOCABLE: "REVOCABLE"}
QUESTIONS = (PlanQuestion("V"), *(PlanQuestion(f"chance of {NAMES[label]}", label) for label in LABELS))


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


@dataclass
class PlannerCheck(LawRun):
    """One run of the suite: how exactly is compared, and what is planned now."""

    planner: Planner
    tolerance: float
    standard_errors: float

    def plan(self, case: Case) -> Plan:
        """Let the planner plan for a case."""
        self.subject = case
        return self.accept(case, self.planner.plan(case.mdp, case.monitor, case.rationality))

    def accept(self, case: Case, made: object) -> Plan:
        """Refuse what is not a plan for the case."""
        self.subject = case
        if not isinstance(made, Plan):
            self.fail(f"the planner returned a {type(made).__name__}, not a Plan")
        if made.rationality != case.rationality:
            self.fail(f"the plan's rationality is {made.rationality:g}, expected {case.rationality:g}")
        if made.monitor is not case.monitor:
            self.fail("the plan's monitor is not the one that was given")
        if self.standard_errors and not isinstance(made, Estimate):
            self.fail("the plan does not tell its standard errors: see demospec.testing.planners.Estimate")
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
        got, wanted = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
        if got.shape != wanted.shape:
            self.fail(f"{what}: found an array of shape {got.shape}, expected {wanted.shape}")
        self.passed(wanted.size)
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
        assert isinstance(self.subject, Case)
        time, monitor, state = places.each[at]
        return f"time {time}, monitor {monitor}, state {show(self.subject.mdp.states[state])}"

    def truly(self, made: Plan, places: Places, *expected: npt.ArrayLike, finer: float = 1.0) -> None:
        """Compare answers with the true world's, in the order of `QUESTIONS`, as far as they are given."""
        for question, wanted in zip(QUESTIONS, expected, strict=False):
            slack: Floats | float = 0.0
            if self.standard_errors and isinstance(made, Estimate):
                label = question.label
                own = (
                    made.standard_errors(*places)
                    if label is None
                    else made.chance_standard_errors(label, *places)
                )
                slack = self.standard_errors * own
            self.compare(question.name, places, question.many(made, places), wanted, slack=slack, finer=finer)


def places_of(mdp: MDP, monitor: Monitor) -> Places:
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


def choices_at(mdp: MDP, places: Places) -> tuple[Ints, Ints]:
    """Return the state-action pairs of all places: the number of the place, the pair."""
    rows = [(at, pair) for at, state in enumerate(places.state.tolist()) for pair in mdp.pairs(state)]
    number, pair = np.array(rows, dtype=np.intp).T
    return number, pair


def larger_cases(rng: np.random.Generator) -> Iterator[Case]:
    """Yield tasks in worlds with too many histories to list, without and with bounds of the class."""
    for rationality in (0.0, 2.0, 1000.0):
        mdp = random_mdp(
            rng,
            states=10,
            actions=4,
            letters="abc",
            horizon=6,
            end_probability=float(rng.choice([0.0, 0.05])),
            terminal=int(rng.integers(3)),
            outcomes=4,
        )
        task, merge_repeats = random_dfa(rng, "abc", 4), bool(rng.integers(2))
        yield Case(mdp, task, rationality, merge_repeats)
        prior, lower = task | random_dfa(rng, "abc", 2), task & random_dfa(rng, "abc", 2)
        yield Case(mdp, task, rationality, merge_repeats, prior, lower)


def larger_plans(check: PlannerCheck) -> Iterator[tuple[Case, Plan, MDP, Places]]:
    """Yield plans for larger cases, the worlds in which they must fit together, and all places there."""
    for case in larger_cases(check.rng):
        made = check.plan(case)
        world = check.world(made, case)
        yield case, made, world, places_of(world, case.monitor)


def policy_sums_to_one(check: PlannerCheck) -> None:
    """Σₐ exp(Q − V) = 1."""
    for _, made, world, places in larger_plans(check):
        number, pairs = choices_at(world, places)
        log_policy = made.action_values(places.time[number], places.monitor[number], pairs)
        log_policy = log_policy - made.values(*places)[number]
        total = np.bincount(number, np.exp(np.minimum(log_policy, 700.0)))
        check.compare("Σ exp(Q − V)", places, total, np.ones(len(total)))


def backup(check: PlannerCheck) -> None:
    """Q = E[V′], V = ln Σₐ exp Q, and a chance is the policy's average of the chances one step later."""
    for case, made, mdp, places in larger_plans(check):
        monitor, number = case.monitor, {place: at for at, place in enumerate(places.each)}
        final = np.stack(
            [case.rationality * monitor.accepting, monitor.accepting, monitor.open, monitor.revocable]
        )
        found = np.stack([question.many(made, places) for question in QUESTIONS])
        expected, all_q = np.empty_like(found), []
        for (time, m, s), at in number.items():
            after = np.zeros((len(QUESTIONS), len(mdp.pairs(s))))
            for choice, pair in enumerate(mdp.pairs(s)):
                for reached, chance in mdp.outcomes(pair):
                    read = monitor.step(m, mdp.labels[reached])
                    stop = mdp.end_chance(reached, time + 1)
                    after[:, choice] += chance * stop * final[:, read]
                    if stop < 1:
                        after[:, choice] += chance * (1 - stop) * found[:, number[time + 1, read, reached]]
            q, value = after[0], np.logaddexp.reduce(after[0])
            expected[:, at] = [value, *(after[1:] * np.exp(q - value)).sum(axis=1)]
            all_q += q.tolist()
        for question, got, wanted in zip(QUESTIONS, found, expected, strict=True):
            check.compare(question.name, places, got, wanted)
        where, pairs = choices_at(mdp, places)
        got = made.action_values(places.time[where], places.monitor[where], pairs)
        check.compare("Q", places.at(where), got, all_q)


def labels_fit(check: PlannerCheck) -> None:
    """ACCEPTED + OPEN = 1 without a prior, REVOCABLE = ACCEPTED without a lower bound; else at most that."""
    for case, made, _, places in larger_plans(check):
        accepted, still_open, revocable = (made.chances(label, *places) for label in LABELS)
        check.compare("chance of ACCEPTED, within 0 and 1,", places, accepted, np.clip(accepted, 0, 1))
        for name, bound, found, most in (
            ("chance of OPEN", case.prior, still_open, 1 - accepted),
            ("chance of REVOCABLE", case.lower, revocable, accepted),
        ):
            check.compare(name, places, found, np.clip(found, 0, most) if bound else most)


def success_grows(check: PlannerCheck) -> None:
    """p_sat does not fall as λ grows."""
    for end_probability, terminal in ((0.0, 0), (0.05, 2)):
        mdp = random_mdp(
            check.rng,
            states=8,
            letters="ab",
            horizon=8,
            outcomes=3,
            end_probability=end_probability,
            terminal=terminal,
        )
        task, before = random_dfa(check.rng, "ab", 4), 0.0
        for rationality in (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0):
            made = check.plan(Case(mdp, task, rationality, merge_repeats=True))
            now = made.satisfaction_probability
            start = Places.of([place for _, place in made.beginnings])
            check.compare("satisfaction_probability", start, [now], made.chances(ACCEPTED, *start))
            check.compare("p_sat, of a less rational agent before,", start, [now], [max(now, before)])
            before = now


def many_at_once(check: PlannerCheck) -> None:
    """plans() gives for each task what plan() gives."""
    first = next(larger_cases(check.rng))
    cases = [first]
    for states in (1, 1, 2, 3, 5):
        task, rationality = random_dfa(check.rng, "abc", states), float(check.rng.uniform(0, 30))
        cases.append(Case(first.mdp, task, rationality, bool(check.rng.integers(2))))
    cases.append(Case(first.mdp, task, 1000.0, True, prior=task | random_dfa(check.rng, "abc", 2)))
    for count in (0, 1, len(cases)):
        check.subject = first
        together = check.planner.plans(
            first.mdp, [(case.monitor, case.rationality) for case in cases[:count]]
        )
        if len(together) != count:
            check.fail(f"plans() of {count} tasks: found {len(together)} plans")
        for case, made in zip(cases, together, strict=False):
            alone = check.plan(case)
            check.accept(case, made)
            places = places_of(check.world(alone, case), case.monitor)
            for question in QUESTIONS:
                name = f"{question.name}, planned with {count - 1} other tasks,"
                check.compare(name, places, question.many(made, places), question.many(alone, places))


def same_bytes(check: PlannerCheck) -> None:
    """A plan that is made again, or asked again, gives the same bytes."""
    for case, made, _, places in larger_plans(check):
        again = check.plan(case)
        for question in QUESTIONS:
            first = np.array(question.many(made, places), dtype=np.float64)
            for name, plan in (("made", again), ("asked", made)):
                other = np.array(question.many(plan, places), dtype=np.float64)
                check.passed(first.size)
                different = np.flatnonzero(first.view(np.int64) != other.view(np.int64)).tolist()
                if different:
                    at = different[0]
                    check.fail(
                        f"{question.name} at {check.place(places, at)}: found {other[at]!r} when {name} "
                        f"again, expected {first[at]!r}, to the last bit"
                    )


def arrays(check: PlannerCheck) -> None:
    """Arrays of any shape, arrays of nothing and single questions have the same answers."""
    for case, made, _, everywhere in larger_plans(check):
        places = everywhere.at(check.rng.integers(len(everywhere.time), size=24))
        for question in QUESTIONS:
            single = np.array([question.one(made, place) for place in places.each])
            check.compare(f"{question.name} of an array", places, question.many(made, places), single)
            for shape in ((2, 12), (24, 1), (0, 3)):
                size = math.prod(shape)
                asked = Places(*(column[:size].reshape(shape) for column in places))
                found = question.many(made, asked)
                if np.shape(found) != shape:
                    check.fail(
                        f"{question.name}: found an array of shape {np.shape(found)}, expected {shape}"
                    )
                check.compare(f"{question.name} of a table", places, np.ravel(found), single[:size])
        read = [case.monitor.step(m, case.mdp.labels[s]) for _, m, s in places.each]
        check.compare("read()", places, [made.read(m, s) for _, m, s in places.each], read)
        check.compare("readings()", places, made.readings(places.monitor, places.state), read)


# -- Laws that compare a plan with the true world --------------------------------------------------------

LETTERS = ("a", "b")
RARE = 1e-12
REACH = DFA.parse(">0: a→1 | *1:", LETTERS)
AVOID = DFA.parse(">*0: a→1 | 1:", LETTERS)


def compare_with_histories(check: PlannerCheck, case: Case) -> tuple[Plan, ByEnumeration]:
    """Compare a plan with the enumeration of all histories; return both."""
    made = check.plan(case)
    bounds = {"prior": case.prior, "lower": case.lower}
    witness = ByEnumeration(case.mdp, case.task, case.rationality, merge_repeats=case.merge_repeats, **bounds)
    histories = list(witness.histories())

    def place(history: Path) -> tuple[int, int, int]:
        monitor, states = 0, history.states(case.mdp)
        for state in states:
            monitor = case.monitor.step(monitor, case.mdp.labels[state])
        return len(history.steps), monitor, states[-1]

    places = Places.of(map(place, histories))
    chances = ([witness.chance(history, label) for history in histories] for label in LABELS)
    check.truly(made, places, list(map(witness.value, histories)), *chances)
    if not check.standard_errors:
        number, pairs = choices_at(case.mdp, places)
        q = [
            witness.action_value(histories[at], pair) for at, pair in zip(number, pairs.tolist(), strict=True)
        ]
        where = places.at(number)
        check.compare("Q", where, made.action_values(where.time, where.monitor, pairs), q)
    return made, witness


def all_histories(check: PlannerCheck) -> None:
    """Ways to end, numbers of actions, repeats, small and decided monitors, letters that do not occur."""
    kinds = product([False, True], [0.0, 0.25], [0, 1], [False, True])
    for merge_repeats, end_probability, terminal, same_actions in kinds:
        mdp = random_mdp(
            check.rng,
            actions=2 if same_actions else 3,
            letters=LETTERS,
            end_probability=end_probability,
            terminal=terminal,
            same_actions=same_actions,
        )
        for task, rationality in (
            (random_dfa(check.rng, LETTERS, 1), 1.0),
            (random_dfa(check.rng, LETTERS, 3), 10.0),
            (random_dfa(check.rng, (*LETTERS, "c"), 2), 0.0),
            (REACH if terminal else AVOID, 3.0),
        ):
            compare_with_histories(check, Case(mdp, task, rationality, merge_repeats))


def class_bounds(check: PlannerCheck, *, below: bool) -> None:
    """OPEN is rejected by the task and not by the prior; REVOCABLE accepted, but not by the lower bound."""
    for merge_repeats, end_probability, terminal in product([False, True], [0.0, 0.2], [0, 1]):
        mdp = random_mdp(check.rng, letters=LETTERS, end_probability=end_probability, terminal=terminal)
        lower = random_dfa(check.rng, LETTERS, 3) if below else None
        prior, task = (random_dfa(check.rng, LETTERS, states) for states in (2 if below else 3, 2))
        if lower is not None:
            prior, task = prior | lower, task | lower
        compare_with_histories(check, Case(mdp, task & prior, 4.0, merge_repeats, prior, lower))


def several_starts(check: PlannerCheck) -> None:
    """Where an episode begins is drawn by the world: numbers at the start are averages over its states."""
    if check.standard_errors:
        return  # estimates come from simulators, which begin in one state
    for merge_repeats, end_probability, starts in product([False, True], [0.0, 0.25], [2, 3]):
        mdp = random_mdp(
            check.rng, letters=LETTERS, end_probability=end_probability, terminal=1, starts=starts
        )
        case = Case(mdp, random_dfa(check.rng, LETTERS, 3), 4.0, merge_repeats)
        made, witness = compare_with_histories(check, case)
        begin = Places.of([place for _, place in made.beginnings])
        check.compare(
            "probability to begin", begin, [p for p, _ in made.beginnings], [p for _, p in mdp.starts]
        )
        anywhere = begin.at([0])
        check.compare("V over all starts", anywhere, [made.expected_value()], [witness.expected_value()])
        for question, label in zip(QUESTIONS[1:], LABELS, strict=True):
            found, expected = made.expected_chance(label), witness.chance(label=label)
            check.compare(f"{question.name} over all starts", anywhere, [found], [expected])
        check.compare("p_sat", anywhere, [made.satisfaction_probability], [witness.chance()])


def rare_outcomes(check: PlannerCheck) -> None:
    """Outcomes of probability 1e-12 count."""
    for rationality in (0.0, 1.0, 10.0, 1000.0):
        mdp = random_mdp(check.rng, letters=LETTERS, outcomes=3, rarest=RARE)
        compare_with_histories(check, Case(mdp, random_dfa(check.rng, LETTERS, 3), rationality))
        lucky = MDP.build(
            [("s", "try", {"s": 1 - RARE, "won": RARE}), ("won", "stay", {"won": 1.0})],
            start="s",
            labels={"won": "a"},
            episode=Episode(horizon=1),
        )
        made = check.plan(Case(lucky, REACH, rationality))
        chances = ([RARE], [1 - RARE], [RARE])
        # A thousandth of the rare outcome, at the usual tolerance: else leaving it out would not be seen.
        check.truly(made, Places.of([(0, 0, 0)]), [rationality * RARE], *chances, finer=1e-6)


def counted_paths(check: PlannerCheck) -> None:
    """In a deterministic world V of an aimless agent is ln of the number of paths."""
    for terminal in (0, 1, 2):
        mdp = random_mdp(
            check.rng, states=9, letters=LETTERS, outcomes=1, terminal=terminal, horizon=9, actions=4
        )
        paths = np.ones((mdp.horizon + 1, len(mdp.states)))
        for time, state in product(reversed(range(mdp.horizon)), np.flatnonzero(~mdp.terminal).tolist()):
            reached = [mdp.outcomes(pair)[0][0] for pair in mdp.pairs(state)]
            paths[time, state] = paths[time + 1, reached].sum()
        case = Case(mdp, random_dfa(check.rng, LETTERS, 3), 0.0, merge_repeats=terminal == 1)
        places = places_of(mdp, case.monitor)
        check.truly(check.plan(case), places, np.log(paths[places.time, places.state]))


def extremes(check: PlannerCheck) -> None:
    """Dead ends, loops, goals out of reach, worlds of one state: by hand, at any rationality."""
    never, always = ([0.0], [1.0], [0.0]), ([1.0], [0.0], [1.0])
    rungs = [f"rung {k}" for k in range(6)]
    ladder: list[tuple[State, str, dict[State, float]]] = [("rung 5", "wait", {"rung 5": 1.0})]
    for low, high in pairwise(rungs):
        ladder += [(low, "up", {high: 1.0}), (low, "wait", {low: 1.0})]
    fork: list[tuple[State, str, dict[State, float]]] = [
        ("s", "fall", {"trap": 1.0}),
        ("s", "win", {"goal": 1.0}),
        ("trap", "stay", {"trap": 1.0}),
        ("goal", "stay", {"goal": 1.0}),
    ]
    for rationality, ends in product((0.0, 1.0, 30.0, 1000.0), (0.0, 0.3)):
        episode = Episode(horizon=4, end_probability=ends)
        # One action leads to a state that only loops, the other to the goal: V = ln(1 + exp λ).
        value = rationality + math.log1p(math.exp(-rationality))
        chance = math.exp(rationality - value)
        by_chance = ([chance], [math.exp(-value)], [chance])
        for terminal in ((), ("goal",), ("trap", "goal")):
            mdp = MDP.build(fork, start="s", labels={"goal": "a"}, terminal=terminal, episode=episode)
            made = check.plan(Case(mdp, REACH, rationality))
            check.truly(made, Places.of([(0, 0, mdp.start)]), [value], *by_chance)
            if "trap" not in terminal:
                check.truly(made, Places.of([(1, 0, mdp.number["trap"])]), [0.0], *never)
            if "goal" not in terminal:
                check.truly(made, Places.of([(1, 1, mdp.number["goal"])]), [rationality], *always)
        # The goal is one step beyond the horizon, or nowhere: V = ln 2 for each step that is still taken.
        times = range(4)
        aimless = np.array([math.fsum((1 - ends) ** step for step in range(4 - time)) for time in times])
        aimless *= math.log(2)
        for label in ("a", "b"):
            mdp = MDP.build(ladder, start="rung 0", labels={"rung 5": label}, episode=episode)
            waiting = Places.of([(time, 0, mdp.start) for time in times])
            made = check.plan(Case(mdp, REACH, rationality))
            check.truly(made, waiting, aimless, *(chance * 4 for chance in never))
            made = check.plan(Case(mdp, AVOID, rationality))
            check.truly(made, waiting, aimless + rationality, *(chance * 4 for chance in always))
        alone = MDP.build(
            [("s", "stay", {"s": 1.0})], start="s", labels={"s": "a"}, episode=Episode(horizon=1)
        )
        made = check.plan(Case(alone, REACH, rationality))
        check.truly(made, Places.of([(0, 1, 0)]), [rationality], *always)


# -- Conformance of planners -----------------------------------------------------------------------------

LAWS: dict[str, Callable[[PlannerCheck], None]] = {
    "V, Q and labels are those of all histories": all_histories,
    "OPEN is what the prior leaves open": partial(class_bounds, below=False),
    "REVOCABLE is what the lower bound leaves open": partial(class_bounds, below=True),
    "outcomes as rare as 1e-12 count": rare_outcomes,
    "an aimless agent counts paths": counted_paths,
    "dead ends, loops and goals out of reach": extremes,
    "the policy sums to one": policy_sums_to_one,
    "V is the soft backup of V one step later": backup,
    "labels fit together": labels_fit,
    "success grows with rationality": success_grows,
    "many tasks at once are many tasks": many_at_once,
    "the same bytes again": same_bytes,
    "arrays are many numbers": arrays,
    "episodes begin as the world says": several_starts,
}


def check_planner(
    planner: Planner,
    *,
    tolerance: float = 1e-9,
    seeds: Iterable[int] = range(3),
    standard_errors: float = 0.0,
    laws: Iterable[str] | None = None,
) -> LawReport:
    """Check a planner; an AssertionError tells the first thing that is wrong.

    A number may be off by `tolerance`, relative where it is larger than 1. A planner that estimates is given
    `standard_errors`: what it says of the true world may be off by so many of its own besides, which its
    plans tell (`Estimate`). It still has to fit together to within `tolerance` in the world that its plans
    hold: the policy sums to one, the backup holds. `laws` are names from `LAWS`; all of them unless given.
    """
    numbers = list(seeds)
    return run_laws(
        LAWS, laws, lambda: (PlannerCheck(planner, tolerance, standard_errors, seed=seed) for seed in numbers)
    )
