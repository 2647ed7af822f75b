"""Exact identification, in each of its three ways, against brute force over all small automata."""

from __future__ import annotations

import itertools
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.errors import Contradiction, ExamplesError, InputError
from demospec.identify import decomposition
from demospec.identify.backtracking import Backtracking, Rules
from demospec.identify.base import joined
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
)
from demospec.identify.counting import ORDERS, Order, cells_by_bits, cells_by_states
from demospec.identify.decomposition import JointSolver, smallest_by_sat
from demospec.identify.encoding import Unknown
from demospec.identify.exact import ExactIdentifier, smallest
from demospec.identify.word_graph import Labels, WordGraph, WordTree
from demospec.native import library
from demospec.tasks import DFA, Operator
from demospec.tasks.examples import Examples
from demospec.testing.identifiers import all_languages, brute_force
from demospec.testing.small_worlds import random_dfa
from demospec.work.stop import Stop
from strategies import AB, all_words, dfas, words

FOUR = ("b", "g", "r", "y")
TRUTH = DFA.parse(">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2")

example_sets = st.dictionaries(words(max_size=5), st.booleans(), max_size=6).map(Examples.from_mapping)
Tables = tuple[tuple[tuple[int, ...], ...], tuple[bool, ...]]


def names(found: list[DFA]) -> list[str]:
    return [str(dfa) for dfa in found]


def smallest_in_python(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    order: Order = "bits",
) -> Iterator[DFA]:
    """The search in Python, whether or not the compiled one is there."""
    letters = tuple(sorted(alphabet))
    rules = Rules.of(joined(prior, classes), letters)
    assert rules is not None
    search = Backtracking(WordGraph.of(examples, letters), rules)
    order_of_cells = cells_by_bits if order == "bits" else cells_by_states
    for _, table, accepting in search.automata(order_of_cells(len(letters), max_states)):
        yield DFA.from_canonical(letters, table, accepting)


Engine = Callable[..., Iterator[DFA]]
ENGINES: list[Engine] = [smallest, smallest_in_python, smallest_by_sat]
engines = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)


# -- against brute force ----------------------------------------------------------------------------------


def compare_with_brute_force(
    engine: Engine, languages: list[DFA], examples: Examples, prior: DFA | None
) -> None:
    expected = list(brute_force(languages, examples, prior=prior))
    found = list(engine(examples, AB, prior=prior, max_states=3))
    assert [dfa.size for dfa in found] == [dfa.size for dfa in expected]
    assert len(set(found)) == len(found)
    assert set(found) == set(expected)
    # results claim to be canonical without a check: rebuilt from scratch they must be the same tables
    for dfa in found:
        rebuilt = DFA(alphabet=dfa.alphabet, table=dfa.table, accepting=dfa.accepting).minimal
        assert (rebuilt.table, rebuilt.accepting) == (dfa.table, dfa.accepting)


@engines
@settings(max_examples=40)
@given(examples=example_sets)
def test_the_same_languages_by_size_as_brute_force(
    engine: Engine, small_languages: list[DFA], examples: Examples
) -> None:
    compare_with_brute_force(engine, small_languages, examples, None)


@engines
@settings(max_examples=40)
@given(examples=example_sets, prior=dfas(max_states=4))
def test_the_same_languages_by_size_as_brute_force_under_a_prior(
    engine: Engine, small_languages: list[DFA], examples: Examples, prior: DFA
) -> None:
    allowed = {word: label and prior.accepts(word) for word, label in examples}
    compare_with_brute_force(engine, small_languages, Examples.from_mapping(allowed), prior)


@engines
def test_without_examples_every_language_comes_once(engine: Engine, small_languages: list[DFA]) -> None:
    compare_with_brute_force(engine, small_languages, Examples(), None)


