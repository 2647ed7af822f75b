"""Measures of the wide suite, against other ways to work them out and against numbers by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from demospec.belief import Belief
from demospec.belief.answers import Answer, Answers
from demospec.belief.distance import Agents
from demospec.explain.pursuing import belief_policy
from demospec.explain.score import evaluate
from demospec.plan.monitor import make_monitor
from demospec.plan.sample import sample_path
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.mixture import Mixture
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode
from recovery.measures import Bin, read_along
from recovery.planted import planted
from recovery.wide_measures import (
    CredibleMarks,
    answer_bins,
    calibration_error,
    credible_marks,
    nearness,
    only,
    truth_satisfied,
)
from recovery.wide_report import bootstrap, lines, mean, median, of_belief
from recovery.wide_run import Believed, WideRow

LINES = (">0: y→1, r→2 | *1: r→2 | 2:", ">0: b→1 | 1: g→2 | *2:", ">0: y→1 | *1:")
TASKS = tuple(DFA.parse(line, "bgry") for line in LINES)
PROBLEM = planted(TASKS[0], 0, 2, 0)

BELIEVED = Believed(
    answer="reach a",
    probability=0.95,
    right=True,
    truth_probability=0.95,
    shown_probability=0.97,
    nats=0.0,
    word_bins=(Bin(2, 0.5, 1), Bin(2, 1.5, 2)),
    answer_bins=(Bin(1, 0.1, 0), Bin(1, 0.9, 1)),
    credible=CredibleMarks(holds=True, labels_hold=True, covers=1.0, excludes=True),
    complete=True,
)
ROW = WideRow(
    part="choose",
    number=0,
    seed=0,
    demonstrations=3,
    learner="default",
    world="grid",
    task="reach a",
    kind="reach",
    letters=3,
    demonstrator="model",
    rationality=20.0,
    truth_satisfied=0.9,
    share=1.0,
    truth_best=0.95,
    share_well=1.0,
    act_on_share=1.0,
    act_on_enough=0.95,
    act_on_added=2,
    belief_share=1.0,
    belief_share_alike=1.0,
    believed=BELIEVED,
    seconds=1.0,
    processor_seconds=1.0,
)


def test_acting_on_one_task_is_that_tasks_plan() -> None:
    truth, learned = TASKS[:2]
    found = truth_satisfied(PROBLEM.mdp, only(learned), 10.0, truth)
    assert found == pytest.approx(read_along(PROBLEM, learned, truth).other)


def test_acting_on_a_belief_is_its_policy() -> None:
    weighted = list(zip(TASKS, (0.5, 0.3, 0.2), strict=True))
    policy = belief_policy(PROBLEM, weighted, rationality=30.0)
    mixture = Mixture.of(weighted, merge_repeats=True)
    for task, chance in zip(policy.mixture.tasks, policy.satisfaction_probabilities, strict=True):
        assert truth_satisfied(PROBLEM.mdp, mixture, 30.0, task.automaton) == pytest.approx(chance)


def test_the_truth_is_near_itself_and_far_from_another_task() -> None:
    scores = [evaluate(PROBLEM, task).score for task in TASKS]
    answers = [Answer((score,), 0.5, is_named=k == 1) for k, score in enumerate(scores)]
    near = nearness(PROBLEM, answers, 1, TASKS[0], 10.0, 0.0)
    assert near.alike == (True, False, False)
    assert near.shown[0]
    assert near.nats > 0.1
    assert nearness(PROBLEM, answers, 0, TASKS[0], 10.0, 0.0).nats == pytest.approx(0, abs=1e-9)


def test_who_shows_the_same_need_not_behave_the_same() -> None:
    """Where y is near and r is not, an agent that may touch r shows nearly what one shows that must not."""
    world = gridworld(["y....r", "......"], start=(1, 1), episode=Episode(horizon=8))
    careful, reach = DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", "ry"), DFA.parse(">0: y→1 | *1:", "ry")
    plan = PLANNER.plan(world, make_monitor(careful, merge_repeats=True), 20.0)
    shown = [sample_path(plan, np.random.default_rng(0))]
    problem = Problem.of(world, shown, alphabet="ry", merge_repeats=True)
    answers = [Answer((evaluate(problem, task).score,), 0.5, is_named=False) for task in (reach, careful)]
    for rationality in (10.0, 20.0, 40.0):
        near = nearness(problem, answers, 0, careful, rationality, 0.0)
        assert (near.shown, near.alike) == ((True, True), (False, True))
        agents = Agents(problem, [careful, reach], [rationality] * 2)
        there, back = agents.divergences([(0, 1), (1, 0)]).tolist()
        assert near.nats == there
        assert agents.alike(0, [1], 0.01) == [False]
        breaks = -math.expm1(-there)  # in so many episodes the agent that may touches r
        assert back == pytest.approx(breaks * rationality, rel=0.12)


def test_answers_that_behave_as_the_truth_are_one() -> None:
    bins = answer_bins(np.array([0.3, 0.25, 0.2, 0.004]), (True, False, True, False))
    assert bins[2] == Bin(1, 0.25, 0)
    assert bins[5] == Bin(1, 0.5, 1)
    assert sum(one.count for one in bins) == 2


def test_a_credible_set_holds_its_answers_only() -> None:
    scores = [evaluate(PROBLEM, task).score for task in TASKS]
    belief = Belief.of(PROBLEM, scores)
    weights = belief.weights.tolist()
    alone = tuple(Answer((score,), weights[k], k == 0) for k, score in enumerate(belief.scores))
    answers = Answers(alone, len(alone), 0.0)
    first, last = [True] + [False] * (len(alone) - 1), [False] * len(alone)
    yes, no = np.array([True]), np.array([False])
    other = DFA.constant(PROBLEM.alphabet, True)  # nobody believes in it
    assert credible_marks(belief, answers, first, other, [("y",)], yes).holds
    assert not credible_marks(belief, answers, last, other, [("y",)], yes).holds
    assert credible_marks(belief, answers, first, other, [()], no) == CredibleMarks(
        True, True, 1.0, True
    )  # all reject it
    assert credible_marks(belief, answers, first, other, [()], yes) == CredibleMarks(True, False, 0.0, True)
    # a task that was compared with none is in the set by itself
    uncompared = Answers(alone[1:], len(alone) - 1, weights[0])
    truth = belief.scores[0].language
    assert credible_marks(belief, uncompared, last[1:], truth, [("y",)], yes).holds
    assert not credible_marks(belief, uncompared, last[1:], other, [("y",)], yes).holds


def test_labels_hold_the_truth_where_all_of_them_do() -> None:
    scores = tuple(evaluate(PROBLEM, task).score for task in TASKS)
    belief = Belief(PROBLEM, scores, np.array([0.9, 0.04, 0.06]), ())
    alone = tuple(
        Answer((one,), share, share > 0.5) for one, share in zip(scores, belief.weights.tolist(), strict=True)
    )
    answers, none, other = Answers(alone, 3, 0.0), [False] * 3, DFA.constant(PROBLEM.alphabet, True)
    words = [("y",), ("y", "r"), ("b", "g")]  # accepted with 0.96, 0.06 and 0.04
    found = credible_marks(belief, answers, none, other, words, np.array([True, True, False]))
    assert found == CredibleMarks(holds=False, labels_hold=True, covers=1.0, excludes=True)
    found = credible_marks(belief, answers, none, other, words, np.array([True, False, True]))
    assert found == CredibleMarks(holds=False, labels_hold=False, covers=2 / 3, excludes=True)
    found = credible_marks(belief, answers, none, other, words[1:2], np.array([False]))
    assert found == CredibleMarks(holds=False, labels_hold=True, covers=1.0, excludes=False)


def test_calibration_errors_are_those_by_hand() -> None:
    assert calibration_error([Bin(0, 0.0, 0)]) is None
    assert calibration_error([Bin(4, 1.0, 1), Bin(4, 3.0, 3)]) == 0
    assert calibration_error(BELIEVED.word_bins) == pytest.approx((0.5 + 0.5) / 4)
    (line,) = lines([ROW, ROW], ["learner"])
    assert line.figures["words off by"].value == pytest.approx((1.0 + 1.0) / 8)
    assert line.figures["probability of what shows the same, median"].value == 0.97
    assert line.figures["answers off by"].value == pytest.approx((0.2 + 0.2) / 4)


def test_certainty_is_harmful_where_the_answer_fails() -> None:
    assert ROW.harmful is False
    assert replace(ROW, share=0.949).harmful is True
    unsure = replace(BELIEVED, probability=0.9)
    assert replace(ROW, share=0.1, believed=unsure).harmful is False
    assert replace(ROW, share=0.1, believed=None).harmful is None


def test_a_bootstrap_draws_cases_with_all_of_their_rows() -> None:
    share = mean(lambda row: row.share)
    same = bootstrap([replace(ROW, number=k) for k in range(5)], share)
    assert (same.value, same.low, same.high) == (1.0, 1.0, 1.0)
    rows = [replace(ROW, number=k, share=float(k % 2)) for k in range(100)]
    half = bootstrap(rows, share)
    assert half.value == 0.5
    assert half.low == pytest.approx(0.4, abs=0.03)  # ± 1.96 · √(¼/100)
    assert half.high == pytest.approx(0.6, abs=0.03)
    assert bootstrap(rows * 4, share) == half  # four rows of one case tell no more than one
    assert str(bootstrap([replace(ROW, believed=None)], median(of_belief(lambda one: one.nats)))) == "–"


def test_lines_go_by_fields() -> None:
    rows = [ROW, replace(ROW, learner="irl", believed=None, share=0.5), replace(ROW, number=1, share=0.0)]
    found = lines(rows, ["demonstrations", "learner"], ["share, answer", "nats, median"])
    assert [(line.of, line.runs) for line in found] == [(("3", "default"), 2), (("3", "irl"), 1)]
    assert found[0].figures["share, answer"].value == 0.5
    assert found[1].cells == ["3", "irl", "1", "0.50 [0.50, 0.50]", "–"]
