"""Information against its definition, by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import belief_in, random_problem, random_tasks

from demospec.ask.information import all_paths, count_paths, entropy, of_demonstration, of_label
from demospec.belief import acceptance
from demospec.testing.by_enumeration import ByEnumeration
from demospec.testing.worlds import enumerate_paths, environment_probability
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
    assert entropy(weights) == pytest.approx(whole)
    chance = np.array([weights @ np.array(accepted)])
    assert of_label(chance)[0] == pytest.approx(whole - left, abs=1e-12)


def test_a_label_that_is_certain_tells_nothing() -> None:
    assert of_label(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]
    assert entropy(np.array([1.0, 0.0])) == 0.0


@pytest.mark.parametrize("seed", range(12))
def test_paths_are_counted_and_listed(seed: int) -> None:
    mdp = random_problem(seed).mdp
    paths = enumerate_paths(mdp)
    assert count_paths(mdp, 10_000) == len(paths)
    assert count_paths(mdp, 3) > 3 or len(paths) <= 3
    assert set(all_paths(mdp)) == set(paths)


def by_definition(seed: int, count: int) -> tuple[float, float]:
    """Σₜ w(t) Σ_ξ Pr(ξ | t) ln (Pr(ξ | t) / Pr(ξ)), and the same as a difference of entropies."""
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, count))
    agents = [
        ByEnumeration(problem.mdp, score.task, score.rationality, merge_repeats=problem.merge_repeats)
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
    found = of_demonstration(problem, problem.mdp, belief.scores, belief.weights, seed=0)
    told, shrunk = by_definition(seed, 4)
    assert told == pytest.approx(shrunk, abs=1e-9)
    assert found.nats == pytest.approx(told, abs=1e-9)
    assert found.error == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_drawn_paths_come_near_the_sum_over_all(seed: int) -> None:
    problem = random_problem(seed)
    belief = belief_in(problem, random_tasks(seed, 4))

    def found(**more: int) -> tuple[float, float]:
        one = of_demonstration(problem, problem.mdp, belief.scores, belief.weights, seed=1, **more)
        return one.nats, one.error

    exact, _ = found()
    drawn, error = found(draws=300, most_paths=0)
    assert abs(drawn - exact) < 4 * error + 1e-9
    assert found(draws=300, most_paths=0) == (drawn, error)


def test_a_demonstration_tells_nothing_about_a_task_that_is_known() -> None:
    problem = random_problem(2)
    belief = belief_in(problem, random_tasks(2, 1))
    for most_paths in (0, 10_000):
        found = of_demonstration(
            problem, problem.mdp, belief.scores, belief.weights, seed=0, most_paths=most_paths
        )
        assert found.nats == pytest.approx(0.0, abs=1e-9)
