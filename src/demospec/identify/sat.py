"""Exact identification by SAT: consistent automata in exact order of size, each language once.

The prefix tree of the words is coloured with the automaton's states (Heule & Verwer, ICGI 2010), and the
states are numbered breadth first (Ulyantsev, Zakirzyanov & Shalyto, LATA 2015), so that every model is a
different automaton. For each number of states there is one incremental solver. Sizes depend on the
number of states n, of transitions that leave their state m, and of the smaller acceptance class c: the
cells (n, c, m) are visited in order of size, bounds enter as assumptions, found automata are blocked.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice

from pysat.solvers import Solver

from demospec.examples import Examples
from demospec.identify.base import check_class
from demospec.tasks import DFA
from demospec.tasks.encoding import size
from demospec.tasks.tables import Table, finest_merge

SOLVER = "minicard"  # lowest overhead on our small instances
Clause = list[int]


@dataclass(frozen=True)
class Skeleton:
    """Variables and clauses of "a breadth-first numbered automaton with n states": no examples yet.

    transition[i][a][j]: δ(i, a) = j; accepting[i]; at_most_changes[m] and at_most_minority[c]: assuming
    it bounds the transitions that leave their state, or the smaller acceptance class.
    """

    states: int
    transition: list[list[list[int]]]
    accepting: list[int]
    at_most_changes: list[int]
    at_most_minority: list[int]
    clauses: list[Clause]
    top: int  # the largest variable


@lru_cache(maxsize=64)
def skeleton(states: int, letters: int) -> Skeleton:
    """Return the part of the encoding that does not depend on the examples."""
    numbers = iter(range(1, 1 << 30))
    n, k = range(states), range(letters)
    transition = [[[next(numbers) for _ in n] for _ in k] for _ in n]
    accepting = [next(numbers) for _ in n]
    clauses: list[Clause] = []

    def exactly_one_target() -> Iterator[Clause]:
        for row in transition:
            for targets in row:
                yield list(targets)
                yield from ([-a, -b] for a, b in combinations(targets, 2))

    def breadth_first_numbering() -> Iterator[Clause]:
        # seen[j]: among the transitions read so far (state by state, letter by letter) one leads to j.
        # A state is first reached after the one before it, and before its own row is read.
        seen: dict[int, int] = {}
        for i in n:
            if i:
                yield [seen[i]]
            for a in k:
                reached: dict[int, int] = {}
                for j in range(i + 1, states):
                    target = transition[i][a][j]
                    reached[j] = now = next(numbers)
                    before = [seen[j]] if j in seen else []
                    yield [-now, target, *before]
                    yield [now, -target]
                    yield from ([now, -b] for b in before)
                    if j > i + 1:
                        yield [-target, seen[j - 1]] if j - 1 in seen else [-target]
                seen = reached

    def at_least(inputs: Sequence[int]) -> list[int]:
        # Totalizer (Bailleux & Boufkhad 2003), one direction: output[t] holds when more than t inputs do.
        if len(inputs) <= 1:
            return list(inputs)
        left, right = at_least(inputs[: len(inputs) // 2]), at_least(inputs[len(inputs) // 2 :])
        out = [next(numbers) for _ in inputs]
        for p in range(len(left) + 1):
            for q in range(len(right) + 1):
                if p + q:
                    holds = ([-left[p - 1]] if p else []) + ([-right[q - 1]] if q else [])
                    clauses.append([*holds, out[p + q - 1]])
        return out

    def bounds(inputs: Sequence[int]) -> list[int]:
        return [-output for output in at_least(inputs)]

    clauses += exactly_one_target()
    clauses += breadth_first_numbering()
    at_most_changes = bounds([-transition[i][a][i] for i in n for a in k])
    few_accept, few_reject = bounds(accepting), bounds([-z for z in accepting])
    minority_accepts = next(numbers)
    at_most_minority = []
    for c in range(states // 2 + 1):
        at_most_minority.append(bound := next(numbers))
        if c < states:
            clauses.append([-bound, -minority_accepts, few_accept[c]])
            clauses.append([-bound, minority_accepts, few_reject[c]])
    return Skeleton(
        states, transition, accepting, at_most_changes, at_most_minority, clauses, top=next(numbers) - 1
    )


class StateCount:
    """All consistent automata with exactly n states: one solver, bounds as assumptions."""

    def __init__(self, states: int, tree: WordTree, prior: DFA | None) -> None:
        self.skeleton = skeleton(states, tree.letters)
        self.states, self.letters = states, tree.letters
        self.solver = Solver(name=SOLVER, bootstrap_with=self.skeleton.clauses)
        self.top = self.skeleton.top
        self.solver.append_formula(self._consistent(tree))
        if prior is not None:
            self.solver.append_formula(self._implies(prior))

    def _new(self, count: int) -> list[int]:
        self.top += count
        return list(range(self.top - count + 1, self.top + 1))

    def _consistent(self, tree: WordTree) -> list[Clause]:
        """Colour the prefix tree: where a word's prefix leads, its label is the state's acceptance.

        Only one direction is needed: colour[v][i] must hold where v really leads; a colour that holds
        elsewhere only restricts more, and the solver is free to drop it.
        """
        transition, accepting = self.skeleton.transition, self.skeleton.accepting
        clauses: list[Clause] = []
        colours: list[list[int] | None] = [None] * len(tree.parent)
        for node, (parent, letter) in enumerate(zip(tree.parent, tree.letter, strict=True)):
            above = colours[parent] if parent >= 0 else None
            if parent < 0:
                if tree.label[0] is not None:
                    clauses.append([accepting[0] if tree.label[0] else -accepting[0]])
                continue
            if above is None:  # below the root the colour is the transition itself
                colour = transition[0][letter]
            else:
                colour = self._new(self.states)
                clauses += [
                    [-up, -step, here]
                    for up, row in zip(above, transition, strict=True)
                    for step, here in zip(row[letter], colour, strict=True)
                ]
            colours[node] = colour
            if tree.label[node] is not None:
                sign = 1 if tree.label[node] else -1
                clauses += [[-here, sign * z] for here, z in zip(colour, accepting, strict=True)]
        return clauses

    def _implies(self, prior: DFA) -> list[Clause]:
        """Run the prior alongside: a state reached together with one that rejects must reject."""
        transition, accepting = self.skeleton.transition, self.skeleton.accepting
        together = [self._new(prior.states) for _ in range(self.states)]
        clauses = [[together[0][prior.start]]]
        for i in range(self.states):
            for p in range(prior.states):
                if not prior.accepting[p]:
                    clauses.append([-together[i][p], -accepting[i]])
                for a in range(self.letters):
                    q = prior.table[p][a]
                    clauses += [
                        [-together[i][p], -transition[i][a][j], together[j][q]] for j in range(self.states)
                    ]
        return clauses

    def feasible(self) -> bool:
        """Say whether any automaton with this many states is left."""
        return bool(self.solver.solve())

    def within(self, minority: int, changes: int) -> Iterator[tuple[Table, tuple[bool, ...]]]:
        """Yield, and block, every minimal automaton left whose counts are at most these."""
        sk = self.skeleton
        assumptions = [sk.at_most_minority[minority]]
        if changes < len(sk.at_most_changes):
            assumptions.append(sk.at_most_changes[changes])
        while self.solver.solve(assumptions=assumptions):
            true = set(self.solver.get_model()[: sk.accepting[-1]])
            table = tuple(
                tuple(next(j for j, var in enumerate(targets) if var in true) for targets in row)
                for row in sk.transition
            )
            accepting = tuple(z in true for z in sk.accepting)
            merge = finest_merge(table, accepting)
            if merge is not None:  # a smaller automaton does the same: rule out every one of its kind
                self.solver.append_formula(self._not_congruent(merge))
                continue
            self.solver.add_clause(
                [-sk.transition[i][a][j] for i, row in enumerate(table) for a, j in enumerate(row)]
                + [-z if mark else z for z, mark in zip(sk.accepting, accepting, strict=True)]
            )
            yield table, accepting

    def _not_congruent(self, classes: Sequence[int]) -> list[Clause]:
        """Demand that these classes of states are no congruence: two in one class differ somewhere.

        They differ when one accepts and the other does not, or a letter leads to different classes.
        """
        transition, accepting = self.skeleton.transition, self.skeleton.accepting
        together = [
            (p, q) for p in range(self.states) for q in range(self.states) if classes[p] == classes[q]
        ]
        clauses: list[Clause] = []
        somewhere: Clause = []
        for i, j in together:
            if i < j and classes[i] == i:
                differ = self._new(1 + self.letters)
                somewhere += differ
                clauses.append([-differ[0], accepting[i], accepting[j]])
                clauses.append([-differ[0], -accepting[i], -accepting[j]])
                clauses += [
                    [-differ[1 + a], -transition[i][a][p], -transition[j][a][q]]
                    for a in range(self.letters)
                    for p, q in together
                ]
        return [*clauses, somewhere]

    def close(self) -> None:
        """Free the solver."""
        self.solver.delete()


class WordTree:
    """The prefix tree of labelled words, as lists; parents before children."""

    def __init__(self, examples: Examples, alphabet: Sequence[str]) -> None:
        column = {letter: a for a, letter in enumerate(alphabet)}
        self.letters = len(alphabet)
        self.parent, self.letter = [-1], [-1]
        self.label: list[bool | None] = [None]
        children: dict[tuple[int, int], int] = {}
        for word, label in examples:
            node = 0
            for symbol in word:
                key = (node, column[symbol])
                if key not in children:
                    children[key] = len(self.parent)
                    self.parent.append(node)
                    self.letter.append(column[symbol])
                    self.label.append(None)
                node = children[key]
            self.label[node] = label


def smallest(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    prior: DFA | None = None,
    max_states: int | None = None,
) -> Iterator[DFA]:
    """Yield the automata consistent with the examples in exact order of size, each language once.

    With a `prior`, only those that imply it. Raises `Contradiction` when no automaton of any size fits.
    """
    letters = tuple(sorted(alphabet))
    check_class(examples, letters, prior)
    tree = WordTree(examples, letters)
    prior = None if prior is None else prior.minimal
    counts: dict[int, StateCount] = {}

    def first_cell(n: int) -> tuple[int, int, int, int]:
        c, m = min(1, n - 1), n - 1  # a minimal automaton of two states or more both accepts and rejects
        return size(n, len(letters), c, m), n, c, m

    cells = [first_cell(1)]
    try:
        while cells:
            _, n, c, m = heapq.heappop(cells)
            if n not in counts:
                counts[n] = StateCount(n, tree, prior)
                if max_states is None or n < max_states:
                    heapq.heappush(cells, first_cell(n + 1))
                if not counts[n].feasible():
                    continue
            for table, accepting in counts[n].within(c, m):
                yield DFA.from_canonical(letters, table, accepting)
            if m < n * len(letters):
                heapq.heappush(cells, (size(n, len(letters), c, m + 1), n, c, m + 1))
            if m == n - 1 and c + 1 <= n // 2:
                heapq.heappush(cells, (size(n, len(letters), c + 1, m), n, c + 1, m))
    finally:
        for count in counts.values():
            count.close()


class SatIdentifier:
    """The identifier of the search: the first tasks by size, remembered for example sets seen before."""

    def __init__(self, alphabet: Sequence[str], *, prior: DFA | None = None, max_states: int = 10) -> None:
        self.alphabet, self.prior, self.max_states = tuple(alphabet), prior, max_states
        self._known: dict[tuple[Examples, int], tuple[DFA, ...]] = {}

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when there are no more within `max_states`."""
        key = (examples, count)
        if key not in self._known:
            found = smallest(examples, self.alphabet, prior=self.prior, max_states=self.max_states)
            self._known[key] = tuple(islice(found, count))
        return self._known[key]
