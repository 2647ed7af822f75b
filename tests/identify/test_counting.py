"""How many languages are left where bounds leave few words open, and searches that end by it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Implies,
    Monotone,
    ReachAvoid,
    Safety,
    of_words,
)
from demospec.identify.counting import languages_left, words_of
from demospec.identify.decomposition import smallest_by_sat, smallest_decompositions
from demospec.identify.exact import smallest
from demospec.identify.noise import trade_off, with_flips
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.testing.identifiers import brute_force
from strategies import AB, all_words, dfas, words

EVERYTHING, NOTHING = DFA.constant(AB, True), DFA.constant(AB, False)
TWO = of_words([("a",), ("a", "b")], AB)
OTHERS: list[tuple[AutomatonClass, ...]] = [
    (),
    (Safety(),),
    (CoSafety(),),
    (Monotone(),),
    (IgnoresRepeats(),),
]


@given(dfas(max_states=4))
def test_the_words_of_a_language_are_all_that_it_accepts_or_many(dfa: DFA) -> None:
    expected = tuple(word for word in all_words(AB, 2) if dfa.accepts(word))
    assert words_of(of_words(expected, AB), 7) == expected
    assert words_of(of_words(expected, AB), len(expected) - 1) is None
    # a word as long as the automaton has states repeats one of them
    longer = any(dfa.accepts(word) for word in all_words(AB, 7) if len(word) >= dfa.states)
    assert (words_of(dfa, 15) is None) == longer


@settings(max_examples=60)
@given(
    lower=dfas(max_states=3),
    open_words=st.sets(words(max_size=3), max_size=6),
    labels=st.dictionaries(words(max_size=3), st.booleans(), max_size=3),
    others=st.sampled_from(OTHERS),
)
def test_as_many_are_left_as_brute_force_finds(
    small_languages: list[DFA],
    lower: DFA,
    open_words: set[tuple[str, ...]],
    labels: dict[tuple[str, ...], bool],
    others: Sequence[AutomatonClass],
) -> None:
    upper = lower | of_words(open_words, AB)
    examples = Examples.from_mapping(
        {word: (label or lower.accepts(word)) and upper.accepts(word) for word, label in labels.items()}
    )
    classes = (ImpliedBy(lower), Implies(upper), *others)
    left = languages_left(classes, AB, examples, 3)
    expected = list(brute_force(small_languages, examples, classes=classes))
    if left is None:
        assert len(open_words) > 5
    elif others:  # labels that another class excludes are not seen here
        assert left >= len(expected)
    else:
        assert left == len(expected)
    assert languages_left(others, AB, examples) is None


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ((ImpliedBy(EVERYTHING),), 1),
        ((Implies(NOTHING),), 1),
        ((Implies(TWO),), 4),
        ((Implies(TWO), CoSafety()), 1),
        ((Implies(TWO), ReachAvoid()), 0),
    ],
)
def test_a_search_without_a_largest_number_of_states_ends_when_all_is_found(
    classes: tuple[AutomatonClass, ...], expected: int
) -> None:
    for search in (smallest, smallest_by_sat):
        assert len(list(search(Examples(), AB, classes=classes))) == expected
    assert len(list(trade_off(Examples.of(["b"]), AB, classes=classes))) == expected


@pytest.mark.parametrize("bound", [ImpliedBy(EVERYTHING), Implies(NOTHING)])
def test_a_class_with_one_member_ends_every_search(bound: AutomatonClass) -> None:
    words = Examples.of(["ab"]) if isinstance(bound, ImpliedBy) else Examples.of([], ["ab"])
    for operator in ("and", "or"):
        assert len(list(smallest_decompositions(words, AB, operator=operator, classes=[bound]))) == 1
    assert len(list(with_flips(words, AB, 1, classes=[bound]))) == 1


def test_parts_may_be_in_a_class_that_their_whole_is_not_in() -> None:
    prior = of_words([("a", "b"), ("b", "a")], AB)
    found = list(smallest_decompositions(Examples(), AB, operator="or", prior=prior, max_states=4))
    assert set(found) == set(smallest(Examples(), AB, prior=prior))
