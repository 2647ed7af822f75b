"""How much of the belief agrees with each transition and each mark of a task.

Tasks have different shapes, so they are compared by words. Each state q of the task has a word u(q) that
leads to it: a shortest one that is possible in some world, or else a shortest one at all. Each transition
q –a→ q′ has a word v(q, a) that leads to q and after which a is read: a shortest one that some path has, or
else u(q), or else a shortest one at all. Another task agrees with

- the mark of q, when it accepts u(q) exactly if the task does;
- the transition q –a→ q′, when for it v(q, a)·a is the same as u(q′), and another than v(q, a);
- the loop q –a→ q, when for it v(q, a)·a is the same as v(q, a).

Two words are the same for a task when it accepts the same words after both (Myhill and Nerode's equivalence).
With merged repeats there may be states and transitions that no word leads to: everybody agrees with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.weights import Belief
from demospec.belief.words import Words
from demospec.tasks import DFA, Word
from demospec.tasks.side_by_side import Product, Stack
from demospec.worlds.mdp import Bools, Floats


@dataclass(frozen=True, eq=False)
class Access:
    """The words that lead to the Q states of a minimal task, and to its transitions by K letters."""

    task: DFA
    words: tuple[Word, ...]  # [Q], u(q)
    possible: tuple[bool, ...]  # [Q], whether a path of some world has u(q)
    before: tuple[Word, ...]  # [Q·K], v(q, a)
    reached: Bools  # [Q], whether any word leads there, as words are read here
    readable: Bools  # [Q, K], whether any word is read there


@dataclass(frozen=True, eq=False)
class Shares:
    """What of the belief agrees with a task of Q states over K letters."""

    task: DFA
    words: tuple[Word, ...]  # u(q)
    possible: tuple[bool, ...]  # whether a path of some world leads there
    transitions: Floats  # [Q, K]
    marks: Floats  # [Q]


def access_of(task: DFA, words: Words | None, *, merge_repeats: bool) -> Access:
    """Find the words of a minimal task; `words` are those that the worlds have for it, where known."""
    reader = Product.of([task], merge_repeats=merge_repeats) if words is None else words.reader
    letters, states, shortest = range(len(task.alphabet)), reader.states(0), reader.shortest_words()
    access: list[Word] = []
    possible: list[bool] = []
    before: list[Word] = []
    reached = np.zeros(task.states, dtype=np.bool_)
    readable = np.zeros((task.states, len(letters)), dtype=np.bool_)
    for q in range(task.states):
        nodes = states == q
        reached[q] = nodes.any()
        readable[q] = (nodes[:, None] & reader.reads[:, :-1]).any(axis=0)
        seen = None if words is None else words.shortest(nodes, complete=False)
        if seen is not None:
            own = seen.word
        else:
            own = shortest[int(np.argmax(nodes))] if reached[q] else _any_word(task, q)
        access.append(own)
        possible.append(seen is not None)
        for letter in letters:
            found = None if words is None else words.before(nodes, letter)
            if (
                found is None
                and merge_repeats
                and own[-1:] == (task.alphabet[letter],)
                and readable[q, letter]
            ):
                found = shortest[int(np.argmax(nodes & reader.reads[:, letter]))]
            before.append(own if found is None else found)
    return Access(task, tuple(access), tuple(possible), tuple(before), reached, readable)


def _any_word(task: DFA, state: int) -> Word:
    """Return a shortest word to a state of a minimal automaton, repeats or not."""
    only = tuple(q == state for q in range(task.states))
    found = DFA(alphabet=task.alphabet, table=task.table, accepting=only).shortest_word()
    assert found is not None  # every state of a minimal automaton is reached
    return found


def shares_of(belief: Belief, access: Access) -> Shares:
    """Compare a task with everything that is believed."""
    marks, transitions = agreements(access, belief.forms, belief.weights)
    return Shares(access.task, access.words, access.possible, transitions, marks)


def agreements(access: Access, others: Sequence[DFA], weights: Floats) -> tuple[Floats, Floats]:
    """Return the weight [Q] of those that agree with each mark, and [Q, K] with each transition."""
    same = Stack.of(others).accepts(access.words) == np.array(access.task.accepting)
    agree, _ = leads_to(access, others)
    # Sums in a fixed order: a matrix product may round otherwise from one machine to the next.
    marks: Floats = (weights[:, None] * (same | ~access.reached)).sum(axis=0)
    transitions: Floats = (weights[:, None, None] * agree).sum(axis=0)
    return marks, transitions


def leads_to(access: Access, others: Sequence[DFA]) -> tuple[Bools, Bools]:
    """Return who agrees with each transition [T, Q, K], and for whom v(q, a)·a is as u(p) [T, Q, K, Q].

    The others are minimal, so that two words can be followed by the same words if they lead to one state.
    """
    stack, task = Stack.of(others), access.task
    shape = task.states, len(task.alphabet)
    at = stack.after(access.words)  # [T, Q]
    before = stack.after(access.before).reshape(-1, *shape)  # [T, Q, K]
    after = stack.table[before, np.arange(shape[1])]
    like: Bools = after[:, :, :, None] == at[:, None, None, :]
    target, source = np.array(task.table), np.arange(task.states)[:, None]
    there = np.take_along_axis(like, target[None, :, :, None], axis=3)[..., 0]
    stays = after == before
    agree: Bools = np.where(target == source, stays, there & ~stays) | ~access.readable
    return agree, like
