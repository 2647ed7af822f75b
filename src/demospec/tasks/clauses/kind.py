"""What a kind of clause is: a sentence with places for letters, its formula, its automaton.

The sentences that people use to say tasks: each is one definition, and one of your own joins by `join`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod

from demospec.errors import TaskError
from demospec.tasks.dfa import DFA
from demospec.wording import listing, nearest

Moves = Callable[[Sequence[str], int], str]  # letters and a number to an automaton's line

# A place in a sentence: a single letter, or the one place that takes several letters or a number.
LETTERS, CHAIN, TIMES, MULTIPLE = "letters", "chain", "times", "multiple"
SEVERAL = (LETTERS, CHAIN, TIMES, MULTIPLE)
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Kind:
    """A kind of clause. Its places are those of its sentence, such as "no {a} before {b}".

    Beside single letters, one place may be {letters} ("a or b"), {chain} ("a, then b"), {times} ("twice") or
    {multiple} ("an even number of times"). The formula and the automaton's line have the same places; a kind
    that takes several letters or a number gives functions instead, of the letters (single ones first) and the
    number. In a line, … stands for the letters that a state does not name. A letter can take any place, but
    where `apart` says otherwise; two places that must differ from a later one must differ from each other.

    >>> kind = Kind(name="no before", sentence="no {a} before {b}", formula="!{a} W {b}", apart=("ab",))
    >>> kind.places, kind.several
    (('a', 'b'), None)
    """

    name: str
    sentence: str
    formula: str | Callable[[Sequence[str], int], str] | None = None  # None: LTLf cannot say it
    line: str | Callable[[Sequence[str], int], str] | None = None  # None: the formula's automaton
    also: tuple[str, ...] = ()  # other sentences that are read as this one
    apart: tuple[str, ...] = ()  # pairs of places whose letters differ, as "ab"; a chain's are called "…"
    short_for: tuple[str, ...] = ()  # sentences that say the same together: what the code tells in its place
    fewest: int = 1  # letters of the set or chain, or the number
    weight: int = 1  # how often people mean it, against the other kinds; 0: it is read and said, not searched

    def __post_init__(self) -> None:
        if self.formula is None and self.line is None:
            raise TaskError(f'the kind of clause "{self.name}" has neither a formula nor an automaton')
        several = [place for place in _PLACE.findall(self.sentence) if place in SEVERAL]
        if len(several) > 1:
            raise TaskError(f'the kind of clause "{self.name}" has {listing(several)}; one may be there')
        if LETTERS in several and self.places:
            raise TaskError(f'the kind of clause "{self.name}" has single letters beside a set')

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Callable[[str], Kind], tuple[str]]:
        # Another process knows the vocabulary: a kind goes there by its name.

        return kind_named, (self.name,)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Return the places of single letters, in alphabetical order: a clause keeps its letters so."""
        return tuple(sorted(place for place in _PLACE.findall(self.sentence) if place not in SEVERAL))

    @cached_property
    def several(self) -> str | None:
        """Return the place that takes several letters or a number, if there is one."""
        return next((place for place in _PLACE.findall(self.sentence) if place in SEVERAL), None)

    def most(self, alphabet: int) -> int | None:
        """Return how large the set can be over so many letters; None: a chain or a number has no limit."""
        return alphabet if self.several == LETTERS else (None if self.several else self.fewest)

    def size(self, letters: int, number: int) -> int:
        """Return how many of a clause's letters stand in the place for several, or its number."""
        if self.several in (LETTERS, CHAIN):
            return letters - len(self.places)
        return number if self.several else self.fewest

    def count(self, size: int, alphabet: int) -> int:
        """Return how many clauses of this kind and size there are over so many letters."""
        if self.several == LETTERS:
            return comb(alphabet, size)
        return prod(max(0, alphabet - len(others)) for others in self._others(size))

    def _others(self, size: int) -> list[list[int]]:
        """Return for each place of a clause of this size the earlier ones whose letters it must not take."""
        known = self._others_by_size
        if size not in known:
            names = [*self.places, *(["…"] * size if self.several == CHAIN else [])]
            pairs = [set(pair) for pair in self.apart]
            known[size] = [[] for _ in names]
            for position, name in enumerate(names):
                for at, other in enumerate(names[:position]):
                    chained = other == name == "…" and at == position - 1  # neighbours in a chain differ
                    if chained or (other != name and {other, name} in pairs):
                        known[size][position].append(at)
        return known[size]

    @cached_property
    def _others_by_size(self) -> dict[int, list[list[int]]]:
        return {}

    def rank(self, letters: Sequence[int], size: int, alphabet: int) -> int:
        """Return the number of a clause among those of its kind and size; letters are numbers."""
        if self.several == LETTERS:
            return subset_rank(letters, alphabet)
        rank = 0
        for position, others in enumerate(self._others(size)):
            taken = {letters[at] for at in others}
            free = alphabet - len(others)
            rank = rank * free + letters[position] - sum(one < letters[position] for one in taken)
        return rank

    def unrank(self, rank: int, size: int, alphabet: int) -> tuple[int, ...]:
        """Return the letters of the clause with this number, as `rank` counts them."""
        if self.several == LETTERS:
            return subset_of(rank, size, alphabet)
        digits: list[int] = []
        for others in reversed(self._others(size)):
            rank, digit = divmod(rank, alphabet - len(others))
            digits.append(digit)
        letters: list[int] = []
        for others, digit in zip(self._others(size), reversed(digits), strict=True):
            taken = {letters[at] for at in others}
            letters.append([one for one in range(alphabet) if one not in taken][digit])
        return tuple(letters)

    def allows(self, letters: Sequence[str], size: int) -> bool:
        """Say whether letters may stand together in a clause of this kind."""
        if self.several == LETTERS:
            return list(letters) == sorted(set(letters))
        others = self._others(size)
        return len(letters) == len(others) and all(
            letters[at] != letter for letter, earlier in zip(letters, others, strict=True) for at in earlier
        )

    def filled(self, what: str | Moves | None, letters: Sequence[str], number: int) -> str | None:
        """Fill letters into a formula or an automaton's line."""
        if what is None or callable(what):
            return None if what is None else what(letters, number)
        by_place = dict(zip(self.places, letters, strict=False))
        return _PLACE.sub(lambda found: by_place[found[1]], what)

    def automaton(self, letters: Sequence[str], number: int, alphabet: tuple[str, ...]) -> DFA:
        """Return the minimal automaton of a clause."""
        said = [in_quotes(letter) for letter in letters]
        line = self.filled(self.line, said, number)
        if line is not None:
            return DFA.parse(others_named(line, alphabet), alphabet).minimal
        formula = self.filled(self.formula, said, number)
        assert formula is not None
        return DFA.from_formula(formula, alphabet)


