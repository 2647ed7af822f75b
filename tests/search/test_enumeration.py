"""The baselines: enumeration by prior, and random pivots, through the search's own interface."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, islice

import numpy as np
import pytest

import paper
from demospec.explain.score import evaluate
from demospec.identify.exact import smallest
from demospec.problem import Problem, Settings
from demospec.runs.session import iterate, learn
from demospec.search.engine import Info
from demospec.search.enumeration import Enumeration
from demospec.tasks.examples import Examples
from stepping import infos_of

FEW = Settings(iterations=25)


def enumeration(problem: Problem) -> Iterator[Info]:
    return infos_of(Enumeration(problem), np.random.default_rng(0))


def problems() -> list[Problem]:
    given = Examples.of(accept=[["y", "y"]], reject=[["r"]])
    return [
        paper.monolithic(FEW),
        paper.incremental(FEW),
        replace(paper.monolithic(FEW), given=given),
        replace(paper.monolithic(FEW), prior=paper.BEST),
    ]


@pytest.mark.parametrize("number", range(4))
def test_enumeration_yields_the_consistent_tasks_by_size(number: int) -> None:
    problem = problems()[number]
    infos = list(enumeration(problem))
    tasks = [info.candidate.task for info in infos if info.candidate is not None]
    assert len(tasks) == len(infos) == 25
    assert len(set(tasks)) == 25
    sizes = [task.size for task in tasks]
    assert sizes == sorted(sizes)
    complete = [w for w, p in zip(problem.words, problem.demonstrations, strict=True) if p.complete]
    for task in tasks:
        assert all(map(task.accepts, complete))
        assert problem.given.consistent(task)
        assert problem.prior is None or task.automaton.implies(problem.prior)
    # None is left out: they are the first that the identifier gives for the same words.
    examples = Examples.from_mapping({**dict.fromkeys(complete, True), **problem.given.mapping})
    first = list(islice(smallest(examples, problem.alphabet, prior=problem.prior), 60))
    assert set(tasks) <= set(first)
    assert {task for task in first if task.size < sizes[-1]} <= set(tasks)


def test_an_unfinished_demonstration_constrains_nothing() -> None:
    problem = paper.incremental(FEW)
    assert Enumeration(problem).examples == Examples()
    tasks = [info.candidate.task for info in enumeration(problem) if info.candidate is not None]
    assert not all(task.accepts(problem.words[0]) for task in tasks)


def test_a_demonstration_that_the_prior_excludes_constrains_nothing() -> None:
    prior = ~paper.BEST
    problem = replace(paper.monolithic(FEW), prior=prior)
    assert Enumeration(problem).examples == Examples()
    infos = list(enumeration(problem))
    assert all(info.candidate is not None and info.candidate.language.implies(prior) for info in infos)


def test_a_given_label_wins_over_a_demonstration() -> None:
    problem = replace(paper.monolithic(FEW), given=Examples.of(reject=[["y"]]))
    for info in enumeration(problem):
        assert info.candidate is not None
        assert not info.candidate.task.accepts(["y"])
        assert info.candidate.task.accepts(["b", "g", "y"])


@pytest.mark.parametrize("number", range(4))
def test_the_books_of_an_enumeration_agree(number: int) -> None:
    problem = problems()[number]
    infos = list(enumeration(problem))
    assert [info.iteration for info in infos] == list(range(1, 26))
    energies = [info.candidate.energy for info in infos if info.candidate is not None]
    assert [info.best.energy for info in infos if info.best is not None] == list(accumulate(energies, min))
    assert [info.accepted for info in infos] == [
        k == 0 or energy < min(energies[:k]) for k, energy in enumerate(energies)
    ]
    for info in infos[:5]:
        assert info.candidate is not None
        assert info.candidate == evaluate(problem, info.candidate.task).score


def test_an_enumeration_ends_where_there_are_no_more_tasks() -> None:
    problem = paper.monolithic(Settings(iterations=100, max_states=1))
    infos = list(enumeration(problem))
    assert [str(info.candidate.task) for info in infos if info.candidate is not None] == [">*0:"]


def test_enumeration_has_no_chance_in_it() -> None:
    problem = paper.monolithic(Settings(method="enumeration", iterations=10))
    first, second = learn(problem, seed=0), learn(problem, seed=9)
    assert first.ranked == second.ranked
    assert repr([row.info for row in first.trace]) == repr(list(enumeration(problem)))


@pytest.mark.parametrize("seed", range(3))
def test_random_pivots_are_the_search_with_an_infinite_temperature(seed: int) -> None:
    problem = paper.monolithic(FEW).with_settings(method="paper")
    infinite = problem.with_settings(pivot_temperature=math.inf)
    by_method = [row.info for row in iterate(problem.with_settings(method="random-pivots"), seed=seed)]
    assert by_method == [row.info for row in iterate(infinite, seed=seed)]
    assert by_method != [row.info for row in iterate(problem, seed=seed)]
