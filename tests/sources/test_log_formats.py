"""One log in every format is the same runs; both conventions say the same; refusals name the line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec import MDP, Episode, demonstrations_from_log, gridworld, world_from_log
from demospec.errors import FileError, InputError
from demospec.sources.logs.layout import Layout
from demospec.sources.logs.runs import read_runs
from demospec.worlds.paths import Path as Shown
from demospec.worlds.paths import read_path
from demospec.worlds.world import State

WORLD = gridworld(["a..", "..b", "c.."], start=(1, 3), episode=Episode(horizon=6, end_probability=0.1))
steps = st.lists(st.sampled_from(WORLD.actions), min_size=1, max_size=6)
Log = list[tuple[list[str], bool]]
logs = st.lists(st.tuples(steps, st.booleans()), min_size=1, max_size=5)
Rows = list[dict[str, Any]]


def walk(actions: list[str]) -> list[State]:
    """The states of a run in a world where nothing is left to chance."""
    state, states = WORLD.start, [WORLD.name(WORLD.start)]
    for action in actions:
        (state,) = (WORLD.outcomes(pair)[0][0] for pair in WORLD.pairs(state) if WORLD.action(pair) == action)
        states.append(WORLD.name(state))
    return states


def choices(log: Log, *, final: bool = True) -> Rows:
    """Rows in turns, time backwards: state and the action chosen there."""
    rows: Rows = []
    for run, (actions, done) in enumerate(log):
        for time, (state, action) in enumerate(zip(walk(actions), [*actions, None], strict=True)):
            if action is not None or final:
                row = {"run": f"r{run}", "time": time, "state": state, "action": action}
                rows.append({**row, "complete": done or len(actions) == 6})
    return sorted(rows, key=lambda row: -row["time"])


def outcomes(log: Log) -> Rows:
    rows: Rows = []
    for run, (actions, done) in enumerate(log):
        for time, (state, action) in enumerate(zip(walk(actions)[1:], actions, strict=True)):
            row = {"run": f"r{run}", "time": time, "state": state, "action": action}
            rows.append({**row, "complete": done or len(actions) == 6})
    return rows


def expected(log: Log) -> dict[str, Shown]:
    """What the problem file's own way to write paths makes of the same runs."""
    found = {}
    for run, (actions, done) in enumerate(log):
        path = [name for pair in zip(actions, walk(actions)[1:], strict=True) for name in pair]
        found[f"r{run}"] = read_path(WORLD, path, complete=done or len(actions) == 6)
    return found


def named(rows: Rows, shown: tuple[Shown, ...]) -> dict[str, Shown]:
    return dict(zip(dict.fromkeys(row["run"] for row in rows), shown, strict=True))


def write(rows: Rows, path: Path) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    elif path.suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(
            pyarrow.Table.from_pylist([{**row, "state": [*row["state"]]} for row in rows]), path
        )
    else:
        text = io.StringIO(newline="")
        out = csv.DictWriter(text, rows[0], delimiter="\t" if ".tsv" in path.name else ",")
        out.writeheader()
        out.writerows(rows)
        data = text.getvalue().encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.jsonl", "a.parquet"])
@given(log=logs)
def test_every_format_is_what_read_path_says(
    folder: Path, name: str, log: list[tuple[list[str], bool]]
) -> None:
    rows = choices(log)
    assert named(rows, demonstrations_from_log(WORLD, str(write(rows, folder / name)))) == expected(log)


@given(log=logs)
def test_both_conventions_say_the_same(log: Log) -> None:
    for rows in (outcomes(log), choices(log, final=False)):
        kind = "outcomes" if rows == outcomes(log) else "choices"
        assert named(rows, demonstrations_from_log(WORLD, rows, rows=kind)) == expected(log)


@given(log=logs)
def test_two_columns_are_a_cell(log: Log) -> None:
    rows = [{**row, "x": row["state"][0], "y": row["state"][1]} for row in choices(log)]
    assert named(rows, demonstrations_from_log(WORLD, rows, state=("x", "y"))) == expected(log)


def test_rows_of_tuples_and_cells_of_several_lines(tmp_path: Path) -> None:
    rows = [("r", "(1, 3)", "up"), ("r", "(1, 2)", None)]
    (path,) = demonstrations_from_log(WORLD, rows)
    assert path.named(WORLD) == ["up", (1, 2)]
    file = tmp_path / "log.csv"
    file.write_text('run,note,state,action\nr,"two\nlines",1 3,up\n\nr,x,"[1,2]",fly\n')
    with pytest.raises(FileError, match=r"log.csv: line 5: .*fly"):
        demonstrations_from_log(WORLD, file)


def test_dates_order_a_run() -> None:
    rows: Rows = [
        {"state": "(1, 2)", "action": "right", "time": "2024-05-01T10:01:00Z"},
        {"state": "(1, 3)", "action": "up", "time": "2024-05-01T12:00:30+02:00"},
        {"state": "(2, 2)", "action": None, "time": "2024-05-01T10:02"},
    ]
    (path,) = demonstrations_from_log(WORLD, rows)
    assert path.named(WORLD) == ["up", (1, 2), "right", (2, 2)]


