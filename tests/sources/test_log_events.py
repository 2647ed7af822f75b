"""Logs in every format say the same traces; what cannot be read is refused with its place."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import FileError, InputError
from demospec.sources.logs.events import Log, LogFormat, TraceName, open_log

names = st.text("ab#,;\"'é☃\\ ", min_size=1, max_size=4).filter(lambda name: name.strip() == name)
plain = st.text("abé☃,;", min_size=1, max_size=4)


def read(log: Log) -> dict[TraceName, list[str]]:
    """All of a log, by trace."""
    found: dict[TraceName, list[str]] = {}
    with log:
        if log.shape == "whole":
            for name, events in log.traces:
                assert name not in found
                found[name] = list(events)
        else:
            for name, event in log.events:
                found.setdefault(name, []).extend([] if event is None else [event])
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


def write(path: Path, text: str) -> str:
    path.write_bytes(text.encode())
    return str(path)


def csv_text(rows: list[list[str]], end: str = "\n", delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator=end, delimiter=delimiter).writerows(rows)
    return out.getvalue()


# -- what is written is read ------------------------------------------------------------------------------


@given(st.lists(st.lists(plain, max_size=5), max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_lines(folder: Path, traces: list[list[str]], end: str) -> None:
    file = write(folder / "log.txt", "".join(" ".join(trace) + end for trace in traces))
    log = open_log(file)
    assert (log.format, log.shape) == ("lines", "whole")
    assert read(log) == dict(enumerate(traces, start=1))


@given(st.lists(st.lists(names, max_size=5), min_size=1, max_size=5))
def test_json_lists(folder: Path, traces: list[list[str]]) -> None:
    file = write(folder / "log", "".join(f"{json.dumps(trace)}\n" for trace in traces))
    log = open_log(file)
    assert (log.format, log.shape) == ("jsonl", "whole")
    assert read(log) == dict(enumerate(traces, start=1))
    wrapped = "".join(f"{json.dumps({'id': 3, 'word': trace})}\n" for trace in traces)
    assert read(open_log(write(folder / "log", wrapped), column="word")) == dict(enumerate(traces, start=1))


@given(st.lists(names, max_size=8))
def test_single_events_in_every_format(folder: Path, trace: list[str]) -> None:
    texts: dict[LogFormat, str] = {
        "events": "".join(f"{event}\n" for event in trace),
        "csv": csv_text([["time", "event"], *[["7", event] for event in trace]]),
        "jsonl": "".join(f'{{"event": {json.dumps(event)}}}\n' for event in trace),
    }
    for log_format, text in texts.items():
        file = write(folder / "log", text)
        log = open_log(file, log_format=log_format, alphabet=["#"])
        if trace:
            assert log.shape == "one"
        assert read(log) == ({1: trace} if trace else {})


@given(
    st.lists(st.tuples(names, names), max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([",", ";", "\t"]),
)
def test_traces_in_turns(folder: Path, events: list[tuple[str, str]], end: str, delimiter: str) -> None:
    expected: dict[TraceName, list[str]] = {}
    for name, event in events:
        expected.setdefault(name, []).append(event)
    rows = [["case", "time", "what"], *[[name, "", event] for name, event in events]]
    table = write(folder / "log.csv", csv_text(rows, end, delimiter))
    found = read(open_log(table, column="what", trace="case"))
    assert found == expected
    assert list(found) == list(expected)  # in order of appearance
    objects = [{"case": name, "what": event, "time": None} for name, event in events]
    file = write(folder / "log.jsonl", "".join(f"{json.dumps(one)}{end}" for one in objects))
    assert read(open_log(file, column="what", trace="case")) == expected


# -- details ----------------------------------------------------------------------------------------------


def test_comments_are_left_out_unless_a_letter_begins_like_one(tmp_path: Path) -> None:
    file = write(tmp_path / "log", "# two runs\na b\n  #c\n\n#d a\n")
    assert read(open_log(file, alphabet=["a", "b"])) == {1: ["a", "b"], 2: []}
    with_hash = {1: ["#", "two", "runs"], 2: ["a", "b"], 3: ["#c"], 4: [], 5: ["#d", "a"]}
    assert read(open_log(file, alphabet=["#", "a"])) == with_hash
    assert read(open_log(file, log_format="events")) == {1: ["a b", ""]}


def test_a_last_line_needs_no_end_and_a_byte_order_mark_does_not_count(tmp_path: Path) -> None:
    assert read(open_log(write(tmp_path / "log", "\ufeffa\nb"))) == {1: ["a"], 2: ["b"]}
    assert read(open_log(write(tmp_path / "a.csv", "\ufeffevent\na"))) == {1: ["a"]}
    assert read(open_log(write(tmp_path / "log", '\ufeff["a"]'))) == {1: ["a"]}


@pytest.mark.parametrize("log_format", ["lines", "events", "jsonl"])
def test_an_empty_file_holds_nothing(tmp_path: Path, log_format: LogFormat) -> None:
    assert read(open_log(write(tmp_path / "log", ""), log_format=log_format)) == {}


def test_the_column_of_events_needs_no_name_where_it_is_plain(tmp_path: Path) -> None:
    file = write(tmp_path / "log.csv", "time,event\n1,a\n")
    assert read(open_log(file)) == {1: ["a"]}
    assert read(open_log(file, trace="event")) == {"a": ["1"]}
    assert read(open_log(write(tmp_path / "log.csv", "letter\n\na\n"))) == {1: ["a"]}
    tabs = write(tmp_path / "log.tsv", "a,b,c,event\ttime\nx\ty\n")
    assert read(open_log(tabs, column="time")) == {1: ["y"]}
    file = write(tmp_path / "log", '\n{"case": 1, "events": ["a", "b"]}\n\n{"case": 2, "events": []}\n')
    assert read(open_log(file, log_format="jsonl", trace="case")) == {1: ["a", "b"], 2: []}
    assert read(open_log(file, log_format="jsonl")) == {1: ["a", "b"], 2: []}


def test_events_without_a_name_are_empty(tmp_path: Path) -> None:
    assert read(open_log(write(tmp_path / "a.jsonl", '["a", null]\n[]\n'))) == {1: ["a", ""], 2: []}
    assert read(open_log(write(tmp_path / "a.jsonl", '{"event": null}\n{"event": "a"}\n'))) == {1: ["", "a"]}
    assert read(open_log(write(tmp_path / "a.jsonl", '"a"\nnull\n'))) == {1: ["a", ""]}
    assert read(open_log(write(tmp_path / "a.csv", "case,event\nx,\nx,a\n"), trace="case")) == {
        "x": ["", "a"]
    }
    named = write(tmp_path / "a.jsonl", '{"t": 1, "event": "a"}\n{"t": 1, "event": ["b", null]}\n')
    assert read(open_log(named, trace="t")) == {1: ["a", "b", ""]}


def test_a_quoted_cell_may_hold_the_delimiter_and_lines(tmp_path: Path) -> None:
    file = write(tmp_path / "log.csv", 'event,note\n"a, b","two\nlines"\nc,\n')
    assert read(open_log(file)) == {1: ["a, b", "c"]}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("log", "a b\n", "lines"),
        ("log", "[start] a\n", "lines"),
        ("log", '["a"]\n', "jsonl"),
        ("log", "[]\n", "jsonl"),
        ("log", '{"event": "a"}\n', "jsonl"),
        ("log.CSV", "event\n", "csv"),
        ("log.ndjson", "[]\n", "jsonl"),
    ],
)
def test_the_format_is_told_by_ending_and_first_line(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    with open_log(write(tmp_path / name, text)) as log:
        assert log.format == expected


def test_nothing_is_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    class Stream:
        def readline(self) -> bytes:
            nonlocal asked
            asked += 1
            return b"a b\n" if asked < 4 else b""

        def fileno(self) -> int:
            raise OSError

    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Stream(), closed=False))
    log = open_log("-")
    assert log.lines.live
    for number, _ in enumerate(log.traces, start=1):
        assert asked == number


def test_lines_are_numbered_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demospec.sources.logs.layout.BLOCK", 50)
    text = [f"e{number}" * (number % 7 + 1) for number in range(1, 200)]
    for end in ("", "\n"):
        log = open_log(write(tmp_path / "log", "\n".join(text) + end), log_format="events")
        with log:
            found = [(log.lines.number, event) for _, event in log.events]
        assert found == list(enumerate(text, start=1))


def test_lines_before_one_that_is_not_text_are_read(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"a\nb\n\xe9\n" + b"c\n" * 10)
    with open_log(str(tmp_path / "log")) as log:
        traces = iter(log.traces)
        assert [(*next(traces), log.lines.number) for _ in "ab"] == [(1, ["a"], 1), (2, ["b"], 2)]
        with pytest.raises(FileError, match="line 3: is not UTF-8"):
            next(traces)


# -- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("a.txt", b"a\n\xff\n", {}, "a.txt: line 2: is not UTF-8 text: byte 1 is 0xff"),
        ("a.csv", b"", {}, "a.csv: line 1: expected a header"),
        ("a.csv", b"x,event\n1,a\n1\n", {}, "a.csv: line 3: expected 2 columns, as in the header; found 1"),
        ("a.csv", b"x,event\n1,a,b\n", {}, "a.csv: line 2: expected 2 columns, as in the header; found 3"),
        ("a.csv", b'event\n"a\nb\n', {}, "a.csv: line 3: not CSV"),
        ("a.csv", b"evnt,x\n", {"column": "event"}, 'no column "event" (did you mean "evnt"?)'),
        ("a.csv", b"event,x\n", {"trace": "y"}, 'line 1: there is no column "y"; columns: event, x'),
        ("a.csv", b"x,y\n", {}, "name the column of the events with --columns event=NAME; found: x, y"),
        ("a.jsonl", b'["a"]\n["a", 3]\n', {}, "a.jsonl: line 2, event 2: expected a string, found 3"),
        ("a.jsonl", b'["a"]\n["a"\n', {}, "a.jsonl: line 2: not JSON"),
        ("a.jsonl", b'["a"]\n"a"\n', {}, 'line 2: expected a list of events such as ["a", "b"]'),
        ("a.jsonl", b'["a"]\n7\n', {}, "line 2: expected a list"),
        ("a.jsonl", b'"a"\n["a"]\n', {}, 'line 2: expected a single event, found ["a"]'),
        ("a.jsonl", b'{"x": 1, "y": 2}\n', {}, "line 1: name the key of the events with --columns event=NAM"),
        ("a.jsonl", b'{"event": "a"}\n{"evnt": 1}\n', {"column": "event"}, 'line 2: the key "event" is'),
        ("a.jsonl", b'["a"]\n', {"trace": "t"}, 'line 1: expected an object with the key "t", found ["a"]'),
        ("a.jsonl", b'{"t": 1, "e": "a"}\n{"e": "a"}\n', {"trace": "t"}, "line 2: expected an object with"),
        ("a.jsonl", b'{"t": 1, "e": "a"}\n{"t": 1}\n', {"trace": "t"}, 'line 2: the key "e" is missing'),
        ("a.jsonl", b'{"t": true, "e": "a"}\n', {"trace": "t"}, "expected a name or a number, found true"),
        ("a.jsonl", b"[" * 100_000, {}, "line 1: "),
        ("a.txt", b"a\n", {"log_format": "lines", "trace": "t"}, "--columns: run= is for csv and jsonl"),
        ("a.csv", b"a\n", {"column": "t", "trace": "t"}, '--columns: event and run are both "t"'),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, name: str, text: bytes, options: dict[str, str], message: str
) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises(InputError) as refusal:
        read(open_log(str(tmp_path / name), **options))  # type: ignore[arg-type]
    assert message in str(refusal.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for name in ("nothing", ".", "a\0b"):
        with pytest.raises(FileError, match="cannot be read"):
            open_log(str(tmp_path / name))
