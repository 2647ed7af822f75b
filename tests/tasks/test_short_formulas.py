"""Formulas on all positions at once hold where the definition says; short ones are found first."""

from __future__ import annotations

from itertools import islice

import pytest

from demospec.tasks import DFA
from demospec.tasks.clauses import parse as clauses
from demospec.tasks.ltlf import holds, parse_formula
from demospec.tasks.words.formulas import (
    Positions,
    formula_of_clauses,
    formulas_by_size,
    has_binary,
    shortest_formula,
)
from strategies import all_words


def test_formulas_hold_where_the_definition_says() -> None:
    words = [*all_words("ab", 3), ("a", "b", "a", "a", "b")]
    on = Positions(words)
    for one in islice(formulas_by_size(on, "ab"), 400):
        formula, at = parse_formula(one.text), 0
        for word in words:
            assert bool(one.holds >> at & 1) == holds(formula, word), (one.text, word)
            at += max(1, len(word))


@pytest.mark.parametrize("text", ["a", "X[!] a", "a U b", "F (a & X b)", "G (a | X[!] b)"])
def test_a_short_formula_is_found(text: str) -> None:
    task = DFA.from_formula(text, ("a", "b", "c"))
    found = shortest_formula(task, ("a", "b", "c"), 6000)
    assert found is not None
    assert DFA.from_formula(found, task.alphabet) == task
    assert len(found) <= len(text) + 4


def test_none_is_found_within_a_small_budget_or_for_parity() -> None:
    task = DFA.from_formula("F (a & X b)", ("a", "b"))
    assert shortest_formula(task, ("a", "b"), 3) is None
    assert shortest_formula(DFA.parse(">0: a→1 | *1: a→0"), ("a",), 2000) is None


def test_formulas_of_clauses_are_bracketed() -> None:
    task = clauses("(reach y; no r before y) or (end with b)", "bry")
    assert formula_of_clauses(task.alternatives) == "(F y & (!r W y)) | F (b & last)"
    assert DFA.from_formula("(F y & (!r W y)) | F (b & last)", "bry") == task.automaton
    assert formula_of_clauses(clauses("y an even number of times").alternatives) is None
    assert has_binary("a -> b")
    assert not has_binary("F (a & b)")
