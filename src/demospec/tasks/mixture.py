"""Several tasks with weights, read side by side as one machine with a reward: the share that is satisfied.

r(q) = Σₖ wₖ·[task k is satisfied in q] / Σₖ wₖ

A path that ends in q is worth r(q) to somebody who believes in task k with weight wₖ, and must act before it
is known which of them is meant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

from demospec.errors import InputError, TaskError, TooLarge
from demospec.tasks.dfa import DFA
from demospec.tasks.side_by_side import product
from demospec.tasks.tables import Table, canonical
from demospec.tasks.task import Task
from demospec.wording import listing

MOST_TASKS = 20
MOST_STATES = 512
BEFORE_MINIMAL = 16  # times as many states are looked at before a machine is made minimal

Weighted = tuple[Task, float]


@dataclass(frozen=True, eq=False)
class Mixture:
    """A minimal machine over letters, N states, start 0, that tells which of T tasks are satisfied.

    Weights are as they were given, and need not add up to 1; only their proportions matter.
    """

    tasks: tuple[Task, ...]  # heaviest first
    weights: tuple[float, ...]  # [T], above 0
    table: Table  # [N, K]
    satisfied: tuple[tuple[bool, ...], ...]  # [N, T]
    left_out: tuple[Weighted, ...]

    @classmethod
    def of(
        cls,
        weighted: Iterable[Weighted],
        *,
        merge_repeats: bool,
        most_tasks: int = MOST_TASKS,
        most_states: int = MOST_STATES,
    ) -> Mixture:
        """Read the heaviest tasks side by side: at most so many, and each only while there is room for it.

        The heaviest is never left out. With `merge_repeats` a letter that is read twice in a row counts once.

        >>> from demospec.tasks.clauses import parse
        >>> tasks = parse("reach a", "ab"), parse("reach b", "ab")
        >>> mixed = Mixture.of(zip(tasks, (0.75, 0.25)), merge_repeats=False)
        >>> mixed.table, mixed.reward
        (((1, 2), (1, 3), (3, 2), (3, 3)), (0.0, 0.75, 0.25, 1.0))
        """
        kept, left_out = list[Weighted](), list[Weighted]()
        table: Table = ()
        satisfied: tuple[tuple[bool, ...], ...] = ()
        for task, weight in by_weight(weighted):
            own = task.automaton.ignoring_repeats() if merge_repeats else task.automaton
            if not kept:
                table, satisfied = own.table, tuple(zip(own.accepting))
            elif len(kept) < most_tasks and (beside := put_beside(table, satisfied, own, most_states)):
                table, satisfied = beside
            else:
                left_out.append((task, weight))
                continue
            kept.append((task, weight))
        return cls(
            tasks=tuple(task for task, _ in kept),
            weights=tuple(weight for _, weight in kept),
            table=table,
            satisfied=satisfied,
            left_out=tuple(left_out),
        )

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Return the letters."""
        return self.tasks[0].alphabet

    @property
    def whole(self) -> float:
        """Return the weight of all tasks together."""
        return math.fsum(self.weights)

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the weights [T] so that they add up to 1."""
        return tuple(weight / self.whole for weight in self.weights)

    @property
    def reward(self) -> tuple[float, ...]:
        """Return r [N]: 1 where all tasks are satisfied, to the last bit, and 0 where none is."""
        return tuple(math.fsum(compress(self.weights, marks)) / self.whole for marks in self.satisfied)

    def after(self, word: Sequence[str]) -> int:
        """Return the state after a word."""
        state = 0
        for letter in word:
            state = self.table[state][self.alphabet.index(letter)]
        return state


def by_weight(weighted: Iterable[Weighted]) -> list[Weighted]:
    """Return tasks over one alphabet that have any weight, heaviest first; refuse what cannot be weighed."""
    tasks = list(weighted)
    for number, (task, weight) in enumerate(tasks, start=1):
        if not (math.isfinite(weight) and weight >= 0):
            raise InputError(f"a weight is a number from 0; found {weight:g}", place=f"task {number}")
        if task.alphabet != tasks[0][0].alphabet:
            raise TaskError(
                f"task 1 reads {listing(tasks[0][0].alphabet)}, but task {number} reads "
                f"{listing(task.alphabet)}: tasks that are read side by side have one alphabet"
            )
    some = sorted((one for one in tasks if one[1] > 0), key=lambda one: -one[1])
    if not some:
        found = f"{len(tasks)} whose weights are all 0" if tasks else "none"
        raise InputError(f"a mixture needs a task with a weight above 0; found {found}")
    return some


def put_beside(
    table: Table, satisfied: Sequence[tuple[bool, ...]], other: DFA, most: int
) -> tuple[Table, tuple[tuple[bool, ...], ...]] | None:
    """Return a machine with one task more beside it, made minimal; None where it has too many states."""
    try:
        nodes, rows = product([table, other.table], most=most * BEFORE_MINIMAL)
    except TooLarge:
        return None
    found = canonical(rows, 0, [(*satisfied[one], other.accepting[two]) for one, two in nodes])
    return found if len(found[0]) <= most else None