def others_named(line: str, alphabet: Sequence[str]) -> str:
    """Write out what … stands for in an automaton's line: the letters that its state does not name.

    >>> others_named('>0: "a"→1, …→2 | *1: | 2:', "abc")
    '>0: "a"→1, "b"→2, "c"→2 | *1: | 2:'
    """
    states = []
    for state in line.split(" | "):
        target = re.search(r"…→(\d+)", state)
        if target is not None:
            rest = [in_quotes(letter) for letter in alphabet if f"{in_quotes(letter)}→" not in state]
            steps = ", ".join(f"{one}→{target[1]}" for one in rest)
            state = re.sub(r",\s*$", "", state[: target.start()] + steps + state[target.end() :])
        states.append(state)
    return " | ".join(states)


def in_quotes(letter: str) -> str:
    """Write a letter in quotes, as automata's lines and formulas read it."""
    return json.dumps(letter, ensure_ascii=False)


def subset_rank(letters: Sequence[int], alphabet: int) -> int:
    """Return the number of a set among those of its size, in the order of the alphabet.

    >>> [subset_rank(one, 3) for one in ([0, 1], [0, 2], [1, 2])]
    [0, 1, 2]
    """
    rank, size = 0, len(letters)
    for position, letter in enumerate(letters):
        first = letters[position - 1] + 1 if position else 0
        rank += sum(comb(alphabet - 1 - one, size - position - 1) for one in range(first, letter))
    return rank


def subset_of(rank: int, size: int, alphabet: int) -> tuple[int, ...]:
    """Return the set with this number.

    >>> [subset_of(rank, 2, 3) for rank in range(3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    letters: list[int] = []
    letter = 0
    while len(letters) < size:
        with_it = comb(alphabet - 1 - letter, size - len(letters) - 1)
        if rank < with_it:
            letters.append(letter)
        else:
            rank -= with_it
        letter += 1
    return tuple(letters)


# -- The sentences that people use to say tasks ----------------------------------------------------------


def in_order(letters: Sequence[str]) -> str:
    """Return the formula of letters that come one after the other, with anything between."""
    first, *others = letters
    return f"F ({first} & X[!] {in_order(others)})" if others else f"F {first}"


def none_before(avoided: str, chain: Sequence[str]) -> str:
    """Return the formula that a letter does not come before a chain is through."""
    first, *others = chain
    rest = f"({first} & X ({none_before(avoided, others)}))" if others else first
    return f"!{avoided} W {rest}"


def counting(letter: str, number: int, marked: Sequence[int]) -> str:
    """Return an automaton's line that counts a letter up to a number, where it stays."""
    states = [f"{'>' * (n == 0)}{'*' * (n in marked)}{n}:" for n in range(number + 1)]
    steps = [f" {letter}→{n + 1}" for n in range(number)] + [""]
    return " | ".join(state + step for state, step in zip(states, steps, strict=True))


def in_turn(letters: Sequence[str]) -> str:
    """Return an automaton's line that waits for one letter after the other."""
    steps = [f"{'>' * (n == 0)}{n}: {letter}→{n + 1}" for n, letter in enumerate(letters)]
    return " | ".join([*steps, f"*{len(letters)}:"])


def in_turn_without(avoided: str, letters: Sequence[str]) -> str:
    """Return an automaton's line that waits for one letter after the other, and fails at another."""
    end, fail = len(letters), len(letters) + 1
    steps = [f"{'>' * (n == 0)}*{n}: {one}→{n + 1}, {avoided}→{fail}" for n, one in enumerate(letters)]
    return " | ".join([*steps, f"*{end}:", f"{fail}:"])


