"""Labelled words that may be wrong: automata by size, or by size and the labels that they flip.

An automaton flips a word when it gives it the other label. What an answer costs depends on four counts: the
states n, the smaller acceptance class c, the transitions m that leave their state, and the flips f. For each
n one solver is asked for automata that cost less than a limit; a limit is raised where the proven bound is
lowest, and an automaton is given out when no bound is below its cost. So nothing cheaper was missed.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from operator import add

from pysat.card import ITotalizer

from demospec.errors import InputError
from demospec.identify import encoding
from demospec.identify.base import check_class, joined, joint_conflicts, labels_excluded
from demospec.identify.classes import AutomatonClass
from demospec.identify.counting import languages_left
from demospec.identify.sat import AutomataSolver, Counter, Machine, Sought
from demospec.identify.word_graph import WordTree
from demospec.tasks import DFA, Word
from demospec.tasks.dfa import size
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop

Labelled = tuple[tuple[Word, bool], ...]

# Bits by which a limit is raised. Proofs for a higher limit are harder, but fewer: for a target of five
# states and 200 words the first answer took 10, 8, 6 and 7 s with steps of 2, 4, 8 and 16 bits.
COST_STEP = 8.0

SHORTEST_ENDING = 2  # letters; shorter ones are many and say little
MOST_PAIRS = 20_000  # of words with a common ending


@dataclass(frozen=True)
class Noisy:
    """An automaton, and the examples that it gives the other label."""

    task: DFA
    flipped: Labelled  # with the label that was given, sorted
    cost: float  # bits in all: the size of the task, and what its flips cost


def flip_code(words: int, flips: int) -> float:
    """Return the bits that say which of the words have a wrong label: first how many, then which.

    log₂(W + 1) + log₂ C(W, f) for W words and f flips, up to half of them; from there on the price stays.
    Were it to fall again, a task and its complement would cost the same.

    >>> flip_code(3, 0), round(flip_code(200, 10), 2), round(flip_code(200, 190), 2)
    (2.0, 61.97, 203.5)
    """
    return math.log2(words + 1) + math.log2(math.comb(words, min(flips, words // 2)))


def with_flips(
    examples: Examples,
    alphabet: Sequence[str],
    flips: int,
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    stop: Stop = NEVER,
) -> Iterator[Noisy]:
    """Yield the automata that flip at most so many examples in exact order of size, each language once.

    Raises `Contradiction` when the classes are seen to exclude the labels even after so many flips. Without
    `max_states` the search goes on to more states for ever, also when no more automata exist.
    """
    if flips < 0:
        raise InputError(f"expected a number of flips from 0 on, found {flips}")
    letters, members = checked(examples, alphabet, prior, classes, stop)
    if len(excluded := disjoint_conflicts(examples, members, flips + 1, stop)) > flips:
        words = tuple(word for conflict in excluded for word in conflict)
        raise labels_excluded(members, words, examples, f", not even with {flips} flipped")
    price = [0.0] * (min(flips, len(examples)) + 1)
    for task, flipped in by_cost(examples, letters, price, members, max_states, stop):
        yield Noisy(task, flipped, task.size + flip_code(len(examples), len(flipped)))


def trade_off(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    flip_bits: float | None = None,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    stop: Stop = NEVER,
) -> Iterator[Noisy]:
    """Yield all automata in exact order of cost: the size, and `flip_bits` for each example that is flipped.

    Without `flip_bits`, which examples are flipped costs what `flip_code` says, so that the cost is the
    length of a description of all labels, up to the words themselves. Each language comes once. Without
    `max_states` the search goes on to more states for ever. Raises `Stopped` soon after `stop` is set.
    """
    if flip_bits is not None and not (flip_bits >= 0 and math.isfinite(flip_bits)):
        raise InputError(f"expected a price of a flip from 0 bits on, found {flip_bits:g}")
    letters, members = checked(examples, alphabet, prior, classes, stop)
    words = len(examples)
    price = [flip_code(words, f) if flip_bits is None else f * flip_bits for f in range(words + 1)]
    for task, flipped in by_cost(examples, letters, price, members, max_states, stop):
        yield Noisy(task, flipped, task.size + price[len(flipped)])


def checked(
    examples: Examples,
    alphabet: Sequence[str],
    prior: DFA | None,
    classes: Sequence[AutomatonClass],
    stop: Stop,
) -> tuple[tuple[str, ...], tuple[AutomatonClass, ...]]:
    """Refuse foreign letters, but no labels: flips may repair these. Return the letters and the classes."""
    letters, members = tuple(sorted(alphabet)), joined(prior, classes)
    check_class(Examples(), letters, classes=members, stop=stop)
    check_class(examples, letters, stop=stop)
    return letters, members


def disjoint_conflicts(
    examples: Examples, classes: Sequence[AutomatonClass], most: int, stop: Stop
) -> list[tuple[Word, ...]]:
    """Return sets of words, no word in two of them, each of whose labels the classes are seen to exclude.

    Each asks for a flip of its own. At most `most` sets; others may exist that were not met.
    """

    def excluded(some: Labelled) -> bool:
        stop.check()
        part = Examples.from_mapping(dict(some))
        return any(one.conflicts(part) for one in classes) or bool(
            len(classes) > 1 and joint_conflicts(classes, part, stop)
        )

    found: list[tuple[Word, ...]] = []
    left = examples.labels
    while len(found) < most and excluded(left):
        conflict: Labelled = ()
        while not excluded(conflict):
            # the last word of the shortest beginning that conflicts with what is chosen belongs to it
            end = bisect_left(range(len(left) + 1), True, key=lambda k: excluded((*conflict, *left[:k])))
            conflict = tuple(sorted((*conflict, left[end - 1])))
        found.append(tuple(word for word, _ in conflict))
        left = tuple(pair for pair in left if pair not in conflict)
    return found


def by_cost(
    examples: Examples,
    letters: tuple[str, ...],
    price: Sequence[float],
    classes: Sequence[AutomatonClass],
    max_states: int | None,
    stop: Stop,
) -> Iterator[tuple[DFA, Labelled]]:
    """Yield automata with what they flip by size + price[flips]; the price must not fall.

    `bounds` holds pairs (b, n): automata with n states that are not found yet cost b or more. The largest n
    has no solver yet and stands for all that are larger.
    """
    tree = WordTree(letters)
    for word, _ in examples:
        tree.number(word)
    solvers: dict[int, FlipSolver] = {}
    bounds: list[tuple[float, int]] = [(size(1, len(letters), 0, 0) + price[0], 1)]
    found: list[tuple[float, int, DFA, Labelled]] = []
    count, most = 0, languages_left(classes, letters, Examples(), max_states)
    try:
        while found or (bounds and count != most):
            stop.check()
            if found and (count == most or not bounds or found[0][0] <= bounds[0][0]):
                yield heapq.heappop(found)[2:]
                continue
            bound, n = heapq.heappop(bounds)
            if n not in solvers:
                solvers[n] = FlipSolver(n, tree, examples, classes, stop)
                if max_states is None or n < max_states:
                    heapq.heappush(bounds, (size(n + 1, len(letters), 1, n) + price[0], n + 1))
            limit = min(bound + COST_STEP, found[0][0]) if found else bound + COST_STEP
            region, next_cost = region_below(limit, n, len(letters), price)
            result = solvers[n].find(region)
            if result is None:
                if solvers[n].core and next_cost is not None:  # not everywhere
                    heapq.heappush(bounds, (next_cost, n))
                continue
            task = DFA.from_canonical(letters, *result)
            flipped = tuple((word, label) for word, label in examples if task.accepts(word) != label)
            count += 1
            heapq.heappush(found, (task.size + price[len(flipped)], count, task, flipped))
            heapq.heappush(bounds, (bound, n))
    finally:
        for solver in solvers.values():
            solver.close()


Region = tuple[tuple[int, int, int], ...]  # for each c and m the largest f, −1 for none


def region_below(
    limit: float, states: int, letters: int, price: Sequence[float]
) -> tuple[Region, float | None]:
    """Return the counts of less than a limit, and the least cost that is not within; None when all are."""
    flips: list[tuple[int, int, int]] = []
    beyond: list[float] = []
    for c in range(min(1, states - 1), states // 2 + 1):
        for m in range(states - 1, states * letters + 1 if states > 1 else 1):
            bits = size(states, letters, c, m)
            within = bisect_left(price, limit, key=partial(add, bits))
            flips.append((c, m, within - 1))
            if within < len(price):
                beyond.append(bits + price[within])
    return tuple(flips), min(beyond, default=None)


def same_ending(tree: WordTree, examples: Examples, stop: Stop) -> Iterator[tuple[int, int, int, int]]:
    """Yield pairs of words with a common ending and different labels, and the nodes where the ending begins.

    Where these nodes lead to one state, a word of the pair is flipped. This follows from the other clauses
    as soon as all transitions along the ending are decided. Said before that, it makes proofs short: one for
    seven states and 200 words took 4 s in the place of 35 s. Long endings come first.
    """
    endings: dict[Word, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}
    for number, (word, label) in enumerate(examples):
        stop.check()
        node = tree.end[tree.number(word)]
        for start in range(len(word) - 1, -1, -1):
            node = tree.parent[node]
            if len(word) - start >= SHORTEST_ENDING:
                endings.setdefault(word[start:], ([], []))[label].append((number, node))
    for ending in sorted(endings, key=len, reverse=True):
        for (one, p), (other, q) in product(*endings[ending]):
            yield one, other, p, q


class SmallerClass:
    """The states in the smaller acceptance class of one automaton.

    A counter for each of the two classes: that takes two thirds of the time that one counter takes whose
    inputs are chosen by a variable, as those of `GroupBounds` are.
    """

    def __init__(self, automaton: Sought) -> None:
        self.solver, accepting = automaton.solver, automaton.skeleton.accepting
        (self._accepts,) = self.solver.new(1)  # the smaller class is the accepting one
        self._accepting = Counter(self.solver, accepting)
        self._rejecting = Counter(self.solver, [-z for z in accepting])
        self._bounds: dict[int, int] = {}

    def at_most(self, count: int) -> int:
        """Return a literal that bounds how many states there are."""
        if count not in self._bounds:
            few_accept, few_reject = self._accepting.at_most(count), self._rejecting.at_most(count)
            (bound,) = self.solver.new(1)
            self.solver.add([[-bound, -self._accepts, few_accept], [-bound, self._accepts, few_reject]])
            self._bounds[count] = bound
        return self._bounds[count]


class FlipSolver(AutomataSolver):
    """The automata with exactly n states that were not found yet, with what they flip.

    wrong[w]: word w is flipped.
    """

    def __init__(
        self,
        states: int,
        tree: WordTree,
        examples: Examples,
        classes: Sequence[AutomatonClass],
        stop: Stop = NEVER,
    ) -> None:
        super().__init__(tree, [states], stop=stop)
        (self.automaton,) = self.automata
        self.automaton.demand(classes, few_changes_first=False)
        self.states = states
        self._regions: dict[Region, int] = {}
        self._smaller_class = SmallerClass(self.automaton)
        self._extra = Counter(self, self.automaton.skeleton.extra)
        self._totalizer: ITotalizer | None = None
        self.wrong: list[int] = []
        self._write_all(examples)

    def find(self, region: Region) -> Machine | None:
        """Return, and exclude, a minimal automaton with counts in the region; None when there is none."""
        found = self.next_minimal([self._within(region)])
        if found is not None:
            self.automaton.exclude(found[0])
        return None if found is None else found[0]

    def close(self) -> None:
        super().close()
        if self._totalizer is not None:
            self._totalizer.delete()

    def _write_all(self, examples: Examples) -> None:
        """Add the clauses of all words, and of pairs of them."""
        tree, sk = self.tree, self.automaton.skeleton
        colours = [[], *(self.automaton.colour(node) for node in range(1, len(tree.parent)))]
        for word, given in examples:
            node = tree.end[tree.number(word)]
            (literal,) = self.new(1) if node else (sk.accepting[0],)
            if node:
                self.add(encoding.labelled(sk, colours[node], literal))
            self.wrong.append(-literal if given else literal)
        for one, other, p, q in islice(same_ending(tree, examples, self.stop), MOST_PAIRS):
            either = [self.wrong[one], self.wrong[other]]
            if p and q:
                self.add([-x, -y, *either] for x, y in zip(colours[p], colours[q], strict=True))
            else:
                self.add([[-colours[p or q][0], *either]])

    def _within(self, region: Region) -> int:
        """Return a literal that demands counts in the region: with c and m or more, at most f flips."""
        if region not in self._regions:
            (within,) = self.new(1)
            most = {(c, m): f for c, m, f in region}
            for c, m, f in region:
                # the same bound for smaller counts says more
                if f < len(self.wrong) and f not in (most.get((c - 1, m)), most.get((c, m - 1))):
                    smaller = [self._smaller_class.at_most(c - 1)] if (c - 1, m) in most else []
                    fewer = [self._extra.at_most(m - self.states)] if (c, m - 1) in most else []
                    bound = [self._flips_at_most(f)] if f >= 0 else []
                    self.add([[-within, *smaller, *fewer, *bound]])
            self._regions[region] = within
        return self._regions[region]

    def _flips_at_most(self, flips: int) -> int:
        """Return a literal that bounds the flips.

        A totalizer (Bailleux & Boufkhad, CP 2003) that grows when more are asked for: the first answer takes
        6 s that takes 35 s with the sequential counter, and 10 s with the words out of the tree's order.
        """
        if self._totalizer is None:
            self._totalizer = ITotalizer(lits=self.wrong, ubound=flips, top_id=self.top)
        else:
            self._totalizer.increase(ubound=flips, top_id=self.top)
        counter = self._totalizer
        self.add(counter.cnf.clauses[len(counter.cnf.clauses) - counter.nof_new :])
        self.top = counter.top_id
        return -int(counter.rhs[flips])
