"""A problem keeps what it is given; what that comes to is worked out for each method."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

import demospec
from demospec.explain.setup import resolve
from demospec.files import load
from demospec.files.toml import to_toml
from demospec.files.writing import problem_document
from demospec.plan.rationality import Agent, Fixed, Learned
from demospec.problem import METHODS, Problem
from demospec.problem.settings import Method

PAIRS = [(one, other) for one, other in product(METHODS, repeat=2) if one != other]
SMALL = r"""
[world]
kind = "gridworld"
map = ".a.\nb..\n..c"
start = [1, 1]
[episode]
horizon = 5
[[demonstrations]]
path = ["right", [2, 1], "down", [2, 2], "down", [2, 3], "right", [3, 3], "up", [3, 2]]
[[demonstrations]]
path = ["right", [2, 1], "right", [3, 1], "down", [3, 2], "down", [3, 3], "up", [3, 2]]
"""


@pytest.fixture
def small(tmp_path: Path) -> Problem:
    (tmp_path / "small.toml").write_text(SMALL)
    return load(tmp_path / "small.toml")


def result_json(problem: Problem) -> str:
    document = demospec.learn(problem.with_settings(iterations=6), seed=0).to_json()
    return json.dumps({**document, "seconds": 0}, sort_keys=True)


@pytest.mark.parametrize(("first", "then"), PAIRS)
def test_a_method_leaves_nothing_behind(small: Problem, first: Method, then: Method) -> None:
    there = small.with_settings(method=first).with_settings(method=then)
    straight = small.with_settings(method=then)
    assert (there.agent, there.code, there.weights) == (straight.agent, straight.code, straight.weights)
    assert result_json(there) == result_json(straight)


def test_a_method_in_the_file_leaves_nothing_behind(small: Problem, tmp_path: Path) -> None:
    (tmp_path / "paper.toml").write_text(f'{SMALL}[search]\nmethod = "paper"\n')
    paper = load(tmp_path / "paper.toml")
    assert result_json(paper) == result_json(small.with_settings(method="paper"))
    assert result_json(paper.with_settings(method="explore")) == result_json(small)


@pytest.mark.parametrize("method", METHODS)
def test_a_file_of_a_problem_keeps_what_was_given(small: Problem, tmp_path: Path, method: Method) -> None:
    (tmp_path / "again.toml").write_text(to_toml(problem_document(small.with_settings(method=method))))
    again = load(tmp_path / "again.toml")
    assert (again.agent, again.code, again.weights) == (small.agent, small.code, small.weights)
    assert result_json(again.with_settings(method="explore")) == result_json(small)


@pytest.mark.parametrize(
    ("given", "method", "code", "agent"),
    [
        ("", "explore", "words", Learned()),
        ("", "paper", "automaton", Fixed(10.0)),
        ("[energy]\nsurprise_weight = 1\n", "explore", "automaton", Fixed(10.0)),
        ("[task]\nall_of = 2\n", "explore", "automaton", Fixed(10.0)),
        ('[task]\ncode = "words"\n', "explore", "words", Learned()),
        ('[task]\ncode = "words"\n', "paper", "automaton", Fixed(10.0)),
        ('[task]\ncode = "automaton"\n', "explore", "automaton", Fixed(10.0)),
        ("[agent]\nrationality = 3\n", "explore", "words", Fixed(3.0)),
        ('[agent]\nrationality = 3\neffort = "learned"\n', "paper", "automaton", Fixed(3.0)),
        ('[agent]\nrationality = "learned"\n', "random-pivots", "automaton", Fixed(10.0)),
    ],
)
def test_what_is_given_comes_to_this(
    tmp_path: Path, given: str, method: Method, code: str, agent: Agent
) -> None:
    (tmp_path / "small.toml").write_text(f"{SMALL}{given}")
    problem = load(tmp_path / "small.toml").with_settings(method=method)
    setup = resolve(problem)
    assert setup.code == code
    if isinstance(agent, Learned):  # here every step takes its time, and effort is not felt
        agent = Learned(felt=False)
    assert setup.agent == agent
    assert resolve(problem) is setup
    again = tmp_path / "again.toml"
    again.write_text(to_toml(problem_document(problem)))
    there = resolve(load(again))
    assert (there.code, there.agent, there.weights) == (setup.code, setup.agent, setup.weights)
