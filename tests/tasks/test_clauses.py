"""Clauses: sentence, automaton and a definition in Python agree; what is printed is read back."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from itertools import product

import pytest

from demospec.errors import PointedError, TaskError
from demospec.tasks import DFA
from demospec.tasks import clauses as module
from demospec.tasks.clauses import Clause, Clauses, Kind, instances, join, kinds, parse
from demospec.tasks.clauses.clause import rank
from demospec.tasks.clauses.kind import VOCABULARY, kind_named

Word = Sequence[str]


def times_of(word: Word, letter: str) -> int:
    return list(word).count(letter)


def has_in_order(word: Word, letters: Sequence[str]) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def end_of(word: Word, letters: Sequence[str]) -> int:
    """Return how much of a word it takes to see letters in order; more than it has if they do not come."""
    for length in range(len(word) + 1):
        if has_in_order(word[:length], letters):
            return length
    return len(word) + 1


def indices(word: Word, letter: str) -> list[int]:
    return [at for at, one in enumerate(word) if one == letter]


def not_until(word: Word, a: str, b: str, c: str) -> bool:
    """After b, no c until a: between each b and the next a behind it stands no c."""
    return not any(c in (rest := list(word[at + 1 :]))[: end_of(rest, [a])] for at in indices(word, b))


def reach_clear(word: Word, a: str, b: str, c: str) -> bool:
    """At some a, no b stands behind the last c before it."""
    return any(
        b not in word[max([end + 1 for end in indices(word[:at], c)], default=0) : at]
        for at in indices(word, a)
    )


MEANINGS: dict[str, Callable[[Word, Clause], bool]] = {
    "reach": lambda word, clause: any(letter in word for letter in clause.letters),
    "never": lambda word, clause: clause.letters[0] not in word,
    "in order": lambda word, clause: has_in_order(word, clause.letters),
    "not before": lambda word, clause: clause.letters[0] not in word[: end_of(word, clause.letters[1:])],
    "reach before": lambda word, clause: (
        clause.letters[0] in word and clause.letters[1] not in word[: list(word).index(clause.letters[0])]
    ),
    "reach clear before": lambda word, clause: any(
        reach_clear(word[:length], *clause.letters[:3]) and clause.letters[3] not in word[:length]
        for length in range(len(word) + 1)
    ),
    "response": lambda word, clause: all(
        clause.letters[1] in word[at:] for at in indices(word, clause.letters[0])
    ),
    "not until": lambda word, clause: not_until(word, *clause.letters),
    "never after": lambda word, clause: (
        clause.letters[0] not in word or clause.letters[1] not in word[list(word).index(clause.letters[0]) :]
    ),
    "reach clear": lambda word, clause: reach_clear(word, *clause.letters),
    "at least": lambda word, clause: times_of(word, clause.letters[0]) >= clause.number,
    "at most": lambda word, clause: times_of(word, clause.letters[0]) <= clause.number,
    "start": lambda word, clause: list(word[:1]) == [clause.letters[0]],
    "end": lambda word, clause: list(word[-1:]) == [clause.letters[0]],
    "multiple": lambda word, clause: times_of(word, clause.letters[0]) % clause.number == 0,
}


def some(letters: str, more: int = 1) -> list[Clause]:
    """Return every clause of the smallest sizes of each kind."""
    found = []
    for kind in kinds():
        most = kind.most(len(letters))
        sizes = [size for size in range(kind.fewest, kind.fewest + more + 1) if most is None or size <= most]
        found += [clause for size in sizes for clause in instances(kind, size, letters)]
    return found


def some_of(letters: Sequence[str]) -> list[Clause]:
    """Return the same over letters that are longer."""
    return [
        clause
        for kind in kinds()
        for size in (kind.fewest, kind.fewest + 1)
        if kind.most(len(letters)) is None or size <= (kind.most(len(letters)) or 0)
        for clause in instances(kind, size, sorted(letters))
    ]


def test_every_kind_has_its_meaning_here() -> None:
    assert set(MEANINGS) == {kind.name for kind in kinds()}


@pytest.mark.parametrize("kind", [kind.name for kind in VOCABULARY])
def test_the_automaton_says_what_the_sentence_means(kind: str) -> None:
    letters = "abcd" if kind == "reach clear before" else "abc"
    words = [word for length in range(6) for word in product(letters, repeat=length)]
    mine = [clause for clause in some(letters) if clause.kind.name == kind]
    assert mine
    for clause in mine:
        task = clause.automaton(tuple(letters))
        for word in words:
            assert task.accepts(word) == MEANINGS[kind](word, clause), (clause.sentence, word)


@pytest.mark.parametrize("letters", [("a", "b", "c"), ("G", "or", "two words", 'say "x"')])
def test_the_formula_says_what_the_automaton_says(letters: tuple[str, ...]) -> None:
    without = set()
    for clause in some_of(letters):
        if clause.formula is None:
            without.add(clause.kind.name)
        else:
            assert DFA.from_formula(clause.formula, letters) == clause.automaton(letters), clause.sentence
    assert without == {"multiple"}


@pytest.mark.parametrize("letters", ["a", "ab", "abc", "abcd"])
def test_clauses_are_counted_numbered_and_read_back(letters: str) -> None:
    for kind in kinds():
        most = kind.most(len(letters))
        for size in range(kind.fewest, kind.fewest + 3):
            if most is not None and size > most:
                continue
            every = list(instances(kind, size, letters))
            assert len(set(every)) == len(every) == kind.count(size, len(letters))
            assert [rank(clause, letters) for clause in every] == list(range(len(every)))
            for clause in every:
                assert parse(clause.sentence, letters).clauses == (clause,)


def test_pairs_of_clauses_are_read_back_and_are_products() -> None:
    letters = ("a", "b", "c")
    every = some("abc", more=0)
    for one, other in zip(every, every[::-1], strict=True):
        task = Clauses.of([[one, other]], letters)
        assert parse(str(task), letters) == task
        assert task.automaton == one.automaton(letters) & other.automaton(letters)
        either = Clauses.of([[one], [other]], letters)
        assert parse(str(either), letters) == either
        assert either.automaton == one.automaton(letters) | other.automaton(letters)


def test_awkward_letters_are_quoted() -> None:
    letters = ("and so on", "or", 'say "x"', "then", "ü", "a;b")
    for clause in some("abc"):
        said = Clause(
            clause.kind,
            tuple(sorted(letters["abc".index(one)] for one in clause.letters))
            if clause.kind.name == "reach"
            else tuple(letters["abc".index(one)] for one in clause.letters),
            clause.number,
        )
        assert parse(said.sentence, letters).clauses == (said,)


def test_order_and_repeats_do_not_matter() -> None:
    assert parse("never r; reach y", "ry") == parse("Reach y; never r; reach y;", "ry")
    assert hash(parse("never r; reach y", "ry")) == hash(parse("reach y; never r", "ry"))


def test_synonyms() -> None:
    assert parse("visit y; avoid r", "ry") == parse("reach y; never r", "ry")


def test_nothing_to_do() -> None:
    task = parse("anything", "ab")
    assert str(task) == "anything"
    assert task.accepts("")
    assert task.accepts("ab")
    with pytest.raises(TaskError, match="names no letter"):
        parse("anything")


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("reach z", 'letter "z" is not in the alphabet b, g, r, y', 6),
        ("vist y", 'no sentence begins with "vist" .did you mean "visit"', 0),
        ("no r bfore y", 'found "bfore", expected .*"before"', 5),
        ("after b no y until g", 'found "no", expected ","', 8),
        ("reach y; ; never r", 'expected a sentence before ";"', 9),
        ("", "expected a sentence, such as", 0),
        ("visit", "the sentence ends, expected a letter", 5),
        ("(reach y", "this bracket is not closed", 0),
        ("(reach y) reach g", 'expected "or"', 10),
        ('reach "y', "this quote is not closed", 6),
        ("no r before r", "expected different letters", 13),
        ("y at least once", "expected at least 2", 15),
        ("y at least 5000 times", 'expected "twice"', 11),
        ("reach y or", "expected a letter", 10),
    ],
)
def test_bad_sentences_are_refused_at_their_place(text: str, message: str, at: int) -> None:
    with pytest.raises(PointedError, match=message) as caught:
        parse(text, "bgry")
    assert caught.value.at == at


def test_a_kind_of_ones_own_joins_by_the_same_definition() -> None:
    mine = join(
        Kind(
            name="between",
            sentence="between {a} and {b}, no {c}",
            formula="G ({a} -> (!{c} W {b}))",
            line=">*0: {a}→1 | *1: {b}→0, {c}→2 | 2:",
            apart=("ab", "bc", "ac"),
        )
    )
    try:
        task = parse("reach y; between b and g, no r", "bgry")
        assert str(task) == "reach y; between b and g, no r"
        assert not task.accepts("bry")
        assert task.accepts("bgry")
        assert mine.count(1, 4) == 24
        with pytest.raises(TaskError, match="already"):
            join(mine)
    finally:
        VOCABULARY.remove(mine)


def test_a_kind_says_what_it_lacks() -> None:
    with pytest.raises(TaskError, match="neither a formula nor an automaton"):
        Kind(name="empty", sentence="do {a}")
    with pytest.raises(TaskError, match="one may be there"):
        Kind(name="two", sentence="{letters} {chain}", formula="true")
    with pytest.raises(TaskError, match="single letters beside a set"):
        Kind(name="both", sentence="{a} or {letters}", formula="true")
    with pytest.raises(TaskError, match=r'called "nevr" .did you mean "never"'):
        kind_named("nevr")


def test_a_clause_checks_its_letters() -> None:
    with pytest.raises(TaskError, match="no clause"):
        Clause(kind_named("response"), ("a", "a"))


def test_tasks_travel() -> None:
    task = parse("(reach y; no r before y) or (b at least 3 times)", "bgry")
    again = pickle.loads(pickle.dumps(task))
    assert again == task
    assert again.automaton == task.automaton
    assert module.parse(str(again), "bgry") == task


def test_json_is_the_automatons_with_the_clauses() -> None:
    task = parse("reach y; never r", "ry")
    assert task.to_json() == {**task.automaton.to_json(), "clauses": "reach y; never r"}
    assert task.size == task.automaton.size
