"""A code for tasks that is a prior: in clauses, in clauses joined by "or", or as an automaton.

A task is told in one of these ways, each with its weight, and its length is that of the shortest one that is
known. That anything is wanted, or nothing, is a way of its own, and a rare one: who shows something means
something. The code is complete but for repeats and forms that are not canonical, so that 2^−length, over all
tasks, adds up to at most one: a bit of length is ln 2 nats of surprise, and there is no weight to set.
Lists that are joined by "or" have no order: whoever reads them in another order reads the same task, and what
all m! orders have adds up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from demospec.errors import TaskError
from demospec.tasks.clauses.clause import Clauses, Conjunction
from demospec.tasks.clauses.kind import Kind, kinds
from demospec.tasks.code import automata, sentences
from demospec.tasks.code.automata import Choices, Reader, Writer
from demospec.tasks.dfa import DFA
from demospec.tasks.propositions import atoms
from demospec.tasks.task import Task

CLAUSES, EITHER, AUTOMATON, CONSTANT = range(4)
WAYS = (32, 15, 15, 2)  # weights of the ways to tell a task
TOTAL = sum(WAYS)
ANOTHER = (7, 1)  # weights of no list more and of one more, where two are joined by "or"
END_BITS, MORE_BITS = (math.log2(sum(ANOTHER) / weight) for weight in ANOTHER)


@dataclass(frozen=True)
class Words:
    """The code over one alphabet, with the vocabulary as it is.

    >>> from demospec.tasks.clauses import parse
    >>> code = Words(("b", "g", "r", "y"))
    >>> task = parse("reach y; never r", "bgry")
    >>> round(code.bits(task), 2), round(code.bits(task.automaton), 2), len(code.encode(task))
    (10.98, 19.92, 12)
    >>> code.decode(code.encode(task))
    Clauses('reach y; never r')
    """

    alphabet: tuple[str, ...]
    vocabulary: tuple[Kind, ...] = field(default_factory=kinds)

    def bits(self, task: Task) -> float:
        """Return the length of the shortest known way to tell a task, in bits and parts of bits."""
        kept = task.__dict__  # a search asks for it several times
        known = kept.get("_bits")
        if known is None or known[0] is not self.vocabulary:
            known = kept["_bits"] = self.vocabulary, self._bits(task)
        found: float = known[1]
        return found

    def _bits(self, task: Task) -> float:
        language, ways = task.automaton, self._ways
        states = len(language.table)
        if states == 1:
            return ways[CONSTANT] + 1
        said = self.as_said(task)
        if said <= ways[AUTOMATON] + automata.fewest_bits(states):
            return said
        return min(self.as_automaton(language), said)

    def as_automaton(self, language: DFA) -> float:
        """Return the length of a language as an automaton."""
        return self._ways[AUTOMATON] + automata.bits(language)

    def as_said(self, task: Task) -> float:
        """Return the length of a task as it is said in clauses; infinite if it is not."""
        if not isinstance(task, Clauses):
            return math.inf
        if len(task.alternatives) == 1:
            return self._ways[CLAUSES] + self._list_bits(task.alternatives[0])
        told = [self._list_bits(one) for one in task.alternatives]
        if len(told) > sentences.MOST:
            return math.inf
        number = END_BITS + (len(told) - 2) * MORE_BITS
        return self._ways[EITHER] + number + sum(told) - sentences.LOG_FACTORIALS[len(told)]

    def as_clauses(self, clauses: Conjunction) -> float:
        """Return the length of a list of clauses that all hold."""
        return self._ways[CLAUSES] + self._list_bits(clauses)

    @cached_property
    def _atoms(self) -> tuple[str, ...]:
        return atoms(self.alphabet)

    @cached_property
    def _ways(self) -> tuple[float, ...]:
        return tuple(math.log2(TOTAL / weight) for weight in WAYS)

    def _list_bits(self, clauses: Conjunction) -> float:
        for clause in clauses:
            if clause.kind.short_for:
                clauses = written_out(clauses)
                break
        if not 1 <= len(clauses) <= sentences.MOST:
            return math.inf
        return self._lengths.of(clauses)

    @cached_property
    def _lengths(self) -> sentences.Lengths:
        return sentences.Lengths(self.vocabulary, len(self._atoms))

    def encode(self, task: Task) -> str:
        """Write a task in its shortest known way as a string of 0 and 1, at most two longer than `bits`.

        Lists that are joined by "or" are written in one of their m! orders, which makes log₂ m! more.
        """
        writer = Writer()
        self.tell(writer, self._shortest(task))
        return writer.bits()

    def _shortest(self, task: Task) -> Task:
        if task.alphabet != self.alphabet:
            raise TaskError(f"the code reads {', '.join(self.alphabet)}; the task {', '.join(task.alphabet)}")
        if (
            task.automaton.states == 1
            or not isinstance(task, Clauses)
            or self.as_said(task) > self.as_automaton(task.automaton)
        ):
            return task.automaton
        return Clauses.of(map(written_out, task.alternatives), self.alphabet)

    def decode(self, bits: str) -> Task:
        """Read what `encode` wrote."""
        return self.tell(Reader(bits), None)

    def tell(self, choices: Choices, task: Task | None) -> Task:
        """Write a task, or read one."""
        way = choices.choose(WAYS, None if task is None else way_of(task))
        if way == CONSTANT:
            accepting = choices.one_of(2, None if task is None else int(task.automaton.accepting[0]))
            return DFA.constant(self.alphabet, bool(accepting))
        if way == AUTOMATON:
            return automata.tell(choices, self.alphabet, None if task is None else task.automaton)
        said = task.alternatives if isinstance(task, Clauses) else None
        many = 1 if way == CLAUSES else 2 + choices.times(None if said is None else len(said) - 2, ANOTHER)
        if many > sentences.MOST:
            raise TaskError(f"{many} lists of clauses; at most {sentences.MOST} are allowed")
        lists = [
            sentences.tell(choices, self.vocabulary, self._atoms, None if said is None else said[number])
            for number in range(many)
        ]
        return Clauses.of(lists, self.alphabet)


def written_out(clauses: Conjunction) -> Conjunction:
    """Return clauses with what they are short for in the place of each, every one once."""
    return tuple(dict.fromkeys(full for clause in clauses for full in clause.in_full))


def way_of(task: Task) -> int:
    """Return the way in which a task is told."""
    if not isinstance(task, Clauses):
        return AUTOMATON if task.automaton.states > 1 else CONSTANT
    if not any(task.alternatives):
        return CONSTANT
    return CLAUSES if len(task.alternatives) == 1 else EITHER