def languages_by_truth_table(states: int) -> set[tuple[bool, ...]]:
    """Every language of n states or fewer over a and b, as its truth on the words that tell them apart."""
    probes = [[AB.index(letter) for letter in word] for word in all_words(AB, 2 * states - 2)]
    found = set()
    for targets in itertools.product(range(states), repeat=2 * states):
        ends = []
        for probe in probes:
            q = 0
            for letter in probe:
                q = targets[2 * q + letter]
            ends.append(q)
        profile = tuple(ends)
        for marks in itertools.product((False, True), repeat=states):
            found.add(tuple(marks[q] for q in profile))
    return found


@pytest.mark.parametrize(("states", "count"), [(1, 2), (2, 24), (3, 1028)])
def test_the_number_of_minimal_automata_with_n_states_over_two_letters(states: int, count: int) -> None:
    # Domaratzki, Kisman & Shallit, "On the number of distinct languages accepted by finite automata with n
    # states", 2002, and counted here without demospec
    fewer = 0 if states == 1 else len(list(smallest(Examples(), AB, max_states=states - 1)))
    found = list(smallest(Examples(), AB, max_states=states))
    assert sum(dfa.states == states for dfa in found) == count
    assert len(languages_by_truth_table(states)) == len(found) == fewer + count


@pytest.fixture(scope="module")
def unary_languages() -> list[DFA]:
    return all_languages(("a",), 4)


@given(st.dictionaries(words(("a",), max_size=7), st.booleans(), max_size=4), st.none() | dfas(("a",)))
def test_with_four_states_the_smaller_acceptance_class_may_have_two(
    unary_languages: list[DFA], labels: dict[tuple[str, ...], bool], prior: DFA | None
) -> None:
    allowed = {word: label and (prior is None or prior.accepts(word)) for word, label in labels.items()}
    examples = Examples.from_mapping(allowed)
    expected = list(brute_force(unary_languages, examples, prior=prior))
    found = list(smallest(examples, ("a",), prior=prior, max_states=4))
    assert [dfa.size for dfa in found] == [dfa.size for dfa in expected]
    assert set(found) == set(expected)


@pytest.fixture(scope="module")
def four_state_ends() -> dict[tuple[str, ...], npt.NDArray[np.int8]]:
    """Where each word of up to 6 letters ends in each of the 4⁸ tables of four states over a and b."""
    tables = np.indices((4,) * 8, dtype=np.int8).reshape(8, -1)  # row 2q + a: the target of q under a
    every = np.arange(tables.shape[1])
    ends: dict[tuple[str, ...], npt.NDArray[np.int8]] = {(): np.zeros(tables.shape[1], dtype=np.int8)}
    for word in all_words(AB, 6):
        if word:
            ends[word] = tables[2 * ends[word[:-1]] + AB.index(word[-1]), every]
    return ends


@settings(max_examples=6)
@given(dfas(max_states=4))
def test_with_four_states_over_two_letters_no_language_is_missed(
    four_state_ends: dict[tuple[str, ...], npt.NDArray[np.int8]], target: DFA
) -> None:
    # automata with up to four states that differ, differ on a word of up to six letters
    labels = {word: target.accepts(word) for word in all_words(AB, 3)}
    expected = set()
    for marks in itertools.product((False, True), repeat=4):
        accepting = np.array(marks)
        fits = np.logical_and.reduce(
            [accepting[four_state_ends[word]] == label for word, label in labels.items()]
        )
        truths = np.array([accepting[ends[fits]] for ends in four_state_ends.values()])
        expected |= {tuple(truth.tolist()) for truth in truths.T}
    found = list(smallest(Examples.from_mapping(labels), AB, max_states=4))
    assert [dfa.size for dfa in found] == sorted(dfa.size for dfa in found)
    assert len(found) == len(expected)
    assert {tuple(dfa.accepts(word) for word in four_state_ends) for dfa in found} == expected


# -- four letters -----------------------------------------------------------------------------------------


