"""The words of whole episodes in a problem's worlds: only they can tell tasks apart there.

Every path is followed to the horizon, beside something that reads its letters: automata that are compared, or
a tree of words that grows as letters are read. So "exactly here" means: on the word of every episode that
some agent could have in one of the worlds, repeats merged where the problem says so. How many situations may
be followed is given by who asks: a picture is made once, a description makes dozens of comparisons.

Where a tree of all words would get too large, only words up to a length are followed, as long as fits. Where
even these do not fit, or paths cannot be followed at all, words are drawn: of random episodes, and those of
the demonstrations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from demospec.belief.distance import Agents
from demospec.belief.tuned import (
    ANY_WORDS,
    FOR_A_COMPARISON,
    FOR_WORDS,
    LONG_WORD,
    LONGEST_WORD,
    MACHINES_TOGETHER,
    MOST_TELLING,
    MOST_WORDS,
    SHORTEST_WORD,
    WORDS_DRAWN,
)
from demospec.problem import Problem
from demospec.tasks import DFA, Task, Word
from demospec.tasks.side_by_side import Product, Stack
from demospec.tasks.words import Budget, Description, describe
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Bools, Floats, Ints
from demospec.worlds.paths import word_of
from demospec.worlds.walk import (
    Counts,
    LetterReader,
    PathWalk,
    SituationLayer,
    TooManySituations,
    Trails,
    reachable,
)

START, TOO_LONG = 0, 1  # nodes
NEVER_READ = np.iinfo(np.intp).max


class Possible(NamedTuple):
    """A word, and the number of a world in which a path has it."""

    word: Word
    world: int


class Episodes:
    """All episodes in the worlds of a problem, as a place in which tasks are said and compared.

    Following them beside one reader raises `TooManySituations` after `most`, over all worlds.
    """

    def __init__(self, problem: Problem, stop: Stop = NEVER, most: int | None = FOR_A_COMPARISON) -> None:
        self.problem, self.stop, self.most = problem, stop, most
        self._agents = Agents(problem, [], [], stop)

    @property
    def is_listed(self) -> bool:
        """Say whether all paths can be followed at all."""
        return self._agents.is_listed

    @property
    def worlds(self) -> list[MDP]:
        """Return the worlds as arrays."""
        return self._agents.listed

    def walks(self, reader: LetterReader, worlds: Iterable[MDP] | None = None) -> Iterator[PathWalk]:
        """Yield the walk of each world, or of some, beside a reader; it is to be followed before the next."""
        left = self.most
        for mdp in self.worlds if worlds is None else worlds:
            yield (walk := PathWalk(mdp, reader, distinct=True, most=left, stop=self.stop))
            left = None if left is None else left - walk.met

    def read_by(self, reader: Product) -> ShortestWords | None:
        """Follow all paths beside automata; None where they are too many, or not listed."""
        try:
            return ShortestWords(self, reader) if self.is_listed else None
        except TooManySituations:
            return None

    def why_unseen(self, letter: str) -> str | None:
        """Say why a letter of the alphabet is never read in any of the worlds; None where it can be.

        A world that is not listed hides no letter that it has.
        """
        worlds = self._agents.worlds
        if not any(letter in world.letters for world in worlds):
            return f"no state of {'the' if len(worlds) == 1 else 'any'} world has it"
        seen = not self.is_listed or letter in self._labels
        return None if seen else "cannot be reached within the episode"

    @cached_property
    def _labels(self) -> set[str | None]:
        """The labels of the states that some episode reaches; None is white."""
        return {mdp.labels[state] for mdp in self.worlds for state in np.flatnonzero(reachable(mdp)).tolist()}

    # -- as a place in which tasks are said -------------------------------------------------------------

    def words(self, task: DFA) -> Sequence[Word]:
        """Return words of random episodes, and shortest ones that the task accepts and rejects."""
        found = dict.fromkeys(self.drawn)
        for accept in (True, False):
            found |= dict.fromkeys(self.differences(task, DFA.constant(task.alphabet, accept)))
        return list(found)

    def differences(self, first: DFA, second: DFA) -> Sequence[Word]:
        """Return words of episodes on which two tasks differ, a shortest one first."""
        return [possible.word for possible in self.telling(first, second, MOST_TELLING)]

    def telling(self, first: DFA, second: DFA, most: int = 1) -> list[Possible]:
        """Return the same with the number of a world for each, at most so many."""
        pair = [first.minimal, second.minimal]
        reader = Product.of(pair, merge_repeats=self.problem.merge_repeats)
        one, other = (np.array(task.accepting)[reader.states(k)] for k, task in enumerate(pair))
        apart: Bools = one != other  # [N], where one accepts and the other does not
        if not apart.any():
            return []
        words = ShortestWords(self, reader)
        found: list[Possible] = []
        while len(found) < most and apart.any():
            shortest = words.shortest(apart, complete=True)
            if shortest is None:
                break
            found.append(shortest)
            node = reader.start
            for letter in shortest.word:
                node = int(reader.table[node, reader.alphabet.index(letter)])
            apart[node] = False
        return found

    @cached_property
    def drawn(self) -> dict[Word, int]:
        """Return words of episodes in which every move is as likely as any other, each with its world."""
        rng = np.random.default_rng(11)
        share = WORDS_DRAWN // len(self.worlds)
        return {
            self._episode(mdp, rng): number for number, mdp in enumerate(self.worlds) for _ in range(share)
        }

    def _episode(self, mdp: MDP, rng: np.random.Generator) -> Word:
        state = mdp.starts[int(rng.integers(len(mdp.starts)))][0]
        labels, steps, ending = [mdp.label(state)], 0, 0.0
        while ending == 0 or (ending < 1 and rng.random() < 0.9):  # long ones too, where they may end early
            pairs = mdp.pairs(state)
            outcomes = mdp.outcomes(pairs[int(rng.integers(len(pairs)))])
            state = outcomes[int(rng.integers(len(outcomes)))][0]
            steps += 1
            labels.append(mdp.label(state))
            ending = mdp.end_chance(state, steps)
        return word_of(labels, merge_repeats=self.problem.merge_repeats)


def describe_here(
    problem: Problem,
    task: Task,
    *,
    budget: Budget | None = None,
    stop: Stop = NEVER,
    most: int = FOR_A_COMPARISON,
) -> tuple[Description, bool]:
    """Say a task in words, exactly here where it cannot be said exactly always.

    Also say whether the worlds were followed: not where there are too many situations, or none are listed.
    """
    here = Episodes(problem, stop, most)
    if here.is_listed:
        try:
            return describe(task, place=here, budget=budget), True
        except TooManySituations:
            pass
    return describe(task, budget=budget), False


class ShortestWords:
    """All paths of the worlds, read by automata with N nodes together: the shortest words to everywhere."""

    def __init__(self, episodes: Episodes, reader: Product) -> None:
        self.reader = reader
        self.trails: list[Trails] = []
        shape = reader.reads.shape
        self._length = np.full(shape, NEVER_READ)  # [N, K + 1], letters before a letter is read in a node
        self._before = np.full((*shape, 3), -1)  # the world, the time and the situation of those letters
        for walk in episodes.walks(reader):
            self.trails.append(
                trails := Trails(walk, lambda node, letter: reader.reads[node, letter].astype(np.intp))
            )
            letter = walk.letter[walk.first[0]]  # of start states: read after nothing
            self._length[reader.start, letter] = 0
            self._before[reader.start, letter] = -1
            for layer, length in trails:
                if not layer.repeats or length is not trails.layers[-1 - layer.repeats].cost:
                    self._note(walk, layer, length)

    def _note(self, walk: PathWalk, layer: SituationLayer, length: Counts) -> None:
        """Note which letters are read in which nodes, where fewer letters lead there than known so far."""
        place = layer.node[layer.source], walk.letter[layer.reached]
        shorter = np.flatnonzero(length[layer.source] < self._length[place])
        if not len(shorter):
            return
        backward = shorter[::-1]
        # The shortest is written last, and of equals the first.
        order = backward[np.argsort(-length[layer.source[backward]], kind="stable")]
        node, letter = (column[order] for column in place)
        self._length[node, letter] = length[layer.source[order]]
        self._before[node, letter, 0] = len(self.trails) - 1
        self._before[node, letter, 1] = layer.time
        self._before[node, letter, 2] = layer.source[order]

    @property
    def taken(self) -> Bools:
        """Return [N, K + 1]: what some path reads where."""
        found: Bools = self._length < NEVER_READ
        return found

    def shortest(self, nodes: Bools, *, complete: bool) -> Possible | None:
        """Return a shortest word that leads to one of the nodes [N], or None where no path does.

        With `complete` it is the word of a whole episode, else of any beginning of one.
        """
        shortest: tuple[int, int, int, int] | None = None
        for world, trails in enumerate(self.trails):
            for time, layer in enumerate(trails.layers):
                wanted = nodes[layer.node]
                here = np.flatnonzero(wanted & layer.over if complete else wanted)
                if len(here):
                    place = int(here[np.argmin(layer.cost[here])])
                    length = int(layer.cost[place])
                    if shortest is None or length < shortest[0]:
                        shortest = length, world, time, place
        return None if shortest is None else Possible(self._word(*shortest[1:]), shortest[1])

    def before(self, nodes: Bools, letter: int) -> Word | None:
        """Return a shortest word that leads to one of the nodes [N] in which a path then reads the letter."""
        able = np.flatnonzero(nodes & self.reader.reads[:, letter] & self.taken[:, letter])
        if not len(able):
            return None
        node = able[np.argmin(self._length[able, letter])]
        world, time, place = self._before[node, letter].tolist()
        return () if time < 0 else self._word(world, time, place)

    def _word(self, world: int, time: int, place: int) -> Word:
        trails, reader = self.trails[world], self.reader
        states = trails.path(time, place, complete=False).states(trails.walk.mdp)
        node, letters = reader.start, []
        for letter in trails.walk.letter[states].tolist():
            if reader.reads[node, letter]:
                letters.append(reader.alphabet[letter])
            node = int(reader.table[node, letter])
        return tuple(letters)

    def per_transition(self, states: int, counts: Floats) -> Floats:
        """Sum what was counted [N, K + 1] by state of the first automaton and letter read [Q, K]."""
        found = np.zeros((states, len(self.reader.alphabet)))
        np.add.at(found, self.reader.states(0), np.where(self.reader.reads, counts, 0.0)[:, :-1])
        return found


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
        for letter in word:
            node = self.read(node, np.array([self.alphabet.index(letter)]))
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

    @classmethod
    def of_nodes(cls, tree: Tree, whole: Mapping[int, int], *, complete: bool) -> Occurring:
        """Return the words of some nodes; each comes with the number of its world."""
        nodes = sorted(whole, key=lambda node: (tree.depth[node], node))
        worlds = [whole[node] for node in nodes]
        return cls(tree, np.array(nodes, dtype=np.intp), np.array(worlds, dtype=np.intp), complete)

    @classmethod
    def of(cls, words: Mapping[Word, int], alphabet: tuple[str, ...]) -> Occurring:
        """Put some words into a tree; each comes with the number of its world."""
        tree = Tree(alphabet, merge_repeats=False)
        return cls.of_nodes(tree, {tree.add(word): world for word, world in words.items()}, complete=False)

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
        return self.tree.word(int(self.node[number]))

    def accepted(self, stack: Stack) -> Bools:
        """Return [T, W]: which machines accept which words; what words have in common is read once."""
        machines, nodes, tree = len(stack.start), self.node.tolist(), self.tree
        after = [np.ascontiguousarray(column) for column in stack.table.T]
        steps = zip(tree.parent, tree.letter, strict=True)
        moves = [(node, parent, after[k]) for node, (parent, k) in enumerate(steps) if k >= 0]
        found = np.empty((len(self), machines), dtype=np.bool_)
        for first in range(0, machines, MACHINES_TOGETHER):
            part = slice(first, min(first + MACHINES_TOGETHER, machines))
            state = np.empty((len(tree.parent), part.stop - first), dtype=np.intp)
            state[[START, TOO_LONG]] = stack.start[part]
            for node, parent, column in moves:  # "clip": nothing is out of range, and nothing is copied
                column.take(state[parent], out=state[node], mode="clip")
            for number, node in enumerate(nodes):
                stack.accepting.take(state[node], out=found[number, part], mode="clip")
        return found.T


def occurring_words(problem: Problem, stop: Stop = NEVER, most: int = MOST_WORDS) -> Occurring:
    """Return the words of whole episodes in the worlds of a problem, or else some of them.

    A tree of `most` words and more is not grown.
    """
    here = Episodes(problem, stop, FOR_WORDS)
    letters = max(2, len(problem.alphabet) - problem.merge_repeats)
    fitting = [
        length for length in range(LONGEST_WORD, SHORTEST_WORD - 1, -1) if int(letters**length * 1.5) <= most
    ]
    whole: dict[Word, int] = {}
    for longest in (None, *fitting) if here.is_listed else ():
        tree = Tree(problem.alphabet, merge_repeats=problem.merge_repeats, longest=longest)
        try:
            ending = ending_nodes(here, tree, most)
        except TooManySituations:
            continue
        if longest is None:
            return Occurring.of_nodes(tree, ending, complete=True)
        whole = {tree.word(node): world for node, world in ending.items() if node != TOO_LONG}
        break
    number = {scene.name: k for k, scene in enumerate(problem.scenes)}
    shown = {
        problem.word(path, scene): number[scene.name] for _, scene, path in problem.shown if path.complete
    }
    return Occurring.of({**(here.drawn if here.is_listed else {}), **shown, **whole}, problem.alphabet)


def ending_nodes(here: Episodes, tree: Tree, most: int) -> dict[int, int]:
    """Return the node of each word of a whole episode, with the number of the first world that has it."""
    found: dict[int, int] = {}
    for number, walk in enumerate(here.walks(tree)):
        for layer in walk:
            if len(tree.parent) > most:
                raise TooManySituations(f"episodes have more than {most} words")
            if not 0 < layer.repeats < layer.time:  # what ends here, ended some steps before
                ending = np.unique(layer.node[layer.ends > 0]).tolist()
                found = dict.fromkeys(ending, number) | found
    return found


def any_words(alphabet: tuple[str, ...], *, merge_repeats: bool, most: int = ANY_WORDS) -> Occurring:
    """Return short words and long ones that are drawn, whether they occur in some world or not."""
    rng = np.random.default_rng([11, len(alphabet)])
    words: dict[Word, int] = {(): 0}
    in_order = chain.from_iterable(product(alphabet, repeat=length) for length in range(1, LONG_WORD + 1))
    for word in in_order:
        if len(words) >= most // 2:
            break
        words[word_of(word, merge_repeats=merge_repeats)] = 0
    for length in rng.integers(3, LONG_WORD + 1, size=most // 2).tolist():
        letters = rng.integers(len(alphabet), size=length).tolist()
        words[word_of([alphabet[k] for k in letters], merge_repeats=merge_repeats)] = 0
    return Occurring.of(words, alphabet)
