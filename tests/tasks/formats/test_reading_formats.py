"""HOA, DOT and reward machines that others wrote: what is read, and what is refused, where and why."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import TaskError
from demospec.tasks import DFA
from demospec.tasks.formats import reader_of

REACH = DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", "bry")

HAND_WRITTEN_HOA = """HOA: v1
/* written /* by */ hand */
States: 3
Start: 2
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 3 "r" "y" "b"
Alias: @calm !0 & (t & !f)
properties: deterministic
--BODY--
State: 0 "lost"
[t] 0
State: [@calm] 1 "there" {0}
1
State: 2
[1] 1 [2] 2
[0 & !1 | 0 & f]
0
--END--
"""


def hoa(body: str, **header: str) -> str:
    head = {"HOA": "v1", "States": "2", "Start": "0", "AP": '2 "a" "b"', "Acceptance": "1 Inf(0)"} | header
    return "\n".join([*(f"{key}: {value}" for key, value in head.items()), "--BODY--", body, "--END--"])


def test_hand_written_hoa() -> None:
    assert DFA.from_hoa(HAND_WRITTEN_HOA) == REACH


def test_a_run_without_an_edge_is_lost() -> None:
    found = DFA.from_hoa(hoa("State: 0\n[0] 1\nState: 1 {0}\n[0] 1\n"))
    assert found == DFA.parse(">0: a→1, b→2 | *1: b→2 | 2:", "ab")


def test_monitors_accept_until_they_are_lost() -> None:
    text = hoa("State: 0\n[0] 0\n", States="1", Acceptance="0 t")
    assert DFA.from_hoa(text) == DFA.parse(">*0: b→1 | 1:", "ab")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("nothing", 1, 'expected "HOA: v1"'),
        (hoa("State: 0\n[0] 0\n", HOA="v2"), 1, "version v1"),
        (hoa("State: 0\n[0] 0\n[0|1] 1\n"), 9, r'two edges for "a": to 0 \(line 8\) and to 1'),
        (hoa("State: 0\n[0] 0 {0}\n"), 8, "a mark on an edge"),
        (hoa("State: 0\n0 1\n"), 8, "implicit labels"),
        (hoa("State: 0\n[0] 0&1\n"), 8, "alternating"),
        (hoa("State: 0\n[0] 2\n"), 8, "state 2 is not among the states 0 to 1"),
        (hoa("State: 0\n[2] 0\n"), 8, "proposition 2 is not among 0 to 1"),
        (hoa("State: 0\n[@x] 0\n"), 8, "@x is not defined"),
        (hoa("State: 0\n[0 0\n"), 8, r'expected "\]"'),
        (hoa("State: 0\n[(0] 0\n"), 8, r'expected "\)"'),
        (hoa(f"State: 0\n[{'(' * 10_000}"), 8, "too deeply"),
        (hoa("State: 0\nState: 0\n"), 8, "state 0 is there twice"),
        (hoa("State: 0 {1}\n"), 7, "mark 1 is not in the acceptance"),
        (hoa("State: [0] 0\n[1] 0\n"), 8, "has a label, and so has its edge"),
        (hoa("", Acceptance="2 Inf(0)&Inf(1)"), 5, "is not Büchi's"),
        (hoa("", Acceptance="1 Fin(0)"), 5, "is not Büchi's"),
        (hoa("", AP='2 "a"'), 4, "2 propositions are announced, 1 are listed"),
        (hoa("", AP='2 "a" "a"'), 4, "there twice"),
        (hoa("", AP="0"), 4, "no proposition"),
        (hoa("", Start="0\nStart: 1"), 4, "second start state"),
        (hoa("", Start="0&1"), 3, "alternating"),
        (hoa("", Strange="1"), 6, "may change what the automaton means"),
        (hoa("", States="0"), 2, "expected 1 to"),
        (hoa("").replace("Start: 0\n", ""), 5, '"Start:" is missing'),
        (hoa("").replace("--END--", "--ABORT--"), 6, "aborted"),
        (hoa("") + "\n" + hoa(""), 9, "second automaton"),
        (hoa("/* no end"), 7, "does not end"),
        (hoa("State: 0\n[0] 0 $\n"), 8, "expected HOA text"),
    ],
)
def test_hoa_that_is_refused(text: str, line: int, reason: str) -> None:
    with pytest.raises(TaskError, match=rf"^line {line}: .*{reason}"):
        DFA.from_hoa(text)


HAND_WRITTEN_DOT = """# a comment of the preprocessor
strict digraph "by hand" {
    graph [rankdir=LR]; size = "8,5"
    node [shape = doublecircle]; There
    node [shape = circle];
    init [label="", style=invis] /* not drawn */
    init -> waiting
    waiting -> There [label = "y", color=red, fontsize=9.5]
    waiting -> waiting [label=b];
    waiting -> "lost for good" [label="r"]
    There -> "lost for good" [label="r"] // the end
    "lost for good" -> "lost for good" [label="r, b, y"]
}
"""


def test_hand_written_dot() -> None:
    assert DFA.from_dot(HAND_WRITTEN_DOT) == REACH


def test_dot_takes_letters_that_do_not_occur() -> None:
    text = "digraph { s [shape=point]; s -> 0; 0 -> 1 [label=y]; 1 [peripheries=2] }"
    assert DFA.from_dot(text, "by") == DFA.parse(">0: y→1 | *1:", "by")
    assert DFA.from_dot(text) == DFA.parse(">0: y→1 | *1:", "y")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("graph { }", 'line 1: expected "digraph"; found "graph"'),
        ("digraph { 0 -> 1 [label=a] }", "expected one arrow from a node of shape point"),
        ("digraph { s [shape=point] s -> 0 s -> 1 }", "start state; found 2"),
        ("digraph {\n s [shape=point] s -> 0\n 0 -> 1 }", r"line 3: the edge from .0. to .1. has no label"),
        (
            "digraph { s [shape=point] s -> 0\n 0 -> 1 [label=a]\n 0 -> 0 [label=a] }",
            r'line 3: state "0" has two edges for "a": to "1" \(line 2\) and to "0"',
        ),
        ("digraph { subgraph x { } }", "a graph inside the graph"),
        ("digraph { a -- b }", 'expected "->"; found "--"'),
        ("digraph { a [label=<b>] }", "expected"),
        ('digraph { s [shape=point] s -> a\n a -> b [label="x,"] }', "line 2: expected letters"),
        ("digraph { s [shape=point] s -> a }", "does not tell its letters"),
        ("digraph { a", 'expected a state, an edge or }; found "the end of the text"'),
        ("digraph { } }", "expected nothing after the graph"),
        ("digraph { s [shape=point] s -> a a -> s [label=x] }", 'an edge leads to "s"'),
    ],
)
def test_dot_that_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TaskError, match=reason):
        DFA.from_dot(text)


OFFICE = """0 # initial state
[3] # terminal state
(0, 0, '!f&!n', ConstantRewardFunction(0))
(0, 1, 'f&!n', ConstantRewardFunction(0))
(1, 1, '!g&!n', ConstantRewardFunction(0))
(1, 3, 'g&!n', ConstantRewardFunction(1))
"""


def test_hand_written_reward_machine() -> None:
    coffee = DFA.parse(">0: f→1, n→2 | 1: g→3, n→2 | 2: | *3:", "fgn")
    assert DFA.from_reward_machine(OFFICE) == coffee


def test_a_machine_that_first_takes_reward_away_begins_satisfied() -> None:
    text = "0\n[1]\n(0,0,'!r',ConstantRewardFunction(0))\n(0,1,'r',ConstantRewardFunction(-1.0))\n"
    assert DFA.from_reward_machine(text, "br") == DFA.parse(">*0: r→1 | 1:", "br")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["0"], "expected a start state"),
        (["x", "[]"], "line 1: expected a start state, such as 0; found 'x'"),
        (["0", "2"], r"line 2: expected terminal states, such as \[2, 3\]"),
        (["0", "[]", "(0,0,'True')"], "line 3: expected"),
        (["0", "[]", "(0,0,'True',RewardControl())"], "line 3: a reward by RewardControl"),
        (["0", "[]", "(0,0,'True',ConstantRewardFunction(0.5))"], "line 3: a reward of 0.5"),
        (["0", "[]", "(0,0,'a',ConstantRewardFunction(0))"], "state 0: no formula holds on a step without"),
        (
            ["0", "[]", "(0,0,'True',ConstantRewardFunction(0))", "(0,1,'a',ConstantRewardFunction(1))"],
            'line 4: state 0 has two ways for "a": here and on line 3',
        ),
        (
            ["0", "[]", "(0,0,'!a',ConstantRewardFunction(0))", "(0,0,'a',ConstantRewardFunction(1))"],
            "line 4: a reward of 1 where the task is satisfied already",
        ),
        (["0", "[]", "(0,1,'!a',ConstantRewardFunction(0))"], "a step without a letter must change nothing"),
        (["0", "[]", "(0,0,'True',__import__('os').abort())"], "line 3: expected"),
    ],
)
def test_reward_machines_that_are_refused(lines: list[str], reason: str) -> None:
    with pytest.raises(TaskError, match=reason):
        DFA.from_reward_machine("\n".join(lines))


@given(st.text(max_size=60), st.sampled_from([HAND_WRITTEN_HOA, HAND_WRITTEN_DOT, OFFICE]), st.data())
def test_damaged_text_is_read_or_refused_but_never_fails(noise: str, text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, min(len(text), first + 20)))
    damaged = text[:first] + noise + text[last:]
    for read in (DFA.from_hoa, DFA.from_dot, DFA.from_reward_machine):
        with suppress(TaskError):
            assert isinstance(read(damaged), DFA)


def test_the_reader_is_told_by_the_text_or_the_name() -> None:
    assert reader_of(HAND_WRITTEN_HOA, "task.json") is not None
    assert reader_of("/* x */ digraph {}", "standard input") is not None
    assert reader_of("", "task.hoa") is not None
    assert reader_of(">0: y→1 | *1:", "task.txt") is None
