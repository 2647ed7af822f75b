"""The words of whole episodes in a problem's worlds: all of them, or where they are too many the short ones.

All paths are followed with a tree of words that grows as letters are read. Where it would get too large, only
words up to a length are followed, as long as fits. Where even these do not fit, or paths cannot be followed
at all, words are drawn: of random episodes, and those of the demonstrations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product

import numpy as np

from demospec.belief.here import Here
from demospec.problem import Problem
from demospec.tasks import Word
from demospec.tasks.side_by_side import Bools, Ints, Stack
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import word_of
from demospec.worlds.walk import TooManySituations, Walk

MOST_WORDS = 3_000  # nodes of the tree
MOST_SITUATIONS = 200_000  # of paths with the words so far, over all worlds
LONGEST, SHORTEST = 8, 2  # letters, where not all words are followed
ANY, LONG = 800, 14  # words that need not occur, and letters of the longest
TOGETHER = 1024  # machines that read the tree at once: their states fit into a cache
START, TOO_LONG = 0, 1  # nodes


class Tree:
    """Words as a tree that grows where it is read: a `Reader` of walks.

    With merged repeats a letter is not read again. Words of more letters than `longest` are one node.
    """

    def __init__(self, alphabet: tuple[str, ...], *, merge_repeats: bool, longest: int | None = None) -> None:
        self.alphabet, self.start = alphabet, START
        self.merge_repeats, self.longest = merge_repeats, longest
        self.parent, self.letter, self.depth = [START, TOO_LONG], [-1, -1], [0, 0]
        self._table = np.full((64, len(alphabet) + 1), -1, dtype=np.intp)
        for node in (START, TOO_LONG):
            self._table[node, -1] = node
        self._table[TOO_LONG] = TOO_LONG

    def read(self, node: Ints, letter: Ints) -> Ints:
        """Return the nodes after reading letters."""
        found: Ints = self._table[node, letter]
        missing = np.flatnonzero(found < 0)
        if len(missing):
            width = self._table.shape[1]
            for code in np.unique(node[missing] * width + letter[missing]).tolist():
                self._grow(*divmod(code, width))
            found = self._table[node, letter]
        return found

    def _grow(self, node: int, letter: int) -> None:
        if self.depth[node] == self.longest:
            self._table[node, letter] = TOO_LONG
            return
        new = len(self.parent)
        if new == len(self._table):
            self._table = np.concatenate([self._table, np.full_like(self._table, -1)])
        self.parent.append(node)
        self.letter.append(letter)
        self.depth.append(self.depth[node] + 1)
        self._table[node, letter] = new
        self._table[new, -1] = new  # white
        if self.merge_repeats:
            self._table[new, letter] = new

    def word(self, node: int) -> Word:
        """Return the word of a node."""
        letters: list[str] = []
        while self.depth[node]:
            letters.append(self.alphabet[self.letter[node]])
            node = self.parent[node]
        return tuple(reversed(letters))

    def add(self, word: Word) -> int:
        """Return the node of a word."""
        node = np.array([START])
        for one in word:
            node = self.read(node, np.array([self.alphabet.index(one)]))
        return int(node[0])


@dataclass(frozen=True, eq=False)
class Occurring:
    """W words of whole episodes, shortest first, in a tree whose nodes come after their parents.

    `complete` says that no episode of any world has another word. `world` is a world that has the word.
    """

    tree: Tree
    node: Ints  # [W]
    world: Ints  # [W]
    complete: bool

    def __len__(self) -> int:
        return len(self.node)

    @property
    def letters(self) -> set[str]:
        """Return the letters that occur."""
        return {self.tree.alphabet[number] for number in set(self.tree.letter) if number >= 0}

    @property
    def lengths(self) -> Ints:
        """Return [W]: how many letters each word has."""
        return np.array(self.tree.depth, dtype=np.intp)[self.node]

    def word(self, number: int) -> Word:
        """Return a word."""
        return self.tree.word(int(self.node[number]))

    def accepted(self, stack: Stack) -> Bools:
        """Return [T, W]: which machines accept which words; what words have in common is read once."""
        machines, nodes, tree = len(stack.start), self.node.tolist(), self.tree
        after = [np.ascontiguousarray(column) for column in stack.table.T]
        steps = zip(tree.parent, tree.letter, strict=True)
        moves = [(node, parent, after[k]) for node, (parent, k) in enumerate(steps) if k >= 0]
        found = np.empty((len(self), machines), dtype=np.bool_)
        for first in range(0, machines, TOGETHER):
            part = slice(first, min(first + TOGETHER, machines))
            state = np.empty((len(tree.parent), part.stop - first), dtype=np.intp)
            state[[START, TOO_LONG]] = stack.start[part]
            for node, parent, column in moves:  # "clip": nothing is out of range, and nothing is copied
                column.take(state[parent], out=state[node], mode="clip")
            for number, node in enumerate(nodes):
                stack.accepting.take(state[node], out=found[number, part], mode="clip")
        return found.T


def occurring_words(problem: Problem, stop: Stop = NEVER) -> Occurring:
    """Return the words of whole episodes in the worlds of a problem, or else some of them."""
    here = Here(problem, stop)
    fitting = [
        longest for longest in range(LONGEST, SHORTEST - 1, -1) if words_of(problem, longest) <= MOST_WORDS
    ]
    for longest in (None, *fitting) if here.is_listed else ():
        tree = Tree(problem.alphabet, merge_repeats=problem.merge_repeats, longest=longest)
        try:
            whole = followed(here.worlds, tree, stop)
        except TooManySituations:
            continue
        return laid_out(tree, whole, complete=True) if longest is None else some(problem, here, tree, whole)
    return some(problem, here, Tree(problem.alphabet, merge_repeats=problem.merge_repeats), {})


def words_of(problem: Problem, longest: int) -> int:
    """Return how many words of so many letters or fewer there are, about."""
    return int(max(2, len(problem.alphabet) - problem.merge_repeats) ** longest * 1.5)


def followed(worlds: Sequence[MDP], tree: Tree, stop: Stop) -> dict[int, int]:
    """Return the node of each word of a whole episode, with the number of the first world that has it."""
    found: dict[int, int] = {}
    left = MOST_SITUATIONS
    for number, mdp in enumerate(worlds):
        walk = Walk(mdp, tree, distinct=True, most=left, stop=stop)
        for layer in walk:
            if len(tree.parent) > MOST_WORDS:
                raise TooManySituations(f"episodes have more than {MOST_WORDS} words")
            if not 0 < layer.repeats < layer.time:  # what ends here, ended some steps before
                ending = np.unique(layer.node[layer.ends > 0]).tolist()
                found = dict.fromkeys(ending, number) | found
        left -= walk.met
    return found


def some(problem: Problem, here: Here, tree: Tree, whole: dict[int, int]) -> Occurring:
    """Return the words that are known, and with them those of the demonstrations and of random episodes."""
    number = {scene.name: k for k, scene in enumerate(problem.scenes)}
    words = dict(here.drawn_in) if here.is_listed else {}
    words |= {
        problem.word(path, scene): number[scene.name] for _, scene, path in problem.shown if path.complete
    }
    words |= {tree.word(node): world for node, world in whole.items() if node != TOO_LONG}
    return of_words(words, problem.alphabet)


def of_words(words: Mapping[Word, int], alphabet: tuple[str, ...]) -> Occurring:
    """Put some words into a tree; each comes with the number of its world."""
    tree = Tree(alphabet, merge_repeats=False)
    return laid_out(tree, {tree.add(word): world for word, world in words.items()}, complete=False)


def any_words(alphabet: tuple[str, ...], *, merge_repeats: bool, most: int = ANY) -> Occurring:
    """Return short words and long ones that are drawn, whether they occur in some world or not."""
    rng = np.random.default_rng([11, len(alphabet)])
    words: dict[Word, int] = {(): 0}
    for word in words_in_order(alphabet):
        if len(words) >= most // 2:
            break
        words[word_of(word, merge_repeats=merge_repeats)] = 0
    for length in rng.integers(3, LONG + 1, size=most // 2).tolist():
        letters = rng.integers(len(alphabet), size=length).tolist()
        words[word_of([alphabet[k] for k in letters], merge_repeats=merge_repeats)] = 0
    return of_words(words, alphabet)


def words_in_order(alphabet: tuple[str, ...]) -> Iterator[Word]:
    """Yield all words, the shortest first."""
    return chain.from_iterable(product(alphabet, repeat=length) for length in range(1, LONG + 1))


def laid_out(tree: Tree, whole: Mapping[int, int], *, complete: bool) -> Occurring:
    """Return the words of some nodes, shortest first."""
    nodes = sorted(whole, key=lambda node: (tree.depth[node], node))
    worlds = [whole[node] for node in nodes]
    return Occurring(tree, np.array(nodes, dtype=np.intp), np.array(worlds, dtype=np.intp), complete)
