"""One plan for several tasks against the enumeration of all paths, and against the plan for one."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from plan_tables import chance_table, value_table

import demospec
from all_paths import enumerate_paths
from demospec.errors import InputError, TaskError, WorldError
from demospec.explain.score import agent_of
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.monitor import make_monitor
from demospec.plan.policy import MixtureMonitor, MixturePolicy, Policy
from demospec.plan.rationality import MOST_RATIONAL, AgentPoint, Learned
from demospec.plan.sample import sample_path
from demospec.plan.sampled import SampledPlanner
from demospec.plan.tabular import PLANNER, TabularPlanner, plan
from demospec.tasks import DFA
from demospec.tasks.mixture import Mixture, Weighted
from demospec.testing.small_worlds import ByEnumeration, random_dfa, random_mdp
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path

KINDS = list(itertools.product([False, True], [0.0, 0.25], [0, 1]))
each_kind = pytest.mark.parametrize(("merge_repeats", "end_probability", "terminal"), KINDS)
each_seed = pytest.mark.parametrize("seed", range(4))
LETTERS = ("a", "b")


def close(expected: object) -> object:
    return pytest.approx(expected, rel=1e-11, abs=1e-11)


class Weighed(ByEnumeration):
    """The agent of several tasks, history by history: a complete path is worth λ·Σ w·[satisfied] / Σ w."""

    def __init__(
        self,
        mdp: MDP,
        weighted: Sequence[Weighted],
        rationality: float,
        *,
        merge_repeats: bool,
        effort: float = 0.0,
    ) -> None:
        super().__init__(mdp, weighted[0][0].automaton, rationality, merge_repeats=merge_repeats)
        self.weighted, self.effort = weighted, effort

    def satisfied(self, path: Path) -> list[bool]:
        word = path.word(self.mdp, merge_repeats=self.merge_repeats)
        return [task.accepts(word) for task, _ in self.weighted]

    def reward(self, path: Path) -> float:
        weights = [weight for _, weight in self.weighted]
        return math.fsum(itertools.compress(weights, self.satisfied(path))) / math.fsum(weights)

    def _value(self, path: Path) -> float:
        return self.rationality * self.reward(path) if path.complete else super()._value(path)

    def _action_value(self, path: Path, pair: int) -> float:
        return super()._action_value(path, pair) - self.effort * self.mdp.cost(pair)


def draw_tasks(rng: np.random.Generator, count: int = 3) -> list[Weighted]:
    """Draw tasks with weights that do not add up to 1, heaviest first."""
    weights = sorted(rng.uniform(0.01, 0.4, count).tolist(), reverse=True)
    return [(random_dfa(rng, LETTERS, 3), weight) for weight in weights]


def case(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int, **kind: object
) -> tuple[MixturePolicy, Weighed]:
    rng = np.random.default_rng([seed, 11])
    mdp = random_mdp(rng, end_probability=end_probability, terminal=terminal, **kind)  # type: ignore[arg-type]
    weighted, rationality = draw_tasks(rng), float(rng.uniform(0, 8))
    mixture = Mixture.of(weighted, merge_repeats=merge_repeats)
    policy = MixturePolicy.planned(PLANNER, mdp, mixture, rationality)
    return policy, Weighed(mdp, weighted, rationality, merge_repeats=merge_repeats)


# -- against all paths ------------------------------------------------------------------------------------


@each_seed
@each_kind
def test_choices_values_and_chances_are_those_of_all_histories(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    policy, witness = case(seed, merge_repeats, end_probability, terminal)
    for history in witness.histories():
        ahead = list(witness.continuations(history))
        expected = [math.exp(witness.log_policy(history, pair)) for pair in witness.pairs(history)]
        reward = math.fsum(p * witness.reward(whole) for whole, p in ahead)
        each = [
            math.fsum(p for whole, p in ahead if witness.satisfied(whole)[k])
            for k in range(len(witness.weighted))
        ]
        for where in (history, policy.situation(history)):  # the compiled plan, and NumPy's
            assert list(policy.action_probabilities(where).values()) == close(expected)
            assert policy.value(where) == close(witness.value(history))
            assert policy.satisfaction(where) == close(reward)
            assert list(policy.chances(where)) == close(each)


@each_seed
@each_kind
def test_effort_is_paid_whichever_task_is_meant(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    policy, free = case(seed, merge_repeats, end_probability, terminal)
    args = free.mdp, free.weighted, free.rationality
    witness = Weighed(*args, merge_repeats=merge_repeats, effort=0.7)
    tired = MixturePolicy.planned(PLANNER, free.mdp.tolled(0.7), policy.mixture, free.rationality)
    for history in witness.histories():
        expected = [math.exp(witness.log_policy(history, pair)) for pair in witness.pairs(history)]
        assert list(tired.action_probabilities(history).values()) == close(expected)
        assert tired.value(history) == close(witness.value(history))


@each_kind
def test_a_complete_path_is_worth_what_it_satisfies(
    merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    policy, witness = case(5, merge_repeats, end_probability, terminal)
    for path in enumerate_paths(policy.world.listed()):
        assert policy.value(path) == close(witness.value(path))
        assert policy.satisfaction(path) == close(witness.reward(path))
        assert list(policy.chances(path)) == witness.satisfied(path)


@each_seed
@pytest.mark.parametrize("merge_repeats", [False, True])
def test_without_chance_a_path_is_as_likely_as_its_reward_says(seed: int, merge_repeats: bool) -> None:
    policy, witness = case(seed, merge_repeats, 0.0, 0, outcomes=1)
    paths = enumerate_paths(witness.mdp)
    odds = [math.exp(witness.rationality * witness.reward(path)) for path in paths]
    for path, one in zip(paths, odds, strict=True):
        chance = math.prod(
            policy.action_probabilities(path.upto(time))[witness.mdp.action(pair)]
            for time, (pair, _) in enumerate(path.steps)
        )
        assert chance == close(one / math.fsum(odds))
    assert policy.value() == close(math.log(math.fsum(odds)))


@each_seed
def test_where_episodes_begin_by_chance_each_task_is_satisfied_on_average(seed: int) -> None:
    policy, witness = case(seed, True, 0.25, 0, starts=3)
    ends = list(witness.continuations())
    for k, chance in enumerate(policy.satisfaction_probabilities):
        assert chance == close(math.fsum(p for whole, p in ends if witness.satisfied(whole)[k]))
    mean = sum(w * p for w, p in zip(policy.mixture.shares, policy.satisfaction_probabilities, strict=True))
    assert policy.plan.satisfaction_probability == close(mean)


def test_drawn_paths_follow_the_policy() -> None:
    policy, witness = case(2, False, 0.25, 1)
    rng, count = np.random.default_rng(0), 4000
    found: dict[Path, int] = defaultdict(int)
    for _ in range(count):
        found[sample_path(policy.plan, rng)] += 1
    for path, chance in witness.continuations():
        assert found[path] / count == pytest.approx(chance, abs=5 * math.sqrt(chance / count))


# -- one task is the special case -------------------------------------------------------------------------


@each_seed
@each_kind
def test_reduces_to_the_plan_for_one_task_to_the_last_bit(
    seed: int, merge_repeats: bool, end_probability: float, terminal: int
) -> None:
    rng = np.random.default_rng([seed, 12])
    mdp = random_mdp(rng, end_probability=end_probability, terminal=terminal)
    task, rationality = random_dfa(rng, LETTERS, 4), float(rng.uniform(0, 50))
    one = plan(mdp, make_monitor(task, merge_repeats=merge_repeats), rationality)
    for copies in (1, 3):  # the same task several times is one task
        mixture = Mixture.of([(task, 0.07)] * copies, merge_repeats=merge_repeats)
        both = PLANNER.plan(mdp, MixtureMonitor.of(mixture), rationality)
        assert both.monitor.table == one.monitor.table
        assert np.array_equal(value_table(both), value_table(one))
        assert np.array_equal(chance_table(both), chance_table(one))
        assert np.array_equal(chance_table(both, 3), chance_table(one))
        time, state = np.zeros(1, dtype=np.intp), mdp.starts[0][0]
        for pair in mdp.pairs(state):
            asked = time, np.array([one.read(0, state)]), np.array([pair])
            assert both.action_values(*asked) == one.action_values(*asked)


def test_a_learned_agent_acts_at_its_likeliest_unless_told_otherwise() -> None:
    robot = replace(demospec.load_example("robot"), agent=Learned())
    task = DFA.from_formula("F y & G !r", robot.alphabet)
    likely = agent_of(robot, task)
    found = demospec.policy(robot, task)
    assert found.plan.rationality == likely.rationality
    assert found.world is likely.world(robot.scene())
    bold = demospec.policy(robot, task, rationality=3 * likely.rationality)
    assert bold.plan.rationality == 3 * likely.rationality
    assert bold.world is likely.world(robot.scene())
    wanted = robot.scene().felt_by(AgentPoint(0.0, 0.25, likely.haste))
    assert demospec.policy(robot, task, effort=0.25).world is wanted


def test_a_belief_is_acted_on_as_well_as_one_can_unless_told_otherwise() -> None:
    robot = demospec.load_example("robot")
    weighted = [
        (DFA.from_formula(text, robot.alphabet), weight) for text, weight in (("F y", 1.0), ("F g", 0.2))
    ]
    best = demospec.belief_policy(robot, weighted)
    assert best.plan.rationality == MOST_RATIONAL
    assert best.world is robot.scene().felt_by(AgentPoint(0.0, agent_of(robot, weighted[0][0]).effort))
    for rationality in (1.0, 10.0, 100.0):
        other = demospec.belief_policy(robot, weighted, rationality=rationality)
        assert other.satisfaction() < best.satisfaction() + 1e-9


def test_demospec_policy_is_the_belief_in_one_task() -> None:
    robot = demospec.load_example("robot")
    task = DFA.from_formula("F y & G !r", robot.alphabet)
    for rationality, effort in ((30.0, None), (30.0, 0.5)):
        one = demospec.policy(robot, task, rationality=rationality, effort=effort)
        belief = demospec.belief_policy(robot, [(task, 0.4)], rationality=rationality, effort=effort)
        assert isinstance(belief, Policy)
        for shown in robot.demonstrations:
            for time in range(len(shown.steps)):
                history = shown.upto(time)
                assert belief.action_probabilities(history) == one.action_probabilities(history)
                assert belief.value(history) == one.value(history)
                assert belief.chances(history) == (one.satisfaction(history),)


def test_effort_shortens_what_ends_by_itself() -> None:
    delivery = demospec.load_example("delivery")
    tasks = [(DFA.from_formula(text, delivery.alphabet), 0.5) for text in ("F home", "F parcel")]
    steps = [demospec.belief_policy(delivery, tasks, effort=c).occupancy.steps for c in (0.0, 0.5, 2.0)]
    assert steps[0] > steps[1] > steps[2]


# -- laws -------------------------------------------------------------------------------------------------


@each_seed
def test_more_rational_agents_satisfy_more_of_the_weight(seed: int) -> None:
    policy, _ = case(seed, True, 0.1, 0)
    found = [
        MixturePolicy.planned(
            PLANNER, policy.world, policy.mixture, rationality
        ).plan.satisfaction_probability
        for rationality in (0, 0.5, 1, 3, 10, 30, 100, 300, 1000)
    ]
    assert all(more >= less - 1e-12 for less, more in itertools.pairwise(found))
    assert found[-1] <= 1 + 1e-12


@each_seed
def test_no_single_task_is_better_to_act_on_by_a_rational_agent(seed: int) -> None:
    """λ·(expected weight) plus entropy is maximal: at large λ no other plan satisfies more of the weight."""
    policy, witness = case(seed, False, 0.0, 0)
    rational, horizon = 300.0, witness.mdp.horizon
    mixed = MixturePolicy.planned(PLANNER, policy.world, policy.mixture, rational)
    for task, _ in witness.weighted:
        alone = ByEnumeration(witness.mdp, task.automaton, rational, merge_repeats=False)
        reward = math.fsum(p * witness.reward(path) for path, p in alone.continuations())
        assert mixed.satisfaction() >= reward - horizon * math.log(3) / rational


@each_seed
def test_only_proportions_of_weights_matter(seed: int) -> None:
    weighted = draw_tasks(np.random.default_rng(seed))
    one = Mixture.of(weighted, merge_repeats=True)
    two = Mixture.of([(task, 0.25 * weight) for task, weight in weighted], merge_repeats=True)
    assert math.fsum(one.shares) == pytest.approx(1, abs=1e-15)
    assert (one.table, one.satisfied, one.shares, one.reward) == (
        *(two.table, two.satisfied),
        *(two.shares, two.reward),
    )
    assert one.whole == pytest.approx(4 * two.whole)


@each_seed
@pytest.mark.parametrize("merge_repeats", [False, True])
def test_a_mixture_says_of_each_word_which_tasks_it_satisfies(seed: int, merge_repeats: bool) -> None:
    weighted = draw_tasks(np.random.default_rng(seed), 4)
    mixture = Mixture.of(weighted, merge_repeats=merge_repeats)
    for length in range(6):
        for word in itertools.product(LETTERS, repeat=length):
            state = mixture.after(word)
            read = tuple(letter for letter, _ in itertools.groupby(word)) if merge_repeats else word
            assert mixture.satisfied[state] == tuple(task.accepts(read) for task in mixture.tasks)
    rewards = dict(zip(mixture.satisfied, mixture.reward, strict=True))
    assert rewards.get((True,) * 4, 1.0) == 1.0
    assert rewards.get((False,) * 4, 0.0) == 0.0


# -- what is left out -------------------------------------------------------------------------------------


def counter(letter: str, count: int) -> DFA:
    """Every `count`-th of a letter."""
    rows = [tuple((q + 1) % count if a == letter else q for a in LETTERS) for q in range(count)]
    return DFA(alphabet=LETTERS, table=tuple(rows), accepting=(True, *[False] * (count - 1)))


def test_the_heaviest_tasks_are_kept_and_the_others_told() -> None:
    tasks = [(counter("a", k), 0.1 * k) for k in (1, 3, 2)]
    mixture = Mixture.of(tasks, merge_repeats=False, most_tasks=2)
    assert [task.automaton.states for task in mixture.tasks] == [3, 2]
    assert mixture.shares == pytest.approx((0.6, 0.4))
    assert mixture.whole == pytest.approx(0.5)
    assert mixture.left_out == (tasks[0],)


def test_a_task_without_room_is_left_out_and_a_later_one_may_have_room() -> None:
    tasks = [(counter("a", 5), 0.5), (counter("a", 7), 0.3), (counter("b", 3), 0.2)]
    mixture = Mixture.of(tasks, merge_repeats=False, most_states=15)
    assert len(mixture.table) == 15
    assert mixture.left_out == (tasks[1],)
    assert Mixture.of(tasks, merge_repeats=False, most_states=1).left_out == tuple(tasks[1:])
    assert len(Mixture.of(tasks, merge_repeats=False).table) == 105


def test_a_task_of_no_weight_plays_no_part() -> None:
    mixture = Mixture.of([(counter("a", 2), 0.0), (counter("b", 2), 1e-9)], merge_repeats=False)
    assert mixture.tasks == (counter("b", 2),)
    assert (mixture.shares, mixture.left_out) == ((1.0,), ())


# -- planners and refusals --------------------------------------------------------------------------------


def test_a_sampled_world_is_planned_for_several_tasks() -> None:
    policy, _ = case(1, False, 0.0, 0)
    sampled = MixturePolicy.planned(
        SampledPlanner(steps=200, draws=2), policy.world, policy.mixture, policy.plan.rationality
    )
    there = MixturePolicy.planned(TabularPlanner(), sampled.world, policy.mixture, policy.plan.rationality)
    assert sampled.satisfaction_probabilities == there.satisfaction_probabilities


def test_refusals_name_what_was_found() -> None:
    robot = demospec.load_example("robot")
    task = DFA.from_formula("F y", robot.alphabet)
    with pytest.raises(InputError, match="a task with a weight above 0; found none"):
        demospec.belief_policy(robot, [])
    with pytest.raises(InputError, match="found 1 whose weights are all 0"):
        demospec.belief_policy(robot, [(task, 0.0)])
    with pytest.raises(InputError, match="task 2: a weight is a number from 0; found nan"):
        demospec.belief_policy(robot, [(task, 0.5), (task, math.nan)])
    with pytest.raises(InputError, match="rationality must be between 0 and 1000; found -1"):
        demospec.belief_policy(robot, [(task, 0.5)], rationality=-1)
    with pytest.raises(InputError, match="effort must be a finite number of at least 0; found -1"):
        demospec.belief_policy(robot, [(task, 0.5)], effort=-1)
    with pytest.raises(TaskError, match="the problem's are b, g, r, y"):
        demospec.belief_policy(robot, [(DFA.from_formula("F y", "yz"), 0.5)])
    with pytest.raises(TaskError, match="task 1 reads a, b, but task 2 reads y, z"):
        Mixture.of([(counter("a", 2), 1.0), (DFA.from_formula("F y", "yz"), 0.5)], merge_repeats=False)


def test_a_planner_of_marks_alone_refuses() -> None:
    policy, _ = case(0, False, 0.0, 0)
    with pytest.raises(WorldError, match="DiagramPlanner plans for one task at a time, not for the 3 of"):
        MixturePolicy.planned(DiagramPlanner(), policy.world, policy.mixture, 1.0)
