"""Whether machines imply others, many pairs at once: by all states that a pair reaches together."""

from __future__ import annotations

import numpy as np

from demospec.tasks.side_by_side import Bools, Ints, Stack

ROOM = 1 << 22  # states of pairs that are marked at once


def included(first: Stack, second: Stack, one: Ints, other: Ints) -> Bools:
    """Return [P]: whether every word of machine `one[p]` of a stack is one of `other[p]` of another.

    >>> from demospec.tasks.dfa import DFA
    >>> reach, never = DFA.parse(">0: a→1 | *1:", "ab"), DFA.parse(">*0: b→1 | 1:", "ab")
    >>> stack = Stack.of([reach, reach & never])
    >>> included(stack, stack, np.array([0, 1]), np.array([1, 0])).tolist()
    [False, True]
    """
    sizes = states_of(first)[one] * states_of(second)[other]
    ends = np.cumsum(sizes)
    found = np.ones(len(one), dtype=np.bool_)
    begin = 0
    while begin < len(one):
        end = max(begin + 1, int(np.searchsorted(ends, ends[begin] - sizes[begin] + ROOM, side="right")))
        found[begin:end] = _included(first, second, one[begin:end], other[begin:end])
        begin = end
    return found


def states_of(stack: Stack) -> Ints:
    """Return [T]: how many states each machine has."""
    return np.diff(np.append(stack.base, len(stack.table)))


def _included(first: Stack, second: Stack, one: Ints, other: Ints) -> Bools:
    letters = len(first.alphabet)
    width = states_of(second)[other]
    size = states_of(first)[one] * width
    # Where the states (p, q) of pair k are marked: offset[k] + p·width[k] + q, as the stacks number p and q.
    offset = np.cumsum(size) - size - first.base[one] * width - second.base[other]
    met = np.zeros(int(size.sum()), dtype=np.bool_)
    place = np.empty(len(met), dtype=np.intp)
    holds = np.ones(len(one), dtype=np.bool_)
    pair = np.arange(len(one))
    p, q = first.start[one], second.start[other]
    met[offset + p * width + q] = True
    while len(pair):
        holds[pair[first.accepting[p] & ~second.accepting[q]]] = False
        going = holds[pair]
        pair, p, q = pair[going], p[going], q[going]
        after = first.table[p, :letters].ravel(), second.table[q, :letters].ravel()
        pair = np.repeat(pair, letters)
        code = offset[pair] + after[0] * width[pair] + after[1]
        fresh = np.flatnonzero(~met[code])
        place[code[fresh]] = fresh
        fresh = fresh[place[code[fresh]] == fresh]  # of equal ones the last
        met[code[fresh]] = True
        pair, p, q = pair[fresh], after[0][fresh], after[1][fresh]
    return holds
