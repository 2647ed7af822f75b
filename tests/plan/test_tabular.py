"""The planner against the enumeration of all histories, and the laws that every plan obeys."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest

from demospec.demos import Path
from demospec.domains.gridworld import Wind, gridworld
from demospec.mdp import MDP, Episode
from demospec.monitor import counts_repeats, make_monitor
from demospec.plan import compiled, numpy_backup
from demospec.plan.base import ACCEPTED, LABELS, OPEN, REVOCABLE, Plan
from demospec.plan.numpy_backup import backup_of
from demospec.plan.tabular import TabularPlan, TabularPlanner, plan
from demospec.tasks import DFA
from demospec.testing.by_enumeration import ByEnumeration
from demospec.testing.worlds import enumerate_paths, random_dfa, random_mdp

LETTERS = ("a", "b")
BY_NUMPY = TabularPlanner(by_numpy=True)
PLANNERS = {
    "kept": TabularPlanner(),
    "numpy": BY_NUMPY,
    "recomputed": TabularPlanner(kept=0),
    "numpy, recomputed": TabularPlanner(by_numpy=True, kept=0),
}
each_planner = pytest.mark.parametrize("planner", PLANNERS.values(), ids=PLANNERS.keys())
KINDS = list(itertools.product([False, True], [0.0, 0.25], [0, 1], [False, True]))


def where(made: Plan, path: Path) -> tuple[int, int, int]:
    """Return (time, monitor, state) of a history."""
    monitor = 0
    for state in path.states(made.mdp):
        monitor = made.read(monitor, state)
    return len(path.steps), monitor, path.states(made.mdp)[-1]


def action_values(made: Plan, at: tuple[int, int, int]) -> list[float]:
    time, monitor, state = at
    pairs = np.array(made.mdp.pairs(state), dtype=np.intp)
    q = made.action_values(np.full_like(pairs, time), np.full_like(pairs, monitor), pairs)
    return [float(x) for x in q]


def assert_agrees(made: Plan, witness: ByEnumeration) -> None:
    for history in witness.histories():
        at = where(made, history)
        assert made.value(*at) == pytest.approx(witness.value(history), rel=1e-12, abs=1e-11)
        expected = [witness.action_value(history, pair) for pair in witness.pairs(history)]
        assert action_values(made, at) == pytest.approx(expected, rel=1e-12, abs=1e-11)
        log_policy = [witness.log_policy(history, pair) for pair in witness.pairs(history)]
        assert np.array(action_values(made, at)) - made.value(*at) == pytest.approx(log_policy, abs=1e-10)
        accepted, still_open, revocable = (made.chance(label, *at) for label in LABELS)
        assert accepted == pytest.approx(witness.satisfaction_probability(history), abs=1e-12)
        assert still_open == pytest.approx(witness.open_probability(history), abs=1e-12)
        assert revocable == pytest.approx(witness.revocable_probability(history), abs=1e-12)
    assert made.satisfaction_probability == pytest.approx(witness.satisfaction_probability(), abs=1e-12)


@each_planner
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("merge_repeats", "end_probability", "terminal", "same_actions"), KINDS)
def test_values_policy_and_labels_are_those_of_all_histories(
    planner: TabularPlanner,
    seed: int,
    merge_repeats: bool,
    end_probability: float,
    terminal: int,
    same_actions: bool,
) -> None:
    rng = np.random.default_rng([seed, 1])
    mdp = random_mdp(
        rng,
        actions=2 if same_actions else 3,
        letters=LETTERS,
        end_probability=end_probability,
        terminal=terminal,
        same_actions=same_actions,
    )
    assert (backup_of(mdp).actions > 0) >= same_actions
    for states, rationality in [(1, 1.0), (2, 3.0), (3, 10.0)]:
        task = random_dfa(rng, LETTERS, states)
        made = planner.plan(mdp, make_monitor(task, merge_repeats=merge_repeats), rationality)
        assert_agrees(made, ByEnumeration(mdp, task, rationality, merge_repeats=merge_repeats))


@each_planner
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("merge_repeats", [False, True])
def test_with_a_prior_the_second_label_is_rejected_but_allowed(
    planner: TabularPlanner, seed: int, merge_repeats: bool
) -> None:
    rng = np.random.default_rng([seed, 2])
    mdp = random_mdp(rng, letters=LETTERS, end_probability=0.2, terminal=1)
    prior = random_dfa(rng, LETTERS, 3)
    task = random_dfa(rng, LETTERS, 2) & prior
    made = planner.plan(mdp, make_monitor(task, merge_repeats=merge_repeats, prior=prior), 4.0)
    assert_agrees(made, ByEnumeration(mdp, task, 4.0, merge_repeats=merge_repeats, prior=prior))


@each_planner
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("merge_repeats", [False, True])
@pytest.mark.parametrize("same_actions", [False, True])
def test_with_a_lower_bound_a_third_label_is_accepted_but_not_demanded(
    planner: TabularPlanner, seed: int, merge_repeats: bool, same_actions: bool
) -> None:
    rng = np.random.default_rng([seed, 4])
    mdp = random_mdp(rng, letters=LETTERS, end_probability=0.2, terminal=1, same_actions=same_actions)
    lower = random_dfa(rng, LETTERS, 3)
    prior = lower | random_dfa(rng, LETTERS, 2)
    task = (random_dfa(rng, LETTERS, 2) | lower) & prior
    bounds = {"prior": prior, "lower": lower}
    made = planner.plan(mdp, make_monitor(task, merge_repeats=merge_repeats, **bounds), 4.0)
    assert_agrees(made, ByEnumeration(mdp, task, 4.0, merge_repeats=merge_repeats, **bounds))
    extra = made.layers.columns.channel[REVOCABLE] != made.layers.columns.channel[ACCEPTED]
    assert extra == (lower.shortest_word() is not None)


def test_the_random_cases_cover_what_they_should() -> None:
    counting = different = white = fans = excluded = 0
    for seed in range(4):
        rng = np.random.default_rng([seed, 1])
        mdp = random_mdp(rng, letters=LETTERS)
        tasks = [random_dfa(rng, LETTERS, states) for states in (1, 2, 3)]
        paths = enumerate_paths(mdp)
        counting += sum(map(counts_repeats, tasks))
        different += sum(
            task.accepts(path.word(mdp, merge_repeats=True))
            != task.accepts(path.word(mdp, merge_repeats=False))
            for task in tasks
            for path in paths
        )
        white += None in mdp.labels
        fans += len(set(np.diff(mdp.pair_offset).tolist())) > 1
        rng = np.random.default_rng([seed, 2])
        mdp = random_mdp(rng, letters=LETTERS, end_probability=0.2, terminal=1)
        prior = random_dfa(rng, LETTERS, 3)
        excluded += sum(
            not prior.accepts(path.word(mdp, merge_repeats=True)) for path in enumerate_paths(mdp)
        )
    assert min(counting, different, white, fans, excluded) > 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rationality", [0.0, 2.0, 1000.0])
def test_policy_rows_sum_to_one_on_larger_worlds(seed: int, rationality: float) -> None:
    rng = np.random.default_rng([seed, 3])
    mdp = random_mdp(
        rng, states=12, actions=4, letters="abc", horizon=6, end_probability=0.05, terminal=2, outcomes=4
    )
    monitor = make_monitor(random_dfa(rng, "abc", 4), merge_repeats=bool(seed % 2))
    made = plan(mdp, monitor, rationality)
    deciding = np.flatnonzero(~mdp.terminal).tolist()
    for at in itertools.product(range(mdp.horizon), range(monitor.states), deciding):
        if made.layers.structure.depth[at[2]] > at[0]:
            continue
        q = np.array(action_values(made, at))
        assert np.exp(q - made.value(*at)).sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("end_probability", [0.0, 0.1])
def test_no_rationality_is_the_uniform_policy_where_all_states_offer_equally_much(
    end_probability: float,
) -> None:
    rng = np.random.default_rng(4)
    mdp = random_mdp(rng, letters=LETTERS, same_actions=True, end_probability=end_probability)
    task = random_dfa(rng, LETTERS, 3)
    made = plan(mdp, make_monitor(task, merge_repeats=True), 0.0)
    for history in ByEnumeration(mdp, task, 0.0, merge_repeats=True).histories():
        at = where(made, history)
        assert np.array(action_values(made, at)) - made.value(*at) == pytest.approx([-math.log(3)] * 3)


@pytest.mark.parametrize("seed", range(4))
def test_no_rationality_makes_all_paths_of_a_deterministic_world_equally_likely(seed: int) -> None:
    mdp = random_mdp(np.random.default_rng([seed, 5]), letters=LETTERS, outcomes=1, terminal=1, horizon=4)
    task = DFA.constant(LETTERS, True)
    made = plan(mdp, make_monitor(task, merge_repeats=False), 0.0)
    assert made.value(0, made.start, mdp.start) == pytest.approx(math.log(len(enumerate_paths(mdp))))


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
    assert np.isfinite(made.value_table).all()
    assert np.isfinite(made.chance_table(OPEN)).all()
    # λ·p + entropy is maximal at the plan, so λ·(best − p) is at most the largest entropy.
    best, most_entropy = best_probability(mdp, task), mdp.horizon * math.log(3)
    assert best - most_entropy / 1000 <= made.satisfaction_probability <= best + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_satisfaction_probability_grows_with_rationality(seed: int) -> None:
    mdp, task = hard_world(seed)
    monitor = make_monitor(task, merge_repeats=True)
    chances = [
        plan(mdp, monitor, x).satisfaction_probability for x in (0, 0.1, 0.5, 1, 2, 5, 10, 30, 100, 300, 1000)
    ]
    assert all(low <= high + 1e-12 for low, high in itertools.pairwise(chances))


@each_planner
@pytest.mark.parametrize("rationality", [1.0, 10.0, 1000.0])
@pytest.mark.parametrize("seed", range(3))
def test_outcomes_as_rare_as_1e_12_are_kept(planner: TabularPlanner, seed: int, rationality: float) -> None:
    rng = np.random.default_rng([seed, 7])
    mdp = random_mdp(rng, letters=LETTERS, outcomes=3, rarest=1e-12)
    assert mdp.probability.min() == pytest.approx(1e-12)
    task = random_dfa(rng, LETTERS, 3)
    made = planner.plan(mdp, make_monitor(task, merge_repeats=False), rationality)
    assert_agrees(made, ByEnumeration(mdp, task, rationality, merge_repeats=False))


def test_a_success_that_only_a_rare_outcome_brings_has_that_probability() -> None:
    rare = 1e-12
    mdp = MDP.build(
        [("s", "try", {"s": 1 - rare, "won": rare}), ("won", "stay", {"won": 1.0})],
        start="s",
        labels={"won": "w"},
        episode=Episode(horizon=1),
    )
    task = DFA.parse(">0: w→1 | *1:")
    made = plan(mdp, make_monitor(task, merge_repeats=False), 1000.0)
    assert made.satisfaction_probability == pytest.approx(rare, rel=1e-9)
    assert made.value(0, made.start, mdp.start) == pytest.approx(1000 * rare, rel=1e-9)


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
    np.testing.assert_allclose(flat.value_table[..., deciding], padded.value_table[..., deciding], rtol=1e-12)
    for label in LABELS:
        one, other = (made.chance_table(label)[..., deciding] for made in (flat, padded))
        np.testing.assert_allclose(one, other, atol=1e-13)


def everything(made: TabularPlan) -> list[np.ndarray]:
    """All numbers of where an episode can be."""
    reachable = np.arange(made.mdp.horizon)[:, None] >= made.layers.structure.depth
    somewhere = (reachable & ~made.mdp.terminal)[:, None, :]
    tables = [made.value_table, *(made.chance_table(label) for label in LABELS)]
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
    assert np.array_equal(full.value_table, quick.value_table)
    assert np.array_equal(full.chance_table(ACCEPTED), quick.chance_table(ACCEPTED))
    with pytest.raises(KeyError):
        quick.chance_table(OPEN)


def test_planning_again_gives_the_same_plan() -> None:
    mdp, task = hard_world(1)
    monitor = make_monitor(task, merge_repeats=True)
    first, again = plan(mdp, monitor, 10.0), plan(mdp, monitor, 10.0)
    assert np.array_equal(first.value_table, again.value_table)
    assert np.array_equal(first.chance_table(OPEN), again.chance_table(OPEN))


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
    assert made.value(0, made.start, mdp.start) == pytest.approx(math.log(3 + math.e**2))
    assert made.satisfaction_probability == pytest.approx(math.e**2 / (3 + math.e**2))
