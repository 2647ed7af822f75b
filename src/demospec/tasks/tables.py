"""Transition tables of deterministic machines: breadth-first numbering, minimisation, many of them packed.

A machine is a table (row = state, column = letter), a start state and one output for each state.
With Boolean outputs it is an automaton; a monitor has more outputs. Both are made canonical here.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from demospec.errors import TooLarge
from demospec.native import Long, library

if TYPE_CHECKING:
    from demospec.tasks.dfa import DFA

Table = tuple[tuple[int, ...], ...]
Output = TypeVar("Output", bound=Hashable)
Node = TypeVar("Node", bound=Hashable)

SMALL = 64  # states: the compiled one compares them in pairs


def explore(
    start: Node, letters: int, step: Callable[[Node, int], Node], most: int | None = None
) -> tuple[list[Node], Table]:
    """Number what is reachable from `start` breadth first, letters in order; return nodes and table.

    `most` is a bound on the number of nodes.
    """
    number = {start: 0}
    nodes = [start]
    rows = []
    for node in nodes:  # grows while we walk
        row = []
        for letter in range(letters):
            successor = step(node, letter)
            if successor not in number:
                if len(nodes) == most:
                    raise TooLarge(f"the automaton has more than {most:,} states before it is made minimal")
                number[successor] = len(nodes)
                nodes.append(successor)
            row.append(number[successor])
        rows.append(tuple(row))
    return nodes, tuple(rows)


def never_left(table: Table) -> list[bool]:
    """Say of each state whether every letter stays there: what it says is said for good.

    >>> never_left(((0, 1), (1, 1)))
    [False, True]
    """
    return [all(target == state for target in row) for state, row in enumerate(table)]


def by_target(letters: Iterable[str], row: Iterable[int]) -> dict[int, list[str]]:
    """Return the letters of a state's row that lead to each target, as they come."""
    found: dict[int, list[str]] = {}
    for letter, target in zip(letters, row, strict=True):
        found.setdefault(target, []).append(letter)
    return found


def equivalence_classes(table: Table, outputs: Sequence[Output]) -> list[int]:
    """Return the class of each state: the coarsest partition that outputs and letters respect.

    Two states share a class exactly when every word read from them ends in the same output. Classes are
    numbered by their first states.
    """
    if len(table) > SMALL:
        return refined_by_halves(table, outputs)
    return refined_by_signatures(table, outputs)


def refined_by_halves(table: Table, outputs: Sequence[Output]) -> list[int]:
    """Return the same classes by Hopcroft's algorithm: n log n steps for each letter, where Moore's takes n².

    Every class that is split waits, as the smaller of its halves, to split the others by what leads into it.
    """
    names: dict[object, int] = {}
    of = [names.setdefault(output, len(names)) for output in outputs]  # the class of each state
    members: list[set[int]] = [set() for _ in names]
    for state, name in enumerate(of):
        members[name].add(state)
    letters = range(len(table[0]))
    sources: list[list[list[int]]] = [[[] for _ in table] for _ in letters]
    for state, row in enumerate(table):
        for letter, target in enumerate(row):
            sources[letter][target].append(state)
    waiting = {(name, letter) for name in range(len(members)) for letter in letters}
    while waiting:
        splitter, letter = waiting.pop()
        into = sources[letter]
        touched: dict[int, list[int]] = {}
        for target in members[splitter]:
            for state in into[target]:
                touched.setdefault(of[state], []).append(state)
        for name, reaching in touched.items():
            if len(reaching) == len(members[name]):
                continue
            members[name].difference_update(reaching)
            fresh = len(members)
            members.append(set(reaching))
            smaller = fresh if len(reaching) <= len(members[name]) else name
            for state in reaching:
                of[state] = fresh
            # Whoever waited still does, and its other half too; else the smaller half is enough.
            waiting.update((fresh if (name, one) in waiting else smaller, one) for one in letters)
    first: dict[int, int] = {}
    return [first.setdefault(name, len(first)) for name in of]


def refined_by_signatures(table: Table, outputs: Sequence[Output]) -> list[int]:
    """Return the same classes by Moore's algorithm, round by round; quick where states are few."""
    names: dict[object, int] = {}
    classes = [names.setdefault(output, len(names)) for output in outputs]
    count = len(names)
    while True:
        signatures: dict[object, int] = {}
        refined = [
            signatures.setdefault((classes[state], *[classes[target] for target in row]), len(signatures))
            for state, row in enumerate(table)
        ]
        if len(signatures) == count:
            return classes
        classes, count = refined, len(signatures)
        if count == len(table):  # all are told apart
            return classes


def finest_merge(table: Table, outputs: Sequence[Output]) -> list[int] | None:
    """Return a finest congruence that merges some equivalent states, as classes; None when minimal.

    Merging two equivalent states forces their successors to be merged, and so on; of all such closures
    the one that merges least is returned.
    """
    nerode = equivalence_classes(table, outputs)
    states = range(len(table))
    best: list[int] | None = None
    for p in states:
        for q in range(p):
            if nerode[p] == nerode[q]:
                merged = _merge(table, p, q)
                if best is None or len(set(merged)) > len(set(best)):
                    best = merged
    return best


