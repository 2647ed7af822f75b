"""Composites: their language against their parts, their bits read back, their text and files."""

from __future__ import annotations

import dataclasses
import itertools
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import demospec
from demospec.errors import InputError, TaskError
from demospec.explain.setup import resolve
from demospec.files import load_task
from demospec.plan.monitor import make_monitor
from demospec.report.documents import dumps, task_document
from demospec.report.pictures.automaton import automaton_svg
from demospec.tasks import DFA, Composite, Operator
from demospec.tasks.dfa import size
from strategies import AB, all_words, dfas, words

OPERATORS: tuple[Operator, ...] = ("and", "or")
LAVA = DFA.parse(">*0: r→1 | 1:", "bgry")
RECHARGE = DFA.parse(">0: b→1, y→2 | 1: g→0 | *2:", "bgry")
TASK = Composite.of("and", [RECHARGE, LAVA])

operators = st.sampled_from(OPERATORS)
several = st.lists(dfas(max_states=3), min_size=1, max_size=4)


def as_composite(task: DFA) -> Composite:
    assert isinstance(task, Composite)
    return task


# -- language and parts -------------------------------------------------------------------------------


@given(operators, several, words())
def test_a_word_is_accepted_when_every_part_or_some_part_accepts_it(
    operator: Operator, parts: list[DFA], word: tuple[str, ...]
) -> None:
    task = Composite.of(operator, parts)
    assert task.accepts(word) == (all if operator == "and" else any)(part.accepts(word) for part in parts)


@given(operators, several)
def test_no_part_can_be_left_out_and_all_are_minimal(operator: Operator, parts: list[DFA]) -> None:
    task = Composite.of(operator, parts)
    if not isinstance(task, Composite):
        assert task in parts
        assert task.size == task.minimal.size
        return
    assert len(task.parts) > 1
    assert set(task.parts) <= set(parts)
    for part in task.parts:
        assert part.minimal is part
        assert Composite.of(operator, [one for one in task.parts if one is not part]) != task
    assert [part.size for part in task.parts] == sorted(part.size for part in task.parts)


@given(operators, several)
def test_the_table_is_that_of_the_minimal_automaton(operator: Operator, parts: list[DFA]) -> None:
    task = Composite.of(operator, parts)
    rebuilt = DFA(alphabet=task.alphabet, table=task.table, accepting=task.accepting).minimal
    assert (rebuilt.table, rebuilt.accepting) == (task.table, task.accepting)


@given(operators, dfas(), dfas())
def test_parts_that_change_nothing_are_dropped(operator: Operator, a: DFA, b: DFA) -> None:
    neutral = DFA.constant(AB, operator == "and")
    assert type(Composite.of(operator, [a])) is DFA
    assert type(Composite.of(operator, [a, a, neutral])) is DFA
    assert Composite.of(operator, [a, a, neutral]) == a
    assert Composite.of(operator, [a, ~neutral]) == ~neutral
    weaker = a | b if operator == "and" else a & b
    assert type(Composite.of(operator, [a, weaker])) is DFA
    assert Composite.of(operator, [a, weaker]) == a


def test_of_parts_that_can_each_be_left_out_the_larger_goes() -> None:
    p, q, r = (DFA.parse(line, "abc") for line in (">*0: a→1 | 1:", ">*0: b→1 | 1:", ">*0: c→1 | 1:"))
    # without the last of them, p & q is needed for q, and p is not needed any more
    assert as_composite(Composite.of("and", [q & r, p, p & q, r])).parts == (r, p & q)


def test_parts_joined_by_the_same_operator_are_taken_apart_and_others_are_not() -> None:
    p, q, r = (DFA.parse(line, "abc") for line in (">*0: a→1 | 1:", ">*0: b→1 | 1:", ">*0: c→1 | 1:"))
    pair = Composite.of("and", [p, q])
    assert as_composite(Composite.of("and", [pair, r])).parts == (p, q, r)
    mixed = as_composite(Composite.of("or", [pair, r]))
    assert mixed.parts == (r, pair)
    assert type(mixed.parts[1]) is DFA


# -- equality, algebra, pickling ------------------------------------------------------------------------


def test_a_composite_is_equal_to_the_automaton_of_its_language_but_has_a_size_of_its_own() -> None:
    whole = LAVA & RECHARGE
    assert TASK == whole == TASK.minimal
    assert hash(TASK) == hash(whole)
    assert type(TASK.minimal) is DFA
    assert (LAVA.size, RECHARGE.size, TASK.size, whole.size, TASK.minimal.size) == (15, 33, 49, 51, 51)
    assert TASK in {whole}


@given(operators, several)
def test_the_complement_has_the_complements_of_the_parts_and_the_same_size(
    operator: Operator, parts: list[DFA]
) -> None:
    task = Composite.of(operator, parts)
    other = ~task
    assert other == ~task.minimal
    assert other.size == task.size
    assert type(other) is type(task)
    if isinstance(task, Composite) and isinstance(other, Composite):
        assert {other.operator, task.operator} == {"and", "or"}
        assert {~part for part in other.parts} == set(task.parts)