HEAD = "run,time,state,action,complete\n"
GOOD = HEAD + "1,0,1 3,up,\n1,1,1 2,up,\n1,2,1 1,,\n2,0,1 3,up,\n"
BAD = {
    "an empty file": ("", "is empty"),
    "only a header": (HEAD, "no rows"),
    "a missing column": ("run,status,action\n1,x,y\n", r"line 1: there is no column \"state\""),
    "a column twice": ("state,state,action\n1,x,y\n", r"line 1: there are 2 columns \"state\""),
    "an unknown state": (GOOD + "2,1,9 9,up,\n", r"line 6: run \"2\": state \"9 9\" is not in this world"),
    "an unknown first state": (
        HEAD + "1,0,zoo,up,\n",
        r"line 2: run \"1\": no episode begins in state \"zoo\"",
    ),
    "an unknown action": (GOOD + "2,1,1 2,fly,\n2,2,1 1,,\n", r"line 6: run \"2\": action \"fly\""),
    "an unknown last action": (GOOD + "2,1,1 2,fly,\n", r"line 6: run \"2\": action \"fly\""),
    "an impossible step": (GOOD + "2,1,3 3,,\n", r"line 5: run \"2\": .* probability 0"),
    "a time that is no number": (
        GOOD + "2,noon,1 2,,\n",
        "line 6: time: expected a number, as in line 2",
    ),
    "a time that is nothing": (HEAD + "1,noon,1 3,up,\n", r"line 2: time: expected a number, or a date"),
    "a missing state": (GOOD + "2,1,,,\n", "line 6: the state is missing"),
    "a missing run": (GOOD + ",1,1 3,,\n", "line 6: the run is missing"),
    "a missing action": (HEAD + "1,0,1 3,,\n1,1,1 2,,\n", "line 2: the action is missing"),
    "a ragged row": (GOOD + "2,1\n", "line 6: expected 5 cells, as in the header; found 2"),
    "a quote that never ends": (GOOD + '2,1,"1 2,up\n' + "2,1,1 2,up\n" * 9, "line 6: .*quote"),
    "a long quote that never ends": (GOOD + '2,1,"1 2,up\n' + "2,1,1 2,up\n" * 99999, "line 6: .*quote"),
    "a quote inside": (GOOD + '2,1,"1 2"x,up,\n', "line 6: not CSV"),
    "a strange truth": (
        GOOD + "2,1,1 2,,maybe\n",
        r"line 6: complete: .*found \"maybe\"",
    ),
    "an end that cannot be": (HEAD + "1,0,1 3,,true\n", "line 2: .*complete without a step"),
    "past the horizon": (
        HEAD + "".join(f"1,{t},1 3,left,\n" for t in range(9)),
        r"line 8: run \"1\": the path goes on",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_log_is_refused_with_its_line(tmp_path: Path, what: str) -> None:
    text, told = BAD[what]
    file = tmp_path / "log.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=told) as refused:
        demonstrations_from_log(WORLD, file)
    assert str(refused.value).startswith(str(file))


JSON_BAD = {
    "mixed types": (
        '{"state": 1, "action": "a"}\n{"state": "1"}\n',
        "line 2: .*number, as in line 1",
    ),
    "an object for a state": (
        '{"state": {}, "action": "a"}\n',
        "line 1: .*a string, a number or a list",
    ),
    "a list": ('{"state": 1, "action": "a"}\n[1]\n', "line 2: expected an object"),
    "no JSON": ('{"state": 1, "action": "a"}\n\n{"state"\n', "line 3: not JSON"),
    "a key that is gone": ('{"state": 1, "action": "a"}\n{"action": "a"}\n', "line 2: the state is missing"),
}


@pytest.mark.parametrize("what", JSON_BAD)
def test_bad_json_is_refused_with_its_line(tmp_path: Path, what: str) -> None:
    text, told = JSON_BAD[what]
    file = tmp_path / "log.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=told):
        world_from_log(file, labels="states")


def test_what_is_no_file_of_its_kind_is_refused(tmp_path: Path) -> None:
    for name in ("log.parquet", "log.csv.gz"):
        file = tmp_path / name
        file.write_text("state,action\n")
        with pytest.raises(FileError, match="cannot be read"):
            read_runs(str(file), Layout())
        with pytest.raises(FileError, match="cannot be read"):
            read_runs(str(tmp_path / f"none-{name}"), Layout())
    with pytest.raises(InputError, match="unknown argument"):
        world_from_log([("r", "s", "a")], labels="states", stat="s")


def test_a_run_that_begins_with_an_action_needs_one_start() -> None:
    world = MDP.build(
        [("s", "a", {"t": 1.0}), ("t", "a", {"s": 0.5, "t": 0.5})],
        start={"s": 0.5, "t": 0.5},
        episode=Episode(horizon=3),
        labels={"t": "x"},
    )
    with pytest.raises(FileError, match=r"row 1: .*several start states .*begin each run with a row"):
        demonstrations_from_log(world, [("r", "t", "a")], rows="outcomes")
    (path,) = demonstrations_from_log(world, [("r", "s", None), ("r", "t", "a")], rows="outcomes")
    assert path.start == world.find("s")
    with pytest.raises(FileError, match=r"row 1: .*the last action, \"a\", can lead to several states"):
        demonstrations_from_log(world, [("r", "t", "a")])
