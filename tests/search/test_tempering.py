"""Chains at several temperatures: exchange by its definition, temperatures by theirs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import demospec
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.search.diss import State
from demospec.search.tempering import RUNGS, Tempering, ladder
from demospec.tasks import DFA


def robot(**changes: object) -> Problem:
    return demospec.load_example("robot").with_settings(**changes)


def state_of(energy: float) -> State:
    score = Score(DFA.constant("bgry", True), 1, energy, energy, 10.0, 1.0)
    return replace(State(), current=score)


def test_temperatures_have_equal_ratios_between_the_paper_s_last_and_first() -> None:
    assert ladder(2.0, 50.0) == pytest.approx((2.0, 10.0, 50.0))
    assert Tempering(robot()).temperatures == pytest.approx((1.0, 10.0, 100.0))


def test_temperatures_and_beta_grow_with_the_number_of_demonstrations() -> None:
    problem = robot()
    tenfold = problem.with_demonstrations(problem.demonstrations * 10)
    adapted, fixed = Tempering(tenfold), Tempering(tenfold, adapt=False)
    assert adapted.temperatures == pytest.approx([10 * t for t in fixed.temperatures])
    assert adapted.search.settings.pivot_temperature == pytest.approx(
        10 * fixed.search.settings.pivot_temperature
    )
    assert Tempering(problem).temperatures == pytest.approx(fixed.temperatures)


def test_an_initial_temperature_below_the_final_one_gives_one_temperature() -> None:
    assert Tempering(robot(initial_temperature=0.0)).temperatures == pytest.approx((1.0,) * RUNGS)


def test_neighbours_exchange_as_often_as_detailed_balance_asks() -> None:
    tempering = Tempering(robot())
    rng = np.random.default_rng(0)
    colder, hotter = tempering.temperatures[:2]
    cold, hot = state_of(3.0), state_of(4.5)
    # Pr(cold at T₁, hot at T₂) / Pr(hot at T₁, cold at T₂), by Boltzmann's weights
    ratio = math.exp(-4.5 / colder - 3.0 / hotter) / math.exp(-3.0 / colder - 4.5 / hotter)
    drawn = np.mean([tempering.changes_places(rng, 0, cold, hot) for _ in range(20_000)])
    assert drawn == pytest.approx(ratio, abs=4 * math.sqrt(ratio / 20_000))
    assert all(tempering.changes_places(rng, 0, hot, cold) for _ in range(100))
    assert not tempering.changes_places(rng, 0, hot, State())


def test_a_round_is_one_iteration_of_every_chain() -> None:
    tempering = Tempering(robot(), exchange=False)
    rng, state = np.random.default_rng(1), tempering.start()
    for _ in range(4):
        state, infos = tempering.step(rng, state)
        assert [info.temperature for info in infos] == list(tempering.temperatures)
    assert [rung.iteration for rung in state.rungs] == [4] * RUNGS


def test_exchange_moves_states_and_loses_none() -> None:
    tempering = Tempering(robot())
    rng, state = np.random.default_rng(1), tempering.start()
    moved = 0
    for _ in range(12):
        before = state
        state, infos = tempering.step(rng, state)
        lengths = sorted(len(rung.visited) for rung in state.rungs)
        candidates = {info.candidate.task for info in infos if info.candidate}
        assert lengths[0] >= min(len(rung.visited) for rung in before.rungs)
        assert candidates <= {task for rung in state.rungs for task in rung.visited}
        moved += [rung.current for rung in state.rungs] != [rung.current for rung in before.rungs]
    assert moved
