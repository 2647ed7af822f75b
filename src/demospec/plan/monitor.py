"""The monitor: how a task reads a path, state by state.

White states are skipped. With `merge_repeats` a letter that is read twice in a row counts once, which is
part of what the monitor remembers. Given what is known already (the prior that a task must imply, the
lower bound that it must contain), it also tells which rejected paths some task of the class could accept,
and which accepted ones some task could reject: only those can be conjectured.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.errors import TaskError
from demospec.tasks import DFA
from demospec.tasks.side_by_side import product, with_white
from demospec.tasks.tables import Sized, Table, address, canonical, find_machines, pack
from demospec.wording import listing
from demospec.worlds.mdp import MDP, Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Monitor:
    """A minimal Moore machine over letters, M states, start 0.

    `accepting[m]`: a path that ends in m satisfies the task; `open[m]`: it does not, but a task of the
    class might let it; `revocable[m]`: it does, but a task of the class might not. A path that is neither
    open nor revocable has the same label in everything that is still considered.
    """

    alphabet: tuple[str, ...]
    table: Table
    accepting: Bools  # [M]
    open: Bools  # [M]
    revocable: Bools  # [M]

    @property
    def states(self) -> int:
        """Return the number of monitor states."""
        return len(self.table)

    @property
    def start(self) -> int:
        """Return the state in which reading begins."""
        return 0

    @cached_property
    def reward(self) -> Floats:
        """Return [M]: what a path that ends in each state is worth, as a share of λ: 1 where it satisfies."""
        return self.accepting.astype(np.float64)

    @property
    def outputs(self) -> tuple[Bools | Floats, ...]:
        """Return, by label, [M]: how far a path that ends in each state has it; accepted, open, revocable."""
        return self.accepting, self.open, self.revocable

    def read(self, node: Ints, letter: Ints) -> Ints:
        """Return the states after reading letters by their numbers; the one after the last is white."""
        found: Ints = self.with_white[node, letter]
        return found

    def step(self, state: int, label: str | None) -> int:
        """Return the state after reading one label; None is white."""
        return state if label is None else self.table[state][self.alphabet.index(label)]

    def reading(self, mdp: MDP) -> Ints:
        """Return [M, S]: the monitor's state after entering world state s in monitor state m."""
        return self.with_white[:, mdp.letter_numbers(self.alphabet)]

    @cached_property
    def with_white(self) -> Ints:
        """Return [M, K + 1]: the next state after each letter, and after a white state: the same."""
        return with_white(self.table, len(self.alphabet))


def counts_repeats(dfa: DFA) -> bool:
    """Say whether reading a letter twice in a row can differ from reading it once."""
    table = dfa.table
    return any(table[target][k] != target for row in table for k, target in enumerate(row))


def make_monitor(
    task: DFA, *, merge_repeats: bool, prior: DFA | None = None, lower: DFA | None = None
) -> Monitor:
    """Build the monitor of a task, in the class of those that imply the prior and contain the lower bound.

    An automaton that does not count repeats needs no memory of the last letter: δ(δ(q,a),a) = δ(q,a).
    """
    for name, bound in (("prior", prior), ("lower bound", lower)):
        if bound is not None and bound.alphabet != task.alphabet:
            raise TaskError(
                f"the task reads {listing(task.alphabet)}, but the {name} reads {listing(bound.alphabet)}"
            )
    task = task.minimal
    parts = [part for part in (task, prior, lower) if part is not None]
    forget = not merge_repeats or not any(map(counts_repeats, parts))
    if forget and len(parts) == 1:
        return _monitor(task.alphabet, task.table, [(mark, not mark, mark) for mark in task.accepting])
    if len(parts) == 1:
        nodes, rows = product([task.table], remember=True)
        table, marks = canonical(rows, 0, [task.accepting[q] for q, _ in nodes])
        return _monitor(task.alphabet, table, [(mark, not mark, mark) for mark in marks])
    above = DFA.constant(task.alphabet, True) if prior is None else prior
    below = DFA.constant(task.alphabet, False) if lower is None else lower
    nodes, table = product(
        [task.table, above.table, below.table],
        [task.start, above.start, below.start],
        remember=not forget,
    )
    outputs = [
        (
            task.accepting[q],
            not task.accepting[q] and above.accepting[p],
            task.accepting[q] and not below.accepting[r],
        )
        for q, p, r, *_ in nodes
    ]
    return _monitor(task.alphabet, *canonical(table, 0, outputs))


def make_monitors(tasks: Sequence[DFA], letters: int, *, merge_repeats: bool) -> tuple[Sized, list[int]]:
    """Return the monitors of tasks over one alphabet, each once, and the number of each task's; compiled.

    What a bound would add to a monitor, whether some task of the class could say otherwise, they do not tell.
    """
    own, which = pack(tasks, letters), array("i", bytes(4 * len(tasks)))
    arguments = len(tasks), letters, *own.addresses, int(merge_repeats), address(which)
    return find_machines("monitors", letters, *arguments), which.tolist()


def _monitor(alphabet: tuple[str, ...], table: Table, outputs: Sequence[tuple[bool, ...]]) -> Monitor:
    return Monitor(
        alphabet, table, *(np.array(output, dtype=np.bool_) for output in zip(*outputs, strict=True))
    )
