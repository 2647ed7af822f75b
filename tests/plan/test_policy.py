"""A policy against the enumeration of all histories: choices, values, visits."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import demospec
from all_paths import enumerate_paths
from demospec.errors import InputError
from demospec.plan import policy as module
from demospec.plan.base import Plan
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.policy import Occupancy, Policy
from demospec.plan.sample import sample_path
from demospec.plan.tabular import TabularPlanner, plan
from demospec.tasks import DFA
from demospec.testing.small_worlds import ByEnumeration, random_dfa, random_mdp
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.paths import Path
from demospec.worlds.world import State

KINDS = list(itertools.product([False, True], [0.0, 0.25], [0, 1]))
BEST = DFA.parse(">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2")


def close(expected: object) -> object:
    return pytest.approx(expected, rel=1e-11, abs=1e-11)


def case(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int, starts: int = 1
) -> tuple[Policy, ByEnumeration]:
    """Make a small world and task, the policy, and its witness."""
    rng = np.random.default_rng([seed, 7])
    mdp = random_mdp(rng, end_probability=end_probability, terminal=terminal, starts=starts)
    task = random_dfa(rng, ("a", "b"), 3)
    rationality = float(rng.uniform(0, 8))
    made = plan(mdp, make_monitor(task, merge_repeats=merge_repeats), rationality)
    return Policy(made), ByEnumeration(mdp, task, rationality, merge_repeats=merge_repeats)


def named(mdp: MDP, path: Path) -> list[tuple[str, State]]:
    return [(mdp.actions[mdp.pair_action[pair]], mdp.states[state]) for pair, state in path.steps]


each_kind = pytest.mark.parametrize(("merge_repeats", "end_probability", "terminal"), KINDS)
each_seed = pytest.mark.parametrize("seed", range(4))


# -- choices and values -------------------------------------------------------------------------------


@each_seed
@each_kind
def test_choices_and_values_are_those_of_all_histories(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    policy, witness = case(seed, merge_repeats, end_probability, terminal)
    mdp = policy.world.listed()
    for history in witness.histories():
        chances = [math.exp(witness.log_policy(history, pair)) for pair in witness.pairs(history)]
        expected = dict(zip(mdp.available(history.states(mdp)[-1]), chances, strict=True))
        asked = (history, named(mdp, history), policy.situation(history), tuple(policy.situation(history)))
        for where in asked:
            found = policy.action_probabilities(where)  # type: ignore[arg-type]
            assert found.keys() == expected.keys()
            assert list(found.values()) == close(chances)
            assert math.fsum(found.values()) == pytest.approx(1, abs=1e-12)
            assert policy.value(where) == close(witness.value(history))  # type: ignore[arg-type]
            assert policy.satisfaction(where) == close(  # type: ignore[arg-type]
                witness.chance(history)
            )


@pytest.mark.parametrize("starts", [2, 3])
@each_kind
def test_where_episodes_begin_by_chance_a_history_says_where(
    merge_repeats: bool, end_probability: float, terminal: int, starts: int
) -> None:
    policy, witness = case(3, merge_repeats, end_probability, terminal, starts)
    for history in witness.histories():
        chances = [math.exp(witness.log_policy(history, pair)) for pair in witness.pairs(history)]
        assert list(policy.action_probabilities(history).values()) == close(chances)
        assert policy.value(history) == close(witness.value(history))
        assert policy.satisfaction(history) == close(witness.chance(history))
    with pytest.raises(InputError, match=f'the world has {starts} start states: "s0", "s1".*; say which'):
        policy.value()
    state, history = "s1", policy.path([], start="s1")
    assert policy.situation(history).state == state
    assert policy.value(history) == close(policy.value(policy.situation(history)))


@each_kind
def test_a_complete_path_is_worth_its_reward(
    merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    policy, witness = case(1, merge_repeats, end_probability, terminal)
    for path in enumerate_paths(policy.world.listed()):
        assert policy.is_over(path)
        assert policy.value(path) == pytest.approx(witness.value(path))
        assert policy.satisfaction(path) == witness.has_label(path)
        with pytest.raises(InputError, match=f"over after {len(path.steps)} steps.*nothing is left"):
            policy.action_probabilities(path)


def test_a_history_at_the_horizon_is_over_whatever_it_says() -> None:
    policy, _ = case(0, False, 0.0, 0)
    path = enumerate_paths(policy.world.listed())[0]
    assert policy.is_over(replace(path, complete=False))
    assert policy.is_over(named(policy.world.listed(), path))
    assert not policy.is_over()


@each_seed
@each_kind
def test_worth_is_that_of_an_episode_that_begins_there(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    """Witness: all histories of a world that begins in the state, and of a task that begins elsewhere."""
    policy, _ = case(seed, merge_repeats, end_probability, terminal)
    mdp, monitor = policy.world.listed(), policy.monitor
    for time in range(mdp.horizon):
        worth = policy.worth(time)
        for state, before in itertools.product(range(len(mdp.states)), range(monitor.states)):
            task = DFA(
                alphabet=monitor.alphabet,
                table=monitor.table,
                accepting=tuple(monitor.accepting.tolist()),
                start=before,
            )
            there = replace(
                mdp, starts=((state, 1.0),), episode=replace(mdp.episode, horizon=mdp.horizon - time)
            )
            witness = ByEnumeration(there, task, policy.plan.rationality, merge_repeats=False)
            nothing = Path((), complete=bool(mdp.terminal[state]))
            assert worth.value[before, state] == close(witness.value(nothing))
            satisfied = witness.chance(nothing)
            assert worth.satisfaction[before, state] == close(satisfied)


def test_the_start_is_worth_what_the_plan_says() -> None:
    robot = demospec.load_example("robot-paper")
    policy = demospec.policy(robot, BEST)
    worth = policy.worth()
    assert worth.value[0, robot.mdp.start] == close(policy.value())
    assert worth.satisfaction[0, robot.mdp.start] == close(policy.plan.satisfaction_probability)


def test_a_situation_may_be_anywhere() -> None:
    robot = demospec.load_example("robot-paper")
    policy = demospec.policy(robot, BEST)
    for time in (0, 7, 14):
        worth = policy.worth(time)
        for number, state in enumerate(robot.mdp.states):
            for before in range(policy.monitor.states):
                at = time, policy.plan.read(before, number), state
                assert policy.value(at) == close(worth.value[before, number])
                assert policy.satisfaction(at) == close(worth.satisfaction[before, number])
                assert math.fsum(policy.action_probabilities(at).values()) == pytest.approx(1, abs=1e-12)


# -- where the agent goes -----------------------------------------------------------------------------


def by_paths(policy: Policy, witness: ByEnumeration) -> tuple[Floats, Floats, Floats, Floats]:
    """Return visits by monitor, choices by monitor, ends by monitor, and the chance of any visit."""
    mdp, monitors = policy.world.listed(), policy.monitor.states
    entered, ended = np.zeros((2, monitors, len(mdp.states)))
    chosen, ever = np.zeros((monitors, len(mdp.pair_action))), np.zeros(len(mdp.states))
    for path, chance in witness.continuations():
        monitor, states = 0, path.states(mdp)
        for number, state in enumerate(states):
            entered[monitor, state] += chance
            if number < len(path.steps):
                chosen[monitor, path.steps[number][0]] += chance
            else:
                ended[monitor, state] += chance
            monitor = policy.monitor.step(monitor, mdp.labels[state])
        ever[sorted(set(states))] += chance
    return entered, chosen, ended, ever


@pytest.mark.parametrize("starts", [1, 2, 3])
@each_seed
@each_kind
def test_visits_choices_and_ends_are_those_of_all_paths(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int, starts: int
) -> None:
    policy, witness = case(seed, merge_repeats, end_probability, terminal, starts)
    entered, chosen, ended, ever = by_paths(policy, witness)
    found = policy.occupancy
    assert found.entered == pytest.approx(entered, abs=1e-12)
    assert found.chosen == pytest.approx(chosen, abs=1e-12)
    assert found.ended == pytest.approx(ended, abs=1e-12)
    assert found.visits == pytest.approx(entered.sum(axis=0), abs=1e-12)
    assert found.ever() == pytest.approx(ever, abs=1e-12)
    assert found.steps == pytest.approx(chosen.sum(), abs=1e-12)


def test_some_states_are_asked_about_in_any_order_and_any_number_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = demospec.policy(demospec.load_example("robot-paper"), BEST)
    every = policy.occupancy.ever()
    asked = [63, 0, 45, 45, 44]
    assert policy.occupancy.ever(asked).tolist() == every[asked].tolist()
    monkeypatch.setattr(module, "BLOCK", 1)
    assert policy.occupancy.ever().tolist() == every.tolist()
    assert policy.occupancy.ever([]).tolist() == []


@pytest.mark.parametrize("rationality", [0.0, 10.0, 1000.0])
def test_laws_of_the_robots_visits(rationality: float) -> None:
    robot = demospec.load_example("robot-paper")
    policy = demospec.policy(robot, BEST, rationality=rationality)
    found, mdp = policy.occupancy, robot.mdp
    read = policy.monitor.reading(mdp)
    assert found.ended.sum() == pytest.approx(1, abs=1e-9)
    satisfied = found.ended[policy.monitor.accepting[read]].sum()
    assert satisfied == pytest.approx(policy.plan.satisfaction_probability, abs=1e-9)
    # What enters a state either ends there or chooses.
    owner = np.repeat(np.arange(len(mdp.states)), np.diff(mdp.pair_offset))
    for monitor in range(policy.monitor.states):
        left = np.bincount(owner, found.chosen[monitor], minlength=len(mdp.states))
        assert found.ended[monitor] + left == pytest.approx(found.entered[monitor], abs=1e-9)
    ever = found.ever()
    assert (ever <= found.visits + 1e-9).all()
    assert (ever <= 1 + 1e-9).all()
    assert ever[mdp.start] == 1
    assert (ever >= found.ended.sum(axis=0) - 1e-9).all()


def test_samples_go_where_the_numbers_say() -> None:
    robot = demospec.load_example("robot-paper")
    policy = demospec.policy(robot, BEST)
    rng, drawn = np.random.default_rng(5), 3000
    counts = np.zeros((drawn, len(robot.mdp.states)))
    for row in counts:
        np.add.at(row, sample_path(policy.plan, rng).states(robot.mdp), 1)
    for expected, seen in (
        (policy.occupancy.visits, counts),
        (policy.occupancy.ever(), (counts > 0).astype(float)),
    ):
        error = np.maximum(seen.std(axis=0), 0.02) / math.sqrt(drawn)
        deviation = (seen.mean(axis=0) - expected) / error
        assert np.abs(deviation).max() < 4.5
        assert np.abs(deviation).mean() < 1.1


@pytest.mark.parametrize("planner", [TabularPlanner(by_numpy=True), TabularPlanner(kept=0)])
def test_every_planner_gives_the_same_visits(planner: TabularPlanner) -> None:
    robot = demospec.load_example("robot-paper")
    expected = demospec.policy(robot, BEST)
    made = planner.plan(robot.mdp, expected.monitor, expected.plan.rationality)
    found = Occupancy.of(made)
    assert found.entered == pytest.approx(expected.occupancy.entered, abs=1e-12)
    assert found.ever() == pytest.approx(expected.occupancy.ever(), abs=1e-12)


class Strict(Plan):
    """A plan of one's own that knows nothing but what a plan must, and where an episode can be."""

    def __init__(self, inner: Plan, histories: set[tuple[int, int, int]]) -> None:
        super().__init__(inner.world, inner.monitor, inner.rationality)
        self.inner, self.histories = inner, histories

    def check(self, *where: Ints) -> None:
        assert set(zip(*(array.tolist() for array in where), strict=True)) <= self.histories

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        self.check(time, monitor, state)
        return self.inner.values(time, monitor, state)

    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        self.check(time, monitor, state)
        return self.inner.chances(label, time, monitor, state)


