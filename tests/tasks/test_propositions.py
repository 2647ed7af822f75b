"""Letters that are sets of propositions: clauses against formulas, guards against brute force."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from demospec.errors import DemospecError, InputError
from demospec.tasks import DFA
from demospec.tasks.clauses import Clauses, kinds, parse
from demospec.tasks.clauses.clause import clause_library
from demospec.tasks.code import Words
from demospec.tasks.ltlf import holds as formula_holds
from demospec.tasks.ltlf import parse_formula
from demospec.tasks.propositions import (
    ALWAYS,
    are_sets,
    atoms,
    guard,
    holding,
    letter_of,
    propositions_of,
    term_holds,
    terms_tried,
)
from demospec.tasks.words import describe

LETTERS = ("door", "door&key", "goal", "goal&key", "key")


def test_letters_are_sets() -> None:
    assert letter_of(["key", "door"]) == "door&key"
    assert propositions_of("door&key") == ("door", "key")
    assert not are_sets(("a", "b", "&"))
    assert atoms(LETTERS) == ("door", "door&key", "goal", "goal&key", "key")
    assert holding(LETTERS)["goal&key"] == ("goal", "goal&key", "key")
    with pytest.raises(InputError, match='"a&b" cannot be a proposition'):
        letter_of(["a&b", "c"])


def words(most: int) -> list[tuple[str, ...]]:
    return [word for length in range(most + 1) for word in product(LETTERS, repeat=length)]


def test_clauses_say_of_sets_what_their_formulas_say() -> None:
    seen = {letter: propositions_of(letter) for letter in LETTERS}
    some = [*clause_library(LETTERS)][::37]
    assert {clause.kind.name for clause in some} >= {"reach", "not until", "reach clear"}
    short = words(3)
    for clause in some:
        if clause.formula is None:
            continue
        formula, automaton = parse_formula(clause.formula), clause.automaton(LETTERS)
        for word in short:
            meant = formula_holds(formula, word, propositions=seen)
            assert automaton.accepts(word) == meant, (clause.sentence, word)


def test_every_kind_is_read_over_sets() -> None:
    by_kind = {clause.kind.name for clause in clause_library(LETTERS)}
    assert by_kind == {kind.name for kind in kinds() if kind.weight}
    even = parse("key an even number of times", LETTERS).automaton
    for word in words(3):
        assert even.accepts(word) == (sum("key" in propositions_of(one) for one in word) % 2 == 0)


@pytest.mark.parametrize(
    "text", ["reach goal&key", "key, then door; never goal", "no goal before door&key", "goal at most once"]
)
def test_what_is_said_of_propositions_is_found_again(text: str) -> None:
    task = parse(text, LETTERS)
    found = describe(task.automaton)
    assert found.exact == "always"
    assert Clauses.of(found.alternatives, LETTERS).automaton == task.automaton
    assert found.formula is not None
    assert DFA.from_formula(found.formula, LETTERS) == task.automaton
    assert DFA.parse(str(task.automaton), LETTERS) == task.automaton
    code = Words(LETTERS)
    assert code.decode(code.encode(task)).automaton == task.automaton


def test_a_formula_speaks_of_propositions() -> None:
    together = DFA.from_formula("F (goal & key)", LETTERS)
    assert together == parse("reach goal&key", LETTERS).automaton
    assert together.accepts(["key", "goal&key"])
    assert not together.accepts(["key", "goal"])
    with pytest.raises(DemospecError, match="cheese"):
        DFA.from_formula("F cheese", LETTERS)


def literals(terms_: list[str]) -> int:
    return sum(len(term.split(" & ")) for term in terms_)


def test_guards_are_the_shortest_over_what_occurs() -> None:
    alphabets = [LETTERS, ("a", "a&b", "b"), ("a", "a&b", "a&b&c", "c"), ("a&b", "b&c", "a&c")]
    for alphabet in alphabets:
        every = list(terms_tried(alphabet, frozenset(alphabet)))
        for count in range(1, len(alphabet)):
            for letters in combinations(alphabet, count):
                found = guard(list(letters), alphabet)
                fitting = [t for t in every if set(letters) >= {x for x in alphabet if term_holds(t, x)}]
                best = min(
                    sum(map(len, some))
                    for size in range(1, min(3, count) + 1)
                    for some in combinations(fitting, size)
                    if {x for x in alphabet for t in some if term_holds(t, x)} == set(letters)
                )
                assert literals(found) == best, (alphabet, letters, found)
        assert guard(list(alphabet), alphabet) == [ALWAYS]


def test_guards_mean_their_letters() -> None:
    for count in range(1, len(LETTERS)):
        for letters in combinations(LETTERS, count):
            said = " | ".join(f"({term})" for term in guard(list(letters), LETTERS))
            seen = {letter: propositions_of(letter) for letter in LETTERS}
            for letter in LETTERS:
                formula = parse_formula(said)
                assert formula_holds(formula, (letter,), propositions=seen) == (letter in letters)


def test_a_guard_stands_in_the_text() -> None:
    task = parse("no door before key", LETTERS).automaton
    assert "──door & !key──▸" in task.pretty()
    assert "──key──▸" in task.pretty()
