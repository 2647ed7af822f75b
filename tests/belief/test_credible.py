"""The credible set: it holds 95 % of the belief, no fewer answers do, and it excludes something."""

from __future__ import annotations

from dataclasses import replace

import pytest
from belief_cases import KINDS, LETTERS, Kind, some_problem, some_tasks

from demospec.belief import Belief, Credible, findings_of
from demospec.belief.answers import answers_of
from demospec.explain.evaluator import Evaluator
from demospec.files import load_example
from demospec.problem import Weights
from demospec.tasks.clauses import parse
from demospec.tasks.clauses.library import library
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
    clauses = library(problem.alphabet)[::2]
    said = ["reach y", "never r", "no r before y", "reach y with no b since g"]
    tasks = [
        parse(f"{one}; {other.sentence}", problem.alphabet).automaton for one in said for other in clauses
    ]
    belief = Belief.of(problem, Evaluator(problem).scores(tasks))
    found = Credible.set_of(belief, answers_of(belief))
    assert len(found.answers) < 0.5 * found.of
    given = found.labels(list(all_words(problem.alphabet, 3))).sum(axis=1)
    assert (given == 1).sum() > 10
    assert (given >= 1).all()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("grouped", [False, True])
def test_labels_are_those_that_its_answers_give(seed: int, grouped: bool) -> None:
    belief = belief_in_words(seed)
    found = Credible.set_of(belief, answers_of(belief) if grouped else None)
    for word in all_words(LETTERS, 3):
        read = word_of(word, merge_repeats=belief.problem.merge_repeats)
        given = set()
        for answer in found.answers:
            share = belief.weights[list(answer)].sum()
            for label in (True, False):
                weight = sum(belief.weights[k] for k in answer if belief.tasks[k].accepts(read) == label)
                if weight > 0.05 * share:
                    given.add(label)
        assert set(found.possible_labels(word)) == given
        assert given


def test_a_likely_label_is_possible() -> None:
    for seed in range(6):
        belief = belief_in_words(seed)
        found = Credible.set_of(belief)  # every task for itself
        for word in all_words(LETTERS, 3):
            chance = belief.accepts(word)
            for label, share in ((True, chance), (False, 1 - chance)):
                if share > 0.05 + 1e-6:
                    assert label in found.possible_labels(word)


def test_findings_tell_it_where_sizes_are_of_a_prior() -> None:
    belief = belief_in_words(1)
    told = findings_of(belief)
    assert told.credible is not None
    assert told.credible.sentence in told.sentences
    other = findings_of(Belief.of(some_problem(1), belief.scores))
    assert other.credible is None
    assert not any("credible" in sentence for sentence in other.sentences)
