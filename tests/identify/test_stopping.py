"""Identification ends soon after the stop flag is set, wherever it is. A test that hangs has failed."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import pytest

from demospec.identify.backtracking import Backtracking, Rules, compiled_automata
from demospec.identify.base import check_class
from demospec.identify.classes import CoSafety, IgnoresRepeats, Implies, Monotone
from demospec.identify.counting import Cell, cells_by_bits
from demospec.identify.decomposition import DecomposingIdentifier, smallest_by_sat, smallest_decompositions
from demospec.identify.exact import ExactIdentifier, smallest
from demospec.identify.merging import MergingIdentifier, merge_states
from demospec.identify.noise import trade_off, with_flips
from demospec.identify.sat import AutomataSolver
from demospec.identify.word_graph import WordGraph, WordTree
from demospec.native import library
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.work.stop import Stop, Stopped
from strategies import AB


def random_examples(words: int, length: int, seed: int = 0) -> Examples:
    """Labels without a pattern: no small automaton has them."""
    draw = random.Random(seed)
    return Examples.from_mapping(
        {tuple(draw.choices("ab", k=length)): draw.random() < 0.5 for _ in range(words)}
    )


FEW = Examples.of(accept=["ab"], reject=["", "b"])
HARD = random_examples(250, 14)
# Only words of 20 letters or more are accepted, so that no automaton with few states but one is a member;
# each of the others is ruled out when it is complete, not before.
FAR = DFA(
    alphabet=AB,
    table=tuple((min(state + 1, 20),) * 2 for state in range(21)),
    accepting=(False,) * 20 + (True,),
)

compiled_only = pytest.mark.skipif(not library() is not None, reason="the library is not built")


def in_python(stop: Stop, examples: Examples = HARD) -> Iterator[object]:
    rules = Rules.of((Implies(FAR),), AB)
    assert rules is not None
    return Backtracking(WordGraph.of(examples, AB, stop), rules, stop=stop).automata(cells_by_bits(2, None))


def in_c(stop: Stop, order: Sequence[Cell], examples: Examples = HARD) -> Iterator[object]:
    rules = Rules.of((), AB)
    assert rules is not None
    return compiled_automata(WordGraph.of(examples, AB, stop), rules, [order], stop=stop)


def members(identifier: Callable[..., object], stop: Stop, examples: Examples) -> Iterator[object]:
    made = identifier(AB, stop=stop)
    yield from made.candidates(examples, 10**9)  # type: ignore[attr-defined]


WAYS: dict[str, Callable[[Stop], Iterator[object]]] = {
    "smallest": lambda stop: smallest(HARD, AB, stop=stop),
    "smallest of few words": lambda stop: smallest(FEW, AB, stop=stop, expected=10**9),
    "smallest of a class": lambda stop: smallest(Examples(), AB, prior=FAR, max_states=20, stop=stop),
    "in Python": in_python,
    "in Python, few words": lambda stop: in_python(stop, Examples()),
    "by SAT": lambda stop: smallest_by_sat(HARD, AB, stop=stop),
    "by SAT of a class": lambda stop: smallest_by_sat(Examples(), AB, prior=FAR, stop=stop),
    "decompositions": lambda stop: smallest_decompositions(HARD, AB, operator="and", stop=stop),
    "decompositions of a class": lambda stop: smallest_decompositions(
        FEW, AB, operator="or", classes=[CoSafety(), Monotone()], stop=stop
    ),
    "with flips": lambda stop: with_flips(HARD, AB, 3, stop=stop),
    "trade-off": lambda stop: trade_off(HARD, AB, stop=stop),
    "the exact identifier": lambda stop: members(ExactIdentifier, stop, HARD),
    "the decomposing identifier": lambda stop: members(DecomposingIdentifier, stop, HARD),
}


@contextmanager
def set_soon(stop: Stop, seconds: float = 0.3) -> Iterator[None]:
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def exhaust(found: Iterator[object]) -> None:
    for _ in found:
        pass


def again_and_again(work: Callable[[], object]) -> None:
    """Do what may be done before the flag is set, until it is set."""
    while True:
        work()


@pytest.mark.parametrize("way", WAYS)
def test_another_thread_ends_the_search(way: str) -> None:
    stop = Stop()
    with set_soon(stop), pytest.raises(Stopped) as raised:
        exhaust(WAYS[way](stop))
    assert raised.value.reason == "interrupted"


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_begun_when_the_flag_is_set(way: str) -> None:
    stop = Stop()
    stop.set("seconds")
    with pytest.raises(Stopped) as raised:
        next(WAYS[way](stop))
    assert raised.value.reason == "seconds"


@pytest.mark.parametrize("score", ["evidence", "order"])
def test_merging_ends(score: str) -> None:
    many = random_examples(20_000, 16)
    stop = Stop()
    with set_soon(stop), pytest.raises(Stopped):
        merge_states(many, AB, score=score, stop=stop)  # type: ignore[arg-type]
    with pytest.raises(Stopped):
        merge_states(FEW, AB, score=score, stop=stop)  # type: ignore[arg-type]
    with pytest.raises(Stopped):
        MergingIdentifier(AB, stop=stop).candidates(FEW, 3)
    stop = Stop()
    with set_soon(stop), pytest.raises(Stopped):
        MergingIdentifier(AB, stop=stop).candidates(many, 3)


@compiled_only
def test_compiled_code_ends_between_two_ways_to_mark_forty_states() -> None:
    stop = Stop()
    with set_soon(stop), pytest.raises(Stopped):
        exhaust(in_c(stop, [(40, 1, 39)], Examples()))


@compiled_only
def test_compiled_code_ends_while_it_tells_many_prefixes_apart() -> None:
    stop, many = Stop(), random_examples(2_500, 16)
    with set_soon(stop, 0.05), pytest.raises(Stopped):
        again_and_again(lambda: exhaust(in_c(stop, [(1, 0, 0)], many)))


def test_class_checks_end() -> None:
    stop = Stop()
    many = Examples.from_mapping(dict.fromkeys(random_examples(3000, 14).mapping, True))
    with set_soon(stop, 0.05), pytest.raises(Stopped):
        again_and_again(lambda: check_class(many, AB, classes=[IgnoresRepeats(), CoSafety()], stop=stop))


def test_a_flag_that_is_never_set_changes_nothing() -> None:
    for search in (smallest, smallest_by_sat):
        assert list(islice(search(FEW, AB, stop=Stop(60.0)), 20)) == list(islice(search(FEW, AB), 20))


def test_a_search_that_was_ended_leaves_nothing_behind() -> None:
    expected = list(islice(smallest_by_sat(FEW, AB), 30))
    stop = Stop()
    found = smallest_by_sat(FEW, AB, stop=stop)
    assert list(islice(found, 10)) == expected[:10]
    stop.set()
    with pytest.raises(Stopped):
        exhaust(found)
    assert list(found) == []
    assert list(islice(smallest_by_sat(FEW, AB), 30)) == expected
    identifier = ExactIdentifier(AB, stop=stop)
    for _ in range(2):  # what was not found is not remembered
        with pytest.raises(Stopped):
            identifier.candidates(FEW, 3)


def test_a_flag_that_is_set_later_does_not_reach_a_solver_that_was_freed() -> None:
    stop = Stop()
    solver = AutomataSolver(WordTree(AB), [2], stop=stop)
    solver.automata[0].demand(())
    assert solver.next_minimal([]) is not None
    with stop.calling(solver._interrupt):
        solver.close()
        stop.set()
