"""Where words occur: everywhere, or only in some world; two tasks may be the same there.

Every clause over some letters that can matter for a task, side by side: their automata in one table.

A kind's automaton is made once for each pattern of equal and different letters, and its columns are then put
where the letters are: thousands of clauses are a few dozen automata.

Clauses are tried on words: a word that the task accepts refutes the clauses that it breaks, a word that the
task rejects must break one of those that are chosen. The cheapest smallest choice is compared with the task;
where they differ there is another word, and the search begins again. So what is returned says the task
exactly, and no shorter choice among the candidates does.

One level of "or": two or three short lists of clauses, each of which is enough for a task.

Parts of an "or" are looked for among what the task implies anyway, together with one or two more clauses. On
words that the task rejects a part must break; then the fewest parts are chosen of which each accepted word
satisfies one. Where the choice and the task differ there is another word, as for a single list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import chain, compress, product
from typing import Protocol

import numpy as np
import numpy.typing as npt

from demospec.tasks.clauses import Clause, Clauses, Kind, instances, kinds
from demospec.tasks.clauses.clause import conjoined
from demospec.tasks.clauses.kind import CHAIN, LETTERS, TIMES
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.propositions import are_sets, atoms
from demospec.tasks.side_by_side import Bools, Ints, Stack, included, shortest_words, states_of, with_white

MANY = 1200  # words that are looked at first
DRAWN = 200  # of them long ones that are drawn
LONG = 14


class Place(Protocol):
    """Where a task is to be said: which words occur, and which of them tell two tasks apart."""

    def words(self, task: DFA) -> Sequence[Word]:
        """Return some words that occur, of many sorts: a first sieve for what can be said."""
        ...

    def differences(self, first: DFA, second: DFA) -> Sequence[Word]:
        """Return words that occur and on which two tasks differ, a shortest one first; none: they agree."""
        ...


class Everywhere:
    """All words occur."""

    def words(self, task: DFA) -> Sequence[Word]:
        """Return words to each state of the task, a few letters further, and some long ones."""
        return _words(task.alphabet, tuple(shortest_words(task.alphabet, task.automaton.table)))

    def differences(self, first: DFA, second: DFA) -> Sequence[Word]:
        """Return shortest words that only the one and only the other accepts."""
        words = [(first - second).shortest_word(), (second - first).shortest_word()]
        return sorted((word for word in words if word is not None), key=len)


EVERYWHERE = Everywhere()


@lru_cache(maxsize=64)
def _words(letters: tuple[str, ...], access: tuple[Word, ...]) -> tuple[Word, ...]:
    found: dict[Word, None] = dict.fromkeys(access)
    for length in range(1, LONG):
        if len(found) + len(access) * len(letters) ** length > MANY - DRAWN:
            break
        for tail in product(letters, repeat=length):
            found |= dict.fromkeys([word + tail for word in access])
    return tuple(dict.fromkeys([*found, *_drawn(letters)]))


@lru_cache(maxsize=16)
def _drawn(letters: tuple[str, ...]) -> tuple[Word, ...]:
    rng = np.random.default_rng([11, len(letters)])
    lengths = rng.integers(2, LONG + 1, size=DRAWN).tolist()
    return tuple(
        tuple(letters[k] for k in rng.integers(len(letters), size=length).tolist()) for length in lengths
    )


# -- Every clause over some letters that can matter for a task, side by side -----------------------------

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
        stack, first = self.stack, self.stack.base[numbers]
        count = states_of(stack)[numbers]
        own = np.repeat(first, count)  # where each state's machine begins
        old = own + np.arange(len(own)) - np.repeat(np.cumsum(count) - count, count)
        rows, start = stack.table[old] - own[:, None], stack.start[numbers] - first
        part = Stack.numbered(stack.alphabet, rows, count, stack.accepting[old], start)
        return Candidates(tuple(self.clauses[k] for k in numbers.tolist()), part, self.costs[numbers])

    def implied_by(self, task: DFA) -> Bools:
        """Return [T]: which clauses hold on every word of a task, by all states they reach together."""
        every = np.arange(len(self))
        return included(Stack.of([task]), self.stack, np.zeros_like(every), every)


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
        for size in sizes_tried(kind, len(named), largest)
        for clause in instances(kind, size, named)
    ]
    return candidates_of(clauses, alphabet, known)


def sizes_tried(kind: Kind, letters: int, largest: int) -> Iterator[int]:
    """Yield the sizes of a kind whose clauses are all looked at."""
    if kind.several is None:
        yield from [kind.fewest] if kind.count(kind.fewest, letters) <= MOST_OF_A_KIND else []
        return
    last = letters if kind.several == LETTERS else 3 if kind.several == CHAIN else largest
    for size in range(kind.fewest, last + 1):
        if kind.count(size, letters) <= (MOST_OF_A_KIND if size == kind.fewest else MOST_OF_A_SIZE):
            yield size


def candidates_of(
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
            table, accepting, start = pattern(
                clause.kind, tuple(letter_places(clause.letters)), clause.number
            )
            own = np.repeat(table[:, -1:], width, axis=1)
            own[:, [column[letter] for letter in clause.letters]] = table[:, letter_places(clause.letters)]
        tables.append(own)
        marks.append(accepting)
        starts.append(start)
    rows = np.concatenate([np.zeros((0, width), np.intp), *tables])
    accepted = np.array(list(chain.from_iterable(marks)), dtype=np.bool_)
    stack = Stack.numbered(alphabet, rows, list(map(len, tables)), accepted, np.array(starts, dtype=np.intp))
    costs = np.array([clause_cost(clause, said, weights) for clause in every])
    return Candidates(tuple(every), stack, costs)


def letter_places(letters: Sequence[str]) -> list[int]:
    """Number letters in the order in which they first occur.

    >>> letter_places("bgb")
    [0, 1, 0]
    """
    number: dict[str, int] = {}
    return [number.setdefault(letter, len(number)) for letter in letters]


@lru_cache(maxsize=1024)
def pattern(kind: Kind, where: tuple[int, ...], number: int) -> tuple[Ints, tuple[bool, ...], int]:
    """Return the automaton of a clause by the places of its letters; the last column is any other letter."""
    letters = tuple(f"{place:03}" for place in where)
    other = f"{max(where) + 1:03}"
    task = kind.automaton(letters, number, (*sorted(set(letters)), other))
    return np.array(task.table, dtype=np.intp), task.accepting, task.start


def clause_cost(clause: Clause, letters: int, weights: int) -> float:
    """Return what a clause costs to say: its kind, its size, its letters, in bits."""
    kind, size = clause.kind, clause.size
    said = math.log2(weights / (kind.weight or SELDOM)) + math.log2(kind.count(size, letters))
    return said + 2.0 * (size - kind.fewest)


def clauses_grown(clauses: Sequence[Clause], letters: Sequence[str]) -> list[Clause]:
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


# -- The fewest clauses of which each word breaks one: a smallest hitting set ----------------------------


def cover(breaking: Iterable[int], costs: Sequence[float], most: int, nodes: int) -> tuple[int, ...] | None:
    """Return the fewest numbers of which each mask has one, of these the cheapest; None: more than `most`.

    A mask has bit k where number k will do. After so many nodes of the search the best so far is returned,
    which may not be the best of all.

    >>> cover([0b011, 0b110, 0b101], [1, 2, 3], most=5, nodes=100)
    (0, 1)
    """
    needed = least(breaking)
    if needed and needed[0] == 0:
        return None
    numbers = undominated(needed, costs)
    kept = sum(1 << k for k in numbers)
    needed = least(mask & kept for mask in needed)
    search = CoverSearch(costs, nodes)
    for count in range(most + 1):
        search.extend(needed, (), 0.0, count)
        if search.best is not None:
            return tuple(sorted(search.best))
        if search.nodes <= 0:
            return None
    return None


@dataclass
class CoverSearch:
    """A depth-first search for the cheapest choice of a given number."""

    costs: Sequence[float]
    nodes: int
    best: tuple[int, ...] | None = None
    price: float = field(default=float("inf"))

    def extend(self, needed: list[int], chosen: tuple[int, ...], price: float, left: int) -> None:
        """Add to a choice, at most `left` more, until each mask has one of it."""
        if not needed:
            if price < self.price:
                self.best, self.price = chosen, price
            return
        self.nodes -= 1
        if self.nodes < 0 or left == 0 or apart(needed) > left:
            return
        options = set_bits(min(needed, key=lambda mask: (mask.bit_count(), mask)))
        for option in sorted(options, key=lambda k: (self.costs[k], k)):
            if price + self.costs[option] < self.price:
                rest = [mask for mask in needed if not mask >> option & 1]
                self.extend(rest, (*chosen, option), price + self.costs[option], left - 1)


def least(masks: Iterable[int]) -> list[int]:
    """Return the masks that contain no other, small ones first.

    >>> [bin(mask) for mask in least([0b111, 0b010, 0b100, 0b010])]
    ['0b10', '0b100']
    """
    kept: list[int] = []
    for mask in sorted(set(masks), key=lambda mask: (mask.bit_count(), mask)):
        if not any(one & mask == one for one in kept):
            kept.append(mask)
    return kept


def apart(masks: Iterable[int]) -> int:
    """Return how many masks, taken in order, have nothing in common: so many numbers are needed at least."""
    taken, count = 0, 0
    for mask in masks:
        if not mask & taken:
            taken |= mask
            count += 1
    return count


def undominated(masks: Sequence[int], costs: Sequence[float]) -> list[int]:
    """Return the numbers for which no other does as much for no more."""
    does: dict[int, int] = {}
    for word, mask in enumerate(masks):
        for number in set_bits(mask):
            does[number] = does.get(number, 0) | 1 << word
    cheapest: dict[int, int] = {}
    for number in sorted(does, key=lambda k: (costs[k], k)):
        cheapest.setdefault(does[number], number)
    kept: list[tuple[int, int]] = []
    for done, number in sorted(cheapest.items(), key=lambda one: (costs[one[1]], one[1])):
        if not any(done & other == done for other, _ in kept):
            kept.append((done, number))
    return [number for _, number in kept]


def set_bits(mask: int) -> list[int]:
    """Return the numbers whose bits are set.

    >>> set_bits(0b1010)
    [1, 3]
    """
    return [number for number, sign in enumerate(bin(mask)[:1:-1]) if sign == "1"]


# -- The fewest clauses that together say a task, and the strongest that it implies ----------------------

FEW = 60  # words that most clauses fail on which a task does not imply
MOST_LETTERS = 4  # in a clause that does not say all: "reach a or b or c or d" is long enough
MOST = 5  # clauses in a list that people still follow
Conjunction = tuple[Clause, ...]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How long is searched, in numbers of steps: the same budget gives the same words."""

    rounds: int = 60  # choices of clauses that are compared with the task
    nodes: int = 8_000  # of the search for one choice
    terms: int = 2_000  # short lists that are tried as parts of an "or"
    formulas: int = 6_000  # formulas that are tried


