"""Logs through the command line: real files in every format, in a given world and alone; refusals."""

from __future__ import annotations

import json

import pytest
from command_line import Shell, shell

__all__ = ["shell"]  # the fixture

GRID = '[world]\nkind = "gridworld"\nmap = """\na..\n...\n..b\n"""\nstart = [1, 3]\n[episode]\nhorizon = 4\n'
RUNS = (
    "episode,when,s,a\n1,0,1 3,up\n1,1,1 2,up\n1,2,1 1,right\n2,0,1 3,right\n1,3,2 1,right\n"
    "2,1,2 3,right\n2,2,3 3,up\n2,3,3 2,up\n2,4,3 1,\n"
)
COLUMNS = "run=episode,time=when,state=s,action=a"
EVENTS = "case,event\n1,order\n1,pay\n1,ship\n2,order\n2,ship\n2,pay\n3,order\n3,pay\n3,ship\n"


def words(document: object) -> list[list[str]]:
    assert isinstance(document, dict)
    return [one["word"] for one in document["demonstrations"]]


def test_a_csv_in_a_given_grid(shell: Shell) -> None:
    shell.write("grid.toml", GRID)
    shell.write("runs.csv", RUNS)
    found = shell.good("check", "grid.toml", "--log", "runs.csv", "--columns", COLUMNS, "--json").json
    assert words(found) == [["a"], ["b"]]
    assert all(one["complete"] for one in found["demonstrations"])
    keys = 'run = "episode"\ntime = "when"\nstate = "s"\naction = "a"\n'
    shell.write("both.toml", f'{GRID}[[demonstrations]]\nlog = "runs.csv"\n{keys}')
    assert shell.good("check", "both.toml", "--json").json == found
    shell.write("one.toml", f'{GRID}[[demonstrations]]\nlog = "runs.csv"\nonly = ["2"]\n{keys}')
    assert words(shell.good("check", "one.toml", "--json").json) == [["b"]]
    piped = shell.good("check", "grid.toml", "--log", "-", "--columns", COLUMNS, "--json", stdin=RUNS)
    assert piped.json == found


def test_learning_from_a_log_is_learning_from_its_paths(shell: Shell) -> None:
    shell.write("grid.toml", GRID)
    shell.write("runs.csv", RUNS)
    path = '["up", [1, 2], "up", [1, 1], "right", [2, 1], "right", [3, 1]]'
    other = '["right", [2, 3], "right", [3, 3], "up", [3, 2], "up", [3, 1]]'
    shell.write(
        "paths.toml", f"{GRID}[[demonstrations]]\npath = {path}\n[[demonstrations]]\npath = {other}\n"
    )
    options = ("--method", "paper", "--iterations", "5", "--json")
    ours = shell.good("learn", "grid.toml", "--log", "runs.csv", "--columns", COLUMNS, *options).json
    theirs = shell.good("learn", "paths.toml", *options).json
    assert ours["best"] == theirs["best"]
    assert ours["problem"] == theirs["problem"]


def test_a_log_is_found_beside_the_file_that_names_it(shell: Shell) -> None:
    (shell.folder / "sub").mkdir()
    shell.write("sub/grid.toml", f'{GRID}[[demonstrations]]\nlog = "runs.csv"\n')
    shell.write("sub/runs.csv", "state,action\n1 3,up\n1 2,\n")
    shell.write("other.csv", "state,action\n1 3,right\n2 3,right\n3 3,\n")
    found = shell.good("check", "sub/grid.toml", "--log", "other.csv", "--json").json
    assert words(found) == [[], ["b"]]


def test_a_world_from_a_log_alone(shell: Shell) -> None:
    shell.write("log.csv", RUNS)
    shell.write(
        "alone.toml",
        '[world]\nkind = "log"\nlog = "log.csv"\nrun = "episode"\ntime = "when"\nstate = "s"\naction = "a"\n'
        'labels = { "1 1" = "a", "3 3" = "b" }\n[search]\nmethod = "paper"\niterations = 5\n',
    )
    said = shell.good("check", "alone.toml").out
    assert "caution" in said
    assert "counted from 2 runs of log.csv" in said
    assert "In 6 of 7 states only one action was ever taken" in said
    learned = shell.good("learn", "alone.toml", "--out", "out", "--json").json
    (warning,) = [one for one in learned["warnings"] if one["code"] == "counted-world"]
    assert "what nobody did there is taken to be impossible" in warning["message"]
    assert learned["problem"]["world"]["counts"]["runs"] == 2
    shell.write("again.json", learned["problem"])
    again = shell.good("learn", "again.json", "--json").json
    assert again["best"] == learned["best"]
    assert again["warnings"] == learned["warnings"]


def test_several_worlds_of_logs(shell: Shell) -> None:
    shell.write("log.csv", EVENTS)
    table = (
        '[[worlds]]\nname = "{}"\nkind = "log"\nlog = "log.csv"\nrun = "case"\naction = "event"\nlast = {}\n'
    )
    shell.write("two.toml", table.format("short", 1) + table.format("long", 2))
    found = shell.good("check", "two.toml", "--json").json
    assert [world["states"] for world in found["worlds"]] == [4, 6]
    assert words(found) == [["order", "pay", "ship"], ["order", "ship", "pay"], ["order", "pay", "ship"]] * 2


