"""Several automata with given numbers of states, joined by "and" or "or": one solver for all of them.

Bounds enter a question as assumptions; a word's clauses are added when a model first disagrees with it. A
label is that of the whole: a conjunction accepts a word that every part accepts, a disjunction rejects a
word that every part rejects. With all signs turned the one becomes the other; `sign` is 1 for "and" and −1
for "or". A part is neutral where it leaves the label to the others: where it accepts, for "and".

Unlike a single automaton's, most models are worth nothing: a part is not needed, or the whole was found
before, in other parts. Such models are excluded many at a time: with each one goes all that fails for the
same reason (`_demand_needed`, `_exclude_language`). To ask more, that each part is needed for one of the
examples, would lose languages: those whose smallest form has a part that the examples do without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from demospec.identify.classes import AutomatonClass
from demospec.identify.encoding import Clause, Skeleton
from demospec.identify.solver import AutomataSolver, Bounds, Counter, Exhausted, Machine, Sought
from demospec.identify.word_tree import Labels, WordTree
from demospec.tasks import DFA, Composite, Operator
from demospec.tasks.encoding import width
from demospec.tasks.side_by_side import product
from demospec.tasks.tables import Table, canonical, equivalence_classes
from demospec.work.stop import NEVER, Stop

MOST_UNWRITTEN = 50  # words whose clauses wait until they are needed; more get theirs at once

Counts = tuple[int, ...]  # the number of states of each part, most first
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


class JointSolver(AutomataSolver):
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
        stop: Stop = NEVER,
    ) -> None:
        super().__init__(tree, counts, combine=all if operator == "and" else any, stop=stop)
        self.prior = prior
        self.sign = 1 if operator == "and" else -1
        self.unwritten = list(labels)
        self.skeletons = [part.skeleton for part in self.automata]
        for part in self.automata:
            part.demand(classes)
        for former, latter in pairwise(self.skeletons):
            if former.states == latter.states:
                self.add(in_order(former, latter, self.new))
        self._groups = [GroupBounds(self, [self.automata[i] for i in group]) for group in groups(counts)]
        while len(self.unwritten) > MOST_UNWRITTEN:
            self.write(*self.unwritten.pop())

    def find(self, bounds: Bounds) -> Found | Exhausted:
        """Return parts within the bounds, a pair for each of `groups`, or say that no language is left.

        They are excluded; the same language may come again in parts that are related in another way.
        """
        limits = [group.at_most(*most) for group, most in zip(self._groups, bounds, strict=True)]
        assumed = [literal for pair in limits for literal in pair if literal is not None]
        while (machines := self.next_minimal(assumed)) is not None:
            if (found := self._judge(machines)) is not None:
                return found
        return self.exhausted(bounds, limits)

    # -- models -----------------------------------------------------------------------------------------

    def _judge(self, machines: Sequence[Machine]) -> Found | None:
        """Return the model, if it is an answer, and exclude it with all that is like it."""
        nodes, rows, marks = self._product(machines)
        for part in range(len(machines)) if len(machines) > 1 else ():
            if all(neutral[part] for neutral in marks if all(neutral[:part] + neutral[part + 1 :])):
                self._demand_needed(part, nodes)
                return None
        alphabet = self.tree.alphabet
        accepting = [all(neutral) == (self.sign > 0) for neutral in marks]
        whole = DFA.from_canonical(alphabet, *canonical(rows, 0, accepting))
        # what the prior rejects is rejected: its words become examples when a model accepts them
        if self.prior is not None and (word := (whole - self.prior).shortest_word()) is not None:
            self.write(self.tree.number(word), False)
            return None
        self._exclude_language(nodes, rows, marks)
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

    def _demand_needed(self, part: int, nodes: Sequence[Node]) -> None:
        """Demand that these nodes do not show that a part can be left out.

        They show it when no transition leads out of them, and in none is this part alone not neutral. That
        says nothing of the parts' tables elsewhere, so that much is excluded at once. Nothing is lost: what
        is left without the part is smaller, and has the same language.
        """
        somewhere = []
        for node in nodes:
            neutral = self._neutral(node)
            somewhere.append(self._selector([[-z if i == part else z] for i, z in enumerate(neutral)]))
        self._demand_exit(nodes, lambda node, a: nodes, somewhere)

    def _exclude_language(
        self, nodes: Sequence[Node], rows: Table, marks: Sequence[tuple[bool, ...]]
    ) -> None:
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
            somewhere.append(
                self._selector([[-z for z in neutral]] if all_neutral else [[z] for z in neutral])
            )
        self._demand_exit(nodes, lambda node, a: members[state[nodes[follow[node][a]]]], somewhere)

    def _demand_exit(
        self, nodes: Sequence[Node], allowed: Callable[[Node, int], Iterable[Node]], somewhere: Clause
    ) -> None:
        """Demand one of the literals, or a transition from one of the nodes to where it is not allowed."""
        for node in nodes:
            for a in range(self.tree.letters):
                targets = [sk.transition[p][a] for sk, p in zip(self.skeletons, node, strict=True)]
                somewhere.append(
                    self._selector(
                        [[-to[p] for to, p in zip(targets, other, strict=True)] for other in allowed(node, a)]
                    )
                )
        self.add([somewhere])

    def _selector(self, clauses: Sequence[Clause]) -> int:
        """Return a literal under which the clauses hold."""
        if len(clauses) == len(clauses[0]) == 1:
            return clauses[0][0]
        (literal,) = self.new(1)
        self.add([-literal, *clause] for clause in clauses)
        return literal

    def _neutral(self, node: Node) -> list[int]:
        return [self.sign * sk.accepting[p] for sk, p in zip(self.skeletons, node, strict=True)]

    # -- words ------------------------------------------------------------------------------------------

    def write(self, word: int, label: bool) -> list[int]:
        """Add the clauses of a word: all parts are neutral where it ends, or one of them is not."""
        neutral = label == (self.sign > 0)
        some = [] if neutral or len(self.automata) == 1 else self.new(len(self.automata))
        for position, part in enumerate(self.automata):
            under = [-some[position]] if some else []
            sign = self.sign if neutral else -self.sign
            for state, elsewhere in ends(part, self.tree.end[word]):
                self.add([[*under, *elsewhere, sign * part.skeleton.accepting[state]]])
        if some:
            self.add([some])
        return []


def ends(part: Sought, node: int) -> Iterator[tuple[int, Clause]]:
    """Yield the states in which a prefix may end, each with the literal that says it does not."""
    if node == 0:
        yield 0, []
    else:
        for state, here in enumerate(part.colour(node)):
            yield state, [-here]


class GroupBounds:
    """Bounds on the sums over a group of parts; see `groups`."""

    def __init__(self, solver: JointSolver, parts: Sequence[Sought]) -> None:
        self.solver, self.skeletons = solver, [part.skeleton for part in parts]
        self._extra = Counter(solver, [literal for sk in self.skeletons for literal in sk.extra])
        self._chosen: Counter | None = None

    def at_most(self, minority: int, changes: int) -> tuple[int | None, int]:
        """Return literals that bound the two sums; None where the bound holds anyway."""
        few_changes = self._extra.at_most(changes - sum(sk.states - 1 for sk in self.skeletons))
        if minority >= sum(sk.states // 2 for sk in self.skeletons):
            return None, few_changes
        if self._chosen is None:
            self._chosen = Counter(
                self.solver, [state for sk in self.skeletons for state in self._choose(sk)]
            )
        return self._chosen.at_most(minority), few_changes

    def _choose(self, sk: Skeleton) -> list[int]:
        """Return variables that hold for the states of one acceptance class, whichever."""
        (accepts,) = self.solver.new(1)  # it is the accepting one
        chosen = self.solver.new(sk.states)
        for z, mark in zip(sk.accepting, chosen, strict=True):
            self.solver.add([[-accepts, -z, mark], [accepts, z, mark]])
        return chosen


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
