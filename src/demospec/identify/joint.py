"""Several automata with given numbers of states, joined by "and" or "or": one solver for all of them.

Bounds enter a question as assumptions; a word's clauses are added when a model first disagrees with it. A
label is that of the whole: a conjunction accepts a word that every part accepts, a disjunction rejects a
word that every part rejects. With all signs turned the one becomes the other; `sign` is 1 for "and" and −1
for "or". A part is neutral where it leaves the label to the others: where it accepts, for "and".

Unlike a single automaton's, most models are worth nothing: a part is not needed, or the whole was found
before, in other parts. Such models are excluded many at a time: with each one goes all that fails for the
same reason (`_needed`, `_unlike`). To ask more, that each part is needed for one of the examples, would
lose languages: those whose smallest form has a part that the examples do without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pysat.solvers import Solver

from demospec.identify import encoding
from demospec.identify.classes import AutomatonClass
from demospec.identify.encoding import Clause, Skeleton, Unknown
from demospec.identify.state_count import is_minimal
from demospec.identify.word_tree import Labels, WordTree
from demospec.tasks import DFA, Composite, Operator
from demospec.tasks.encoding import width
from demospec.tasks.side_by_side import product
from demospec.tasks.tables import Table, canonical, equivalence_classes, finest_merge

MANY = 50  # words whose clauses wait until they are needed; more get theirs at once

Counts = tuple[int, ...]  # the number of states of each part, most first
Bounds = tuple[tuple[int, int], ...]  # for each of `groups`: states in smaller acceptance classes, changes
Machine = tuple[Table, tuple[bool, ...]]
Node = tuple[int, ...]  # a state of each part


def groups(counts: Counts) -> list[list[int]]:
    """Return the positions of the parts, those together whose states are numbered with as many bits.

    In a group, a state of a smaller acceptance class costs the same in each part, and so does a change.

    >>> groups((5, 4, 3, 2))
    [[0], [1, 2], [3]]
    """
    widths = [width(n) for n in counts]
    return [[i for i, w in enumerate(widths) if w == s] for s in dict.fromkeys(widths)]


@dataclass(frozen=True)
class Found:
    """Minimal automata, each of them needed, and their whole, which agrees with the labels."""

    parts: tuple[DFA, ...]
    whole: DFA

    def task(self, operator: Operator) -> DFA:
        """Return the whole as a task, which remembers its parts where there are several."""
        if len(self.parts) == 1:
            return self.whole
        return Composite.from_parts(operator, self.parts, self.whole)


@dataclass(frozen=True)
class Exhausted:
    """Every whole that agrees with the labels, of parts within these bounds, was found; None is no bound."""

    bounds: tuple[tuple[int | None, int | None], ...]

    def covers(self, bounds: Bounds) -> bool:
        """Say whether counts are within the bounds."""
        return all(
            most is None or count <= most
            for limit, counts in zip(self.bounds, bounds, strict=True)
            for most, count in zip(limit, counts, strict=True)
        )


class Joint:
    """The languages of parts with exactly these numbers of states that were not found yet.

    Each part is in the classes; the whole implies the prior.
    """

    def __init__(
        self,
        counts: Counts,
        operator: Operator,
        tree: WordTree,
        labels: Labels,
        *,
        classes: Sequence[AutomatonClass] = (),
        prior: DFA | None = None,
    ) -> None:
        self.tree, self.prior = tree, prior
        self.sign = 1 if operator == "and" else -1
        self.solver = Solver(name="minicard")
        self._top = 0
        self._colours: dict[tuple[int, int], list[int]] = {}  # by part and node of the tree
        self._unwritten = list(labels)  # words without clauses
        self.skeletons: list[Skeleton] = []
        for n in counts:
            self.skeletons.append(sk := encoding.skeleton(n, tree.letters, self._top + 1))
            self._top = sk.top
        for sk in self.skeletons:
            self.add(sk.clauses)
            for targets in sk.at_most_one:
                self.solver.add_atmost(targets, 1)
            # automata with few changes are asked for first
            self.solver.set_phases(
                [row[a][i] for i, row in enumerate(sk.transition) for a in range(sk.letters)]
            )
            unknown = Unknown(tree.alphabet, sk.transition, sk.accepting, self.new)
            for one in classes:
                self.add(one.clauses(unknown))
        for former, latter in pairwise(self.skeletons):
            if former.states == latter.states:
                self.add(in_order(former, latter, self.new))
        self._counters = [Counter(self, [self.skeletons[i] for i in group]) for group in groups(counts)]
        while len(self._unwritten) > MANY:
            self._write(*self._unwritten.pop())

    def new(self, count: int) -> list[int]:
        """Make so many new variables."""
        self._top += count
        return list(range(self._top - count + 1, self._top + 1))

    def add(self, clauses: Iterable[Clause]) -> None:
        """Add clauses to the solver."""
        for clause in clauses:
            self.solver.add_clause(clause)

    def close(self) -> None:
        """Free the solver."""
        self.solver.delete()

    def find(self, bounds: Bounds) -> Found | Exhausted:
        """Return parts within the bounds and exclude them, or say that no language is left.

        The same language may come again in parts that are related in another way.
        """
        limits = [counter.at_most(*most) for counter, most in zip(self._counters, bounds, strict=True)]
        assumed = [literal for pair in limits for literal in pair if literal is not None]
        # Without a budget this is `solve`, but it lets go of Python's lock, so that Ctrl-C is heard.
        while self.solver.solve_limited(assumptions=assumed, expect_interrupt=True):
            machines = self._read()
            wrong = self._disagreement(machines)
            if wrong is not None:
                self._write(*self._unwritten.pop(wrong))
            elif (found := self._judge(machines)) is not None:
                return found
        core = set(self.solver.get_core() or ())
        return Exhausted(
            tuple(
                (most[0] if few in core else None, most[1] if still in core else None)
                for most, (few, still) in zip(bounds, limits, strict=True)
            )
        )

    # -- models -----------------------------------------------------------------------------------------

    def _read(self) -> list[Machine]:
        """Read the model; the first variables of a part are its transitions, then comes its acceptance."""
        model = self.solver.get_model()
        machines = []
        for sk in self.skeletons:
            n, k = sk.states, sk.letters
            first = sk.transition[0][0][0]
            after = first + n * k * n
            targets = [(literal - first) % n for literal in model[first - 1 : after - 1] if literal > 0]
            table = tuple([tuple(targets[row : row + k]) for row in range(0, n * k, k)])
            machines.append((table, tuple([literal > 0 for literal in model[after - 1 : after - 1 + n]])))
        return machines

    def _judge(self, machines: Sequence[Machine]) -> Found | None:
        """Return the model, if it is an answer, and exclude it with all that is like it."""
        for sk, machine in zip(self.skeletons, machines, strict=True):
            if not is_minimal(*machine):
                merge = finest_merge(*machine)
                assert merge is not None, "a minimal automaton"
                clauses = encoding.not_congruent(sk, merge, self._top)
                self._top = clauses[-1][-1]
                self.add(clauses)
                return None
        nodes, rows, marks = self._product(machines)
        for part in range(len(machines)) if len(machines) > 1 else ():
            if all(neutral[part] for neutral in marks if all(neutral[:part] + neutral[part + 1 :])):
                self._needed(part, nodes)
                return None
        alphabet = self.tree.alphabet
        accepting = [all(neutral) == (self.sign > 0) for neutral in marks]
        whole = DFA.from_canonical(alphabet, *canonical(rows, 0, accepting))
        # what the prior rejects is rejected: its words become examples when a model accepts them
        if self.prior is not None and (word := (whole - self.prior).shortest_word()) is not None:
            self._write(self.tree.number(word), False)
            return None
        self._unlike(nodes, rows, marks)
        return Found(tuple(DFA.from_canonical(alphabet, *machine) for machine in machines), whole)

    def _product(self, machines: Sequence[Machine]) -> tuple[list[Node], Table, list[tuple[bool, ...]]]:
        """Return the nodes that are reached, where letters lead, and which parts are neutral in each.

        A part is neutral where the others decide: where it accepts, for "and".
        """
        nodes, rows = product([table for table, _ in machines])
        marks = [
            tuple([accepting[p] == (self.sign > 0) for (_, accepting), p in zip(machines, node, strict=True)])
            for node in nodes
        ]
        return nodes, rows, marks

    def _needed(self, part: int, nodes: Sequence[Node]) -> None:
        """Demand that these nodes do not show that a part can be left out.

        They show it when no transition leads out of them, and in none is this part alone not neutral. That
        says nothing of the parts' tables elsewhere, so that much is excluded at once. Nothing is lost: what
        is left without the part is smaller, and has the same language.
        """
        somewhere = []
        for node in nodes:
            neutral = self._neutral(node)
            somewhere.append(self._under([[-z if i == part else z] for i, z in enumerate(neutral)]))
        self._leaving(nodes, lambda node, a: nodes, somewhere)

    def _unlike(self, nodes: Sequence[Node], rows: Table, marks: Sequence[tuple[bool, ...]]) -> None:
        """Demand that the whole is not this language for the same reason.

        The nodes are mapped to the states of the language's minimal automaton. Parts for which the map
        respects acceptance and transitions have this language, whatever they are like elsewhere, and one
        answer with it is enough. So the map must fail somewhere.
        """
        accepting = [all(neutral) for neutral in marks]
        state = dict(zip(nodes, equivalence_classes(rows, accepting), strict=True))
        follow = dict(zip(nodes, rows, strict=True))
        members: dict[int, list[Node]] = {}
        somewhere = []
        for node, all_neutral in zip(nodes, accepting, strict=True):
            members.setdefault(state[node], []).append(node)
            neutral = self._neutral(node)
            somewhere.append(self._under([[-z for z in neutral]] if all_neutral else [[z] for z in neutral]))
        self._leaving(nodes, lambda node, a: members[state[nodes[follow[node][a]]]], somewhere)

    def _leaving(
        self, nodes: Sequence[Node], allowed: Callable[[Node, int], Iterable[Node]], somewhere: Clause
    ) -> None:
        """Demand one of the literals, or a transition from one of the nodes to where it is not allowed."""
        for node in nodes:
            for a in range(self.tree.letters):
                targets = [sk.transition[p][a] for sk, p in zip(self.skeletons, node, strict=True)]
                somewhere.append(
                    self._under(
                        [[-to[p] for to, p in zip(targets, other, strict=True)] for other in allowed(node, a)]
                    )
                )
        self.add([somewhere])

    def _under(self, clauses: Sequence[Clause]) -> int:
        """Return a literal under which the clauses hold."""
        if len(clauses) == len(clauses[0]) == 1:
            return clauses[0][0]
        (literal,) = self.new(1)
        self.add([-literal, *clause] for clause in clauses)
        return literal

    def _neutral(self, node: Node) -> list[int]:
        return [self.sign * sk.accepting[p] for sk, p in zip(self.skeletons, node, strict=True)]

    # -- words ------------------------------------------------------------------------------------------

    def _disagreement(self, machines: Sequence[Machine]) -> int | None:
        """Return the position of the first word without clauses that the whole labels otherwise."""
        combine = all if self.sign > 0 else any
        for position, (word, label) in enumerate(self._unwritten):
            marks = []
            for table, accepting in machines:
                state = 0
                for letter in self.tree.path[word]:
                    state = table[state][letter]
                marks.append(accepting[state])
            if combine(marks) != label:
                return position
        return None

    def _write(self, word: int, label: bool) -> None:
        """Add the clauses of a word: all parts are neutral where it ends, or one of them is not."""
        neutral = label == (self.sign > 0)
        some = [] if neutral or len(self.skeletons) == 1 else self.new(len(self.skeletons))
        for part, sk in enumerate(self.skeletons):
            under = [-some[part]] if some else []
            sign = self.sign if neutral else -self.sign
            for state, elsewhere in self._ends(part, self.tree.end[word]):
                self.add([[*under, *elsewhere, sign * sk.accepting[state]]])
        if some:
            self.add([some])

    def _ends(self, part: int, node: int) -> Iterator[tuple[int, Clause]]:
        """Yield the states in which a prefix may end, each with the literal that says it does not."""
        if node == 0:
            yield 0, []
        else:
            for state, here in enumerate(self._colour(part, node)):
                yield state, [-here]

    def _colour(self, part: int, node: int) -> list[int]:
        """Return the variables that say where a prefix leads in a part, with their clauses added."""
        sk, tree = self.skeletons[part], self.tree
        missing: list[int] = []
        while (part, node) not in self._colours and tree.parent[node] != 0:
            missing.append(node)
            node = tree.parent[node]
        # below the root the colour is the transition itself
        colour = self._colours.get((part, node)) or sk.transition[0][tree.letter[node]]
        for child in reversed(missing):
            above, colour = colour, self.new(sk.states)
            self.add(encoding.step(sk, above, tree.letter[child], colour))
            self._colours[part, child] = colour
        return colour


class Counter:
    """Bounds on the sums over a group of parts; see `groups`."""

    def __init__(self, joint: Joint, skeletons: Sequence[Skeleton]) -> None:
        self.joint, self.skeletons = joint, skeletons
        self._extra = [literal for sk in skeletons for literal in sk.extra]
        self._chosen: list[int] = []
        self._more_extra: list[list[int]] = []
        self._more_chosen: list[list[int]] = []

    def at_most(self, minority: int, changes: int) -> tuple[int | None, int]:
        """Return literals that bound the two sums; None where the bound holds anyway."""
        spanning = sum(sk.states - 1 for sk in self.skeletons)
        still = self._level(changes - spanning, self._extra, self._more_extra)
        if minority >= sum(sk.states // 2 for sk in self.skeletons):
            return None, still
        if not self._chosen:
            for sk in self.skeletons:
                (accepts,) = self.joint.new(1)  # the smaller class of this part is the accepting one
                chosen = self.joint.new(sk.states)
                for z, mark in zip(sk.accepting, chosen, strict=True):
                    self.joint.add([[-accepts, -z, mark], [accepts, z, mark]])
                self._chosen += chosen
        return self._level(minority, self._chosen, self._more_chosen), still

    def _level(self, count: int, inputs: Sequence[int], levels: list[list[int]]) -> int:
        """Return a literal that bounds how many inputs hold; `levels` keeps the counter so far."""
        while len(levels) <= count:
            level = self.joint.new(len(inputs))
            self.joint.add(encoding.more_than(inputs, levels[-1] if levels else None, level))
            levels.append(level)
        return -levels[count][-1]


def in_order(former: Skeleton, latter: Skeleton, new: Callable[[int], list[int]]) -> Iterator[Clause]:
    """Demand that two automata with as many states differ, and which of them is the former.

    Their variables, read as the digits of a number, decrease. equal[k]: the first k + 1 digits are equal.
    """
    digits = [
        *zip(former.accepting, latter.accepting, strict=True),
        *(
            pair
            for rows in zip(former.transition, latter.transition, strict=True)
            for targets in zip(*rows, strict=True)
            for pair in zip(*targets, strict=True)
        ),
    ]
    decided: list[int] = []  # the literal that says so
    for (x, y), equal in zip(digits, new(len(digits)), strict=True):
        yield [*decided, x, -y]
        yield [*decided, equal, x, y]
        yield [*decided, equal, -x, -y]
        decided = [-equal]
    yield decided
