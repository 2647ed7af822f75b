"""Several automata with given numbers of states, joined by "and" or "or": one solver for all of them.

Bounds enter a question as assumptions; a word's clauses are added when a model first disagrees with it. A
label is that of the whole: a conjunction accepts a word that every part accepts, a disjunction rejects a
word that every part rejects. With all signs turned the one becomes the other; `sign` is 1 for "and" and −1
for "or". A part is neutral where it leaves the label to the others: where it accepts, for "and".

Unlike a single automaton's, most models are worth nothing: a part is not needed, or the whole was found
before, in other parts. Such models are excluded many at a time: with each one goes all that fails for the
same reason (`_demand_needed`, `_exclude_language`). To ask more, that each part is needed for one of the
examples, would lose languages: those whose smallest form has a part that the examples do without.

Tasks made of a few small automata, joined by "and" or "or": in exact order of their own size.

Compare Lauffer, Yalcinkaya, Vazquez-Chanlatte, Shah & Seshia, "Learning deterministic finite automata
decompositions from examples and demonstrations", FMCAD 2022, where the conjunctions are enumerated that
are Pareto-optimal in the numbers of states of their parts. Here tasks compete in bits, with each other and
with single automata.

A cell holds all tuples of parts with the same numbers of states and the same counts, so the same size.
Cells are visited in order of size, with one solver for each tuple of numbers of states. So a language is
first met in its smallest form, and forms that come later are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import get_args

from demospec.errors import InputError
from demospec.identify.base import FirstAnswers, certain_words, check_class, joined
from demospec.identify.classes import (
    AutomatonClass,
    Bound,
    Closed,
    IgnoresRepeats,
    ImpliedBy,
    Implies,
    Monotone,
    SameEffect,
)
from demospec.identify.counting import (
    Bounds,
    Counts,
    JointCell,
    Order,
    cells_by_bits,
    cells_by_states,
    groups,
    joint_cells,
    languages_left,
)
from demospec.identify.encoding import Clause, Skeleton
from demospec.identify.sat import AutomataSolver, Counter, Exhausted, Machine, Sought
from demospec.identify.word_graph import Labels, WordTree
from demospec.tasks import DFA, Composite, Operator
from demospec.tasks.examples import Examples
from demospec.tasks.side_by_side import product
from demospec.tasks.tables import Table, canonical, equivalence_classes
from demospec.work.stop import NEVER, Stop

MOST_UNWRITTEN = 50  # words whose clauses wait until they are needed; more get theirs at once

Node = tuple[int, ...]  # a state of each part


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
        self.prior, self.operator = prior, operator
        self.sign = 1 if operator == "and" else -1
        self.unwritten = list(labels)
        self.skeletons = [part.skeleton for part in self.automata]
        for part in self.automata:
            part.demand(classes)
        for former, latter in pairwise(self.skeletons):
            if former.states == latter.states:
                self.add(decreasing(former, latter, self.new))
        self._groups = [GroupBounds(self, [self.automata[i] for i in group]) for group in groups(counts)]
        if len(self.unwritten) > MOST_UNWRITTEN:
            for word, label in self.unwritten:
                self.write(word, label)
            self.unwritten = []

    def find(self, bounds: Bounds) -> DFA | Exhausted:
        """Return a task of parts within the bounds, a pair for each of `groups`, or that none is left.

        They are excluded; the same language may come again in parts that are related in another way.
        """
        limits = [group.at_most(*most) for group, most in zip(self._groups, bounds, strict=True)]
        assumed = [literal for pair in limits for literal in pair if literal is not None]
        while (machines := self.next_minimal(assumed)) is not None:
            if (found := self._judge(machines)) is not None:
                return found
        core = self.core  # the bounds that the proof needed, by their literals
        return Exhausted(
            tuple(
                (minority if small_minority in core else None, changes if few_changes in core else None)
                for (minority, changes), (small_minority, few_changes) in zip(bounds, limits, strict=True)
            )
        )

    # -- models -----------------------------------------------------------------------------------------

    def _judge(self, machines: Sequence[Machine]) -> DFA | None:
        """Return the model, if it is an answer, and exclude it with all that is like it."""
        nodes, rows = product([table for table, _ in machines])
        marks = [  # which parts are neutral in each node
            tuple([accepting[p] == (self.sign > 0) for (_, accepting), p in zip(machines, node, strict=True)])
            for node in nodes
        ]
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
        if len(machines) == 1:
            return whole
        parts = [DFA.from_canonical(alphabet, *machine) for machine in machines]
        return Composite.from_parts(self.operator, parts, whole)

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
        sign, end = self.sign if neutral else -self.sign, self.tree.end[word]
        for position, part in enumerate(self.automata):
            under = [-some[position]] if some else []
            elsewhere = [[-here] for here in part.colour(end)] if end else [[]]  # no word: state 0
            for other, z in zip(elsewhere, part.skeleton.accepting, strict=False):
                self.add([[*under, *other, sign * z]])
        if some:
            self.add([some])
        return []


class GroupBounds:
    """Bounds on the sums over a group of parts; see `groups`."""

    def __init__(self, solver: JointSolver, parts: Sequence[Sought]) -> None:
        self.solver, self.parts = solver, parts
        self._extra = Counter(solver, [literal for part in parts for literal in part.skeleton.extra])
        self._chosen: Counter | None = None

    def at_most(self, minority: int, changes: int) -> tuple[int | None, int]:
        """Return literals that bound the two sums; None where the bound holds anyway."""
        few_changes = self._extra.at_most(changes - sum(part.states - 1 for part in self.parts))
        if minority >= sum(part.states // 2 for part in self.parts):
            return None, few_changes
        if self._chosen is None:
            chosen: list[int] = []  # variables that hold for the states of one acceptance class, whichever
            for part in self.parts:
                (accepts,) = self.solver.new(1)  # it is the accepting one
                chosen += self.solver.new(part.states)
                for z, mark in zip(part.skeleton.accepting, chosen[-part.states :], strict=True):
                    self.solver.add([[-accepts, -z, mark], [accepts, z, mark]])
            self._chosen = Counter(self.solver, chosen)
        return self._chosen.at_most(minority), few_changes


def decreasing(former: Skeleton, latter: Skeleton, new: Callable[[int], list[int]]) -> Iterator[Clause]:
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


# -- Tasks made of a few small automata, joined by "and" or "or" -----------------------------------------

# The labels that these see to be excluded are excluded of conjunctions and disjunctions of members too: a
# conflict shows that the language is not closed under prefixes or extensions, leaves a bound, or tells apart
# what members do not, and no such thing comes about by joining.
CARRY_OVER = (Bound, Closed, IgnoresRepeats, Monotone, SameEffect)


def carried_over(classes: Sequence[AutomatonClass]) -> list[AutomatonClass]:
    """Return the classes whose conflicts and certain words are those of the whole as well."""
    return [one for one in classes if isinstance(one, CARRY_OVER)]


def check_form(operator: str, most_parts: int, max_states: int | None) -> None:
    """Refuse what is no way to join parts."""
    if operator not in get_args(Operator):
        raise InputError(f'parts are joined by "and" or "or"; found "{operator}"')
    if most_parts < 1:
        raise InputError(f"most_parts must be at least 1; found {most_parts}")
    if max_states is not None and max_states < 1:
        raise InputError(f"max_states must be at least 1; found {max_states}")


def smallest_decompositions(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    operator: Operator,
    most_parts: int = 2,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    stop: Stop = NEVER,
) -> Iterator[DFA]:
    """Yield tasks consistent with the examples in exact order of their own size, each language once.

    Of all ways to write a language with up to `most_parts` parts of up to `max_states` states each, the one
    with the fewest bits is taken: a `Composite`, or an automaton where a single part is smallest. Of several
    with as few bits one is taken, always the same for the same call; a single automaton goes first.

    `classes` constrain every part; the whole need not be in them. `prior` constrains the whole, which must
    imply it. Raises `Contradiction` when labels are seen to exclude every task. Without `max_states` the
    search goes on for ever, also when there are no more tasks. Raises `Stopped` soon after `stop` is set.
    """
    letters = tuple(sorted(alphabet))
    check_form(operator, most_parts, max_states)
    for one in classes:
        one.check_letters(alphabet)
    check_class(examples, letters, prior, carried_over(classes), stop=stop)
    tree = WordTree(letters)
    labels = tree.labels(examples)
    # the whole need not be in the classes, but is between the bounds that they make certain
    accepted, rejected = certain_words(joined(prior, carried_over(classes)), letters)
    most = languages_left((ImpliedBy(accepted), Implies(~rejected)), letters, examples)

    def solver(counts: Counts) -> JointSolver:
        # a disjunction implies the prior when each part does, a conjunction also otherwise
        apart = operator == "or" or len(counts) == 1
        return JointSolver(
            *(counts, operator, tree, labels),
            classes=joined(prior, classes) if apart else classes,
            prior=None if apart else prior,
            stop=stop,
        )

    yield from in_cells(joint_cells(len(letters), most_parts, max_states), solver, most, stop)


def smallest_by_sat(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    order: Order = "bits",
    stop: Stop = NEVER,
) -> Iterator[DFA]:
    """Yield what `exact.smallest` yields, in another order where sizes are equal: tasks of a single part.

    It takes every class that has clauses.
    """
    letters = tuple(sorted(alphabet))
    members = joined(prior, classes)
    check_class(examples, letters, classes=members, stop=stop)
    tree = WordTree(letters)
    labels = tree.labels(examples)
    most = languages_left(members, letters, examples, max_states)
    cells = (cells_by_bits if order == "bits" else cells_by_states)(len(letters), max_states)

    def solver(counts: Counts) -> JointSolver:
        return JointSolver(counts, "and", tree, labels, classes=members, stop=stop)

    yield from in_cells((((n,), ((c, m),)) for n, c, m in cells), solver, most, stop)


def in_cells(
    cells: Iterable[JointCell], make: Callable[[Counts], JointSolver], most: int | None, stop: Stop
) -> Iterator[DFA]:
    """Yield the tasks of cells, each language once, up to so many; a solver for each tuple of counts."""
    solvers: dict[Counts, JointSolver] = {}
    proofs: dict[Counts, list[Exhausted]] = {}
    found: set[DFA] = set()
    try:
        for counts, bounds in cells:
            stop.check()
            known = proofs.setdefault(counts, [])
            while not any(proof.covers(bounds) for proof in known):
                if len(found) == most:
                    return
                if counts not in solvers:
                    solvers[counts] = make(counts)
                result = solvers[counts].find(bounds)
                if isinstance(result, Exhausted):
                    known.append(result)
                elif result not in found:
                    found.add(result)
                    yield result
    finally:
        for solver in solvers.values():
            solver.close()


class DecomposingIdentifier(FirstAnswers):
    """An identifier for the search: the first of `smallest_decompositions`."""

    def __init__(
        self,
        alphabet: Sequence[str],
        *,
        operator: Operator = "and",
        most_parts: int = 2,
        prior: DFA | None = None,
        classes: Sequence[AutomatonClass] = (),
        max_states: int = 10,
        stop: Stop = NEVER,
    ) -> None:
        check_form(operator, most_parts, max_states)
        super().__init__()
        self.alphabet, self.max_states, self.stop = tuple(sorted(alphabet)), max_states, stop
        self.operator, self.most_parts = operator, most_parts
        self.prior, self.classes = prior, tuple(classes)

    def found(self, examples: Examples, count: int) -> Iterator[DFA]:
        """Yield the consistent tasks; how many are asked for changes nothing."""
        return smallest_decompositions(
            *(examples, self.alphabet),
            operator=self.operator,
            most_parts=self.most_parts,
            prior=self.prior,
            classes=self.classes,
            max_states=self.max_states,
            stop=self.stop,
        )
