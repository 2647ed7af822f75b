"""What every search by SAT shares: variables, clauses, counters, where prefixes lead, minimal models.

Bounds enter a question as assumptions. A word's clauses are added when a model first disagrees with it, and
a model that is not minimal rules out every other that is not minimal for the same reason.

All automata with a given number of states: one solver for all questions about one set of words.

Every automaton is found once: it is excluded for good.

Exact identification by SAT: for classes that only have clauses, and the witness of the other way.

Cells are visited in the order that is asked for, with one solver for each number of states. A proof that a
cell holds no more automata may not have needed its bounds, and then rules out others as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from threading import RLock

from pysat.solvers import Solver

from demospec.identify import encoding
from demospec.identify.classes import AutomatonClass
from demospec.identify.counting import Bounds
from demospec.identify.encoding import Clause
from demospec.identify.word_graph import WordTree
from demospec.tasks.tables import Table, equivalence_classes, finest_merge
from demospec.work.stop import NEVER, Stop

# Lowest cost for each call on our small instances, with native constraints for "one target". For counts
# the native ones are a trap: one call took 25 s that takes about 20 ms with the sequential counter.
SOLVER = "minicard"

BATCH = 10_000  # clauses, some milliseconds, before the stop flag is looked at

Machine = tuple[Table, tuple[bool, ...]]  # a breadth-first numbered automaton: its table, and what accepts


@dataclass(frozen=True)
class Exhausted:
    """Every answer within these bounds was found; None is no bound."""

    bounds: tuple[tuple[int | None, int | None], ...]

    def covers(self, bounds: Bounds) -> bool:
        """Say whether counts are within the bounds."""
        return all(
            most is None or count <= most
            for limit, counts in zip(self.bounds, bounds, strict=True)
            for most, count in zip(limit, counts, strict=True)
        )


class AutomataSolver:
    """A solver that looks for automata, one or several at once, that agree with words.

    A word is accepted when all automata accept it, or any, as `combine` says. `unwritten` holds the words
    without clauses; what a word's clauses are, a subclass says.
    """

    def __init__(
        self,
        tree: WordTree,
        counts: Iterable[int],
        *,
        combine: Callable[[Iterable[bool]], bool] = all,
        stop: Stop = NEVER,
    ) -> None:
        self.tree, self._combine, self.stop = tree, combine, stop
        self._freeing = RLock()  # no solver is interrupted while it is freed, or later
        self.top = 0  # the largest variable
        self.unwritten: list[tuple[int, bool]] = []
        self.pysat = Solver(name=SOLVER)
        self._add_clause = clause_adder(self.pysat)
        self.automata = [Sought(self, states) for states in counts]

    def new(self, count: int) -> list[int]:
        """Make so many new variables."""
        self.top += count
        return list(range(self.top - count + 1, self.top + 1))

    def add(self, clauses: Iterable[Clause]) -> None:
        left = iter(clauses)
        while batch := list(islice(left, BATCH)):
            self.stop.check()
            deque(map(self._add_clause, batch), maxlen=0)  # the quickest loop over a call

    def next_minimal(self, assumed: list[int]) -> list[Machine] | None:
        """Return automata that are minimal and agree with all words; None when there are none.

        What the clauses of further words have to assume is added to `assumed`.
        """
        while self._solve(assumed):
            model = self.pysat.get_model()
            machines = [one.read(model) for one in self.automata]
            wrong = self._disagreement(machines)
            if wrong is not None:
                assumed += self.write(*self.unwritten.pop(wrong))
                continue
            for one, machine in zip(self.automata, machines, strict=True):
                if max(equivalence_classes(*machine)) + 1 < one.states:  # a smaller automaton does the same
                    one.distinguish(machine)
                    break
            else:
                return machines
        return None

    def write(self, word: int, label: bool) -> list[int]:
        """Add the clauses of a word and return the literals to assume."""
        raise NotImplementedError

    @property
    def core(self) -> set[int]:
        """Return the assumptions that the last proof needed."""
        return set(self.pysat.get_core() or ())

    def close(self) -> None:
        with self._freeing:
            self.pysat.delete()

    def _solve(self, assumed: list[int]) -> bool:
        # Without a budget this is `solve`, but it lets go of Python's lock, and can be interrupted.
        with self.stop.calling(self._interrupt):
            found = self.pysat.solve_limited(assumptions=assumed, expect_interrupt=True)
        if found is None:
            self.pysat.clear_interrupt()
        self.stop.check()
        return bool(found)

    def _interrupt(self) -> None:
        with self._freeing:
            self.pysat.interrupt()  # of one that is freed, nothing

    def _disagreement(self, machines: Sequence[Machine]) -> int | None:
        """Return the position of the first word without clauses that is labelled otherwise."""
        for position, (word, label) in enumerate(self.unwritten):
            marks = []
            for table, accepting in machines:
                state = 0
                for letter in self.tree.path[word]:
                    state = table[state][letter]
                marks.append(accepting[state])
            if self._combine(marks) != label:
                return position
        return None


class Sought:
    """One of the automata that a solver looks for: its variables, and where prefixes lead in it."""

    def __init__(self, solver: AutomataSolver, states: int) -> None:
        self.solver, self.states = solver, states
        self.skeleton = encoding.skeleton(states, solver.tree.letters, solver.top + 1)
        self._colours: dict[int, list[int]] = {}  # by node of the tree
        solver.top = self.skeleton.top

    def demand(self, classes: Sequence[AutomatonClass], *, few_changes_first: bool = True) -> None:
        """Add the clauses of an automaton that is in all classes."""
        solver, sk = self.solver, self.skeleton
        solver.add(sk.clauses)
        for targets in chain(*sk.transition) if sk.states > 1 else ():
            solver.pysat.add_atmost(targets, 1)
        if few_changes_first:
            stays = [row[a][i] for i, row in enumerate(sk.transition) for a in range(sk.letters)]
            solver.pysat.set_phases(stays)  # tried first where nothing decides them
        unknown = encoding.Unknown(solver.tree.alphabet, sk.transition, sk.accepting, solver.new)
        for one in classes:
            solver.add(one.clauses(unknown))

    def read(self, model: Sequence[int]) -> Machine:
        """Read a model; the first variables are the transitions, then comes the acceptance."""
        n, k = self.states, self.skeleton.letters
        first = self.skeleton.transition[0][0][0]
        after = first + n * k * n
        targets = [(literal - first) % n for literal in model[first - 1 : after - 1] if literal > 0]
        table = tuple([tuple(targets[row : row + k]) for row in range(0, n * k, k)])
        return table, tuple([literal > 0 for literal in model[after - 1 : after - 1 + n]])

    def exclude(self, machine: Machine) -> None:
        """Never find this automaton again."""
        sk, (table, accepting) = self.skeleton, machine
        clause = [-sk.transition[i][a][j] for i, row in enumerate(table) for a, j in enumerate(row)]
        clause += [-z if mark else z for z, mark in zip(sk.accepting, accepting, strict=True)]
        self.solver.add([clause])

    def distinguish(self, machine: Machine) -> None:
        """Rule out all that are not minimal for the same reason as this automaton."""
        merge = finest_merge(*machine)
        assert merge is not None, "asked for automata that are not minimal"
        clauses = encoding.not_congruent(self.skeleton, merge, self.solver.top)
        self.solver.top = clauses[-1][-1]
        self.solver.add(clauses)

    def colour(self, node: int) -> list[int]:
        """Return the variables that say where a prefix leads, with their clauses added.

        The prefix is not the empty word, which leads to state 0.
        """
        tree = self.solver.tree
        missing: list[int] = []
        while node not in self._colours and tree.parent[node] != 0:
            missing.append(node)
            node = tree.parent[node]
        # below the root the colour is the transition itself
        colour = self._colours.get(node) or self.skeleton.transition[0][tree.letter[node]]
        for child in reversed(missing):
            above, colour = colour, self.solver.new(self.states)
            self.solver.add(encoding.step(self.skeleton, above, tree.letter[child], colour))
            self._colours[child] = colour
        return colour


class Counter:
    """How many of some literals hold, up to a bound that grows when more is asked for."""

    def __init__(self, solver: AutomataSolver, inputs: Sequence[int]) -> None:
        self.solver, self.inputs = solver, inputs
        self._levels: list[list[int]] = []

    def at_most(self, count: int) -> int:
        """Return a literal that bounds how many of the literals hold."""
        levels = self._levels
        while len(levels) <= count:
            level = self.solver.new(len(self.inputs))
            self.solver.add(encoding.more_than(self.inputs, levels[-1] if levels else None, level))
            levels.append(level)
        return -levels[count][-1]


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
