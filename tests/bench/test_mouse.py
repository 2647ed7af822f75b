"""Predicting other runs: the surprise of test runs, averaged over the belief."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import demospec
from demospec.errors import InputError
from demospec.files.toml import to_toml
from demospec.files.writing import problem_document
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem
from demospec.tasks.clauses import parse
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode
from mouse import decisions, measure, mouse


def written(folder: Path, rationality: float) -> Problem:
    world = gridworld(["..a", "...", "b.."], start=(2, 2), episode=Episode(horizon=8))
    bare = Problem.of(world, merge_repeats=True, agent=Fixed(rationality), code="words")
    task = parse("a, then b", ("a", "b"))
    for name, seed in (("train", 1), ("test", 2)):
        shown = demospec.sample(bare, task, count=12, seed=seed)
        problem = replace(bare.with_demonstrations(shown), agent=Learned(mistakes=0.0))
        (folder / f"{name}.toml").write_text(to_toml(problem_document(problem)))
    return replace(bare.with_demonstrations(demospec.sample(bare, task, count=12, seed=2)))


def test_predictions_are_about_as_good_as_the_truth(tmp_path: Path) -> None:
    known = written(tmp_path, 20.0)
    measured = measure(tmp_path)
    count = decisions(measured.test)
    truth = demospec.score(known, parse("a, then b", ("a", "b"))).surprise / count / math.log(2)
    assert measured.uniform_bits == pytest.approx(2.0)
    assert truth - 0.2 < measured.bits < truth + 0.4 < measured.uniform_bits
    assert measured.to_json()["decisions"] == count


def test_the_agent_must_be_left_to_be_learned(tmp_path: Path) -> None:
    written(tmp_path, 20.0)
    text = (tmp_path / "train.toml").read_text()
    left, given = (
        'rationality = "learned"\neffort = "learned"\nhaste = "learned"\nmistakes = 0.0',
        "rationality = 20.0",
    )
    for told, other in (('code = "words"', 'code = "automaton"'), (left, given)):
        assert told in text
        (tmp_path / "train.toml").write_text(text.replace(told, other))
        with pytest.raises(InputError, match=r"train\.toml"):
            measure(tmp_path)


def test_the_command_prints_what_was_measured(tmp_path: Path) -> None:
    written(tmp_path, 20.0)
    told = json.loads(CliRunner().invoke(mouse, ["--data", str(tmp_path), "--json"]).stdout)
    assert told.keys() == measure(tmp_path).to_json().keys()
    assert set(told["agent"]) >= {"rationality", "effort"}
    lines = CliRunner().invoke(mouse, ["--data", str(tmp_path)]).stdout.splitlines()
    assert f"bits a decision          {told['bits_a_decision']:.3f}" in lines
