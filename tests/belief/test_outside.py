"""The mass of tasks that were never scored: the recursion against a sum over all lists."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import demospec
from demospec.belief import Belief
from demospec.belief.belief import forms_of
from demospec.belief.outside import Sampling, list_of, outside_of
from demospec.explain.evidence import Evidence
from demospec.explain.score import scores_of
from demospec.explain.setup import resolve
from demospec.plan.rationality import AgentPoint, Learned
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.tasks import Task
from demospec.tasks.clauses.clause import Clause, Clauses, instance
from demospec.tasks.clauses.kind import kinds
from demospec.tasks.code import CLAUSES, WAYS, Words
from demospec.tasks.code import shapes as code_shapes
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode
from recovery.wide_cases import WideCase

LETTERS = ("a", "b")
ANOTHER_AGENT = WideCase("choose", 6, 14, 10, "default")  # "an odd number of a"
SMALL = 0.002  # probability of a shape below which it is left out of the sum


@pytest.fixture(scope="module")
def result() -> Result:
    world = gridworld(["..a", ".b.", "..."], start=(1, 3), episode=Episode(horizon=5))
    bare = Problem.of(world, merge_repeats=True, agent=Learned(), code="words")
    task = demospec.load_task("reach a", LETTERS)
    shown = demospec.sample(replace(bare, agent=demospec.Fixed(10.0)), task, count=2, seed=1)
    return demospec.learn(bare.with_demonstrations(shown), seed=0)


def likely_clauses() -> list[Clause]:
    shapes = [one for one in code_shapes(kinds(), 2) if one.probability > SMALL]
    return [instance(one.kind, one.size, k, LETTERS) for one in shapes for k in range(one.count)]


def test_the_mass_of_pairs_follows_from_that_of_single_clauses(result: Result) -> None:
    belief, problem = result.belief, result.problem
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    evidence, point = Evidence(problem, PLANNER, agent), AgentPoint(10.0)
    code = Words(LETTERS)
    clauses = likely_clauses()

    def mass(lists: list[tuple[Clause, ...]]) -> float:
        """Return the sum of prior times evidence."""
        tasks = [Clauses.of([one], LETTERS).automaton for one in lists]
        found = evidence.at(tasks, [point])
        return math.fsum(
            2.0 ** -code.as_clauses(one) * math.exp(-that.surprise)
            for one, that in zip(lists, found, strict=True)
        )

    wanted = mass(list(combinations(clauses, 2))) / mass([(one,) for one in clauses])
    alone = evidence.at([Clauses.of([(one,)], LETTERS).automaton for one in clauses], [point])
    scores = scores_of(problem, [Clauses.of([(one,)], LETTERS) for one in clauses], alone)
    begin = [
        ((one,), score, 2.0 ** -code.as_clauses((one,)) * math.exp(-score.surprise))
        for one, score in zip(clauses, scores, strict=True)
    ]
    total = math.fsum(weight for *_, weight in begin)
    estimates = []
    for seed in range(100):
        sampling = Sampling(belief, evidence, point, seed)
        found, _, _ = next(sampling.steps([(one, score, weight / total) for one, score, weight in begin]))
        estimates.append(found)
    error = float(np.std(estimates)) / math.sqrt(len(estimates))
    assert float(np.mean(estimates)) == pytest.approx(wanted, abs=4 * error + 0.03 * wanted)


def test_scored_tasks_and_longer_ones_are_weighed_at_the_same_agent(result: Result) -> None:
    """The mass of pairs beside that of an automaton and of single clauses, all at an agent."""
    problem = result.problem
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    evidence, point = Evidence(problem, PLANNER, agent), AgentPoint(2.0)
    code, clauses = Words(LETTERS), likely_clauses()
    tasks: list[Task] = [demospec.load_task(">0: a→1 | *1: a→0", LETTERS)]
    tasks += [Clauses.of([(one,)], LETTERS) for one in clauses]
    everywhere = evidence.everywhere([task.automaton for task in tasks])
    belief = Belief.of(problem, scores_of(problem, tasks, everywhere))
    lists = [told for score in belief.scores if (told := list_of(score))]
    ordered = [(*one, other) for one in lists for other in clauses if other not in one]
    pairs = evidence.at([Clauses.of([one], LETTERS).automaton for one in ordered], [point])
    alone = evidence.at(belief.tasks, [point])
    mass = math.fsum(
        2.0 ** -code.as_clauses(one) / 2 * math.exp(-found.surprise)  # a list is told in two orders
        for one, found in zip(ordered, pairs, strict=True)
    )
    scored = math.fsum(
        2.0**-score.size * math.exp(-found.surprise)
        for score, found in zip(belief.scores, alone, strict=True)
    )
    estimates = []
    for seed in range(20):
        sampling = Sampling(belief, evidence, point, seed)
        begin = [(one, score, weight) for score, weight in sampling.weighed() if (one := list_of(score))]
        found, _, _ = next(sampling.steps(begin))
        estimates.append(found)
    error = float(np.std(estimates)) / math.sqrt(len(estimates))
    assert float(np.mean(estimates)) == pytest.approx(mass / scored, abs=4 * error + 0.03 * mass / scored)


def test_the_mass_of_one_or_the_other_is_that_of_all_pairs(
    result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alternatives are drawn among single clauses here, so that a sum over all pairs can tell."""
    problem = result.problem
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    evidence, point = Evidence(problem, PLANNER, agent), AgentPoint(10.0)
    code, clauses = Words(LETTERS), likely_clauses()
    lists = [Clauses.of([(one,)], LETTERS) for one in clauses]
    alone = scores_of(problem, lists, evidence.at([task.automaton for task in lists], [point]))
    belief = Belief(problem, tuple(alone), np.full(len(alone), 1 / len(alone)))
    prior = np.array([2.0 ** -code.as_clauses((one,)) for one in clauses])
    weights = prior * np.exp([-score.surprise for score in alone])
    begin = [((one,), *rest) for one, *rest in zip(clauses, alone, weights / weights.sum(), strict=True)]
    known = set(belief.forms)
    pairs = [Clauses.of([(one,), (other,)], LETTERS) for one, other in combinations(clauses, 2)]
    forms = forms_of(problem, [pair.automaton for pair in pairs])
    new = [pair for pair, form in zip(pairs, forms, strict=True) if form not in known]
    found = evidence.at([pair.automaton for pair in new], [point])
    mass = math.fsum(
        2.0 ** -code.as_said(pair) * math.exp(-one.surprise) for pair, one in zip(new, found, strict=True)
    )
    of_lists = prior * sum(WAYS) / WAYS[CLAUSES]  # as lists, however they are told
    chance = of_lists / of_lists.sum()
    estimates = []
    for seed in range(40):
        sampling = Sampling(belief, evidence, point, seed)
        monkeypatch.setattr(
            sampling.drawing, "conjunction", lambda rng: (clauses[rng.choice(len(clauses), p=chance)],)
        )
        estimates.append(sampling.either(begin) * of_lists.sum())
    error = float(np.std(estimates)) / math.sqrt(len(estimates))
    wanted = mass / weights.sum()
    assert error < 0.1 * wanted
    assert float(np.mean(estimates)) == pytest.approx(wanted, abs=4 * error)


