"""Verdicts on traces: satisfied for good, violated for good, or open, at which event, by which clause.

A word satisfies a task for good when every continuation is accepted, itself included, and violates it for
good when none is. In a minimal automaton these are the states that are never left: at most one that
accepts, and at most one that rejects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from demospec.errors import TaskError
from demospec.tasks.clauses import Clauses
from demospec.tasks.dfa import DFA
from demospec.tasks.tables import never_left
from demospec.tasks.task import Task
from demospec.tasks.words import BRIEF, describe
from demospec.wording import word_text

Kind = Literal["satisfied", "violated", "open-accepting", "open-rejecting"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Parts = Sequence[tuple[str, DFA]]  # clauses: the sentence, and the automaton


class Verdict(NamedTuple):
    """What is known about a trace after some of its events."""

    kind: Kind
    at: int | None = None  # the event that decided, from 1; 0: the task itself; None: nothing is decided
    clause: str | None = None  # the sentence that was broken, where a single one was

    @property
    def final(self) -> bool:
        """Say whether no continuation can change it."""
        return self.at is not None

    @property
    def accepted(self) -> bool:
        """Say whether the trace satisfies the task if it ends here."""
        return self.kind in ("satisfied", "open-accepting")


OPEN = {True: Verdict("open-accepting"), False: Verdict("open-rejecting")}


def implied_parts(task: Task) -> list[tuple[str, DFA]]:
    """Return clauses that the task implies, each with its automaton: its own, or those that describe it.

    >>> [sentence for sentence, _ in implied_parts(DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:"))]
    ['reach y', 'never r']
    """
    if isinstance(task, Clauses) and len(task.alternatives) == 1:
        clauses = task.clauses
    else:
        found = describe(task, budget=BRIEF).alternatives
        clauses = found[0] if len(found) == 1 else ()
    return [(clause.sentence, clause.automaton(task.alphabet)) for clause in clauses]


class Monitor:
    """Reads traces for a task; events that are not letters of the task change nothing, but are counted.

    >>> monitor = Monitor(DFA.parse(">0: y→1, r→2 | *1: | 2:"))
    >>> monitor.verdict(["b", "y", "r"])
    Verdict(kind='satisfied', at=2, clause=None)
    >>> watch = monitor.watch()
    >>> watch.step("b").kind, watch.step("r").kind
    ('open-rejecting', 'violated')
    """

    def __init__(self, task: Task, parts: Parts | None = None, *, merge_repeats: bool = False) -> None:
        whole = task.automaton
        clauses = implied_parts(task) if parts is None else list(parts)
        for sentence, part in clauses:
            if (word := (whole - part).shortest_word()) is not None:
                raise TaskError(
                    f'the task does not imply its part "{sentence}": '
                    f'it accepts "{word_text(word)}", which the part rejects'
                )
        machines = [whole, *(part for _, part in clauses)]
        machines = [one.ignoring_repeats() if merge_repeats else one.minimal for one in machines]
        self.alphabet = whole.alphabet
        self.clauses = tuple(sentence for sentence, _ in clauses)
        self._start = _Rows(machines, self.clauses).start

    def verdict(self, word: Iterable[str]) -> Verdict:
        """Return the verdict on a whole trace; it is read as far as it takes to decide."""
        row = self._start
        if row.final:
            return row.verdict(0)
        for at, event in enumerate(word, start=1):
            row = row[event]
            if row.final:
                return row.verdict(at)
        return OPEN[row.accepts]

    def watch(self) -> Watch:
        """Return the beginning of a trace whose events come one by one."""
        return Watch(self._start)


class Watch:
    """One trace, as far as it has gone. A verdict that does not change stays the same object."""

    __slots__ = ("_row", "events", "verdict")

    def __init__(self, start: _Row) -> None:
        self._row = start
        self.events = 0
        self.verdict = start.verdict(0)

    def step(self, letter: str) -> Verdict:
        """Read one event and return the verdict after it."""
        self.events += 1
        row = self._row[letter]
        if row is not self._row:
            self._row = row
            self.verdict = row.verdict(self.events)
        return self.verdict


class _Row(dict[str, "_Row"]):
    """A state of the monitor and the states after it, by letter; those are entered when they are met."""

    __slots__ = ("_node", "_rows", "accepts", "clause", "final")

    def __init__(self, rows: _Rows, node: tuple[int, ...]) -> None:
        self._rows, self._node = rows, node
        self.accepts = rows.machines[0].accepting[node[0]]
        self.final = rows.stays[0][node[0]]
        self.clause = rows.broken(node) if self.final and not self.accepts else None

    def __missing__(self, letter: str) -> _Row:
        column = self._rows.column.get(letter)
        if column is None or self.final:  # names that are no letters are not remembered: there may be many
            return self
        machines = zip(self._rows.machines, self._node, strict=True)
        found = self[letter] = self._rows[tuple([one.table[state][column] for one, state in machines])]
        return found

    def verdict(self, at: int) -> Verdict:
        """Return the verdict of a trace that got here with an event."""
        if not self.final:
            return OPEN[self.accepts]
        return Verdict("satisfied" if self.accepts else "violated", at, self.clause)


class _Rows(dict[tuple[int, ...], _Row]):
    """The states that a task and its clauses reach together, as far as traces have led: there may be many."""

    def __init__(self, machines: Sequence[DFA], clauses: Sequence[str]) -> None:
        self.machines, self.clauses = machines, clauses
        self.column = machines[0].column
        self.stays = [never_left(one.table) for one in machines]
        self.start = self[tuple(one.start for one in machines)]

    def __missing__(self, node: tuple[int, ...]) -> _Row:
        found = self[node] = _Row(self, node)  # a state of each machine
        return found

    def broken(self, node: tuple[int, ...]) -> str | None:
        """Return the first clause that is violated for good.

        None was before the task was: what breaks a clause breaks a task that implies it.
        """
        own = zip(self.clauses, self.machines[1:], self.stays[1:], node[1:], strict=True)
        return next((name for name, one, stays, q in own if stays[q] and not one.accepting[q]), None)
