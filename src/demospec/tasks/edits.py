"""Automata one step away from an automaton, and those that two of them make together.

Automata with a way round: a new state that waits for letters, or that differs in two ways from a copy.

A single edit leads a transition to a copy of a state. Often that alone explains nothing, and only the copy's
own change does: a search that keeps what is better after each edit would not pass there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Literal

from demospec.errors import TaskError
from demospec.native import library
from demospec.tasks.dfa import DFA
from demospec.tasks.tables import Machines, Sized, address, find_machines, pack
from demospec.wording import listing

Rows = list[list[int]]
Edited = Iterator[tuple[Rows, list[bool]]]
Pair = tuple[DFA, DFA]


def edits(task: DFA, max_states: int) -> list[DFA]:
    """Return the tasks one edit away, each language once, in a fixed order.

    An edit changes the mark of a state, leads one transition elsewhere, joins a state with another, or
    leads a transition to a new state: a copy of one that there is, with either mark, which its own loops may
    or may not keep, or one that is never left.
    """
    if library() is None:
        return distinct(task, max_states, edits_by_hand)
    letters, own = len(task.alphabet), pack([task], len(task.alphabet))
    found = find_machines("edits", letters, own.states[0], letters, *own.addresses[1:], max_states)
    return DFA.unpacked(found, task.alphabet, first=1)  # the task itself comes first


def distinct(
    task: DFA, max_states: int, changed: Callable[[Rows, list[bool]], Edited], enough: int | None = None
) -> list[DFA]:
    """Return what changes make of a task, each language once, in order, without the task itself."""
    task = task.minimal
    found: dict[DFA, None] = {}
    for rows, marks in changed([list(row) for row in task.table], list(task.accepting)):
        made = DFA(alphabet=task.alphabet, table=tuple(map(tuple, rows)), accepting=tuple(marks)).minimal
        if made.states <= max_states and made != task:
            found.setdefault(made)
        if enough is not None and len(found) >= enough:
            break
    return list(found)[:enough]


def led(rows: Rows, state: int, letter: int, target: int, *more: list[int]) -> Rows:
    """Return the rows with one transition led elsewhere, and with more rows."""
    return [
        [target if (q, a) == (state, letter) else t for a, t in enumerate(row)] for q, row in enumerate(rows)
    ] + [*more]


def edits_by_hand(rows: Rows, marks: list[bool]) -> Edited:
    """Yield the edits by the book; the witness of the compiled ones."""
    states, letters = len(rows), len(rows[0])
    for state in range(states):
        yield rows, [mark != (q == state) for q, mark in enumerate(marks)]
    for state in range(states):
        for letter in range(letters):
            for target in range(states):
                if target != rows[state][letter]:
                    yield led(rows, state, letter, target), marks
    for gone in range(1, states):
        for other in range(states):
            if gone != other:
                yield [[other if t == gone else t for t in row] for row in rows], marks
    for state in range(states):
        for letter in range(letters):
            for mark in (False, True):
                yield led(rows, state, letter, states, [states] * letters), [*marks, mark]
                for copied in range(states):
                    row = rows[copied]
                    yield led(rows, state, letter, states, row), [*marks, mark]
                    if copied in row:
                        stays = [states if t == copied else t for t in row]
                        yield led(rows, state, letter, states, stays), [*marks, mark]


def products_of(pairs: Sequence[Pair], max_states: int) -> list[DFA]:
    """Return what pairs of tasks make: both, either, one without the other; each language once, in order."""
    if not pairs:
        return []
    tasks, numbers = _numbered(pairs)
    if library() is None:
        return products_in_python(pairs, max_states)
    own = pack(tasks, len(tasks[0].alphabet))
    return DFA.unpacked(_products(own, numbers, max_states, ALL), tasks[0].alphabet)


def joined_pairs(pairs: Sequence[Pair], operator: Literal["and", "or"], max_states: int) -> list[DFA | None]:
    """Return each pair's conjunction or disjunction; None where it has more states."""
    if not pairs:
        return []
    found, which = joined_among(*_numbered(pairs), operator, max_states)
    return [found[number] if number >= 0 else None for number in which]


