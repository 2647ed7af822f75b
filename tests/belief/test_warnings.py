"""Warnings: each raised where it is planted, none on clean problems."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest

import demospec
from demospec.belief.agent import demonstrator_of, spread_of
from demospec.belief.findings import chance_of_as_far, warnings_of
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem, Weights
from demospec.tasks import Task
from demospec.tasks.clauses import parse
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State
from recovery.planted import TASKS, planted

LETTERS = ("a", "b")
ROWS = ["......a", ".......", ".......", "b......"]


def problem_of(
    world: MDP,
    shown: list[tuple[Task, int]],
    rationality: float = 30.0,
    alphabet: tuple[str, ...] = LETTERS,
) -> Problem:
    agent = Fixed(rationality)
    bare = Problem.of(world, merge_repeats=True, agent=agent, code="words", alphabet=alphabet)
    paths = [
        path
        for seed, (task, count) in enumerate(shown)
        for path in demospec.sample(bare, task, count=count, seed=seed)
    ]
    return replace(bare.with_demonstrations(paths), agent=Learned())


def codes(problem: Problem, task: Task) -> list[str]:
    return [one.code for one in warnings_of(problem, demospec.score(problem, task))]


@pytest.fixture(scope="module")
def grid() -> MDP:
    return gridworld(ROWS, start=(4, 2), episode=Episode(horizon=12))


REACH = parse("reach a; never b", LETTERS)
OTHER = parse("reach b; never a", LETTERS)


def test_a_stray_run_is_named(grid: MDP) -> None:
    problem = problem_of(grid, [(REACH, 12), (OTHER, 1)], rationality=60.0)
    problem = replace(problem, agent=Learned(rationality=60.0))  # learned, one failure makes it less rational
    (found,) = [
        one for one in warnings_of(problem, demospec.score(problem, REACH)) if "demonstration" in one.code
    ]
    assert "demonstration 13" in found.message
    assert found.advice


def test_success_that_the_model_cannot_explain(grid: MDP) -> None:
    hard = parse("a, then b", LETTERS)
    problem = problem_of(grid, [(hard, 0), (parse("reach a", LETTERS), 5)])
    assert "succeeds-otherwise" not in codes(problem, parse("reach a", LETTERS))
    known = replace(problem, agent=Fixed(0.5))
    assert "succeeds-otherwise" in codes(known, parse("reach a", LETTERS))


def test_a_letter_that_never_occurs(grid: MDP) -> None:
    problem = problem_of(grid, [(parse("reach a", ("a", "b", "c")), 3)], alphabet=("a", "b", "c"))
    (found,) = [
        one
        for one in warnings_of(problem, demospec.score(problem, parse("reach a", problem.alphabet)))
        if one.code == "letter-never-occurs"
    ]
    assert "c" in found.message


def test_a_log_without_alternatives() -> None:
    rows: list[tuple[State, str, dict[State, float]]] = [
        ("s", "go", {"t": 1.0}),
        ("t", "go", {"u": 1.0}),
        ("u", "go", {"s": 1.0}),
    ]
    world = MDP.build(rows, start="s", episode=Episode(horizon=4), labels={"t": "a", "u": "b"})
    problem = problem_of(world, [(parse("reach a", LETTERS), 3)])
    assert codes(problem, parse("reach a", LETTERS))[0] == "no-choice"


def test_a_prior_that_excludes_what_was_shown(grid: MDP) -> None:
    problem = problem_of(grid, [(REACH, 3)])
    excluded = replace(problem, prior=parse("never a", LETTERS).automaton)
    assert "prior-excludes" in codes(excluded, parse("never a", LETTERS))


@pytest.mark.slow
def test_clean_problems_raise_none() -> None:
    raised = {}
    for number, one in enumerate(TASKS[:25]):
        for seed in (0, 1):
            clean = replace(
                planted(one.task, 2 * number + seed, 5, 200 + seed),
                agent=Learned(),
                code="words",
                weights=Weights(by_rule=True),
            )
            found = codes(clean, one.task)
            if found:
                raised[one.name, seed] = found
    assert not raised


@pytest.mark.parametrize(("runs", "good", "chance"), [(6, 6, 0.3), (6, 0, 0.9), (10, 5, 0.5)])
def test_tails_are_sums(runs: int, good: int, chance: float) -> None:
    every = [comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(runs + 1)]
    assert chance_of_as_far(runs, good, chance) == pytest.approx(
        min(sum(every[good:]), sum(every[: good + 1]), 1)
    )


def test_who_showed_it(grid: MDP) -> None:
    result = demospec.learn(problem_of(grid, [(REACH, 8)], rationality=20.0), seed=0)
    agent = demonstrator_of(result.belief)
    assert agent is not None
    assert agent.rationality.low <= 20 <= agent.rationality.high
    assert agent.rationality.low <= agent.rationality.mean <= agent.rationality.high
    told = result.to_json()["agent"]
    assert isinstance(told, dict)
    assert set(told) == {"rationality", "effort", "haste"}
    assert told["rationality"]["low"] == agent.rationality.low


def test_spreads() -> None:
    found = spread_of(np.array([1.0, 10.0, 100.0]), np.array([0.02, 0.96, 0.02]), geometric=True)
    assert (found.low, found.high) == (10.0, 10.0)
    assert found.mean == pytest.approx(10.0)


def test_headline_is_the_likeliest_answer(grid: MDP) -> None:
    result = demospec.learn(problem_of(grid, [(REACH, 5)]), seed=0)
    assert result.findings is not None
    first = result.findings.answers.all[0]
    assert first.is_named
    assert result.best is first.smallest
    assert first.share == max(answer.share for answer in result.findings.answers.all)
    document = result.to_json()
    assert document["answer"]["probability"] == first.share  # type: ignore[index]
    assert document["best"]["transitions"] == document["answer"]["task"]["transitions"]  # type: ignore[index]
