"""A code for tasks that is a prior: in clauses, in clauses joined by "or", or as an automaton.

A task is told in one of these ways, each with its weight, and its length is that of the shortest one that is
known. That anything is wanted, or nothing, is a way of its own, and a rare one: who shows something means
something. The code is complete but for repeats and forms that are not canonical, so that 2^−length, over all
tasks, adds up to at most one: a bit of length is ln 2 nats of surprise, and there is no weight to set.

A task is told by choosing, again and again, one of several things whose weights are known to both sides. The
probability of a task is the product over its choices, its length −log₂ of that. Whoever describes a task asks
`choose(weights, which)` for each choice; a `CodeWriter` turns the choices into bits, a `CodeReader` finds
them in bits, and `choose` returns what was chosen either way: one function says how a task is told.

**An automaton**, made tight: what follows from its canonical form is not written. The letters are known. With
n states, at least two, and K letters: n by tossing coins; which states accept, as one of 2ⁿ − 2 sets, since a
minimal automaton neither accepts nor rejects in all of its states; how many transitions leave their state, m
of n − 1 to n·K; which ones, as one of C(n·K, m); and where each leads: to a state that was met before, other
than its own, or to the next new one, since states are numbered breadth first. Where only as many transitions
are left as states are still to be met, nothing is chosen.

**Clauses**: how many of each shape, and which. A shape is a kind of clause and its size: "reach a or b" is
the kind "reach" with two letters. Kinds have their weights; a size is an eighth as likely as the one before.
How many clauses there are is told by tossing a coin for each more. A list of k clauses has no order: told is
how many of them have each shape, as k independent draws would give it, and then which set of clauses of that
shape, as one of C(N, m). So the k! orders of a list cost nothing, and neither do repeats, which do not occur.
Lists that are joined by "or" have no order: whoever reads them in another order reads the same task, and what
all m! orders have adds up.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import accumulate, islice
from math import comb

import numpy as np

from demospec.errors import TaskError
from demospec.tasks.clauses.clause import Clause, Clauses, Conjunction, instance, rank
from demospec.tasks.clauses.kind import Kind, kinds, subset_of, subset_rank
from demospec.tasks.dfa import DFA
from demospec.tasks.propositions import atoms
from demospec.tasks.task import Task

# -- Choices ---------------------------------------------------------------------------------------------


class Coder(ABC):
    """Where choices go to, or come from."""

    @abstractmethod
    def which(self, total: int, found: Callable[[Fraction], int], chosen: int | None) -> int:
        """Return what is chosen: as is said, or as was written, found by a number below the total."""

    @abstractmethod
    def part(self, low: Fraction, width: Fraction) -> None:
        """Take a part of the interval that is left."""

    def choose(self, weights: Sequence[int], chosen: int | None) -> int:
        """Choose one of several things with these weights; `chosen` is None for who reads."""
        *_, total = ends = list(accumulate(weights))
        index = self.which(total, lambda value: bisect_right(ends, value), chosen)
        self.part(Fraction(ends[index] - weights[index], total), Fraction(weights[index], total))
        return index

    def one_of(self, count: int, chosen: int | None) -> int:
        """Choose one of so many things that are equally likely."""
        index = self.which(count, int, chosen)
        self.part(Fraction(index, count), Fraction(1, count))
        return index

    def times(self, number: int | None, coin: tuple[int, int] = (1, 1)) -> int:
        """Choose a number from 0 on by tossing a coin for each more; it says end, or one more."""
        found = 0
        while self.choose(coin, None if number is None else int(found < number)):
            found += 1
        return found


class CodeWriter(Coder):
    """Narrows an interval by each choice. Its width is the task's probability."""

    def __init__(self) -> None:
        self.low, self.width = Fraction(0), Fraction(1)

    def which(self, total: int, found: Callable[[Fraction], int], chosen: int | None) -> int:
        assert chosen is not None
        if not 0 <= chosen < total:
            raise TaskError(f"a choice of number {chosen} among {total} cannot be written")
        return chosen

    def part(self, low: Fraction, width: Fraction) -> None:
        if not width:
            raise TaskError("a choice of weight 0 cannot be written")
        self.low, self.width = self.low + self.width * low, self.width * width

    def bits(self) -> str:
        """Return the shortest bits such that whatever follows them lies in the interval.

        The intervals of different tasks do not overlap, so that none begins with another's bits.
        """
        length = 0
        while True:
            number = math.ceil(self.low * 2**length)
            if Fraction(number + 1, 2**length) <= self.low + self.width:
                return format(number, f"0{length}b") if length else ""
            length += 1


