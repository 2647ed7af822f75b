"""Time limits: what a search has when its time is up, and that it says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import demospec
from demospec.errors import InputError
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem
from demospec.report.answer_report import result_blocks
from demospec.report.blocks import as_text
from demospec.search.best_first import Explorer
from demospec.tasks.clauses import parse
from demospec.work.stop import Stop
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode


def problem(side: int, horizon: int) -> Problem:
    rows = [["."] * side for _ in range(side)]
    rows[0][0], rows[side - 1][0], rows[0][side - 1] = "a", "b", "c"
    start = (side // 2 + 1, side // 2 + 1)
    world = gridworld(["".join(row) for row in rows], start=start, episode=Episode(horizon=horizon))
    bare = Problem.of(world, code="words", merge_repeats=True, agent=Learned())
    truth = parse("a, then b", "abc")
    shown = demospec.sample(replace(bare, agent=Fixed(100.0)), truth, count=3, seed=0)
    return bare.with_demonstrations(shown)


def test_a_search_that_was_cut_short_says_so() -> None:
    asked = problem(5, 12).with_settings(max_evaluations=1)
    result = demospec.learn(asked, seed=0)
    assert result.ended == "evaluations"
    assert result.warnings[0].code == "search-cut-short"
    document = result.to_json()
    told = document["warnings"]
    assert isinstance(told, list)
    assert told[0]["code"] == "search-cut-short"
    text = as_text(result_blocks(result))
    assert "The search was not done: as many tasks were scored as were allowed." in text
    assert all(one.code != "search-cut-short" for one in demospec.learn(problem(5, 12), seed=0).warnings)


def test_after_the_time_is_up_nothing_more_is_worked_out() -> None:
    session = demospec.Session(problem(5, 12), seed=0)
    session.step()
    made = session.result()
    over = Stop()
    over.set("seconds")
    result = replace(made, stop=over, ended="seconds")
    assert (result.findings, result.claims, result.demonstrator) == (None, None, None)
    assert [one.code for one in result.warnings] == ["search-cut-short"]
    assert "The search was not done: the time was up." in as_text(result_blocks(result))


def test_no_time_at_all_is_said_to_be_too_little() -> None:
    with pytest.raises(InputError, match="max_seconds"):
        demospec.learn(problem(5, 12).with_settings(max_seconds=1e-9), seed=0)


def test_steps_in_large_worlds_are_short() -> None:
    """Fewer tasks in a step, those that accept what was shown first, and few of them in the first step."""
    engine = Explorer(problem(40, 200))
    assert engine.batch < 500
    rng, state = np.random.default_rng(0), engine.start()
    proposals = engine.ask(rng, engine.known(state), {})
    new = engine.unknown(proposals, {})
    assert len(new) > engine.batch
    ordered = engine.likely_first(new)
    words = engine.problem.words
    rejected = [sum(not task.automaton.accepts(word) for word in words) for task, _ in ordered]
    assert rejected == sorted(rejected)
    state, info = engine.step(rng, state)
    assert len(info.scored) <= engine.batch // 8
    assert len(state.waiting) <= 8 * engine.batch


def test_small_worlds_score_what_is_proposed_as_it_comes() -> None:
    engine = Explorer(problem(5, 12))
    proposals = engine.ask(np.random.default_rng(0), engine.known(engine.start()), {})
    new = engine.unknown(proposals, {})
    assert engine.likely_first(new) == new