def test_the_algebra_of_languages_forgets_parts() -> None:
    for made in (TASK & LAVA, TASK | LAVA, TASK - LAVA, TASK ^ LAVA):
        assert type(made) is DFA
    assert TASK & LAVA == TASK


def test_a_composite_can_be_pickled() -> None:
    copy = pickle.loads(pickle.dumps(TASK))
    assert (copy, copy.size, repr(copy)) == (TASK, TASK.size, repr(TASK))


def test_it_is_made_of_its_parts_only() -> None:
    with pytest.raises(TaskError, match=r"Composite\.of makes one"):
        Composite(
            alphabet=TASK.alphabet,
            table=TASK.table,
            accepting=TASK.accepting,
            operator="or",
            members=(LAVA, RECHARGE),
        )
    with pytest.raises(dataclasses.FrozenInstanceError):
        as_composite(TASK).operator = "or"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("operator", "parts", "message"),
    [
        ("xor", [LAVA, RECHARGE], 'joined by "and" or "or"; found "xor"'),
        ("and", [], "at least one part"),
        ("and", [LAVA, DFA.parse(">0: a→1 | *1:")], "different letters"),
    ],
)
def test_what_cannot_be_joined_is_refused(operator: Operator, parts: list[DFA], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Composite.of(operator, parts)


# -- bits -----------------------------------------------------------------------------------------------


@given(operators, several)
def test_bits_have_the_length_of_the_size_and_read_back(operator: Operator, parts: list[DFA]) -> None:
    task = Composite.of(operator, parts)
    bits = task.encode()
    assert len(bits) == task.size
    again = Composite.decode(bits, AB, operator)
    assert (again, str(again), type(again)) == (
        task,
        str(task.minimal if type(task) is DFA else task),
        type(task),
    )


@pytest.mark.parametrize("letters", ["a", "ab", "abcde"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_no_two_tasks_have_the_same_bits(
    letters: str, operator: Operator, small_languages: list[DFA]
) -> None:
    if letters == "ab":
        parts = small_languages[2:60]
    else:  # numbers of states of each width, and all that leaves the start
        chain = [f"{'>*' if q == 0 else ''}{q}: a→{(q + 1) % 9}" for q in range(9)]
        stars = [f">*0: {letter}→1 | 1:" for letter in letters] + [
            f">0: {letter}→1 | *1:" for letter in letters
        ]
        cycles = [
            ">*0: a→1 | 1: a→0",
            ">*0: a→1 | 1: a→2 | 2: a→0",
            ">0: a→1 | 1: a→2 | *2:",
            " | ".join(chain),
        ]
        parts = [DFA.parse(line, letters).minimal for line in stars + cycles]
    seen: dict[str, str] = {}
    for chosen in [*itertools.combinations(parts, 2), *itertools.combinations(parts[::4], 3)]:
        task = Composite.of(operator, chosen)
        bits = task.encode()
        assert len(bits) == task.size
        assert seen.setdefault(bits, str(task)) == str(task)
        assert str(Composite.decode(bits, letters, operator)) == str(task)
    assert sum("(" in text for text in seen.values()) >= 10


def test_the_size_is_the_sum_of_the_parts_and_one_bit_between_two() -> None:
    assert TASK.size == size(2, 4, 1, 1) + 1 + size(3, 4, 1, 3)
    three = Composite.of("and", [DFA.parse(f">*0: {letter}→1 | 1:", "abc") for letter in "abc"])
    assert three.size == 3 * size(2, 3, 1, 1) + 2


@pytest.mark.parametrize("cut", [0, 1, 5, 12, 13, 20, 30, 40])
def test_bits_that_end_too_soon_are_refused_or_mean_something_else(cut: int) -> None:
    try:
        found = Composite.decode(TASK.encode()[:cut], "bgry")
    except TaskError:
        return
    assert found.size <= cut


# -- text -----------------------------------------------------------------------------------------------


@given(operators, several)
def test_text_reads_back(operator: Operator, parts: list[DFA]) -> None:
    task = Composite.of(operator, parts)
    again = Composite.parse(str(task), AB)
    assert (again, again.size, str(again)) == (task, task.size, str(task))


def test_the_text_form() -> None:
    line = "(>*0: r→1 | 1:) and (>0: b→1, y→2 | 1: g→0 | *2:)"
    assert str(TASK) == line
    assert repr(TASK) == f"Composite({line!r})"
    assert Composite.parse(line).alphabet == ("b", "g", "r", "y")  # without one, all letters that occur
    assert str(Composite.parse(" ( >*0: r->1|1: )  and\n(>0: b->1, y->2 | 1: g->0 | *2: ) ")) == line
    assert TASK.pretty().splitlines() == [*LAVA.pretty().splitlines(), "and", *RECHARGE.pretty().splitlines()]
    assert type(Composite.parse(str(LAVA), "bgry")) is DFA


def test_letters_may_look_like_what_joins_parts() -> None:
    letters = [")", "(", ") and (", "and", 'a"b', "| or"]
    parts = [
        DFA.build(alphabet=letters, states=2, accepting=[0], transitions=[(0, letter, 1)])
        for letter in letters
    ]
    task = Composite.of("and", parts)
    assert len(as_composite(task).parts) == 6
    assert str(Composite.parse(str(task))) == str(task)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(>0: a→1 | *1:)", r'expected "\(part\) and \(part\)"'),
        ("(>0: a→1 | *1:) and (>0: b→1 | *1:", r'expected "\(part\) and \(part\)"'),
        ("(>0: a→1 | *1:) and (>0: b→1 | *1:) or (>*0: b→1 | 1:)", "cannot be mixed"),
        ("(>0: a→1 | *1:) and (>0: b→1 | *1: c→x)", 'automaton 2: state 1, "c→x"'),
        ("(>0: a→1 | *1:) and (>0: b→1 | *1: b→7)", "target 7 is not among the states 0 to 1"),
    ],
)
def test_text_that_is_no_task_is_refused(line: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Composite.parse(line, "abc")


# -- files ------------------------------------------------------------------------------------------------


def test_the_document_is_the_automatons_with_the_parts() -> None:
    document = TASK.to_json()
    assert DFA.from_json(document) == TASK
    assert {key: document[key] for key in TASK.minimal.to_json()} == TASK.minimal.to_json()
    assert document["operator"] == "and"
    assert document["parts"] == [LAVA.to_json(), RECHARGE.to_json()]


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_task_file_gives_the_composite_back(tmp_path: Path, operator: Operator) -> None:
    task = Composite.of(operator, [LAVA, RECHARGE])
    file = tmp_path / "task.json"
    file.write_text(dumps(task_document(task, size=task.size, weight=0.5)), encoding="utf-8")
    read = load_task(str(file))
    assert (repr(read), read.size, read) == (repr(task), task.size, task)
    assert repr(load_task(str(task), ("b", "g", "r", "y"))) == repr(task)
    file.write_text(dumps({"best": task.to_json()}), encoding="utf-8")
    assert repr(load_task(str(file))) == repr(task)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parts": None}, '"operator" is given without "parts"'),
        ({"operator": None}, '"parts" is given without "operator"'),
        ({"operator": "xor"}, 'operator: expected "and" or "or", found "xor"'),
        ({"operator": "or"}, 'the word "ε" is rejected, but its parts say otherwise'),
        ({"accepting": []}, 'the word "y" is rejected, but its parts say otherwise'),
        ({"parts": []}, "at least one part"),
        ({"parts": [{**LAVA.to_json(), "states": 1}]}, "not among the states 0 to 0"),
        ({"parts": [{**LAVA.to_json(), "parts": []}]}, 'unknown key "parts"'),
    ],
)
def test_a_task_file_that_contradicts_itself_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    file = tmp_path / "task.json"
    file.write_text(json.dumps({**TASK.to_json(), **change}), encoding="utf-8")
    with pytest.raises(InputError, match=message) as refusal:
        load_task(str(file))
    assert str(file) in str(refusal.value)


