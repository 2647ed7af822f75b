"""Laws of a plan by itself, in worlds of any size: how what it says fits together."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from demospec.plan.base import ACCEPTED, LABELS
from demospec.testing.checks import QUESTIONS, Case, Check, Places, choices, reachable
from demospec.testing.worlds import random_dfa, random_mdp


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


def policy(check: Check, rng: np.random.Generator) -> None:
    """Σₐ exp(Q − V) = 1."""
    for case in larger_cases(rng):
        made = check.plan(case)
        world = check.world(made, case)
        places = reachable(world, case.monitor)
        number, pairs = choices(world, places)
        log_policy = made.action_values(places.time[number], places.monitor[number], pairs)
        log_policy = log_policy - made.values(*places)[number]
        total = np.bincount(number, np.exp(np.minimum(log_policy, 700.0)))
        check.compare("Σ exp(Q − V)", places, total, np.ones(len(total)))


def backup(check: Check, rng: np.random.Generator) -> None:
    """Q = E[V′], V = ln Σₐ exp Q, and a chance is the policy's average of the chances one step later."""
    for case in larger_cases(rng):
        made, monitor = check.plan(case), case.monitor
        mdp = check.world(made, case)
        places = reachable(mdp, monitor)
        number = {place: at for at, place in enumerate(places.each)}
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
        where, pairs = choices(mdp, places)
        got = made.action_values(places.time[where], places.monitor[where], pairs)
        check.compare("Q", places.at(where), got, all_q)


def labels(check: Check, rng: np.random.Generator) -> None:
    """ACCEPTED + OPEN = 1 without a prior, REVOCABLE = ACCEPTED without a lower bound; else at most that."""
    for case in larger_cases(rng):
        made = check.plan(case)
        places = reachable(check.world(made, case), case.monitor)
        accepted, still_open, revocable = (made.chances(label, *places) for label in LABELS)
        check.compare("chance of ACCEPTED, within 0 and 1,", places, accepted, np.clip(accepted, 0, 1))
        most = 1 - accepted
        check.compare(
            "chance of OPEN", places, still_open, np.clip(still_open, 0, most) if case.prior else most
        )
        check.compare(
            "chance of REVOCABLE",
            places,
            revocable,
            np.clip(revocable, 0, accepted) if case.lower else accepted,
        )


def success_grows(check: Check, rng: np.random.Generator) -> None:
    """p_sat does not fall as λ grows."""
    for end_probability, terminal in ((0.0, 0), (0.05, 2)):
        mdp = random_mdp(
            rng,
            states=8,
            letters="ab",
            horizon=8,
            outcomes=3,
            end_probability=end_probability,
            terminal=terminal,
        )
        task, before = random_dfa(rng, "ab", 4), 0.0
        for rationality in (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0):
            made = check.plan(Case(mdp, task, rationality, merge_repeats=True))
            now = made.satisfaction_probability
            start = Places.of([place for _, place in made.beginnings])
            check.compare("satisfaction_probability", start, [now], made.chances(ACCEPTED, *start))
            check.compare("p_sat, of a less rational agent before,", start, [now], [max(now, before)])
            before = now


def many_at_once(check: Check, rng: np.random.Generator) -> None:
    """plans() gives for each task what plan() gives."""
    first = next(larger_cases(rng))
    cases = [first]
    for states in (1, 1, 2, 3, 5):
        task, rationality = random_dfa(rng, "abc", states), float(rng.uniform(0, 30))
        cases.append(Case(first.mdp, task, rationality, bool(rng.integers(2))))
    cases.append(Case(first.mdp, task, 1000.0, True, prior=task | random_dfa(rng, "abc", 2)))
    for count in (0, 1, len(cases)):
        check.case = first
        together = check.planner.plans(
            first.mdp, [(case.monitor, case.rationality) for case in cases[:count]]
        )
        if len(together) != count:
            check.fail(f"plans() of {count} tasks: found {len(together)} plans")
        for case, made in zip(cases, together, strict=False):
            alone = check.plan(case)
            check.accept(case, made)
            places = reachable(check.world(alone, case), case.monitor)
            for question in QUESTIONS:
                name = f"{question.name}, planned with {count - 1} other tasks,"
                check.compare(name, places, question.many(made, places), question.many(alone, places))


def same_bytes(check: Check, rng: np.random.Generator) -> None:
    """A plan that is made again, or asked again, gives the same bytes."""
    for case in larger_cases(rng):
        made, again = check.plan(case), check.plan(case)
        places = reachable(check.world(made, case), case.monitor)
        for question in QUESTIONS:
            first = np.array(question.many(made, places), dtype=np.float64)
            for name, plan in (("made", again), ("asked", made)):
                other = np.array(question.many(plan, places), dtype=np.float64)
                check.compared[check.law] += first.size
                different = np.flatnonzero(first.view(np.int64) != other.view(np.int64)).tolist()
                if different:
                    at = different[0]
                    check.fail(
                        f"{question.name} at {check.place(places, at)}: found {other[at]!r} when {name} "
                        f"again, expected {first[at]!r}, to the last bit"
                    )


def arrays(check: Check, rng: np.random.Generator) -> None:
    """Arrays of any shape, arrays of nothing and single questions have the same answers."""
    for case in larger_cases(rng):
        made = check.plan(case)
        everywhere = reachable(check.world(made, case), case.monitor)
        places = everywhere.at(rng.integers(len(everywhere.time), size=24))
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
