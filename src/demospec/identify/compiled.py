"""The backtracking search in C, behind the same iterator as the one in Python."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate

from demospec.identify.backtracking import Answer, Rules
from demospec.identify.counting import Cell
from demospec.identify.word_graph import WordGraph
from demospec.native import library
from demospec.work.stop import NEVER, Stop

FOUND, PAUSED, NO_MEMORY, STOPPED = 1, 2, 3, 4
FRAMES = 100_000  # so many at once, a fraction of a second, before Python may hear an interrupt
MOST_AT_ONCE = 64

Int, Address, Bits = ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64


@cache
def functions() -> tuple[ctypes._NamedFuncPointer, ctypes._NamedFuncPointer, ctypes._NamedFuncPointer] | None:
    """Return open, next and close of `native/automata.c`; None where it is not built."""
    native = library()
    if native is None or not hasattr(native, "demospec_automata_open"):
        return None
    start, proceed, close = (
        native.demospec_automata_open,
        native.demospec_automata_next,
        native.demospec_automata_close,
    )
    start.restype, close.restype = Address, None
    start.argtypes = [
        *(Int, Int, Address, Address, Address, Address),
        *(Int, Address, Int, Address, Bits, Bits, Bits, Address),
    ]
    integer = ctypes.POINTER(Int)
    proceed.argtypes = [
        *(Address, Int, Address, integer, integer, Int, ctypes.c_int64, Address, Address, integer)
    ]
    close.argtypes = [Address]
    return start, proceed, close


def available() -> bool:
    """Say whether the compiled search can be used."""
    return functions() is not None


def automata(
    graph: WordGraph,
    rules: Rules,
    chunks: Iterable[Sequence[Cell]],
    expected: int | None = None,
    *,
    stop: Stop = NEVER,
) -> Iterator[Answer]:
    """Yield what `Backtracking.automata` yields for all cells; `expected` answers are sought at once."""
    found_functions = functions()
    assert found_functions is not None, "the library is not built"
    start, proceed, close = found_functions
    letters = graph.letters
    edges = array("i", accumulate(map(len, graph.children), initial=0))
    letter = array("i", [a for below in graph.children for a in below])
    child = array("i", [node for below in graph.children for node in below.values()])
    label = array("b", graph.label)
    effect = array("i", rules.same_effect)
    others = array("B", [target for row in rules.others for target in row])
    flags = [rules.safety, rules.co_safety, rules.monotone, rules.ignores_repeats, rules.reach_avoid]
    handle = start(
        *(letters, graph.nodes, address(edges), address(letter), address(child), address(label)),
        *(sum(flag << at for at, flag in enumerate(flags)), address(effect)),
        *(len(rules.others), address(others), rules.other_start, rules.must_reject, rules.must_accept),
        stop.address,
    )
    if not handle:
        raise MemoryError
    try:
        limit = 1 if expected is None else max(1, min(expected, MOST_AT_ONCE))
        first = 0
        for chunk in chunks:
            counts = array("i", [number for cell in chunk for number in cell])
            room = max(n for n, _, _ in chunk) * (letters + 1)
            position, begun, found = Int(0), Int(0), Int(0)
            status = FOUND
            while status in (FOUND, PAUSED):
                out, cell_of = array("b", bytes(limit * room)), array("i", bytes(4 * limit))
                status = proceed(
                    *(handle, len(chunk), address(counts), position, begun),
                    *(limit, FRAMES, address(out), address(cell_of), found),
                )
                if status == STOPPED:
                    stop.check()
                if status == NO_MEMORY:
                    raise MemoryError
                at = 0
                for cell in cell_of[: found.value]:
                    states = chunk[cell][0]
                    end = at + states * letters
                    table = tuple([tuple(out[row : row + letters]) for row in range(at, end, letters)])
                    at = end + states
                    yield first + cell, table, tuple([mark == 1 for mark in out[end:at]])
                if found.value == limit and expected is None:
                    limit = min(2 * limit, MOST_AT_ONCE)
            first += len(chunk)
    finally:
        close(handle)


def address(numbers: array[int]) -> int:
    """Return where the numbers are."""
    return numbers.buffer_info()[0]
