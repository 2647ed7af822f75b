"""The words of a question to a solver: numbered, and joined in one prefix tree."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.tasks import Word
from demospec.tasks.examples import Examples

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
