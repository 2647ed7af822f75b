"""Text to formula and back: print and parse, spellings, precedence, and errors that point at the place."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from demospec.errors import PointedError, TaskError
from demospec.limits import SENTENCE
from demospec.tasks.ltlf import holds, parse_formula
from demospec.tasks.ltlf.syntax import DEEPEST, LEVEL, RESERVED, Formula
from random_formulas import a_letter, applied, random_formula

a, b, c, d = (a_letter(name) for name in "abcd")


# -- print and parse ------------------------------------------------------------------------------------


def test_parse_gives_back_what_was_printed() -> None:
    rng = np.random.default_rng(8)
    for number in range(3_000):
        formula = random_formula(rng, "abcd", int(rng.integers(1, 21)), past=number % 2 == 1)
        assert parse_formula(str(formula)) == formula


def test_no_parentheses_can_be_left_out() -> None:
    rng = np.random.default_rng(9)
    tried = 0
    for _ in range(500):
        formula = random_formula(rng, "ab", int(rng.integers(3, 10)), past=True)
        text = str(formula)
        for opened in (place for place, sign in enumerate(text) if sign == "("):
            closed = matching(text, opened)
            bare = f"{text[:opened]}{text[opened + 1 : closed]}{text[closed + 1 :]}"
            if is_for_people(text, opened, closed):
                continue
            tried += 1
            try:
                assert parse_formula(bare) != formula
            except PointedError:  # what is left is another formula, or none
                continue
    assert tried > 300


def is_for_people(text: str, opened: int, closed: int) -> bool:
    """Say whether parentheses are around something like `a U b` that is joined by `&` or `|`."""
    level = getattr(parse_formula(text[opened + 1 : closed]), "level", None)
    beside = [text[:opened].rstrip()[-1:], text[closed + 1 :].lstrip()[:1]]
    return level == LEVEL["U"] and any(sign in ("&", "|") for sign in beside)


def matching(text: str, opened: int) -> int:
    depth = 0
    for place in range(opened, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise AssertionError(text)


@given(st.text())
@example('a "quoted" one\\')
@example("two\nlines")
@example("")
@example("∧")
def test_every_letter_can_be_written(letter: str) -> None:
    formula = applied("F", a_letter(letter))
    assert parse_formula(str(formula)) == formula
    assert parse_formula(str(formula), [letter]) == formula


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_letters_spelt_like_operators_are_quoted(word: str) -> None:
    assert str(a_letter(word)) == f'"{word}"'
    assert parse_formula(f'F "{word}"') == applied("F", a_letter(word))


def test_formulas_are_values() -> None:
    one, other = parse_formula("F a & !(b U c)"), parse_formula("((F (a)) && ~(b U c))")
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert pickle.loads(pickle.dumps(one)).depth == one.depth == 4
    assert parse_formula("true") != a_letter("true")
    assert parse_formula("a & b & c") != parse_formula("a & (b & c)")


@pytest.mark.parametrize(
    ("text", "size"),
    [("a", 1), ("true", 1), ("!a", 2), ("a U b", 3), ("a & b & c", 5), ("G (a -> X[!] b)", 5)],
)
def test_size_counts_nodes(text: str, size: int) -> None:
    assert parse_formula(text).size == size


def test_letters_are_those_that_occur() -> None:
    assert parse_formula("F z & (a U z) | last").letters == ("a", "z")


# -- spellings and precedence ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("~a", "!a"),
        ("¬a", "!a"),
        ("a && b", "a & b"),
        ("a /\\ b", "a & b"),
        ("a ∧ b", "a & b"),
        ("a || b", "a | b"),
        ("a \\/ b", "a | b"),
        ("a ∨ b", "a | b"),
        ("a => b", "a -> b"),
        ("a→b", "a -> b"),
        ("a <=> b", "a <-> b"),
        ("a↔b", "a <-> b"),
        ("[]<>a", "G F a"),
        ("WX a", "X a"),
        ("X [!] a", "X[!] a"),
        ("X[]a", "X G a"),
        ("1 | tt", "true | true"),
        ("0 | ff", "false | false"),
        ("F(a)&G(b)", "F a & G b"),
        ("\n F\ta ", "F a"),
        ('"a"', "a"),
        ("Fa", '"Fa"'),
        ("a_1 U été", '"a_1" U "été"'),
    ],
)
def test_spellings(text: str, same: str) -> None:
    assert parse_formula(text) == parse_formula(same)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("!a U b", applied("U", applied("!", a), b)),
        ("F a U b", applied("U", applied("F", a), b)),
        ("a U b U c", applied("U", a, applied("U", b, c))),
        ("a U b W c", applied("U", a, applied("W", b, c))),
        ("a R b M c", applied("R", a, applied("M", b, c))),
        ("a S b S c", applied("S", a, applied("S", b, c))),
        ("a U b & c", applied("&", applied("U", a, b), c)),
        ("a & b U c", applied("&", a, applied("U", b, c))),
        ("a & b | c & d", applied("|", applied("&", a, b), applied("&", c, d))),
        ("a | b & c | d", applied("|", a, applied("&", b, c), d)),
        ("a & b & c", applied("&", a, b, c)),
        ("(a & b) & c", applied("&", applied("&", a, b), c)),
        ("a -> b -> c", applied("->", a, applied("->", b, c))),
        ("a | b -> c", applied("->", applied("|", a, b), c)),
        ("a -> b <-> c -> d", applied("<->", applied("->", a, b), applied("->", c, d))),
        ("a <-> b <-> c", applied("<->", a, applied("<->", b, c))),
        ("X X[!] !Y a", applied("X", applied("X[!]", applied("!", applied("Y", a))))),
        ("last", applied("last")),
    ],
)
def test_precedence(text: str, formula: Formula) -> None:
    assert parse_formula(text) == formula
    assert parse_formula(str(formula)) == formula


# -- errors ---------------------------------------------------------------------------------------------

ALPHABET = ("a", "b", "G", "U", "W", "1", "two words", "two-words", "yellow")


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("", 0, "expected a formula: a letter, an operator such as F, or (; found the end"),
        ("F &", 2, "expected a formula: a letter, an operator such as F, or (; found &"),
        ("a &", 3, "expected a formula: a letter, an operator such as F, or (; found the end"),
        ("a b", 2, "expected an operator such as & or U, or the end; found b"),
        ("(a", 2, "expected an operator such as & or U, or ), for the ( at character 1; found the end"),
        ("a & (b c", 7, "expected an operator such as & or U, or ), for the ( at character 5; found c"),
        ("a)", 1, "expected an operator such as & or U, or the end; found ), which closes nothing"),
        ("a $ b", 2, '"$" is not part of a formula; a letter with such characters is written in quotes'),
        ("F 12", 2, '"12" is no name; as a letter it is written in quotes: "12"'),
        ('a | "b', 4, 'a quoted letter is not closed: expected one more "'),
        (r'"\q"', 1, r"the quoted letter cannot be read (Invalid \escape); a backslash is written \\"),
        # letters, when they are known
        (
            "F yelow",
            2,
            'letter "yelow" is not in the alphabet a, b, G, U, W, 1, two words, two-words, yellow '
            '(did you mean "yellow"?)',
        ),
        ("Fa", 0, "operators need a space: F a"),
        ("a & GFXa", 4, "operators need a space: G F X a"),
        ("WXa", 0, "operators need a space: WX a"),
        ("aUb", 0, "operators need a space: a U b"),
        ("G & a", 2, 'found &; the letter is written in quotes: "G"'),
        ("a & U", 4, 'found U; the letter is written in quotes: "U"'),
        ("F G", 3, 'found the end; the letter is written in quotes: "G"'),
        ("a U U b", 4, 'found U; the letter is written in quotes: "U"'),
        ("two words", 0, '; the letter is written in quotes: "two words"'),
        ("F two-words", 5, '; the letter is written in quotes: "two-words"'),
        (
            "F 1",
            2,
            '"1" is a constant and a letter of the alphabet: the letter is written in quotes, "1"; '
            "the constant is written true",
        ),
        # past over future
        ("a & O F b", 4, "O looks back, so F, which looks ahead, cannot stand inside it"),
        ("a S (b & last)", 2, "S looks back, so last, which looks ahead, cannot stand inside it"),
        ("H Y X[!] a", 2, "Y looks back, so X[!], which looks ahead, cannot stand inside it"),
    ],
)
def test_errors_point_at_the_place(text: str, at: int, message: str) -> None:
    with pytest.raises(PointedError) as caught:
        parse_formula(text, (*ALPHABET, "c") if "c" in text else ALPHABET)
    assert message in caught.value.message
    assert caught.value.at == at
    assert caught.value.picture.splitlines()[1] == "  " + " " * at + "^"


def test_constants_that_are_letters_too_are_told_apart() -> None:
    for text, other in (("true", "tt"), ("ff", "false"), ("last", "(X false & F true)")):
        with pytest.raises(PointedError, match="is a constant and a letter") as caught:
            parse_formula(text, [text])
        assert caught.value.message.endswith(f"the constant is written {other}")
        assert parse_formula(f'"{text}"', [text]) == a_letter(text)
        assert not parse_formula(other, [text]).is_letter
    with pytest.raises(PointedError, match="rename the letter"):
        parse_formula("1", ["1", "true", "tt"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!" * 10_000 + "a", "operators within operators are more than 200 levels deep"),
        ("X " * 5_000 + "a", "operators within operators are more than 200 levels deep"),
        ("(" * 10_000 + "a", "parentheses within parentheses are more than 200 levels deep"),
        ("(" * 9_000 + "a" + ")" * 9_000, "parentheses within parentheses are more than 200 levels deep"),
        ("a U " * 4_000 + "a", "operators within operators are more than 200 levels deep"),
        ("a -> " * 3_000 + "a", "operators within operators are more than 200 levels deep"),
        ("F (" * 150 + "a" + " U b & a | b -> a <-> b)" * 150, "operators within operators are more than"),
        ("a & " * 10_000 + "a", "the formula has 40,001 characters; at most 20,000 are read"),
    ],
)
def test_deep_and_long_texts_are_refused_plainly(text: str, message: str) -> None:
    with pytest.raises(PointedError, match=message):
        parse_formula(text)


def test_what_is_allowed_is_read_printed_and_evaluated() -> None:
    deep: Formula = a
    for level in range(DEEPEST - 1):
        deep = applied("U", b, deep) if level % 2 else applied("&", deep, c)
    for formula in (
        deep,
        parse_formula("(" * DEEPEST + "a" + ")" * DEEPEST),
        parse_formula("!" * (DEEPEST - 1) + "a"),
    ):
        assert parse_formula(str(formula)) == formula
        assert hash(formula) == hash(parse_formula(str(formula)))
        assert isinstance(holds(formula, "abc"), bool)
    assert len(parse_formula("a &" * (SENTENCE // 3) + "a").parts) == SENTENCE // 3 + 1


@pytest.mark.parametrize(
    ("operator", "operands", "message"),
    [
        ("&", (a,), "& joins two formulas or more; found 1"),
        ("!", (a, b), 'operator "!" takes 1 operand; found 2'),
        ("U", (a,), 'operator "U" takes 2 operands; found 1'),
        ("V", (a, b), 'operator "V" is not one of U, W, R, M, S, ->, <->'),
        ("O", (applied("F", a),), "O looks back"),
    ],
)
def test_nodes_are_checked(operator: str, operands: tuple[Formula, ...], message: str) -> None:
    with pytest.raises(TaskError) as caught:
        applied(operator, *operands)
    assert message in str(caught.value)
