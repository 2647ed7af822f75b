"""State merging: small consistent automata quickly, where the smallest is out of reach.

The prefix tree of the words is folded into an automaton. Red nodes are its states; a blue node, the child of
a red one, is merged with a red node where no label forbids it, or else becomes red. Which merge is made is a
matter of order (RPNI: Oncina & García 1992) or of evidence (EDSM: Lang, Pearlmutter & Price, ICGI 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, count
from typing import ClassVar, Literal

import numpy as np

from demospec.errors import InputError
from demospec.identify.base import check_class, joined
from demospec.identify.classes import (
    AutomatonClass,
    Bound,
    IgnoresRepeats,
    OneSink,
    SameEffect,
    extensions,
    normal_form,
)
from demospec.identify.word_graph import UNKNOWN, prefix_tree
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.tasks.tables import explore
from demospec.work.stop import NEVER, Stop

Score = Literal["evidence", "order"]
Access = tuple[int, tuple[int, ...]]  # length and letters of a shortest word: sorts by length first

PATIENCE = 10  # runs in a row that bring nothing new


def merge_states(
    examples: Examples, alphabet: Sequence[str], *, score: Score = "evidence", stop: Stop = NEVER
) -> DFA:
    """Return an automaton that agrees with all examples; it is small, but not always the smallest.

    With `score="evidence"` the merge in which most labels agree comes first; with `score="order"` the first
    that no label forbids, shortest words first, which finds the target when the examples hold enough words
    (a characteristic sample). What no example tells is chosen so: a letter that none reads in a state stays
    there, and a state in which none ends rejects. The answer is minimal. Raises `Stopped` soon after `stop`
    is set.

    >>> examples = Examples.of(["a", "aaa", "aba"], ["", "b", "aa", "ab", "bab"])
    >>> merge_states(examples, "ab", score="order")
    DFA('>0: a→1 | *1: a→0, b→0')
    """
    letters = tuple(sorted(alphabet))
    check_class(examples, letters, stop=stop)
    if score not in ("evidence", "order"):
        raise InputError(f'score "{score}" is not known; known: evidence, order')
    fold = Fold(examples, letters, stop)
    by_evidence(fold) if score == "evidence" else by_order(fold)
    return fold.automaton()


class MergingIdentifier:
    """Consistent tasks by state merging: sound and quick, but approximate.

    Candidates agree with the examples, are members of the classes, differ as languages and are sorted by
    size. Smaller ones may exist that are not found. The first two runs merge by evidence and by order, all
    others by evidence that is perturbed (see `perturbed`), with seeds 0, 1, … Ten runs in a row that bring
    nothing new end the search.

    Merging knows no classes; what it finds is moved into them as `Adapted` says. Where that does not make a
    member, what was found is left out. For `Monotone`, `ReachAvoid` and classes of one's own nothing is
    moved: few candidates remain, often none.
    """

    exact: ClassVar[bool] = False

    def __init__(
        self,
        alphabet: Sequence[str],
        *,
        prior: DFA | None = None,
        classes: Sequence[AutomatonClass] = (),
        stop: Stop = NEVER,
    ) -> None:
        self.alphabet, self.stop = tuple(sorted(alphabet)), stop
        self.classes = joined(prior, classes)
        check_class(Examples(), self.alphabet, classes=self.classes)

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return up to `count` consistent tasks, the smallest of those that were found."""
        check_class(examples, self.alphabet, classes=self.classes, stop=self.stop)
        found: dict[DFA, None] = {}
        idle = 0
        for run, task in enumerate(self._runs(examples), start=1):
            member = examples.consistent(task) and all(one.holds(task) for one in self.classes)
            idle = 0 if member and task not in found else idle + 1
            if member:
                found[task] = None
            if idle == PATIENCE or (run > 1 and len(found) >= count):
                break
        return sorted(found, key=lambda task: (task.size, str(task)))[:count]

    def _runs(self, examples: Examples) -> Iterator[DFA]:
        adapted = Adapted(self.alphabet, self.classes)
        inner = adapted.examples(examples)
        for merge in chain((by_evidence, by_order), map(perturbed, count())):
            fold = Fold(inner, self.alphabet, self.stop)
            merge(fold)
            yield adapted.task(fold.automaton())


