"""Every clause over some letters that can matter for a task, side by side: their automata in one table.

A kind's automaton is made once for each pattern of equal and different letters, and its columns are then put
where the letters are: thousands of clauses are a few dozen automata.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from demospec.tasks.clauses import Clause, Kind, instances, kinds
from demospec.tasks.clauses.kind import CHAIN, LETTERS, TIMES
from demospec.tasks.dfa import DFA
from demospec.tasks.propositions import are_sets, atoms
from demospec.tasks.side_by_side import Bools, Ints, Stack, with_white

MOST_OF_A_SIZE = 1200  # clauses of one kind and size; longer chains grow from those that hold
MOST_OF_A_KIND = 12_000  # where the letters are so many, a kind is left out
SELDOM = 0.5  # the weight, for a description, of kinds that have none: they are said, not searched for
LARGEST_NUMBER = 32  # in "a at most 32 times"


@dataclass(frozen=True, eq=False)
class Candidates:
    """T clauses over one alphabet, their automata in one table, and what each costs to say in bits."""

    clauses: tuple[Clause, ...]
    stack: Stack
    costs: npt.NDArray[np.float64]  # [T]

    def __len__(self) -> int:
        return len(self.clauses)

    def chosen(self, which: Sequence[int] | Ints) -> Candidates:
        """Return some of the clauses, in the given order."""
        numbers = np.asarray(which, dtype=np.intp)
        stack, size = self.stack, np.diff(np.append(self.stack.base, len(self.stack.table)))
        count = size[numbers]
        base = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(np.intp)
        owner = np.repeat(np.arange(len(numbers)), count)
        old = np.arange(int(count.sum())) - base[owner] + stack.base[numbers][owner]
        shift = (base - stack.base[numbers])[owner]
        part = Stack(
            stack.alphabet,
            stack.table[old] + shift[:, None],
            stack.accepting[old],
            base,
            stack.start[numbers] - stack.base[numbers] + base,
            owner,
        )
        return Candidates(tuple(self.clauses[k] for k in numbers.tolist()), part, self.costs[numbers])

    def implied_by(self, task: DFA) -> Bools:
        """Return [T]: which clauses hold on every word of a task, by all states they reach together."""
        bad = together(task, self.stack)[list(task.accepting)].any(axis=0) & ~self.stack.accepting
        found: Bools = np.ones(len(self), dtype=np.bool_)
        found[self.stack.owner[bad]] = False
        return found


def together(task: DFA, stack: Stack) -> Bools:
    """Return [Q, N]: the states of a stack in which its machines can be while the task is in state q."""
    met = np.zeros((task.states, len(stack.table)), dtype=np.bool_)
    met[task.start, stack.start] = True
    fresh = met.copy()
    while fresh.any():
        reached = np.zeros_like(met)
        for state in np.flatnonzero(fresh.any(axis=1)).tolist():
            after = stack.table[np.flatnonzero(fresh[state])]
            for letter, target in enumerate(task.table[state]):
                reached[target, after[:, letter]] = True
        fresh = reached & ~met
        met |= fresh
    return met


def candidates(alphabet: tuple[str, ...], named: tuple[str, ...], states: int) -> Candidates:
    """Return the clauses over an alphabet that name some of its letters, for a task with so many states."""
    largest = min(LARGEST_NUMBER, max(4, 1 << (states - 1).bit_length()))  # few different ones: they are kept
    return _candidates(alphabet, named, largest, kinds())


@lru_cache(maxsize=16)
def _candidates(
    alphabet: tuple[str, ...], named: tuple[str, ...], largest: int, known: tuple[Kind, ...]
) -> Candidates:
    clauses = [
        clause
        for kind in known
        for size in sizes(kind, len(named), largest)
        for clause in instances(kind, size, named)
    ]
    return of_clauses(clauses, alphabet, known)


def sizes(kind: Kind, letters: int, largest: int) -> Iterator[int]:
    """Yield the sizes of a kind whose clauses are all looked at."""
    if kind.several is None:
        yield from [kind.fewest] if kind.count(kind.fewest, letters) <= MOST_OF_A_KIND else []
        return
    last = letters if kind.several == LETTERS else 3 if kind.several == CHAIN else largest
    for size in range(kind.fewest, last + 1):
        if kind.count(size, letters) <= (MOST_OF_A_KIND if size == kind.fewest else MOST_OF_A_SIZE):
            yield size


def of_clauses(
    clauses: Iterable[Clause], alphabet: tuple[str, ...], known: Sequence[Kind] | None = None
) -> Candidates:
    """Put clauses side by side."""
    said = len(atoms(alphabet))
    every = [clause for clause in clauses if clause.kind.count(clause.size, said)]
    weights = sum(kind.weight for kind in (kinds() if known is None else known))
    column = {letter: k for k, letter in enumerate(alphabet)}
    width, tables, marks, starts = len(alphabet) + 1, [], [], []
    for clause in every:
        if are_sets(alphabet):
            task = clause.automaton(alphabet)
            own = with_white(task.table, len(alphabet))
            accepting, start = task.accepting, task.start
        else:
            table, accepting, start = pattern(clause)
            own = np.repeat(table[:, -1:], width, axis=1)
            own[:, -1] = np.arange(len(table))  # white
            own[:, [column[letter] for letter in clause.letters]] = table[:, places(clause.letters)]
        tables.append(own)
        marks.append(accepting)
        starts.append(start)
    count = [len(own) for own in tables]
    base = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(np.intp) if every else np.zeros(0, np.intp)
    owner = np.repeat(np.arange(len(every)), count)
    rows = np.concatenate(tables) + base[owner][:, None] if every else np.zeros((0, width), np.intp)
    accepted = np.array(list(chain.from_iterable(marks)), dtype=np.bool_)
    begin = base + np.array(starts, dtype=np.intp)
    costs = np.array([cost(clause, said, weights) for clause in every])
    return Candidates(tuple(every), Stack(alphabet, rows, accepted, base, begin, owner), costs)


def places(letters: Sequence[str]) -> list[int]:
    """Number letters in the order in which they first occur.

    >>> places("bgb")
    [0, 1, 0]
    """
    number: dict[str, int] = {}
    return [number.setdefault(letter, len(number)) for letter in letters]


def pattern(clause: Clause) -> tuple[Ints, tuple[bool, ...], int]:
    """Return the automaton of a clause by the places of its letters; the last column is any other letter."""
    return _pattern(clause.kind, tuple(places(clause.letters)), clause.number)


@lru_cache(maxsize=1024)
def _pattern(kind: Kind, where: tuple[int, ...], number: int) -> tuple[Ints, tuple[bool, ...], int]:
    letters = tuple(f"{place:03}" for place in where)
    other = f"{max(where) + 1:03}"
    task = Clause(kind, letters, number).automaton((*sorted(set(letters)), other))
    return np.array(task.table, dtype=np.intp), task.accepting, task.start


def cost(clause: Clause, letters: int, weights: int) -> float:
    """Return what a clause costs to say: its kind, its size, its letters, in bits."""
    kind, size = clause.kind, clause.size
    extra = size - kind.fewest
    weight = kind.weight or SELDOM
    return math.log2(weights / weight) + math.log2(kind.count(size, letters)) + 2.0 * extra


def grown(clauses: Sequence[Clause], letters: Sequence[str]) -> list[Clause]:
    """Return clauses with chains that are longer by a letter, and with numbers that are larger by one."""
    found: list[Clause] = []
    for clause in clauses:
        if clause.kind.several == CHAIN:
            longer = [(*clause.letters, letter) for letter in letters]
            size = clause.size + 1
            found += [Clause(clause.kind, one) for one in longer if clause.kind.allows(one, size)]
        elif clause.kind.several == TIMES:
            found.append(Clause(clause.kind, clause.letters, clause.number + 1))
    return found
