"""Where words occur: everywhere, or only in some world; two tasks may be the same there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Protocol

import numpy as np

from demospec.tasks.dfa import DFA, Word

MANY = 1200  # words that are looked at first
DRAWN = 200  # of them long ones that are drawn
LONG = 14


class Place(Protocol):
    """Where a task is to be said: which words occur, and which of them tell two tasks apart."""

    def words(self, task: DFA) -> Sequence[Word]:
        """Return some words that occur, of many sorts: a first sieve for what can be said."""
        ...

    def differences(self, first: DFA, second: DFA) -> Sequence[Word]:
        """Return words that occur and on which two tasks differ, a shortest one first; none: they agree."""
        ...


class Everywhere:
    """All words occur."""

    def words(self, task: DFA) -> Sequence[Word]:
        """Return words to each state of the task, a few letters further, and some long ones."""
        return _words(task.alphabet, tuple(access_words(task)))

    def differences(self, first: DFA, second: DFA) -> Sequence[Word]:
        """Return shortest words that only the one and only the other accepts."""
        words = [(first - second).shortest_word(), (second - first).shortest_word()]
        return sorted((word for word in words if word is not None), key=len)


EVERYWHERE = Everywhere()


@lru_cache(maxsize=64)
def _words(letters: tuple[str, ...], access: tuple[Word, ...]) -> tuple[Word, ...]:
    found: dict[Word, None] = dict.fromkeys(access)
    for length in range(1, LONG):
        if len(found) + len(access) * len(letters) ** length > MANY - DRAWN:
            break
        for tail in product(letters, repeat=length):
            found |= dict.fromkeys([word + tail for word in access])
    return tuple(dict.fromkeys([*found, *_drawn(letters)]))


@lru_cache(maxsize=16)
def _drawn(letters: tuple[str, ...]) -> tuple[Word, ...]:
    rng = np.random.default_rng([11, len(letters)])
    lengths = rng.integers(2, LONG + 1, size=DRAWN).tolist()
    return tuple(
        tuple(letters[k] for k in rng.integers(len(letters), size=length).tolist()) for length in lengths
    )


def access_words(task: DFA) -> list[Word]:
    """Return a shortest word to each state that can be reached, the first in alphabetical order.

    >>> access_words(DFA.parse(">0: b→1 | 1: g→0, y→2 | *2:"))
    [(), ('b',), ('b', 'y')]
    """
    words: dict[int, Word] = {task.start: ()}
    order = [task.start]
    for state in order:  # grows while we walk
        for letter, target in zip(task.alphabet, task.table[state], strict=True):
            if target not in words:
                words[target] = (*words[state], letter)
                order.append(target)
    return [words[state] for state in sorted(words)]