def sparse_automata(states: int, changes: int) -> list[Tables]:
    """Every automaton over four letters with exactly so many transitions that leave their state."""
    found: list[Tables] = []
    places = [(q, a) for q in range(states) for a in range(4)]
    for chosen in itertools.combinations(places, changes):
        others = [[t for t in range(states) if t != q] for q, _ in chosen]
        for targets in itertools.product(*others):
            rows = [[q] * 4 for q in range(states)]
            for (q, a), target in zip(chosen, targets, strict=True):
                rows[q][a] = target
            table = tuple(map(tuple, rows))
            found += [(table, marks) for marks in itertools.product((False, True), repeat=states)]
    return found


def bits(states: int, changes: int, marks: tuple[bool, ...]) -> int:
    s = math.ceil(math.log2(states))
    return (2 * s + 1) + 5 + 1 + s + min(sum(marks), states - sum(marks)) * s + changes * (2 * s + 2)


@pytest.fixture(scope="module")
def up_to_31_bits() -> list[tuple[int, Tables]]:
    """Every automaton over four letters of 31 bits or less, by size: 4 states or more need 33."""
    shapes = [(1, 0), *((2, changes) for changes in range(1, 6)), (3, 2)]
    listed = [
        (bits(states, changes, marks), (table, marks))
        for states, changes in shapes
        for table, marks in sparse_automata(states, changes)
    ]
    return sorted(listed, key=lambda entry: entry[0])


def accepts(tables: Tables, word: tuple[str, ...]) -> bool:
    table, marks = tables
    state = 0
    for letter in word:
        state = table[state][FOUR.index(letter)]
    return marks[state]


@given(st.data())
def test_over_four_letters_the_first_result_is_the_smallest_there_is(
    up_to_31_bits: list[tuple[int, Tables]], data: st.DataObject
) -> None:
    _, target = data.draw(st.sampled_from(up_to_31_bits))
    chosen = data.draw(st.lists(words(FOUR, max_size=5), max_size=8))
    labels = {word: accepts(target, word) for word in chosen}
    least = next(
        size
        for size, tables in up_to_31_bits
        if all(accepts(tables, word) == label for word, label in labels.items())
    )
    assert next(smallest(Examples.from_mapping(labels), FOUR)).size == least


@given(st.lists(words(FOUR, max_size=6), max_size=12), st.booleans())
def test_over_four_letters_results_are_consistent_ordered_and_different(
    chosen: list[tuple[str, ...]], with_prior: bool
) -> None:
    examples = Examples.from_mapping({word: TRUTH.accepts(word) for word in chosen})
    prior = DFA.parse(">*0: r→1 | 1:", FOUR) if with_prior else None
    found = list(islice(smallest(examples, FOUR, prior=prior), 20))
    assert len(found) == len(set(found)) == 20
    assert [dfa.size for dfa in found] == sorted(dfa.size for dfa in found)
    for dfa in found:
        assert all(dfa.accepts(word) == label for word, label in examples)
        assert dfa.alphabet == FOUR
        assert prior is None or dfa.implies(prior)


def test_enough_words_identify_the_paper_s_task() -> None:
    labels = {word: TRUTH.accepts(word) for word in all_words(FOUR, 4)}
    assert next(smallest(Examples.from_mapping(labels), FOUR)) == TRUTH


def test_a_long_word_asks_for_many_states() -> None:
    examples = Examples.of(accept=[["a"] * 6], reject=[["a"] * k for k in range(6)])
    first = next(smallest(examples, ("a",)))
    assert first.states == 7
    assert first.shortest_word() == ("a",) * 6


# -- three ways, one answer -------------------------------------------------------------------------------

LOWER = DFA.parse(">0: a→1 | *1:", AB)
UPPER = DFA.parse(">*0: b→1 | *1: a→2 | 2:", AB)
CLASSES: list[tuple[AutomatonClass, ...]] = [
    (),
    (Safety(),),
    (CoSafety(),),
    (Monotone(),),
    (ReachAvoid(),),
    (IgnoresRepeats(),),
    (SameEffect(AB),),
    (Implies(UPPER),),
    (ImpliedBy(LOWER),),
    (Implies(UPPER), Monotone(), IgnoresRepeats()),
    (ImpliedBy(LOWER), CoSafety()),
]


