"""The clauses of "a breadth-first numbered automaton with n states that agrees with these words".

The prefix tree of the words is coloured with the automaton's states (Heule & Verwer, ICGI 2010), and the
states are numbered breadth first (Ulyantsev, Zakirzyanov & Shalyto, LATA 2015), so that every model is a
different automaton. Variables are numbered from 1, clauses are lists of literals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

Clause = list[int]


@dataclass(frozen=True)
class Skeleton:
    """Variables and constraints of "a breadth-first numbered automaton with n states": no examples yet.

    transition[i][a][j]: δ(i, a) = j; accepting[i]; extra[i·K + a]: δ(i, a) leads to another state that
    is not first reached by it. Of m transitions that leave their state, m − (n − 1) are extra.
    """

    states: int
    letters: int
    transition: list[list[list[int]]]
    accepting: list[int]
    extra: list[int]
    clauses: list[Clause]
    top: int  # the largest variable


@dataclass(frozen=True)
class Unknown:
    """The automaton that is looked for, as a class of automata may speak of it in clauses of its own."""

    alphabet: tuple[str, ...]
    transition: list[list[list[int]]]  # as in `Skeleton`
    accepting: list[int]
    new: Callable[[int], list[int]]  # makes so many new variables

    @property
    def states(self) -> int:
        """Return the number of states."""
        return len(self.accepting)


@lru_cache(maxsize=64)
def skeleton(states: int, letters: int, first: int = 1) -> Skeleton:
    """Return the part of the encoding that does not depend on the examples; `first` is its first variable."""
    numbers = iter(range(first, 1 << 30))
    n, k = range(states), range(letters)
    transition = [[[next(numbers) for _ in n] for _ in k] for _ in n]
    accepting = [next(numbers) for _ in n]
    extra = [next(numbers) for _ in n for _ in k]
    rows = [targets for row in transition for targets in row]

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
                    yield [now, -target]
                    if j in seen:
                        yield [-now, target, seen[j]]
                        yield [now, -seen[j]]
                        yield [-target, -seen[j], extra[i * letters + a]]
                    else:
                        yield [-now, target]
                    if j > i + 1:
                        yield [-target, seen[j - 1]] if j - 1 in seen else [-target]
                for j in range(i):
                    yield [-transition[i][a][j], extra[i * letters + a]]
                seen = reached

    clauses = [*rows, *breadth_first_numbering()]
    # always true: makes the variables known to the solver, so that every model speaks of them
    clauses.append([*accepting, -accepting[-1]])
    return Skeleton(states, letters, transition, accepting, extra, clauses, next(numbers) - 1)


def more_than(inputs: Sequence[int], fewer: Sequence[int] | None, level: Sequence[int]) -> Iterator[Clause]:
    """Count literals: level[p] holds when more than t of the first p + 1 do, `fewer` being that for t − 1.

    A sequential counter (Sinz, CP 2005), one direction; each level can be added when it is first needed.
    """
    for before, here in pairwise(level):
        yield [-before, here]
    if fewer is None:
        for literal, here in zip(inputs, level, strict=True):
            yield [-literal, here]
    else:
        for literal, before, here in zip(inputs[1:], fewer, level[1:], strict=False):
            yield [-literal, -before, here]


def step(sk: Skeleton, above: Sequence[int], letter: int, colour: Sequence[int]) -> Iterator[Clause]:
    """Colour a prefix: where it leads follows from where the prefix without its last letter leads.

    Only one direction is needed: colour[i] must hold where the prefix really leads; a colour that holds
    elsewhere only restricts more, and the solver is free to drop it.
    """
    for up, row in zip(above, sk.transition, strict=True):
        for target, here in zip(row[letter], colour, strict=True):
            yield [-up, -target, here]


def labelled(sk: Skeleton, colour: Sequence[int], label: int) -> Iterator[Clause]:
    """Tie a word's label to the acceptance of the state that it leads to."""
    for here, z in zip(colour, sk.accepting, strict=True):
        yield [-here, -label, z]
        yield [-here, label, -z]


def not_congruent(sk: Skeleton, classes: Sequence[int], top: int) -> list[Clause]:
    """Demand that these classes of states are no congruence: two in one class differ somewhere.

    They differ when one accepts and the other does not, or a letter leads to different classes. A class
    is named by its first state; new variables are numbered from `top` + 1.
    """
    together = [(p, q) for p in range(sk.states) for q in range(sk.states) if classes[p] == classes[q]]
    clauses: list[Clause] = []
    somewhere: Clause = []
    for i, j in together:
        if i < j and classes[i] == i:
            differ = range(top + 1, top + 2 + sk.letters)
            top = differ[-1]
            somewhere += differ
            clauses.append([-differ[0], sk.accepting[i], sk.accepting[j]])
            clauses.append([-differ[0], -sk.accepting[i], -sk.accepting[j]])
            clauses += [
                [-differ[1 + a], -sk.transition[i][a][p], -sk.transition[j][a][q]]
                for a in range(sk.letters)
                for p, q in together
            ]
    return [*clauses, somewhere]
