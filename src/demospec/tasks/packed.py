"""Many machines over one alphabet as plain numbers, one behind the other: how compiled code takes them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from demospec.native import Long, library
from demospec.tasks.dfa import DFA


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
        """Return what the tight code is made of, for each machine: see `tasks/code/automata.py`, `leads`.

        Where the ways are too many for a double, or nothing is compiled, they are 0.
        """
        leaving, options = array("i", bytes(4 * len(self))), array("d", bytes(8 * len(self)))
        states, cells, _ = self.addresses
        if (native := library()) is not None:
            native.demospec_leads(len(self), self.letters, states, cells, address(leaving), address(options))
        return zip(leaving, options, strict=True)

    def tasks(self, alphabet: tuple[str, ...], first: int = 0) -> list[DFA]:
        """Return the machines from the given one on as tasks; they must be canonical."""
        seen: dict[tuple[int, ...], tuple[int, ...]] = {}  # edits of a task share most of its rows
        cells = zip(*[iter(self.cells)] * self.letters, strict=True)
        rows = [seen.setdefault(row, row) for row in cells]
        marks = list(map(bool, self.marks))
        found, at = [], sum(self.states[:first])
        numbers = zip(self.states, self.sizes, self.leads, strict=True)
        for count, size, leads in islice(numbers, first, None):
            end = at + count
            made = DFA.from_canonical(alphabet, tuple(rows[at:end]), tuple(marks[at:end]), size)
            if leads[1]:
                made.__dict__["_leads"] = leads
            found.append(made)
            at = end
        return found


def pack(tasks: Sequence[DFA], letters: int) -> Machines:
    """Return the canonical forms of tasks over one alphabet as numbers."""
    minimal = [task if task._is_canonical else task.minimal for task in tasks]
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


def find(name: str, letters: int, *arguments: int) -> Sized:
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
