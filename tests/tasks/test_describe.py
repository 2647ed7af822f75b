"""Tasks in words: what is said exactly is the task, what is said otherwise is implied."""

from __future__ import annotations

import itertools
import json
import pickle
import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demospec.tasks import DFA
from demospec.tasks.clauses import Clause, Clauses, instances, kinds, parse
from demospec.tasks.clauses.clause import conjoined
from demospec.tasks.words import Budget, Description, compare, describe, over
from demospec.tasks.words.clauses import any_list, candidates, candidates_of, implied, said_by
from demospec.tasks.words.description import told_by_state
from recovery.planted import TASKS
from strategies import all_words, dfas

ABC = ("a", "b", "c")
PAPER = ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2"


def random_tasks(count: int, letters: str, states: int) -> Iterator[DFA]:
    rng = np.random.default_rng(5)
    while count:
        moves = rng.integers(states, size=(states, len(letters))).tolist()
        stay = (rng.random((states, len(letters))) < 0.5).tolist()
        table = tuple(
            tuple(q if here else to for to, here in zip(*row, strict=True))
            for q, row in enumerate(zip(moves, stay, strict=True))
        )
        marks = tuple((rng.random(states) < 0.5).tolist())
        found = DFA(alphabet=tuple(letters), table=table, accepting=marks).minimal
        if found.states > 1:
            count -= 1
            yield found


def check_true(found: Description, task: DFA) -> None:
    """Check by the algebra of automata alone."""
    if found.exact == "always":
        assert any_list(found.alternatives, task.alphabet) == task
    else:
        assert found.exact is False
        (clauses,) = found.alternatives
        assert len(clauses) <= 5
        assert found.rest
        for clause in clauses:
            assert (task & ~clause.automaton(task.alphabet)).is_empty(), clause
    if found.formula is not None:
        assert DFA.from_formula(found.formula, task.alphabet) == task


@pytest.mark.parametrize("planted", TASKS, ids=lambda one: one.name)
def test_every_planted_task_is_said_exactly_in_at_most_five_clauses(planted) -> None:  # type: ignore[no-untyped-def]
    found = describe(planted.task)
    assert found.exact == "always"
    assert len(found.alternatives) == 1
    assert len(found.clauses) <= 5
    check_true(found, planted.task.minimal)


def test_the_papers_task_in_a_sentence() -> None:
    found = DFA.parse(PAPER).describe()
    assert found.sentence == "Never r; reach y with no b since g."
    assert parse(found.sentence.rstrip("."), "bgry").automaton == DFA.parse(PAPER)


def test_random_automata_are_described_truthfully() -> None:
    exact = 0
    for task in random_tasks(35, "abc", 4):
        found = describe(task)
        check_true(found, task)
        exact += found.exact == "always"
    assert 5 < exact < 35  # both sorts were seen


@settings(max_examples=25, deadline=None)
@given(dfas(alphabet=ABC, max_states=5))
def test_any_automaton_is_described_truthfully(task: DFA) -> None:
    check_true(describe(task, budget=Budget(formulas=300)), task.minimal)


def test_no_shorter_list_of_clauses_says_it() -> None:
    every = [
        clause
        for kind in kinds()
        for clause in instances(kind, kind.fewest, "abc")
        if kind.several != "letters" or len(clause.letters) < 4
    ]
    automata = {clause: clause.automaton(ABC) for clause in every}
    alone = set(automata.values())
    pairs = {
        (p & q).minimal
        for p, q in itertools.combinations(sorted(alone, key=str), 2)
        if p.states + q.states < 6
    }
    for task in random_tasks(60, "abc", 3):
        found = describe(task)
        if found.exact == "always" and len(found.alternatives) == 1:
            assert (len(found.clauses) == 1) or task not in alone
            assert (len(found.clauses) <= 2) or task not in pairs
        else:
            assert task not in alone
            assert task not in pairs


