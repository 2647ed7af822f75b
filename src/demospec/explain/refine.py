"""Redundant actions and states: the prefix tree over classes that the tasks visited so far do not tell apart.

Where an action that was shown has a copy, a path that leaves the demonstrations by the copy is no alternative
to them: it is what was shown, under another name, and a conjecture may then say that what was shown is wrong.
So the tree is built over classes (the paper's relaxation of the Luce axiom). Two continuations of a prefix,
ρ·x and ρ·x′, are in one class as long as V_φ(ρ·x) = V_φ(ρ·x′) for all tasks φ visited so far (Ψ). Every task
splits classes or leaves them; none joins them again.

    values of each task ──view──▸ what it tells apart ──Refinement──▸ classes ──ClassTree──▸ tree over them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from demospec.plan.along_tree import AlongTree
from demospec.tasks import DFA
from demospec.worlds.mdp import Floats, Ints
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.quotient import levels

KEPT = 8  # calls whose classes are kept
ROUNDING = 1e-9  # values that differ by less, for each unit of rationality, are the same number


def first_tasks(alphabet: Iterable[str]) -> list[DFA]:
    """Return the tasks to tell continuations apart with before any is visited: a letter once, or never.

    The paper begins with none; then nothing can be told apart, and the first tree has no pivots.

    >>> first_tasks("a")
    [DFA('>0: a→1 | *1:'), DFA('>*0: a→1 | 1:')]
    """
    letters = tuple(sorted(alphabet))
    return [
        DFA.build(alphabet=letters, states=2, accepting=[accepting], transitions=[(0, letter, 1)])
        for letter in letters
        for accepting in (1, 0)
    ]


@dataclass(frozen=True, eq=False)
class Continuations:
    """One number for each continuation of each prefix that was shown.

    `action`: of each of the agent's alternatives; `node`: of each node, for the edge into it; `goes_on` and
    `ends`: of the outcomes that leave the tree, where the episode goes on there, and where it ends.
    """

    action: Ints  # [C]
    node: Ints  # [N]
    goes_on: Ints  # [E]
    ends: Ints  # [E]

    @classmethod
    def of(cls, tree: PrefixTree, numbers: Ints) -> Continuations:
        """Cut one array, in this order, into its kinds."""
        return cls(*np.split(numbers, np.cumsum([len(tree.choice_node), len(tree), len(tree.exit_node)])))


def view(along: AlongTree) -> Ints:
    """Return what one task tells apart: continuations of the same value have the same number.

    They come in the order of `Continuations`.
    """
    tree, plan = along.tree, along.plan
    read = plan.readings(along.monitor[tree.exit_node], tree.exit_state)
    time = tree.time[tree.exit_node] + 1
    on = tree.exit_goes_on > 0
    goes_on = np.zeros(len(read))
    goes_on[on] = plan.values(time[on], read[on], tree.exit_state[on])
    ends = plan.rationality * plan.monitor.reward[read]
    values = np.concatenate([along.choice_value, along.value, goes_on, ends])
    return levels(values, ROUNDING * max(1.0, abs(plan.rationality)))


class Refinement:
    """The classes of continuations, refined as tasks are visited.

    They depend on the set of tasks alone. What one task tells apart is computed once, and tasks that come
    after those of an earlier call split its classes: several chains may take turns.
    """

    def __init__(self, tree: PrefixTree, first: Sequence[DFA], along: Callable[[DFA], AlongTree]) -> None:
        self.tree, self.first, self.along = tree, tuple(first), along
        self._views: dict[DFA, Ints] = {}
        self._known: list[tuple[list[DFA], Ints]] = []  # of the last calls

    def classes(self, tasks: Iterable[DFA]) -> Continuations:
        """Return the classes that neither the first tasks nor these tell apart."""
        wanted = list(dict.fromkeys((*self.first, *tasks)))
        begun = [(told, number) for told, number in self._known if wanted[: len(told)] == told]
        tree = self.tree
        one = np.zeros(len(tree.choice_node) + len(tree) + 2 * len(tree.exit_node), dtype=np.intp)
        told, number = max(begun, key=lambda known: len(known[0]), default=([], one))
        for task in wanted[len(told) :]:
            if task not in self._views:
                self._views[task] = view(self.along(task))
            number = refined(number, self._views[task])
        self._known = [(wanted, number), *self._known][:KEPT]
        return Continuations.of(tree, number)

    def over(self, tasks: Iterable[DFA]) -> ClassTree:
        """Return the tree over these classes."""
        return ClassTree.over(self.tree, self.classes(tasks))


def refined(number: Ints, told: Ints) -> Ints:
    """Return classes split by what a task tells apart.

    >>> refined(np.array([0, 0, 1, 1]), np.array([5, 6, 5, 5])).tolist()
    [0, 1, 2, 2]
    """
    both = np.unique(number * (told.max() + 1) + told, return_inverse=True)[1]
    found: Ints = both.reshape(-1).astype(np.intp)
    return found


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassTree(PrefixTree):
    """The prefix tree over classes of continuations: N nodes, each the first of those that it stands for.

    An alternative in the class of an action that was taken leads to that action's node; an outcome in the
    class of one that happened does not leave the tree.
    """

    shown: PrefixTree  # the tree of the demonstrations as they are
    first: Ints  # [N], node of `shown`
    place: Ints  # for each node of `shown`, the node that stands for it
    choice: Ints  # [C], alternative of `shown`

    @classmethod
    def over(cls, shown: PrefixTree, known: Continuations) -> ClassTree:
        """Build the tree over classes, parents before children."""
        node_class, over = known.node.tolist(), (shown.player == Player.NOBODY).tolist()
        children: dict[tuple[int, int, bool], int] = {}  # (node, class, episode over) → node
        here = [0] * len(shown)
        first: list[int] = []
        parent: list[int] = []
        for node, above in enumerate(shown.parent.tolist()):
            key = (here[above], node_class[node], over[node])
            if above < 0:  # where an episode begins is told apart
                key = (-1, node, False)
            if key not in children:
                children[key] = len(first)
                first.append(node)
                parent.append(key[0])
            here[node] = children[key]
        count = np.bincount(here, shown.count, minlength=len(first)).astype(np.intp)
        place = {node: k for k, node in enumerate(first)}

        choices: list[tuple[int, int, int]] = []
        listed = zip(shown.choice_node.tolist(), known.action.tolist(), strict=True)
        for number, (node, kind) in enumerate(listed):
            if node in place:
                choices.append((place[node], number, children.get((place[node], kind, False), -1)))
        choice_node, choice, child = np.array(choices, dtype=np.intp).reshape(-1, 3).T

        # What the classes of outcomes that happened add up to, and what is left to leave the tree.
        chance = np.where(np.isnan(shown.chance[first]), np.nan, 0.0)
        for node, above in enumerate(shown.parent.tolist()):
            if above in place and not np.isnan(shown.chance[node]):
                chance[here[node]] += shown.chance[node]
        goes_on, ends = shown.exit_goes_on.copy(), shown.exit_ends.copy()
        for weight, kinds, stop in ((goes_on, known.goes_on, False), (ends, known.ends, True)):
            for k, (node, kind) in enumerate(zip(shown.exit_node.tolist(), kinds.tolist(), strict=True)):
                taken = children.get((place[node], kind, stop)) if node in place else None
                if taken is not None:
                    chance[taken] += weight[k]
                    weight[k] = 0.0
        # Actions of one value may lead to different classes: such an outcome keeps the chance it had.
        chance = np.where(chance == 0, shown.chance[first], chance)
        left = np.flatnonzero((goes_on + ends > 0) & np.isin(shown.exit_node, first))
        return cls(
            world=shown.world,
            player=shown.player[first],
            parent=np.array(parent, dtype=np.intp),
            count=count,
            time=shown.time[first],
            state=shown.state[first],
            pair=shown.pair[first],
            chance=chance,
            choice_node=choice_node,
            choice_pair=shown.choice_pair[choice],
            choice_child=child,
            exit_node=np.array([place[node] for node in shown.exit_node[left].tolist()], dtype=np.intp),
            exit_state=shown.exit_state[left],
            exit_goes_on=goes_on[left],
            exit_ends=ends[left],
            shown=shown,
            first=np.array(first, dtype=np.intp),
            place=np.array(here, dtype=np.intp),
            choice=choice,
        )

    def path_to(self, node: int) -> tuple[Path, int | None]:
        """Return the path to a node as it was shown first, and the pair chosen there."""
        return self.shown.path_to(int(self.first[node]))

    def shown_node(self, node: int) -> int:
        """Return the node of the demonstrations that a node stands for: the first."""
        return int(self.first[node])

    def nodes_of(self, path: Path) -> list[int]:
        """Return the nodes that stand for those of a demonstration, from the root to its leaf."""
        return [int(self.place[node]) for node in self.shown.nodes_of(path)]


def along_classes(tree: ClassTree, along: AlongTree) -> AlongTree:
    """Read a plan along the tree over classes, from what it says along the demonstrations.

    Q̂ of a class that was taken is ln Σ exp Q over its members: the agent chooses the class, whatever name
    it gives it.
    """
    value: Floats = along.value[tree.first]
    q: Floats = along.choice_value[tree.choice]
    taken = tree.choice_child >= 0
    member = np.exp(q - value[tree.choice_node])  # π of each alternative
    mass = np.bincount(tree.choice_child[taken], member[taken], minlength=len(tree))
    # States of one value may offer different actions: one that the first state lacks keeps its own share.
    log_edge = np.where(tree.chosen, along.log_edge[tree.first], tree.log_chance)
    log_edge[mass > 0] = np.log(mass[mass > 0])
    value = np.where(tree.chosen, value[tree.parent] + log_edge, value)
    leaving = np.where(taken, 0.0, member)
    deviation = np.bincount(tree.choice_node, leaving, minlength=len(tree)) + tree.exit_chance
    deviation[tree.player == Player.NOBODY] = 1.0
    return AlongTree(tree, along.plan, along.monitor[tree.first], value, q, log_edge, deviation)