@pytest.mark.skipif(not library() is not None, reason="the compiled search is not built")
@pytest.mark.parametrize("classes", CLASSES, ids=lambda classes: "+".join(one.kind for one in classes))
@settings(max_examples=25)
@given(examples=example_sets, order=st.sampled_from(ORDERS))
def test_compiled_or_not_the_same_automata_come_in_the_same_order(
    classes: tuple[AutomatonClass, ...], examples: Examples, order: Order
) -> None:
    try:
        found = names(list(islice(smallest(examples, AB, classes=classes, max_states=4, order=order), 60)))
    except Contradiction:
        return
    python = smallest_in_python(examples, AB, classes=classes, max_states=4, order=order)
    assert found == names(list(islice(python, 60)))


@pytest.mark.skipif(not library() is not None, reason="the compiled search is not built")
@pytest.mark.parametrize("target", [2, 4, 6])
def test_compiled_or_not_the_same_on_many_words(target: int) -> None:
    # enough nodes for several machine words in every set
    rng = np.random.default_rng(target)
    automaton = random_dfa(rng, "abc", target)
    chosen = {tuple(rng.choice(["a", "b", "c"], size=rng.integers(9)).tolist()) for _ in range(150)}
    examples = Examples.from_mapping({word: automaton.accepts(word) for word in chosen})
    assert WordGraph.of(examples, "abc").nodes > 70
    found = list(islice(smallest(examples, "abc"), 5))
    assert names(found) == names(list(islice(smallest_in_python(examples, "abc"), 5)))
    assert all(examples.consistent(dfa) for dfa in found)


@pytest.mark.parametrize("classes", CLASSES, ids=lambda classes: "+".join(one.kind for one in classes))
@settings(max_examples=10)
@given(examples=example_sets, order=st.sampled_from(ORDERS))
def test_by_backtracking_or_by_sat_the_same_languages_come_in_the_same_order_of_size(
    classes: tuple[AutomatonClass, ...], examples: Examples, order: Order
) -> None:
    arguments = {"classes": classes, "max_states": 4, "order": order}
    try:
        found = list(islice(smallest(examples, AB, **arguments), 30))  # type: ignore[arg-type]
    except Contradiction:
        return
    other = list(islice(smallest_by_sat(examples, AB, **arguments), 30))  # type: ignore[arg-type]
    key = [(dfa.states if order == "states" else 0, dfa.size) for dfa in found]
    assert key == sorted(key)
    assert key == [(dfa.states if order == "states" else 0, dfa.size) for dfa in other]
    # only within the last size may the cut fall differently
    below = [place < key[-1] for place in key]
    assert {dfa for dfa, before in zip(found, below, strict=True) if before} == {
        dfa for dfa, before in zip(other, below, strict=True) if before
    }


class StartsInPairs(AutomatonClass):
    """A class of a user's own, which has clauses only: both letters lead to the same state at first."""

    kind = "starts-in-pairs"
    sentence = "The first letter does not matter."

    def holds(self, dfa: DFA) -> bool:
        return len(set(dfa.minimal.table[0])) == 1

    def clauses(self, unknown: Unknown) -> Iterator[list[int]]:
        first, *others = unknown.transition[0]
        for other in others:
            for one, same in zip(first, other, strict=True):
                yield [-one, same]


@given(example_sets)
def test_a_class_of_one_s_own_needs_clauses_only(small_languages: list[DFA], examples: Examples) -> None:
    own = StartsInPairs()
    found = list(smallest(examples, AB, classes=[own], max_states=3))
    expected = list(brute_force(small_languages, examples, classes=[own]))
    assert [dfa.size for dfa in found] == [dfa.size for dfa in expected]
    assert set(found) == set(expected)


# -- laziness, limits, determinism ------------------------------------------------------------------------


