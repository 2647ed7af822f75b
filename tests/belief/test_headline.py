"""The headline, against chances that are added up over every path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from belief_cases import KINDS, Kind, some_problem, some_tasks

import demospec
from demospec.belief.acting import Acting, answer_to_act_on, answers_to_act_on, satisfactions
from demospec.belief.answers import Answer, Answers
from demospec.belief.tuned import AS_OFTEN, ENOUGH
from demospec.explain.score import Score
from demospec.plan.rationality import MOST_RATIONAL, Fixed
from demospec.problem import Problem
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import parse
from demospec.testing.small_worlds import ByEnumeration
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode


def answer(task: Task, share: float) -> Answer:
    return Answer((Score(task, 1.0, 0.0, 0.0, 10.0, 0.5),), share, is_named=False)


def answers_of(weighted: Sequence[tuple[Task, float]]) -> Answers:
    return Answers(tuple(answer(task, share) for task, share in weighted), len(weighted), 0.0)


def said(problem: Problem, weighted: Sequence[tuple[str, float]]) -> tuple[Answers, Acting]:
    answers = answers_of([(parse(line, problem.alphabet), share) for line, share in weighted])
    found = answer_to_act_on(problem, answers)
    assert found is not None
    return answers, found


def by_the_way() -> Problem:
    """Return a world in which r can be avoided for nothing."""
    world = gridworld(["y.r.", "...."], start=(4, 2), episode=Episode(horizon=8))
    bare = Problem.of(world, alphabet="ry", merge_repeats=True, code="words", agent=Fixed(50.0))
    return bare.with_demonstrations(demospec.sample(bare, parse("reach y; never r", "ry")))


def by_all_paths(problem: Problem, pursued: DFA, read: DFA) -> float:
    """Add up the chances of all paths of one task's agent that satisfy another task."""
    total = 0.0
    for scene, share in zip(problem.scenes, problem.shares, strict=True):
        agent = ByEnumeration(scene.mdp, pursued, MOST_RATIONAL, merge_repeats=problem.merge_repeats)
        words = ((problem.word(path, scene), chance) for path, chance in agent.continuations())
        total += share * math.fsum(chance for word, chance in words if read.accepts(word))
    return total


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_chances_and_choice_are_those_of_all_paths(seed: int, kind: Kind) -> None:
    problem = replace(some_problem(seed, kind=kind), code="words")
    tasks, shares = some_tasks(seed, 4), (0.4, 0.3, 0.2, 0.1)
    answers = answers_of(list(zip(tasks, shares, strict=True)))
    expected = np.array([[by_all_paths(problem, one, other) for other in tasks] for one in tasks])
    found = satisfactions(problem, answers.all, 3)
    assert found[0] == pytest.approx(expected.diagonal(), abs=1e-9)
    assert found[1:] == pytest.approx(expected[:3], abs=1e-9)
    enough = [
        math.fsum(
            share for k, share in enumerate(shares) if expected[i, k] >= AS_OFTEN * expected[k, k] - 1e-9
        )
        for i in range(4)
    ]
    headline = answer_to_act_on(problem, answers)
    assert headline is not None
    place = answers.all.index(headline.answer)
    assert headline.enough == pytest.approx(enough[place])
    assert headline.likeliest_enough == pytest.approx(enough[0])
    least = min(ENOUGH, max(enough))
    assert place == next(k for k, chance in enumerate(enough) if chance >= least - 1e-9)


def test_what_costs_nothing_is_kept_to() -> None:
    """A rule that two less likely answers share is kept, though the likeliest answer leaves it out."""
    problem = by_the_way()
    weighted = [("reach y", 0.4), ("reach y; never r", 0.35), ("reach y; no r before y", 0.25)]
    answers, found = said(problem, weighted)
    assert (found.answer, found.likeliest) == (answers.all[1], answers.all[0])
    assert not found.is_likeliest
    assert found.likeliest_enough < ENOUGH <= found.enough
    led, _ = answers_to_act_on(problem, answers)
    assert [one.share for one in led.all] == [0.35, 0.4, 0.25]
    assert led.answer is led.all[0]
    assert led.likeliest.share == 0.4
    assert [one.is_named for one in led.all] == [True, False, False]


@pytest.mark.parametrize(("share", "others", "is_named"), [(0.67, 0.33, True), (0.66, 0.34, False)])
def test_what_has_two_thirds_of_the_belief_is_named(share: float, others: float, *, is_named: bool) -> None:
    _, found = said(by_the_way(), [("reach y", share), ("reach y; never r", others)])
    assert found.likeliest_enough == pytest.approx(share)
    assert found.is_likeliest == is_named


@pytest.mark.parametrize(("less", "is_named"), [(0.3, True), (0.15, False)])
def test_what_has_half_of_the_belief_needs_to_be_less_often_enough(less: float, *, is_named: bool) -> None:
    weighted = [("reach y", 0.55), ("reach y; never r", 0.45 - less), ("eventually y or r", less)]
    _, found = said(by_the_way(), sorted(weighted, key=lambda one: -one[1]))
    assert found.likeliest_enough == pytest.approx(0.55 + less)
    assert found.is_likeliest == is_named


def test_what_is_far_less_likely_is_not_named() -> None:
    problem = demospec.load_example("robot")
    weighted = [("reach y", 0.49), ("reach b", 0.37), ("reach g", 0.13), ("reach y; reach b; reach g", 0.01)]
    answers, found = said(problem, weighted)
    assert found.answer is not answers.all[3]
    assert found.answer.share >= 0.03 * found.likeliest.share


def test_what_is_not_weighed_by_a_prior_has_the_likeliest_first() -> None:
    problem = demospec.load_example("robot-paper")
    answers = answers_of([(parse("reach y; never r", problem.alphabet), 0.4), (parse("reach y", "y"), 0.35)])
    assert answer_to_act_on(problem, answers) is None
    led, found = answers_to_act_on(problem, answers)
    assert found is None
    assert led.answer.share == 0.4


def test_one_answer_is_the_headline() -> None:
    _, found = said(demospec.load_example("robot"), [("reach y", 1.0)])
    assert (found.enough, found.is_likeliest) == (1.0, True)
