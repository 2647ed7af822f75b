"""Decompositions against brute force over all tuples of small automata, and in the search."""

from __future__ import annotations

import itertools
import operator as logic
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demospec
from demospec.errors import Contradiction, ExamplesError, InputError
from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
)
from demospec.identify.counting import cell_size, cells_by_states, joint_cells
from demospec.identify.decomposition import (
    DecomposingIdentifier,
    JointSolver,
    smallest_decompositions,
)
from demospec.identify.encoding import Clause, Unknown
from demospec.identify.exact import smallest
from demospec.identify.word_graph import WordTree
from demospec.runs.result import Result, Row
from demospec.search.diss import Search
from demospec.tasks import DFA, Composite, Operator
from demospec.tasks.examples import Examples
from demospec.testing.identifiers import all_languages
from strategies import AB, all_words, dfas, words

OPERATORS: tuple[Operator, ...] = ("and", "or")
FOUR = ("b", "g", "r", "y")
LAVA = DFA.parse(">*0: r→1 | 1:", FOUR)
RECHARGE = DFA.parse(">0: b→1, y→2 | 1: g→0 | *2:", FOUR)
WASHED = DFA.parse(">0: b→1, y→3 | 1: g→2, y→3 | *2: | 3:", FOUR)
LOWER = DFA.parse(">0: a→1 | 1: b→2 | *2:", AB)
CLASSES: list[tuple[AutomatonClass, ...]] = [
    (Safety(),),
    (CoSafety(),),
    (IgnoresRepeats(),),
    (Monotone(),),
    (ReachAvoid(),),
    (SameEffect("ab"),),
    (ImpliedBy(LOWER),),
    (CoSafety(), IgnoresRepeats()),
]

example_sets = st.dictionaries(words(max_size=5), st.booleans(), max_size=6).map(Examples.from_mapping)
operators = st.sampled_from(OPERATORS)


def whole(operator: Operator, parts: Sequence[DFA]) -> DFA:
    return reduce(logic.and_ if operator == "and" else logic.or_, parts).minimal


def own_size(parts: Sequence[DFA]) -> int:
    return sum(part.size for part in parts) + len(parts) - 1


# -- against brute force -------------------------------------------------------------------------------------


@cache
def all_tuples(operator: Operator, most_parts: int) -> list[tuple[int, tuple[DFA, ...], DFA]]:
    """Every choice of up to so many languages of up to 2 states over a and b: bits, parts, whole; by bits."""
    languages = all_languages(AB, 2)
    tuples = [
        (own_size(parts), parts, whole(operator, parts))
        for count in range(1, most_parts + 1)
        for parts in itertools.combinations(languages, count)
    ]
    return sorted(tuples, key=lambda entry: entry[0])


def expected_sizes(
    tuples: Sequence[tuple[int, tuple[DFA, ...], DFA]],
    examples: Examples,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
) -> dict[DFA, int]:
    """Return the bits of the smallest form of each language, smallest first."""
    found: dict[DFA, int] = {}
    members = {part: all(one.holds(part) for one in classes) for _, parts, _ in tuples for part in parts}
    for bits, parts, language in tuples:
        if language not in found and examples.consistent(language) and all(members[part] for part in parts):
            found[language] = bits
    return {language: bits for language, bits in found.items() if prior is None or language.implies(prior)}


def compare(found: Sequence[DFA], expected: dict[DFA, int], operator: Operator) -> None:
    assert [task.size for task in found] == list(expected.values())  # in order
    assert {task.minimal: task.size for task in found} == expected
    assert len(found) == len(expected)
    for task in found:
        if isinstance(task, Composite):
            assert task.operator == operator
            assert whole(operator, task.parts) == task
            again = Composite.of(operator, task.parts)  # no part can be left out
            assert (repr(again), again.size) == (repr(task), task.size)
            rebuilt = DFA(alphabet=task.alphabet, table=task.table, accepting=task.accepting).minimal
            assert (rebuilt.table, rebuilt.accepting) == (task.table, task.accepting)
        else:
            assert task is task.minimal