def test_a_problem_file_may_write_its_prior_in_parts(tmp_path: Path) -> None:
    text = demospec.problems.text("robot-paper").replace(
        "merge_repeats = true", f"merge_repeats = true\nimplies = '{TASK}'"
    )
    file = tmp_path / "problem.toml"
    file.write_text(text, encoding="utf-8")
    problem = demospec.load(file)
    assert repr(problem.prior) == repr(TASK)
    assert resolve(problem).prior_size == 49


# -- wherever an automaton goes -----------------------------------------------------------------------------


def test_a_composite_is_scored_like_its_automaton_but_for_its_own_size() -> None:
    problem = demospec.load_example("robot-paper")
    plain, score = demospec.score(problem, TASK.minimal), demospec.score(problem, TASK)
    assert score.task is TASK
    assert (score.size, plain.size) == (49, 51)
    assert score.surprise == plain.surprise
    assert plain.energy - score.energy == pytest.approx(2 * resolve(problem).weights.size_weight)


def test_a_composite_has_the_monitor_and_the_picture_of_its_automaton() -> None:
    ours, theirs = make_monitor(TASK, merge_repeats=True), make_monitor(TASK.minimal, merge_repeats=True)
    assert ours.table == theirs.table
    assert automaton_svg(TASK) == automaton_svg(TASK.minimal)


def test_every_short_word_is_read_as_both_parts_read_it() -> None:
    for word in all_words("bgry", 4):
        assert TASK.accepts(word) == (LAVA.accepts(word) and RECHARGE.accepts(word))