# -- red and blue -------------------------------------------------------------------------------------------


class Fold:
    """A prefix tree that is folded step by step: red nodes are states, and below each blue node is a tree."""

    def __init__(self, examples: Examples, alphabet: tuple[str, ...], stop: Stop = NEVER) -> None:
        self.alphabet, self.stop = alphabet, stop
        self.child, self.label = prefix_tree(examples, alphabet, stop)  # by node and letter; by node
        self.red: dict[int, Access] = {}
        self.blue: dict[int, tuple[Access, int, int]] = {0: ((0, ()), -1, -1)}  # with parent and letter
        self.promote(0)

    def promote(self, node: int) -> None:
        """Make a blue node red, and its children blue."""
        self.red[node] = self.blue.pop(node)[0]
        for letter in self.child[node]:
            self._add_blue(node, letter)

    def agreement(self, red: int, blue: int) -> int | None:
        """Return how many labels agree when the two are merged; None when two differ."""
        changes: list[tuple[int, int]] = []
        agreed = self._merge(red, blue, changes)
        self._undo(changes, blue)
        return agreed

    def merge(self, red: int, blue: int) -> bool:
        """Merge the two, unless labels differ; say whether they are merged."""
        changes: list[tuple[int, int]] = []
        if self._merge(red, blue, changes) is None:
            self._undo(changes, blue)
            return False
        del self.blue[blue]
        for node, letter in changes:
            if letter >= 0 and node in self.red:
                self._add_blue(node, letter)
        return True

    def automaton(self) -> DFA:
        """Return the automaton of the red nodes, when no node is blue any more."""
        number = {node: state for state, node in enumerate(self.red)}
        letters = range(len(self.alphabet))
        return DFA(
            alphabet=self.alphabet,
            table=tuple(tuple(number[self.child[q].get(a, q)] for a in letters) for q in self.red),
            accepting=tuple(self.label[q] == 1 for q in self.red),
        ).minimal

    def _add_blue(self, red: int, letter: int) -> None:
        length, word = self.red[red]
        self.blue[self.child[red][letter]] = ((length + 1, (*word, letter)), red, letter)

    def _merge(self, red: int, blue: int, changes: list[tuple[int, int]]) -> int | None:
        """Fold the tree below the blue node into the red one, and write down (node, letter) that are new.

        The letter −1 stands for a label. Nothing points into the tree that is being folded once the blue
        node's parent points to the red one, so every pair has one node here and one there.
        """
        self.stop.check()
        child, label = self.child, self.label
        _, parent, letter = self.blue[blue]
        child[parent][letter] = red
        agreed = 0
        todo = [(red, blue)]
        while todo:
            here, there = todo.pop()
            mark = label[there]
            if mark != UNKNOWN:
                if label[here] == UNKNOWN:
                    label[here] = mark
                    changes.append((here, -1))
                elif label[here] == mark:
                    agreed += 1
                else:
                    return None
            children = child[here]
            for letter, following in child[there].items():
                if letter in children:
                    todo.append((children[letter], following))
                else:
                    children[letter] = following
                    changes.append((here, letter))
        return agreed

    def _undo(self, changes: list[tuple[int, int]], blue: int) -> None:
        for node, letter in changes:
            if letter < 0:
                self.label[node] = UNKNOWN
            else:
                del self.child[node][letter]
        _, parent, letter = self.blue[blue]
        self.child[parent][letter] = blue


def by_order(fold: Fold) -> None:
    """Merge the first blue node with the first red one that it can be merged with, or promote it."""
    while fold.blue:
        blue = min(fold.blue, key=fold.blue.__getitem__)
        reds = sorted(fold.red, key=fold.red.__getitem__)
        if not any(fold.merge(red, blue) for red in reds):
            fold.promote(blue)


