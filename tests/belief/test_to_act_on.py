"""The task to act on, against chances that are added up over every path."""

from __future__ import annotations

import math

import numpy as np
import pytest
from belief_cases import KINDS, Kind, some_problem, some_tasks

import demospec
from demospec.belief.answers import Answer, Answers
from demospec.belief.to_act_on import AS_GOOD, satisfied, to_act_on
from demospec.explain.score import Score
from demospec.plan.rationality import MOST_RATIONAL
from demospec.problem import Problem
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import parse
from demospec.testing.by_enumeration import ByEnumeration


def answer(task: Task, share: float, *, best: bool = False) -> Answer:
    return Answer((Score(task, 1.0, 0.0, 0.0, 10.0, 0.5),), share, best)


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
    problem, tasks = some_problem(seed, kind=kind), some_tasks(seed, 4)
    shares = [0.4, 0.3, 0.2, 0.1]
    answers = [
        answer(task, share, best=share == max(shares)) for task, share in zip(tasks, shares, strict=True)
    ]
    expected = np.array([[by_all_paths(problem, one, other) for other in tasks] for one in tasks])
    assert satisfied(problem, answers) == pytest.approx(expected, abs=1e-9)
    worth = expected @ shares
    chosen = to_act_on(problem, Answers(tuple(answers), 4, 0.0))
    assert chosen is not None
    assert chosen.expected == pytest.approx(worth[answers.index(chosen.answer)], abs=1e-9)
    assert chosen.headline_expected == pytest.approx(worth[0], abs=1e-9)
    assert worth.max() - AS_GOOD <= chosen.expected <= worth.max() + 1e-9
    likelier = answers[: answers.index(chosen.answer)]
    assert all(worth[answers.index(one)] < worth.max() - AS_GOOD for one in likelier)


def test_what_costs_nothing_is_kept_to() -> None:
    """A rule that two less likely answers share is kept, though the likeliest answer leaves it out."""
    problem = demospec.load_example("robot")
    weighted = [("reach y", 0.4), ("reach y; never r", 0.35), ("reach y; never r; never b", 0.25)]
    answers = [answer(parse(line, problem.alphabet), share, best=share == 0.4) for line, share in weighted]
    chosen = to_act_on(problem, Answers(tuple(answers), 3, 0.0))
    assert chosen is not None
    assert not chosen.is_headline
    assert chosen.expected > chosen.headline_expected + 0.05
    assert "never r" in str(chosen.answer.name.task)


def test_a_certain_answer_is_acted_on_as_it_is() -> None:
    problem = demospec.load_example("robot")
    some = [
        answer(parse(line, problem.alphabet), share) for line, share in [("reach y", 0.96), ("reach g", 0.04)]
    ]
    first = answer(some[0].members[0].task, 0.96, best=True)
    assert to_act_on(problem, Answers((first, some[1]), 2, 0.0)) is None
    assert to_act_on(problem, Answers((first,), 1, 0.0)) is None
