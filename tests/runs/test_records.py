"""Typed records: what is written is read back, and nothing else is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
import numpy as np
import pytest

import demospec
from demospec import DFA
from demospec.errors import FileError
from demospec.explain.score import Score
from demospec.runs import records
from demospec.runs.chains import Chain
from demospec.runs.result import Position
from demospec.search.diss import Search, State
from demospec.tasks import Composite

TASK = DFA.parse(">0: a→1 | *1: b→0", "ab")
BOTH = Composite.of("and", [DFA.parse(">*0: a→1 | 1:", "ab"), DFA.parse(">0: b→1 | *1:", "ab")])


@dataclass(frozen=True)
class Everything:
    number: int
    share: float
    word: tuple[str, ...]
    pair: tuple[int, bool]
    maybe: Score | None
    tasks: frozenset[DFA]
    scores: Mapping[DFA, Score]
    data: bytes = b""
    inner: tuple[State, ...] = field(default=())


def score(task: DFA, size: int) -> Score:
    return Score(task, size, 1.5, float("inf"), 10.0, 0.25)


def test_what_is_written_is_read_back() -> None:
    one, two = score(TASK, 7), score(BOTH, 9)
    value = Everything(
        *(-3, 0.1, ("a", "b"), (1, True), one, frozenset([TASK]), {TASK: one, BOTH.automaton: two}),
        data=b"xyz",
        inner=(State(),),
    )
    again = records.loads(Everything, records.dumps(value))
    assert again == value
    assert list(again.scores) == [TASK, BOTH.automaton]
    assert again.scores[BOTH.automaton].task.size == BOTH.size
    assert again.maybe is again.scores[TASK]  # written once
    assert records.dumps(again) == records.dumps(value)


def test_a_search_goes_on_from_a_record() -> None:
    search, rng = Search(demospec.load_example("robot-paper")), np.random.default_rng(0)
    state = search.start()
    for _ in range(12):
        state, _ = search.step(rng, state)
    again = records.loads(State, records.dumps(state))
    assert again == state
    other = np.random.default_rng(1)
    other.bit_generator.state = rng.bit_generator.state
    assert search.step(other, again) == search.step(rng, state)


def test_a_generator_goes_on_in_the_middle_of_a_number() -> None:
    chain = Chain(demospec.load_example("robot-paper"), 3, Position(0))
    chain.rng.integers(5, dtype=np.int32)
    other = Chain(demospec.load_example("robot-paper"), 4, chain.position())
    assert (
        chain.rng.integers(1 << 30, size=9, dtype=np.int32).tolist()
        == other.rng.integers(1 << 30, size=9, dtype=np.int32).tolist()
    )


def plain(*body: object, tasks: object = (), scores: object = ()) -> bytes:
    return msgspec.msgpack.encode([["a", "b"], tasks, scores, *body])


SIMPLE = ["table", [[[1, 0], [1, 1]], [False, True]]]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (int, b""),
        (int, b"\xff\xff"),
        (int, plain(1.5)),
        (int, plain(True)),
        (int, plain()),
        (int, plain(1, 2)),
        (tuple[int, ...], plain(["x"])),
        (tuple[int, int], plain([1])),
        (State, plain([1, 2])),
        (DFA, plain(0)),
        (DFA, plain(-1, tasks=[SIMPLE])),
        (DFA, plain(0, tasks=[["table", [[[7, 0], [1, 1]], [False, True]]]])),
        (DFA, plain(0, tasks=[["table", [[[1, 0], [1, 1]], [False, True, True]]]])),
        (DFA, plain(0, tasks=[["table", [[[1, 1], [1, 1]], [False, False]]]])),
        (DFA, plain(0, tasks=[["xor", [0]]])),
        (DFA, plain(0, tasks=[["other", SIMPLE[1]]])),
        (DFA, plain(1, tasks=[SIMPLE, ["and", [1]]])),
        (Score, plain(0, tasks=[SIMPLE], scores=[[0, 1, 2.0]])),
        (Score, plain(0, tasks=[SIMPLE], scores=[[0, "x", 1.0, 1.0, 1.0, 1.0]])),
    ],
)
def test_what_is_not_of_its_type_is_refused(kind: type, data: bytes) -> None:
    with pytest.raises(FileError, match="not what it should be"):
        records.loads(kind, data)