VOCABULARY: list[Kind] = [
    Kind(
        name="reach",
        sentence="reach {letters}",
        also=("visit {letters}", "eventually {letters}"),
        formula=lambda letters, _: f"F ({' | '.join(letters)})" if letters[1:] else f"F {letters[0]}",
        line=lambda letters, _: ">0: " + ", ".join(f"{one}→1" for one in letters) + " | *1:",
        weight=8,
    ),
    Kind(
        name="never",
        sentence="never {a}",
        also=("avoid {a}", "no {a}"),
        formula="G !{a}",
        line=">*0: {a}→1 | 1:",
        weight=8,
    ),
    Kind(
        name="in order",
        sentence="{chain}",
        also=("first {chain}",),
        formula=lambda letters, _: in_order(letters),
        line=lambda letters, _: in_turn(letters),
        fewest=2,
        weight=6,
    ),
    Kind(
        name="not before",
        sentence="no {a} before {chain}",
        formula=lambda letters, _: none_before(letters[0], letters[1:]),
        line=lambda letters, _: in_turn_without(letters[0], letters[1:]),
        apart=("a…",),
        weight=4,
    ),
    Kind(
        name="reach before",
        sentence="reach {a} before {b}",
        formula="!{b} U {a}",
        line=">0: {a}→1, {b}→2 | *1: | 2:",
        short_for=("reach {a}", "no {b} before {a}"),
        apart=("ab",),
        weight=0,
    ),
    Kind(
        name="response",
        sentence="after {a}, {b}",
        formula="G ({a} -> F {b})",
        line=">*0: {a}→1 | 1: {b}→0",
        apart=("ab",),
        weight=2,
    ),
    Kind(
        name="not until",
        sentence="after {b}, no {c} until {a}",
        formula="G ({b} -> X (!{c} W {a}))",
        line=">*0: {b}→1 | *1: {a}→0, {c}→2 | 2:",
        apart=("ab", "ac"),
        weight=3,
    ),
    Kind(
        name="never after",
        sentence="after {a}, never {b}",
        also=("after {a}, no {b}",),
        formula="G ({a} -> X G !{b})",
        line=">*0: {a}→1 | *1: {b}→2 | 2:",
        apart=("ab",),
        weight=2,
    ),
    Kind(
        name="reach clear",
        sentence="reach {a} with no {b} since {c}",
        formula="F ({a} & (!{b} S {c} | H !{b}))",
        line=">0: {b}→1, {a}→2 | 1: {c}→0 | *2:",
        apart=("ab", "ac", "bc"),
        weight=2,
    ),
    Kind(
        name="reach clear before",
        sentence="reach {a} before {d} with no {b} since {c}",
        formula="!{d} U ({a} & (!{b} S {c} | H !{b}))",
        line=">0: {b}→1, {a}→2, {d}→3 | 1: {c}→0, {d}→3 | *2: | 3:",
        apart=("ab", "ac", "ad", "bc", "bd", "cd"),
        weight=0,
    ),
    Kind(
        name="at least",
        sentence="{a} at least {times}",
        formula=lambda letters, number: in_order([*letters] * number),
        line=lambda letters, number: counting(letters[0], number, [number]),
        fewest=2,
        weight=2,
    ),
    Kind(
        name="at most",
        sentence="{a} at most {times}",
        formula=lambda letters, number: f"!({in_order([*letters] * (number + 1))})",
        line=lambda letters, number: counting(letters[0], number + 1, range(number + 1)),
        weight=2,
    ),
    Kind(
        name="start",
        sentence="start with {a}",
        formula="{a}",
        line=">0: {a}→1, …→2 | *1: | 2:",
    ),
    Kind(
        name="end",
        sentence="end with {a}",
        formula="F ({a} & last)",
        line=">0: {a}→1 | *1: {a}→1, …→0",
    ),
    Kind(
        name="multiple",
        sentence="{a} {multiple}",
        line=lambda letters, number: " | ".join(
            f"{'>*' * (n == 0)}{n}: {letters[0]}→{(n + 1) % number}" for n in range(number)
        ),
        fewest=2,
    ),
]


def join(kind: Kind) -> Kind:
    """Add a kind of clause to the vocabulary: it is read, printed, described and searched like the others."""
    if any(kind.name == other.name for other in VOCABULARY):
        raise TaskError(f'there is a kind of clause called "{kind.name}" already')
    VOCABULARY.append(kind)
    return kind


_now: tuple[Kind, ...] = ()


def kinds() -> tuple[Kind, ...]:
    """Return the vocabulary as it is now: the same object until it changes."""
    global _now
    if _now != (every := tuple(VOCABULARY)):
        _now = every
    return _now


def kind_named(name: str) -> Kind:
    """Return the kind of clause with a name."""
    known = {kind.name: kind for kind in VOCABULARY}
    if name not in known:
        raise TaskError(f'there is no kind of clause called "{name}"{nearest(name, known)}')
    return known[name]
