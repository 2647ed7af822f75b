"""The automaton as a value, against automata-lib, brute force over words, and its own text forms."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from automata.fa import dfa as automata_lib
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import InputError, TaskError
from demospec.tasks import DFA
from strategies import AB, all_words, dfas, witness, words

TRUTH = ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2"


# -- language algebra ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs", "logic"),
    [
        (DFA.__and__, automata_lib.DFA.intersection, lambda p, q: p and q),
        (DFA.__or__, automata_lib.DFA.union, lambda p, q: p or q),
        (DFA.__sub__, automata_lib.DFA.difference, lambda p, q: p and not q),
        (DFA.__xor__, automata_lib.DFA.symmetric_difference, lambda p, q: p != q),
    ],
    ids=["and", "or", "sub", "xor"],
)
@given(a=dfas(), b=dfas(), word=words())
def test_algebra_is_logic_on_every_word_and_agrees_with_automata_lib(
    ours: Callable[[DFA, DFA], DFA],
    theirs: Callable[[automata_lib.DFA, automata_lib.DFA], automata_lib.DFA],
    logic: Callable[[bool, bool], bool],
    a: DFA,
    b: DFA,
    word: tuple[str, ...],
) -> None:
    combined = ours(a, b)
    assert combined.accepts(word) == logic(a.accepts(word), b.accepts(word))
    assert witness(combined) == theirs(witness(a), witness(b))


@given(dfas(), words())
def test_complement_negates_every_word_and_is_an_involution(dfa: DFA, word: tuple[str, ...]) -> None:
    assert (~dfa).accepts(word) != dfa.accepts(word)
    assert witness(~dfa) == witness(dfa).complement()
    assert ~~dfa == dfa
    assert (dfa & ~dfa).is_empty()
    assert (~(dfa | ~dfa)).is_empty()


@given(dfas(), dfas())
def test_de_morgan(a: DFA, b: DFA) -> None:
    assert ~(a & b) == ~a | ~b
    assert a - b == a & ~b
    assert a ^ b == (a - b) | (b - a)


@given(dfas())
def test_empty_exactly_when_no_word_shorter_than_the_number_of_states_is_accepted(dfa: DFA) -> None:
    assert dfa.is_empty() == (not any(dfa.accepts(word) for word in all_words(AB, dfa.states - 1)))
    assert dfa.is_empty() == witness(dfa).isempty()


@given(dfas())
def test_shortest_word_is_the_first_accepted_by_length_then_alphabet(dfa: DFA) -> None:
    expected = next((word for word in all_words(AB, dfa.states - 1) if dfa.accepts(word)), None)
    assert dfa.shortest_word() == expected


@given(dfas(max_states=4), dfas(max_states=4))
def test_separating_word_is_the_first_of_all_words_that_tells_the_two_apart(a: DFA, b: DFA) -> None:
    # automata with p and q states that differ, differ on a word of length p + q − 2 or less: here 6
    differing = (word for word in all_words(AB, 6) if a.accepts(word) != b.accepts(word))
    assert a.separating_word(b) == next(differing, None)


def test_separating_word_can_be_as_long_as_the_automata_allow() -> None:
    multiple_of_3 = DFA.parse(">*0: a→1 | 1: a→2 | 2: a→0")
    multiple_of_4 = DFA.parse(">*0: a→1 | 1: a→2 | 2: a→3 | 3: a→0")
    assert multiple_of_3.separating_word(multiple_of_4) == ("a",) * 3
    none_below_3 = DFA.parse(">0: a→1 | 1: a→2 | 2: a→3 | *3:")
    assert none_below_3.separating_word(DFA.constant("a", False)) == ("a",) * 3


@given(dfas(), dfas())
def test_implies_is_language_inclusion(a: DFA, b: DFA) -> None:
    assert a.implies(b) == witness(a).issubset(witness(b))
    assert (a & b).implies(a)
    assert a.implies(a | b)
    assert (a.implies(b) and b.implies(a)) == (a == b)


def test_tasks_over_different_letters_do_not_combine() -> None:
    ab, abc = DFA.constant("ab", True), DFA.constant("abc", True)
    for combine in (DFA.__and__, DFA.__or__, DFA.__sub__, DFA.__xor__, DFA.implies, DFA.separating_word):
        with pytest.raises(TaskError, match="a, b and a, b, c"):
            combine(ab, abc)


# -- canonical form -----------------------------------------------------------------------------------


@given(dfas(max_states=6))
def test_minimal_keeps_the_language_and_has_as_many_states_as_automata_lib_finds(dfa: DFA) -> None:
    assert witness(dfa.minimal) == witness(dfa)
    assert dfa.minimal.states == len(witness(dfa).minify().states)


@given(dfas(max_states=4))
def test_minimal_has_one_state_for_each_residual_language(dfa: DFA) -> None:
    reached = {dfa.run(word) for word in all_words(AB, dfa.states - 1)}
    probes = list(all_words(AB, dfa.states))
    residuals = {tuple(dfa.accepting[dfa.run(probe, state)] for probe in probes) for state in reached}
    assert dfa.minimal.states == len(residuals)


@given(dfas(max_states=6))
def test_minimal_is_idempotent_and_numbered_breadth_first(dfa: DFA) -> None:
    once = dfa.minimal
    again = DFA(alphabet=once.alphabet, table=once.table, accepting=once.accepting).minimal
    assert (again.table, again.accepting, again.start) == (once.table, once.accepting, 0)
    first_seen = list(dict.fromkeys([0, *itertools.chain.from_iterable(once.table)]))
    assert first_seen == list(range(once.states))


@given(st.data())
def test_any_renumbering_of_the_states_has_the_identical_canonical_tables(data: st.DataObject) -> None:
    dfa = data.draw(dfas(max_states=6))
    new = data.draw(st.permutations(range(dfa.states)))
    old = {number: state for state, number in enumerate(new)}
    renumbered = DFA(
        alphabet=dfa.alphabet,
        table=tuple(tuple(new[t] for t in dfa.table[old[q]]) for q in range(dfa.states)),
        accepting=tuple(dfa.accepting[old[q]] for q in range(dfa.states)),
        start=new[dfa.start],
    )
    assert renumbered.minimal.table == dfa.minimal.table
    assert renumbered.minimal.accepting == dfa.minimal.accepting


@given(dfas(max_states=3), dfas(max_states=3))
def test_equal_and_of_equal_hash_exactly_when_the_languages_are_equal(a: DFA, b: DFA) -> None:
    same = all(a.accepts(word) == b.accepts(word) for word in all_words(AB, 4))
    assert (a == b) == same
    assert (a != b) == (not same)
    assert len({a, b}) == (1 if same else 2)
    assert (a | b) == (b | a)
    assert hash(a | b) == hash(b | a)


def test_the_same_tables_over_another_alphabet_are_another_task() -> None:
    assert DFA.constant("ab", True) != DFA.constant("ac", True)
    assert DFA.constant("ab", True) != "everything"


@given(dfas(alphabet=("a", "b", "c")), st.permutations(("a", "b", "c")))
def test_the_order_of_the_alphabet_does_not_matter(dfa: DFA, order: list[str]) -> None:
    document = {**dfa.to_json(), "alphabet": order}
    assert DFA.from_json(document) == dfa
    assert DFA.from_json(document).alphabet == ("a", "b", "c")
    assert DFA.parse(str(dfa), order) == dfa
    assert DFA.decode(dfa.encode(), order) == dfa


@pytest.mark.parametrize("accept", [True, False])
def test_a_constant_task_accepts_every_word_or_none(accept: bool) -> None:
    for alphabet in ("ba", ["b", "a"], {"a", "b"}):
        dfa = DFA.constant(alphabet, accept)
        assert {dfa.accepts(word) for word in all_words(AB, 3)} == {accept}


def test_a_constant_task_takes_its_letters_from_any_iterable() -> None:
    assert DFA.constant(iter("ab"), True) == DFA.constant("ab", True)


# -- a value: immutable, picklable --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["alphabet", "table", "accepting", "start", "size"])
def test_no_attribute_can_be_set(name: str) -> None:
    dfa = DFA.parse(TRUTH)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(dfa, name, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(dfa, name)


@given(dfas())
def test_algebra_leaves_its_operands_as_they_are(dfa: DFA) -> None:
    before = (dfa.alphabet, dfa.table, dfa.accepting, dfa.start)
    _ = (~dfa, dfa & dfa, dfa ^ dfa, dfa.minimal, hash(dfa), dfa.size)
    assert (dfa.alphabet, dfa.table, dfa.accepting, dfa.start) == before


@given(dfas(), st.booleans())
def test_pickling_keeps_tables_equality_and_hash(dfa: DFA, used: bool) -> None:
    if used:  # what has been computed and kept must not get in the way
        _ = (hash(dfa), dfa.size, dfa.minimal, dfa.column)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy: DFA = pickle.loads(pickle.dumps(dfa, protocol))
        assert (copy.table, copy.accepting, copy.start) == (dfa.table, dfa.accepting, dfa.start)
        assert copy == dfa
        assert hash(copy) == hash(dfa)


def test_a_task_pickled_by_another_process_still_hashes_by_language() -> None:
    # strings hash differently in each process, so a hash must not travel along
    code = (
        "import pickle, sys; from demospec.tasks import DFA; "
        f"d = DFA.parse({TRUTH!r}); hash(d); sys.stdout.buffer.write(pickle.dumps(d))"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
        sent = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        arrived: DFA = pickle.loads(sent.stdout)
        assert arrived == DFA.parse(TRUTH)
        assert hash(arrived) == hash(DFA.parse(TRUTH))


# -- task files and text ------------------------------------------------------------------------------


@given(dfas(max_states=6))
def test_json_round_trip_keeps_the_tables(dfa: DFA) -> None:
    back = DFA.from_json(json.loads(json.dumps(dfa.to_json())))
    assert (back.alphabet, back.table, back.accepting, back.start) == (
        dfa.alphabet,
        dfa.table,
        dfa.accepting,
        dfa.start,
    )


def test_the_task_file_of_the_contract() -> None:
    document = {
        "kind": "dfa",
        "alphabet": ["b", "g", "r", "y"],
        "states": 3,
        "start": 0,
        "accepting": [1],
        "transitions": [[0, "y", 1], [0, "r", 2], [1, "r", 2]],
    }
    dfa = DFA.from_json(document)
    assert dfa == DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", "bgry")
    assert not dfa.accepts("b")  # what is not listed is a self loop
    assert dfa.accepts("bgyb")
    assert not dfa.accepts("yr")
    assert dfa.to_json() == {**document, "transitions": [[0, "r", 2], [0, "y", 1], [1, "r", 2]]}
    assert DFA.from_json({key: value for key, value in document.items() if key != "start"}) == dfa


@given(dfas(max_states=6))
def test_one_line_round_trip_keeps_the_tables(dfa: DFA) -> None:
    back = DFA.parse(str(dfa), dfa.alphabet)
    assert (back.table, back.accepting, back.start) == (dfa.table, dfa.accepting, dfa.start)
    assert DFA.parse(str(dfa).replace("→", "->"), dfa.alphabet).table == dfa.table
    assert DFA.parse(str(dfa).replace(" | ", "\n"), dfa.alphabet).table == dfa.table
    assert repr(dfa) == f"DFA({str(dfa)!r})"


def test_one_line_form_is_as_documented() -> None:
    dfa = DFA.build(
        alphabet="bgry",
        states=4,
        accepting=[1],
        transitions=[(0, "b", 3), (0, "r", 2), (0, "y", 1), (1, "r", 2), (3, "g", 0), (3, "r", 2)],
    )
    assert str(dfa) == TRUTH
    assert DFA.parse(TRUTH) == dfa
    assert DFA.parse("  > 0 :b -> 3,r->2, y  →1|* 1: r→2 |2:|3: g→0 , r→2  ") == dfa
    assert DFA.parse("* > 0: longer→1 | 1:").alphabet == ("longer",)


@pytest.mark.parametrize("letters", [("-", ">"), ("*", "#"), ("a:b", "→"), (",", "|"), ("go home", "x")])
def test_one_line_round_trip_whatever_the_letters_look_like(letters: tuple[str, str]) -> None:
    dfa = DFA.build(
        alphabet=letters,
        states=2,
        accepting=[1],
        transitions=[(0, letters[0], 1), (0, letters[1], 1), (1, letters[0], 0)],
    )
    assert DFA.parse(str(dfa), letters) == dfa


@given(dfas(max_states=5))
def test_pretty_has_one_line_for_each_state_with_marks_and_every_change(dfa: DFA) -> None:
    lines = dfa.pretty().split("\n")
    assert len(lines) == dfa.states
    for state, line in enumerate(lines):
        assert (f"(({state}))" in line) == ("accepting" in line) == dfa.accepting[state]
        assert f"({state})" in line
        assert line.startswith("─▸") == ("start" in line) == (state == dfa.start)
        drawn = set()
        for arrow in line.split("──▸ ")[:-1]:
            target = int(line[line.index(arrow + "──▸ ") + len(arrow) + 4 :].split()[0])
            drawn |= {(state, letter, target) for letter in arrow.split("──")[-1].split(",")}
        assert drawn == {change for change in dfa.changes() if change[0] == state}
        assert ("stays for ever" in line) == (not drawn)


def test_pretty_example() -> None:
    assert DFA.parse(">0: a→1, b→1 | *1: a→0 | 2:").pretty() == "\n".join(
        [
            "─▸  (0)   ──a,b──▸ 1   [start]",
            "   ((1))  ──a──▸ 0   [accepting]",
            "    (2)   [stays for ever]",
        ]
    )


# -- refusals -----------------------------------------------------------------------------------------


GOOD: dict[str, Any] = {
    "alphabet": "ab",
    "states": 2,
    "accepting": [1],
    "transitions": [(0, "a", 1), (1, "b", 0)],
}


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"alphabet": ""}, "alphabet is empty"),
        ({"alphabet": "aba"}, 'alphabet lists "a" twice'),
        ({"states": 0}, "at least one state; found 0"),
        ({"states": -3}, "found -3"),
        ({"start": 2}, "start state 2 is not among the states 0 to 1"),
        ({"start": -1}, "start state -1 is not"),
        ({"accepting": [0, 5]}, "accepting state 5 is not among the states 0 to 1"),
        ({"transitions": [(2, "a", 0)]}, 'transition 2 -"a"→ 0: source 2 is not among the states 0 to 1'),
        ({"transitions": [(0, "b", 7)]}, 'transition 0 -"b"→ 7: target 7 is not among the states 0 to 1'),
        ({"transitions": [(0, "x", 1)]}, 'letter "x" is not in the alphabet a, b'),
        (
            {"transitions": [(0, "a", 1), (0, "a", 0)]},
            'state 0 has two transitions for letter "a": to 1 and to 0',
        ),
    ],
)
def test_build_refuses_and_names_the_culprit(change: dict[str, Any], culprit: str) -> None:
    DFA.build(**GOOD)
    with pytest.raises(TaskError) as refusal:
        DFA.build(**{**GOOD, **change})
    assert culprit in str(refusal.value)
    assert isinstance(refusal.value, InputError)


def test_build_takes_a_transition_that_is_listed_twice_alike() -> None:
    assert DFA.build(**{**GOOD, "transitions": [(0, "a", 1), (1, "b", 0), (0, "a", 1)]}) == DFA.build(**GOOD)


def test_build_suggests_the_nearest_letter() -> None:
    with pytest.raises(TaskError, match='did you mean "water"'):
        DFA.build(alphabet=["water", "lava"], states=1, accepting=[], transitions=[(0, "watre", 0)])


TABLES: dict[str, Any] = {"alphabet": ("a", "b"), "table": ((0, 1), (1, 0)), "accepting": (True, False)}


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        ({"alphabet": ()}, "alphabet is empty"),
        ({"alphabet": ("b", "a")}, "found b, a"),
        ({"alphabet": ("a", "a")}, "found a, a"),
        ({"table": (), "accepting": ()}, "at least one state"),
        ({"accepting": (True,)}, "1 acceptance marks for 2 states"),
        ({"start": 2}, "start state 2"),
        ({"table": ((0, 1), (1,))}, "state 1 has 1 transitions for 2 letters"),
        ({"table": ((0, 1), (1, 9))}, 'state 1, letter "b": target 9'),
        ({"table": ((0, -1), (1, 0))}, 'state 0, letter "b": target -1'),
    ],
)
def test_tables_are_checked_and_the_culprit_named(change: dict[str, Any], culprit: str) -> None:
    DFA(**TABLES)
    with pytest.raises(TaskError) as refusal:
        DFA(**{**TABLES, **change})
    assert culprit in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "culprit"),
    [
        ("", "part 1"),
        (">0: a→1 | one: b→0", 'part 2, "one: b→0"'),
        (">0: a→1 | 0: b→0", "part 2: state 0 is written twice"),
        (">0: a=1 | 1:", 'state 0, "a=1"'),
        ("0: a→1 | 1:", "found 0"),
        (">0: a→1 | >1:", "found 2"),
        (">0: a→2 | 2:", "states must be numbered 0 to 1; found 0, 2"),
        (">0: a→3 | *1:", "target 3"),
        (">0: a→1, a→0 | *1:", 'two transitions for letter "a"'),
        (">*0:", "needs its alphabet"),
    ],
)
def test_parse_refuses_and_names_the_culprit(line: str, culprit: str) -> None:
    with pytest.raises(TaskError) as refusal:
        DFA.parse(line)
    assert culprit in str(refusal.value)


def test_a_word_with_a_foreign_letter_is_refused_with_the_letter_named() -> None:
    with pytest.raises(TaskError, match='letter "z" is not in the alphabet a, b'):
        DFA.constant("ab", True).accepts("abz")