MOST_GROWN = 5_000  # clauses of one size that are tried: where there are more, long ones are left out
BRIEF = Budget(terms=0, formulas=0)  # for lists of many tasks: no "or", no formula of one's own


def implied(task: DFA, named: tuple[str, ...], every: Candidates) -> Candidates:
    """Return those of the candidates that hold on every word of a task, and what grows from them."""
    found = implied_among(every, task)
    looked_at = {(one.kind.name, one.size) for one in every.clauses}
    longest = [one for one in found.clauses if (one.kind.name, one.size + 1) not in looked_at]
    clauses = list(found.clauses)
    while 0 < len(longest := clauses_grown(longest, named)) <= MOST_GROWN:
        more = candidates_of([one for one in longest if one.size <= task.states], task.alphabet)
        if not len(more):
            break
        longest = list(implied_among(more, task).clauses)
        clauses += longest
    return found if len(clauses) == len(found) else candidates_of(clauses, task.alphabet)


def implied_among(every: Candidates, task: DFA) -> Candidates:
    """Return those of some clauses that hold on every word of a task: on some words first, which is quick."""
    every_word = EVERYWHERE.words(task)
    words = list(compress(every_word, accepted_among(task, every_word)))
    few = words[:: 1 + len(words) // FEW]
    likely = every.chosen(np.flatnonzero(np.all(every.stack.accepts(few), axis=1)))
    return likely.chosen(np.flatnonzero(likely.implied_by(task)))


def accepted_among(task: DFA, words: Sequence[Word]) -> Bools:
    """Return [W]: which words a task accepts."""
    found: Bools = Stack.of([task]).accepts(words)[0]
    return found


def masks(rows: Bools) -> list[int]:
    """Return the columns of [T, W] as numbers: bit t of number w is set where the cell is true."""
    packed = np.packbits(rows, axis=0, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in np.ascontiguousarray(packed.T)]


def said_by(
    task: DFA, known: Candidates, place: Place = EVERYWHERE, budget: Budget | None = None
) -> Conjunction | None:
    """Return the fewest of some clauses that together say a task in a place; None where none do.

    Everywhere the clauses must be implied. In a place, those that are not are left out as words show it.
    """
    budget = budget or Budget()
    words = list(place.words(task))
    marks = accepted_among(task, words)
    accepts = known.stack.accepts(words)
    costs = known.costs.tolist()
    for _ in range(budget.rounds):
        holds: Bools = np.all(accepts[:, marks], axis=1, keepdims=True)
        breaking = set(masks(~accepts[:, ~marks] & holds))
        if 0 in breaking:
            return None
        chosen = cover(breaking, costs, MOST, budget.nodes)
        if chosen is None:
            return None
        clauses = as_listed(known.clauses[k] for k in chosen)
        more = place.differences(conjoined(clauses, task.alphabet), task)
        if not more:
            return clauses
        marks = np.concatenate([marks, accepted_among(task, more)])
        accepts = np.concatenate([accepts, known.stack.accepts(more)], axis=1)
    return None


def strongest(task: DFA, known: Candidates, most: int = MOST) -> Conjunction:
    """Return a few implied clauses that together leave little else: each rules out most of what is left."""
    known = known.chosen([k for k, one in enumerate(known.clauses) if len(one.letters) <= MOST_LETTERS])
    words = [word for word in EVERYWHERE.words(task) if not task.accepts(word)]
    breaks = ~known.stack.accepts(words) if len(known) and words else np.zeros((len(known), 0), np.bool_)
    left = np.ones(breaks.shape[1], dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < most and left.any():
        gains = (breaks & left).sum(axis=1)
        best = min(range(len(known)), key=lambda k: (-gains[k], known.costs[k]), default=None)
        if best is None or gains[best] == 0:
            break
        chosen.append(best)
        left &= ~breaks[best]
    kept = tuple(known.clauses[k] for k in chosen)
    for clause in reversed(kept):  # what follows from the others is left out, later ones first
        others = tuple(one for one in kept if one is not clause)
        if conjoined(others, task.alphabet).implies(clause.automaton(task.alphabet)):
            kept = others
    return as_listed(kept)


def as_listed(clauses: Iterable[Clause]) -> Conjunction:
    """Return clauses in the order in which tasks list them."""
    return tuple(sorted(clauses, key=lambda clause: clause.order))


# -- One level of "or" -----------------------------------------------------------------------------------

Floats = npt.NDArray[np.float64]

MOST_PARTS = 3
MOST_CLAUSES = 7  # in all parts together
MOST_ROUNDS = 12
MOST_CHOICES = 300  # parts among which a few are chosen: those that most accepted words satisfy
MOST_PAIRED = 900  # clauses that are tried in pairs: the cheapest


def alternatives_of(
    task: DFA,
    known: Candidates,
    shared: Conjunction,
    place: Place = EVERYWHERE,
    budget: Budget | None = None,
) -> tuple[Conjunction, ...] | None:
    """Return short lists of clauses of which one holds exactly when the task does; None: none were found.

    `shared` are clauses that the task implies: each list may hold them too.
    """
    budget = budget or Budget()
    if len(known) > MOST_PAIRED:
        known = known.chosen(np.sort(np.argsort(known.costs, kind="stable")[:MOST_PAIRED]))
    words = list(place.words(task))
    for _ in range(MOST_ROUNDS):
        marks = accepted_among(task, words)
        accepts = known.stack.accepts(words)
        within = accepted_among(conjoined(shared, task.alphabet), words)
        terms = enough(accepts[:, marks], accepts[:, ~marks & within], known.costs, budget.terms)
        if terms is None:
            return None
        pairs, satisfied = terms
        prices = [float(known.costs[list(set(pair))].sum()) for pair in pairs.tolist()]
        chosen = cover(masks(satisfied), prices, MOST_PARTS, budget.nodes)
        if chosen is None or len(chosen) < 2:
            return None
        lists = [
            (*shared, *(known.clauses[k] for k in dict.fromkeys(pairs[number].tolist()))) for number in chosen
        ]
        more = place.differences(any_list(lists, task.alphabet), task)
        if not more:
            for number, own in enumerate(lists):  # clauses are left out, as long as the lists say the task
                for clause in own:
                    shorter = tuple(one for one in lists[number] if one != clause)
                    changed = [*lists[:number], shorter, *lists[number + 1 :]]
                    if shorter and not place.differences(any_list(changed, task.alphabet), task):
                        lists[number] = shorter
            short = sum(map(len, lists)) <= MOST_CLAUSES
            return Clauses.of(lists, task.alphabet).alternatives if short else None
        words += more
    return None


def enough(satisfied: Bools, broken_by: Bools, price: Floats, most: int) -> tuple[Ints, Bools] | None:
    """Return pairs of clauses [M, 2] that no rejected word satisfies, and which accepted words do [M, P].

    A clause that is enough alone is a pair with itself. Of pairs that do the same the cheapest stays, and
    none that another one contains; None where some accepted word satisfies no pair.
    """
    wrong, right = broken_by.astype(np.float32), satisfied.astype(np.float32)
    clean = wrong @ wrong.T == 0
    alone = np.diagonal(clean).copy()
    clean &= ~(alone[:, None] | alone[None, :])  # a pair with such a clause only satisfies less
    clean |= np.diag(alone)
    first, second = np.nonzero(np.triu(clean))
    count = (right @ right.T)[first, second]
    both = price[first] + np.where(first == second, 0.0, price[second])
    order = np.lexsort((both, -count))
    order = order[count[order] > 0][:most]
    first, second = first[order], second[order]
    found = satisfied[first] & satisfied[second]
    if not len(found) or not found.any(axis=0).all():
        return None
    _, kept = np.unique(np.packbits(found, axis=1), axis=0, return_index=True)
    kept = np.sort(kept)  # of equals the cheapest is the first
    small = found[kept].astype(np.float32)
    inside = small @ small.T >= small.sum(axis=1)[:, None] - 0.5
    dearer = both[order[kept]]
    inside &= dearer[:, None] >= dearer[None, :]
    np.fill_diagonal(inside, False)
    kept = kept[~inside.any(axis=1)][:MOST_CHOICES]
    if not found[kept].any(axis=0).all():
        return None
    return np.stack([first[kept], second[kept]], axis=1), found[kept]


def any_list(lists: Sequence[Sequence[Clause]], alphabet: tuple[str, ...]) -> DFA:
    """Return the minimal automaton of lists of clauses of which one holds."""
    parts = (conjoined(tuple(one), alphabet) for one in lists)
    return reduce(lambda p, q: (p | q).minimal, parts, DFA.constant(alphabet, False).minimal)
