"""Looks at agents: what a search scores beside one agent, against the evidence over the whole grid."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import demospec
from demospec.belief import Belief, task_cost
from demospec.explain.evaluator import rejected
from demospec.explain.evidence import NEARLY, USUAL, Evidence
from demospec.explain.score import Score, scores_of
from demospec.explain.setup import resolve
from demospec.plan.rationality import AgentPoint, Fixed, Learned
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.tasks import DFA
from demospec.tasks.clauses import parse
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode
from recovery.wide_cases import WideCase

LETTERS = ("a", "b")
NEAR = 6.0  # nats
SECOND_LOOK = WideCase("choose", 62, 14, 10, "default")  # the truth's agent is not that of those before it
CALM_AGENT = WideCase("held-out", 1, 9, 10, "default")  # the leader hurries, the truth's agent does not
MILD_AGENT = WideCase("choose", 50, 13, 10, "default")
SMALL = [WideCase("choose", 12, 0, 3, "default"), WideCase("choose", 13, 0, 3, "default")]


def evidence_of(problem: Problem) -> Evidence:
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    return Evidence(problem, PLANNER, agent)


def learned(case: WideCase) -> Result:
    _, problem = case.plant()
    return demospec.learn(problem, seed=case.seed)


@pytest.fixture(scope="module")
def second_look() -> Result:
    return learned(SECOND_LOOK)


@pytest.fixture(scope="module")
def small() -> Evidence:
    world = gridworld(["..a", ".b.", "..."], start=(1, 3), episode=Episode(horizon=6))
    bare = Problem.of(world, merge_repeats=True, agent=Fixed(8.0))
    shown = demospec.sample(bare, parse("reach a", LETTERS), count=3, seed=1)
    return evidence_of(replace(bare.with_demonstrations(shown), agent=Learned()))


@pytest.mark.parametrize("said", ["reach a", "reach b", "never b", "reach a; never b", "b, then a"])
def test_no_agent_that_explains_nearly_as_well_is_milder(small: Evidence, said: str) -> None:
    task = parse(said, LETTERS).automaton
    surprise = {point: small.at([task], [point])[0].surprise for point in small.agent.points}
    mildest = AgentPoint(math.inf, math.inf, math.inf)
    for point, nats in surprise.items():
        if nats <= min(surprise.values()) + NEARLY and order(point) < order(mildest):
            mildest = point
    assert small.mildest(task) == mildest


def order(point: AgentPoint) -> tuple[float, float, float]:
    return point.haste, point.effort, point.rationality


@pytest.mark.parametrize("accepts", [True, False])
def test_beside_a_task_without_aim_a_usual_agent_is_taken(small: Evidence, *, accepts: bool) -> None:
    assert small.mildest(DFA.constant(LETTERS, accepts)) == AgentPoint(USUAL)


def exact_scores(problem: Problem, scores: list[Score]) -> list[Score]:
    """Return the numbers of tasks over the whole grid."""
    found = evidence_of(problem).everywhere([score.language for score in scores])
    return scores_of(problem, [score.task for score in scores], found)


def check_leads(result: Result, truth: DFA) -> None:
    """Check that the truth has its exact surprise, and leads as it does by exact numbers."""
    belief = result.belief
    place = belief.find(truth)
    assert place == 0
    (exact,) = evidence_of(result.problem).everywhere([truth])
    assert belief.scores[place].surprise == pytest.approx(exact.surprise, abs=1e-6)
    others = exact_scores(result.problem, list(belief.scores[:300]))
    assert min(others, key=lambda score: task_cost(result.problem, score)) == others[0]


def test_the_truth_is_looked_at_again_when_another_agent_leads(second_look: Result) -> None:
    check_leads(second_look, SECOND_LOOK.truth)


def test_the_truth_is_seen_beside_a_mild_agent() -> None:
    check_leads(learned(MILD_AGENT), MILD_AGENT.truth)


def test_the_truth_is_seen_beside_an_agent_that_does_not_hurry() -> None:
    check_leads(learned(CALM_AGENT), CALM_AGENT.truth)


@pytest.mark.parametrize("said", ["reach a", "reach b", "never b", "reach a; never b", "b, then a"])
def test_beside_the_mildest_agent_are_a_calm_one_and_the_likeliest(small: Evidence, said: str) -> None:
    task = parse(said, LETTERS).automaton
    surprise = {point: small.at([task], [point])[0].surprise for point in small.agent.points}
    mildest, *others = small.beside(task)
    assert mildest == small.mildest(task)
    likeliest = min(surprise, key=surprise.__getitem__)
    if mildest.haste:
        calm = {point: nats for point, nats in surprise.items() if not point.haste}
        assert others[0] == min(calm, key=calm.__getitem__)
        assert {others[-1], mildest} >= {likeliest} or likeliest == others[0]
    else:
        assert others == ([] if likeliest == mildest else [likeliest])


def test_what_is_cut_is_rejected_by_no_task(small: Evidence) -> None:
    problem = small.problem
    tasks = [parse(line, LETTERS).automaton for line in ("reach a", "never a", "reach b", "never b")]
    by_word = [sum(not task.accepts(word) for word in problem.words) for task in tasks]
    assert len({*by_word}) > 1
    assert rejected(problem, tasks).tolist() == by_word
    cut = [path.upto(1) for path in problem.demonstrations[:1]]
    assert rejected(Problem.of(problem.mdp, cut, merge_repeats=True), tasks).tolist() == [0] * 4


def distance(belief: Belief, exact: Belief) -> float:
    """Return the total variation between beliefs; also check what is near by exact numbers."""
    problem = belief.problem
    known = dict(zip(belief.forms, belief.scores, strict=True))
    far = task_cost(problem, exact.scores[0]) + NEAR
    for form, score in zip(exact.forms, exact.scores, strict=True):
        if task_cost(problem, score) <= far:
            assert task_cost(problem, known[form]) == pytest.approx(task_cost(problem, score), abs=1e-6), (
                score.task
            )
    one, other = (dict(zip(some.forms, some.weights.tolist(), strict=True)) for some in (belief, exact))
    every = one.keys() | other.keys()
    return math.fsum(abs(one.get(form, 0.0) - other.get(form, 0.0)) for form in every) / 2


def test_after_a_second_look_the_belief_is_the_exact_one(second_look: Result) -> None:
    belief = second_look.belief
    exact = Belief.of(second_look.problem, exact_scores(second_look.problem, list(belief.scores)))
    assert distance(belief, exact) < 0.03


@pytest.mark.parametrize("case", SMALL, ids=lambda case: str(case.number))
def test_the_belief_is_the_exact_one_over_all_that_was_scored(case: WideCase) -> None:
    result = learned(case)
    every = {score.task.key: score for row in result.trace for score in row.info.scored}
    exact = Belief.of(result.problem, exact_scores(result.problem, list(every.values())))
    assert distance(result.belief, exact) < 0.03
