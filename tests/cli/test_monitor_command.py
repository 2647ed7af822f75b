"""`demospec monitor`: every format gives the same verdicts, and a pipe is answered line by line."""

from __future__ import annotations

import json
import random
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest
from command_line import COMMAND, Shell, shell

from demospec.tasks import clauses
from demospec.tasks.monitoring import Monitor

__all__ = ["shell"]  # the fixture

NO_R, REACH_Y = "never r", ">0: y→1 | *1:"
TASK = "reach y; never r"
REACH_Y_BEFORE_R = ">0: y→1, r→2 | *1: | 2:"
LOG = "b y\nr y b\n\ny r\n"


# -- what is said ----------------------------------------------------------------------------------------


def test_a_sentence_for_each_trace_and_a_summary(shell: Shell) -> None:
    file = shell.write("log.txt", f"# four runs\n{LOG}")
    assert shell.good("monitor", TASK, file).out.splitlines() == [
        "trace 1: open, accepted so far",
        "trace 2: violated for good at event 1: never r",
        "trace 3: open, not accepted so far",
        "trace 4: violated for good at event 2: never r",
        "4 traces: 2 violated, 1 open (accepted so far), 1 open (not accepted so far)",
    ]
    assert shell.good("monitor", REACH_Y_BEFORE_R, file).out.splitlines() == [
        "trace 1: satisfied for good at event 2",
        "trace 2: violated for good at event 1: start with y",
        "trace 3: open, not accepted so far",
        "trace 4: satisfied for good at event 1",
        "4 traces: 2 satisfied, 1 violated, 1 open (not accepted so far)",
    ]


def test_the_document_is_a_list_of_verdicts(shell: Shell) -> None:
    found = shell.good("monitor", TASK, "-", "--json", stdin=LOG).json
    assert found == [
        {"trace": 1, "verdict": "open-accepting", "at": None, "clause": None},
        {"trace": 2, "verdict": "violated", "at": 1, "clause": NO_R},
        {"trace": 3, "verdict": "open-rejecting", "at": None, "clause": None},
        {"trace": 4, "verdict": "violated", "at": 2, "clause": NO_R},
    ]
    assert [list(one) for one in found] == [["trace", "verdict", "at", "clause"]] * 4


def test_a_log_without_traces(shell: Shell) -> None:
    assert shell.good("monitor", TASK, "-", "--json").json == []
    assert shell.good("monitor", TASK, "-").out == "0 traces\n"
    assert shell.good("monitor", TASK, "-", "--columns", "format=events", "--json").json == [
        {"trace": 1, "verdict": "open-rejecting", "at": None, "clause": None}
    ]


def test_clauses_that_cannot_all_be_met(shell: Shell) -> None:
    task = "(>0: y→1 | *1:) and (>*0: b→1 | *1: y→2 | 2:)"
    assert shell.good("monitor", task, "-", stdin="b\n").out.startswith(
        "trace 1: violated for good at event 1: its clauses cannot all be met any more\n"
    )


def test_every_format_gives_the_same_verdicts(shell: Shell) -> None:
    rng = random.Random(1)
    traces = [rng.choices(["b", "r", "y", "idle"], weights=[6, 1, 1, 2], k=8) for _ in range(30)]
    monitor = Monitor(clauses.parse(TASK, "bry"))
    verdicts = [monitor.verdict(trace) for trace in traces]
    assert len({(one.kind, one.at) for one in verdicts}) > 8
    expected = {
        number: {"verdict": one.kind, "at": one.at, "clause": one.clause}
        for number, one in enumerate(verdicts, start=1)
    }
    turns = [(number, trace[step]) for step in range(8) for number, trace in enumerate(traces, start=1)]
    logs = {
        "a.txt": "".join(f"{' '.join(trace)}\n" for trace in traces),
        "a.jsonl": "".join(f"{json.dumps(trace)}\n" for trace in traces),
        "a.csv": "case,time,event\n" + "".join(f"{number},0,{event}\n" for number, event in turns),
        "b.jsonl": "".join(f'{{"case": {number}, "event": "{event}"}}\n' for number, event in turns),
    }
    for name, text in logs.items():
        options = ["--columns", "run=case"] if "case" in text else []
        ran = shell.good("monitor", TASK, shell.write(name, text), *options, "--alphabet", "b r y", "--json")
        found = {int(one.pop("trace")): one for one in ran.json}
        assert found == expected, name
        skipped = sum(trace.count("idle") for trace in traces)
        assert ran.err == f"skipped {skipped} events that the task does not read: idle ({skipped})\n"


