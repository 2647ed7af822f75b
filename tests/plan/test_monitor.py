"""The monitor reads a path's labels one by one and must say what the task says of the path's word."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import TaskError
from demospec.plan.monitor import Monitor, counts_repeats, make_monitor
from demospec.tasks import DFA
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import word_of
from demospec.worlds.world import Episode
from strategies import AB, all_words, dfas, idempotent_dfas, words

STATES = ("white", "in a", "in b", "other white", "also a")
LABELS = (None, "a", "b", None, "a")
WORLD = MDP.build(
    [(state, "go", dict.fromkeys(STATES, 1 / len(STATES))) for state in STATES],
    start="white",
    episode=Episode(horizon=9),
    labels={state: label for state, label in zip(STATES, LABELS, strict=True) if label is not None},
    states=STATES,
)
PARITY = DFA.parse(">0: a→1 | *1: a→0", "ab")

SHORT_PATHS = [path for length in range(6) for path in itertools.product(range(3), repeat=length)]
long_paths = st.lists(st.integers(0, len(STATES) - 1), max_size=12).map(tuple)


def end_of(monitor: Monitor, path: tuple[int, ...]) -> int:
    """Return the monitor's state after a path of WORLD's states, the first one included."""
    reading = monitor.reading(WORLD)
    assert reading.shape == (monitor.states, len(STATES))
    state = 0
    for entered in path:
        state = int(reading[state, entered])
    return state


def check_reading(
    task: DFA,
    prior: DFA | None,
    merge_repeats: bool,
    paths: Iterable[tuple[int, ...]],
    lower: DFA | None = None,
) -> None:
    """Compare, path by path, the monitor with what task and bounds say of the path's word."""
    monitor = make_monitor(task, merge_repeats=merge_repeats, prior=prior, lower=lower)
    for path in paths:
        word = word_of([LABELS[state] for state in path], merge_repeats=merge_repeats)
        end = end_of(monitor, path)
        assert monitor.accepting[end] == task.accepts(word)
        assert monitor.open[end] == (not task.accepts(word) and (prior is None or prior.accepts(word)))
        assert monitor.revocable[end] == (
            task.accepts(word) and not (lower is not None and lower.accepts(word))
        )


@given(dfas(), st.booleans(), long_paths)
def test_the_monitor_accepts_a_path_exactly_when_the_task_accepts_its_word(
    task: DFA, merge_repeats: bool, long_path: tuple[int, ...]
) -> None:
    check_reading(task, None, merge_repeats, [*SHORT_PATHS, long_path])


@given(dfas(), dfas(), st.booleans(), long_paths)
def test_with_a_prior_a_path_is_open_when_the_task_rejects_and_the_prior_accepts(
    task: DFA, prior: DFA, merge_repeats: bool, long_path: tuple[int, ...]
) -> None:
    check_reading(task, prior, merge_repeats, [*SHORT_PATHS, long_path])


@given(dfas(), st.none() | dfas(max_states=3), dfas(max_states=3), st.booleans(), long_paths)
def test_with_a_lower_bound_a_path_is_revocable_when_the_task_accepts_and_the_bound_does_not(
    task: DFA, prior: DFA | None, lower: DFA, merge_repeats: bool, long_path: tuple[int, ...]
) -> None:
    check_reading(task, prior, merge_repeats, [*SHORT_PATHS, long_path], lower)


@given(idempotent_dfas(), dfas(), long_paths)
def test_a_prior_that_counts_repeats_is_read_right_beside_a_task_that_does_not(
    task: DFA, prior: DFA, long_path: tuple[int, ...]
) -> None:
    check_reading(task, prior, True, [*SHORT_PATHS, long_path])