class Recorder(JointSolver):
    """A solver that tells which were made and which were closed."""

    made: list[int]
    closed: list[int]

    def __init__(
        self,
        counts: tuple[int, ...],
        operator: Operator,
        tree: WordTree,
        labels: Labels,
        *,
        classes: Sequence[AutomatonClass],
        stop: Stop,
    ) -> None:
        super().__init__(counts, operator, tree, labels, classes=classes, stop=stop)
        (self.states,) = counts
        self.made.append(self.states)

    def close(self) -> None:
        super().close()
        self.closed.append(self.states)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> type[Recorder]:
    monkeypatch.setattr(Recorder, "made", [], raising=False)
    monkeypatch.setattr(Recorder, "closed", [], raising=False)
    monkeypatch.setattr(decomposition, "JointSolver", Recorder)
    return Recorder


def test_results_come_lazily_and_solvers_are_freed_when_the_reader_stops(recorder: type[Recorder]) -> None:
    found = smallest_by_sat(Examples(), FOUR)  # endless
    assert recorder.made == []
    assert next(found).states == 1
    assert recorder.made == [1]
    assert len(list(islice(found, 30))) == 30
    assert max(recorder.made) < 5
    found.close()  # type: ignore[attr-defined]
    assert sorted(recorder.closed) == sorted(recorder.made)


@engines
@pytest.mark.parametrize("max_states", [1, 2, 3])
def test_max_states_is_respected_and_reached(
    engine: Engine, small_languages: list[DFA], max_states: int
) -> None:
    found = list(engine(Examples(), AB, max_states=max_states))
    assert max(dfa.states for dfa in found) == max_states
    assert set(found) == {dfa for dfa in small_languages if dfa.states <= max_states}


@engines
def test_nothing_within_max_states_is_an_empty_answer(engine: Engine) -> None:
    examples = Examples.of(accept=["aaa"], reject=["", "a", "aa"])
    assert list(engine(examples, AB, max_states=3)) == []
    assert next(engine(examples, AB, max_states=4)).states == 4


@engines
@settings(max_examples=20)
@given(examples=example_sets)
def test_by_states_the_fewest_states_come_first(
    engine: Engine, small_languages: list[DFA], examples: Examples
) -> None:
    found = list(engine(examples, AB, max_states=3, order="states"))
    expected = sorted(brute_force(small_languages, examples), key=lambda dfa: (dfa.states, dfa.size))
    assert [(dfa.states, dfa.size) for dfa in found] == [(dfa.states, dfa.size) for dfa in expected]
    assert set(found) == set(expected)


@pytest.mark.parametrize("letters", [1, 2, 5])
def test_both_orders_have_the_same_cells(letters: int) -> None:
    assert sorted(cells_by_bits(letters, 6)) == sorted(cells_by_states(letters, 6))
    assert len(set(cells_by_bits(letters, 6))) == len(list(cells_by_bits(letters, 6)))


def test_more_states_than_a_set_of_bits_holds_are_refused_with_the_number() -> None:
    examples = Examples.of(accept=[["a"] * 70], reject=[["a"] * k for k in range(70)])
    with pytest.raises(InputError, match="up to 64 states"):
        next(smallest(examples, ("a",)))


def test_too_many_prefixes_are_refused_with_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demospec.identify.exact.MOST_NODES", 3)
    with pytest.raises(ExamplesError, match="the words have 4 different prefixes"):
        next(smallest(Examples.of(accept=["aab"]), AB))


@given(example_sets)
def test_the_same_call_gives_the_same_list_twice(examples: Examples) -> None:
    once = names(list(islice(smallest(examples, AB), 30)))
    assert names(list(islice(smallest(examples, AB), 30))) == once
    assert names(list(islice(smallest(examples, AB[::-1]), 30))) == once


@given(example_sets, st.integers(1, 40), st.none() | st.integers(1, 100))
def test_how_many_are_expected_changes_nothing(examples: Examples, count: int, expected: int | None) -> None:
    found = islice(smallest(examples, AB, expected=expected), count)
    assert names(list(found)) == names(list(islice(smallest(examples, AB), count)))