def test_of_one_trace_every_change_is_told(shell: Shell) -> None:
    ran = shell.good("monitor", TASK, "-", "--columns", "format=events", stdin="b\ny\n# a comment\ny\nr\nb\n")
    assert ran.out.splitlines() == [
        "before the first event: open, not accepted so far",
        "event 2: open, accepted so far",
        f"event 4: violated for good: {NO_R}",
        "1 trace: 1 violated",
    ]
    table = shell.write("log.csv", "event\nb\ny\ny\nr\nb\n")
    assert shell.good("monitor", TASK, table).out == ran.out
    assert shell.good("monitor", TASK, table, "--json").json == [
        {"trace": 1, "verdict": "violated", "at": 4, "clause": NO_R}
    ]


def test_of_several_traces_changes_are_told_on_request(shell: Shell) -> None:
    table = shell.write("log.csv", "case,event\nA,y\nB C,b\nB C,r\nA,b\n")
    assert shell.good("monitor", TASK, table, "--columns", "run=case").out.splitlines() == [
        f"trace B C: violated for good at event 2: {NO_R}",
        "trace A: open, accepted so far",
        "2 traces: 1 violated, 1 open (accepted so far)",
    ]
    assert shell.good("monitor", TASK, table, "--columns", "run=case", "--changes").out.splitlines() == [
        "trace A, before the first event: open, not accepted so far",
        "trace A, event 1: open, accepted so far",
        "trace B C, before the first event: open, not accepted so far",
        f"trace B C, event 2: violated for good: {NO_R}",
        "2 traces: 1 violated, 1 open (accepted so far)",
    ]
    found = shell.good("monitor", TASK, table, "--columns", "run=case", "--changes", "--json").json
    assert [one["verdict"] for one in found if one["trace"] == "A"] == ["open-rejecting", "open-accepting"]


def test_repeats_can_be_merged(shell: Shell) -> None:
    twice = ">0: b→1, y→0 | 1: b→2, y→0 | *2:"
    assert "satisfied for good at event 2" in shell.good("monitor", twice, "-", stdin="b b\n").out
    assert "violated for good before the first event" in (
        shell.good("monitor", twice, "-", "--merge-repeats", stdin="b b\n").out
    )


def test_a_task_file_says_its_letters(shell: Shell) -> None:
    last_y = {"states": 2, "accepting": [1], "transitions": [[0, "y", 1], [1, "b", 0]]}
    file = shell.write("task.json", {"kind": "dfa", "alphabet": ["b", "y"], **last_y})
    assert shell.good("monitor", file, "-", "--json", stdin="b y\ny b\ny other\n").json == [
        {"trace": number, "verdict": f"open-{verdict}", "at": None, "clause": None}
        for number, verdict in enumerate(["accepting", "rejecting", "accepting"], start=1)
    ]


@pytest.mark.parametrize(
    ("log", "violated", "rejected"),
    [("y\n", 0, 0), ("y\nb\n", 0, 1), ("y\nr\n", 1, 1)],
)
def test_a_failure_can_be_told_by_the_exit_code(shell: Shell, log: str, violated: int, rejected: int) -> None:
    assert shell("monitor", TASK, "-", stdin=log).code == 0
    assert shell("monitor", TASK, "-", "--fail-on", "violated", stdin=log).code == violated
    assert shell("monitor", TASK, "-", "--fail-on", "rejected", "--json", stdin=log).code == rejected


