"""The code of tasks: it is read back, no code begins with another, and Kraft's sum is at most one."""

from __future__ import annotations

import math
from array import array
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest

from demospec.errors import TaskError
from demospec.native import library
from demospec.tasks import DFA, Task, code
from demospec.tasks.clauses import Clauses, instances, kinds, parse
from demospec.tasks.code import CodeWriter, Lengths, Words, shapes
from demospec.tasks.tables import Sized, pack

LETTERS = ("a", "b", "c")
CODE = Words(LETTERS)


def random_automaton(rng: np.random.Generator, states: int, letters: int) -> DFA:
    table = rng.integers(states, size=(states, letters))
    keep = rng.random((states, letters)) < 0.5
    table = np.where(keep, np.arange(states)[:, None], table)
    return DFA(
        alphabet=tuple("abcdefgh"[:letters]),
        table=tuple(map(tuple, table.tolist())),
        accepting=tuple((rng.random(states) < 0.5).tolist()),
    ).minimal


def small_automata(letters: tuple[str, ...]) -> set[DFA]:
    """Return every language of automata with up to two states."""
    found = set()
    for cells in product(range(2), repeat=2 * len(letters)):
        table = (cells[: len(letters)], cells[len(letters) :])
        for accepting in product((False, True), repeat=2):
            found.add(DFA(alphabet=letters, table=table, accepting=accepting).minimal)
    return found


def small_clauses() -> list[Clauses]:
    """Return every list of one or two clauses, of small sizes."""
    single = [
        clause
        for kind in kinds()
        if kind.weight
        for size in range(kind.fewest, kind.fewest + 3)
        if kind.most(3) is None or size <= (kind.most(3) or 0)
        for clause in instances(kind, size, LETTERS)
    ]
    few = [clause for clause in single if clause.size <= clause.kind.fewest + 1]
    lists = [*((one,) for one in single), *combinations(few, 2)]
    return [Clauses.of([one], LETTERS) for one in lists]


def exact(task: Task) -> Fraction:
    """Return the probability of a task told as it is said."""
    writer = CodeWriter()
    CODE.tell(writer, task)
    return writer.width


@pytest.mark.slow
def test_krafts_sum_is_at_most_one() -> None:
    automata_, lists = small_automata(LETTERS), small_clauses()
    assert len(automata_) == 2 + 2 * (2**6 - 2**3)
    assert len(lists) > 4_000
    total = sum(map(exact, [*automata_, *lists]), Fraction(0))
    assert Fraction(1, 4) < total <= 1  # it is not wasteful either: three letters, and two clauses at most


@pytest.mark.slow
def test_no_code_begins_with_another() -> None:
    rng = np.random.default_rng(0)
    lists = small_clauses()
    some = [lists[number] for number in rng.choice(len(lists), 1500, replace=False)]
    codes = []
    for task in [*small_automata(LETTERS), *some]:
        writer = CodeWriter()
        CODE.tell(writer, task)
        codes.append(writer.bits())
    codes.sort()
    assert len(set(codes)) == len(codes)
    assert not any(later.startswith(code) for code, later in pairwise(codes))


def test_what_is_written_is_read() -> None:
    rng = np.random.default_rng(1)
    lists = small_clauses()
    tasks = [lists[number] for number in rng.choice(len(lists), 200, replace=False)]
    tasks += [
        Clauses.of([one.alternatives[0], other.alternatives[0]], LETTERS)
        for one, other in zip(tasks[::2], tasks[1::2], strict=True)
        if one != other and one.alternatives[0] and other.alternatives[0]
    ]
    for task in tasks:
        read = CODE.decode(CODE.encode(task))
        assert read.automaton == task.automaton
        assert CODE.bits(read) <= CODE.bits(task) + 1e-9


@pytest.mark.parametrize("letters", [1, 2, 4, 7])
def test_automata_are_read_back(letters: int) -> None:
    rng = np.random.default_rng(letters)
    code = Words(tuple("abcdefgh"[:letters]))
    for states in (1, 2, 3, 5, 8):
        for _ in range(20):
            task = random_automaton(rng, states, letters)
            assert code.decode(code.encode(task)) == task


def test_lengths_without_fractions_are_those_with() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        task = random_automaton(rng, int(rng.integers(2, 7)), 3)
        if task.states == 1:
            continue
        writer = CodeWriter()
        code.tell_automaton(writer, LETTERS, task)
        assert code.automaton_bits(task) == pytest.approx(-math.log2(writer.width))
    lists = small_clauses()
    for number in rng.choice(len(lists), 300, replace=False):
        (clauses,) = lists[number].alternatives
        writer = CodeWriter()
        code.tell_clauses(writer, kinds(), LETTERS, clauses)
        assert Lengths(kinds(), 3).of(clauses) == pytest.approx(-math.log2(writer.width))