def test_little_is_outside_where_another_agent_explains_longer_tasks() -> None:
    _, problem = ANOTHER_AGENT.plant()
    belief = demospec.learn(problem, seed=14).belief
    for seed in range(3):
        found = outside_of(belief, seed=seed)
        assert found is not None
        assert 0.0 < found.share < 0.2


def test_estimates_of_different_seeds_agree_and_one_seed_gives_one() -> None:
    belief = demospec.learn(demospec.load_example("delivery"), seed=0).belief
    found = [outside_of(belief, seed=seed) for seed in range(4)]
    shares = [one.share for one in found if one is not None]
    assert len(shares) == 4
    assert 0.1 < min(shares) <= max(shares) < 0.5
    assert outside_of(belief, seed=2) == found[2]


def test_what_was_scored_is_not_outside(result: Result) -> None:
    """With half of the belief forgotten there is more outside."""
    every = [score for row in result.trace for score in row.info.scored]
    short = [score for score in every if (told := list_of(score)) and len(told) <= 2]
    whole, half = (outside_of(Belief.of(result.problem, some)) for some in (every, short))
    assert whole is not None
    assert half is not None
    assert half.longer > whole.longer


def test_nothing_is_told_where_only_some_tasks_are_allowed() -> None:
    robot = demospec.load_example("robot-incremental")
    assert demospec.learn(robot.with_settings(iterations=3), seed=0).outside is None
