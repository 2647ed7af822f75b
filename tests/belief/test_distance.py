"""Divergences of agents against the sum over all paths, and the bound on them from how episodes begin."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from belief_cases import KINDS, LETTERS, Kind, divergence, divergences, some_problem, some_tasks

from demospec.belief.answers import grouped, most_compared
from demospec.belief.distance import Agents, lower_bounds, pair_monitor
from demospec.belief.tuned import MOST_COMPARED, SAME
from demospec.native import library
from demospec.plan.base import Planner
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.monitor import make_monitor
from demospec.plan.sampled import SampledPlanner
from demospec.plan.tabular import PLANNER, Pairs
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.work.stop import Stop, Stopped
from demospec.worlds.paths import Path
from factored_worlds import random_world
from strategies import all_words


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_the_divergence_is_the_sum_over_all_paths(seed: int, kind: Kind) -> None:
    problem = some_problem(seed, kind=kind)
    tasks = some_tasks(seed, 3)
    rationalities = [1.0, 4.0, 4.0 if seed % 2 else 9.0]
    agents = Agents(problem, tasks, rationalities)
    pairs = [(i, j) for i in range(3) for j in range(3)]
    expected = np.array([divergences(problem, tasks, rationalities, i, j) for i, j in pairs])
    assert agents.in_each_world(pairs) == pytest.approx(expected.T, abs=1e-10)
    assert agents.divergences(pairs) == pytest.approx(expected.max(axis=1), abs=1e-10)


def test_the_small_worlds_do_tell_tasks_apart() -> None:
    told = [divergence(some_problem(seed), some_tasks(seed, 2), [4.0] * 2, 0, 1) for seed in range(12)]
    assert sum(one > 0.01 for one in told) >= 6


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_beginnings_that_are_whole_episodes_tell_the_divergence_itself(seed: int, kind: Kind) -> None:
    problem = some_problem(seed, kind=kind)  # three steps: every history is looked at
    tasks = some_tasks(seed, 4)
    agents = Agents(problem, tasks, [5.0] * 4)
    every = [(i, j) for i in range(4) for j in range(4)]
    exact = agents.divergences(every).reshape(4, 4)
    assert lower_bounds(agents, deepest=3) == pytest.approx(exact, abs=1e-10)


def test_beginnings_of_longer_episodes_bound_it_from_below() -> None:
    problem = some_problem(2, horizon=9)
    agents = Agents(problem, some_tasks(5, 6), [5.0] * 6)
    exact = agents.divergences([(i, j) for i in range(6) for j in range(6)]).reshape(6, 6)
    bounds = lower_bounds(agents)
    assert (bounds <= exact + 1e-12).all()
    assert bounds.max() > 0.05  # it says something


@pytest.mark.parametrize("seed", range(3))
def test_a_world_on_decision_diagrams_gives_the_same_as_when_it_is_listed(seed: int) -> None:
    pytest.importorskip("oxidd")
    rng = np.random.default_rng(seed)
    world = random_world(rng, horizon=3, end_probability=0.1 * seed)
    tasks = some_tasks(seed, 3, tuple(sorted(world.conditions)))
    letters = tasks[0].alphabet
    shown = (Path((), complete=False),)
    symbolic = Problem.of(world, demonstrations=shown, alphabet=letters, planner=DiagramPlanner())
    listed = Problem.of(world.listed(), demonstrations=shown, alphabet=letters)
    pairs = [(0, 1), (1, 0), (1, 2), (2, 2)]
    found, expected = (Agents(one, tasks, [3.0, 5.0, 2.0]).divergences(pairs) for one in (symbolic, listed))
    assert found == pytest.approx(expected, abs=1e-9)
    agents = Agents(symbolic, tasks, [3.0, 5.0, 2.0])
    assert not agents.is_listed
    assert grouped(agents) == grouped(Agents(listed, tasks, [3.0, 5.0, 2.0]))


def test_a_world_that_is_sampled_is_compared_as_it_was_estimated() -> None:
    exact, tasks, pairs = some_problem(1), some_tasks(1, 3), [(0, 1), (1, 0), (2, 0)]
    agents = Agents(replace(exact, planner=SampledPlanner(steps=300, draws=2)), tasks, [3.0] * 3)
    assert agents.is_listed
    (world,) = agents.listed
    estimated = replace(exact, scenes=(replace(exact.scene(), world=world),))
    expected = [divergence(estimated, tasks, [3.0] * 3, *pair) for pair in pairs]
    assert agents.divergences(pairs) == pytest.approx(expected, abs=1e-10)
    assert grouped(agents) == grouped(Agents(estimated, tasks, [3.0] * 3))


@pytest.mark.parametrize("merge_repeats", [False, True])
def test_the_monitor_of_a_pair_tells_both(merge_repeats: bool) -> None:
    for seed in range(6):
        one, two = some_tasks(seed, 2)
        pair = pair_monitor(*(make_monitor(task, merge_repeats=merge_repeats) for task in (one, two)))
        for word in all_words(LETTERS, 5):
            state = 0
            read: list[str] = []
            for letter in word:
                state = pair.step(state, letter)
                if not (merge_repeats and read and read[-1] == letter):
                    read.append(letter)
            assert pair.accepting[state] == one.accepts(read)
            assert (pair.open[state] or pair.revocable[state]) == two.accepts(read)
            assert pair.open[state] <= (not pair.accepting[state])
            assert pair.revocable[state] <= pair.accepting[state]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_groups_are_those_of_the_definition(seed: int, kind: Kind) -> None:
    problem = some_problem(seed, kind=kind)
    tasks = [DFA.constant(LETTERS, False), DFA.constant(LETTERS, True), *some_tasks(seed, 6)]
    rationalities = [6.0] * len(tasks)

    def near(i: int, j: int) -> bool:
        ways = (divergence(problem, tasks, rationalities, *way) for way in ((i, j), (j, i)))
        return max(ways) < SAME

    expected: list[list[int]] = []
    for number in range(len(tasks)):
        for known in expected:
            if near(known[0], number):
                known.append(number)
                break
        else:
            expected.append([number])
    assert grouped(Agents(problem, tasks, rationalities)) == expected
    assert expected[0][:2] == [0, 1]  # never satisfied, always satisfied: both wander


@pytest.mark.parametrize("planner", [PLANNER, SampledPlanner(steps=300, draws=2)])
def test_asking_about_worlds_makes_no_plan(planner: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a plan is made")

    monkeypatch.setattr(type(planner), "plans", refuse)
    problem = replace(some_problem(1), planner=planner)
    agents = Agents(problem, some_tasks(1, 2), [3.0] * 2)
    assert agents.is_listed
    assert [len(mdp.states) for mdp in agents.listed] == [4]
    assert most_compared(agents) == MOST_COMPARED


def test_divergences_are_finite_and_not_negative_for_very_rational_agents() -> None:
    problem = some_problem(1)
    agents = Agents(problem, some_tasks(1, 4), [1000.0, 0.0, 50.0, 1000.0])
    found = agents.divergences([(i, j) for i in range(4) for j in range(4)])
    assert all(math.isfinite(one) and one >= 0 for one in found)


@pytest.mark.skipif(library() is None, reason="the library is not built")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_compiled_code_tells_what_plans_tell_to_the_last_digit(seed: int, kind: Kind) -> None:
    problem = some_problem(seed, kind=kind)
    rationalities = [1.0, 4.0, 4.0, 9.0, 0.0]
    agents = Agents(problem, some_tasks(seed, 5), rationalities, effort=0.5 * (seed % 2))
    pairs = [(i, j) for i in range(5) for j in range(5)]
    for world in agents.worlds:
        compiled = Pairs(world.listed(), agents.monitors)
        found = compiled.seconds_satisfied(pairs, [rationalities[i] for i, _ in pairs])
        assert found.tolist() == agents.by_plans(world, pairs).tolist()


@pytest.mark.skipif(library() is None, reason="the library is not built")
def test_compiled_comparisons_stop_when_a_flag_is_set() -> None:
    problem, stop = some_problem(1), Stop()
    agents = Agents(problem, some_tasks(1, 3), [4.0] * 3)
    compiled = Pairs(agents.worlds[0].listed(), agents.monitors, stop)
    stop.set()
    with pytest.raises(Stopped):
        compiled.seconds_satisfied([(0, 1), (1, 2)], [4.0, 4.0])
