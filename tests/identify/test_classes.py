"""Classes of automata: definitions against words, clauses against brute force, refusals by word."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.errors import Contradiction, ExamplesError, InputError
from demospec.identify.base import check_class
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
    by_name,
)
from demospec.identify.decomposition import smallest_by_sat
from demospec.identify.exact import ExactIdentifier, smallest
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.testing.identifiers import brute_force
from strategies import AB, all_words, dfas, words

Classes = tuple[AutomatonClass, ...]

UPPER = DFA.parse(">*0: b→1 | *1: a→2 | 2:", AB)
LOWER = DFA.parse(">0: a→1 | 1: b→2 | *2: a→0", AB)
ABC = ("a", "b", "c")

ALONE: list[AutomatonClass] = [
    Implies(UPPER),
    ImpliedBy(LOWER),
    IgnoresRepeats(),
    Safety(),
    CoSafety(),
    ReachAvoid(),
    Monotone(),
    SameEffect(AB),
]
COMBINED: list[Classes] = [
    (Safety(), IgnoresRepeats()),
    (Safety(), Monotone()),
    (CoSafety(), Implies(UPPER)),
    (ImpliedBy(LOWER), IgnoresRepeats()),
    (ImpliedBy(UPPER & LOWER), Implies(UPPER)),
    (ReachAvoid(), IgnoresRepeats()),
    (ReachAvoid(), Monotone()),
    (Monotone(), SameEffect(AB)),
    (Monotone(), IgnoresRepeats(), ImpliedBy(UPPER & LOWER)),
]
EVERY: list[Classes] = [*((one,) for one in ALONE), *COMBINED]
# those whose `conflicts` promise a member when there are none
EXACT = [one for one in ALONE if not isinstance(one, ReachAvoid)]

example_sets = st.dictionaries(words(max_size=4), st.booleans(), max_size=5).map(Examples.from_mapping)


def names(classes: Classes) -> str:
    return "+".join(one.name for one in classes)


for_every = pytest.mark.parametrize("classes", EVERY, ids=names)


# -- the definitions, on words ----------------------------------------------------------------------------


def prefix_closed(accepted: set[Word], some: list[Word]) -> bool:
    return all(word[:-1] in accepted for word in accepted if word)


def extension_closed(accepted: set[Word], some: list[Word]) -> bool:
    return all(word in accepted for word in some if word and word[:-1] in accepted)


def blind_to(normal: Callable[[Word], Word]) -> Callable[[set[Word], list[Word]], bool]:
    return lambda accepted, some: all((word in accepted) == (normal(word) in accepted) for word in some)


def one_repeat_less(word: Word) -> Word:
    return next(
        (word[:k] + word[k + 1 :] for k in range(len(word) - 1) if word[k] == word[k + 1]),
        word,
    )


@pytest.mark.parametrize(
    ("one", "definition"),
    [
        (Safety(), prefix_closed),
        (CoSafety(), extension_closed),
        (IgnoresRepeats(), blind_to(one_repeat_less)),
        (SameEffect(AB), blind_to(lambda word: tuple("a" for _ in word))),
        (Implies(UPPER), lambda accepted, some: all(UPPER.accepts(word) for word in accepted)),
        (ImpliedBy(LOWER), lambda accepted, some: all(w in accepted for w in some if LOWER.accepts(w))),
    ],
    ids=["safety", "co-safety", "ignores-repeats", "same-effect", "implies", "implied-by"],
)
def test_a_class_of_languages_is_what_its_words_say(
    small_languages: list[DFA], one: AutomatonClass, definition: Callable[[set[Word], list[Word]], bool]
) -> None:
    # three states tell each other's words apart within a few letters
    some = list(all_words(AB, 7))
    for dfa in small_languages:
        assert one.holds(dfa) == definition({word for word in some if dfa.accepts(word)}, some), str(dfa)


def tables(rows: list[list[tuple[int, ...]]], marks: list[tuple[bool, ...]]) -> Iterator[DFA]:
    for table in itertools.product(*rows):
        for accepting in marks:
            yield DFA(alphabet=AB, table=table, accepting=accepting).minimal


def pairs(targets: range | tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(itertools.product(targets, repeat=2))


def chains(states: int) -> set[DFA]:
    """The members of `ReachAvoid` with up to so many states, made from their description."""
    found = set()
    for length in range(states):
        goal, avoid = length, length + 1
        rows = [[row for row in pairs((q, q + 1, avoid)) if q + 1 in row] for q in range(length)]
        marks = tuple(q == goal for q in range(length + 2))
        found |= set(tables([*rows, [(goal, goal)], [(avoid, avoid)]], [marks]))
    return {dfa for dfa in found if dfa.states <= states}


def ordered(states: int) -> set[DFA]:
    """The members of `Monotone`: numbered so that transitions never go back."""
    rows = [pairs(range(q, states)) for q in range(states)]
    return set(tables(rows, list(itertools.product((False, True), repeat=states))))


def with_sink(states: int, label: bool) -> set[DFA]:
    """The members of `CoSafety` or `Safety`: the last state has the label, and no other."""
    last = states - 1
    rows = [pairs(range(states))] * last
    marks = tuple((q == last) == label for q in range(states))
    constants = {DFA.constant(AB, True), DFA.constant(AB, False)}
    return constants | set(tables([*rows, [(last, last)]], [marks]))


MADE: list[tuple[AutomatonClass, Callable[[int], set[DFA]]]] = [
    (ReachAvoid(), chains),
    (Monotone(), ordered),
    (Safety(), lambda states: with_sink(states, False)),
    (CoSafety(), lambda states: with_sink(states, True)),
]


@pytest.mark.parametrize(("one", "make"), MADE, ids=[one.kind for one, _ in MADE])
def test_members_made_from_the_description_are_those_that_hold_and_those_that_are_found(
    small_languages: list[DFA], one: AutomatonClass, make: Callable[[int], set[DFA]]
) -> None:
    assert {dfa for dfa in small_languages if one.holds(dfa)} == make(3)
    found = list(smallest(Examples(), AB, classes=(one,), max_states=4))
    assert len(found) == len(set(found))
    assert set(found) == make(4)
    assert [dfa.size for dfa in found] == sorted(dfa.size for dfa in found)


@given(dfas())
def test_membership_belongs_to_the_language_and_not_to_its_automaton(dfa: DFA) -> None:
    for one in ALONE:
        assert one.holds(dfa) == one.holds(dfa.minimal)


# -- the clauses, against brute force ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def members(small_languages: list[DFA]) -> Callable[[Classes], list[DFA]]:
    """The small languages in all of some classes, by size."""
    return cache(lambda classes: list(brute_force(small_languages, Examples(), classes=classes)))


def compare_with_brute_force(languages: list[DFA], examples: Examples, classes: Classes) -> list[DFA]:
    """Compare what is found, or refused, with the members that are consistent."""
    expected = list(brute_force(languages, examples))
    try:
        found = list(smallest(examples, AB, classes=classes, max_states=3))
    except Contradiction as error:
        culprits = error.words
        # the words that are named are enough of a reason
        named = Examples.from_mapping({word: examples.mapping[word] for word in culprits})
        assert list(brute_force(languages, named)) == []
        return []
    for answer in (found, list(smallest_by_sat(examples, AB, classes=classes, max_states=3))):
        assert [dfa.size for dfa in answer] == [dfa.size for dfa in expected]
        assert len(set(answer)) == len(answer)
        assert set(answer) == set(expected)
    return found


@for_every
def test_without_examples_every_member_comes_once_by_size(
    small_languages: list[DFA], members: Callable[[Classes], list[DFA]], classes: Classes
) -> None:
    found = compare_with_brute_force(members(classes), Examples(), classes)
    assert 0 < len(found) < len(small_languages)


@for_every
@settings(max_examples=30)
@given(examples=example_sets)
def test_any_examples_leave_the_members_that_brute_force_finds(
    members: Callable[[Classes], list[DFA]], classes: Classes, examples: Examples
) -> None:
    compare_with_brute_force(members(classes), examples, classes)


@for_every
@settings(max_examples=30)
@given(data=st.data())
def test_the_labels_of_a_member_leave_it_in(
    members: Callable[[Classes], list[DFA]], classes: Classes, data: st.DataObject
) -> None:
    target = data.draw(st.sampled_from(members(classes)))
    chosen = data.draw(st.lists(words(max_size=6), min_size=1, max_size=6))
    examples = Examples.from_mapping({word: target.accepts(word) for word in chosen})
    check_class(examples, AB, classes=classes)
    assert target in compare_with_brute_force(members(classes), examples, classes)


@given(st.lists(example_sets, max_size=5), st.sampled_from(EVERY), st.integers(1, 12))
def test_an_identifier_with_classes_answers_each_call_like_a_fresh_one(
    sets: list[Examples], classes: Classes, count: int
) -> None:
    identifier = ExactIdentifier(AB, classes=classes, max_states=4)
    for examples in sets:
        try:
            found = identifier.candidates(examples, count)
        except Contradiction:
            continue
        fresh = list(islice(smallest(examples, AB, classes=classes, max_states=4), count))
        assert [dfa.size for dfa in found] == [dfa.size for dfa in fresh]
        assert all(one.holds(dfa) and examples.consistent(dfa) for dfa in found for one in classes)


@given(example_sets, dfas(max_states=3))
def test_a_prior_is_short_for_a_class(examples: Examples, prior: DFA) -> None:
    allowed = Examples.from_mapping({word: label and prior.accepts(word) for word, label in examples})
    short = islice(smallest(allowed, AB, prior=prior, max_states=4), 20)
    long = islice(smallest(allowed, AB, classes=[Implies(prior)], max_states=4), 20)
    assert list(map(str, short)) == list(map(str, long))


def test_over_three_letters_two_of_them_can_be_exchanged() -> None:
    same = SameEffect("ac")
    for dfa in islice(smallest(Examples.of(accept=["abc"], reject=["", "b"]), ABC, classes=[same]), 40):
        assert same.holds(dfa)
        assert all(row[0] == row[2] for row in dfa.table)


def test_a_finite_class_ends_where_max_states_ends() -> None:
    constants = {DFA.constant(AB, True), DFA.constant(AB, False)}
    assert set(smallest(Examples(), AB, classes=(Safety(), CoSafety()), max_states=6)) == constants
    assert len(list(smallest(Examples(), "a", classes=[IgnoresRepeats()], max_states=6))) == 4
    everything = ImpliedBy(DFA.constant(AB, True))
    assert list(smallest(Examples(), AB, classes=[everything], max_states=6)) == [DFA.constant(AB, True)]


def test_an_accepted_word_bounds_the_chain() -> None:
    for word in all_words(AB, 3):
        bound = ReachAvoid().most_states(Examples.of(accept=[word, "abab"], reject=["bbbbb"]))
        accepting = [dfa for dfa in chains(5) if dfa.accepts(word)]
        assert bound == len(word) + 2
        assert max(dfa.states for dfa in accepting) == (1 if word == () else bound)
        found = list(smallest(Examples.of(accept=[word]), AB, classes=[ReachAvoid()]))  # ends by itself
        assert set(found) == set(accepting)
    assert ReachAvoid().most_states(Examples.of(reject=["a"])) is None


# -- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "accept", "reject", "culprits"),
    [
        ((Safety(),), ["ab", "b"], [""], ["", "ab", "b"]),
        ((Safety(),), ["abb", "ba"], ["ab"], ["ab", "abb"]),
        ((CoSafety(),), ["a", "b"], ["aba", ""], ["a", "aba"]),
        ((ReachAvoid(),), ["", "b"], ["a"], ["", "a"]),
        ((IgnoresRepeats(),), ["a", "b"], ["aa"], ["a", "aa"]),
        ((SameEffect(AB),), ["ab", ""], ["ba", "a"], ["ab", "ba"]),
        ((Implies(UPPER),), ["ba", "a"], [], ["ba"]),
        ((ImpliedBy(LOWER),), ["a"], ["ab", "b"], ["ab"]),
        ((Safety(), IgnoresRepeats()), ["ab", "b"], ["aa"], ["aa", "ab"]),
        ((SameEffect(AB), IgnoresRepeats()), ["a"], ["ba", ""], ["a", "ba"]),
    ],
)
def test_labels_that_exclude_every_member_are_refused_by_their_words(
    classes: Classes, accept: list[str], reject: list[str], culprits: list[str]
) -> None:
    examples = Examples.of(accept, reject)
    with pytest.raises(Contradiction) as refusal:
        next(smallest(examples, AB, classes=classes, max_states=4))
    assert refusal.value.words == tuple(tuple(word) for word in culprits)
    for word in culprits:
        assert f'"{" ".join(word) or "ε"}"' in str(refusal.value)
    with pytest.raises(Contradiction):
        ExactIdentifier(AB, classes=classes).candidates(examples, 3)


def test_a_refusal_names_the_class_and_the_labels() -> None:
    with pytest.raises(Contradiction) as refusal:
        next(smallest(Examples.of(accept=["a"], reject=[""]), AB, classes=[Safety()]))
    assert str(refusal.value) == 'no task of class safety has these labels: "ε" rejected, "a" accepted'


@pytest.mark.parametrize("one", EXACT, ids=[one.name for one in EXACT])
@given(labels=st.dictionaries(words(max_size=3), st.booleans(), max_size=4))
def test_without_conflicts_there_is_a_member(one: AutomatonClass, labels: dict[Word, bool]) -> None:
    examples = Examples.from_mapping(labels)
    if not one.conflicts(examples):
        found = next(smallest(examples, AB, classes=[one], max_states=8))
        assert one.holds(found)
        assert examples.consistent(found)


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (Implies(DFA.constant("ac", True)), "the prior reads a, c, but the letters are a, b"),
        (ImpliedBy(DFA.constant("a", True)), "the lower bound reads a, but the letters are a, b"),
        (SameEffect("ac"), 'same-effect:a,c: letter "c" is not in the alphabet a, b'),
    ],
)
def test_a_class_that_speaks_of_other_letters_is_refused(one: AutomatonClass, message: str) -> None:
    with pytest.raises(ExamplesError, match=message):
        next(smallest(Examples(), AB, classes=[one]))


# -- as values, by name -----------------------------------------------------------------------------------


def test_classes_are_values() -> None:
    assert SameEffect("ba") == SameEffect(["a", "b", "a"])
    assert Implies(UPPER) == Implies(~~UPPER)
    assert len({Safety(), CoSafety(), Safety(), Monotone(), SameEffect("ab"), SameEffect("ba")}) == 4
    for one in ALONE:
        assert pickle.loads(pickle.dumps(one)) == one
        assert one.sentence.endswith(".")


def test_names_lead_back_to_their_classes() -> None:
    for one in ALONE:
        if not isinstance(one, Implies | ImpliedBy):
            assert by_name(one.name) == one
    assert by_name(" same-effect: b, a ") == SameEffect("ab")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("saftey", 'class "saftey" is not known.*did you mean "safety"'),
        ("cosafety", 'did you mean "co-safety"'),
        ("same-efect:a,b", 'did you mean "same-effect"'),
        ("", "known: safety, co-safety, monotone, reach-avoid, ignores-repeats, same-effect"),
        ("same-effect", "two letters or more"),
        ("same-effect:a,a", "two letters or more"),
        ("safety:a", '"safety" stands alone, found "a"'),
    ],
)
def test_a_name_that_is_not_known_is_refused_with_the_nearest(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        by_name(text)


def test_one_letter_is_no_set_of_letters_with_the_same_effect() -> None:
    with pytest.raises(InputError, match="two letters or more, found a"):
        SameEffect("a")
