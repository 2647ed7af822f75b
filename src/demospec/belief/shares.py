"""How much of the belief agrees with each transition and each mark of a task.

Tasks have different shapes, so they are compared by words. Each state q of the task has a word u(q) that
leads to it: a shortest one that is possible in some world, or else a shortest one at all. Another task
agrees with

- the mark of q, when it accepts u(q) exactly if the task does;
- the transition q –a→ q′, when for it u(q)·a is the same as u(q′), and another than u(q) unless q′ = q.

Two words are the same for a task when it accepts the same words after both (Myhill and Nerode's equivalence).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.weights import Belief
from demospec.belief.words import Words
from demospec.tasks import DFA, Word
from demospec.tasks.side_by_side import Stack
from demospec.worlds.mdp import Bools, Floats


@dataclass(frozen=True, eq=False)
class Shares:
    """What of the belief agrees with a task of Q states over K letters."""

    task: DFA
    words: tuple[Word, ...]  # u(q)
    possible: tuple[bool, ...]  # whether a path of some world leads there
    transitions: Floats  # [Q, K]
    marks: Floats  # [Q]


def access_words(task: DFA, words: Words | None) -> list[tuple[Word, bool]]:
    """Return u(q) for each state, and whether it is possible; `words` are those of the worlds, if known."""
    own = [
        DFA(alphabet=task.alphabet, table=task.table, accepting=_only(task, q)) for q in range(task.states)
    ]
    found = []
    for q, alone in enumerate(own):
        seen = None if words is None else words.shortest(words.reader.states(0) == q, complete=False)
        word = alone.shortest_word() if seen is None else seen.word
        assert word is not None  # every state of a minimal automaton is reached
        found.append((word, seen is not None))
    return found


def _only(task: DFA, state: int) -> tuple[bool, ...]:
    return tuple(q == state for q in range(task.states))


def shares_of(belief: Belief, task: DFA, words: Words | None) -> Shares:
    """Compare a minimal task with everything that is believed."""
    task = task.minimal
    access = access_words(task, words)
    known = [word for word, _ in access]
    marks, transitions = agreements(task, known, belief.forms, belief.weights)
    return Shares(task, tuple(known), tuple(seen for _, seen in access), transitions, marks)


def agreements(
    task: DFA, words: Sequence[Word], others: Sequence[DFA], weights: Floats
) -> tuple[Floats, Floats]:
    """Return the weight [Q] of those that agree with each mark, and [Q, K] with each transition."""
    stack = Stack.of(others)
    same = stack.accepts(words) == np.array(task.accepting)
    agree, _ = leads_to(task, words, others)
    # Sums in a fixed order: a matrix product may round otherwise from one machine to the next.
    marks: Floats = (weights[:, None] * same).sum(axis=0)
    transitions: Floats = (weights[:, None, None] * agree).sum(axis=0)
    return marks, transitions


def leads_to(task: DFA, words: Sequence[Word], others: Sequence[DFA]) -> tuple[Bools, Bools]:
    """Return who agrees with each transition [T, Q, K], and whether u(q)·a is as u(p) for them [T, Q, K, Q].

    The others are minimal, so that two words can be followed by the same words if they lead to one state.
    """
    stack = Stack.of(others)
    at = stack.after(words)  # [T, Q]
    after = stack.table[at, : len(task.alphabet)]  # [T, Q, K]: the state after u(q)·a
    like = after[:, :, :, None] == at[:, None, None, :]
    target, source = np.array(task.table), np.arange(task.states)[:, None]
    there = np.take_along_axis(like, target[None, :, :, None], axis=3)[..., 0]
    away = after != at[:, :, None]
    agree: Bools = there & (away | (target == source))
    return agree, like