def test_names_that_would_not_show_are_quoted(shell: Shell) -> None:
    log = json.dumps({"case": "\x1b[2K", "event": "y"}) + "\n" + json.dumps({"case": "", "event": "\x1b["})
    ran = shell.good("monitor", REACH_Y, "-", "--columns", "run=case", stdin=log)
    assert "\x1b" not in ran.out + ran.err
    assert ran.out.startswith('trace "\\u001b[2K": satisfied for good at event 1\ntrace "": open')


def test_progress_on_a_long_file_goes_to_standard_error(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demospec.runs.progress_line.PATIENCE", 0.001)
    ran = shell.good("monitor", TASK, shell.write("log.csv", "event\n" + "y\n" * 100_000), "--json")
    assert [one["verdict"] for one in ran.json] == ["open-accepting"]
    assert re.search(r"^log\.csv: \d+ lines, \d+%$", ran.err, re.MULTILINE)


# -- events that are no letters --------------------------------------------------------------------------


def test_the_most_frequent_other_events_are_told(shell: Shell) -> None:
    names = [name for number in range(1, 9) for name in [f"e{number}"] * number]
    ran = shell.good("monitor", TASK, "-", stdin=f"y {' '.join(names)}\n")
    told = "e8 (8), e7 (7), e6 (6), e5 (5), e4 (4), …"
    assert ran.err == f"skipped 36 events that the task does not read: {told}\n"
    assert shell.good("monitor", TASK, "-", stdin='["y", null]\n').err == ""


def test_many_different_events_are_counted_without_keeping_all(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("demospec.cli.monitor.MOST_NAMES", 3)
    ran = shell.good("monitor", TASK, "-", stdin="e1 e2 e3 e4 e5 e1\n")
    assert ran.err == "skipped 6 events that the task does not read: e1 (2), e2 (1), e3 (1), …\n"


def test_strict_refuses_the_first(shell: Shell) -> None:
    task = ">0: yellow→1 | *1: red→0"
    ran = shell("monitor", task, "-", "--strict", stdin="red\nyellow yelow\n")
    assert ran.code == 2
    assert ran.err == (
        'demospec: standard input: line 2: event "yelow" is no letter of the task: red, yellow '
        '(did you mean "yellow"?)\n'
    )
    table = shell.write("log.csv", "case,event\n1,red\n1,\n2,blue\n")
    ran = shell("monitor", task, table, "--columns", "run=case", "--strict")
    assert (ran.code, "log.csv: line 4: " in ran.err) == (2, True)


# -- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "-"], "TASK and LOG cannot both be standard input"),
        ([TASK, "nothing.txt"], "nothing.txt: cannot be read: No such file or directory"),
        ([TASK, "bad.jsonl"], "bad.jsonl: line 1: not JSON"),
        ([TASK, "bad.csv", "--columns", "event=evnt"], 'line 1: there is no column "evnt" (did you mean '),
        ([TASK, "-", "--columns", "format=cvs"], 'no format "cvs" (did you mean "csv"?); known: lines, e'),
        ([TASK, "-", "--columns", "runs=case"], 'unknown key "runs" (did you mean "run"?)'),
        ([TASK, "-", "--events"], 'there is no option "--events"; write --columns format=events'),
        ([TASK, "-", "--trace", "case"], 'there is no option "--trace"; write --columns run=NAME'),
        ([TASK, "-", "--columns", "format=events,run=case"], "--columns: run= is for csv and jsonl; the log"),
        ([REACH_Y, "-", "--alphabet", " "], "--alphabet: expected letters with spaces between"),
        ([REACH_Y, "-", "--alphabet", "a b"], '"y" is not in the alphabet'),
    ],
)  # fmt: skip
def test_refusals_in_one_line(shell: Shell, arguments: list[str], message: str) -> None:
    shell.write("bad.jsonl", '["a"\n')
    shell.write("bad.csv", "event,x\n")
    assert message in shell.refusal("monitor", *arguments)


def test_a_bad_line_comes_after_the_verdicts_before_it(shell: Shell) -> None:
    ran = shell("monitor", TASK, shell.write("a.jsonl", '["y"]\n["y", 1]\n["y"]\n'))
    assert ran.code == 2
    assert ran.out == "trace 1: open, accepted so far\n"
    assert ran.err == "demospec: a.jsonl: line 2, event 2: expected a string, found 1\n"