class CodeReader(Coder):
    """Finds the choices in bits."""

    def __init__(self, bits: str) -> None:
        if any(bit not in "01" for bit in bits):
            raise TaskError("an encoded task is a string of 0 and 1")
        self.value = Fraction(int(bits or "0", 2), 2 ** len(bits))

    def which(self, total: int, found: Callable[[Fraction], int], chosen: int | None) -> int:
        """Return the part in which the value lies."""
        return found(self.value * total)

    def part(self, low: Fraction, width: Fraction) -> None:
        """Look at a part of the interval as the whole."""
        self.value = (self.value - low) / width


# -- An automaton ----------------------------------------------------------------------------------------


def tell_automaton(coder: Coder, alphabet: tuple[str, ...], task: DFA | None) -> DFA:
    """Write the canonical form of an automaton of at least two states, or read one."""
    known = None if task is None else task.minimal
    letters = len(alphabet)
    states = 2 + coder.times(None if known is None else known.states - 2)
    # The set of accepting states as a number in base 2, without the empty one.
    own = None if known is None else sum(mark << state for state, mark in enumerate(known.accepting)) - 1
    marks = 1 + coder.one_of((1 << states) - 2, own)
    accepting = tuple(bool(marks >> state & 1) for state in range(states))
    cells = [(state, letter) for state in range(states) for letter in range(letters)]
    leaving = None if known is None else [at for at, (s, k) in enumerate(cells) if known.table[s][k] != s]
    few = states - 1
    changes = few + coder.one_of(len(cells) - few + 1, None if leaving is None else len(leaving) - few)
    which = coder.one_of(
        comb(len(cells), changes), None if leaving is None else subset_rank(leaving, len(cells))
    )
    table = [[state] * letters for state in range(states)]
    met = 1
    for number, at in enumerate(subset_of(which, changes, len(cells))):
        state, letter = cells[at]
        options = targets(state, met, states, changes - number)
        told = None if known is None else options.index(known.table[state][letter])
        table[state][letter] = options[coder.one_of(len(options), told)]
        met = max(met, table[state][letter] + 1)
    read = DFA(alphabet=alphabet, table=tuple(map(tuple, table)), accepting=accepting)
    if known is None and read.minimal.table != read.table:
        raise TaskError("the bits say an automaton that is not in its canonical form")
    return read.minimal


def automaton_bits(task: DFA) -> float:
    """Return −log₂ of the probability that `tell_automaton` gives, without the fractions."""
    minimal = task.automaton
    states, letters = len(minimal.table), len(minimal.alphabet)
    if states == 1:
        return math.inf
    leaving, options = minimal.__dict__.get("_leads") or leads(minimal)  # compiled code tells it of many
    return fewest_bits(states) + choice_bits(states * letters, leaving, states) + math.log2(options)


def leads(minimal: DFA) -> tuple[int, int]:
    """Return how many transitions leave their state, and in how many ways they could lead elsewhere."""
    states = minimal.states
    leaving = [(state, q) for state, row in enumerate(minimal.table) for q in row if q != state]
    left, met, options = len(leaving), 1, 1
    for state, target in leaving:
        if left > states - met:  # as many as `targets` has
            known = met + 1 if met < states else states
            options *= known - (state < known) or 1
        left -= 1
        if target >= met:
            met = target + 1
    return len(leaving), options


@cache
def choice_bits(cells: int, changes: int, states: int) -> float:
    """Return the bits of how many transitions leave their state, and which."""
    return math.log2(cells - states + 2) + math.log2(comb(cells, changes))


