"""Laws that compare a plan with the true world: with all histories of small ones, with others by hand."""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np

from demospec.plan.base import Plan
from demospec.tasks import DFA
from demospec.testing.by_enumeration import ByEnumeration
from demospec.testing.checks import QUESTIONS, Case, Check, Places, choices, reachable
from demospec.testing.worlds import random_dfa, random_mdp
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import Episode, State

LETTERS = ("a", "b")
RARE = 1e-12
REACH = DFA.parse(">0: a→1 | *1:", LETTERS)
AVOID = DFA.parse(">*0: a→1 | 1:", LETTERS)


def compare_with_histories(check: Check, case: Case) -> tuple[Plan, ByEnumeration]:
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
    asked = (
        witness.value,
        witness.satisfaction_probability,
        witness.open_probability,
        witness.revocable_probability,
    )
    check.truly(made, places, *([ask(history) for history in histories] for ask in asked))
    if not check.standard_errors:
        number, pairs = choices(case.mdp, places)
        q = [
            witness.action_value(histories[at], pair) for at, pair in zip(number, pairs.tolist(), strict=True)
        ]
        where = places.at(number)
        check.compare("Q", where, made.action_values(where.time, where.monitor, pairs), q)
    return made, witness


def all_histories(check: Check, rng: np.random.Generator) -> None:
    """Ways to end, numbers of actions, repeats, small and decided monitors, letters that do not occur."""
    kinds = product([False, True], [0.0, 0.25], [0, 1], [False, True])
    for merge_repeats, end_probability, terminal, same_actions in kinds:
        mdp = random_mdp(
            rng,
            actions=2 if same_actions else 3,
            letters=LETTERS,
            end_probability=end_probability,
            terminal=terminal,
            same_actions=same_actions,
        )
        for task, rationality in (
            (random_dfa(rng, LETTERS, 1), 1.0),
            (random_dfa(rng, LETTERS, 3), 10.0),
            (random_dfa(rng, (*LETTERS, "c"), 2), 0.0),
            (REACH if terminal else AVOID, 3.0),
        ):
            compare_with_histories(check, Case(mdp, task, rationality, merge_repeats))


def a_prior(check: Check, rng: np.random.Generator) -> None:
    """OPEN is rejected by the task, but not by the prior."""
    for merge_repeats, end_probability, terminal in product([False, True], [0.0, 0.2], [0, 1]):
        mdp = random_mdp(rng, letters=LETTERS, end_probability=end_probability, terminal=terminal)
        prior = random_dfa(rng, LETTERS, 3)
        task = random_dfa(rng, LETTERS, 2) & prior
        compare_with_histories(check, Case(mdp, task, 4.0, merge_repeats, prior))


def a_lower_bound(check: Check, rng: np.random.Generator) -> None:
    """REVOCABLE is accepted by the task, but not by the bound."""
    for merge_repeats, end_probability, terminal in product([False, True], [0.0, 0.2], [0, 1]):
        mdp = random_mdp(rng, letters=LETTERS, end_probability=end_probability, terminal=terminal)
        lower = random_dfa(rng, LETTERS, 3)
        prior = lower | random_dfa(rng, LETTERS, 2)
        task = (random_dfa(rng, LETTERS, 2) | lower) & prior
        compare_with_histories(check, Case(mdp, task, 4.0, merge_repeats, prior, lower))


def several_starts(check: Check, rng: np.random.Generator) -> None:
    """Where an episode begins is drawn by the world: numbers at the start are averages over its states."""
    if check.standard_errors:
        return  # estimates come from simulators, which begin in one state
    for merge_repeats, end_probability, starts in product([False, True], [0.0, 0.25], [2, 3]):
        mdp = random_mdp(rng, letters=LETTERS, end_probability=end_probability, terminal=1, starts=starts)
        case = Case(mdp, random_dfa(rng, LETTERS, 3), 4.0, merge_repeats)
        made, witness = compare_with_histories(check, case)
        begin = Places.of([place for _, place in made.beginnings])
        check.compare(
            "probability to begin", begin, [p for p, _ in made.beginnings], [p for _, p in mdp.starts]
        )
        anywhere = begin.at([0])
        check.compare("V over all starts", anywhere, [made.expected_value()], [witness.expected_value()])
        expected = (witness.satisfaction_probability(), witness.open_probability())
        for question, wanted in zip(QUESTIONS[1:], (*expected, expected[0]), strict=True):
            assert question.label is not None
            found = made.expected_chance(question.label)
            check.compare(f"{question.name} over all starts", anywhere, [found], [wanted])
        check.compare("p_sat", anywhere, [made.satisfaction_probability], [expected[0]])


def rare_outcomes(check: Check, rng: np.random.Generator) -> None:
    """Outcomes of probability 1e-12 count."""
    for rationality in (0.0, 1.0, 10.0, 1000.0):
        mdp = random_mdp(rng, letters=LETTERS, outcomes=3, rarest=RARE)
        compare_with_histories(check, Case(mdp, random_dfa(rng, LETTERS, 3), rationality))
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


def counted_paths(check: Check, rng: np.random.Generator) -> None:
    """In a deterministic world V of an aimless agent is ln of the number of paths."""
    for terminal in (0, 1, 2):
        mdp = random_mdp(rng, states=9, letters=LETTERS, outcomes=1, terminal=terminal, horizon=9, actions=4)
        paths = np.ones((mdp.horizon + 1, len(mdp.states)))
        for time, state in product(reversed(range(mdp.horizon)), np.flatnonzero(~mdp.terminal).tolist()):
            reached = [mdp.outcomes(pair)[0][0] for pair in mdp.pairs(state)]
            paths[time, state] = paths[time + 1, reached].sum()
        case = Case(mdp, random_dfa(rng, LETTERS, 3), 0.0, merge_repeats=terminal == 1)
        places = reachable(mdp, case.monitor)
        check.truly(check.plan(case), places, np.log(paths[places.time, places.state]))


def extremes(check: Check, rng: np.random.Generator) -> None:
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
