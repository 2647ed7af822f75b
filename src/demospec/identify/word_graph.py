"""The words of a question to a solver: numbered, and joined in one prefix tree.

The labelled words of one question as a graph: prefixes that no word tells apart are one node.

A node stands for the prefixes that have the same labelled extensions; all that were read to the end, with
the same label, are one node. An automaton agrees with the words when every node can be placed in the states
that its prefixes lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demospec.tasks import Word
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop

Labels = tuple[tuple[int, bool], ...]  # words by number, each with its label


class WordTree:
    """The prefix tree as lists, parents before children; node 0 is the empty word."""

    def __init__(self, alphabet: Sequence[str]) -> None:
        self.alphabet, self.letters = tuple(alphabet), len(alphabet)
        self.parent, self.letter = [-1], [-1]
        self.end: list[int] = []  # the node of each word
        self.path: list[tuple[int, ...]] = []  # the letters of each word, as columns
        self._column = {letter: a for a, letter in enumerate(alphabet)}
        self._children: dict[tuple[int, int], int] = {}
        self._number: dict[Word, int] = {}

    def number(self, word: Word) -> int:
        """Return the number of a word, a new one when it was never asked for."""
        if word not in self._number:
            path = tuple([self._column[letter] for letter in word])
            node = 0
            for letter in path:
                child = self._children.get((node, letter))
                if child is None:
                    child = self._children[node, letter] = len(self.parent)
                    self.parent.append(node)
                    self.letter.append(letter)
                node = child
            self._number[word] = len(self.end)
            self.end.append(node)
            self.path.append(path)
        return self._number[word]

    def labels(self, examples: Examples) -> Labels:
        """Number labelled words."""
        return tuple((self.number(word), label) for word, label in examples)


# -- The labelled words of one question as a graph -------------------------------------------------------

UNKNOWN = -1  # no label, or no child


def prefix_tree(
    examples: Examples, alphabet: Sequence[str], stop: Stop = NEVER
) -> tuple[list[dict[int, int]], list[int]]:
    """Return the prefix tree of words: by node, the next node for each letter, and 0, 1, or UNKNOWN."""
    column = {letter: a for a, letter in enumerate(alphabet)}
    children: list[dict[int, int]] = [{}]
    label = [UNKNOWN]
    for word, mark in examples:
        stop.check()
        node = 0
        for letter in word:
            below, a = children[node], column[letter]
            if a in below:
                node = below[a]
            else:
                node = below[a] = len(label)
                children.append({})
                label.append(UNKNOWN)
        label[node] = int(mark)
    return children, label


@dataclass(frozen=True)
class WordGraph:
    """Nodes are numbered with parents before children; node 0 is the empty word."""

    letters: int
    children: list[dict[int, int]]  # by node: the next node for each letter that a word goes on with, sorted
    label: list[int]  # by node: 0, 1, or UNKNOWN

    @classmethod
    def of(cls, examples: Examples, alphabet: Sequence[str], stop: Stop = NEVER) -> WordGraph:
        """Build the prefix tree, and join what has the same extensions, last prefixes first.

        >>> WordGraph.of(Examples.of(["ab", "bb"], ["a"]), "ab").label
        [-1, 0, -1, 1]
        """
        children, label = prefix_tree(examples, alphabet, stop)
        # Children have larger numbers than their parent, so that they are joined before it.
        number: dict[tuple[int, ...], int] = {}  # by label, then letter and child of each edge
        joined = [0] * len(label)
        for node in range(len(label) - 1, -1, -1):
            if not node & 255:
                stop.check()
            below, key = children[node], [label[node]]
            for a in sorted(below) if len(below) > 1 else below:
                key += a, joined[below[a]]
            joined[node] = number.setdefault(tuple(key), len(number))
        last = len(number) - 1  # the root came last, and is never joined with another
        nodes = list(number)[::-1]
        return cls(
            len(alphabet),
            [{a: last - child for a, child in zip(key[1::2], key[2::2], strict=True)} for key in nodes],
            [key[0] for key in nodes],
        )

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return len(self.label)

    def apart(self, stop: Stop = NEVER) -> list[int]:
        """Return, by node, as bits, the nodes that no automaton lets share a state.

        Their labels differ, or those of two extensions by the same letters do.
        """
        found = [0] * self.nodes
        for u in range(self.nodes - 1, -1, -1):
            for v in range(self.nodes - 1, u, -1):
                stop.check()
                differ = self.label[u] != self.label[v] and UNKNOWN not in (self.label[u], self.label[v])
                if differ or any(
                    a in self.children[v] and found[x] >> self.children[v][a] & 1
                    for a, x in self.children[u].items()
                ):
                    found[u] |= 1 << v
                    found[v] |= 1 << u
        return found