@cache
def fewest_bits(states: int) -> float:
    """Return what an automaton of so many states takes at least.

    >>> fewest_bits(2), fewest_bits(4) < automaton_bits(DFA.parse(">0: a→1 | 1: a→2 | 2: a→3 | *3:"))
    (2.0, True)
    """
    return states - 1 + math.log2((1 << states) - 2)


def targets(state: int, met: int, states: int, left: int) -> range | list[int]:
    """Return where a transition that leaves its state can lead; `left` counts it and those to come.

    A row that is read before its state was met cannot be: then every number but its own is allowed, and the
    reader refuses what is not canonical.
    """
    if left <= states - met:
        return range(met, met + 1)
    known = [other for other in range(min(met + 1, states)) if other != state]
    return known or [other for other in range(states) if other != state][:1]


# -- Clauses ---------------------------------------------------------------------------------------------

MORE = (1, 1)  # weights of no clause more and of one more
RARER = 8  # with each size, so much rarer is it that a clause is as large or larger
MOST = 64  # clauses in a list, and the size of one: bits that ask for more are refused


@dataclass(frozen=True)
class Shape:
    """A kind of clause and its size, with its probability and how many clauses there are."""

    kind: Kind
    size: int
    probability: Fraction
    count: int

    @property
    def key(self) -> tuple[str, int]:
        """Return what the clauses of this shape have as theirs."""
        return self.kind.name, self.size


@lru_cache(maxsize=64)
def usable_kinds(kinds: tuple[Kind, ...], letters: int) -> tuple[Kind, ...]:
    """Return the kinds of which there are clauses over so many letters."""
    return tuple(kind for kind in kinds if kind.weight and kind.count(kind.fewest, letters))


def shapes(kinds: tuple[Kind, ...], letters: int) -> Iterator[Shape]:
    """Yield every shape over so many letters: kind by kind in turn, by size. There may be no end.

    The probabilities add up to one.
    """
    usable = usable_kinds(kinds, letters)
    total = sum(kind.weight for kind in usable)
    for larger in range(MOST + 1):  # than the smallest of its kind
        for kind in usable:
            here, most = kind.fewest + larger, kind.most(letters)
            if most is None or here <= most:
                share = Fraction(1, RARER**larger)
                if here != most:
                    share *= Fraction(RARER - 1, RARER)
                yield Shape(kind, here, Fraction(kind.weight, total) * share, kind.count(here, letters))


def tell_clauses(
    coder: Coder,
    kinds: tuple[Kind, ...],
    alphabet: Sequence[str],
    clauses: Conjunction | None,
) -> Conjunction:
    """Write a list of at least one clause, or read one."""
    count = 1 + coder.times(None if clauses is None else len(clauses) - 1, MORE)
    if count > MOST:
        raise TaskError(f"a list of {count} clauses; at most {MOST} are allowed")
    left, rest, found = count, Fraction(1), list[Clause]()
    shape = iter(shapes(kinds, len(alphabet)))
    while left:
        one = next(shape, None)
        if one is None:
            raise TaskError(f"clauses are larger than {MOST}")
        here = None if clauses is None else [each for each in clauses if each.shape == one.key]
        chance = one.probability / rest
        yes, no = chance.numerator, chance.denominator - chance.numerator
        binomial = [comb(left, many) * yes**many * no ** (left - many) for many in range(left + 1)]
        number = coder.choose(binomial, None if here is None else len(here))
        rest -= one.probability
        left -= number
        if not number:
            continue
        if number > one.count:
            raise TaskError(f"{number} clauses of a shape of which there are {one.count}")
        ranks = None if here is None else sorted(rank(each, alphabet) for each in here)
        chosen = None if ranks is None else subset_rank(ranks, one.count)
        which = coder.one_of(comb(one.count, number), chosen)
        found += [
            instance(one.kind, one.size, number, alphabet) for number in subset_of(which, number, one.count)
        ]
    return tuple(sorted(found, key=lambda clause: clause.order))