@given(operators, example_sets)
def test_the_same_languages_by_own_size_as_brute_force(operator: Operator, examples: Examples) -> None:
    found = smallest_decompositions(examples, AB, operator=operator, max_states=2)
    compare(list(found), expected_sizes(all_tuples(operator, 2), examples), operator)


@pytest.mark.parametrize("most_parts", [1, 3])
@settings(max_examples=15)
@given(operators, example_sets)
def test_with_other_numbers_of_parts_too(most_parts: int, operator: Operator, examples: Examples) -> None:
    found = smallest_decompositions(examples, AB, operator=operator, most_parts=most_parts, max_states=2)
    compare(list(found), expected_sizes(all_tuples(operator, most_parts), examples), operator)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("most_parts", [2, 3])
def test_without_examples_every_language_comes_once(operator: Operator, most_parts: int) -> None:
    found = smallest_decompositions(Examples(), AB, operator=operator, most_parts=most_parts, max_states=2)
    expected = expected_sizes(all_tuples(operator, most_parts), Examples())
    compare(list(found), expected, operator)
    assert len(expected) > len(all_languages(AB, 2))


@pytest.mark.parametrize("classes", CLASSES, ids=lambda classes: "+".join(one.name for one in classes))
@settings(max_examples=25)
@given(operators, example_sets)
def test_every_part_is_in_the_classes(
    classes: tuple[AutomatonClass, ...], operator: Operator, examples: Examples
) -> None:
    expected = expected_sizes(all_tuples(operator, 2), examples, classes=classes)
    try:
        found = list(smallest_decompositions(examples, AB, operator=operator, classes=classes, max_states=2))
    except Contradiction:
        assert not expected
    else:
        compare(found, expected, operator)


@given(operators, example_sets, dfas(max_states=3), st.booleans())
def test_the_whole_implies_the_prior(
    operator: Operator, examples: Examples, prior: DFA, ignores_repeats: bool
) -> None:
    classes = [IgnoresRepeats()] if ignores_repeats else []
    allowed = Examples.from_mapping({word: label and prior.accepts(word) for word, label in examples})
    expected = expected_sizes(all_tuples(operator, 2), allowed, prior, classes)
    try:
        found = list(
            smallest_decompositions(
                allowed, AB, operator=operator, prior=prior, classes=classes, max_states=2
            )
        )
    except Contradiction:
        assert not expected
    else:
        compare(found, expected, operator)


def test_a_conjunction_implies_the_prior_where_no_part_does() -> None:
    prior = Composite.of("and", [LAVA, RECHARGE])
    (first,) = islice(smallest_decompositions(Examples.of(["y"]), FOUR, operator="and", prior=prior), 1)
    assert isinstance(first, Composite)
    assert first.implies(prior)
    assert not any(part.implies(prior) for part in first.parts)


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_solver_gives_needed_parts_in_one_order_and_fewer_pairs_than_there_are(
    operator: Operator,
) -> None:
    tree = WordTree(AB)
    joint = JointSolver((2, 2), operator, tree, tree.labels(Examples()))
    found = []
    while isinstance(result := joint.find(((2, 8),)), DFA):
        found.append(result)
    joint.close()
    needed = {
        frozenset(parts): language
        for _, parts, language in all_tuples(operator, 2)
        if isinstance(Composite.of(operator, parts), Composite)
    }
    pairs = [frozenset(result.parts) for result in found]
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) <= needed.keys()
    assert set(found) == set(needed.values())
    assert len(pairs) < 0.9 * len(needed)