# -- pipes -----------------------------------------------------------------------------------------------

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals")


class Pipe:
    """The command at the other end of two pipes."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.process, self.stdin, self.stdout = process, stdin, stdout

    def write(self, line: str) -> None:
        self.stdin.write(line.encode())

    def answer(self) -> str:
        """The next line; a test that waits for it in vain fails."""
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.stdout], [], [], 60)
            assert ready, f"no answer after {line!r}"
            more = self.stdout.read(1)
            assert more, f"the end after {line!r}"
            line += more
        return line.decode().rstrip("\n")

    def rest(self) -> str:
        return self.stdout.read().decode()


@contextmanager
def pipe(*options: str) -> Iterator[Pipe]:
    with subprocess.Popen(
        [*COMMAND, "monitor", TASK, "-", "--alphabet", "b r y", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Pipe(process, process.stdin, process.stdout)
        finally:
            process.kill()


@posix
def test_each_line_is_answered_before_the_next_is_written() -> None:
    with pipe() as other:
        for number, (line, answer) in enumerate(
            [("b y", "open, accepted so far"), ("", "open, not accepted so far"), ("r", "violated")], start=1
        ):
            other.write(f"{line}\n")
            assert other.answer().startswith(f"trace {number}: {answer}")
        other.stdin.close()
        assert other.rest().startswith("3 traces: 1 violated")
        assert other.process.wait(60) == 0


@posix
def test_a_list_grows_item_by_item() -> None:
    with pipe("--json") as other:
        text = ""
        for line, verdict in [('["y"]', "open-accepting"), ('["y", "r"]', "violated")]:
            other.write(f"{line}\n")
            while f'"{verdict}"' not in text:  # the item, but not what comes after it
                text += other.stdout.read(1).decode()
        other.stdin.close()
        text += other.rest()
        assert [one["at"] for one in json.loads(text)] == [None, 2]


@posix
def test_events_are_answered_when_the_verdict_changes() -> None:
    with pipe("--columns", "format=events") as other:
        assert other.answer() == "before the first event: open, not accepted so far"
        other.write("b\n")
        other.write("y\n")
        assert other.answer() == "event 2: open, accepted so far"
        other.write("r\n")
        assert other.answer() == f"event 3: violated for good: {NO_R}"
        other.stdin.close()
        assert other.rest() == "1 trace: 1 violated\n"


@posix
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_final_verdict_on_one_of_several_traces_is_told_at_once(kind: str) -> None:
    def row(case: str, event: str) -> str:
        return f"{case},{event}\n" if kind == "csv" else f'{{"case": "{case}", "event": "{event}"}}\n'

    with pipe("--columns", f"run=case,format={kind}") as other:
        if kind == "csv":
            other.write("case,event\n")
        other.write(row("A", "y"))
        other.write(row("B", "r"))
        assert other.answer() == f"trace B: violated for good at event 1: {NO_R}"
        other.write(row("A", "r"))
        assert other.answer() == f"trace A: violated for good at event 2: {NO_R}"


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupted_pipe_says_what_it_knows(number: int, as_json: bool) -> None:
    options = ["--json"] if as_json else []
    with pipe("--columns", "run=case,format=jsonl", *options) as other:
        other.write('{"case": 1, "event": "y"}\n{"case": 2, "event": "r"}\n')
        first = other.answer()  # the first trace is still open
        other.process.send_signal(number)
        text = f"{first}\n{other.rest()}"
        assert other.process.wait(60) == 130
        assert other.process.stderr is not None
        assert other.process.stderr.read() == b"demospec: interrupted\n"
    if as_json:
        found = [(one["trace"], one["verdict"]) for one in json.loads(text)]
        assert found == [(2, "violated"), (1, "open-accepting")]
    else:
        assert text.splitlines()[1:] == [
            "trace 1: open, accepted so far",
            "2 traces: 1 violated, 1 open (accepted so far)",
        ]