class Lengths:
    """How long lists of clauses are in the code, by one vocabulary over so many letters."""

    def __init__(self, kinds: tuple[Kind, ...], letters: int) -> None:
        self.kinds, self.letters = kinds, letters
        self._shapes: dict[tuple[str, int], tuple[float, int]] = {}

    def of(self, clauses: Conjunction) -> float:
        """Return −log₂ of the probability that `tell_clauses` gives to a list, without the fractions.

        P = 2^−k · k! / Π mₛ! · Π qₛ^mₛ / Π C(Nₛ, mₛ), over shapes s with mₛ of the k clauses.
        """
        count, known = len(clauses), self._shapes
        length = END_BITS + (count - 1) * MORE_BITS - LOG_FACTORIALS[count]
        seen: dict[tuple[str, int], int] = {}
        for clause in clauses:
            shape = clause.shape
            number = seen[shape] = seen.get(shape, 0) + 1
            if shape not in known:
                known[shape] = shape_bits(self.kinds, self.letters, clause.kind, clause.size)
            bits_of, many = known[shape]
            # C(N, m) = C(N, m − 1)·(N − m + 1)/m, and m! = (m − 1)!·m
            length += bits_of + (math.log2(many - number + 1) if many >= number else math.inf)
        return length


END_BITS, MORE_BITS = (math.log2(sum(MORE) / weight) for weight in MORE)
LOG_FACTORIALS = [math.lgamma(count + 1) / math.log(2) for count in range(MOST + 1)]


def shape_bits(kinds: tuple[Kind, ...], letters: int, kind: Kind, size: int) -> tuple[float, int]:
    """Return −log₂ of a shape's probability, and how many clauses it has."""
    usable = usable_kinds(kinds, letters)
    if kind not in usable or size - kind.fewest > MOST:
        return math.inf, 1
    larger = size - kind.fewest
    length = math.log2(sum(one.weight for one in usable) / kind.weight) + larger * math.log2(RARER)
    if size != kind.most(letters):
        length += math.log2(RARER / (RARER - 1))
    return length, kind.count(size, letters)


# -- A task ----------------------------------------------------------------------------------------------

