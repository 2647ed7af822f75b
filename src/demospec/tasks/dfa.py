"""The size of an automaton: a real encoding in bits that can be read back.

With n states, K letters, s = ⌈log₂ n⌉, k = ⌈log₂ K⌉, c the smaller of the accepting and the rejecting
set (on a tie the rejecting one) and m transitions that leave their state, the bits are

    n in 2s+1 | K in 2k+1 | which set c is: 1 | |c| in s | c in |c|·s | m transitions in 2s+k each

where n is written as s ones, a zero, and n−1 in s bits. m needs no field: transitions fill the rest.

The automaton as a value: immutable tables, language algebra, canonical form.

A DFA is complete and reads words over a finite alphabet of strings. Letters are kept sorted, so that a
language has exactly one canonical form: minimal, states numbered breadth first from the start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise
from operator import and_, gt, or_, xor
from typing import Any

from demospec.errors import DemospecError, TaskError
from demospec.tasks import text
from demospec.tasks.showing import html_of
from demospec.tasks.side_by_side import product
from demospec.tasks.tables import Sized, Table, canonical
from demospec.tasks.task import ABOVE, Task, format_named
from demospec.wording import listing, unknown_letter


def width(count: int) -> int:
    """Return ⌈log₂ count⌉, the bits that number `count` things.

    >>> [width(n) for n in (1, 2, 3, 4, 5)]
    [0, 1, 2, 2, 3]
    """
    return (count - 1).bit_length()


def size(states: int, letters: int, accepting: int, changes: int) -> int:
    """Return the number of bits of an encoding with these counts.

    >>> size(4, 4, 1, 6), size(1, 4, 0, 0)
    (51, 7)
    """
    s, k = width(states), width(letters)
    chosen = min(accepting, states - accepting)
    return (2 * s + 1) + (2 * k + 1) + 1 + s + chosen * s + changes * (2 * s + k)


def _binary(number: int, bits: int) -> str:
    return format(number, f"0{bits}b") if bits else ""


def _counted(count: int) -> str:
    s = width(count)
    return "1" * s + "0" + _binary(count - 1, s)


def encode(table: Table, accepting: Sequence[bool]) -> str:
    """Write a machine whose start is state 0 as bits."""
    states, letters = len(table), len(table[0])
    s, k = width(states), width(letters)
    lists_accepting = 2 * sum(accepting) < states  # on a tie the rejecting set is listed
    chosen = [state for state, mark in enumerate(accepting) if mark == lists_accepting]
    parts = [_counted(states), _counted(letters), str(int(lists_accepting)), _binary(len(chosen), s)]
    parts += [_binary(state, s) for state in chosen]
    parts += [
        _binary(state, s) + _binary(letter, k) + _binary(target, s)
        for state, row in enumerate(table)
        for letter, target in enumerate(row)
        if target != state
    ]
    return "".join(parts)


def decode(bits: str, letters: int) -> tuple[Table, tuple[bool, ...]]:
    """Read back what `encode` wrote: the table and the acceptance marks, start 0."""
    if set(bits) - {"0", "1"}:
        raise TaskError("an encoded task is made of 0 and 1 only")
    at = 0

    def number(width: int) -> int:
        nonlocal at
        if at + width > len(bits):
            raise TaskError(f"an encoded task ends at bit {len(bits)}, in the middle of a field")
        at += width
        return int(bits[at - width : at] or "0", 2)

    def count() -> int:
        s = 0
        while number(1):
            s += 1
        return number(s) + 1

    states, found = count(), count()
    if found != letters:
        raise TaskError(f"an encoded task over {found} letters cannot be read with {letters}")
    s, k = width(states), width(letters)
    lists_accepting = bool(number(1))
    chosen = {number(s) for _ in range(number(s))}
    if chosen and max(chosen) >= states:
        raise TaskError(f"an encoded task with {states} states lists state {max(chosen)}")
    if states == 1 and at < len(bits):
        raise TaskError(f"an encoded task with one state ends at bit {at}; found {len(bits)} bits")
    rows = [[state] * letters for state in range(states)]
    while at < len(bits):
        state, letter, target = number(s), number(k), number(s)
        if max(state, target) >= states or letter >= letters:
            raise TaskError(f"an encoded task has a transition out of range before bit {at}")
        rows[state][letter] = target
    return tuple(map(tuple, rows)), tuple((state in chosen) == lists_accepting for state in range(states))


# -- The automaton as a value ----------------------------------------------------------------------------

Word = tuple[str, ...]


def checked_letters(alphabet: Iterable[str], error: type[DemospecError] = TaskError) -> tuple[str, ...]:
    """Return letters sorted; refuse none at all, and one that is listed twice."""
    letters = sorted(alphabet)
    if not letters:
        raise error("the alphabet is empty")
    if (twice := next((a for a, b in pairwise(letters) if a == b), None)) is not None:
        raise error(f'the alphabet lists "{twice}" twice')
    return tuple(letters)


@dataclass(frozen=True, eq=False, kw_only=True)
class DFA(Task):
    """A complete deterministic finite automaton.

    Two DFAs are equal, and hash equal, when they accept the same language over the same alphabet.

    >>> d = DFA.build(alphabet="ab", states=2, accepting=[1], transitions=[(0, "a", 1), (1, "b", 0)])
    >>> d.accepts("ba"), d.accepts("ab")
    (True, False)
    >>> d
    DFA('>0: a→1 | *1: b→0')
    """

    alphabet: tuple[str, ...]  # sorted
    table: Table  # table[state][letter] = state
    accepting: tuple[bool, ...]  # by state
    start: int = 0
    _is_canonical: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if self._is_canonical:
            return  # made by code that has just established every invariant
        states, letters = len(self.table), len(self.alphabet)
        if not self.alphabet:
            raise TaskError("the alphabet is empty")
        if list(self.alphabet) != sorted(set(self.alphabet)):
            raise TaskError(f"the alphabet must be sorted, each letter once; found {listing(self.alphabet)}")
        if states == 0:
            raise TaskError("an automaton needs at least one state")
        if len(self.accepting) != states:
            raise TaskError(f"{len(self.accepting)} acceptance marks for {states} states")
        if not 0 <= self.start < states:
            raise TaskError(f"start state {self.start} is not among the states 0 to {states - 1}")
        for state, row in enumerate(self.table):
            if len(row) != letters:
                raise TaskError(f"state {state} has {len(row)} transitions for {letters} letters")
            for letter, target in zip(self.alphabet, row, strict=True):
                if not 0 <= target < states:
                    raise TaskError(
                        f'state {state}, letter "{letter}": target {target} '
                        f"is not among the states 0 to {states - 1}"
                    )

    # -- making one ---------------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        *,
        alphabet: Iterable[str],
        states: int,
        accepting: Iterable[int],
        transitions: Iterable[tuple[int, str, int]],
        start: int = 0,
    ) -> DFA:
        """Make an automaton from a list of transitions; what is not listed is a self loop."""
        letters = checked_letters(alphabet)
        column = {letter: k for k, letter in enumerate(letters)}
        if states < 1:
            raise TaskError(f"an automaton needs at least one state; found {states}")

        def known(state: int, what: str) -> int:
            if not 0 <= state < states:
                raise TaskError(f"{what} {state} is not among the states 0 to {states - 1}")
            return state

        accepted = {known(state, "accepting state") for state in accepting}
        rows = [[state] * len(letters) for state in range(states)]
        seen: dict[tuple[int, str], int] = {}
        for source, letter, target in transitions:
            known(source, f'transition {source} -"{letter}"→ {target}: source')
            known(target, f'transition {source} -"{letter}"→ {target}: target')
            if letter not in column:
                raise TaskError(
                    f'transition {source} -"{letter}"→ {target}: {unknown_letter(letter, column)}'
                )
            if seen.setdefault((source, letter), target) != target:
                raise TaskError(
                    f'state {source} has two transitions for letter "{letter}": '
                    f"to {seen[source, letter]} and to {target}"
                )
            rows[source][column[letter]] = target
        return cls(
            alphabet=letters,
            table=tuple(map(tuple, rows)),
            accepting=tuple(state in accepted for state in range(states)),
            start=known(start, "start state"),
        )

    @classmethod
    def from_canonical(
        cls, alphabet: tuple[str, ...], table: Table, accepting: tuple[bool, ...], size: int | None = None
    ) -> DFA:
        """Wrap tables that are known to be minimal and breadth-first numbered; nothing is checked."""
        made = object.__new__(cls)  # thousands are made in a search, where the constructor would take longest
        values = made.__dict__
        values["alphabet"], values["table"], values["accepting"] = alphabet, table, accepting
        values["start"], values["_is_canonical"] = 0, True
        if size is not None:
            values["size"] = size
        return made

    @classmethod
    def unpacked(cls, machines: Sized, alphabet: tuple[str, ...], first: int = 0) -> list[DFA]:
        """Return canonical machines that compiled code found, from the given one on."""
        seen: dict[tuple[int, ...], tuple[int, ...]] = {}  # edits of a task share most of its rows
        cells = zip(*[iter(machines.cells)] * machines.letters, strict=True)
        rows = [seen.setdefault(row, row) for row in cells]
        marks = list(map(bool, machines.marks))
        found, at = [], sum(machines.states[:first])
        numbers = zip(machines.states, machines.sizes, machines.leads, strict=True)
        for count, size, leads in islice(numbers, first, None):
            end = at + count
            made = cls.from_canonical(alphabet, tuple(rows[at:end]), tuple(marks[at:end]), size)
            if leads[1]:
                made.__dict__["_leads"] = leads
            found.append(made)
            at = end
        return found

    @classmethod
    def constant(cls, alphabet: Iterable[str], accept: bool) -> DFA:
        """Return the one-state automaton that accepts every word, or none."""
        letters = tuple(sorted(alphabet))
        return cls(alphabet=letters, table=((0,) * len(letters),), accepting=(accept,))

    @classmethod
    def parse(cls, line: str, alphabet: Iterable[str] | None = None) -> DFA:
        """Read the one-line text form: `>0: b→1 | *1: b→0`, where `->` will do for `→`."""
        return cls.build(**text.parse_line(line, None if alphabet is None else list(alphabet)))

    @classmethod
    def from_formula(cls, text: str, alphabet: Iterable[str] | None = None) -> DFA:
        """Return the minimal automaton of a formula of linear temporal logic on finite words.

        Without an alphabet the letters are those of the formula.

        >>> DFA.from_formula("F y & (!r W y)", "bry")
        DFA('>0: r→1, y→2 | 1: | *2:')
        """
        made: DFA = ABOVE["automaton_of_text"](text, alphabet)
        return made

    @classmethod
    def decode(cls, bits: str, alphabet: Iterable[str]) -> DFA:
        letters = tuple(sorted(alphabet))
        table, accepting = decode(bits, len(letters))
        return cls(alphabet=letters, table=table, accepting=accepting)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> DFA:
        """Make an automaton from a task file's object (see `to_json`), already checked for its types."""
        return cls.build(
            alphabet=document["alphabet"],
            states=document["states"],
            start=document.get("start", 0),
            accepting=document["accepting"],
            transitions=[(source, letter, target) for source, letter, target in document["transitions"]],
        )

    @classmethod
    def from_hoa(cls, content: str) -> DFA:
        """Read Hanoi omega-automata text: deterministic, one proposition for each letter, marks on states."""
        return _read_as("hoa", content)

    @classmethod
    def from_dot(cls, content: str, alphabet: Iterable[str] | None = None) -> DFA:
        """Read a graph for Graphviz whose edges are labelled with letters."""
        return _read_as("dot", content, alphabet)

    @classmethod
    def from_reward_machine(cls, content: str, alphabet: Iterable[str] | None = None) -> DFA:
        """Read a reward machine whose rewards say when a task is satisfied."""
        return _read_as("reward-machine", content, alphabet)

    # -- reading words ------------------------------------------------------------------------

    @property
    def states(self) -> int:
        """Return the number of states."""
        return len(self.table)

    @cached_property
    def column(self) -> dict[str, int]:
        """Return the column of each letter in the table."""
        return {letter: k for k, letter in enumerate(self.alphabet)}

    def run(self, word: Iterable[str], state: int | None = None) -> int:
        """Return the state after reading `word` from `state` (default: the start)."""
        state = self.start if state is None else state
        for letter in word:
            try:
                state = self.table[state][self.column[letter]]
            except KeyError:
                raise TaskError(unknown_letter(letter, self.alphabet)) from None
        return state

    def accepts(self, word: Iterable[str]) -> bool:
        return self.accepting[self.run(word)]

    __contains__ = accepts

    # -- language algebra -----------------------------------------------------------------------

    def __invert__(self) -> DFA:
        return replace(self, accepting=tuple(not mark for mark in self.accepting), _is_canonical=False)

    def _product(self, other: DFA, combine: Callable[[bool, bool], bool]) -> DFA:
        if self.alphabet != other.alphabet:
            raise TaskError(
                f"the tasks read different letters: {listing(self.alphabet)} and {listing(other.alphabet)}"
            )
        nodes, table = product([self.table, other.table], [self.start, other.start])
        marks = [other.accepting[q] for _, q in nodes]
        return DFA(
            alphabet=self.alphabet,
            table=table,
            accepting=tuple(map(combine, [self.accepting[p] for p, _ in nodes], marks)),
        )

    def __and__(self, other: DFA) -> DFA:
        return self._product(other, and_)

    def __or__(self, other: DFA) -> DFA:
        return self._product(other, or_)

    def __sub__(self, other: DFA) -> DFA:
        return self._product(other, gt)  # true and not false

    def __xor__(self, other: DFA) -> DFA:
        return self._product(other, xor)

    def ignoring_repeats(self) -> DFA:
        """Return the automaton that reads a letter twice in a row as it reads it once.

        >>> twice = DFA.parse(">0: a→1, b→0 | 1: a→2, b→0 | *2:")
        >>> twice.ignoring_repeats() == DFA.constant("ab", False)
        True
        """
        nodes, table = product([self.table], [self.start], remember=True)
        marks = tuple(self.accepting[state] for state, _ in nodes)
        return DFA(alphabet=self.alphabet, table=table, accepting=marks).minimal

    def shortest_word(self) -> Word | None:
        """Return a shortest accepted word (the first in alphabetical order), or None when there is none."""
        parent: dict[int, tuple[int, str] | None] = {self.start: None}
        queue = deque([self.start])
        while queue:
            state = queue.popleft()
            if self.accepting[state]:
                word: list[str] = []
                step = parent[state]
                while step is not None:
                    word.append(step[1])
                    step = parent[step[0]]
                return tuple(reversed(word))
            for letter, target in zip(self.alphabet, self.table[state], strict=True):
                if target not in parent:
                    parent[target] = (state, letter)
                    queue.append(target)
        return None

    def is_empty(self) -> bool:
        """Say whether no word at all is accepted."""
        return self.shortest_word() is None

    def implies(self, other: DFA) -> bool:
        """Say whether every word of this language is in the other."""
        return (self - other).is_empty()

    def separating_word(self, other: DFA) -> Word | None:
        """Return a shortest word on which the two disagree, or None when they are equivalent."""
        return (self ^ other).shortest_word()

    # -- canonical form, equality, size -----------------------------------------------------------

    @property
    def automaton(self) -> DFA:
        return self if self._is_canonical else self.minimal

    def as_dfa(self) -> DFA:
        """Return the automaton itself."""
        return self

    @cached_property
    def minimal(self) -> DFA:
        """Return the canonical form: minimal, breadth-first numbered, start 0."""
        if self._is_canonical:
            return self
        table, accepting = canonical(self.table, self.start, self.accepting)
        return DFA.from_canonical(self.alphabet, table, accepting)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DFA):
            return NotImplemented
        a = self if self._is_canonical else self.minimal
        b = other if other._is_canonical else other.minimal
        return a.table == b.table and a.accepting == b.accepting and a.alphabet == b.alphabet

    def __hash__(self) -> int:
        kept = self.__dict__  # a search asks for it millions of times
        if "_hash" not in kept:
            own = self if self._is_canonical else self.minimal
            kept["_hash"] = hash((own.table, own.accepting, own.alphabet))
        found: int = kept["_hash"]
        return found

    def __getstate__(self) -> dict[str, object]:
        # A hash of strings means nothing in another process.
        return {
            name: value for name, value in self.__dict__.items() if name not in ("_hash", "_bits", "_leads")
        }

    @cached_property
    def size(self) -> int:
        """Return the description length in bits: the length of `encode()`."""
        m = self.minimal
        changes = sum(target != state for state, row in enumerate(m.table) for target in row)
        return size(m.states, len(m.alphabet), sum(m.accepting), changes)

    def encode(self) -> str:
        """Write the canonical form as a string of 0 and 1, `size` characters long."""
        return encode(self.minimal.table, self.minimal.accepting)

    # -- showing one ------------------------------------------------------------------------------

    def changes(self) -> Iterator[tuple[int, str, int]]:
        """Yield the transitions that leave their state, in order."""
        for state, row in enumerate(self.table):
            for letter, target in zip(self.alphabet, row, strict=True):
                if target != state:
                    yield state, letter, target

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "dfa",
            "alphabet": list(self.alphabet),
            "states": self.states,
            "start": self.start,
            "accepting": [state for state, mark in enumerate(self.accepting) if mark],
            "transitions": [list(change) for change in self.changes()],
        }

    def __str__(self) -> str:
        return text.one_line(self.table, self.alphabet, self.accepting, self.start)

    def __repr__(self) -> str:
        return f"DFA({str(self)!r})"

    def pretty(self) -> str:
        return text.many_lines(self.table, self.alphabet, self.accepting, self.start)

    def _repr_svg_(self) -> str:
        return html_of(self)


def _read_as(name: str, content: str, *known: Iterable[str] | None) -> DFA:
    read = format_named(name).read
    assert read is not None
    return read(content, *known)