def test_two_readers_at_once_do_not_disturb_each_other() -> None:
    examples = Examples.of(accept=["ab"], reject=["b"])
    alone = names(list(islice(smallest(examples, AB), 40)))
    other = smallest(Examples.of(reject=["ab"]), AB)
    beside = []
    for dfa in islice(smallest(examples, AB), 40):
        next(other)
        beside.append(str(dfa))
    assert beside == alone


@given(st.lists(example_sets, max_size=4), st.integers(0, 12))
def test_the_identifier_gives_the_first_so_many_whatever_was_asked_before(
    sets: list[Examples], count: int
) -> None:
    identifier = ExactIdentifier(AB, max_states=3)
    for examples in [*sets, *sets]:
        expected = names(list(islice(smallest(examples, AB, max_states=3), count)))
        assert names(list(identifier.candidates(examples, count))) == expected
        longer = names(list(identifier.candidates(examples, count + 3)))
        assert longer[:count] == expected


def test_without_the_library_the_answer_is_the_same() -> None:
    code = (
        "from itertools import islice; from demospec.tasks.examples import Examples; "
        "from demospec.identify.exact import smallest; "
        "x = Examples.of(accept=['abb', 'b'], reject=['', 'ab']); "
        "print(*islice(smallest(x, 'ab'), 25), sep=chr(10))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **more}, capture_output=True, check=True
        ).stdout
        for more in ({}, {"DEMOSPEC_NATIVE": "0"})
    }
    assert len(printed) == 1


def test_examples_pickled_by_another_process_are_still_found_by_their_words() -> None:
    # the identifier remembers example sets, so that their hash must not travel between processes
    code = (
        "import pickle, sys; from demospec.tasks.examples import Examples; "
        "x = Examples.of(accept=['ab'], reject=['']); hash(x); sys.stdout.buffer.write(pickle.dumps(x))"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        sent = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        arrived = pickle.loads(sent.stdout)
        assert arrived in {Examples.of(accept=["ab"], reject=[""])}


# -- refusals ---------------------------------------------------------------------------------------------


def test_a_prior_that_excludes_accepted_words_is_a_contradiction_that_names_them() -> None:
    prior = DFA.parse(">*0: r→1 | 1:", FOUR)
    examples = Examples.of(accept=["r", "yr", "y"], reject=["rr"])
    with pytest.raises(Contradiction) as refusal:
        next(smallest(examples, FOUR, prior=prior))
    assert refusal.value.words == (("r",), ("y", "r"))
    assert '"r"' in str(refusal.value)
    assert '"y r"' in str(refusal.value)
    with pytest.raises(Contradiction):
        ExactIdentifier(FOUR, prior=prior).candidates(examples, 3)


def test_the_empty_word_is_named_in_a_contradiction() -> None:
    with pytest.raises(Contradiction, match='"ε"') as refusal:
        next(smallest(Examples.of(accept=[""]), AB, prior=DFA.constant(AB, False)))
    assert refusal.value.words == ((),)


@pytest.mark.parametrize("label", [True, False])
def test_foreign_letters_are_refused(label: bool) -> None:
    with pytest.raises(ExamplesError) as refusal:
        next(smallest(Examples.from_mapping({("a", "c"): label}), AB))
    assert 'word "a c": letter "c" is not in the alphabet a, b' in str(refusal.value)


@pytest.mark.parametrize("letters", ["a", "bc", "abc"])
def test_a_prior_over_other_letters_is_refused(letters: str) -> None:
    prior = DFA.build(alphabet=letters, states=2, accepting=[0], transitions=[(0, letters[0], 1)])
    with pytest.raises(InputError):
        list(islice(smallest(Examples(), AB, prior=prior), 5))


@pytest.mark.parametrize("alphabet", [(), ("a", "a", "b")])
def test_an_alphabet_that_is_empty_or_lists_a_letter_twice_is_refused(alphabet: tuple[str, ...]) -> None:
    with pytest.raises(InputError):
        list(islice(smallest(Examples(), alphabet), 3))