def pairs_of(
    languages: Sequence[DFA], examples: Examples, operator: Operator
) -> Iterator[tuple[int, tuple[DFA, ...], DFA]]:
    """Every consistent pair of languages, and every language: chosen by their answers, as bits."""
    answers = np.array(
        [sum(dfa.accepts(word) << k for k, (word, _) in enumerate(examples)) for dfa in languages]
    )
    labels = sum(label << k for k, (_, label) in enumerate(examples))
    join = np.bitwise_and if operator == "and" else np.bitwise_or
    for i in np.flatnonzero(answers == labels).tolist():
        yield languages[i].size, (languages[i],), languages[i]
    for i, j in np.argwhere(join(answers[:, None], answers[None, :]) == labels).tolist():
        if i < j:
            parts = languages[i], languages[j]
            yield own_size(parts), parts, whole(operator, parts)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("seed", range(3))
def test_with_parts_of_three_states_too(small_languages: list[DFA], operator: Operator, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = whole(operator, [small_languages[k] for k in rng.integers(26, len(small_languages), size=2)])
    examples = Examples.from_mapping({word: truth.accepts(word) for word in all_words(AB, 4)})
    pairs = sorted(pairs_of(small_languages, examples, operator), key=lambda entry: entry[0])
    found = list(smallest_decompositions(examples, AB, operator=operator, max_states=3))
    compare(found, expected_sizes(pairs, examples), operator)
    assert any(isinstance(task, Composite) for task in found)


# -- cells ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("letters", "max_states"), [(1, 4), (2, 5), (4, 3), (3, 1)])
def test_with_one_part_the_cells_are_those_of_automata(letters: int, max_states: int) -> None:
    ours = list(joint_cells(letters, 1, max_states))
    assert {(n, c, m) for (n,), ((c, m),) in ours} == set(cells_by_states(letters, max_states))
    assert len(ours) == len(set(ours))


@pytest.mark.parametrize(("letters", "max_states"), [(1, 5), (2, 4)])
def test_cells_hold_every_sum_once_by_size(letters: int, max_states: int) -> None:
    single = [cell for cell in cells_by_states(letters, max_states) if cell[0] > 1]
    sizes: dict[object, int] = {((n,), ((c, m),)): cell_size(((n,), ((c, m),)), letters) for n, c, m in
                                cells_by_states(letters, max_states)}  # fmt: skip
    for (n, c, m), (n2, c2, m2) in itertools.product(single, repeat=2):
        if n >= n2:
            together = (n - 1).bit_length() == (n2 - 1).bit_length()
            bounds = ((c + c2, m + m2),) if together else ((c, m), (c2, m2))
            parts = [cell_size(((k,), ((e, f),)), letters) for k, e, f in ((n, c, m), (n2, c2, m2))]
            sizes[(n, n2), bounds] = sum(parts) + 1
    found = list(joint_cells(letters, 2, max_states))
    assert len(found) == len(set(found))
    assert {cell: cell_size(cell, letters) for cell in found} == sizes
    assert [cell_size(cell, letters) for cell in found] == sorted(sizes.values())


def test_one_part_gives_the_smallest_automata() -> None:
    examples = Examples.of(["y", "bgy"], ["", "by", "ry"])
    ours = list(islice(smallest_decompositions(examples, FOUR, operator="or", most_parts=1), 200))
    theirs = list(islice(smallest(examples, FOUR), 400))
    assert [task.size for task in ours] == [task.size for task in theirs[:200]]
    assert set(ours) <= set(theirs)
    assert all(type(task) is DFA for task in ours)


# -- what was shown is found ---------------------------------------------------------------------------------


def telling_words(task: DFA, extra: int, seed: int) -> Examples:
    """Words that take each transition and then what tells states apart, and some others."""
    dfa = task.minimal
    access = {0: ()} | {
        state: next(word for word in all_words(dfa.alphabet, 4) if dfa.run(word) == state)
        for state in range(1, dfa.states)
    }
    from_state = [
        DFA(alphabet=dfa.alphabet, table=dfa.table, accepting=dfa.accepting, start=q)
        for q in range(dfa.states)
    ]
    telling = {(), *(p.separating_word(q) for p, q in itertools.combinations(from_state, 2))}
    middles = [(), *((letter,) for letter in dfa.alphabet)]
    chosen = {(*u, *a, *v) for u in access.values() for a in middles for v in telling if v is not None}
    rng = np.random.default_rng(seed)
    for _ in range(extra):
        chosen.add(tuple(rng.choice(dfa.alphabet, size=rng.integers(1, 8)).tolist()))
    return Examples.from_mapping({word: dfa.accepts(word) for word in chosen})


@pytest.mark.parametrize(
    ("second", "own", "single"), [(RECHARGE, 49, 51), (WASHED, 55, 57)], ids=["recharge", "washed"]
)
def test_the_two_parts_of_a_task_are_found_and_are_smaller_than_one_automaton(
    second: DFA, own: int, single: int
) -> None:
    examples = telling_words(LAVA & second, extra=15, seed=5)
    assert 40 <= len(examples) <= 60
    first, following = islice(smallest_decompositions(examples, FOUR, operator="and", most_parts=2), 2)
    automaton = next(smallest(examples, FOUR))
    assert isinstance(first, Composite)
    assert first.parts == (LAVA, second)
    assert first == LAVA & second == automaton
    assert (first.size, automaton.size) == (own, single)
    assert following.size > own
    # the other operator finds the complement, in complements
    opposite = Examples.from_mapping({word: not label for word, label in examples})
    dual = next(smallest_decompositions(opposite, FOUR, operator="or"))
    assert repr(dual) == repr(~first)


def test_three_parts_can_be_smaller_than_two() -> None:
    parts = [
        DFA.parse(f">*0: {letter}→1 | 1: {letter}→0", "abc") for letter in "abc"
    ]  # an even number of each
    examples = Examples.from_mapping(
        {word: all(part.accepts(word) for part in parts) for word in all_words("abc", 4)}
    )
    two = next(smallest_decompositions(examples, "abc", operator="and", most_parts=2))
    three = next(smallest_decompositions(examples, "abc", operator="and", most_parts=3))
    assert isinstance(three, Composite)
    assert list(three.parts) == parts
    assert three.size == 3 * parts[0].size + 2 < two.size


# -- the same question has the same answer -------------------------------------------------------------------


@pytest.mark.parametrize("operator", OPERATORS)
def test_answers_depend_on_nothing_but_the_question(operator: Operator) -> None:
    examples = Examples.of(["y", "bgy"], ["by"])
    used, new = (DecomposingIdentifier(FOUR, operator=operator, most_parts=3) for _ in range(2))
    for k, word in enumerate(all_words(FOUR, 2)):
        used.candidates(Examples.of([word] if k % 2 else [], [] if k % 2 else [word]), 5)
    again = [repr(task) for task in used.candidates(examples, 30)]
    assert again == [repr(task) for task in new.candidates(examples, 30)]
    found = smallest_decompositions(examples, FOUR, operator=operator, most_parts=3, max_states=10)
    assert again == [repr(task) for task in islice(found, 30)]
    assert used.candidates(examples, 30) is used.candidates(examples, 30)


def test_the_identifier_gives_as_many_as_there_are() -> None:
    identifier = DecomposingIdentifier(AB, max_states=2, classes=[Safety()])
    expected = expected_sizes(all_tuples("and", 2), Examples(), classes=[Safety()])
    assert len(identifier.candidates(Examples(), 1000)) == len(expected)
    assert len(identifier.candidates(Examples(), 3)) == 3
    assert identifier.candidates(Examples.of(["a"], ["b", "ab", "aab", "ba", "baa", "aa"]), 3) == ()


# -- refusals ------------------------------------------------------------------------------------------------


def test_what_is_no_way_to_join_parts_is_refused() -> None:
    with pytest.raises(InputError, match='"and" or "or"; found "nand"'):
        next(smallest_decompositions(Examples(), AB, operator="nand"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="most_parts must be at least 1; found 0"):
        DecomposingIdentifier(AB, most_parts=0)
    with pytest.raises(InputError, match="max_states must be at least 1; found 0"):
        DecomposingIdentifier(AB, max_states=0)


@pytest.mark.parametrize("operator", OPERATORS)
def test_labels_that_no_task_has_are_refused(operator: Operator) -> None:
    with pytest.raises(Contradiction, match="implies the prior") as refusal:
        next(smallest_decompositions(Examples.of(["r"]), FOUR, operator=operator, prior=LAVA))
    assert refusal.value.words == (("r",),)
    with pytest.raises(Contradiction, match="class safety"):
        next(smallest_decompositions(Examples.of(["ab"], ["a"]), AB, operator=operator, classes=[Safety()]))
    with pytest.raises(ExamplesError, match='letter "x" is not in the alphabet'):
        DecomposingIdentifier(FOUR, operator=operator).candidates(Examples.of(["x"]), 1)
    with pytest.raises(ExamplesError, match="the prior reads a, b"):
        next(smallest_decompositions(Examples(), FOUR, operator=operator, prior=LOWER))


@dataclass(frozen=True)
class OneChange(AutomatonClass):
    """At most one transition leaves its state: conjunctions of members are seldom members."""

    kind = "one-change"
    sentence = "At most one transition leaves its state."

    def holds(self, dfa: DFA) -> bool:
        return len(list(dfa.minimal.changes())) <= 1

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        stays = [targets[i] for i, row in enumerate(unknown.transition) for targets in row]
        yield from map(list, itertools.combinations(stays, 2))

    def conflicts(self, examples: Examples) -> tuple[tuple[str, ...], ...]:
        members = [dfa for dfa in all_languages(("a", "b"), 2) if self.holds(dfa)]
        fits = any(examples.consistent(dfa) for dfa in members)
        return () if fits else tuple(word for word, _ in examples)


def test_what_a_class_excludes_of_automata_need_not_be_excluded_of_conjunctions() -> None:
    examples = Examples.of([()], ["a", "b"])
    with pytest.raises(Contradiction):
        next(smallest(examples, AB, classes=[OneChange()]))
    task = next(smallest_decompositions(examples, AB, operator="and", classes=[OneChange()]))
    assert str(task) == "(>*0: a→1 | 1:) and (>*0: b→1 | 1:)"


# -- in the search -------------------------------------------------------------------------------------------


def run_search(name: str, iterations: int, **settings: object) -> Result:
    problem = demospec.load_example(name).with_settings(iterations=iterations)
    identifier = DecomposingIdentifier(problem.alphabet, prior=problem.prior, **settings)  # type: ignore[arg-type]
    search = Search(problem, identifier=identifier)
    state, rng, rows = search.start(), np.random.default_rng(0), []
    for _ in range(iterations):
        state, info = search.step(rng, state)
        rows.append(Row(0, info, info.best))
    return Result.of(problem, 0, rows, 0.0)


@pytest.mark.parametrize("name", ["robot-paper", "robot-incremental"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_search_runs_and_scores_every_task_with_its_own_size(name: str, operator: Operator) -> None:
    result = run_search(name, 12, operator=operator)
    assert len(result.ranked) > 3
    for entry in result.ranked:
        score = entry.score
        assert score.size == score.task.size
        assert score == demospec.score(result.problem, score.task)
    assert [e.score.energy for e in result.ranked] == sorted(e.score.energy for e in result.ranked)
    assert result.to_json()["best"]["size"] == result.best.size  # type: ignore[index]


def test_with_a_prior_composites_win_and_are_ranked_as_such() -> None:
    result = run_search("robot-incremental", 20)
    prior = result.problem.prior
    assert prior is not None
    assert all(entry.score.language.implies(prior) for entry in result.ranked)
    best = result.best.task
    assert isinstance(best, Composite)
    assert best.size < best.minimal.size
    assert result.best.energy < demospec.score(result.problem, best.minimal).energy
    assert f"{best.operator}" in str(best)
    assert [str(p) for p in best.parts] == [str(DFA.from_json(p)) for p in best.to_json()["parts"]]