def test_the_bits_are_about_as_many_as_their_length_says() -> None:
    for text in (
        "reach a",
        "reach a; never b; after c, no a until b",
        "(a, then b) or (c, then a)",
        "anything",
    ):
        task = parse(text, LETTERS)
        written = CODE.bits(task) + math.log2(math.factorial(len(task.alternatives)))  # in one order
        assert CODE.bits(task) <= len(CODE.encode(task)) <= math.ceil(written) + 1


def test_lists_that_are_joined_by_or_have_no_order() -> None:
    """Their probability is that of all orders together, and whichever order is read, the task is the same."""
    for text in ("(a, then b) or (c, then a)", "(reach a; never b) or (reach c) or (end with b; never c)"):
        task = parse(text, LETTERS)
        total = Fraction(0)
        for order in permutations(task.alternatives):
            writer = CodeWriter()
            CODE.tell(writer, Clauses(task.alphabet, order))
            assert CODE.decode(writer.bits()) == task
            total += writer.width
        assert CODE.as_said(task) == pytest.approx(-math.log2(total))


def test_shapes_add_up_to_one() -> None:
    for letters in (1, 2, 3, 5):
        total = sum(shape.probability for shape in shapes(kinds(), letters))
        assert 1 - Fraction(1, 2**60) < total <= 1


def test_a_way_to_say_it_is_cheaper_than_an_automaton_when_people_can_say_it() -> None:
    alphabet = tuple("bgry")
    code = Words(alphabet)
    task = parse("reach y; never r; after b, no y until g", alphabet)
    assert code.bits(task) < code.bits(task.automaton)
    parity = DFA.parse(">*0: b→1, g→1 | 1: b→0, g→0", alphabet)
    assert code.bits(parity) == code.as_automaton(parity)


def test_what_is_short_for_others_costs_what_they_do() -> None:
    short, long = (
        parse("reach a before b; never c", LETTERS),
        parse("reach a; no b before a; never c", LETTERS),
    )
    assert short.automaton == long.automaton
    assert CODE.bits(short) == CODE.bits(long) < CODE.as_automaton(short.automaton)
    assert CODE.decode(CODE.encode(short)) == long
    for kind in kinds():
        for clause in instances(kind, kind.fewest, LETTERS):
            assert Clauses.of([clause.in_full], LETTERS).automaton == clause.automaton(LETTERS)


def test_order_of_clauses_costs_nothing() -> None:
    one, other = parse("reach a", LETTERS).clauses[0], parse("never b", LETTERS).clauses[0]
    lengths = Lengths(kinds(), 3)
    alone = [lengths.of((clause,)) for clause in (one, other)]
    assert lengths.of((one, other)) == pytest.approx(sum(alone) - 1)  # 2! orders; a coin for each as before


@pytest.mark.parametrize("bits", ["2", "1" * 400, "11" + "0" * 3])
def test_bits_that_say_nothing_are_refused_or_read(bits: str) -> None:
    try:
        task = CODE.decode(bits)
    except TaskError:
        return
    assert task.alphabet == LETTERS


def test_other_letters_are_refused() -> None:
    with pytest.raises(TaskError, match="the code reads a, b, c; the task x"):
        CODE.encode(parse("reach x"))


@pytest.mark.skipif(not library() is not None, reason="the library is not built")
@pytest.mark.parametrize("letters", [1, 3, 8])
def test_what_compiled_code_tells_of_many_automata_is_the_same_to_the_last_digit(letters: int) -> None:
    rng = np.random.default_rng(letters)
    tasks = [random_automaton(rng, int(rng.integers(1, 9)), letters) for _ in range(300)]
    machines = pack(tasks, letters)
    sizes = array("q", [task.size for task in tasks])
    sized = Sized(letters, machines.states, machines.cells, machines.marks, sizes)
    counted = 0
    for task, made, (leaving, options) in zip(
        tasks, DFA.unpacked(sized, tasks[0].alphabet), sized.leads, strict=True
    ):
        told, ways = code.leads(task)
        assert leaving == told
        assert options == (ways if ways <= 2**53 else 0)
        assert code.automaton_bits(made) == code.automaton_bits(task)
        counted += "_leads" in made.__dict__
    assert counted > 100
    assert (counted < len(tasks)) == (letters == 8)
