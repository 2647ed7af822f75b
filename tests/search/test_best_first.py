"""Best-first search: what a step takes, scores and keeps, and what can be left out of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from small_problems import LETTERS, random_problem, steps

import demospec
from demospec.identify.classes import CoSafety
from demospec.plan.base import Plan, Planner
from demospec.plan.monitor import Monitor
from demospec.plan.tabular import PLANNER
from demospec.runs.chains import engine_of
from demospec.search.best_first import INGREDIENTS, SLOW, Explorer
from demospec.search.engine import chain_generator
from demospec.search.frontier import behaviour, take
from demospec.search.moves.detours import DETOUR
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.worlds.world import World
from stepping import chain_infos


def test_it_finds_the_best_task_of_the_paper_s_problem() -> None:
    problem = demospec.load_example("robot-paper").with_settings(method="explore")
    for seed in (0, 1):
        assert demospec.learn(problem, seed=seed).best.energy == pytest.approx(12.351571158991488, abs=1e-9)


def test_one_seed_one_result() -> None:
    problem = demospec.load_example("robot-paper").with_settings(method="explore", iterations=8)
    once, again = (demospec.learn(problem, seed=3) for _ in range(2))
    assert [str(ranked.score.task) for ranked in once.ranked] == [str(r.score.task) for r in again.ranked]
    assert [row.info.candidate for row in once.trace] == [row.info.candidate for row in again.trace]


@pytest.mark.parametrize("seed", range(3))
def test_every_task_is_in_the_class_and_agrees_with_what_is_given(seed: int) -> None:
    prior = DFA.parse(">*0: b→1 | *1: a→2 | 2:", LETTERS)
    given_examples = Examples.of(accept=["a"], reject=["b"])
    problem = random_problem(seed, prior=prior, given=given_examples).with_settings(method="explore")
    scored = [score for info in islice(chain_infos(problem, 0, 0), 6) for score in info.scored]
    assert len(scored) > 50
    for score in scored:
        assert score.language.implies(prior)
        assert given_examples.consistent(score.task)
    problem = random_problem(seed, classes=(CoSafety(),)).with_settings(method="explore")
    for info in islice(chain_infos(problem, 0, 0), 6):
        assert all(CoSafety().holds(score.language) for score in info.scored)


ORIGIN = {"guesses": "guess", "edits": "edit", "products": "product"}


@pytest.mark.parametrize("without", INGREDIENTS)
def test_each_ingredient_can_be_left_out(without: str) -> None:
    problem = random_problem(2).with_settings(method="explore", without=(without,))
    _, state, infos = steps(problem, 5)
    assert state.best is not None
    assert state.best.energy == min(score.energy for score in state.scores.values())
    origins = {origin for info in infos for origin in info.origins}
    for name, origin in ORIGIN.items():
        assert (origin in origins) == (name != without), origin
    assert set(state.memory) == {"products"} - {without}


def test_an_ingredient_that_there_is_not_is_refused() -> None:
    with pytest.raises(demospec.InputError, match=r'without "guess".*did you mean "guesses"'):
        engine_of(random_problem(2).with_settings(method="explore", without=("guess",)))
    with pytest.raises(demospec.InputError, match='not of "paper"'):
        random_problem(2).with_settings(method="paper", without=("guesses",))


def test_larger_steps_are_tried_when_nothing_better_turns_up() -> None:
    problem = random_problem(2).with_settings(method="explore")
    engine, rng = Explorer(problem), chain_generator(0, 0)
    state = engine.start()
    detoured = []
    while not engine.over(state):
        quiet = state.quiet
        state, info = engine.step(rng, state)
        detoured += [quiet] if "detour" in info.origins else []
    assert detoured
    assert set(detoured) == {DETOUR}


def test_origins_are_told() -> None:
    problem = demospec.load_example("robot-paper").with_settings(method="explore")
    _, state, infos = steps(problem, 4)
    assert all(len(info.origins) == len(info.scored) for info in infos)
    assert sum(len(info.scored) for info in infos) == len(state.scores)


def test_a_good_task_that_behaves_otherwise_is_taken_now_and_then() -> None:
    problem = demospec.load_example("robot-paper").with_settings(method="explore")
    engine, state, _ = steps(problem, 3)
    rng = np.random.default_rng(5)
    known = replace(engine.known(state), quiet=0)
    taken = [take(rng, known) for _ in range(300)]
    left = [score for score in state.front if score.language not in state.taken]
    others = [task for task in taken if task != left[0].language]
    assert 20 < len(others) < 60  # a fifth of the draws, but for those that draw the best
    of_task = {score.task: score for score in left}
    drawn = {of_task[task] for task in others if task is not None}
    assert len({behaviour(score) for score in drawn}) == len(drawn)


def test_once_nothing_better_is_found_the_best_of_every_number_of_states_is_taken_now_and_then() -> None:
    problem = demospec.load_example("robot-paper").with_settings(method="explore")
    engine, state, _ = steps(problem, 3)
    rng = np.random.default_rng(5)
    drawn = [take(rng, engine.known(replace(state, quiet=2))) for _ in range(300)]
    left = [score for task, score in state.scores.items() if task not in state.taken]
    best = {
        n: min((s for s in left if s.language.states == n), key=lambda s: s.energy).energy
        for n in {score.language.states for score in left}
    }
    found = {task.states: state.scores[task].energy for task in drawn if task is not None}
    assert found == best
    assert drawn.count(min(left, key=lambda s: s.energy).language) >= 100


def test_what_was_scored_before_does_not_show_in_the_last_digits() -> None:
    problem = random_problem(1)
    used, fresh = Explorer(problem), Explorer(problem)
    expected = fresh.step(chain_generator(0, 0), fresh.start())[1].scored
    alone = [used.evaluator.score(score.task) for score in expected]
    assert alone != list(expected)  # else this shows nothing
    assert used.step(chain_generator(0, 0), used.start())[1].scored == expected


def test_plans_that_are_made_one_by_one_are_made_a_few_in_each_step() -> None:
    problem = replace(random_problem(3), planner=OneByOne()).with_settings(method="explore")
    engine, rng = Explorer(problem), chain_generator(0, 0)
    state, infos, waited = engine.start(), [], 0
    for _ in range(6):
        state, info = engine.step(rng, state)
        infos.append(info)
        waited += bool(state.waiting)
        assert not set(state.scores) & {task for task, _ in state.waiting}
    assert waited
    assert all(sum(origin != "conjecture" for origin in info.origins) <= SLOW for info in infos)


class OneByOne(Planner):
    """A planner that is not known to plan many tasks in one pass."""

    def plan(self, world: World, monitor: Monitor, rationality: float) -> Plan:
        return PLANNER.plan(world, monitor, rationality)