@given(dfas(max_states=3), st.none() | dfas(max_states=3), st.none() | dfas(max_states=2), st.booleans())
def test_the_monitor_has_no_two_states_that_say_the_same_for_ever(
    task: DFA, prior: DFA | None, lower: DFA | None, merge_repeats: bool
) -> None:
    monitor = make_monitor(task, merge_repeats=merge_repeats, prior=prior, lower=lower)

    def says(state: int, word: tuple[str, ...]) -> tuple[bool, bool, bool]:
        for letter in word:
            state = monitor.table[state][AB.index(letter)]
        return bool(monitor.accepting[state]), bool(monitor.open[state]), bool(monitor.revocable[state])

    # once longer words tell no more states apart, no words do
    probes: list[tuple[str, ...]] = [()]
    while True:
        longer = [(letter, *probe) for probe in probes for letter in AB] + [()]
        distinct = {tuple(says(state, probe) for probe in probes) for state in range(monitor.states)}
        refined = {tuple(says(state, probe) for probe in longer) for state in range(monitor.states)}
        if len(refined) == len(distinct):
            break
        probes = longer
    assert len(distinct) == monitor.states


@given(dfas())
def test_without_merging_and_prior_the_monitor_is_the_minimal_automaton(task: DFA) -> None:
    monitor = make_monitor(task, merge_repeats=False)
    assert monitor.table == task.minimal.table
    assert tuple(monitor.accepting) == task.minimal.accepting


@given(idempotent_dfas())
def test_a_task_that_does_not_count_repeats_keeps_its_states_under_merging(task: DFA) -> None:
    assert not counts_repeats(task)
    monitor = make_monitor(task, merge_repeats=True)
    assert monitor.table == task.minimal.table
    assert monitor.states == task.minimal.states


@given(idempotent_dfas(), words())
def test_idempotent_automata_do_not_see_repeats(task: DFA, word: tuple[str, ...]) -> None:
    for at, letter in enumerate(word):
        assert task.accepts((*word[:at], letter, *word[at:])) == task.accepts(word)


@given(dfas(max_states=3))
def test_counting_repeats_is_seen_on_words(task: DFA) -> None:
    differs = any(
        task.accepts((*head, letter, letter, *tail)) != task.accepts((*head, letter, *tail))
        for head in all_words(AB, 2)
        for letter in AB
        for tail in all_words(AB, 2)
    )
    assert counts_repeats(task.minimal) == differs


def test_a_task_that_counts_repeats_needs_memory() -> None:
    assert counts_repeats(PARITY)
    assert make_monitor(PARITY, merge_repeats=False).states == 2
    assert make_monitor(PARITY, merge_repeats=True).states == 4  # even or odd, with or without a fresh a


def test_memory_for_the_prior_alone() -> None:
    everything = DFA.constant("ab", True)
    assert make_monitor(everything, merge_repeats=True, prior=PARITY).states == 1  # never rejects, never open
    nothing = DFA.constant("ab", False)
    assert make_monitor(nothing, merge_repeats=True, prior=PARITY).states == 4
    assert make_monitor(nothing, merge_repeats=False, prior=PARITY).states == 2


def test_repeats_merge_across_white_states() -> None:
    twice = DFA.parse(">0: a→1 | 1: a→2 | *2:", "ab")
    white, a, b, also_a = 0, 1, 2, 4
    for path, merged, plain in [
        ((a, white, a), False, True),
        ((a, b, a), True, True),
        ((a, also_a), False, True),
        ((a, white), False, False),
    ]:
        for merge_repeats, expected in ((True, merged), (False, plain)):
            monitor = make_monitor(twice, merge_repeats=merge_repeats)
            assert bool(monitor.accepting[end_of(monitor, path)]) == expected


def test_a_bound_over_other_letters_is_refused() -> None:
    other = DFA.parse(">0: b→1 | *1: c→0")
    with pytest.raises(TaskError, match="the prior reads b, c"):
        make_monitor(PARITY, merge_repeats=True, prior=other)
    with pytest.raises(TaskError, match="the lower bound reads b, c"):
        make_monitor(PARITY, merge_repeats=True, lower=other)