def xes() -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<log>"]
    for case, events in (("A", ("order", "pay", "ship")), ("B", ("order", "ship"))):
        lines += [f'<trace><string key="concept:name" value="{case}"/>']
        lines += [f'<event><string key="concept:name" value="{event}"/></event>' for event in events]
        lines += ["</trace>"]
    return "\n".join([*lines, "</log>", ""])


def test_xes_is_learned_from_and_monitored(shell: Shell) -> None:
    shell.write("orders.xes", xes())
    shell.write("orders.toml", '[world]\nkind = "log"\nlog = "orders.xes"\n')
    assert words(shell.good("check", "orders.toml", "--json").json) == [
        ["order", "pay", "ship"],
        ["order", "ship"],
    ]
    task = "no ship before pay"
    verdicts = shell.good("monitor", task, "orders.xes", "--alphabet", "order pay ship", "--json").json
    assert [(one["trace"], one["verdict"]) for one in verdicts] == [("A", "satisfied"), ("B", "violated")]
    piped = shell.good("monitor", task, "-", "--alphabet", "order pay ship", "--json", stdin=xes())
    assert piped.json == verdicts
    assert "--columns: lifecycle= is for xes" in shell.refusal(
        "monitor", task, "-", "--columns", "lifecycle=complete", stdin="a b"
    )
    assert "line 2: not XML" in shell.refusal(
        "monitor", task, "-", "--columns", "format=xes", stdin="<log>\n<a></b>"
    )


BAD_LOGS: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["runs.csv: is empty"]),
    "only a mark": (b"\xef\xbb\xbf", ["runs.csv: is empty"]),
    "a missing column": (
        "run,status,action\n1,1 3,up\n",
        ["runs.csv: line 1", '"state"', "state = …"],
    ),
    "an unknown state": (
        "state,action\n1 3,up\n1 2,up\n9 9,\n",
        ["runs.csv: line 4", '"9 9" is not'],
    ),
    "mixed times": (
        "time,state,action\n0,1 3,up\nnoon,1 2,\n",
        ["runs.csv: line 3", "as in line 2"],
    ),
    "ragged": ("state,action\n1 3,up,x\n", ["runs.csv: line 2", "expected 2 cells", "found 3"]),
    "a quote": (
        'state,action\n1 3,"up\n1 2,up\n',
        ["runs.csv: line 2", "a quote is opened here"],
    ),
    "not text": (b"state,action\n1 3,\xff\n", ["runs.csv: line 2", "UTF-8"]),
}


@pytest.mark.parametrize("what", BAD_LOGS)
def test_a_bad_log_is_one_message(shell: Shell, what: str) -> None:
    content, told = BAD_LOGS[what]
    shell.write("grid.toml", GRID)
    shell.write("runs.csv", content)
    for command in ("check", "learn"):
        said = shell.refusal(command, "grid.toml", "--log", "runs.csv")
        assert all(part in said for part in told), said


def test_a_mark_at_the_beginning_does_not_count(shell: Shell) -> None:
    shell.write("grid.toml", GRID)
    shell.write("runs.csv", b"\xef\xbb\xbfstate;action\r\n1 3;up\r\n1 2;\r\n")
    assert words(shell.good("check", "grid.toml", "--log", "runs.csv", "--json").json) == [[]]


BAD_FILES = {
    "path and log": ('[[demonstrations]]\nlog = "x.csv"\npath = []\n', ["demonstration 1", "path"]),
    "columns without a log": (
        '[[demonstrations]]\npath = []\nstate = "s"\n',
        ["state", "no log"],
    ),
    "neither": ("[[demonstrations]]\ncomplete = true\n", ["demonstration 1", '"path" is missing']),
    "a name for complete": (
        '[[demonstrations]]\npath = []\ncomplete = "x"\n',
        ["true or false"],
    ),
    "an unknown run": (
        '[[demonstrations]]\nlog = "r.csv"\nonly = ["7"]\n',
        ['r.csv: there is no run "7"; runs: 1'],
    ),
    "unknown rows": (
        '[[demonstrations]]\nlog = "r.csv"\nrows = "both"\n',
        ['"choices" or "outcomes"'],
    ),
    "no file": ('[[demonstrations]]\nlog = "none.csv"\n', ["none.csv: cannot be read"]),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_keys_that_do_not_go_together(shell: Shell, what: str) -> None:
    text, told = BAD_FILES[what]
    shell.write("r.csv", "run,state,action\n1,1 3,up\n")
    said = shell.refusal("check", shell.write("bad.toml", GRID + text))
    assert all(part in said for part in ["bad.toml", *told]), said


def test_options_that_cannot_be_read(shell: Shell) -> None:
    shell.write("grid.toml", GRID)
    for columns, told in (
        ("run", "expected KEY=VALUE"),
        ("runs=x", 'unknown key "runs" (did you mean "run"?)'),
        ("run=x,run=y", '"run" is there twice'),
        ("last=many", "last: expected a whole number"),
        ("rows=all", '"choices" or "outcomes"'),
    ):
        said = shell.refusal("check", "grid.toml", "--log", "r.csv", "--columns", columns)
        assert "--columns" in said
        assert told in said
    assert "--columns needs --log" in shell.refusal("check", "grid.toml", "--columns", "run=x")
    assert "cannot both be standard input" in shell.refusal("learn", "-", "--log", "-")
    world = {"world": {"kind": "log"}}
    assert 'give the key "log"' in shell.refusal("check", shell.write("w.json", json.dumps(world)))
