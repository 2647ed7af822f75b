"""Automata with a way round: a new state that waits for letters, or that differs in two ways from a copy.

A single edit leads a transition to a copy of a state. Often that alone explains nothing, and only the copy's
own change does: a search that keeps what is better after each edit would not pass there.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product

from demospec.tasks import packed
from demospec.tasks.dfa import DFA
from demospec.tasks.edits import Edited, Rows, distinct, led

ENOUGH = 100_000  # tasks: a large automaton over many letters has more than anyone could score


def detours(task: DFA, max_states: int, enough: int = ENOUGH) -> list[DFA]:
    """Return the tasks with a way round, each language once, in a fixed order, at most so many.

    A transition is led to a new state. First come states that wait, with either mark: all letters stay but
    one or two, which lead to any states. Then come copies of states that there are, with either mark, which
    their own loops may or may not keep, and of which one transition leads elsewhere: to any state, to the new
    one itself, or to one that is never left, of either mark.
    """
    if not packed.available():
        return detours_in_python(task, max_states, enough)
    letters, own = len(task.alphabet), packed.pack([task], len(task.alphabet))
    found = packed.find("detours", letters, own.states[0], letters, *own.addresses[1:], max_states, enough)
    return found.tasks(task.alphabet, first=1)[:enough]  # the task itself comes first


def detours_in_python(task: DFA, max_states: int, enough: int = ENOUGH) -> list[DFA]:
    """Return the same by the book; the witness of the compiled one."""
    return distinct(task, max_states, _with_detour, enough)


def _with_detour(rows: Rows, marks: list[bool]) -> Edited:
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
