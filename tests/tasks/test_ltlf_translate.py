"""The translation against the definition, on random formulas, and against automata written by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from demospec.errors import PointedError, TaskError, TooLarge
from demospec.tasks import DFA
from demospec.tasks.ltlf import automaton_of, holds, parse_formula, translate
from random_formulas import random_formula, random_word
from strategies import all_words


@pytest.mark.parametrize("seed", range(4))
def test_automata_of_random_formulas_accept_where_the_definition_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(2_500):
        letters = "abcd"[: 2 + number % 3]
        formula = random_formula(rng, letters, int(rng.integers(1, 13)), past=number % 2 == 1)
        automaton = automaton_of(formula, letters)
        for word in ("", *(random_word(rng, letters, 8) for _ in range(12))):
            assert automaton.accepts(word) == holds(formula, word), f"{formula} on {word!r}"


def test_automata_of_small_random_formulas_agree_on_every_short_word() -> None:
    rng = np.random.default_rng(5)
    for number in range(150):
        formula = random_formula(rng, "ab", int(rng.integers(1, 9)), past=number % 2 == 1)
        automaton = automaton_of(formula, "ab")
        for word in all_words(("a", "b"), 5):
            assert automaton.accepts(word) == holds(formula, word), f"{formula} on {word!r}"


@pytest.mark.parametrize(
    ("text", "alphabet", "expected"),
    [
        ("true", "ab", ">*0:"),
        ("false", "ab", ">0:"),
        ("F y", "ry", ">0: y→1 | *1:"),
        ("G !r", "ry", ">*0: r→1 | 1:"),
        ("!r W y", "ry", ">*0: r→1, y→2 | 1: | *2:"),
        ("!r U y", "ry", ">0: r→1, y→2 | 1: | *2:"),
        ("F y & (!r W y)", "bry", ">0: r→1, y→2 | 1: | *2:"),
        ("X[!] a", "ab", ">0: a→1, b→1 | 1: a→2, b→3 | *2: | 3:"),
        ("X a", "ab", ">*0: a→1, b→1 | *1: a→2, b→3 | *2: | 3:"),
        ("last", "ab", ">0: a→1, b→1 | *1: a→2, b→2 | 2:"),
        ("F (a & last)", "ab", ">0: a→1 | *1: b→0"),
        ("G (a -> F b)", "abc", ">*0: a→1 | 1: b→0"),
        ("G (a -> X[!] b)", "ab", ">*0: a→1 | 1: b→0, a→2 | 2:"),
        ("F a & F b", "ab", ">0: a→1, b→2 | 1: b→3 | 2: a→3 | *3:"),
        ("F (a & X[!] F b)", "ab", ">0: a→1 | 1: b→2 | *2:"),
        ("G (y -> O b)", "by", ">*0: b→1, y→2 | *1: | 2:"),
        ("F (last & (!r S b))", "br", ">0: b→1 | *1: r→0"),
        ("F (y & Y b)", "by", ">0: b→1 | 1: y→2 | *2:"),
        # dry when yellow is reached, and no lava: b makes wet, g dries
        (
            "G !r & F (y & !(!g S b))",
            "bgry",
            ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2",
        ),
    ],
)
def test_automata_written_by_hand(text: str, alphabet: str, expected: str) -> None:
    automaton = DFA.from_formula(text, alphabet)
    assert automaton == DFA.parse(expected, alphabet)
    assert automaton.states == DFA.parse(expected, alphabet).minimal.states


def test_all_goals_in_any_order_take_a_state_for_each_subset() -> None:
    assert DFA.from_formula("F a & F b & F c & F d & F e & F f").states == 2**6


def test_without_an_alphabet_the_letters_are_those_of_the_formula() -> None:
    assert DFA.from_formula('F y & G !"two words"').alphabet == ("two words", "y")
    with pytest.raises(TaskError, match="without letters needs its alphabet"):
        DFA.from_formula("F true")
    assert DFA.from_formula("F true", "ab").accepts("b")


def test_the_alphabet_may_be_any_iterable_in_any_order() -> None:
    assert DFA.from_formula("F y", iter(["y", "r"])) == DFA.from_formula("F y", "ry")


def test_letters_that_are_not_in_the_alphabet_are_named_with_the_nearest() -> None:
    with pytest.raises(PointedError, match=r'"yelow" is not in the alphabet red, yellow \(did you mean "ye'):
        DFA.from_formula("F yelow", ["red", "yellow"])
    with pytest.raises(TaskError, match=r'"yelow" is not in the alphabet red, yellow \(did you mean "ye'):
        automaton_of(parse_formula("F yelow"), ["yellow", "red"])


@pytest.mark.parametrize(("alphabet", "message"), [("", "alphabet is empty"), ("aba", 'lists "a" twice')])
def test_an_alphabet_that_is_none_is_refused(alphabet: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        automaton_of(parse_formula("true"), alphabet)


def test_letters_can_stand_for_several_propositions() -> None:
    sets = {"-": (), "p": ("p",), "q": ("q",), "pq": ("p", "q")}
    rng = np.random.default_rng(6)
    for _ in range(100):
        formula = random_formula(rng, "pq", int(rng.integers(1, 9)), past=True)
        automaton = automaton_of(formula, sets, propositions=sets)
        for word in all_words(tuple(sets), 2):
            assert automaton.accepts(word) == holds(formula, word, propositions=sets)
    both = automaton_of(parse_formula("F (p & q)"), sets, propositions=sets)
    assert both == DFA.parse(">0: pq→1 | *1:", sets)


# -- large ones -----------------------------------------------------------------------------------------


def test_part_by_part_gives_the_same_automata(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    formulas = [random_formula(rng, "abc", int(rng.integers(5, 13)), past=True) for _ in range(200)]
    at_once = [automaton_of(formula, "abc") for formula in formulas]
    monkeypatch.setattr(translate, "SMALL", 1)
    assert [automaton_of(formula, "abc") for formula in formulas] == at_once


def test_parts_that_shrink_when_they_are_joined_are_translated() -> None:
    pairs = list(itertools.pairwise("abcdefghijklm"))
    either = DFA.from_formula(" | ".join(f"G ({p} -> O {q})" for p, q in pairs))
    assert either.accepts("abcdefghijk")
    assert not either.accepts("abcdefghijkl")
    assert either.states < 20


def test_formulas_of_many_clauses_are_translated_part_by_part() -> None:
    letters = [f"l{number}" for number in range(150)]
    none = DFA.from_formula(" & ".join(f"G !{letter}" for letter in letters), [*letters, "x"])
    assert none.states == 2
    assert none.accepts(["x"])
    assert not none.accepts(["x", "l77"])


def test_too_many_states_are_refused_with_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "MOST_STATES", 100)
    monkeypatch.setattr(translate, "SMALL", 50)
    assert DFA.from_formula(f"F (a & {'X[!] ' * 5}b)").states == 2**5 + 1
    for text in (
        f"F (a & {'X[!] ' * 8}b)",
        f"!F (a & {'X[!] ' * 8}b)",
        "F a & F b & F c & F d & F e & F f & F g",
    ):
        with pytest.raises(TooLarge, match="more than 100 states"):
            DFA.from_formula(text)


def test_parts_that_are_too_large_may_join_to_something_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "MOST_STATES", 100)
    monkeypatch.setattr(translate, "SMALL", 2)
    assert DFA.from_formula(f"b & F (a & {'X[!] ' * 8}b) & a", "ab").is_empty()


def test_too_many_parts_and_decisions_are_refused_with_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "MOST_PARTS", 10)
    with pytest.raises(TooLarge, match="more than 10 different parts"):
        DFA.from_formula("F (a & X (b & X (a & X (b & X (a & X b)))))")
    monkeypatch.undo()
    monkeypatch.setattr(translate, "MOST_NODES", 10)
    with pytest.raises(TooLarge, match="more than 10 decisions"):
        DFA.from_formula("F (a & X (b & X (a & X (b & X (a & X b)))))")
