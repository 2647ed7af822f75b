"""What a class of automata demands, in the form that the backtracking search follows step by step.

Automata that agree with labelled words, cell by cell: a depth-first search that decides transitions.

A cell is a number of states, of marks in the smaller acceptance class, and of transitions that leave their
state. A frame of the search is a partial automaton. The nodes of the word graph are placed in the states
that their prefixes lead to, as far as transitions are decided; two nodes that are apart cannot share a
state. The next transition to decide is the one that words leave the fewest targets, where a new state is
always the next number: so every automaton is met once, whatever its numbering. When no word uses what is
left, the rest is free, but for the cell's counts.

Biermann & Feldman (IEEE Trans. Comput. 1972) search so, and Lang's exbar (1999). `native/automata.c` is the
same search, about a hundred times faster; both give the same automata in the same order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from demospec.identify.classes import (
    AutomatonClass,
    Bound,
    CoSafety,
    IgnoresRepeats,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
    is_reach_avoid,
)
from demospec.identify.counting import Cell
from demospec.identify.word_graph import UNKNOWN, WordGraph
from demospec.native import Int, library
from demospec.tasks.tables import Table, address, canonical
from demospec.work.stop import NEVER, Stop

MOST_OTHERS = 64  # their states are a set of bits in C


@dataclass(frozen=True)
class Rules:
    """The classes that an automaton must be in. The automata that run alongside are numbered as one."""

    same_effect: tuple[int, ...]  # by letter: the first letter that has the same effect
    kinds: frozenset[type[AutomatonClass]] = frozenset()  # of the others: Safety, CoSafety, Monotone, …
    others: tuple[tuple[int, ...], ...] = ()  # by state of the others and letter: the next
    other_start: int = 0  # bits: the states in which the others start
    must_reject: int = 0  # bits: reached together with one of these, reject
    must_accept: int = 0

    @classmethod
    def of(cls, classes: Sequence[AutomatonClass], alphabet: Sequence[str]) -> Rules | None:
        """Return the rules of the classes taken together; None when one of them has no such form."""
        effect = list(range(len(alphabet)))
        others: list[tuple[int, ...]] = []
        starts = must_reject = must_accept = 0
        kinds = {type(one) for one in classes}
        for one in classes:
            match one:
                case SameEffect():
                    tied = {effect[list(alphabet).index(letter)] for letter in one.letters}
                    effect = [min(tied) if first in tied else first for first in effect]
                case Bound():
                    base, other = len(others), one.task.minimal
                    others += [tuple(base + target for target in row) for row in other.table]
                    starts |= 1 << base + other.start
                    demand = sum(1 << base + p for p, mark in enumerate(other.accepting) if mark == one.label)
                    if one.label:
                        must_accept |= demand
                    else:
                        must_reject |= demand
                case Safety() | CoSafety() | Monotone() | IgnoresRepeats() | ReachAvoid():
                    pass
                case _:
                    return None
        if len(others) > MOST_OTHERS:
            return None
        if ReachAvoid in kinds:  # a chain to an accepting sink: no cycles, and nothing after it
            kinds |= {CoSafety, Monotone}
        return cls(
            same_effect=tuple(effect),
            kinds=frozenset(kinds),
            others=tuple(others),
            other_start=starts,
            must_reject=must_reject,
            must_accept=must_accept,
        )


# -- Automata that agree with labelled words, cell by cell -----------------------------------------------

Answer = tuple[int, Table, tuple[bool, ...]]  # position of the cell, minimal automaton, breadth first

FREE = -1


class Conflict(Exception):
    """Nothing that agrees with the words, or with the rules, is found here."""


class OutOfBounds(Exception):
    """Nothing in this cell is found here, but another cell might have something."""


class Frame:
    """A partial automaton, and where it leads the words."""

    def __init__(self, states: int, letters: int, starts: int) -> None:
        self.reached = 1
        self.changes = 0
        self.table = [FREE] * (states * letters)  # by state and letter
        self.mark = [FREE] * states
        self.members = [0] * states  # bits: the nodes that lead here
        self.reachable = [0] * states  # bits: the states that this one leads to
        self.alongside = [starts, *[0] * (states - 1)]  # bits: the states of others it is reached with

    def copy(self) -> Frame:
        """Return a frame to go on from."""
        other = object.__new__(Frame)
        other.reached, other.changes = self.reached, self.changes
        other.table, other.mark = self.table[:], self.mark[:]
        other.members, other.reachable = self.members[:], self.reachable[:]
        other.alongside = self.alongside[:]
        return other

    def set_mark(self, state: int, label: int) -> None:
        """Let a state accept or reject."""
        if self.mark[state] == FREE:
            self.mark[state] = label
        if self.mark[state] != label:
            raise Conflict


def ones(number: int) -> Iterator[int]:
    """Yield the positions of the ones, lowest first."""
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1


class Backtracking:
    """The search for one set of words and rules."""

    def __init__(self, graph: WordGraph, rules: Rules, *, stop: Stop = NEVER) -> None:
        self.graph, self.rules, self.stop = graph, rules, stop
        self.letters = graph.letters
        self.apart = graph.apart(stop)
        self.exhausted: set[int] = set()  # numbers of states with nothing left in any cell
        self.bounded = False  # something was left out only because of the cell's counts

    def automata(self, cells: Iterable[Cell]) -> Iterator[Answer]:
        """Yield the automata of the cells, in order; a cell may be asked for once."""
        for position, cell in enumerate(cells):
            states, minority, changes = cell
            self.stop.check()
            if states in self.exhausted:
                continue
            self.bounded = False
            root = Frame(states, self.letters, self.rules.other_start)
            try:
                self._place(root, 0, 0)
            except Conflict:
                pass
            else:
                for table, accepting in self._extend(root, states, minority, changes):
                    yield position, table, accepting
            if not self.bounded:
                self.exhausted.add(states)

    def _extend(
        self, frame: Frame, states: int, minority: int, changes: int
    ) -> Iterator[tuple[Table, tuple[bool, ...]]]:
        """Yield what a frame can become in this cell."""
        try:
            choice = self._choose(frame, states, minority, changes)
        except Conflict:
            return
        except OutOfBounds:
            self.bounded = True
            return
        if choice is None:
            yield from self._marked(frame, states, minority)
            return
        state, letter, targets = choice
        # Staying costs nothing, and comes first.
        for target in [state, *[target for target in ones(targets) if target != state]]:
            if not targets >> target & 1:
                continue
            if target != state and frame.changes == changes:
                self.bounded = True
                return
            below = frame.copy()
            try:
                self._decide(below, state, letter, target)
            except Conflict:
                continue
            yield from self._extend(below, states, minority, changes)

    def _choose(self, frame: Frame, states: int, minority: int, changes: int) -> tuple[int, int, int] | None:
        """Return a transition and its targets, as bits; None when everything is decided, the rest staying."""
        self._run_alongside(frame)
        yes, no = frame.mark.count(1), frame.mark.count(0)
        most = states - minority
        if not ((yes <= minority and no <= most) or (yes <= most and no <= minority)):
            raise OutOfBounds
        best: tuple[int, int, int] | None = None
        unused: tuple[int, int] | None = None
        fewest, must = states + 2, 0
        for state in range(frame.reached):
            below: dict[int, set[int]] = {}  # by letter, the nodes that follow those which lead here
            for node in ones(frame.members[state]):
                for letter, child in self.graph.children[node].items():
                    below.setdefault(letter, set()).add(child)
            for letter in range(self.letters):
                if frame.table[state * self.letters + letter] != FREE:
                    continue
                if letter not in below:
                    unused = unused or (state, letter)
                    continue
                targets = self._allowed(frame, below[letter])
                if frame.reached < states:
                    targets |= 1 << frame.reached
                targets &= self._in_class(frame, state, states)
                must += not targets >> state & 1
                count = targets.bit_count()
                if count == 0:
                    raise Conflict
                if count < fewest:
                    fewest, best = count, (state, letter, targets)
        left, undecided = changes - frame.changes, frame.table.count(FREE)
        if left < max(must, states - frame.reached) or left > undecided:
            raise OutOfBounds
        if best is not None:
            return best
        if unused is not None and left:
            return (*unused, self._in_class(frame, unused[0], states))
        self.bounded = self.bounded or unused is not None or left > 0
        if left:
            raise OutOfBounds
        frame.table = [
            at // self.letters if target == FREE else target for at, target in enumerate(frame.table)
        ]
        self._run_alongside(frame)
        return None

    def _allowed(self, frame: Frame, nodes: set[int]) -> int:
        """Return the known states that a transition may lead to, with all these nodes."""
        self.stop.check()
        pending = against = 0
        labels = set()
        for node in nodes:
            pending |= 1 << node
            against |= self.apart[node]
            labels.add(self.graph.label[node])
        if against & pending:
            raise Conflict
        return sum(
            1 << target
            for target in range(frame.reached)
            if not against & frame.members[target]
            and (frame.mark[target] == FREE or 1 - frame.mark[target] not in labels)
        )

    def _in_class(self, frame: Frame, state: int, states: int) -> int:
        """Return the targets that the rules leave to a state, a new state among them."""
        kinds, mark = self.rules.kinds, frame.mark[state]
        if (Safety in kinds and mark == 0) or (CoSafety in kinds and mark == 1):
            return 1 << state
        targets = (1 << min(frame.reached + 1, states)) - 1
        if Monotone in kinds:
            for target in range(frame.reached):
                if frame.reachable[target] >> state & 1:
                    targets &= ~(1 << target)
        return targets

    def _decide(self, frame: Frame, state: int, letter: int, target: int) -> None:
        """Let a transition lead to a target, and draw what follows."""
        rules, kinds, k = self.rules, self.rules.kinds, self.letters
        frame.table[state * k + letter] = target
        if target == frame.reached:
            frame.reached += 1
        if target != state:
            frame.changes += 1
            if Safety in kinds:
                frame.set_mark(state, 1)
            if CoSafety in kinds:
                frame.set_mark(state, 0)
            if Monotone in kinds:
                if frame.reachable[target] >> state & 1:
                    raise Conflict
                more = frame.reachable[target] | 1 << target
                for i in range(frame.reached):
                    if i == state or frame.reachable[i] >> state & 1:
                        frame.reachable[i] |= more
        for node in ones(frame.members[state]):
            below = self.graph.children[node].get(letter)
            if below is not None:
                self._place(frame, below, target)
        if IgnoresRepeats in kinds and target != state:
            self._follow(frame, target, letter, target)
        for other, first in enumerate(rules.same_effect):
            if other != letter and first == rules.same_effect[letter]:
                self._follow(frame, state, other, target)

    def _follow(self, frame: Frame, state: int, letter: int, target: int) -> None:
        """Decide a transition that follows from another."""
        there = frame.table[state * self.letters + letter]
        if there == FREE:
            self._decide(frame, state, letter, target)
        elif there != target:
            raise Conflict

    def _place(self, frame: Frame, node: int, state: int) -> None:
        """Let a node lead to a state, and all below it as far as transitions are decided."""
        stack = [(node, state)]
        while stack:
            node, state = stack.pop()
            if frame.members[state] >> node & 1:
                continue
            if self.apart[node] & frame.members[state]:
                raise Conflict
            if self.graph.label[node] != UNKNOWN:
                frame.set_mark(state, self.graph.label[node])
            frame.members[state] |= 1 << node
            for letter, below in self.graph.children[node].items():
                target = frame.table[state * self.letters + letter]
                if target != FREE:
                    stack.append((below, target))

    def _run_alongside(self, frame: Frame) -> None:
        """Run the other automata along the decided transitions, and mark what they demand."""
        rules, k = self.rules, self.letters
        changed = bool(rules.others)
        while changed:
            changed = False
            for at, target in enumerate(frame.table[: frame.reached * k]):
                if target != FREE:
                    here = frame.alongside[at // k]
                    there = frame.alongside[target]
                    for other in ones(here):
                        there |= 1 << rules.others[other][at % k]
                    changed = changed or there != frame.alongside[target]
                    frame.alongside[target] = there
        for state in range(frame.reached):
            if frame.alongside[state] & rules.must_reject:
                frame.set_mark(state, 0)
            if frame.alongside[state] & rules.must_accept:
                frame.set_mark(state, 1)

    def _marked(self, frame: Frame, states: int, minority: int) -> Iterator[tuple[Table, tuple[bool, ...]]]:
        """Yield a complete table with every choice of the marks that are free, where it is minimal."""
        rows = [tuple(frame.table[at : at + self.letters]) for at in range(0, len(frame.table), self.letters)]
        free = [state for state, mark in enumerate(frame.mark) if mark == FREE]
        mark = [label == 1 for label in frame.mark]
        for chosen in range(1 << len(free)):
            self.stop.check()
            for position, state in enumerate(free):
                mark[state] = bool(chosen >> position & 1)
            if sum(mark) not in (minority, states - minority):
                self.bounded = True
                continue
            table, accepting = canonical(tuple(rows), 0, mark)
            if len(table) == states and not (
                ReachAvoid in self.rules.kinds and not is_reach_avoid(table, accepting)
            ):
                yield table, tuple(accepting)


# -- The same search in C, behind the same iterator -------------------------------------------------------

FOUND, PAUSED, NO_MEMORY, STOPPED = 1, 2, 3, 4  # what `native/automata.c` says
FRAMES = 100_000  # so many at once, a fraction of a second, before Python may hear an interrupt
MOST_AT_ONCE = 64


def compiled_automata(
    graph: WordGraph,
    rules: Rules,
    chunks: Iterable[Sequence[Cell]],
    expected: int | None = None,
    *,
    stop: Stop = NEVER,
) -> Iterator[Answer]:
    """Yield what `Backtracking.automata` yields for all cells; `expected` answers are sought at once."""
    native = library()
    assert native is not None, "the library is not built"
    letters = graph.letters
    edges = array("i", accumulate(map(len, graph.children), initial=0))
    letter = array("i", [a for below in graph.children for a in below])
    child = array("i", [node for below in graph.children for node in below.values()])
    label = array("b", graph.label)
    effect = array("i", rules.same_effect)
    others = array("B", [target for row in rules.others for target in row])
    flags = [one in rules.kinds for one in (Safety, CoSafety, Monotone, IgnoresRepeats, ReachAvoid)]
    handle = native.demospec_automata_open(
        *(letters, graph.nodes, address(edges), address(letter), address(child), address(label)),
        *(sum(flag << at for at, flag in enumerate(flags)), address(effect)),
        *(len(rules.others), address(others), rules.other_start, rules.must_reject, rules.must_accept),
        stop.address,
    )
    if not handle:
        raise MemoryError
    try:
        limit = 1 if expected is None else max(1, min(expected, MOST_AT_ONCE))
        first = 0
        for chunk in chunks:
            counts = array("i", [number for cell in chunk for number in cell])
            room = max(n for n, _, _ in chunk) * (letters + 1)
            position, begun, found = Int(0), Int(0), Int(0)
            status = FOUND
            while status in (FOUND, PAUSED):
                out, cell_of = array("b", bytes(limit * room)), array("i", bytes(4 * limit))
                status = native.demospec_automata_next(
                    *(handle, len(chunk), address(counts), position, begun),
                    *(limit, FRAMES, address(out), address(cell_of), found),
                )
                if status == STOPPED:
                    stop.check()
                if status == NO_MEMORY:
                    raise MemoryError
                at = 0
                for cell in cell_of[: found.value]:
                    states = chunk[cell][0]
                    end = at + states * letters
                    table = tuple([tuple(out[row : row + letters]) for row in range(at, end, letters)])
                    at = end + states
                    yield first + cell, table, tuple([mark == 1 for mark in out[end:at]])
                if found.value == limit and expected is None:
                    limit = min(2 * limit, MOST_AT_ONCE)
            first += len(chunk)
    finally:
        native.demospec_automata_close(handle)
