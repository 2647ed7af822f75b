"""State merging: the theorem of RPNI, a slow version of the same, and accuracy on words never seen."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.errors import Contradiction, ExamplesError, InputError
from demospec.identify.base import Identifier
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
from demospec.identify.merging import MergingIdentifier, Score, merge_states
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.tasks.tables import explore
from strategies import AB, dfas, words

SCORES: tuple[Score, ...] = get_args(Score)
example_sets = st.dictionaries(words(max_size=6), st.booleans(), max_size=14).map(Examples.from_mapping)


def random_target(rng: np.random.Generator, states: int, alphabet: tuple[str, ...] = AB) -> DFA:
    """A minimal automaton: each state is first entered from a random earlier one, the rest is random."""
    letters = len(alphabet)
    while True:
        table = rng.integers(states, size=(states, letters))
        unused = [(0, a) for a in range(letters)]
        for state in range(1, states):
            table[unused.pop(rng.integers(len(unused)))] = state
            unused += [(state, a) for a in range(letters)]
        marks = tuple(map(bool, rng.integers(2, size=states)))
        rows = tuple(tuple(row) for row in table.tolist())
        task = DFA(alphabet=alphabet, table=rows, accepting=marks).minimal
        if task.states == states:
            return task


def random_words(
    rng: np.random.Generator, count: int, longest: int, alphabet: tuple[str, ...] = AB
) -> list[Word]:
    """So many different words, all lengths alike."""
    chosen: set[Word] = set()
    while len(chosen) < count:
        letters = rng.integers(len(alphabet), size=rng.integers(longest + 1))
        chosen.add(tuple(alphabet[k] for k in letters))
    return sorted(chosen)


def labelled(target: DFA, chosen: Iterable[Word]) -> Examples:
    return Examples.from_mapping({word: target.accepts(word) for word in chosen})


# -- the theorem ------------------------------------------------------------------------------------------


def characteristic(target: DFA) -> set[Word]:
    """Words whose labels are enough for merging in order to find a minimal target.

    The shortest word to each state, in alphabetical order, and these with a letter more, must all be there;
    and for each of the former with each of the latter that leads elsewhere, an ending that tells them apart.
    """
    access: dict[int, Word] = {0: ()}
    for state in range(target.states):  # numbered breadth first
        for letter, following in zip(target.alphabet, target.table[state], strict=True):
            access.setdefault(following, (*access[state], letter))
    kernel = {(), *((*word, letter) for word in access.values() for letter in target.alphabet)}
    sample = set(kernel)
    for state, word in access.items():
        for other in kernel:
            end = target.run(other)
            if end != state:
                here = DFA(
                    alphabet=target.alphabet, table=target.table, accepting=target.accepting, start=state
                )
                there = DFA(
                    alphabet=target.alphabet, table=target.table, accepting=target.accepting, start=end
                )
                ending = here.separating_word(there)
                assert ending is not None
                sample |= {(*word, *ending), (*other, *ending)}
    return sample


@pytest.mark.parametrize("alphabet", [("a",), AB, ("a", "b", "c", "d")], ids="".join)
@pytest.mark.parametrize("states", [1, 2, 3, 5, 8, 13])
def test_on_a_characteristic_sample_merging_in_order_finds_the_target(
    alphabet: tuple[str, ...], states: int
) -> None:
    for seed in range(4):
        rng = np.random.default_rng([seed, states, len(alphabet)])
        target = random_target(rng, states, alphabet)
        enough = characteristic(target)
        assert merge_states(labelled(target, enough), alphabet, score="order") == target
        more = enough | set(random_words(rng, 10, 12, alphabet))  # further words do no harm
        assert merge_states(labelled(target, more), alphabet, score="order") == target


def test_without_a_word_that_tells_two_states_apart_the_target_is_not_found() -> None:
    target = DFA.parse(">0: a→1 | 1: a→2 | *2: a→0", "a")
    enough = labelled(target, characteristic(target))
    few = Examples.from_mapping({word: label for word, label in enough if not label})
    assert merge_states(enough, "a", score="order") == target
    assert merge_states(few, "a", score="order") == DFA.constant("a", False)


# -- a slow version of the same -----------------------------------------------------------------------------


class Slow:
    """Merging as the closure of a partition of the prefix tree, computed anew for each pair."""

    def __init__(self, examples: Examples) -> None:
        self.nodes = sorted(
            {word[:k] for word, _ in examples for k in range(len(word) + 1)} | {()}, key=shortlex
        )
        self.labels = examples.mapping
        self.block = {node: node for node in self.nodes}  # each block is named by its first node
        self.red: list[Word] = [()]

    def merged(self, p: Word, q: Word) -> dict[Word, Word] | None:
        """The finest partition without choices in which p and q share a block; None when labels differ."""
        block = dict(self.block)
        todo = [(p, q)]
        while todo:
            low, high = sorted((block[name] for name in todo.pop()), key=shortlex)
            if low == high:
                continue
            block = {node: low if name == high else name for node, name in block.items()}
            reached: dict[tuple[Word, str], Word] = {}
            for node in self.nodes:
                if node:
                    first = reached.setdefault((block[node[:-1]], node[-1]), node)
                    if block[first] != block[node]:
                        todo.append((first, node))
        marks: dict[Word, set[bool]] = {}
        for word, label in self.labels.items():
            marks.setdefault(block[word], set()).add(label)
        return None if any(len(both) > 1 for both in marks.values()) else block

    def blue(self) -> list[tuple[Word, Word]]:
        """Blocks that are entered from a red one: the shortest word to each, and a node of it."""
        red = {self.block[word]: word for word in self.red}
        found: dict[Word, tuple[Word, Word]] = {}
        for node in self.nodes:
            if node and self.block[node] not in red and self.block[node[:-1]] in red:
                access = (*red[self.block[node[:-1]]], node[-1])
                found.setdefault(self.block[node], (access, node))
        return sorted(found.values(), key=lambda pair: shortlex(pair[0]))

    def score(self, p: Word, q: Word) -> int | None:
        """How many blocks with a label fewer there are."""
        after = self.merged(p, q)
        if after is None:
            return None
        return len({self.block[w] for w in self.labels}) - len({after[w] for w in self.labels})

    def run(self, score: Score) -> DFA:
        access: dict[Word, Word] = {(): ()}  # of each red node
        while pairs := self.blue():
            reds = sorted(self.red, key=lambda red: shortlex(access[red]))
            best: tuple[int, Word, Word] | None = None
            hopeless: tuple[Word, Word] | None = None
            for word, node in pairs if score == "evidence" else pairs[:1]:
                scores = [(self.score(red, node), red) for red in reds]
                possible = [(agreed, red) for agreed, red in scores if agreed is not None]
                if not possible:
                    hopeless = word, node
                    break
                agreed, red = max(possible, key=lambda pair: pair[0]) if score == "evidence" else possible[0]
                if best is None or agreed > best[0]:
                    best = agreed, red, node
            if hopeless is not None:
                self.red.append(hopeless[1])
                access[hopeless[1]] = hopeless[0]
            else:
                assert best is not None
                after = self.merged(best[1], best[2])
                assert after is not None
                self.block = after
        return self.automaton()

    def automaton(self) -> DFA:
        accepted = {self.block[word] for word, label in self.labels.items() if label}
        moves = {(self.block[node[:-1]], node[-1]): self.block[node] for node in self.nodes if node}
        start: Word = ()
        nodes, table = explore(start, 2, lambda block, k: moves.get((block, AB[k]), block))
        return DFA(alphabet=AB, table=table, accepting=tuple(block in accepted for block in nodes))


def shortlex(word: Word) -> tuple[int, Word]:
    return len(word), word


@pytest.mark.parametrize("score", SCORES)
@given(examples=example_sets)
def test_the_same_automaton_as_the_slow_version(score: Score, examples: Examples) -> None:
    assert merge_states(examples, AB, score=score) == Slow(examples).run(score)


# -- what it promises -------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", SCORES)
@given(examples=example_sets)
def test_the_answer_agrees_with_every_example_and_has_no_fewer_states_than_the_smallest(
    score: Score, examples: Examples
) -> None:
    found = merge_states(examples, AB, score=score)
    assert examples.consistent(found)
    assert found.states >= next(smallest(examples, AB, order="states")).states


@pytest.mark.parametrize("score", SCORES)
def test_with_words_enough_the_number_of_states_is_mostly_the_least(score: Score) -> None:
    excess = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        examples = labelled(random_target(rng, 5), random_words(rng, 60, 8))
        least = next(smallest(examples, AB, order="states")).states
        excess.append(merge_states(examples, AB, score=score).states - least)
    assert min(excess) == 0
    assert sum(extra == 0 for extra in excess) >= 15


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(("states", "count", "longest"), [(20, 1000, 13), (40, 2500, 14), (60, 5000, 20)])
def test_words_never_seen_are_labelled_right(score: Score, states: int, count: int, longest: int) -> None:
    rng = np.random.default_rng(states)
    target = random_target(rng, states)
    found = merge_states(labelled(target, random_words(rng, count, longest)), AB, score=score)
    fresh = random_words(rng, 1000, longest)
    assert np.mean([found.accepts(word) == target.accepts(word) for word in fresh]) >= 0.99


def test_with_fewer_words_evidence_is_better_than_order() -> None:
    right = dict.fromkeys(SCORES, 0.0)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        target = random_target(rng, 60)
        examples, fresh = labelled(target, random_words(rng, 1200, 15)), random_words(rng, 400, 15)
        for score in SCORES:
            found = merge_states(examples, AB, score=score)
            right[score] += (
                float(np.mean([found.accepts(word) == target.accepts(word) for word in fresh])) / 5
            )
    assert right["evidence"] > right["order"]


def test_what_no_example_tells() -> None:
    # a is read in the start state only, b nowhere, and no word ends in the start state
    assert merge_states(Examples.of(["a"], ["aa"]), AB) == DFA.parse(">0: a→1 | *1: a→0", AB)
    assert merge_states(Examples(), AB) == DFA.constant(AB, False)
    assert merge_states(Examples.of(["ab"]), AB) == DFA.constant(AB, True)


def test_words_of_many_letters_do_not_exhaust_the_stack() -> None:
    long = ("a",) * 20_000
    for score in SCORES:
        found = merge_states(Examples.of([long], [long[1:], ()]), AB, score=score)
        assert found.accepts(long)
        assert not found.accepts(long[1:])


def test_bad_input_is_refused() -> None:
    with pytest.raises(ExamplesError, match=r'letter "c" is not in the alphabet a, b'):
        merge_states(Examples.of(["c"]), AB)
    with pytest.raises(InputError, match=r'score "evidense" is not known; known: evidence, order'):
        merge_states(Examples(), AB, score="evidense")  # type: ignore[arg-type]
    with pytest.raises(ExamplesError, match="the prior reads a, but the letters are a, b"):
        MergingIdentifier(AB, prior=DFA.constant("a", True))
    with pytest.raises(Contradiction):
        MergingIdentifier(AB, classes=[Safety()]).candidates(Examples.of(["ab"], ["a"]), 1)


# -- behind the protocol ----------------------------------------------------------------------------------


@given(example_sets, st.integers(1, 6))
def test_candidates_are_consistent_different_and_by_size(examples: Examples, count: int) -> None:
    identifier: Identifier = MergingIdentifier(AB)
    found = identifier.candidates(examples, count)
    assert 1 <= len(found) <= count
    assert len(set(found)) == len(found)
    assert [task.size for task in found] == sorted(task.size for task in found)
    assert all(examples.consistent(task) for task in found)
    assert list(found) == list(MergingIdentifier("ba").candidates(examples, count))
    alone = min(merge_states(examples, AB, score=score).size for score in SCORES)
    assert found[0].size <= alone


def test_more_candidates_come_from_shaken_scores() -> None:
    rng = np.random.default_rng(9)
    counts = []
    for _ in range(10):
        examples = labelled(random_target(rng, 6), random_words(rng, 40, 8))
        counts.append(len(MergingIdentifier(AB).candidates(examples, 8)))
    assert max(counts) == 8
    assert not MergingIdentifier.exact


LOWER = DFA.parse(">0: a→1 | 1: a→2 | *2: a→0, b→2", AB)
UPPER = DFA.parse(">*0: b→1 | *1: b→2 | 2:", AB)
MOVED: list[AutomatonClass] = [
    Safety(),
    CoSafety(),
    IgnoresRepeats(),
    SameEffect("ab"),
    Implies(UPPER),
    ImpliedBy(LOWER),
]


@pytest.mark.parametrize("one", MOVED, ids=lambda one: one.kind)
@settings(max_examples=30)
@given(labels=st.dictionaries(words(max_size=5), st.booleans(), max_size=10))
def test_for_these_classes_there_are_always_members(one: AutomatonClass, labels: dict[Word, bool]) -> None:
    examples = Examples.from_mapping(labels)
    while excluded := one.conflicts(examples):
        examples = Examples.from_mapping({w: label for w, label in examples if w != excluded[-1]})
    found = MergingIdentifier(AB, classes=[one]).candidates(examples, 3)
    assert found
    assert all(one.holds(task) and examples.consistent(task) for task in found)


def test_for_two_classes_at_once_members_are_found_where_there_are_any() -> None:
    # not a theorem: so it is with these examples
    examples = Examples.of(["aab", "aaab"], ["b", "bb"])
    for classes in [*combinations(MOVED, 2), *product([Monotone(), ReachAvoid()], MOVED)]:
        try:
            exact = next(smallest(examples, AB, classes=classes, max_states=6), None)
        except Contradiction:
            continue
        found = MergingIdentifier(AB, classes=classes).candidates(examples, 4)
        assert bool(found) == (exact is not None)
        for task in found:
            assert examples.consistent(task)
            assert all(one.holds(task) for one in classes)


@given(example_sets, dfas())
def test_a_prior_is_heeded(examples: Examples, prior: DFA) -> None:
    allowed = Examples.from_mapping({word: label and prior.accepts(word) for word, label in examples})
    found = MergingIdentifier(AB, prior=prior).candidates(allowed, 3)
    assert found
    assert all(task.implies(prior) and allowed.consistent(task) for task in found)


def test_letters_with_the_same_effect_in_a_chain() -> None:
    letters = ("a", "b", "c")
    examples = Examples.of(["c", "cba"], ["ab", "bc"])
    found = MergingIdentifier(letters, classes=[SameEffect("ab"), SameEffect("bc")]).candidates(examples, 1)
    assert found[0] == DFA.parse(">0: a→1, b→1, c→1 | *1: a→0, b→0, c→0")
