"""The planner by the conformance suite, and what is the tabular one's own: its layers, threads and bits."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from plan_tables import chance_table, value_table

from demospec.plan import compiled, numpy_backup
from demospec.plan.base import ACCEPTED, LABELS, OPEN, REVOCABLE
from demospec.plan.monitor import make_monitor
from demospec.plan.numpy_backup import backup_of
from demospec.plan.tabular import TabularPlan, TabularPlanner, plan
from demospec.tasks import DFA
from demospec.testing.planners import LAWS, check_planner, choices_at, places_of
from demospec.testing.small_worlds import random_dfa, random_mdp
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
BY_NUMPY = TabularPlanner(by_numpy=True)
PLANNERS = {
    "kept": TabularPlanner(),
    "numpy": BY_NUMPY,
    "recomputed": TabularPlanner(kept=0),
    "numpy, recomputed": TabularPlanner(by_numpy=True, kept=0),
}
each_planner = pytest.mark.parametrize("planner", PLANNERS.values(), ids=PLANNERS.keys())


@each_planner
@pytest.mark.parametrize("law", LAWS)
def test_the_planner_conforms(planner: TabularPlanner, law: str) -> None:
    check_planner(planner, laws=[law], seeds=range(4), tolerance=1e-11)


@pytest.mark.parametrize("lower", [None, DFA.constant(LETTERS, False), DFA.parse(">0: a→1 | *1:", LETTERS)])
def test_a_third_label_is_planned_only_where_it_differs(lower: DFA | None) -> None:
    mdp = random_mdp(np.random.default_rng(4), letters=LETTERS)
    made = plan(mdp, make_monitor(DFA.constant(LETTERS, True), merge_repeats=False, lower=lower), 4.0)
    channel = made.layers.columns.channel
    differs = lower is not None and lower.shortest_word() is not None
    assert (channel[REVOCABLE] != channel[ACCEPTED]) == differs


@pytest.mark.parametrize("end_probability", [0.0, 0.1])
def test_no_rationality_is_the_uniform_policy_where_all_states_offer_equally_much(
    end_probability: float,
) -> None:
    rng = np.random.default_rng(4)
    mdp = random_mdp(rng, letters=LETTERS, same_actions=True, end_probability=end_probability)
    made = plan(mdp, make_monitor(random_dfa(rng, LETTERS, 3), merge_repeats=True), 0.0)
    places = places_of(mdp, made.monitor)
    number, pairs = choices_at(mdp, places)
    q = made.action_values(places.time[number], places.monitor[number], pairs)
    assert q - made.values(*places)[number] == pytest.approx(-math.log(3))


@cache
def hard_world(seed: int) -> tuple[MDP, DFA]:
    rng = np.random.default_rng([seed, 6])
    mdp = random_mdp(
        rng,
        states=8,
        letters=LETTERS,
        horizon=8,
        outcomes=3,
        end_probability=0.05 * (seed % 2),
        terminal=seed % 3,
    )
    return mdp, random_dfa(rng, LETTERS, 4)


def best_probability(mdp: MDP, task: DFA) -> float:
    """Return the maximal satisfaction probability by plain value iteration, repeats merged."""

    @cache
    def best(steps: int, state: int, word_state: int, last: str | None) -> float:
        return max(
            sum(chance * after(steps + 1, target, word_state, last) for target, chance in mdp.outcomes(pair))
            for pair in mdp.pairs(state)
        )

    def after(steps: int, state: int, word_state: int, last: str | None) -> float:
        label = mdp.labels[state]
        if label is not None and label != last:
            word_state, last = task.run([label], word_state), label
        ends = mdp.end_chance(state, steps)
        final = float(task.accepting[word_state])
        return ends * final + (1 - ends) * (best(steps, state, word_state, last) if ends < 1 else 0.0)

    first = mdp.labels[mdp.start]
    return best(0, mdp.start, task.run([] if first is None else [first]), first)


@pytest.mark.parametrize("seed", range(8))
def test_the_most_rational_agent_is_as_good_as_the_best_up_to_its_entropy(seed: int) -> None:
    mdp, task = hard_world(seed)
    made = plan(mdp, make_monitor(task, merge_repeats=True), 1000.0)
    assert np.isfinite(value_table(made)).all()
    assert np.isfinite(chance_table(made, OPEN)).all()
    # λ·p + entropy is maximal at the plan, so λ·(best − p) is at most the largest entropy.
    best, most_entropy = best_probability(mdp, task), mdp.horizon * math.log(3)
    assert best - most_entropy / 1000 <= made.satisfaction_probability <= best + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_padded_and_flat_outcomes_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng([seed, 8])
    mdp = random_mdp(
        rng,
        states=9,
        letters=LETTERS,
        horizon=5,
        outcomes=4,
        terminal=seed % 2,
        same_actions=seed % 3 == 0,
        end_probability=0.1,
    )
    monitor = make_monitor(random_dfa(rng, LETTERS, 3), merge_repeats=True)
    monkeypatch.setattr(numpy_backup, "MOST_PADDING", 100)
    padded = BY_NUMPY.plan(mdp, monitor, 5.0)
    assert backup_of(mdp).padded
    backup_of.cache_clear()
    monkeypatch.setattr(numpy_backup, "MOST_PADDING", 0)
    flat = BY_NUMPY.plan(mdp, monitor, 5.0)
    assert not backup_of(mdp).padded
    backup_of.cache_clear()
    deciding = ~mdp.terminal
    np.testing.assert_allclose(
        value_table(flat)[..., deciding], value_table(padded)[..., deciding], rtol=1e-12
    )
    for label in LABELS:
        one, other = (chance_table(made, label)[..., deciding] for made in (flat, padded))
        np.testing.assert_allclose(one, other, atol=1e-13)


def everything(made: TabularPlan) -> list[np.ndarray]:
    """All numbers of where an episode can be."""
    reachable = np.arange(made.mdp.horizon)[:, None] >= made.layers.structure.depth
    somewhere = (reachable & ~made.mdp.terminal)[:, None, :]
    tables = [value_table(made), *(chance_table(made, label) for label in LABELS)]
    return [np.where(somewhere, table, 0.0) for table in tables]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("width", [1, 20])
def test_all_ways_to_plan_give_the_same_numbers(seed: int, width: int) -> None:
    mdp, _ = hard_world(seed)
    rng = np.random.default_rng([seed, 9])
    tasks = [
        (
            make_monitor(random_dfa(rng, LETTERS, int(rng.integers(1, 6))), merge_repeats=True),
            float(rng.uniform(0, 30)),
        )
        for _ in range(width)
    ]
    alone = [everything(PLANNERS["kept"].plan(mdp, *task)) for task in tasks]
    for name, planner in PLANNERS.items():
        for one, made in zip(alone, planner.plans(mdp, tasks), strict=True):
            for expected, found in zip(one, everything(made), strict=True):
                if "numpy" in name:
                    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
                else:  # the same bits, however many tasks share a pass and whatever is computed again
                    assert np.array_equal(found, expected)


def test_any_number_of_threads_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    mdp, task = hard_world(3)
    monitor = make_monitor(task, merge_repeats=True)
    one = everything(plan(mdp, monitor, 7.0))
    monkeypatch.setattr(compiled, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(compiled, "cores", lambda: 3)
    for expected, found in zip(one, everything(plan(mdp, monitor, 7.0)), strict=True):
        assert np.array_equal(found, expected)


def test_fewer_labels_are_the_same_labels() -> None:
    mdp, task = hard_world(2)
    monitor = make_monitor(task, merge_repeats=True)
    full, quick = plan(mdp, monitor, 7.0), TabularPlanner(labels=(ACCEPTED,)).plan(mdp, monitor, 7.0)
    assert np.array_equal(value_table(full), value_table(quick))
    assert np.array_equal(chance_table(full, ACCEPTED), chance_table(quick, ACCEPTED))
    with pytest.raises(KeyError):
        chance_table(quick, OPEN)


def test_a_windless_corridor_by_hand() -> None:
    # One step: left stays white (rejected), right reaches g (accepted); V = ln(1 + e^λ).
    mdp = gridworld(
        [".g"],
        start=(1, 1),
        episode=Episode(horizon=1),
        wind=Wind(direction="up", probability=0.0),
        blocked="unavailable",
    )
    made = plan(mdp, make_monitor(DFA.parse(">0: g→1 | *1:"), merge_repeats=False), 2.0)
    assert made.mdp.available(mdp.start) == ("right",)
    assert made.satisfaction_probability == 1.0
    mdp = gridworld([".g"], start=(1, 1), episode=Episode(horizon=1))
    made = plan(mdp, make_monitor(DFA.parse(">0: g→1 | *1:"), merge_repeats=False), 2.0)
    # up, down and left stay put; right succeeds.
    assert made.expected_value() == pytest.approx(math.log(3 + math.e**2))
    assert made.satisfaction_probability == pytest.approx(math.e**2 / (3 + math.e**2))
