"""Verdicts against their definition: is there a continuation that is accepted, is there one that is not?"""

from __future__ import annotations

from functools import reduce
from operator import and_

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import TaskError
from demospec.tasks import DFA, Composite, Word, clauses
from demospec.tasks.monitoring import KINDS, Kind, Monitor, Verdict, implied_parts
from demospec.worlds.paths import word_of
from strategies import AB, all_words, dfas, words

several = st.lists(dfas(max_states=3), min_size=1, max_size=3)
NO_R, REACH_Y = DFA.parse(">*0: r→1 | 1:", "bry"), DFA.parse(">0: y→1 | *1:", "bry")


def kind_by_definition(dfa: DFA, word: Word) -> Kind:
    rest = DFA(alphabet=dfa.alphabet, table=dfa.table, accepting=dfa.accepting, start=dfa.run(word))
    if (~rest).is_empty():
        return "satisfied"
    if rest.is_empty():
        return "violated"
    return "open-accepting" if rest.accepts(()) else "open-rejecting"


def verdict_by_definition(dfa: DFA, parts: list[tuple[str, DFA]], word: Word) -> Verdict:
    for at in range(len(word) + 1):
        kind = kind_by_definition(dfa, word[:at])
        if kind == "violated":
            broken = [name for name, part in parts if kind_by_definition(part, word[:at]) == "violated"]
            return Verdict(kind, at, broken[0] if broken else None)
        if kind == "satisfied":
            return Verdict(kind, at)
    return Verdict(kind_by_definition(dfa, word))


@given(dfas(), st.lists(words(), min_size=1, max_size=8))
def test_a_verdict_is_what_its_definition_says(task: DFA, some: list[Word]) -> None:
    monitor = Monitor(task)
    for word in some:
        assert monitor.verdict(word) == verdict_by_definition(task, [], word)


@given(several, st.lists(words(), min_size=1, max_size=6))
def test_the_broken_clause_is_the_first_that_no_continuation_meets(
    parts: list[DFA], some: list[Word]
) -> None:
    task, named = reduce(and_, parts), [(f"clause {k}", part) for k, part in enumerate(parts)]
    monitor = Monitor(task, named)
    for word in some:
        assert monitor.verdict(word) == verdict_by_definition(task, named, word)


@given(several, words(max_size=12), st.booleans())
def test_event_by_event_the_verdicts_are_those_of_the_prefixes(
    parts: list[DFA], word: Word, merge: bool
) -> None:
    monitor = Monitor(reduce(and_, parts), [(str(part), part) for part in parts], merge_repeats=merge)
    watch = monitor.watch()
    found = [watch.verdict, *[watch.step(letter) for letter in word]]
    assert found == [monitor.verdict(word[:length]) for length in range(len(word) + 1)]
    assert watch.events == len(word)
    finals = [verdict for verdict in found if verdict.final]
    assert all(verdict is finals[0] for verdict in finals)  # for good


@given(dfas(max_states=3), words(max_size=5))
def test_with_merged_repeats_every_continuation_is_merged_too(task: DFA, word: Word) -> None:
    # Nine states of automaton and last letter at most: a difference shows within eight letters.
    accepted = {task.accepts(word_of((*word, *more), merge_repeats=True)) for more in all_words(AB, 8)}
    verdict = Monitor(task, merge_repeats=True).verdict(word)
    if len(accepted) == 1:
        assert verdict.kind == ("satisfied" if accepted == {True} else "violated")
    else:
        now = task.accepts(word_of(word, merge_repeats=True))
        assert verdict.kind == ("open-accepting" if now else "open-rejecting")
    assert verdict.accepted == task.accepts(word_of(word, merge_repeats=True))


@given(dfas(), words())
def test_ignoring_repeats_is_reading_the_merged_word(task: DFA, word: Word) -> None:
    assert task.ignoring_repeats().accepts(word) == task.accepts(word_of(word, merge_repeats=True))


@given(dfas(), words(), st.booleans(), st.data())
def test_other_events_are_counted_and_change_nothing(
    task: DFA, word: Word, merge: bool, data: st.DataObject
) -> None:
    gaps = data.draw(st.lists(st.integers(0, 2), min_size=len(word), max_size=len(word)))
    events = [event for gap, letter in zip(gaps, word, strict=True) for event in [*["idle"] * gap, letter]]
    monitor = Monitor(task, merge_repeats=merge)
    plain, found = monitor.verdict(word), monitor.verdict([*events, "idle"])
    assert (found.kind, found.clause) == (plain.kind, plain.clause)
    if plain.at is not None:
        assert found.at == plain.at + sum(gaps[: plain.at])


def test_every_kind_of_verdict_occurs(small_languages: list[DFA]) -> None:
    found = {Monitor(task).verdict(word).kind for task in small_languages[:200] for word in all_words(AB, 3)}
    assert found == set(KINDS)


def test_clauses_come_from_a_task_that_is_a_conjunction() -> None:
    both = Composite.of("and", [NO_R, REACH_Y])
    assert implied_parts(both) == [("reach y", REACH_Y), ("never r", NO_R)]
    assert Monitor(both).verdict("yr") == Verdict("violated", 2, "never r")
    assert Monitor(NO_R).verdict("r") == Verdict("violated", 1, "never r")
    said = clauses.parse("reach y; no r before b; never r", "bry")
    assert [sentence for sentence, _ in implied_parts(said)] == ["reach y", "never r", "no r before b"]
    for sentence, part in implied_parts(Composite.of("or", [NO_R, REACH_Y])):
        assert (NO_R | REACH_Y).implies(part), sentence


def test_clauses_that_only_together_cannot_be_met_break_none() -> None:
    not_y_after_b = DFA.parse(">*0: b→1 | *1: y→2 | 2:", "bry")
    monitor = Monitor(REACH_Y & not_y_after_b, [("reach y", REACH_Y), ("no y after b", not_y_after_b)])
    assert monitor.verdict("b") == Verdict("violated", 1, None)
    assert monitor.verdict("yby") == Verdict("violated", 3, "no y after b")


def test_a_task_that_decides_itself_is_final_before_the_first_event() -> None:
    assert Monitor(DFA.constant("ab", True)).verdict("ab") == Verdict("satisfied", 0)
    assert Monitor(DFA.constant("ab", False), [("never", DFA.constant("ab", False))]).watch().verdict == (
        Verdict("violated", 0, "never")
    )


def test_a_part_that_the_task_does_not_imply_is_refused() -> None:
    with pytest.raises(TaskError, match=r'does not imply its part "reach y": it accepts "ε"'):
        Monitor(NO_R, [("reach y", REACH_Y)])
    with pytest.raises(TaskError, match="different letters"):
        Monitor(NO_R, [("reach y", DFA.parse(">0: y→1 | *1:", "y"))])


def test_many_clauses_cost_only_what_traces_reach() -> None:
    letters = [f"l{number:02}" for number in range(16)]
    parts = [DFA.parse(f">0: {letter}→1 | *1:", letters) for letter in letters]
    task = reduce(lambda one, other: (one & other).minimal, parts[:8])
    monitor = Monitor(task, [(letter, part) for letter, part in zip(letters, parts[:8], strict=False)])
    assert monitor.verdict(letters[:8]) == Verdict("satisfied", 8)
    assert monitor.verdict(letters[:7]) == Verdict("open-rejecting")