CLAUSES, EITHER, AUTOMATON, CONSTANT = range(4)
WAYS = (32, 15, 15, 2)  # weights of the ways to tell a task
WAY_BITS = [math.log2(sum(WAYS) / weight) for weight in WAYS]
ANOTHER = (7, 1)  # weights of no list more and of one more, where two are joined by "or"
LAST_LIST_BITS, NEXT_LIST_BITS = (math.log2(sum(ANOTHER) / weight) for weight in ANOTHER)


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
        language = task.automaton
        states = len(language.table)
        if states == 1:
            return WAY_BITS[CONSTANT] + 1
        said = self.as_said(task)
        if said <= WAY_BITS[AUTOMATON] + fewest_bits(states):
            return said
        return min(self.as_automaton(language), said)

    def as_automaton(self, language: DFA) -> float:
        """Return the length of a language as an automaton."""
        return WAY_BITS[AUTOMATON] + automaton_bits(language)

    def as_said(self, task: Task) -> float:
        """Return the length of a task as it is said in clauses; infinite if it is not."""
        if not isinstance(task, Clauses):
            return math.inf
        if len(task.alternatives) == 1:
            return self.as_clauses(task.alternatives[0])
        told = [self._list_bits(one) for one in task.alternatives]
        if len(told) > MOST:
            return math.inf
        number = LAST_LIST_BITS + (len(told) - 2) * NEXT_LIST_BITS
        return WAY_BITS[EITHER] + number + sum(told) - LOG_FACTORIALS[len(told)]

    def as_clauses(self, clauses: Conjunction) -> float:
        """Return the length of a list of clauses that all hold."""
        return WAY_BITS[CLAUSES] + self._list_bits(clauses)

    @cached_property
    def _atoms(self) -> tuple[str, ...]:
        return atoms(self.alphabet)

    def _list_bits(self, clauses: Conjunction) -> float:
        for clause in clauses:
            if clause.kind.short_for:
                clauses = written_out(clauses)
                break
        if not 1 <= len(clauses) <= MOST:
            return math.inf
        return self._lengths.of(clauses)

    @cached_property
    def _lengths(self) -> Lengths:
        return Lengths(self.vocabulary, len(self._atoms))

    def encode(self, task: Task) -> str:
        """Write a task in its shortest known way as a string of 0 and 1, at most two longer than `bits`.

        Lists that are joined by "or" are written in one of their m! orders, which makes log₂ m! more.
        """
        writer = CodeWriter()
        if task.alphabet != self.alphabet:
            raise TaskError(f"the code reads {', '.join(self.alphabet)}; the task {', '.join(task.alphabet)}")
        if (
            task.automaton.states == 1
            or not isinstance(task, Clauses)
            or self.as_said(task) > self.as_automaton(task.automaton)
        ):
            self.tell(writer, task.automaton)
        else:
            self.tell(writer, Clauses.of(map(written_out, task.alternatives), self.alphabet))
        return writer.bits()

    def decode(self, bits: str) -> Task:
        return self.tell(CodeReader(bits), None)

    def tell(self, coder: Coder, task: Task | None) -> Task:
        """Write a task, or read one."""
        way = coder.choose(WAYS, None if task is None else way_of(task))
        if way == CONSTANT:
            accepting = coder.one_of(2, None if task is None else int(task.automaton.accepting[0]))
            return DFA.constant(self.alphabet, bool(accepting))
        if way == AUTOMATON:
            return tell_automaton(coder, self.alphabet, None if task is None else task.automaton)
        said = task.alternatives if isinstance(task, Clauses) else None
        many = 1 if way == CLAUSES else 2 + coder.times(None if said is None else len(said) - 2, ANOTHER)
        if many > MOST:
            raise TaskError(f"{many} lists of clauses; at most {MOST} are allowed")
        lists = [
            tell_clauses(coder, self.vocabulary, self._atoms, None if said is None else said[number])
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


# -- Clauses and lists of clauses, drawn with the probabilities that the code gives them -----------------

SHAPES = 200  # that are drawn from, the likeliest kinds and sizes first; what is left has next to nothing
BITS = 400  # for a list: many more than one takes
TRIES = 100


class Drawing:
    """Draws from the prior over some letters."""

    def __init__(self, kinds: tuple[Kind, ...], alphabet: tuple[str, ...]) -> None:
        self.kinds, self.alphabet = kinds, alphabet
        first = islice(shapes(kinds, len(alphabet)), SHAPES)
        self._shapes = [shape for shape in first if shape.count]
        chances = np.array([float(shape.probability) for shape in self._shapes])
        self.usable = float(chances.sum())  # the rest of the code says no clause
        self._chances = chances / self.usable

    def more(self, lists: Sequence[Conjunction], rng: np.random.Generator) -> list[Clause | None]:
        """Draw a clause for each list that it does not have yet; None where its shape has no other.

        As in the code: a shape as if by itself, and then one of those of the shape that are left.
        """
        shapes = rng.choice(len(self._shapes), size=len(lists), p=self._chances)
        drawn = list[Clause | None]()
        for shape, own in zip([self._shapes[k] for k in shapes], lists, strict=True):
            one, left = None, sum(clause.shape == shape.key for clause in own) < shape.count
            while left and (one is None or one in own):
                one = instance(shape.kind, shape.size, int(rng.integers(shape.count)), self.alphabet)
            drawn.append(one)
        return drawn

    def conjunction(self, rng: np.random.Generator) -> Conjunction:
        """Draw a list of clauses; bits that no list is written with are drawn again."""
        for _ in range(TRIES):
            bits = "".join(map(str, rng.integers(2, size=BITS).tolist()))
            try:
                return tell_clauses(CodeReader(bits), self.kinds, self.alphabet, None)
            except TaskError:
                continue
        raise TaskError("no list of clauses could be drawn")