@each_kind
def test_a_plan_is_only_asked_where_an_episode_can_be(
    merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    policy, witness = case(2, merge_repeats, end_probability, terminal)
    number = policy.world.listed().number
    places = {(at.time, at.monitor, number[at.state]) for at in map(policy.situation, witness.histories())}
    strict = Policy(Strict(policy.plan, places))
    assert strict.occupancy.entered == pytest.approx(policy.occupancy.entered, abs=1e-12)
    assert strict.occupancy.ever() == pytest.approx(policy.occupancy.ever(), abs=1e-12)
    for history in witness.histories():
        assert strict.action_probabilities(history) == pytest.approx(policy.action_probabilities(history))


# -- a problem's agent ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["robot", "robot-incremental"])
def test_the_agent_is_the_problems_and_its_monitor_the_tasks_alone(name: str) -> None:
    problem = demospec.load_example(name)
    score = demospec.score(problem, BEST)
    policy = demospec.policy(problem, BEST)
    assert policy.satisfaction() == pytest.approx(score.satisfaction_probability, abs=1e-12)
    assert policy.plan.rationality == score.rationality
    assert policy.monitor.table == BEST.minimal.table


def test_a_competency_decides_the_rationality_unless_one_is_given() -> None:
    problem = replace(demospec.load_example("robot-paper"), agent=demospec.Competency(0.5))
    assert demospec.policy(problem, BEST).satisfaction() == pytest.approx(0.5, abs=1e-6)
    assert demospec.policy(problem, BEST, rationality=10).satisfaction() == pytest.approx(0.6601, abs=1e-4)
    with pytest.raises(InputError, match="rationality must be between 0 and 1000; found -1"):
        demospec.policy(problem, BEST, rationality=-1)


def test_a_task_over_other_letters_is_refused() -> None:
    robot = demospec.load_example("robot-paper")
    with pytest.raises(InputError, match=r"letters x, but the problem's are b, g, r, y"):
        demospec.policy(robot, DFA.parse(">0: x→1 | *1:"))


WRONG: list[tuple[object, str]] = [
    ((15, 0, (5, 6)), "time 15 is not between 0 and 14: after 15 steps"),
    ((-1, 0, (5, 6)), "time -1 is not"),
    ((0, 4, (5, 6)), "monitor state 4 is not between 0 and 3"),
    ((0, 0, (9, 6)), r"state \(9, 6\) is not in this world"),
    ([("left", (4, 6)), ("fly", (3, 6))], 'step 2: action "fly" is not available.*available: up, down'),
    ([("left", (1, 1))], r"step 1: .*leads to \(1, 1\) with probability 0"),
    ([("left", (9, 9))], r"step 1: state \(9, 9\) is not in this world"),
    (["left", (4, 6)], "step 1: a history is a list of"),
    ([("left",)], "step 1: a history is a list of"),
]


@pytest.mark.parametrize(("where", "told"), WRONG, ids=[str(where) for where, _ in WRONG])
def test_a_place_that_is_none_is_refused(where: tuple[int, int, State], told: str) -> None:
    policy = demospec.policy(demospec.load_example("robot-paper"), BEST)
    for ask in (policy.action_probabilities, policy.value, policy.satisfaction):
        with pytest.raises(InputError, match=told):
            ask(where)


def test_nothing_is_chosen_in_a_terminal_state() -> None:
    problem = demospec.load_example("delivery")
    policy = demospec.policy(problem, DFA.parse(">0: parcel→1 | *1:", problem.alphabet))
    with pytest.raises(InputError, match='"out" is terminal'):
        policy.value((1, 0, "out"))
    with pytest.raises(InputError, match="time 10 is not between 0 and 9"):
        policy.worth(10)


def test_monitors_are_read_along_a_history() -> None:
    robot = demospec.load_example("robot-paper")
    policy = demospec.policy(robot, BEST)
    for path, word in zip(robot.demonstrations, robot.words, strict=True):
        situations = policy.situations(path)
        assert [at.time for at in situations] == list(range(len(path.steps) + 1))
        assert [at.state for at in situations] == [robot.mdp.states[s] for s in path.states(robot.mdp)]
        assert situations[-1].monitor == BEST.minimal.run(word)
    assert isinstance(policy.monitor, Monitor)
