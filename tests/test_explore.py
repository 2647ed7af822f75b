"""Best-first search: edits, products and guesses from their definitions, batches against single scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import demospec
from demospec.engines import chain_generator, chain_infos
from demospec.examples import Examples
from demospec.explore import Explorer
from demospec.guesses import chain, contains, guesses
from demospec.identify import CoSafety
from demospec.plan.rationality import Competency, Fixed
from demospec.problem import Problem
from demospec.score import Evaluator, evaluate
from demospec.tasks import DFA
from demospec.tasks.edits import edits, products
from demospec.testing.worlds import random_demonstrations, random_dfa, random_mdp
from strategies import AB, all_words, dfas

LETTERS = ("a", "b")


def random_problem(seed: int, **more: Any) -> Problem:
    rng = np.random.default_rng([seed, 11])
    mdp = random_mdp(
        rng, states=5, letters=LETTERS, horizon=4, end_probability=0.1 * (seed % 2), terminal=seed % 3 == 0
    )
    shown = random_demonstrations(rng, mdp, 4)
    return Problem(
        mdp=mdp,
        demonstrations=shown,
        alphabet=LETTERS,
        agent=Fixed(5.0),
        merge_repeats=bool(seed % 2),
        **more,
    )


# -- edits and products -----------------------------------------------------------------------------------


@settings(max_examples=40)
@given(dfas(max_states=3))
def test_edits_are_minimal_different_and_within_the_bound(task: DFA) -> None:
    found = edits(task, 4)
    assert len(set(found)) == len(found)
    assert task not in found
    for edited in found:
        assert edited.states <= 4
        rebuilt = DFA(alphabet=edited.alphabet, table=edited.table, accepting=edited.accepting).minimal
        assert (rebuilt.table, rebuilt.accepting) == (edited.table, edited.accepting)


def one_change_away(task: DFA) -> set[DFA]:
    """Flip a mark or lead one transition elsewhere, straight from the definition."""
    task = task.minimal
    found = set()
    for q in range(task.states):
        marks = tuple(mark != (k == q) for k, mark in enumerate(task.accepting))
        found.add(DFA(alphabet=task.alphabet, table=task.table, accepting=marks))
        for a in range(len(task.alphabet)):
            for target in range(task.states):
                rows = [list(row) for row in task.table]
                rows[q][a] = target
                table = tuple(map(tuple, rows))
                found.add(DFA(alphabet=task.alphabet, table=table, accepting=task.accepting))
    return found - {task}


@settings(max_examples=40)
@given(dfas(max_states=4))
def test_every_changed_mark_and_transition_is_among_the_edits(task: DFA) -> None:
    assert one_change_away(task) <= set(edits(task, 4))


def test_edits_lead_from_nothing_to_every_small_language(small_languages: list[DFA]) -> None:
    seen = {DFA.constant(AB, False)}
    frontier = list(seen)
    while frontier:
        new = {edited for task in frontier for edited in edits(task, 3)} - seen
        seen |= new
        frontier = list(new)
    assert seen == set(small_languages)


@settings(max_examples=30)
@given(dfas(max_states=3), dfas(max_states=3))
def test_products_are_both_either_and_one_without_the_other(one: DFA, other: DFA) -> None:
    known: set[tuple[DFA, DFA]] = set()
    found = products([one, other], known, 9)
    for word in all_words(AB, 5):
        x, y = one.accepts(word), other.accepts(word)
        wanted = [x and y, x or y, x and not y, y and not x]
        languages = [one & other, one | other, one - other, other - one]
        for language, answer in zip(languages, wanted, strict=True):
            assert language in found
            assert language.accepts(word) == answer
    assert products([one, other], known, 9) == []


# -- guesses ----------------------------------------------------------------------------------------------


def test_guesses_are_what_at_least_half_of_the_words_contain() -> None:
    words = [tuple("bgy"), tuple("bg"), tuple("ybg"), tuple("g")]
    found = guesses(words, "bgry")
    assert chain("bgry", "bg", "", always=False) in found
    assert chain("bgry", "bg", "r", always=True) in found
    assert chain("bgry", "gb", "", always=False) not in found
    assert chain("bgry", "", "r", always=True) in found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize("sequence", ["", "a", "ab", "aba"])
def test_a_chain_reads_its_sequence_before_anything_that_is_avoided(sequence: str, always: bool) -> None:
    task = chain("abc", sequence, "c", always=always)
    for word in all_words("abc", 5):
        ends = [k for k in range(len(word) + 1) if contains(word[:k], sequence)]
        reached = bool(ends)
        before = reached and "c" not in word[: ends[0]]
        assert task.accepts(word) == (before and not (always and "c" in word))


# -- scores in batches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_many_scores_at_once_are_the_scores_one_by_one(seed: int) -> None:
    problem = random_problem(seed)
    rng = np.random.default_rng(seed)
    tasks = [random_dfa(rng, LETTERS, int(rng.integers(1, 6))) for _ in range(70)]
    for score in Evaluator(problem).scores(tasks):
        alone = evaluate(problem, score.task).score
        assert score.surprise == pytest.approx(alone.surprise, rel=1e-11, abs=1e-11)
        assert score.energy == pytest.approx(alone.energy, rel=1e-11, abs=1e-11)
        assert score.satisfaction_probability == pytest.approx(alone.satisfaction_probability, abs=1e-12)
        assert (score.size, score.rationality) == (alone.size, alone.rationality)


def test_a_competency_is_scored_one_by_one() -> None:
    problem = replace(random_problem(1), agent=Competency(0.4))
    tasks = [DFA.parse(">0: a→1 | *1:", LETTERS), DFA.constant(LETTERS, True)]
    for score, task in zip(Evaluator(problem).scores(tasks), tasks, strict=True):
        assert score == evaluate(problem, task, nearest=True).score


# -- the search -------------------------------------------------------------------------------------------


def test_it_finds_the_best_task_of_the_paper_s_problem() -> None:
    problem = demospec.load_example("robot").with_settings(method="explore")
    for seed in (0, 1):
        assert demospec.learn(problem, seed=seed).best.energy == pytest.approx(12.351571158991488, abs=1e-9)


def test_one_seed_one_result() -> None:
    problem = demospec.load_example("robot").with_settings(method="explore", iterations=8)
    once, again = (demospec.learn(problem, seed=3) for _ in range(2))
    assert [str(ranked.score.task) for ranked in once.ranked] == [str(r.score.task) for r in again.ranked]
    assert [row.info.candidate for row in once.trace] == [row.info.candidate for row in again.trace]


@pytest.mark.parametrize("seed", range(3))
def test_every_task_is_in_the_class_and_agrees_with_what_is_given(seed: int) -> None:
    prior = DFA.parse(">*0: b→1 | *1: a→2 | 2:", LETTERS)
    given_examples = Examples.of(accept=["a"], reject=["b"])
    problem = random_problem(seed, prior=prior, given=given_examples).with_settings(method="explore")
    scored = [score for info in islice(chain_infos(problem, 0, 0), 6) for score in info.scored]
    assert len(scored) > 50
    for score in scored:
        assert score.task.implies(prior)
        assert given_examples.consistent(score.task)
    problem = random_problem(seed, classes=(CoSafety(),)).with_settings(method="explore")
    for info in islice(chain_infos(problem, 0, 0), 6):
        assert all(CoSafety().holds(score.task) for score in info.scored)


@pytest.mark.parametrize("without", ["with_guesses", "with_products", "with_conjectures"])
def test_each_ingredient_can_be_left_out(without: str) -> None:
    problem = random_problem(2)
    engine = Explorer(problem, **{without: False})  # type: ignore[arg-type]
    rng, state = chain_generator(0, 0), engine.start()
    for _ in range(5):
        state, info = engine.step(rng, state)
    assert info.best is not None
    assert info.best.energy == min(score.energy for score in state.scores.values())
    assert len(state.taken) == 4
    assert (len(state.paired) == 0) == (without == "with_products")
    assert (state.chain.iteration == 0) == (without == "with_conjectures")
