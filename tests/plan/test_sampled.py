"""The planner for sampled worlds: what it finds in the paper's, and whether its standard errors hold."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from demospec.errors import InputError
from demospec.explain.score import surprise
from demospec.explain.setup import resolve
from demospec.plan import sampled
from demospec.plan.along_tree import along_tree
from demospec.plan.base import ACCEPTED, Plan
from demospec.plan.monitor import make_monitor
from demospec.plan.sampled import SampledPlan, SampledPlanner
from demospec.plan.tabular import plan
from demospec.problem import Problem
from demospec.runs.session import learn
from demospec.tasks import DFA
from demospec.testing.planners import LAWS, check_planner, places_of
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path
from demospec.worlds.scene import Scene
from demospec.worlds.simulator import Run, WorldSimulator, estimate
from demospec.worlds.world import Episode, State
from paper import BEST, SMALLER, WORLD, incremental, monolithic

RATIONALITY = 10.0


def as_shown(mdp: MDP, path: Path) -> Run:
    steps: list[str | State] = []
    for pair, state in path.steps:
        steps += [mdp.actions[mdp.pair_action[pair]], mdp.states[state]]
    return Run(steps, path.complete)


def sampled_problem(problem: Problem, steps: int, seed: int) -> Problem:
    runs = [as_shown(problem.mdp, path) for path in problem.demonstrations]
    world = estimate(WorldSimulator(problem.mdp, seed=seed), steps=steps, seed=seed, runs=runs)
    shown = tuple(read_path(world, run.path, complete=run.complete) for run in runs)
    return replace(problem, scenes=(Scene(world=world, demonstrations=shown),))


@cache
def sampled_plan(steps: int, seed: int = 0, draws: int = 30) -> SampledPlan:
    problem = sampled_problem(monolithic(), steps, seed)
    return SampledPlanner(draws=draws, seed=seed).plan(
        problem.mdp, resolve(problem).monitor(SMALLER), RATIONALITY
    )


@pytest.mark.parametrize("law", LAWS)
def test_the_planner_conforms_within_its_standard_errors(law: str) -> None:
    check_planner(SampledPlanner(steps=2_000, draws=25), laws=[law], seeds=[0], standard_errors=5)


@pytest.mark.parametrize("seed", range(5))
def test_the_papers_task_is_found_in_a_simulator(seed: int) -> None:
    assert learn(sampled_problem(monolithic(), 5_000, seed), seed=seed).best.task == SMALLER


def test_the_incremental_task_is_found_in_a_simulator() -> None:
    exact = learn(incremental(), seed=0).best.task
    assert learn(sampled_problem(incremental(), 5_000, 0), seed=0).best.task == exact


def test_standard_errors_are_calibrated() -> None:
    # z = (estimate − truth) / standard error has mean 0 and deviation 1, and is within ±2 in 95 % of them
    # if standard errors are right. The bounds are three standard deviations of these over 40 samplings.
    exact = plan(WORLD, resolve(monolithic()).monitor(SMALLER), RATIONALITY)
    truth = exact.expected_value(), exact.satisfaction_probability
    z = []
    for seed in range(100, 140):
        made = sampled_plan(5_000, seed)
        ((_, place),) = made.beginnings
        errors = made.standard_error(*place), made.satisfaction_standard_error
        found = made.value(*place), made.satisfaction_probability
        z.append((np.array(found) - truth) / errors)
    assert (np.abs(z) <= 2).mean(axis=0).min() >= 0.85
    assert np.abs(np.std(z, axis=0) - 1).max() < 0.34
    assert np.abs(np.mean(z, axis=0)).max() < 0.48


def test_standard_errors_fall_as_the_root_of_the_steps() -> None:
    few, many = (sampled_plan(steps, draws=200).satisfaction_standard_error for steps in (4_000, 36_000))
    assert few / many == pytest.approx(3, rel=0.25)


def test_a_single_question_is_one_of_many() -> None:
    made = sampled_plan(2_000)
    places = places_of(made.mdp, made.monitor).at(list(range(0, 200, 7)))
    errors = made.standard_errors(*places)
    assert [made.standard_error(*place) for place in places.each] == errors.tolist()
    ((_, start),) = made.beginnings
    (error,) = made.chance_standard_errors(ACCEPTED, *(np.array([number]) for number in start))
    assert made.satisfaction_standard_error == error > 0


def test_nothing_is_known_where_an_action_was_never_tried_or_nobody_came() -> None:
    mdp = MDP.build(
        [
            ("s", "try", {"won": 1e-9, "s": 1 - 1e-9}),
            ("s", "wait", {"s": 1.0}),
            ("won", "stay", {"won": 1.0}),
        ],
        start="s",
        labels={"won": "w"},
        episode=Episode(horizon=3),
    )
    monitor = make_monitor(DFA.parse(">0: w→1 | *1:"), merge_repeats=False)
    made = SampledPlanner(steps=100).plan(mdp, monitor, RATIONALITY)
    assert made.standard_error(1, 1, mdp.number["won"]) == np.inf  # nobody came
    assert 0 < made.standard_error(0, 0, mdp.start) < np.inf
    world = estimate(WorldSimulator(mdp), steps=100, runs=[Run(["wait", "s", "try", "won"], complete=False)])
    made = SampledPlanner().plan(world, monitor, RATIONALITY)
    assert made.standard_error(2, 1, world.number["won"]) == np.inf  # nobody left
    assert 0 < made.standard_error(0, 0, world.start) < np.inf


def test_anything_that_is_read_from_a_plan_has_a_spread() -> None:
    problem = sampled_problem(monolithic(), 2_000, 0)
    better, worse = (
        SampledPlanner(draws=20).plan(problem.mdp, resolve(problem).monitor(task), RATIONALITY)
        for task in (SMALLER, BEST)
    )

    def nats(drawn: Plan) -> float:
        return surprise(problem.tree, along_tree(problem.tree, drawn).log_edge)

    alone = [np.array([nats(drawn) for drawn in made.draws()]) for made in (better, worse)]
    assert better.spread(nats) == pytest.approx(alone[0].std(ddof=1))
    # Both were planned for in the same worlds: how they differ is known better than either.
    assert (alone[0] - alone[1]).std(ddof=1) < 0.5 * better.spread(nats)


def test_plans_in_drawn_worlds_are_kept_or_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = estimate(WorldSimulator(WORLD), steps=1_000)
    monitor = resolve(monolithic()).monitor(SMALLER)
    kept = SampledPlanner(draws=5).plan(world, monitor, RATIONALITY)
    assert [id(made) for made in kept.draws()] == [id(made) for made in kept.draws()]
    monkeypatch.setattr(sampled, "MOST_KEPT", 0)
    again = SampledPlanner(draws=5).plan(world, monitor, RATIONALITY)
    first, second = list(again.draws()), list(again.draws())
    assert first[0] is not second[0]
    assert again.satisfaction_standard_error == kept.satisfaction_standard_error


def test_a_plan_is_the_same_in_a_new_process_as_far_as_seeds_go() -> None:
    monitor = resolve(monolithic()).monitor(SMALLER)
    found = []
    for seed in (1, 1, 2):
        sampled.sampled_copy.cache_clear()
        sampled.drawn_worlds.cache_clear()
        made = SampledPlanner(steps=1_000, draws=5, seed=seed).plan(WORLD, monitor, RATIONALITY)
        found.append((made.satisfaction_probability, made.satisfaction_standard_error))
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_states_and_actions_of_a_given_world_keep_their_numbers() -> None:
    made = SampledPlanner(steps=500).plan(WORLD, resolve(monolithic()).monitor(SMALLER), RATIONALITY)
    assert made.mdp.states == WORLD.states
    assert made.mdp.actions == WORLD.actions
    assert np.array_equal(made.mdp.pair_action, WORLD.pair_action)


def test_standard_errors_need_draws() -> None:
    with pytest.raises(InputError, match="at least 2 draws; found 1"):
        SampledPlanner(draws=1)