def joined_among(
    tasks: Sequence[DFA], pairs: array[int], operator: Literal["and", "or"], max_states: int
) -> tuple[list[DFA], Sequence[int]]:
    """Return the conjunctions or disjunctions of pairs, each once, and the number of each pair's; −1: none.

    The tasks read the same letters; pairs are their numbers, one behind the other.
    """
    which = array("i", bytes(2 * len(pairs)))
    if not len(pairs):
        return [], which
    if library() is not None:
        own = pack(tasks, len(tasks[0].alphabet))
        code = BOTH if operator == "and" else EITHER
        made = _products(own, pairs, max_states, code, which)
        return DFA.unpacked(made, tasks[0].alphabet), which
    found: dict[DFA, int] = {}
    for place, (one, other) in enumerate(zip(pairs[::2], pairs[1::2], strict=True)):
        task = (tasks[one] & tasks[other] if operator == "and" else tasks[one] | tasks[other]).minimal
        which[place] = found.setdefault(task, len(found)) if task.states <= max_states else -1
    return list(found), which


BOTH, EITHER, ALL = 1, 2, 15  # operators of compiled products, a bit each


def _numbered(pairs: Sequence[Pair]) -> tuple[list[DFA], array[int]]:
    """Return the tasks of pairs, each once, and the pairs as their numbers; refuse tasks of other letters."""
    tasks = {id(task): task for pair in pairs for task in pair}
    alphabet = pairs[0][0].alphabet
    for task in tasks.values():
        if task.alphabet != alphabet:
            raise TaskError(
                f"the tasks read different letters: {listing(alphabet)} and {listing(task.alphabet)}"
            )
    number = {own: at for at, own in enumerate(tasks)}
    return list(tasks.values()), array("i", [number[id(task)] for pair in pairs for task in pair])


def _products(
    own: Machines, pairs: array[int], max_states: int, operators: int, which: array[int] | None = None
) -> Sized:
    return find_machines(
        *("products", own.letters, len(own), own.letters, *own.addresses),
        *(len(pairs) // 2, address(pairs)),
        *(max_states, operators, 0 if which is None else address(which)),
    )


def products_in_python(pairs: Sequence[Pair], max_states: int) -> list[DFA]:
    """Return the same by the book; the witness of the compiled one."""
    found: dict[DFA, None] = {}
    for one, other in pairs:
        for made in (one & other, one | other, one - other, other - one):
            smaller = made.minimal
            if smaller.states <= max_states:
                found.setdefault(smaller)
    return list(found)


# -- Automata with a way round ---------------------------------------------------------------------------

ENOUGH = 100_000  # tasks: a large automaton over many letters has more than anyone could score


def detours(task: DFA, max_states: int, enough: int = ENOUGH) -> list[DFA]:
    """Return the tasks with a way round, each language once, in a fixed order, at most so many.

    A transition is led to a new state. First come states that wait, with either mark: all letters stay but
    one or two, which lead to any states. Then come copies of states that there are, with either mark, which
    their own loops may or may not keep, and of which one transition leads elsewhere: to any state, to the new
    one itself, or to one that is never left, of either mark.
    """
    if library() is None:
        return distinct(task, max_states, detours_by_hand, enough)
    letters, own = len(task.alphabet), pack([task], len(task.alphabet))
    found = find_machines("detours", letters, own.states[0], letters, *own.addresses[1:], max_states, enough)
    return DFA.unpacked(found, task.alphabet, first=1)[:enough]  # the task itself comes first


def detours_by_hand(rows: Rows, marks: list[bool]) -> Edited:
    """Yield the detours by the book; the witness of the compiled ones."""
    states, letters = len(rows), len(rows[0])
    new, rejecting, accepting = range(states, states + 3)
    sinks = [[rejecting] * letters, [accepting] * letters]
    for state, letter, mark in product(range(states), range(letters), (False, True)):
        for one, other in combinations_with_replacement(range(letters), 2):
            for first, second in product(range(states), repeat=2):
                if one != other or first == second:
                    own = [first if a == one else second if a == other else new for a in range(letters)]
                    yield led(rows, state, letter, new, own, *sinks), [*marks, mark, False, True]
    for state in range(states):
        for letter in range(letters):
            for copied in range(states):
                row = rows[copied]
                ways = [row, [new if t == copied else t for t in row]] if copied in row else [row]
                for mark in (False, True):
                    for way in ways:
                        for place in range(letters):
                            for target in range(states + 3):
                                if target != way[place]:
                                    own = [target if a == place else t for a, t in enumerate(way)]
                                    changed = led(rows, state, letter, new, own, *sinks)
                                    yield changed, [*marks, mark, False, True]