def by_evidence(fold: Fold, weigh: Callable[[int], float] = float) -> None:
    """Promote the first blue node that no red one can be merged with; without one, make the best merge.

    The best has the highest weight of its score; of equals, the first blue node with its first red one. Two
    that cannot be merged never can again, since folding only adds labels; other scores hold until a merge.
    """
    open_pairs: dict[int, dict[int, float | None]] = {}  # by blue and red; None: to be computed
    while fold.blue:
        order = sorted(fold.blue, key=fold.blue.__getitem__)
        for blue in order:
            if blue not in open_pairs:
                open_pairs[blue] = dict.fromkeys(sorted(fold.red, key=fold.red.__getitem__))
        best: tuple[float, int, int] | None = None
        for blue in order:
            pairs = open_pairs[blue]
            for red, weight in list(pairs.items()):
                if weight is None:
                    score = fold.agreement(red, blue)
                    if score is None:
                        del pairs[red]
                        continue
                    weight = pairs[red] = weigh(score)
                if best is None or weight > best[0]:
                    best = weight, red, blue
            if not pairs:
                fold.promote(blue)
                del open_pairs[blue]
                for others in open_pairs.values():
                    others[blue] = None
                break
        else:
            assert best is not None, "no blue node is left without a red one"
            _, red, blue = best
            fold.merge(red, blue)
            del open_pairs[blue]
            for others in open_pairs.values():
                others.update(dict.fromkeys(others))


def perturbed(seed: int) -> Callable[[Fold], None]:
    """Return merging by evidence with each score s weighed (s + 1)·u, where u is drawn from ½ to 1."""
    rng = np.random.default_rng(seed)
    return partial(by_evidence, weigh=lambda score: (score + 1) * rng.uniform(0.5, 1.0))


# -- classes ------------------------------------------------------------------------------------------------


class Adapted:
    """How classes that merging knows nothing of are heeded all the same: before it, and after it.

    Words that all members treat alike are read as one. With `Safety` the prefixes of accepted words are
    accepted, with `CoSafety` those of rejected words rejected, so that the automaton found may be cut to a
    member. A prior is intersected with it, a lower bound united. Each of these steps alone keeps every label
    and makes a member; several together need not.
    """

    def __init__(self, alphabet: tuple[str, ...], classes: Sequence[AutomatonClass]) -> None:
        self.alphabet, self.classes = alphabet, classes
        self.alike = [one for one in classes if isinstance(one, SameEffect | IgnoresRepeats)]
        self.sinks = [one.stays for one in classes if isinstance(one, OneSink)]

    def examples(self, examples: Examples) -> Examples:
        """Return the labels that the automaton to be found must have."""
        labels = {normal_form(word, self.alike): label for word, label in examples}
        for word, label in tuple(labels.items()):
            if (not label) in self.sinks:
                labels.update((word[:length], label) for length in range(len(word)))
        return Examples.from_mapping(labels)

    def task(self, found: DFA) -> DFA:
        """Return the automaton that was found, moved into the classes."""
        task = self._reading_alike(found) if self.alike else found
        for one in self.classes:
            if isinstance(one, Bound):
                task = task | one.task if one.label else task & one.task
        for stays in self.sinks:
            task = extensions(task) if stays else ~extensions(~task)
        return task.minimal

    def _reading_alike(self, found: DFA) -> DFA:
        """Return an automaton that reads every word as `found` reads its normal form."""
        columns = [found.column[normal_form((letter,), self.alike)[0]] for letter in self.alphabet]
        once = IgnoresRepeats() in self.alike

        def step(node: tuple[int, int], letter: int) -> tuple[int, int]:
            state, last = node
            read = columns[letter]
            return node if read == last else (found.table[state][read], read if once else -1)

        nodes, table = explore((found.start, -1), len(self.alphabet), step)
        accepting = tuple(found.accepting[state] for state, _ in nodes)
        return DFA(alphabet=self.alphabet, table=table, accepting=accepting)
