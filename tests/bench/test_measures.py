"""What is measured, against enumeration of all paths and against the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.belief import Belief
from demospec.explain.score import Score, evaluate
from demospec.explain.setup import resolve
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.small_worlds import ByEnumeration, random_demonstrations, random_dfa, random_mdp
from recovery.measures import (
    Bin,
    Least,
    brier,
    draw_words,
    least_believed,
    read_along,
    reliability,
    share,
)

LETTERS = ("a", "b")


def random_problem(rng: np.random.Generator) -> Problem:
    mdp = random_mdp(rng, states=4, actions=2, letters=LETTERS, horizon=4, end_probability=0.2, terminal=1)
    return Problem.of(
        mdp,
        demonstrations=random_demonstrations(rng, mdp, 2),
        alphabet=LETTERS,
        agent=Fixed(float(rng.uniform(0, 4))),
        merge_repeats=bool(rng.integers(2)),
    )


@pytest.mark.parametrize("seed", range(25))
def test_what_two_tasks_say_of_an_agents_paths_is_what_all_paths_add_up_to(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    pursued, other = (random_dfa(rng, LETTERS, int(rng.integers(1, 5))) for _ in range(2))
    fixed = resolve(problem).agent
    assert isinstance(fixed, Fixed)
    agent = ByEnumeration(problem.mdp, pursued, fixed.rationality, merge_repeats=problem.merge_repeats)
    own, read, same = [], [], []
    for path, chance in agent.continuations():
        labels = pursued.accepts(problem.word(path)), other.accepts(problem.word(path))
        own.append(chance * labels[0])
        read.append(chance * labels[1])
        same.append(chance * (labels[0] == labels[1]))
    found = read_along(problem, pursued, other)
    assert found.own == pytest.approx(math.fsum(own), abs=1e-12)
    assert found.other == pytest.approx(math.fsum(read), abs=1e-12)
    assert found.same == pytest.approx(math.fsum(same), abs=1e-12)


def test_the_share_of_nothing_is_all_of_it() -> None:
    assert share(0.3, 0.6) == 0.5
    assert share(0.0, 0.0) == 1.0


answers = st.lists(
    st.tuples(st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.booleans()), min_size=1
)


@given(answers)
def test_brier_score_by_definition(given_answers: list[tuple[float, bool]]) -> None:
    probabilities, labels = zip(*given_answers, strict=True)
    expected = math.fsum((p - (1 if label else 0)) ** 2 for p, label in given_answers) / len(given_answers)
    assert brier(np.array(probabilities), np.array(labels)) == pytest.approx(expected)


@given(answers)
def test_every_word_is_in_the_bin_of_its_probability(given_answers: list[tuple[float, bool]]) -> None:
    probabilities, labels = zip(*given_answers, strict=True)
    bins = reliability(np.array(probabilities), np.array(labels))
    assert len(bins) == 10
    for k, found in enumerate(bins):
        inside = [
            (p, label) for p, label in given_answers if (10 * p >= k or k == 0) and (10 * p < k + 1 or k == 9)
        ]
        assert found.count == len(inside)
        assert found.accepted == sum(label for _, label in inside)
        assert found.predicted == pytest.approx(math.fsum(p for p, _ in inside))


def test_bins_of_two_runs_add_up() -> None:
    assert Bin(1, 0.25, 1) + Bin(3, 0.5, 0) == Bin(4, 0.75, 1)


def believing(problem: Problem, *tasks: DFA) -> Belief:
    scores: list[Score] = [evaluate(problem, task).score for task in tasks]
    return Belief.of(problem, scores)


@pytest.mark.parametrize("seed", range(8))
def test_the_least_believed_common_word_by_definition(seed: int) -> None:
    rng = np.random.default_rng([seed, 1])
    problem = random_problem(rng)
    truth = random_dfa(rng, LETTERS, 3)
    belief = believing(problem, *(random_dfa(rng, LETTERS, 3) for _ in range(4)))
    words = draw_words(problem, truth, 300, rng)
    common = [word for word in set(words) if words.count(word) >= 3]
    believed = {
        word: math.fsum(
            weight
            for task, weight in zip(belief.tasks, belief.weights.tolist(), strict=True)
            if task.accepts(word) == truth.accepts(word)
        )
        for word in common
    }
    found = least_believed(belief, truth, words)
    assert isinstance(found, Least)
    assert found.probability == pytest.approx(min(believed.values()), abs=1e-12)
    assert believed[found.word] == pytest.approx(found.probability, abs=1e-12)
    assert found.share == words.count(found.word) / 300
    tasks = [score.task for score in belief.rivals]
    assert found.possible == all(
        chance >= 0.05 or any(task.accepts(word) == truth.accepts(word) for task in tasks)
        for word, chance in believed.items()
    )
    assert found.covered == pytest.approx(sum(words.count(word) for word in common) / 300)


def test_there_may_be_no_common_word() -> None:
    problem = random_problem(np.random.default_rng(0))
    reach = DFA.parse(">0: a→1 | *1:", LETTERS)
    words = [("a", "b") * k for k in range(101)]
    assert least_believed(believing(problem, reach), reach, words) is None
    assert least_believed(believing(problem, reach), reach, [*words, ()]) == Least(
        (), 2 / 102, 1.0, 2 / 102, possible=True
    )


def test_words_are_drawn_from_the_agent_of_the_task() -> None:
    problem = random_problem(np.random.default_rng(5))
    task = DFA.parse(">0: a→1 | *1:", LETTERS)
    words = draw_words(problem, task, 2000, np.random.default_rng(0))
    satisfied = sum(map(task.accepts, words)) / len(words)
    chance = read_along(problem, task, task).own
    assert abs(satisfied - chance) < 5 * math.sqrt(chance * (1 - chance) / len(words)) + 1e-9
