"""First guesses, made from the demonstrations themselves: what their words share, and what they left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice, product

import numpy as np

from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA, Word

LONGEST = 3  # letters of a sequence that is guessed
SHARE = 0.5  # of the words must contain it
RARE = 0.2  # of the words may contain what is taken to be avoided
MOST = 2000  # guesses, where the alphabet is large
MANY = 10  # letters of which some are guessed to be goals alike


class Guesses(Move):
    """Scored in the first step, before anything is known."""

    name = "guesses"
    origin = "guess"
    reason = "Begins with what the demonstrations share and avoid, because most tasks are near one of these."
    phrase = "guessed from what the demonstrations share"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose all guesses while nothing is known."""
        if known.scores:
            return Proposals()
        return Proposals(guesses(known.problem.words, known.problem.alphabet))


def guesses(words: Sequence[Word], alphabet: Sequence[str]) -> list[DFA]:
    """Return tasks to begin with, each once: all and nothing, what was avoided, and sequences of goals.

    A sequence is guessed when at least half of the words contain it in this order; each with no letter to
    avoid, or with one, until the goal is reached or for ever. Two letters that hardly a word contains in
    this order are guessed to be avoided in this order; two or three of which at least half of the words
    contain one are guessed to be goals alike.
    """
    letters = tuple(sorted(alphabet))
    return list(dict.fromkeys(islice((task.minimal for task in _guesses(words, letters)), MOST)))


def _guesses(shown: Sequence[Word], letters: tuple[str, ...]) -> Iterator[DFA]:
    words = Counter(shown)  # of many demonstrations most say the same
    yield DFA.constant(letters, True)
    yield DFA.constant(letters, False)
    for letter in letters:
        yield chain(letters, (), (letter,), always=True)
    for sequence in shared(words, letters):
        for avoided in ((), *((letter,) for letter in letters)):
            for always in (False, True)[: 1 + bool(avoided)]:
                yield chain(letters, sequence, avoided, always=always)
    for goals in wished(words):
        yield DFA.build(
            alphabet=letters, states=2, accepting=[1], transitions=[(0, letter, 1) for letter in goals]
        )
    for avoided in combinations(letters, 2):
        yield chain(letters, (), avoided, always=True)
    for pair in product(letters, repeat=2):
        if times(words, pair) <= RARE * words.total():
            yield ~chain(letters, pair, (), always=False)


def times(words: Counter[Word], sequence: Word) -> int:
    """Return how many words contain a sequence."""
    return sum(count for word, count in words.items() if contains(word, sequence))


def shared(words: Counter[Word], letters: Sequence[str]) -> Iterator[Word]:
    """Yield the sequences of up to `LONGEST` letters that at least a `SHARE` of the words contain."""
    least = SHARE * words.total()
    longest: list[Word] = [()]
    for _ in range(LONGEST):
        longest = [
            longer
            for sequence in longest
            for longer in ((*sequence, letter) for letter in letters)
            if times(words, longer) >= least
        ]
        yield from longest


def wished(words: Counter[Word]) -> Iterator[tuple[str, ...]]:
    """Yield two or three letters of which at least a `SHARE` of the words contain one.

    >>> list(wished(Counter([("a",), ("b",), ("c", "b")])))
    [('a', 'b'), ('b', 'c'), ('a', 'c'), ('a', 'b', 'c')]
    """
    common: Counter[str] = Counter()
    for word, count in words.items():
        for letter in set(word):
            common[letter] += count
    letters_of = {word: frozenset(word) for word in words}
    letters = sorted(common, key=lambda letter: (-common[letter], letter))[:MANY]
    for count in (2, 3):
        for goals in combinations(letters, count):
            found = sum(n for word, n in words.items() if not letters_of[word].isdisjoint(goals))
            if found >= SHARE * words.total():
                yield tuple(sorted(goals))


def contains(word: Iterable[str], sequence: Sequence[str]) -> bool:
    """Say whether the letters of a sequence occur in a word in this order.

    >>> contains("bagy", "by"), contains("bagy", "yb")
    (True, False)
    """
    rest = iter(word)
    return all(letter in rest for letter in sequence)


def chain(letters: Sequence[str], sequence: Sequence[str], avoided: Sequence[str], *, always: bool) -> DFA:
    """Return the task of reading a sequence, and nothing avoided before its end, or ever.

    >>> chain("abc", "ab", "c", always=False)
    DFA('>0: a→1, c→3 | 1: b→2, c→3 | *2: | 3:')
    """
    end, pit = len(sequence), len(sequence) + 1
    changes = [(k, letter, k + 1) for k, letter in enumerate(sequence)]
    changes += [
        (k, letter, pit)
        for k in range(end + 1)
        for letter in avoided
        if (k == end and always) or (k < end and letter != sequence[k])
    ]
    return DFA.build(alphabet=letters, states=pit + 1, accepting=[end], transitions=changes)
