"""Credible sets: the fewest answers with 95 % of the belief, and labels of words; both exclude something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from belief_cases import KINDS, LETTERS, Kind, some_problem, some_tasks

from demospec.belief import Belief, Credible, findings_of
from demospec.belief.answers import answers_of
from demospec.belief.belief import credible_labels
from demospec.explain.evaluator import Evaluator
from demospec.files import load_example
from demospec.plan.monitor import make_monitor
from demospec.plan.sample import sample_path
from demospec.plan.tabular import PLANNER
from demospec.problem import Weights
from demospec.tasks import DFA, Word
from demospec.tasks.clauses import parse
from demospec.tasks.clauses.clause import clause_library
from demospec.worlds.paths import word_of
from strategies import all_words


def belief_in_words(seed: int, kind: Kind = "one") -> Belief:
    """Believe by a prior in words."""
    problem = replace(some_problem(seed, kind=kind), code="words", weights=Weights(by_rule=True))
    return Belief.of(problem, Evaluator(problem).scores(some_tasks(seed, 40)))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grouped", [False, True])
def test_it_is_the_smallest_set_that_holds_the_share(seed: int, kind: Kind, grouped: bool) -> None:
    belief = belief_in_words(seed, kind)
    answers = answers_of(belief) if grouped else None
    found = Credible.set_of(belief, answers)
    shares = [float(belief.weights[list(answer)].sum()) for answer in found.answers]
    assert found.share == pytest.approx(sum(shares))
    assert found.share >= 0.95 - 1e-9
    assert found.share - shares[-1] < 0.95
    assert shares == sorted(shares, reverse=True)
    every = (
        [float(one) for one in belief.weights]
        if answers is None
        else [answer.share for answer in answers.all]
    )
    assert sum(share > shares[-1] + 1e-12 for share in every) <= len(shares) - 1
    assert found.of >= len(found.answers)
    places = [place for answer in found.answers for place in answer]
    assert len(places) == len(set(places)) == len(found.scores)


def test_it_excludes_answers_and_labels() -> None:
    problem = replace(load_example("robot"), code="words", weights=Weights(by_rule=True))
    clauses = clause_library(problem.alphabet)[::2]
    said = ["reach y", "never r", "no r before y", "reach y with no b since g"]
    tasks = [
        parse(f"{one}; {other.sentence}", problem.alphabet).automaton for one in said for other in clauses
    ]
    belief = Belief.of(problem, Evaluator(problem).scores(tasks))
    found = Credible.set_of(belief, answers_of(belief))
    assert len(found.answers) < 0.5 * found.of
    given = credible_labels(belief, list(all_words(problem.alphabet, 3))).sum(axis=1)
    assert (given == 1).sum() > 10
    assert (given >= 1).all()


@pytest.mark.parametrize("seed", range(8))
def test_labels_are_those_with_more_than_one_part_in_twenty_of_the_belief(seed: int) -> None:
    belief = belief_in_words(seed)
    for word in all_words(LETTERS, 3):
        read = word_of(word, merge_repeats=belief.problem.merge_repeats)
        pairs = list(zip(belief.tasks, belief.weights.tolist(), strict=True))
        shares = {
            label: sum(weight for task, weight in pairs if task.accepts(read) == label)
            for label in (True, False)
        }
        assert possible(belief, word) == tuple(label for label in shares if shares[label] > 0.05)


def possible(belief: Belief, word: Word) -> tuple[bool, ...]:
    rejected, accepted = credible_labels(belief, [word])[0].tolist()
    return tuple(label for label, given in ((True, accepted), (False, rejected)) if given)


def all_but(word: Word) -> DFA:
    """Accept every word but one."""
    states = len(word) + 1
    steps = [
        (k, letter, k + 1 if letter == word[k] else states) for k in range(len(word)) for letter in LETTERS
    ]
    beyond = [(state, letter, states) for state in (states - 1, states) for letter in LETTERS]
    accepting = [k for k in range(states + 1) if k != states - 1]
    return DFA.build(alphabet=LETTERS, states=states + 1, accepting=accepting, transitions=steps + beyond)


def test_labels_are_excluded_that_small_answers_give() -> None:
    problem = replace(some_problem(2), code="words", weights=Weights(by_rule=True), merge_repeats=False)
    words = list(all_words(LETTERS, 4))[:25]
    scores = Evaluator(problem).scores([all_but(word) for word in words])
    belief = Belief(problem, tuple(scores), np.full(25, 1 / 25), ())
    found = Credible.set_of(belief)
    assert len(found.answers) == 24
    rejected = [word for word in words if any(not score.language.accepts(word) for score in found.scores)]
    assert len(rejected) == 24  # for each of them one answer of the set; the others accept it
    assert all(possible(belief, word) == (True,) for word in rejected)  # 24 of 25 parts of the belief


def test_true_labels_are_possible_as_often_as_is_said() -> None:
    """Draw tasks from a small prior that is known, and show each a few times."""
    rng = np.random.default_rng(0)
    bare = replace(some_problem(4, horizon=6), code="words", weights=Weights(by_rule=True))
    (scene,) = bare.scenes
    before = Belief.of(
        bare, [replace(one, surprise=0.0) for one in Evaluator(bare).scores(some_tasks(4, 40))]
    )
    plans = [
        PLANNER.plan(scene.world, make_monitor(task, merge_repeats=bare.merge_repeats), 5.0)
        for task in before.tasks
    ]
    words = list(all_words(LETTERS, 4))
    held, only = [], []
    for truth in rng.choice(len(plans), size=200, p=before.weights):
        shown = tuple(sample_path(plans[truth], rng) for _ in range(6))
        problem = replace(bare, scenes=(replace(scene, demonstrations=shown),))
        belief = Belief.of(problem, Evaluator(problem).scores(before.tasks))
        for word in words:
            given = possible(belief, word)
            held.append(before.forms[truth].accepts(word_of(word, merge_repeats=bare.merge_repeats)) in given)
            only.append(len(given) == 1)
    assert np.mean(held) > 0.94
    assert np.mean(np.array(held)[only]) > 0.94  # also where a label is excluded
    assert np.mean(only) > 0.1


def test_findings_tell_it_where_sizes_are_of_a_prior() -> None:
    belief = belief_in_words(1)
    told = findings_of(belief)
    assert told.credible is not None
    assert told.credible.sentence in told.sentences
    other = findings_of(Belief.of(some_problem(1), belief.scores))
    assert other.credible is None
    assert not any("credible" in sentence for sentence in other.sentences)
