"""Exact identification by SAT: consistent automata in exact order of size, each language once.

Sizes depend on the number of states n, of transitions that leave their state m, and of the smaller
acceptance class c. The cells (n, c, m) are visited in order of size, with one solver for each n. What is
learned about one set of examples serves the next: automata found once are filtered by their answers, and
a proof that a cell holds no others needs only the few labels that it used.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import islice

from demospec.examples import Examples
from demospec.identify.base import check_class, joined
from demospec.identify.classes import AutomatonClass
from demospec.identify.state_count import Exhausted, StateCount
from demospec.identify.words import Labels, WordTree
from demospec.tasks import DFA
from demospec.tasks.encoding import size

__all__ = ["Catalogue", "SatIdentifier", "StateCount", "WordTree", "cells", "smallest"]

Cell = tuple[int, int, int]  # states, smaller acceptance class, transitions that leave their state
MOST_REMEMBERED = 20_000  # automata; an identifier starts afresh beyond


def cells(letters: int, max_states: int | None) -> Iterator[Cell]:
    """Yield the counts (n, c, m) that a minimal automaton can have, by size."""

    def first(n: int) -> tuple[int, int, int, int]:
        c, m = min(1, n - 1), n - 1  # a minimal automaton of two states or more both accepts and rejects
        return size(n, letters, c, m), n, c, m

    queue = [first(1)]
    while queue:
        cell = heapq.heappop(queue)
        _, n, c, m = cell
        yield n, c, m
        if cell == first(n) and (max_states is None or n < max_states):
            heapq.heappush(queue, first(n + 1))
        if n > 1 and m < n * letters:
            heapq.heappush(queue, (size(n, letters, c, m + 1), n, c, m + 1))
        if m == n - 1 and c + 1 <= n // 2:
            heapq.heappush(queue, (size(n, letters, c + 1, m), n, c + 1, m))


class Entry:
    """An automaton in the catalogue, with its answers so far: bits by word, as in `Labels`."""

    def __init__(self, dfa: DFA) -> None:
        self.dfa = dfa
        self.asked = self.accepted = 0

    def agrees(self, labels: Labels, tree: WordTree) -> bool:
        """Say whether the automaton gives every word its label."""
        if (self.accepted ^ labels.accepted) & self.asked & labels.words:
            return False
        if labels.words & ~self.asked:
            for word, label in labels.pairs:
                if not self.asked >> word & 1:
                    state = 0
                    for letter in tree.path[word]:
                        state = self.dfa.table[state][letter]
                    self.asked |= 1 << word
                    self.accepted |= self.dfa.accepting[state] << word
                    if self.dfa.accepting[state] != label:
                        return False
        return True


class Catalogue:
    """The automata of one class found so far, by cell, and what is proven to hold no others."""

    def __init__(
        self, alphabet: tuple[str, ...], classes: Sequence[AutomatonClass], max_states: int | None
    ) -> None:
        self.alphabet, self.classes = alphabet, classes
        self.tree = WordTree(alphabet)
        self.entries: dict[Cell, list[Entry]] = {}
        self.exhausted: dict[int, list[Exhausted]] = {}  # by number of states
        self.counts: dict[int, StateCount] = {}
        self._cells: list[Cell] = []
        self._more_cells = cells(len(alphabet), max_states)

    def __len__(self) -> int:
        return sum(map(len, self.entries.values()))

    def by_size(self, examples: Examples) -> Iterator[DFA]:
        """Yield the automata consistent with the examples, smallest first."""
        labels = self.tree.labels(examples)
        holding: dict[int, list[Exhausted]] = {}  # the proofs that need only our labels
        read: dict[int, int] = {}
        for cell in self._all_cells():
            n, c, m = cell
            entries, proofs = self.entries.setdefault(cell, []), self.exhausted.setdefault(n, [])
            ours = holding.setdefault(n, [])
            position = 0
            while True:
                while position < len(entries):  # grows while we walk
                    entry = entries[position]
                    position += 1
                    if entry.agrees(labels, self.tree):
                        yield entry.dfa
                new = proofs[read.get(n, 0) :]
                read[n] = len(proofs)
                ours += [proof for proof in new if labels.include(proof.words, proof.accepted)]
                if any(proof.covers(c, m) for proof in ours):
                    break
                self._extend(cell, labels)

    def close(self) -> None:
        """Free the solvers."""
        for count in self.counts.values():
            count.close()
        self.counts.clear()

    def _all_cells(self) -> Iterator[Cell]:
        position = 0
        while True:
            if position == len(self._cells):
                following = next(self._more_cells, None)
                if following is None:
                    return
                self._cells.append(following)
            yield self._cells[position]
            position += 1

    def _extend(self, cell: Cell, labels: Labels) -> None:
        """Find one more automaton for a cell, or prove that there is none."""
        n, c, m = cell
        result = self._count(n, labels).find(c, m, labels)
        if isinstance(result, Exhausted):
            self.exhausted[n].append(result)
        else:
            dfa = DFA.from_canonical(self.alphabet, result.table, result.accepting)
            self.entries[cell].append(Entry(dfa))

    def _count(self, n: int, labels: Labels) -> StateCount:
        """Return the solver for n states, a new one when the old carries many words of other sets."""
        if n in self.counts and self.counts[n].words > 3 * len(labels.pairs) + 20:
            self.counts.pop(n).close()
        if n not in self.counts:
            self.counts[n] = count = StateCount(n, self.tree, self.classes)
            for (states, _, _), entries in self.entries.items():
                if states == n:
                    for entry in entries:
                        count.block(entry.dfa.table, entry.dfa.accepting)
        return self.counts[n]


def smallest(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
) -> Iterator[DFA]:
    """Yield the automata consistent with the examples in exact order of size, each language once.

    With `classes`, only the members of all of them; `prior` is short for `Implies(prior)`. Raises
    `Contradiction` when labels are seen to exclude every member. Without `max_states` the search goes on
    to more states for ever, also when a class, or what the examples leave of it, has no more members.
    """
    letters = tuple(sorted(alphabet))
    members = joined(prior, classes)
    check_class(examples, letters, classes=members)
    catalogue = Catalogue(letters, members, max_states)
    try:
        yield from catalogue.by_size(examples)
    finally:
        catalogue.close()


class SatIdentifier:
    """The identifier of the search: the first tasks by size, quick when example sets resemble each other.

    Where tasks of one size are too many, which of them come depends on the calls so far, and on nothing
    else: the same calls on a new identifier, or after `forget`, give the same tasks.
    """

    def __init__(
        self,
        alphabet: Sequence[str],
        *,
        prior: DFA | None = None,
        classes: Sequence[AutomatonClass] = (),
        max_states: int = 10,
    ) -> None:
        self.alphabet, self.max_states = tuple(sorted(alphabet)), max_states
        self.classes = joined(prior, classes)
        self._known: dict[tuple[Examples, int], tuple[DFA, ...]] = {}
        self._catalogue: Catalogue | None = None

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when there are no more within `max_states`."""
        key = (examples, count)
        if key not in self._known:
            check_class(examples, self.alphabet, classes=self.classes)
            if self._catalogue is not None and len(self._catalogue) > MOST_REMEMBERED:
                self.forget()
            if self._catalogue is None:
                self._catalogue = Catalogue(self.alphabet, self.classes, self.max_states)
            self._known[key] = tuple(islice(self._catalogue.by_size(examples), count))
        return self._known[key]

    def forget(self) -> None:
        """Drop everything learned from earlier calls; from then on this is like a new identifier."""
        if self._catalogue is not None:
            self._catalogue.close()
        self._known, self._catalogue = {}, None
