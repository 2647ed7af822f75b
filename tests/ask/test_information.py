"""Information against its definition, by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import belief_in, every_path, random_problem, random_tasks

from all_paths import enumerate_paths, environment_probability
from demospec.ask.information import (
    LIKELIEST,
    Information,
    all_paths,
    count_paths,
    of_all_paths,
    of_drawn_paths,
    of_label,
)
from demospec.belief import acceptance
from demospec.testing.small_worlds import ByEnumeration
from demospec.work.stop import Stop, Stopped
from strategies import words


def entropy_by_definition(weights: list[float]) -> float:
    total = math.fsum(weights)
    return -math.fsum(w / total * math.log(w / total) for w in weights if w > 0)


@given(st.integers(0, 20), words(max_size=5))
def test_a_label_tells_how_much_it_shrinks_the_entropy_on_average(seed: int, word: tuple[str, ...]) -> None:
    tasks = random_tasks(seed, 6)
    weights = np.random.default_rng(seed).dirichlet(np.ones(6))
    accepted = acceptance(tasks, [word])[:, 0].tolist()
    left = 0.0
    for label in (True, False):
        kept = [w for w, own in zip(weights.tolist(), accepted, strict=True) if own == label]
        if kept:
            left += math.fsum(kept) * entropy_by_definition(kept)
    whole = entropy_by_definition(weights.tolist())
    chance = np.array([weights @ np.array(accepted)])
    assert of_label(chance)[0] == pytest.approx(whole - left, abs=1e-12)


def test_a_label_that_is_certain_tells_nothing() -> None:
    assert of_label(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("starts", [1, 3])
@pytest.mark.parametrize("seed", range(12))
def test_paths_are_counted_and_listed(seed: int, starts: int) -> None:
    mdp = random_problem(seed, starts=starts).mdp
    paths = every_path(mdp)
    assert count_paths(mdp, 10_000) == len(paths)
    assert count_paths(mdp, 3) > 3 or len(paths) <= 3
    assert set(all_paths(mdp)) == set(paths)


def by_definition(seed: int, count: int) -> tuple[float, float]:
    """Σₜ w(t) Σ_ξ Pr(ξ | t) ln (Pr(ξ | t) / Pr(ξ)), and the same as a difference of entropies."""
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, count))
    agents = [
        ByEnumeration(problem.mdp, score.language, score.rationality, merge_repeats=problem.merge_repeats)
        for score in belief.scores
    ]
    told, left = 0.0, 0.0
    for path in enumerate_paths(problem.mdp):
        world = environment_probability(problem.mdp, path)
        joint = [
            float(w) * world * math.exp(agent.log_probability(path))
            for w, agent in zip(belief.weights, agents, strict=True)
        ]
        whole = math.fsum(joint)
        shares = zip(joint, belief.weights.tolist(), strict=True)
        told += math.fsum(p * math.log(p / w / whole) for p, w in shares if p)
        left += whole * entropy_by_definition(joint)
    return told, entropy_by_definition(belief.weights.tolist()) - left


@pytest.mark.parametrize("seed", range(8))
def test_a_demonstration_tells_what_the_definition_says(seed: int) -> None:
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, 4))
    found = of_all_paths(belief.likeliest(LIKELIEST), problem.mdp)
    told, shrunk = by_definition(seed, 4)
    assert told == pytest.approx(shrunk, abs=1e-9)
    assert found.nats == pytest.approx(told, abs=1e-9)
    assert found.exact
    assert found.error == 0.0


@pytest.mark.parametrize("starts", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_drawn_paths_come_near_the_sum_over_all(seed: int, starts: int) -> None:
    problem = random_problem(seed, starts=starts)
    audience = belief_in(problem, random_tasks(seed, 4)).likeliest(LIKELIEST)

    def drawn(draws: int = 1000) -> Information:
        return of_drawn_paths(audience, problem.mdp, draws, np.random.default_rng(1))

    exact, found = of_all_paths(audience, problem.mdp), drawn()
    assert abs(found.nats - exact.nats) < 4 * found.error + 1e-9
    assert not found.exact
    assert found.draws == 1000
    assert drawn() == found
    assert drawn(6).nats >= 0  # whatever is drawn


def test_the_standard_error_is_how_much_estimates_spread() -> None:
    problem = random_problem(1)
    audience = belief_in(problem, random_tasks(1, 4)).likeliest(LIKELIEST)
    exact = of_all_paths(audience, problem.mdp).nats
    many = [of_drawn_paths(audience, problem.mdp, 40, np.random.default_rng([7, k])) for k in range(200)]
    nats = np.array([one.nats for one in many])
    errors = np.array([one.error for one in many])
    assert abs(nats.mean() - exact) < 4 * nats.std() / np.sqrt(len(nats))  # no bias
    assert np.sqrt((errors**2).mean()) == pytest.approx(nats.std(), rel=0.2)


def test_a_demonstration_tells_nothing_about_a_task_that_is_known() -> None:
    problem = random_problem(2)
    audience = belief_in(problem, random_tasks(2, 1)).likeliest(LIKELIEST)
    assert of_all_paths(audience, problem.mdp).nats == pytest.approx(0.0, abs=1e-9)
    drawn = of_drawn_paths(audience, problem.mdp, 10, np.random.default_rng(0))
    assert drawn.nats == pytest.approx(0.0, abs=1e-9)


def test_the_audience_are_the_likeliest_tasks() -> None:
    belief = belief_in(random_problem(1), random_tasks(1, 9))
    audience = belief.likeliest(4)
    assert audience.scores == belief.scores[:4]
    assert audience.weights == pytest.approx(belief.weights[:4] / belief.weights[:4].sum())


def test_a_stop_flag_ends_it() -> None:
    problem, stop = random_problem(1), Stop()
    audience = belief_in(problem, random_tasks(1, 3)).likeliest(LIKELIEST)
    stop.set()
    with pytest.raises(Stopped):
        of_all_paths(audience, problem.mdp, stop)
    with pytest.raises(Stopped):
        of_drawn_paths(audience, problem.mdp, 10, np.random.default_rng(0), stop)
