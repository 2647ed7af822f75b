"""A world that is counted from a log: shares, rare choices, labels, what is said against it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec import Episode, Problem, demonstrations_from_log, world_from_log
from demospec.errors import FileError, InputError, WorldError
from demospec.files import ProblemDocument, build_problem, convert
from demospec.files.writing import problem_document
from demospec.testing.world_checks import check_world
from demospec.worlds.estimated import CountedMDP

names = st.sampled_from("stuv")
runs = st.lists(
    st.lists(st.tuples(names, st.sampled_from("ab")), min_size=1, max_size=6), min_size=1, max_size=6
)
Row = tuple[str, str, str | None]


def rows_of(log: list[list[tuple[str, str]]], last: str) -> list[Row]:
    """Rows of runs that all end in one state; the state is told."""
    rows: list[Row] = []
    for number, run in enumerate(log):
        rows += [(f"r{number}", state, action) for state, action in run]
        rows.append((f"r{number}", last, None))
    return rows


@given(log=runs)
def test_probabilities_are_shares(log: list[list[tuple[str, str]]]) -> None:
    rows = rows_of(log, "z")
    world = world_from_log(rows, labels={"z": "goal"})
    check_world(world)
    seen: Counter[tuple[str, str, str]] = Counter()
    for (run, state, action), (other, reached, _) in pairwise(rows):
        if run == other and action is not None:
            seen[state, action, reached] += 1
    for (state, action, reached), number in seen.items():
        tries = sum(n for (s, a, _), n in seen.items() if (s, a) == (state, action))
        at = world.number[state]
        (pair,) = (pair for pair in world.pairs(at) if world.action(pair) == action)
        assert dict(world.outcomes(pair))[world.number[reached]] == pytest.approx(number / tries)
    assert len(world.successor) == len(seen)
    assert [world.name(s) for s in range(len(world.states)) if world.ends(s)] == ["z"]
    paths = demonstrations_from_log(world, rows)
    assert [path.complete for path in paths] == [True] * len(log)
    assert world.horizon == max(map(len, log))


@given(log=runs, least=st.integers(1, 3))
def test_rare_choices_are_left_out(log: list[list[tuple[str, str]]], least: int) -> None:
    rows = rows_of(log, "z")
    often = Counter((state, action) for _, state, action in rows if action is not None)
    kept = [all(often[step] >= least for step in run) for run in log]
    if not any(kept):
        with pytest.raises(WorldError, match="no run is left"):
            world_from_log(rows, labels={"z": "goal"}, min_count=least)
        return
    world = world_from_log(rows, labels={"z": "goal"}, min_count=least)
    found = {(world.name(s), world.action(p)) for s in range(len(world.states)) for p in world.pairs(s)}
    assert found <= {step for step, number in often.items() if number >= least}
    assert world.left_out == kept.count(False)
    good = [row for row in rows if kept[int(row[0][1:])]]
    assert len(demonstrations_from_log(world, good)) == kept.count(True)


@given(log=runs, choice=st.booleans())
def test_a_file_says_the_same_world(log: list[list[tuple[str, str]]], choice: bool) -> None:
    rows = rows_of(log, "z")
    episode = Episode(horizon=7, ends="by choice") if choice else None
    world = world_from_log(rows, labels={"z": "goal"}, episode=episode)
    problem = Problem.of(world, demonstrations_from_log(world, rows))
    document = problem_document(problem)
    again = build_problem(convert(document, ProblemDocument, "file"), Path()).scene()
    assert isinstance(again.world, CountedMDP)
    for name in ("states", "actions", "starts", "labels", "began", "runs", "source"):
        assert getattr(again.world, name) == getattr(world, name)
    for name in ("pair_offset", "pair_action", "outcome_offset", "successor", "probability", "counts"):
        assert getattr(again.world, name).tolist() == getattr(world, name).tolist()
    assert again.demonstrations == problem.demonstrations
    assert list(again.world.cautions()) == list(world.cautions())


def test_labels_come_from_columns() -> None:
    rows: list[dict[str, str | None]] = [
        {"run": "1", "state": "s", "action": "a", "label": "", "key": "0", "door": "false"},
        {"run": "1", "state": "t", "action": "a", "label": "home", "key": "1", "door": "true"},
        {"run": "1", "state": "u", "action": None, "label": "", "key": "1", "door": ""},
    ]
    world = world_from_log(rows, label="label")
    assert dict(zip(world.states, world.labels, strict=True)) == {"s": None, "t": "home", "u": None}
    world = world_from_log(rows, label=("key", "door"))
    assert dict(zip(world.states, world.labels, strict=True)) == {"s": None, "t": "door&key", "u": "key"}
    bad = [*rows, {**rows[1], "run": "2", "label": "away"}]
    with pytest.raises(FileError, match='row 4: state "t" has "away" here, and "home" in row 2'):
        world_from_log(bad, label="label")
    with pytest.raises(FileError, match='row 2: "label": expected true or false; found "home"'):
        world_from_log(rows, label=("label",))
    for columns, told in (
        ({}, "nobody says which labels"),
        ({"labels": {"x": "y"}}, 'no run is ever in state "x"'),
        ({"labels": {"s": "y"}, "label": "label"}, "label or labels, not both"),
        ({"labels": "states", "min_count": 0}, "min_count must be at least 1"),
        ({"last": 1, "state": "s"}, "state or last, not both"),
        ({"last": 0}, "last must be at least 1"),
    ):
        with pytest.raises(InputError, match=told):
            world_from_log(rows, **columns)


def test_a_last_action_that_leads_nowhere_ends_the_episode() -> None:
    world = world_from_log([("1", "s", "a"), ("1", "t", "b"), ("2", "s", "b")], labels="states")
    assert world.states == ("s", "t", "(end)")
    first, second = demonstrations_from_log(world, [("1", "s", "a"), ("1", "t", "b"), ("2", "s", "b")])
    assert first.named(world) == ["a", "t", "b", "(end)"]
    assert second.complete


def test_complete_runs_that_others_go_on_from_were_stopped() -> None:
    rows = [("1", "s", "a"), ("1", "t", None), ("2", "s", "a"), ("2", "t", "a"), ("2", "u", None)]
    assert world_from_log(rows, labels="states").episode == Episode(horizon=2)
    told = world_from_log(rows, labels="states", complete=True)
    assert told.episode == Episode(horizon=3, ends="by choice")
    short, long = demonstrations_from_log(told, rows, complete=True)
    assert [len(path.steps) for path in (short, long)] == [2, 2]  # the first chose to stop


def test_cautions_say_what_the_world_cannot_tell() -> None:
    rows = [
        ("1", "s", "a"),
        ("1", "t", "a"),
        ("1", "u", None),
        ("2", "s", "b"),
        ("2", "t", "a"),
        ("2", "u", None),
    ]
    counted, alone, once = world_from_log(rows, labels="states").cautions()
    assert "counted from 2 runs of the log" in counted
    assert "In 1 of 2 states" in alone
    assert "(2 of 4 steps)" in alone
    assert "2 of 3 choices were made only once" in once