def _merge(table: Table, p: int, q: int) -> list[int]:
    classes = list(range(len(table)))
    todo = [(p, q)]
    while todo:
        p, q = todo.pop()
        low, high = sorted((classes[p], classes[q]))
        if low != high:
            classes = [low if name == high else name for name in classes]
            todo += zip(table[p], table[q], strict=True)
    return classes


def canonical(table: Table, start: int, outputs: Sequence[Output]) -> tuple[Table, tuple[Output, ...]]:
    """Return the minimal machine, breadth-first numbered: the same tables for the same behaviour."""
    native = library()
    if native is None or len(table) > SMALL:
        return canonical_in_python(table, start, outputs)
    letters = len(table[start])
    names: dict[object, int] = {}
    marks = array("i", [names.setdefault(output, len(names)) for output in outputs])
    cells = array("i", [target for row in table for target in row])
    rows, members = array("i", bytes(4 * len(cells) or 4)), array("i", bytes(4 * len(table)))
    count = native.demospec_canonical(
        *(len(table), letters, cells.buffer_info()[0], start, marks.buffer_info()[0]),
        *(rows.buffer_info()[0], members.buffer_info()[0]),
    )
    minimal = tuple([tuple(rows[at : at + letters]) for at in range(0, count * letters, letters)])
    return minimal, tuple([outputs[member] for member in members[:count]])


def canonical_in_python(
    table: Table, start: int, outputs: Sequence[Output]
) -> tuple[Table, tuple[Output, ...]]:
    """Return the same by the book; the witness of the compiled one, and for large machines."""
    classes = equivalence_classes(table, outputs)
    member = {name: state for state, name in reversed(list(enumerate(classes)))}
    letters = len(table[start])
    nodes, rows = explore(classes[start], letters, lambda c, letter: classes[table[member[c]][letter]])
    return rows, tuple(outputs[member[c]] for c in nodes)


# -- Many machines over one alphabet as plain numbers, one behind the other: how compiled code takes them --


@dataclass(frozen=True, eq=False)
class Machines:
    """N machines with `letters` letters: tables row by row, marks state by state; state 0 is the start."""

    letters: int
    states: array[int]  # [N]
    cells: array[int]  # [Σ states · letters]
    marks: array[int]  # [Σ states]: 1 accepts

    def __len__(self) -> int:
        return len(self.states)

    @property
    def addresses(self) -> tuple[int, int, int]:
        """Return where the numbers are, as compiled code takes them."""
        return address(self.states), address(self.cells), address(self.marks)


@dataclass(frozen=True, eq=False)
class Sized(Machines):
    """Machines with their sizes in bits."""

    sizes: array[int]  # [N]

    @property
    def leads(self) -> Iterator[tuple[int, float]]:
        """Return what the tight code is made of, for each machine: see `tasks/code.py`, `leads`.

        Where the ways are too many for a double, or nothing is compiled, they are 0.
        """
        leaving, options = array("i", bytes(4 * len(self))), array("d", bytes(8 * len(self)))
        states, cells, _ = self.addresses
        if (native := library()) is not None:
            native.demospec_leads(len(self), self.letters, states, cells, address(leaving), address(options))
        return zip(leaving, options, strict=True)


def pack(tasks: Sequence[DFA], letters: int) -> Machines:
    """Return the canonical forms of tasks over one alphabet as numbers."""
    minimal = [task.automaton for task in tasks]
    tables = [task.table for task in minimal]
    cells = chain.from_iterable(chain.from_iterable(tables))
    marks = chain.from_iterable([task.accepting for task in minimal])
    return Machines(letters, array("i", map(len, tables)), array("i", list(cells)), array("B", list(marks)))


def address(numbers: array[int] | array[float]) -> int:
    """Return where numbers are."""
    return numbers.buffer_info()[0]


def numbers_of(pairs: Iterable[tuple[int, int]]) -> array[int]:
    """Return pairs of numbers one behind the other."""
    return array("i", list(chain.from_iterable(pairs)))


def find_machines(name: str, letters: int, *arguments: int) -> Sized:
    """Call one of the compiled functions that find machines, and return what it found."""
    native = library()
    assert native is not None, "the library is not built"
    handle = getattr(native, f"demospec_{name}")(*arguments)
    if not handle:
        raise MemoryError
    try:
        count, total = Long(), Long()
        if not native.demospec_found_counts(handle, count, total):
            raise MemoryError
        states, cells = array("i", bytes(4 * count.value)), array("i", bytes(4 * total.value * letters))
        marks, sizes = array("B", bytes(total.value)), array("q", bytes(8 * count.value))
        native.demospec_found_copy(handle, *map(address, (states, cells, marks, sizes)))
    finally:
        native.demospec_found_close(handle)
    return Sized(letters, states, cells, marks, sizes)
