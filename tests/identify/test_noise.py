"""Labels that may be wrong: against brute force, and on targets whose labels were flipped on purpose."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.errors import Contradiction, ExamplesError, InputError
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
from demospec.identify.exact import smallest
from demospec.identify.noise import Noisy, flip_code, trade_off, with_flips
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from strategies import AB, all_words, dfas, words

FEW = settings(max_examples=12)
labels = st.dictionaries(words(max_size=4), st.booleans(), max_size=8)
Answer = tuple[float, DFA, tuple[tuple[Word, bool], ...]]


def flipped(task: DFA, examples: Examples) -> tuple[tuple[Word, bool], ...]:
    return tuple((word, label) for word, label in examples if task.accepts(word) != label)


def price(words: int, flips: int) -> float:
    """The price by its definition: so many numbers of flips, so many sets of words of that number."""
    sets = max(sum(1 for marks in product((0, 1), repeat=words) if sum(marks) == f) for f in range(flips + 1))
    return math.log2((words + 1) * sets)


def compare(found: Iterable[Noisy], expected: Sequence[tuple[float, DFA]], examples: Examples) -> None:
    """The whole order: the same costs, and at each cost the same automata with the same flips."""
    answers = list(found)
    order = sorted(expected, key=lambda pair: pair[0])
    by_task = {task: cost for cost, task in expected}
    assert [by_task[answer.task] for answer in answers] == pytest.approx([cost for cost, _ in order])
    assert len({answer.task for answer in answers}) == len(answers)
    for answer in answers:
        assert answer.flipped == flipped(answer.task, examples)
        assert answer.cost == pytest.approx(answer.task.size + flip_code(len(examples), len(answer.flipped)))


def members(languages: list[DFA], classes: Sequence[AutomatonClass]) -> list[DFA]:
    return [task for task in languages if all(one.holds(task) for one in classes)]


# -- against brute force ----------------------------------------------------------------------------------


@FEW
@given(labels, st.integers(0, 4))
def test_with_flips_gives_the_languages_of_brute_force_by_size(
    small_languages: list[DFA], labels: dict[Word, bool], flips: int
) -> None:
    examples = Examples.from_mapping(labels)
    expected = [(float(t.size), t) for t in small_languages if len(flipped(t, examples)) <= flips]
    compare(with_flips(examples, AB, flips, max_states=3), expected, examples)


@FEW
@given(labels)
def test_trade_off_gives_every_language_by_size_and_the_code_of_its_flips(
    small_languages: list[DFA], labels: dict[Word, bool]
) -> None:
    examples = Examples.from_mapping(labels)
    prices = [price(len(examples), flips) for flips in range(len(examples) + 1)]
    expected = [(t.size + prices[len(flipped(t, examples))], t) for t in small_languages]
    compare(trade_off(examples, AB, max_states=3), expected, examples)


@settings(max_examples=8)
@given(labels, st.sampled_from([0.0, 0.5, 3.0, 7.25, 1000.0]))
def test_trade_off_with_a_price_for_each_flip(
    small_languages: list[DFA], labels: dict[Word, bool], flip_bits: float
) -> None:
    examples = Examples.from_mapping(labels)
    answers = list(trade_off(examples, AB, flip_bits=flip_bits, max_states=3))
    costs = {t: t.size + flip_bits * len(flipped(t, examples)) for t in small_languages}
    assert [answer.cost for answer in answers] == sorted(costs.values())
    assert {answer.task: answer.cost for answer in answers} == costs
    assert all(answer.flipped == flipped(answer.task, examples) for answer in answers)


CLASSES: list[tuple[AutomatonClass, ...]] = [
    (Safety(),),
    (CoSafety(),),
    (Monotone(),),
    (ReachAvoid(),),
    (IgnoresRepeats(),),
    (SameEffect("ab"),),
    (Safety(), IgnoresRepeats()),
    (ImpliedBy(DFA.parse(">0: a→1 | *1: b→0")),),
    (Implies(DFA.parse(">*0: a→1 | *1: a→2 | 2:", AB)), Monotone()),
]


@pytest.mark.parametrize("classes", CLASSES, ids=lambda classes: "+".join(one.kind for one in classes))
def test_within_classes_that_exclude_the_labels_flips_repair_them(
    small_languages: list[DFA], classes: tuple[AutomatonClass, ...]
) -> None:
    rng = np.random.default_rng(5)
    every = [*all_words(AB, 3)]
    chosen = [every[k] for k in rng.choice(len(every), 9, replace=False)]
    examples = Examples.from_mapping({word: bool(rng.integers(2)) for word in chosen})
    inside = members(small_languages, classes)
    prices = [price(9, flips) for flips in range(10)]
    expected = [(t.size + prices[len(flipped(t, examples))], t) for t in inside]
    compare(trade_off(examples, AB, classes=classes, max_states=3), expected, examples)
    least = min(len(flipped(t, examples)) for t in inside)
    expected = [(float(t.size), t) for t in inside if len(flipped(t, examples)) <= least + 1]
    compare(with_flips(examples, AB, least + 1, classes=classes, max_states=3), expected, examples)


@FEW
@given(labels, dfas(max_states=3))
def test_a_prior_is_short_for_a_class(labels: dict[Word, bool], prior: DFA) -> None:
    examples = Examples.from_mapping(labels)
    found = list(islice(trade_off(examples, AB, prior=prior, max_states=3), 5))
    assert found == list(islice(trade_off(examples, AB, classes=[Implies(prior)], max_states=3), 5))
    assert all(answer.task.implies(prior) for answer in found)


@FEW
@given(labels)
def test_without_flips_this_is_identification(labels: dict[Word, bool]) -> None:
    examples = Examples.from_mapping(labels)
    found = list(islice(with_flips(examples, AB, 0), 10))
    assert [answer.task.size for answer in found] == [t.size for t in islice(smallest(examples, AB), 10)]
    assert not any(answer.flipped for answer in found)


# -- labels flipped on purpose ----------------------------------------------------------------------------


def random_target(rng: np.random.Generator, states: int) -> DFA:
    while True:
        table = tuple(tuple(map(int, row)) for row in rng.integers(states, size=(states, 2)))
        task = DFA(alphabet=AB, table=table, accepting=tuple(map(bool, rng.integers(2, size=states)))).minimal
        if task.states == states:
            return task


def noisy_sample(seed: int) -> tuple[DFA, Examples, tuple[tuple[Word, bool], ...]]:
    """A target with 4 states, 200 words of up to 10 letters, and the 10 whose labels are flipped."""
    rng = np.random.default_rng(seed)
    target = random_target(rng, 4)
    chosen: set[Word] = set()
    while len(chosen) < 200:
        chosen.add(tuple(AB[k] for k in rng.integers(2, size=rng.integers(11))))
    listed = sorted(chosen)
    wrong = {listed[k] for k in rng.choice(200, 10, replace=False)}
    examples = Examples.from_mapping({word: target.accepts(word) != (word in wrong) for word in listed})
    return target, examples, tuple((word, label) for word, label in examples if word in wrong)


@pytest.mark.parametrize("seed", range(8))
def test_five_percent_of_flipped_labels_are_found_and_named(seed: int) -> None:
    target, examples, wrong = noisy_sample(seed)
    first = next(with_flips(examples, AB, 10))
    assert first.task == target
    assert first.flipped == wrong


@pytest.mark.parametrize("seed", range(3))  # and 3: see below
def test_the_trade_off_finds_how_many_labels_are_flipped(seed: int) -> None:
    target, examples, wrong = noisy_sample(seed)
    first = next(trade_off(examples, AB))
    assert first.task == target
    assert first.flipped == wrong
    assert first.cost == pytest.approx(target.size + math.log2(201 * math.comb(200, 10)))


def least_cost_up_to_four_states(examples: Examples, most: float) -> float:
    """The least cost, by trying each of the 4⁸ tables of four states with each of its 16 markings."""
    tables = np.indices((4,) * 8, dtype=np.int8).reshape(8, -1)  # row 2q + a: the target of q under a
    every = np.arange(tables.shape[1])
    ending = np.zeros((4, 2, tables.shape[1]), dtype=np.int16)  # by state and label: words that end there
    for word, label in examples:
        state = np.zeros(tables.shape[1], dtype=np.int8)
        for letter in word:
            state = tables[2 * state + AB.index(letter), every]
        ending[state, int(label), every] += 1
    prices = np.array([flip_code(len(examples), f) for f in range(len(examples) + 1)])
    best = math.inf
    for marks in product((False, True), repeat=4):
        cost = prices[sum(ending[q, int(not mark)] for q, mark in enumerate(marks))]
        for k in every[cost + DFA.constant(AB, True).size < most]:
            table = tuple(zip(tables[0::2, k].tolist(), tables[1::2, k].tolist(), strict=True))
            best = min(best, DFA(alphabet=AB, table=table, accepting=marks).size + float(cost[k]))
    return best


def test_no_automaton_of_up_to_four_states_is_cheaper() -> None:
    _, examples, _ = noisy_sample(1)
    first = next(trade_off(examples, AB))
    assert least_cost_up_to_four_states(examples, first.cost + 1e-6) == pytest.approx(first.cost)


def test_a_target_that_accepts_few_of_the_words_is_noise_itself() -> None:
    # only 18 of the 200 words are labelled accepted: to flip these costs less than the target's 38 bits
    target, examples, wrong = noisy_sample(3)
    first = next(trade_off(examples, AB))
    assert sum(label for _, label in examples) == 18
    assert first.task == DFA.constant(AB, False)
    assert first.cost < target.size + flip_code(200, len(wrong))


# -- the code, the order, refusals ------------------------------------------------------------------------


@pytest.mark.parametrize("words", range(9))
def test_the_prices_of_all_sets_of_flips_are_those_of_a_code(words: int) -> None:
    # Kraft: code words of these lengths exist when the powers of ½ sum to 1 at most
    total = sum(math.comb(words, f) * 2.0 ** -flip_code(words, f) for f in range(words + 1))
    assert total <= 1 + 1e-9
    prices = [flip_code(words, f) for f in range(words + 1)]
    assert prices == sorted(prices)
    assert prices == pytest.approx([price(words, f) for f in range(words + 1)])


def test_two_calls_give_the_same_order() -> None:
    examples = Examples.of(["a", "ab", "ba"], ["b", "aa", "bab"])
    assert [*islice(trade_off(examples, AB), 30)] == [*islice(trade_off(examples, AB), 30)]
    assert [*islice(with_flips(examples, AB, 2), 30)] == [*islice(with_flips(examples, AB, 2), 30)]


def test_without_examples_nothing_is_flipped() -> None:
    first = list(islice(trade_off(Examples(), AB), 4))
    assert {answer.task for answer in first[:2]} == {DFA.constant(AB, True), DFA.constant(AB, False)}
    assert [answer.cost for answer in first] == [answer.task.size for answer in first]


def test_an_alphabet_in_any_order() -> None:
    examples = Examples.of(["a"], ["b", "ab"])
    assert next(trade_off(examples, "ba")).task == next(trade_off(examples, "ab")).task


@pytest.mark.parametrize("flips", [0, 1, 2])
def test_labels_that_a_class_excludes_even_with_the_flips_are_refused(flips: int) -> None:
    # a, b and c accepted, each with a rejected extension that another pair does not share
    examples = Examples.of(["a", "b", "c"], ["ax", "bx", "cx"])
    with pytest.raises(Contradiction, match=rf"co-safety has these labels, not even with {flips} flipped"):
        next(with_flips(examples, "abcx", flips, classes=[CoSafety()]))
    first = next(with_flips(examples, "abcx", 3, classes=[CoSafety()]))
    assert len(first.flipped) == 3


def test_a_prior_that_excludes_a_label_costs_a_flip() -> None:
    prior = DFA.parse(">*0: b→1 | 1:", AB)
    examples = Examples.of(["b", "a"], ["bb"])
    with pytest.raises(Contradiction) as refused:
        next(with_flips(examples, AB, 0, prior=prior))
    assert refused.value.words == (("b",),)
    assert next(with_flips(examples, AB, 1, prior=prior)).flipped == ((("b",), True),)


def test_bad_input_is_refused() -> None:
    examples = Examples.of(["a"], ["ac"])
    with pytest.raises(ExamplesError, match=r'letter "c" is not in the alphabet a, b'):
        next(with_flips(examples, AB, 1))
    with pytest.raises(ExamplesError, match=r'letter "c" is not in the alphabet a, b'):
        next(trade_off(examples, AB))
    with pytest.raises(ExamplesError, match="the prior reads a, but the letters are a, b"):
        next(trade_off(Examples(), AB, prior=DFA.constant("a", True)))
    with pytest.raises(InputError, match="from 0 on, found -1"):
        next(with_flips(Examples(), AB, -1))
    for wrong in (-0.5, math.nan, math.inf):
        with pytest.raises(InputError, match="price of a flip"):
            next(trade_off(Examples(), AB, flip_bits=wrong))
