"""Random automata and words, all words up to a length, and automata-lib's view of an automaton."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from automata.fa import dfa as automata_lib
from hypothesis import strategies as st

from demospec.tasks import DFA, Word

AB = ("a", "b")


@st.composite
def dfas(draw: st.DrawFn, alphabet: Sequence[str] = AB, max_states: int = 4) -> DFA:
    """Any automaton: start anywhere, unreachable and equivalent states included."""
    states = draw(st.integers(1, max_states))
    target = st.integers(0, states - 1)
    row = st.tuples(*[target] * len(alphabet))
    return DFA(
        alphabet=tuple(alphabet),
        table=tuple(draw(st.lists(row, min_size=states, max_size=states))),
        accepting=tuple(draw(st.lists(st.booleans(), min_size=states, max_size=states))),
        start=draw(target),
    )


@st.composite
def idempotent_dfas(draw: st.DrawFn, alphabet: Sequence[str] = AB, max_states: int = 4) -> DFA:
    """An automaton in which every letter is a projection: δ(δ(q, a), a) = δ(q, a)."""
    states = draw(st.integers(1, max_states))
    columns = []
    for _ in alphabet:
        fixed = sorted(draw(st.sets(st.integers(0, states - 1), min_size=1)))
        columns.append([q if q in fixed else draw(st.sampled_from(fixed)) for q in range(states)])
    return DFA(
        alphabet=tuple(alphabet),
        table=tuple(zip(*columns, strict=True)),
        accepting=tuple(draw(st.lists(st.booleans(), min_size=states, max_size=states))),
        start=draw(st.integers(0, states - 1)),
    )


def words(alphabet: Sequence[str] = AB, max_size: int = 8) -> st.SearchStrategy[Word]:
    return st.lists(st.sampled_from(alphabet), max_size=max_size).map(tuple)


def all_words(alphabet: Sequence[str], max_length: int) -> Iterator[Word]:
    """Every word up to a length: shorter ones first, then in alphabetical order."""
    for length in range(max_length + 1):
        yield from itertools.product(sorted(alphabet), repeat=length)


def witness(dfa: DFA) -> automata_lib.DFA:
    """The same automaton in automata-lib; its letters are single characters."""
    return automata_lib.DFA(
        states=set(range(dfa.states)),
        input_symbols=set(dfa.alphabet),
        transitions={q: dict(zip(dfa.alphabet, row, strict=True)) for q, row in enumerate(dfa.table)},
        initial_state=dfa.start,
        final_states={q for q, mark in enumerate(dfa.accepting) if mark},
    )
