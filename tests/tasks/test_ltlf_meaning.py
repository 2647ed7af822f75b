"""What formulas mean: at the end, on the empty word, and by the laws between operators."""

from __future__ import annotations

import numpy as np
import pytest

from demospec.errors import TaskError
from demospec.tasks import DFA
from demospec.tasks.ltlf import automaton_of, holds, parse_formula
from demospec.tasks.ltlf.syntax import Formula
from random_formulas import applied, random_formula, random_word

# Each row: a formula, and on which of the words ε, a, b, aa, ab, ba, bb it holds.
WORDS = ("", "a", "b", "aa", "ab", "ba", "bb")
TABLE = {
    "true": "ε a b aa ab ba bb",
    "false": "",
    "a": "a aa ab",
    "!a": "ε b ba bb",
    "last": "a b",
    "!last": "ε aa ab ba bb",
    "X a": "ε a b aa ba",
    "WX a": "ε a b aa ba",
    "X[!] a": "aa ba",
    "X !a": "ε a b ab bb",
    "X[!] !a": "ab bb",
    "!X a": "ab bb",
    "!X[!] a": "ε a b ab bb",
    "X true": "ε a b aa ab ba bb",
    "X[!] true": "aa ab ba bb",
    "X false": "ε a b",
    "X[!] false": "",
    "X X false": "ε a b aa ab ba bb",
    "X X a": "ε a b aa ab ba bb",
    "X[!] X[!] true": "",
    "X[!] X a": "aa ab ba bb",
    "X X[!] a": "ε a b",
    "F a": "a aa ab ba",
    "G a": "ε a aa",
    "F true": "a b aa ab ba bb",
    "G false": "ε",
    "F !a": "b ab ba bb",
    "G X a": "ε a b aa ba",
    "G X[!] a": "ε",
    "F X a": "a b aa ab ba bb",
    "F X[!] a": "aa ba",
    "F last": "a b aa ab ba bb",
    "F (last & a)": "a aa ba",
    "a U b": "b ab ba bb",
    "a W b": "ε a b aa ab ba bb",
    "a R b": "ε b bb",
    "b R (a | b)": "ε a b aa ab ba bb",
    "a M b": "",
    "a M (a | b)": "a aa ab ba",
    "Y a": "",
    "Y true": "",
    "O a": "a aa ab",
    "H a": "ε a aa ab",
    "a S b": "b ba bb",
    "F Y a": "aa ab",
    "F (last & O a)": "a aa ab ba",
    "F (last & H a)": "a aa",
    "F (last & (a S b))": "b ab ba bb",
    "G (b -> Y a)": "ε a aa ab",
    "F !Y true": "a b aa ab ba bb",
}


@pytest.mark.parametrize("text", TABLE)
def test_meaning_on_short_words(text: str) -> None:
    expected = {word.replace("ε", "") for word in TABLE[text].split()}
    assert {word for word in WORDS if holds(parse_formula(text), word)} == expected
    automaton = DFA.from_formula(text, "ab")
    assert {word for word in WORDS if automaton.accepts(word)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # at the positions 0, 1, 2 of ab, and behind its end
        ("a", [True, False, False]),
        ("!a", [False, True, True]),
        ("last", [False, True, False]),
        ("X b", [True, True, True]),
        ("X[!] b", [True, False, False]),
        ("F b", [True, True, False]),
        ("G b", [False, True, True]),
        ("a W false", [False, False, True]),
        ("b R false", [False, False, True]),
        ("Y a", [False, True, False]),
        ("Y b", [False, False, True]),
        ("Y Y a", [False, False, True]),
        ("O b", [False, True, True]),
        ("H a", [True, False, False]),
        ("b S a", [True, True, True]),
        ("!b S a", [True, False, False]),
    ],
)
def test_meaning_at_each_position(text: str, expected: list[bool]) -> None:
    assert [holds(parse_formula(text), "ab", at) for at in range(3)] == expected


@pytest.mark.parametrize("at", [-1, 3])
def test_a_position_outside_the_word_is_refused(at: int) -> None:
    with pytest.raises(TaskError, match=f"position {at} is not among 0 to 2"):
        holds(parse_formula("a"), "ab", at)


# f and g are replaced by random formulas; the two sides agree at every position of every word.
LAWS = [
    ("F f", "true U f"),
    ("G f", "f W false"),
    ("G f", "!F !f"),
    ("G f", "false R f"),
    ("F f", "f M true"),
    ("f W g", "G f | f U g"),
    ("f W g", "g R (f | g)"),
    ("f R g", "!(!f U !g)"),
    ("f R g", "g W (f & g)"),
    ("f M g", "!(!f W !g)"),
    ("f M g", "g U (f & g)"),
    ("f M g", "f R g & F f"),
    ("f U g", "f W g & F g"),
    ("X f", "!X[!] !f"),
    ("X f", "X[!] f | !X[!] true"),
    ("X[!] f", "X f & X[!] true"),
    ("X (f & g)", "X f & X g"),
    ("X[!] (f | g)", "X[!] f | X[!] g"),
    ("last", "X false & F true"),
    ("F true & F f", "F true & (f | X[!] F f)"),
    ("F true -> f U g", "F true -> g | f & X[!] (f U g)"),
    ("F true -> f R g", "F true -> g & (f | X (f R g))"),
    ("f -> g", "!f | g"),
    ("f <-> g", "(f -> g) & (g -> f)"),
    ("!(f & g)", "!f | !g"),
    ("F F f", "F f"),
    ("G G f", "G f"),
    ("f U f U g", "f U g"),
]
# p and q are replaced by random formulas that do not look ahead.
PAST_LAWS = [
    ("O p", "true S p"),
    ("H p", "!O !p"),
    ("F true -> O p", "F true -> p | Y O p"),
    ("F true -> p S q", "F true -> q | p & Y (p S q)"),
    ("F true -> (Y !p <-> Y true & !Y p)", "true"),
    ("F (p & O q)", "F (q & F p) | F (p & O q)"),
    ("G (p -> O q)", "!(!q U (p & !q))"),
]


def replaced(formula: Formula, by: dict[str, Formula]) -> Formula:
    if formula.symbol in by and not formula.parts:
        return by[formula.symbol]
    if not formula.parts:
        return formula
    return applied(formula.symbol, *[replaced(part, by) for part in formula.parts])


@pytest.mark.parametrize(("one", "other"), LAWS)
def test_laws_of_the_future(one: str, other: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(12):
        by = {name: random_formula(rng, "abc", int(rng.integers(1, 6)), past=True) for name in "fg"}
        agree(rng, replaced(parse_formula(one), by), replaced(parse_formula(other), by))


@pytest.mark.parametrize(("one", "other"), PAST_LAWS)
def test_laws_of_the_past(one: str, other: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(12):
        by = {
            name: random_formula(rng, "abc", int(rng.integers(1, 6)), past=True, future=False)
            for name in "pq"
        }
        # one law is about two letters that are read at different positions, and holds at the start only
        agree(
            rng,
            replaced(parse_formula(one), by),
            replaced(parse_formula(other), by),
            everywhere="O q" not in one,
        )


def agree(rng: np.random.Generator, one: Formula, other: Formula, everywhere: bool = True) -> None:
    assert automaton_of(one, "abc") == automaton_of(other, "abc")
    for _ in range(5):
        word = random_word(rng, "abc", 5)
        for at in range(len(word) + 1 if everywhere else 1):
            assert holds(one, word, at) == holds(other, word, at), f"{one} and {other} on {word!r} at {at}"