@pytest.mark.parametrize(
    "text",
    [
        "(a, then b) or (c, then d)",
        "(reach a; never b) or (reach c; never d)",
        "(start with a) or (end with b)",
        "(reach a) or (never b) or (c at least 3 times)",
    ],
)
def test_or_is_found_where_no_list_will_do(text: str) -> None:
    meant = parse(text, "abcd")
    found = describe(meant.automaton)
    every = candidates(meant.alphabet, meant.alphabet, meant.automaton.states)
    assert said_by(meant.automaton, implied(meant.automaton, meant.alphabet, every)) is None
    assert len(found.alternatives) == len(meant.alternatives)
    check_true(found, meant.automaton)
    assert parse(found.sentence.removeprefix("Either ").rstrip("."), "abcd").automaton == meant.automaton


def test_long_chains_and_large_numbers_are_found() -> None:
    for text in ("a, then b, then c, then a, then b", "a at most 14 times", "no a before b, then c, then b"):
        (clause,) = describe(parse(text, "abc").automaton).clauses
        assert clause.sentence == text


def test_constants() -> None:
    for accept, said, formula in ((True, "Anything.", "true"), (False, "Nothing at all.", "false")):
        found = describe(DFA.constant("ab", accept))
        assert (found.sentence, found.clauses, found.exact, found.formula) == (said, (), "always", formula)


def test_parity_has_words_but_no_formula() -> None:
    found = describe(DFA.parse(">*0: b→1 | 1: b→0", "bg"))
    assert (found.sentence, found.formula) == ("b an even number of times.", None)


def test_a_formula_is_found_where_clauses_say_too_little() -> None:
    task = DFA.from_formula("X[!] (a & X[!] b)", ("a", "b", "c"))
    found = describe(task)
    assert found.formula is not None
    check_true(found, task)
    wider = DFA.from_formula("X[!] X[!] a", ("a", "b"))
    assert describe(wider).formula == "X[!] X[!] a"


def test_a_task_of_many_clauses_keeps_its_own_words() -> None:
    many = parse("; ".join(f"reach {letter}" for letter in "abcdefg"), "abcdefg")
    assert describe(many.automaton).exact is False
    assert describe(many).exact == "always"
    assert describe(many).clauses == many.clauses


def test_letters_that_change_nothing_are_not_named_and_cost_nothing() -> None:
    wide = tuple(sorted([*"ry", *(f"x{k}" for k in range(40))]))
    assert describe(DFA.parse(">0: r→2, y→1 | *1: r→2 | 2:", wide)).sentence == "Reach y; never r."


def test_json_has_the_keys_that_scripts_rely_on() -> None:
    document = json.loads(json.dumps(DFA.parse(PAPER).describe().to_json()))
    assert {"sentence", "clauses", "exact", "formula", "task"} <= set(document)
    assert document["clauses"] == ["never r", "reach y with no b since g"]
    assert DFA.from_json(document["task"]) == DFA.parse(PAPER)


def test_a_description_goes_to_another_process() -> None:
    found = DFA.parse(PAPER).describe()
    assert pickle.loads(pickle.dumps(found)) == found


# -- states ---------------------------------------------------------------------------------------------


def test_states_are_told_one_by_one() -> None:
    lines = told_by_state(DFA.parse(">0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:"))
    assert lines == (
        "at first (not enough): b leads on, r fails for good, y is enough for good",
        "after b (not enough): g leads back to the start, r fails for good",
    )


@settings(max_examples=40, deadline=None)
@given(dfas(alphabet=ABC, max_states=5))
def test_the_states_tell_the_whole_automaton(task: DFA) -> None:
    """The lines are read back: they say where each letter leads, and which states are enough."""
    task = task.minimal
    table: dict[str, dict[str, str]] = {}
    enough: dict[str, bool] = {}
    for line in told_by_state(task):
        name, stands, moves = re.fullmatch(r"(.*) \((.*)\): (.*)", line).groups()  # type: ignore[union-attr]
        enough[name], table[name] = stands == "enough", {}
        for move in moves.split(", "):
            letters, what = re.fullmatch(r"(\w(?: or \w)*) (.*)", move).groups()  # type: ignore[union-attr]
            target = {
                "is enough for good": "good",
                "fails for good": "bad",
                "leads on": f"{name} {letters}".replace("at first", "after"),
                "leads back to the start": "at first",
            }.get(what) or re.sub("leads to where (.*) does", r"after \1", what)
            table[name] |= dict.fromkeys(letters.split(" or "), target)
    if not table:
        return
    for letters in all_words(ABC, 4):
        state = "at first"
        for letter in letters:
            state = state if state in ("good", "bad") else table[state].get(letter, state)
        assert task.accepts(letters) == (state == "good" or enough.get(state, False)), letters


