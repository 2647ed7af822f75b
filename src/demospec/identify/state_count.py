"""All automata with a given number of states: one solver for all questions about one set of words.

Bounds enter a question as assumptions; a word's clauses are added when a model first disagrees with it. Every
automaton is found once: it is blocked for good.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module

from pysat.solvers import Solver

from demospec.identify import encoding
from demospec.identify.classes import AutomatonClass
from demospec.identify.encoding import Clause
from demospec.identify.word_tree import Labels, WordTree
from demospec.tasks.tables import Table, finest_merge

# Lowest cost for each call on our small instances, with native constraints for "one target". For counts
# the native ones are a trap: one call took 25 s that takes about 20 ms with the sequential counter.
SOLVER = "minicard"

MANY = (
    50  # words without clauses; beyond, proofs need most of them, and waiting for each costs ten times more
)


@dataclass(frozen=True)
class Found:
    """A minimal automaton that agrees with the labels, within the bounds, never found before."""

    table: Table
    accepting: tuple[bool, ...]


@dataclass(frozen=True)
class Exhausted:
    """Every automaton that agrees with the words, within these bounds, was found; None is no bound."""

    minority: int | None
    changes: int | None

    def covers(self, minority: int, changes: int) -> bool:
        """Say whether counts are within the bounds."""
        return (self.minority is None or minority <= self.minority) and (
            self.changes is None or changes <= self.changes
        )


class StateCount:
    """The automata with exactly n states that were not found yet."""

    def __init__(self, states: int, tree: WordTree, classes: Sequence[AutomatonClass]) -> None:
        self.states, self.tree = states, tree
        self.skeleton = sk = encoding.skeleton(states, tree.letters)
        self.solver = Solver(name=SOLVER)
        self._add_clause = clause_adder(self.solver)
        self._top = sk.top
        self._colours: dict[int, list[int]] = {}  # by node of the tree
        self._labels: dict[int, int] = {}  # the literal of each word that has clauses
        self._more_extra: list[list[int]] = []
        self._more_accept: list[list[int]] = []
        self._more_reject: list[list[int]] = []
        self._minorities: dict[int, int] = {}
        (self._minority_accepts,) = self._new(1)
        self._add(sk.clauses)
        for targets in sk.at_most_one:
            self.solver.add_atmost(targets, 1)
        # automata with few changes are asked for first
        self.solver.set_phases([row[a][i] for i, row in enumerate(sk.transition) for a in range(sk.letters)])
        unknown = encoding.Unknown(tree.alphabet, sk.transition, sk.accepting, self._new)
        for one in classes:
            self._add(one.clauses(unknown))

    def _solve(self, assumed: list[int]) -> bool:
        # Without a budget this is `solve`, but it lets go of Python's lock, so that Ctrl-C is heard.
        return bool(self.solver.solve_limited(assumptions=assumed, expect_interrupt=True))

    def find(self, minority: int, changes: int, labels: Labels) -> Found | Exhausted:
        """Return, and block, a minimal automaton within the bounds, or say that there is none."""
        few = self._few(minority)
        still = self._at_most(changes - (self.states - 1), self.skeleton.extra, self._more_extra)
        assumed = [still] if few is None else [few, still]
        unwritten: list[tuple[int, bool]] = []
        for word, label in labels:
            literal = self._labels.get(word)
            if literal is None:
                unwritten.append((word, label))
            else:
                assumed.append(literal if label else -literal)
        if len(unwritten) > MANY:
            for word, label in unwritten:
                literal = self._write(word)
                assumed.append(literal if label else -literal)
            unwritten = []
        while self._solve(assumed):
            table, accepting = self._read()
            wrong = self._disagreement(table, accepting, unwritten)
            if wrong is not None:
                word, label = unwritten.pop(wrong)
                literal = self._write(word)
                assumed.append(literal if label else -literal)
            elif is_minimal(table, accepting):
                self.block(table, accepting)
                return Found(table, accepting)
            else:  # a smaller automaton does the same: rule out every one of its kind
                self._distinguish(table, accepting)
        core = set(self.solver.get_core() or ())
        return Exhausted(minority if few in core else None, changes if still in core else None)

    def block(self, table: Table, accepting: Sequence[bool]) -> None:
        """Never find this automaton again."""
        sk = self.skeleton
        clause = [-sk.transition[i][a][j] for i, row in enumerate(table) for a, j in enumerate(row)]
        clause += [-z if mark else z for z, mark in zip(sk.accepting, accepting, strict=True)]
        self._add_clause(clause)

    def close(self) -> None:
        """Free the solver."""
        self.solver.delete()

    def _new(self, count: int) -> list[int]:
        self._top += count
        return list(range(self._top - count + 1, self._top + 1))

    def _add(self, clauses: Iterable[Clause]) -> None:
        deque(map(self._add_clause, clauses), maxlen=0)  # the quickest loop over a call

    def _at_most(self, count: int, inputs: Sequence[int], levels: list[list[int]]) -> int:
        """Return a literal that bounds how many inputs hold; `levels` keeps the counter so far."""
        while len(levels) <= count:
            level = self._new(len(inputs))
            self._add(encoding.more_than(inputs, levels[-1] if levels else None, level))
            levels.append(level)
        return -levels[count][-1]

    def _few(self, minority: int) -> int | None:
        """Return a literal that bounds the smaller acceptance class; None when it is never larger."""
        if minority >= self.states // 2:
            return None
        if minority not in self._minorities:
            accepting = self.skeleton.accepting
            few_accept = self._at_most(minority, accepting, self._more_accept)
            few_reject = self._at_most(minority, [-z for z in accepting], self._more_reject)
            (bound,) = self._new(1)
            self._add_clause([-bound, -self._minority_accepts, few_accept])
            self._add_clause([-bound, self._minority_accepts, few_reject])
            self._minorities[minority] = bound
        return self._minorities[minority]

    def _read(self) -> tuple[Table, tuple[bool, ...]]:
        """Read the model's automaton; the first variables are the transitions, then the acceptance."""
        n, k = self.states, self.skeleton.letters
        model = self.solver.get_model()
        targets = [(literal - 1) % n for literal in model[: n * k * n] if literal > 0]
        table = tuple([tuple(targets[row : row + k]) for row in range(0, n * k, k)])
        return table, tuple([literal > 0 for literal in model[n * k * n : n * k * n + n]])

    def _disagreement(
        self, table: Table, accepting: Sequence[bool], pairs: Sequence[tuple[int, bool]]
    ) -> int | None:
        """Return the position of the first word that the automaton labels otherwise."""
        for position, (word, label) in enumerate(pairs):
            state = 0
            for letter in self.tree.path[word]:
                state = table[state][letter]
            if accepting[state] != label:
                return position
        return None

    def _write(self, word: int) -> int:
        """Add the clauses of a word and return the literal of its label."""
        node = self.tree.end[word]
        if node == 0:
            literal = self.skeleton.accepting[0]
        else:
            (literal,) = self._new(1)
            self._add(encoding.labelled(self.skeleton, self._colour(node), literal))
        self._labels[word] = literal
        return literal

    def _colour(self, node: int) -> list[int]:
        """Return the variables that say where a prefix leads, with their clauses added."""
        missing: list[int] = []
        while node not in self._colours and self.tree.parent[node] != 0:
            missing.append(node)
            node = self.tree.parent[node]
        # below the root the colour is the transition itself
        colour = self._colours.get(node) or self.skeleton.transition[0][self.tree.letter[node]]
        for child in reversed(missing):
            above, colour = colour, self._new(self.states)
            self._add(encoding.step(self.skeleton, above, self.tree.letter[child], colour))
            self._colours[child] = colour
        return colour

    def _distinguish(self, table: Table, accepting: tuple[bool, ...]) -> None:
        merge = finest_merge(table, accepting)
        assert merge is not None, "asked for automata that are not minimal"
        clauses = encoding.not_congruent(self.skeleton, merge, self._top)
        self._top = clauses[-1][-1]
        self._add(clauses)


def clause_adder(solver: Solver) -> Callable[[Clause], object]:
    """Return the quickest way to add a clause to the solver.

    Much of the time goes into adding clauses, and the wrapper's method costs as much as the C function
    behind it: 0.98 µs for a clause of three literals, against 0.45 µs.
    """
    try:
        handle, add = solver.solver.minicard, import_module("pysolvers").minicard_add_cl
    except (ImportError, AttributeError):  # neither is promised by the package's documentation
        return lambda clause: solver.add_clause(clause)
    return lambda clause: add(handle, clause)


def is_minimal(table: Table, accepting: Sequence[bool]) -> bool:
    """Say whether no two states are equivalent: Moore's refinement, left as soon as all are told apart."""
    classes = [int(mark) for mark in accepting]
    count = len(set(classes))
    while count < len(table):
        names: dict[tuple[int, ...], int] = {}
        classes = [
            names.setdefault((own, *[classes[target] for target in row]), len(names))
            for own, row in zip(classes, table, strict=True)
        ]
        if len(names) == count:
            return False
        count = len(names)
    return True
