"""Formulas: what is written is read back with the same values, and what is wrong is told by its place."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import InputError, WorldError
from demospec.limits import EXPRESSION
from demospec.plan.diagrams import Lifting, new_manager
from demospec.worlds.expressions import (
    Coin,
    Constant,
    Expression,
    Join,
    Kind,
    Lifted,
    Value,
    all_of,
    any_of,
    bit,
    bits,
    clipped,
    coin,
    integer,
    leaves,
    lift,
)
from demospec.worlds.formulas import (
    MOST_PARTS,
    Names,
    parse_effects,
    parse_formula,
    parse_targets,
    quoted_name,
    written_formula,
)

P, Q, N, M, ODD = bit("p"), bit("q"), integer("n", -2, 3), integer("m", 0, 4), bit("if")
LAMPS, LEVELS = tuple(bits("lamp", 5)), tuple(integer(f"level{k}", 0, 2) for k in range(3))
SLIP = Coin("slip", 0.25)
VARIABLES = (P, Q, N, M, ODD, *LAMPS, *LEVELS)
NAMES = Names(
    {variable.name: variable for variable in VARIABLES}, {"lamp": LAMPS, "level": LEVELS}, {"slip": SLIP}
)
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
State = Mapping[str, Value]


def states() -> st.SearchStrategy[State]:
    values: dict[str, st.SearchStrategy[Value]] = {v.name: st.sampled_from(v.domain) for v in VARIABLES}
    return st.fixed_dictionaries({**values, "slip": st.booleans()})


def conditions(depth: int = 4) -> st.SearchStrategy[Expression]:
    """Any condition that the language knows; bits may stand where numbers do, as in Python."""
    flat = st.sampled_from([P, Q, ODD, SLIP, *LAMPS, Constant(True), Constant(False)])
    chosen = st.integers(0, 3).map(lambda k: parse_formula(f"lamp[clip({k}..4, m)]", NAMES))
    if depth == 0:
        return flat | chosen
    inner, number = conditions(depth - 1), numbers(depth - 1)
    joined = st.tuples(st.sampled_from("&|^"), st.lists(inner, min_size=1, max_size=3))
    compared = st.tuples(st.sampled_from(COMPARISONS), number | inner, number | inner)
    return st.one_of(
        flat,
        joined.map(lambda made: Join(made[0], tuple(made[1]))),
        inner.map(lambda whole: ~whole),
        compared.map(lambda made: made[0](made[1], made[2])),
        st.tuples(inner, inner, inner).map(lambda made: made[0].then(made[1], made[2])),
        st.lists(inner, max_size=3).map(all_of),
        st.lists(inner, max_size=3).map(any_of),
    )


def numbers(depth: int = 4) -> st.SearchStrategy[Expression]:
    """Any number that the language knows."""
    flat = st.sampled_from([N, M, *LEVELS]) | st.integers(-3, 9).map(Constant)
    chosen = st.just(parse_formula("level[clip(0..2, n)]", NAMES, "number"))
    if depth == 0:
        return flat | chosen
    inner, condition = numbers(depth - 1), conditions(depth - 1)
    pairs = st.tuples(st.sampled_from([operator.add, operator.sub]), inner, inner | condition)
    clips = st.tuples(st.sampled_from([N, M, integer("elsewhere", 5, 7)]), inner)
    return st.one_of(
        flat,
        pairs.map(lambda made: made[0](made[1], made[2])),
        clips.map(lambda made: made[0].clip(made[1])),
        st.tuples(condition, inner, inner).map(lambda made: made[0].then(made[1], made[2])),
    )


@given(conditions(), states())
def test_conditions_that_are_written_are_read_back(whole: Expression, state: State) -> None:
    text = written_formula(whole, NAMES.arrays, "condition")
    assert parse_formula(text, NAMES).at(state) is whole.at(state)


@given(numbers(), states())
def test_numbers_that_are_written_are_read_back(whole: Expression, state: State) -> None:
    text = written_formula(whole, NAMES.arrays, "number")
    assert parse_formula(text, NAMES, "number").at(state) == whole.at(state)
    assert parse_formula(written_formula(whole), NAMES, "number").at(state) == whole.at(
        state
    )  # without arrays


SUMS = st.recursive(
    st.sampled_from(["n", "m", "3", "-2", "- m"]),
    lambda inner: st.tuples(inner, st.sampled_from("+-"), inner | inner.map("({})".format)).map(" ".join),
    max_leaves=4,
)
COMPARED = st.tuples(SUMS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), SUMS).map(" ".join)
TEXTS = st.recursive(
    st.one_of(st.sampled_from(["p", "q", "true", "false", "p == q"]), COMPARED),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        inner.map("not {}".format),
        inner.map("({})".format),
        st.tuples(inner, st.sampled_from(["==", "!="]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
    ),
    max_leaves=8,
)


@given(TEXTS, states())
def test_operators_bind_as_in_python(text: str, state: State) -> None:
    here = {name: state[name] for name in ("p", "q", "n", "m")}
    expected = eval(text.replace("true", "True").replace("false", "False"), {}, here)
    assert parse_formula(text, NAMES).at(state) is expected


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        ("p or q xor p", "p or (q xor p)"),
        ("p xor q and p", "p xor (q and p)"),
        ("p xor q xor p", "(p xor q) xor p"),
        ("not p xor q", "(not p) xor q"),
        ("not p == q", "not (p == q)"),
        ("p xor n == 0", "p xor (n == 0)"),
        ("if p then q else p and q", "if p then q else (p and q)"),
        ("if p then q else if q then p else slip", "if p then q else (if q then p else slip)"),
        ("if p then if q then p else slip else q", "if p then (if q then p else slip) else q"),
        ("m - n - 1 == 0", "((m - n) - 1) == 0"),
        ("m - (n - 1) == 0", "m - (n - 1) == 0"),
        ("-m + 1 == 0", "(0 - m) + 1 == 0"),
        ("- -m == -1 + 1", "m == 0"),
        ("all(p, q, slip)", "p and q and slip"),
        ("any(p, q, slip) and q", "(p or q or slip) and q"),
        ("any(lamp[i] and m == i for i in 0..4)", "lamp[m]"),
        ("all(lamp[i + 1] for i in 0..3)", "lamp1 and lamp2 and lamp[3] and lamp[4]"),
        ("any(all(lamp[i] and level[k] > 0 for i in 2..2) for k in 1..2)", "lamp2 and level1 + level2 > 0"),
        ("lamp[level[clip(0..1, m)]]", "lamp[if m == 0 then level0 else level1]"),
        ("`if` and `p`", "p and `if`"),
        ("clip(level, n) == clip(0..2, n)", "true"),
        ("level[0]\n  == 1", "level0==1"),
        ("p & n == 0 | !q ^ slip", "p and (n == 0) or ((not q) xor slip)"),
        ("~p == q", "not (p == q)"),
        ("p if q else slip", "if q then p else slip"),
        ("p if q and p else q if p else slip", "if q and p then p else if p then q else slip"),
        (
            "if p then q if slip else p else slip if q else p",
            "if p then (q if slip else p) else (slip if q else p)",
        ),
        ("if if p then q else slip then p else q", "if (if p then q else slip) then p else q"),
        ("all(p if q else slip, if p then q else slip)", "(p if q else slip) and (q if p else slip)"),
    ],
)
def test_two_ways_to_write_the_same(loose: str, tight: str) -> None:
    one, other = parse_formula(loose, NAMES), parse_formula(tight, NAMES)
    rng = np.random.default_rng(0)
    for _ in range(200):
        state = {v.name: v.domain[int(rng.integers(len(v.domain)))] for v in VARIABLES}
        state["slip"] = bool(rng.integers(2))
        assert one.at(state) is other.at(state)


@pytest.mark.parametrize(
    ("whole", "text"),
    [
        (~(P & Q), "not (p and q)"),
        (~P & Q, "not p and q"),
        ((P | Q) & SLIP, "(p or q) and slip"),
        (P ^ ~Q, "not (p xor q)"),
        (~~P, "p"),
        (all_of([P, Q, LAMPS[3]]), "p and q and lamp[3]"),
        (any_of([]), "false"),
        (all_of([]), "true"),
        (P & False, "p and false"),
        (N - (M + 1) == -1, "n - (m + 1) == -1"),
        (SLIP.then(N, N.clip(N - 1)) > 0, "(if slip then n else clip(n, n - 1)) > 0"),
        (P.then(Q.then(1, 2), SLIP.then(3, 4)), "if p then (if q then 1 else 2) else if slip then 3 else 4"),
        (N + P, "n + (if p then 1 else 0)"),
        (P == 1, "(if p then 1 else 0) == 1"),
        (P == Q, "p == q"),
        (M.clip(N), "clip(0..4, n)"),
        (LEVELS[1].clip(LEVELS[1] + 1), "clip(level[1], level[1] + 1)"),
        (parse_formula("lamp[m]", NAMES), "lamp[m]"),
        (parse_formula("level[clip(0..1, n)] == 0", NAMES), "level[clip(0..1, n)] == 0"),
        (bit("true") & bit("a`b") & bit("c.1"), "`true` and `a``b` and `c.1`"),
    ],
)
def test_how_expressions_are_written(whole: Expression, text: str) -> None:
    assert written_formula(whole, NAMES.arrays) == text


def test_a_member_of_an_array_that_is_not_declared_is_written_out() -> None:
    chosen = parse_formula("lamp[clip(0..2, n)]", NAMES)
    text = written_formula(chosen)
    assert "[" not in text
    for n in N.domain:
        state = {"n": n, "lamp0": False, "lamp1": True, "lamp2": False}
        assert parse_formula(text, NAMES).at(state) is chosen.at(state) is (n == 1)


@pytest.mark.parametrize("name", ["p", "if", "a-b", "`", "a``", "Größe", "0", "lamp[0]"])
def test_any_name_can_be_quoted(name: str) -> None:
    variable = bit(name)
    assert parse_formula(quoted_name(name), Names({name: variable})) is variable


# -- effects ------------------------------------------------------------------------------------------


def effects(key: str, text: str) -> dict[str, Expression]:
    return parse_effects(parse_targets(key, NAMES), text, NAMES)


@given(states())
def test_an_index_chooses_the_member_that_changes(state: State) -> None:
    found = effects("lamp[m]", "not lamp[m] and (p or lamp[clip(0..4, m + 1)])")
    assert list(found) == [lamp.name for lamp in LAMPS]
    for number, lamp in enumerate(LAMPS):
        after = min(number + 1, 4)
        there = not state[lamp.name] and (state["p"] or state[f"lamp{after}"])
        assert found[lamp.name].at(state) is (there if state["m"] == number else state[lamp.name])


def test_the_chosen_member_is_read_without_looking_at_the_others() -> None:
    found = effects("lamp[m]", "not lamp[m]")
    assert [leaf.name for leaf in leaves(found["lamp3"])] == ["m", "lamp3"]


@given(states())
def test_a_counter_changes_many_members(state: State) -> None:
    shifted = effects("lamp[i + 1] for i in 0..3", "lamp[i] xor m == i")
    assert list(shifted) == ["lamp1", "lamp2", "lamp3", "lamp4"]
    for number in range(4):
        assert shifted[f"lamp{number + 1}"].at(state) is (state[f"lamp{number}"] ^ (state["m"] == number))


def test_other_targets() -> None:
    assert list(effects("p", "q")) == ["p"]
    assert list(effects("lamp[2]", "q")) == list(effects("lamp2", "q")) == ["lamp2"]
    assert list(effects("lamp[clip(1..2, n)]", "q")) == ["lamp1", "lamp2"]
    assert effects("level[2 - 1]", "level[1] + 1")["level1"].at({"level1": 1}) == 2
    assert effects("if", "true")["if"].at({}) is True
    assert list(effects("`if`", "p")) == ["if"]


# -- errors -------------------------------------------------------------------------------------------

HERE = "; names: p, q, n, m, if, lamp, level, slip"
REFUSED = {
    "": "the formula is empty",
    " ": "the formula is empty",
    "p = q": 'column 3: "=" is no sign of formulas; write "=="',
    "p && q": 'column 4: expected a value, found "&"',
    "p | ": "column 5: expected a value, found the end",
    "p !q": 'column 3: expected an operator or the end, found "!"',
    "p == !q": 'column 6: put parentheses around "not …"',
    "n * 2 == 1": 'column 3: "*" is no sign of formulas',
    "n ≤ 2": 'column 3: "≤" is no sign of formulas; write "<="',
    "n == 1.5": 'column 7: "." is no sign of formulas',
    "`": 'column 1: "`" is no sign of formulas',
    "lmap[3]": f'column 1: "lmap" is not known (did you mean "lamp"?){HERE}',
    "p and lamp33": f'column 7: "lamp33" is not known (did you mean "lamp3"?){HERE}',
    "True": f'column 1: "True" is not known (did you mean "true"?){HERE}',
    "p\n and zzz": f'line 2, column 6: "zzz" is not known{HERE}',
    "z" * 70: f'column 1: "{"z" * 59}…" is not known{HERE}',
    "p and": "column 6: expected a value, found the end",
    "and p": 'column 1: expected a value, found "and"',
    "p q": 'column 3: expected an operator or the end, found "q"',
    "p)": 'column 2: expected an operator or the end, found ")"',
    "(p and (q)": 'column 11: expected ")" for the "(" at column 1, found the end',
    "lamp[3": 'column 7: expected "]" for the "[" at column 5, found the end',
    "lamp[3)": 'column 7: expected "]" for the "[" at column 5, found ")"',
    "if p then q": 'column 12: expected "else", found the end',
    "if p else q": 'column 6: expected "then", found "else"',
    "p and if q then p else q": 'column 7: put parentheses around "if … then … else …"',
    "p == not q": 'column 6: put parentheses around "not …"',
    "0 < n < 3": "column 7: comparisons cannot be chained; join two of them by and",
    "n": 'column 1: expected a condition here; "n" is a number',
    "n and p": 'column 1: and needs a condition; "n" is a number',
    "p and n + 1": 'column 7: and needs a condition; "n + 1" is a number',
    "not n": 'column 5: not needs a condition; "n" is a number',
    "p + 1 == 2": 'column 1: + needs a number; "p" is a condition',
    "-p == 1": 'column 2: - needs a number; "p" is a condition',
    "p < q": 'column 1: < needs a number; "p" is a condition',
    "p == 1": 'column 3: == needs two of one kind; "p" is a condition, "1" is a number',
    "if n then p else q": 'column 4: if needs a condition; "n" is a number',
    "if p then n else q": 'column 1: then … else needs two of one kind; "n" is a number, "q" is a condition',
    "all(p, n)": 'column 8: and needs a condition; "n" is a number',
    "all()": 'column 5: expected a value, found ")"',
    "all p": 'column 5: expected "(", found "p"',
    "any(p, q for i in 0..1)": 'column 6: expected an operator or "for", found ","',
    "any(lamp[i] for i in 0..5)": 'column 10: "lamp" has the members 0 to 4; the index can be 5',
    "any(p for i in 3..2)": "column 16: the range from 3 to 2 is empty",
    "any(p for i in n)": 'column 16: expected a range such as 0..9, found "n"',
    "any(p for i in 0)": 'column 16: expected a range such as 0..9, found "0"',
    "any(p for n in 0..2)": 'column 11: "n" has a meaning already; take another name after "for"',
    "any(any(p for i in 0..1) for i in 0..1)": 'column 15: "i" has a meaning already',
    "any(p for 3 in 0..2)": 'column 11: expected a name after "for", found "3"',
    "any(p for i of 0..2)": 'column 13: expected "in", found "of"',
    "p for i in 0..2": 'column 3: "for" belongs into all(…) and any(…)',
    "lamp": 'column 1: "lamp" is an array; its members are lamp[0] to lamp[4]',
    "n[0] == 1": 'column 2: "n" is one variable; only an array has members',
    "lamp[5]": 'column 6: "lamp" has the members 0 to 4; the index can be 5',
    "lamp[n]": 'column 6: "lamp" has the members 0 to 4; the index can be anything from -2 to 3',
    "lamp[m + 1]": 'column 6: "lamp" has the members 0 to 4; the index can be anything from 1 to 5',
    "lamp[p]": 'column 6: the index of lamp needs a number; "p" is a condition',
    "clip(p, 1) == 1": 'column 6: clip needs the name of a number or a range, found "p"',
    "clip(mm, 1) == 1": 'column 6: clip needs the name of a number or a range, found "mm" (did you',
    "clip(n, p) == 1": 'column 9: clip needs a number; "p" is a condition',
    "clip(n) == 1": "column 1: expected a range or a name, a comma and a number in clip",
    "clip(2..1, n) == 1": "column 6: the range from 2 to 1 is empty",
    "n == 1234567890123456789": "column 6: a number has 19 digits; at most 18 are read",
    "(" * 101 + "p" + ")" * 101: "column 101: the formula is nested more than 100 levels deep",
    "not " * 100 + "p": "column 401: the formula is nested more than 100 levels deep",
    "n" + " + n" * 100 + " == 1": "column 1: the formula is nested more than 100 levels deep",
    "if p then q else " * 100 + "p": "column 1687: the formula is nested more than 100 levels deep",
    "p" * (EXPRESSION + 1): f"the formula has {EXPRESSION + 1} characters; at most {EXPRESSION} are read",
    "p or q xor q and p == (" * 101: "nested",
    "any(p for i in 0..999999999999)": f"column 1: the formula has more than {MOST_PARTS} parts when arrays",
    "any(any(any(p for i in 0..99) for j in 0..99) for k in 0..99)": "column 1: the formula has more than",
    "p, q": 'column 1: expected one value, found "p, q"',
    "p if q": 'column 7: expected "else", found the end',
    "p if q then p else q": 'column 8: expected "else", found "then"',
    "p in q": 'column 3: expected an operator or the end, found "in"',
    "p == 0..3": 'column 6: expected one value, found "0..3"',
    "lamp[0][1]": "column 1: expected one value",
    "(p if q for i in 0..1)": 'column 22: expected "else", found ")"',
    "clip(0..9, 1, 2) == 1": "column 1: expected a range or a name, a comma and a number",
}
# Of more levels than any parser has room for: refused, and nothing falls down.
REFUSED |= dict.fromkeys(
    (
        "(" * EXPRESSION,
        "[" * EXPRESSION,
        "(" * (EXPRESSION // 2) + ")" * (EXPRESSION // 2),
        "p if " * (EXPRESSION // 5),
        "if " * (EXPRESSION // 3),
        "lamp[" * (EXPRESSION // 5),
        "not " * (EXPRESSION // 5) + "p",
        "-" * (EXPRESSION // 2) + "n",
        "n " + "+ n " * (EXPRESSION // 5),
        "p if q else " * (EXPRESSION // 13) + "p",
        "if p then q else " * (EXPRESSION // 18) + "p",
        "n " + "== n " * (EXPRESSION // 6),
        "n" + "[0]" * (EXPRESSION // 4),
    ),
    "",
)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:30])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(WorldError) as refused:
        parse_formula(text, NAMES)
    assert REFUSED[text] in str(refused.value)


PIECES = "p q n lamp level slip i 0 1 2 .. ( ) [ ] , + - == < not and or xor if then else clip all any for in"


@given(st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(WorldError):
        parse_formula(text, NAMES)
    with suppress(WorldError):
        parse_targets(text, NAMES)


def test_coins_and_numbers_where_they_do_not_belong() -> None:
    with pytest.raises(WorldError, match='column 7: "slip" is a coin, but only the state decides here'):
        parse_formula("p and slip", NAMES, coins=False)
    with pytest.raises(WorldError, match='column 1: expected a number here; "p and q" is a condition'):
        parse_formula("p and q", NAMES, "number")
    with pytest.raises(WorldError, match='column 1: expected a condition for "lamp1"; "i" is a number'):
        effects("lamp[i] for i in 1..2", "i")
    with pytest.raises(WorldError, match=f"more than {MOST_PARTS} parts when arrays are written out"):
        effects("lamp[i] for i in 0..4", "any(p for k in 0..29999)")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "expected the name of a variable, found nothing"),
        ("3", 'column 1: expected the name of a variable, found "3"'),
        ("slip", 'column 1: "slip" is no variable, and only variables change'),
        ("pp", 'column 1: "pp" is not known (did you mean "p"?)'),
        ("lamp", 'column 1: "lamp" is an array; its members are lamp[0] to lamp[4]'),
        ("n[2]", 'column 2: "n" is one variable'),
        ("lamp[n]", 'column 6: "lamp" has the members 0 to 4; the index can be anything from -2 to 3'),
        ("lamp[i]", 'column 6: "i" is not known'),
        ("lamp[i] for i in 0..5", 'column 6: "lamp" has the members 0 to 4; the index can be 5'),
        ("lamp[i] for i in 0..4 p", 'column 23: expected an operator or the end, found "p"'),
        ("lamp[i] p for i in 0..4", 'column 9: expected an operator or the end, found "p"'),
        ("lamp[0] and p", 'column 1: expected the name of a variable, found "lamp[0] and p"'),
        ("i for i in 0..4", 'column 1: "i" is no variable, and only variables change'),
    ],
)
def test_what_cannot_be_changed(key: str, message: str) -> None:
    with pytest.raises(WorldError) as refused:
        parse_targets(key, NAMES)
    assert message in str(refused.value)


def near(column: int, row: int) -> bool:
    return abs(column - row) < 2


def doubled(whole: Expression, times: int) -> Expression:
    """Return an expression with few parts, most of which are shared."""
    for _ in range(times):
        whole = Join("&|"[_ % 2], (whole, whole))
    return whole


UNWRITABLE: dict[str, tuple[Callable[[], Expression], Kind | None, str]] = {
    "own function": (
        lambda: lift(near)(N, M),
        None,
        "the Python function near cannot be written as a formula: known are and, or, xor, not, if, clip, ==,",
    ),
    "lambda": (lambda: P & lift(lambda n: n > 1)(N), None, "the Python function <lambda> cannot be written"),
    "own partial": (
        lambda: lift(partial(near, 1))(N),
        None,
        "the Python function functools.partial(<function",
    ),
    "clipped bit": (lambda: P.clip(N), None, "the Python function functools.partial(<function clipped"),
    "clipped floats": (lambda: Lifted(partial(clipped, 0.5, 2.5), (N,)), None, "cannot be written"),  # type: ignore[arg-type]
    "one argument": (lambda: lift(operator.sub)(N), None, "the Python function sub cannot be written"),
    "fraction": (lambda: N + 0.5, None, "0.5 cannot be written as a formula: a value is true, false, or"),  # type: ignore[operator]
    "digits": (lambda: N + 10**18, None, "1000000000000000000 cannot be written"),
    "number joined": (lambda: N & P, None, 'and needs a condition, true or false; found the number "n"'),
    "number chooses": (
        lambda: N.then(P, Q),
        None,
        'then needs a condition, true or false; found the number "n"',
    ),
    "two kinds": (lambda: P.then(N, Q), None, "a choice between a condition and a number cannot be written"),
    "kind": (lambda: N + 1, "condition", 'expected a condition; "n + 1" is a number'),
    "long": (lambda: doubled(P, 30), None, "an expression of more than 100000 characters cannot be written"),
    "deep": (lambda: doubled(P, 5000), None, "nested more than 100 levels deep cannot be written"),
    "wide": (
        lambda: Join("&", (P,) * (EXPRESSION + 1)),
        None,
        "an expression of more than 100000 characters",
    ),
}


@pytest.mark.parametrize(("make", "kind", "message"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_what_cannot_be_written(make: Callable[[], Expression], kind: Kind | None, message: str) -> None:
    with pytest.raises(InputError) as refused:
        written_formula(make(), kind=kind)
    assert message in str(refused.value)


# -- the largest formulas -----------------------------------------------------------------------------

DEEP = {
    "sum": "m" + " + 0" * 97 + " == 1",
    "cases": "if p then q else " * 98 + "m == 1",
    "parentheses": "(" * 98 + "m == 1" + ")" * 98,
    "index": "lamp[" + "if p then 0 else " * 93 + "1]",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_the_deepest_formulas_work_everywhere(text: str) -> None:
    whole = parse_formula(text, NAMES)
    again = parse_formula(written_formula(whole, NAMES.arrays), NAMES)
    state: dict[str, Any] = {"p": False, "m": 1, "lamp1": True}
    assert whole.at(state) is again.at(state) is pickle.loads(pickle.dumps(whole)).at(state) is True
    manager = new_manager(1 << 16)
    manager.add_vars(20)
    where = iter(manager.var(level) for level in range(20))
    given = {v.name: {v.domain[0]: ~(bit := next(where)), v.domain[1]: bit} for v in (P, Q, M, *LAMPS)}
    assert Lifting(manager, given).holds(whole, "here").satisfiable()


def test_a_numpy_number_is_written_as_a_plain_one() -> None:
    assert written_formula(expression_of(np.int64(3)) + N) == "3 + n"


def expression_of(value: Any) -> Expression:
    return Constant(value)


def test_all_states_of_a_choice() -> None:
    whole = parse_formula("if p and not q then n + 1 else clip(n, m - 1)", NAMES, "number")
    for p, q, n, m in product((False, True), (False, True), N.domain, M.domain):
        expected = n + 1 if p and not q else max(-2, min(3, m - 1))
        assert whole.at({"p": p, "q": q, "n": n, "m": m}) == expected


def test_a_coin_that_cannot_fall_two_ways_has_a_name_too() -> None:
    names = Names({"p": P}, coins={"never": coin("never", 0)})
    assert parse_formula("p and not never", names).at({"p": True}) is True