# -- candidates -----------------------------------------------------------------------------------------


def test_all_clauses_side_by_side_accept_what_each_does() -> None:
    every = candidates(ABC, ABC, 4)
    words = list(all_words(ABC, 4))
    rng = np.random.default_rng(0)
    accepts = every.stack.accepts(words)
    for k in rng.choice(len(every), 60, replace=False).tolist():
        task = every.clauses[k].automaton(ABC)
        assert accepts[k].tolist() == [task.accepts(word) for word in words], every.clauses[k]
    some = every.chosen([5, 2, 9])
    assert some.clauses == tuple(every.clauses[k] for k in (5, 2, 9))
    assert np.array_equal(some.stack.accepts(words), accepts[[5, 2, 9]])


@settings(max_examples=30, deadline=None)
@given(dfas(alphabet=ABC, max_states=4), st.integers(0, 10_000))
def test_implied_clauses_are_those_of_the_algebra(task: DFA, seed: int) -> None:
    every = candidates(ABC, ABC, 4)
    some = np.random.default_rng(seed).choice(len(every), 12, replace=False)
    part, task = every.chosen(some), task.minimal
    for holds, clause in zip(part.implied_by(task), part.clauses, strict=True):
        assert holds == task.implies(clause.automaton(ABC))


def test_nothing_side_by_side() -> None:
    assert len(candidates_of([], ABC)) == 0


# -- comparisons ----------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(dfas(max_states=3), dfas(max_states=3))
def test_comparisons_agree_with_all_words(first: DFA, second: DFA) -> None:
    found = compare(first, second)
    words = list(all_words("ab", 6))
    only_first = [word for word in words if first.accepts(word) and not second.accepts(word)]
    only_second = [word for word in words if second.accepts(word) and not first.accepts(word)]
    assert found.only_first == (only_first[0] if only_first else None)
    assert found.only_second == (only_second[0] if only_second else None)
    assert found.equal == (first == second)
    for clause in found.first_clauses:
        assert first.implies(clause.automaton(("a", "b")))
        assert not second.implies(clause.automaton(("a", "b")))
    assert ("the same" in found.sentence) == found.equal


def test_letters_that_one_task_does_not_read_change_nothing_there() -> None:
    found = compare(DFA.parse(">0: y→1 | *1:"), DFA.parse(">0: r→2, y→1 | *1: r→2 | 2:"))
    assert found.only_first == ("r", "y")
    assert found.only_second is None
    assert found.note == "The first task does not name r: in an automaton they change nothing."
    assert over(parse("end with y"), ("r", "y")) == parse("end with y", "ry").automaton


def test_equal_tasks_ask_the_same() -> None:
    found = compare(DFA.parse(PAPER), parse("never r; reach y with no b since g", "bgry"))
    assert found.equal
    assert found.to_json()["only_first"] is None
    assert not found.first_clauses
    assert not found.second_clauses


def test_a_clause_of_ones_own_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from demospec.tasks.clauses import Kind, kind

    task = DFA.from_formula("G (a -> X[!] b)", ABC)
    assert len(describe(task).clauses) == 3
    own = Kind(
        name="at once", sentence="{b} right after each {a}", formula="G ({a} -> X[!] {b})", apart=("ab",)
    )
    monkeypatch.setattr(kind, "VOCABULARY", [*kind.VOCABULARY, own])
    found = describe(task)
    assert found.clauses == (Clause(own, ("a", "b")),)
    assert conjoined(found.clauses, ABC) == task
    assert isinstance(Clauses.of([found.clauses], ABC).describe(), Description)


def test_long_clauses_are_left_out_where_they_are_too_many() -> None:
    task = parse("reach y; never r; after b, no y until g; after b, no y until h; after b, no y until i")
    found = describe(task)  # with every size of clause tried this would take minutes
    assert found.exact == "always"
    assert parse(found.sentence.rstrip("."), task.alphabet).automaton == task.automaton
