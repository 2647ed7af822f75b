"""All automata with a given number of states: one solver for all questions about one set of words.

Every automaton is found once: it is excluded for good.
"""

from __future__ import annotations

from collections.abc import Sequence

from demospec.identify import encoding
from demospec.identify.classes import AutomatonClass
from demospec.identify.solver import AutomataSolver, Counter, Exhausted, Machine, SmallerClass
from demospec.identify.word_tree import Labels, WordTree
from demospec.work.stop import NEVER, Stop

# words without clauses; beyond, proofs need most of them, and waiting for each costs ten times more
MOST_UNWRITTEN = 50


class SingleSolver(AutomataSolver):
    """The automata with exactly n states that were not found yet."""

    def __init__(
        self,
        states: int,
        tree: WordTree,
        labels: Labels,
        classes: Sequence[AutomatonClass] = (),
        *,
        stop: Stop = NEVER,
    ) -> None:
        super().__init__(tree, [states], stop=stop)
        self.states, self.labels = states, labels
        self.unwritten = list(labels)
        (self.automaton,) = self.automata
        self._smaller_class = SmallerClass(self.automaton)
        self._extra = Counter(self, self.automaton.skeleton.extra)
        self._minorities: dict[int, int] = {}  # the literal of each bound
        self._written: dict[int, int] = {}  # by word: the literal of its label
        self.automaton.demand(classes)

    def find(self, minority: int, changes: int) -> Machine | Exhausted:
        """Return, and exclude, a minimal automaton within the bounds, or say that there is none."""
        small_minority = self._minority_at_most(minority)
        few_changes = self._extra.at_most(changes - (self.states - 1))
        if len(self.unwritten) > MOST_UNWRITTEN:
            for word, label in self.unwritten:
                self.write(word, label)
            self.unwritten = []
        assumed = [few_changes] if small_minority is None else [small_minority, few_changes]
        for word, label in self.labels:
            if word in self._written:
                assumed.append(self._written[word] if label else -self._written[word])
        found = self.next_minimal(assumed)
        if found is None:
            return self.exhausted(((minority, changes),), [(small_minority, few_changes)])
        self.automaton.exclude(found[0])
        return found[0]

    def write(self, word: int, label: bool) -> list[int]:
        """Add the clauses of a word and return the literal of its label."""
        node, sk = self.tree.end[word], self.automaton.skeleton
        if node == 0:
            literal = sk.accepting[0]
        else:
            (literal,) = self.new(1)
            self.add(encoding.labelled(sk, self.automaton.colour(node), literal))
        self._written[word] = literal
        return [literal if label else -literal]

    def _minority_at_most(self, minority: int) -> int | None:
        """Return a literal that bounds the smaller acceptance class; None when it is never larger."""
        if minority >= self.states // 2:
            return None
        if minority not in self._minorities:
            self._minorities[minority] = self._smaller_class.at_most(minority)
        return self._minorities[minority]
