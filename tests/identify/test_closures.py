"""What follows from labels in a class: closures on words, and what every member must say."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.errors import Contradiction
from demospec.identify.base import check_class, forced
from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Implies,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
    extensions,
    of_words,
    prefixes,
    up_to_exchange,
    up_to_repeats,
)
from demospec.identify.exact import smallest
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.testing.identifiers import brute_force
from strategies import AB, all_words, dfas, words

SHORT = list(all_words(AB, 4))


@given(st.sets(words(max_size=4), max_size=5))
def test_the_language_of_some_words_is_these_words(some: set[Word]) -> None:
    language = of_words(some, "ba")
    assert {word for word in all_words(AB, 5) if language.accepts(word)} == some


@given(dfas(max_states=3))
def test_prefixes_can_be_extended_and_extensions_begin_with_a_word(dfa: DFA) -> None:
    begun, extended = prefixes(dfa), extensions(dfa)
    for word in SHORT:
        # three states are passed within two letters
        assert begun.accepts(word) == any(dfa.accepts(word + rest) for rest in all_words(AB, 2))
        assert extended.accepts(word) == any(dfa.accepts(word[:k]) for k in range(len(word) + 1))


@given(dfas(max_states=3))
def test_up_to_repeats_each_run_may_have_any_length(dfa: DFA) -> None:
    closed = up_to_repeats(dfa)
    for word in SHORT:
        runs = [letter for letter, _ in itertools.groupby(word)]
        others = itertools.product(range(1, 4), repeat=len(runs))  # three states repeat after three letters
        assert closed.accepts(word) == any(
            dfa.accepts([letter for letter, times in zip(runs, lengths, strict=True) for _ in range(times)])
            for lengths in others
        )


@given(dfas("abc", max_states=3))
def test_up_to_exchange_each_letter_may_be_another(dfa: DFA) -> None:
    closed = up_to_exchange(dfa, ["a", "c"])
    for word in all_words("abc", 3):
        others = itertools.product(*("ac" if letter in "ac" else letter for letter in word))
        assert closed.accepts(word) == any(map(dfa.accepts, others))


# -- what every member must say ---------------------------------------------------------------------------

Classes = tuple[AutomatonClass, ...]

UPPER = DFA.parse(">*0: b→1 | *1: a→2 | 2:", AB)
LOWER = DFA.parse(">0: a→1 | 1: b→2 | *2: a→0", AB)
FEW = DFA.parse(">0: a→1, b→2 | *1: a→2, b→2 | 2:", AB)

# in these, what is not forced is left open by some member
EXACT: list[Classes] = [
    (),
    (Implies(UPPER),),
    (ImpliedBy(LOWER),),
    (IgnoresRepeats(),),
    (Safety(),),
    (CoSafety(),),
    (Monotone(),),
    (SameEffect(AB),),
    (Safety(), CoSafety()),
    (Safety(), Implies(LOWER | FEW)),
    (Safety(), ImpliedBy(FEW)),
    (CoSafety(), Implies(LOWER)),
    (CoSafety(), ImpliedBy(FEW), Implies(LOWER | extensions(FEW))),
    (Safety(), IgnoresRepeats()),
    (IgnoresRepeats(), SameEffect(AB)),
    (IgnoresRepeats(), ImpliedBy(FEW)),
    (SameEffect(AB), Implies(UPPER)),
    (ImpliedBy(FEW), Implies(UPPER)),
    (Monotone(), Implies(LOWER)),
    (Monotone(), ImpliedBy(LOWER)),
    (Monotone(), Safety(), SameEffect(AB)),
]
NOT_ALWAYS: list[Classes] = [
    (ReachAvoid(),),
    (ReachAvoid(), IgnoresRepeats()),
    (ReachAvoid(), Implies(extensions(FEW))),
    (Monotone(), ImpliedBy(UPPER & LOWER), Implies(UPPER)),
]


def names(classes: Classes) -> str:
    return "+".join(one.name for one in classes) or "any"


few_words = st.sets(words(max_size=3), max_size=3)


@pytest.mark.parametrize("classes", EXACT + NOT_ALWAYS, ids=names)
def test_what_is_forced_holds_in_every_member(small_languages: list[DFA], classes: Classes) -> None:
    members = list(brute_force(small_languages, Examples(), classes=classes))
    assert members
    for label in (False, True):
        for some in ([], [("a",)], [("b",)], [("a", "b", "b")], [("b", "a"), ("a", "a")], [()]):
            must = forced(classes, of_words(some, AB), label)
            agreeing = [dfa for dfa in members if all(dfa.accepts(word) == label for word in some)]
            assert all(dfa.accepts(word) == label for dfa in agreeing for word in SHORT if must.accepts(word))
            assert all(map(must.accepts, some))


@pytest.mark.parametrize("classes", EXACT, ids=names)
@settings(max_examples=25)
@given(some=few_words, label=st.booleans(), word=words(max_size=4))
def test_what_is_not_forced_is_otherwise_in_some_member(
    classes: Classes, some: set[Word], label: bool, word: Word
) -> None:
    try:
        check_class(Examples.from_mapping(dict.fromkeys(some, label)), AB, classes=classes)
    except Contradiction:
        return
    if not forced(classes, of_words(some, AB), label).accepts(word):
        examples = Examples.from_mapping({**dict.fromkeys(some, label), word: not label})
        found = next(smallest(examples, AB, classes=classes, max_states=12))
        assert all(one.holds(found) for one in classes)


@pytest.mark.parametrize("classes", EXACT, ids=names)
@settings(max_examples=25)
@given(labels=st.dictionaries(words(max_size=3), st.booleans(), max_size=4))
def test_labels_that_are_not_refused_have_a_member(classes: Classes, labels: dict[Word, bool]) -> None:
    examples = Examples.from_mapping(labels)
    try:
        found = next(smallest(examples, AB, classes=classes, max_states=12))
    except Contradiction as error:
        # the words that are named are enough of a reason
        named = Examples.from_mapping({word: labels[word] for word in error.words})
        with pytest.raises(Contradiction):
            check_class(named, AB, classes=classes)
    else:
        assert examples.consistent(found)


@pytest.mark.parametrize(
    ("classes", "accept", "reject", "culprits"),
    [
        ((Safety(), CoSafety()), ["a"], ["b"], ["a", "b"]),
        ((Safety(), Implies(FEW)), ["a"], [], ["a"]),
        ((CoSafety(), ImpliedBy(FEW)), [], ["ab", "ba"], ["ab"]),
        ((IgnoresRepeats(), ImpliedBy(FEW)), [], ["aa", "b"], ["aa"]),
    ],
)
def test_what_only_all_classes_together_exclude_is_refused_by_its_words(
    classes: Classes, accept: list[str], reject: list[str], culprits: list[str]
) -> None:
    with pytest.raises(Contradiction) as refusal:
        check_class(Examples.of(accept, reject), AB, classes=classes)
    assert refusal.value.words == tuple(tuple(word) for word in sorted(culprits))


def test_classes_that_exclude_each_other_are_refused_with_a_word_that_shows_it() -> None:
    classes = (Implies(FEW), ImpliedBy(LOWER))
    with pytest.raises(Contradiction) as refusal:
        check_class(Examples(), AB, classes=classes)
    assert str(refusal.value) == (
        'no task is of class implies and implied-by: it would both accept and reject "a b"'
    )
