"""Machines side by side, in all three layouts, against reading words one by one."""

from __future__ import annotations

import numpy as np
import pytest

from demospec.errors import InputError
from demospec.plan.monitor import make_monitor
from demospec.tasks.side_by_side import Lockstep, Machine, Product, Stack, product
from demospec.tasks.tables import explore
from demospec.testing.small_worlds import random_dfa
from demospec.worlds.paths import word_of
from strategies import all_words

LETTERS = ("a", "b")


@pytest.mark.parametrize("seed", range(4))
def test_a_stack_reads_words_as_each_machine_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tasks = [random_dfa(rng, LETTERS, 1 + k % 4) for k in range(9)]
    machines: list[Machine] = [*tasks, *(make_monitor(task, merge_repeats=False) for task in tasks)]
    stack = Stack.of(machines)
    words = list(all_words(LETTERS, 5))
    accepted, after = stack.accepts(words), stack.after(words)
    for number, task in enumerate(tasks):
        assert accepted[number].tolist() == [task.accepts(word) for word in words]
        assert accepted[9 + number].tolist() == accepted[number].tolist()
        assert (after[number] - stack.base[number]).tolist() == [task.run(word) for word in words]
        assert (stack.owner[after[number]] == number).all()
    assert (stack.table[:, -1] == np.arange(len(stack.table))).all()


def test_a_letter_that_machines_do_not_read_is_refused() -> None:
    stack = Stack.of([random_dfa(np.random.default_rng(0), LETTERS, 2)])
    with pytest.raises(InputError, match='letter "c" is not in the alphabet a, b'):
        stack.after([("a", "c")])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("remember", [False, True])
def test_a_product_is_what_can_be_reached_letter_by_letter(seed: int, remember: bool) -> None:
    rng = np.random.default_rng(seed)
    tables = [random_dfa(rng, "abc", n).table for n in (3, 1, 4)]
    start = tuple(int(rng.integers(len(table))) for table in tables)

    def step(node: tuple[int, ...], letter: int) -> tuple[int, ...]:
        if remember and node[-1] == letter:
            return node
        states = tuple(table[node[k]][letter] for k, table in enumerate(tables))
        return (*states, letter) if remember else states

    assert product(tables, start, remember=remember) == explore((*start, -1) if remember else start, 3, step)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("merge_repeats", [False, True])
def test_a_product_reads_words_as_the_machines_do(seed: int, merge_repeats: bool) -> None:
    rng = np.random.default_rng(seed)
    tasks = [random_dfa(rng, LETTERS, 2 + k) for k in range(3)]
    found = Product.of(tasks, merge_repeats=merge_repeats)
    for labels in all_words(LETTERS, 5):
        node, length = found.start, 0
        for label in labels:
            letter = LETTERS.index(label)
            length += int(found.reads[node, letter])
            node = int(found.read(np.array([node]), np.array([letter]))[0])
        word = word_of(labels, merge_repeats=merge_repeats)
        assert length == len(word)
        assert [int(found.states(k)[node]) for k in range(3)] == [task.run(word) for task in tasks]
    assert not found.reads[:, -1].any()


def test_lockstep_numbers_what_it_meets_and_nothing_else() -> None:
    rng = np.random.default_rng(3)
    tasks = [random_dfa(rng, LETTERS, 4).minimal for _ in range(40)]
    stack = Stack.of(tasks)
    reader = Lockstep(stack)
    words = [word for word in all_words(LETTERS, 6) if "b" not in word[1:]]
    node = np.full(len(words), reader.start)
    for position in range(6):
        letter = np.array([LETTERS.index(word[position]) if position < len(word) else 2 for word in words])
        node = reader.read(node, letter)
    expected = stack.after(words).T
    assert (reader.rows[node] == expected).all()
    assert len(reader.rows) == len(np.unique(expected, axis=0))  # prefixes of the words are among them
