"""A short LTLf formula for a task: that of its clauses, or the first of all formulas by size that fits.

Formulas are tried on words, all of them at once: a formula is one long number, with a bit for each position
of each word, and an operator is a few shifts. Formulas with the same number are one. What fits at the first
position of each word is compared with the task by automata.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from demospec.tasks.clauses.clause import proposition
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.words.clauses import EVERYWHERE, Conjunction

LARGEST = 9  # nodes of a formula that is found by trying
MOST_WORDS, LONGEST = 160, 9


def formula_of_clauses(alternatives: Sequence[Conjunction]) -> str | None:
    """Return the formula of clauses; None where one of them has none.

    >>> from demospec.tasks.clauses import parse
    >>> formula_of_clauses(parse("reach y; no r before y").alternatives)
    'F y & (!r W y)'
    """
    lists = []
    for clauses in alternatives:
        formulas = [clause.formula for clause in clauses]
        found = [one for one in formulas if one is not None]
        if len(found) < len(formulas):
            return None
        lists.append(formulas_joined(found, " & ", "true"))
    return formulas_joined(lists, " | ", "false")


def formulas_joined(formulas: Sequence[str], sign: str, none: str) -> str:
    """Join formulas by a sign, in brackets where they need them."""
    if len(formulas) < 2:
        return formulas[0] if formulas else none
    return sign.join(f"({one})" if has_binary(one) else one for one in formulas)


def has_binary(formula: str) -> bool:
    """Say whether a formula's own operator stands between two others.

    >>> has_binary("!r W y"), has_binary("G (b -> F g)"), has_binary('F "a b"')
    (True, False, False)
    """
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', "p", formula)
    while (shorter := re.sub(r"\([^()]*\)", "p", plain)) != plain:
        plain = shorter
    return re.search(r" (?:[UWRMS&|]|->|<->) ", plain) is not None


@dataclass(frozen=True)
class Tried:
    """A formula's text, whether it needs brackets inside another one, and where it holds."""

    text: str
    binary: bool
    holds: int

    @property
    def inside(self) -> str:
        """Return the text as it stands inside another formula."""
        return f"({self.text})" if self.binary else self.text


class Positions:
    """All positions of some words in a row; the empty word has one too, at which no letter holds."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.first = self.last = self.empty = 0
        self.letters: dict[str, int] = {}
        at = 0
        for word in words:
            self.first |= 1 << at
            for place, letter in enumerate(word):
                self.letters[letter] = self.letters.get(letter, 0) | 1 << at + place
            at += max(1, len(word))
            self.last |= 1 << at - 1
            if not word:
                self.empty |= 1 << at - 1
        self.all = (1 << at) - 1
        longest = max(map(len, words), default=0)
        self.steps = [1 << k for k in range(longest.bit_length())]  # 1, 2, 4, … positions ahead
        self.ahead = [self.all & ~self._last_ones(step) for step in self.steps]
        """Positions after which so many more follow in their word."""

    def _last_ones(self, count: int) -> int:
        """Return the last so many positions of each word."""
        found = end = self.last
        for _ in range(count - 1):
            end = end >> 1 & ~self.last
            found |= end
        return found

    def strong_next(self, f: int) -> int:
        """Return where the formula holds at the next position, which there is."""
        return f >> 1 & self.ahead[0] if self.steps else 0

    def until(self, f: int, g: int) -> int:
        """Return where g holds now or later, and f until then."""
        found, through = g, f
        for step, ahead in zip(self.steps, self.ahead, strict=True):
            found |= through & (found >> step) & ahead
            through &= (through >> step) & ahead
        return found & ~self.empty

    def marked(self, task: DFA) -> int:
        """Return the first positions of the words that a task accepts."""
        found, at = 0, 0
        for word in self.words:
            found |= int(task.accepts(word)) << at
            at += max(1, len(word))
        return found


def operators(on: Positions) -> tuple[dict[str, Callable[[int], int]], dict[str, Callable[[int, int], int]]]:
    """Return what each operator does to the positions at which its parts hold: unary ones, binary ones."""
    until = on.until

    def no(f: int) -> int:
        return on.all & ~f

    unary: dict[str, Callable[[int], int]] = {
        "!": no,
        "F ": lambda f: until(on.all, f),
        "G ": lambda f: no(until(on.all, no(f))),
        "X[!] ": on.strong_next,
        "X ": lambda f: on.strong_next(f) | on.last,
    }
    binary: dict[str, Callable[[int, int], int]] = {
        "&": lambda f, g: f & g,
        "|": lambda f, g: f | g,
        "U": until,
        "W": lambda f, g: until(f, g) | no(until(on.all, no(f))),
    }
    return unary, binary


def formulas_by_size(on: Positions, letters: Sequence[str]) -> Iterator[Tried]:
    """Yield formulas by size, each that holds elsewhere than those before it."""
    unary, binary = operators(on)
    atoms = [Tried(proposition(letter), False, on.letters.get(letter, 0)) for letter in letters]
    atoms.append(Tried("last", False, on.last & ~on.empty))
    known: set[int] = set()
    levels: list[list[Tried]] = [[]]

    def new(one: Tried) -> bool:
        if one.holds in known:
            return False
        known.add(one.holds)
        levels[-1].append(one)
        return True

    for size in range(1, LARGEST + 1):
        levels.append([])
        for one in atoms if size == 1 else ():
            if new(one):
                yield one
        for below in levels[size - 1]:
            for sign, apply in unary.items():
                if new(made := Tried(f"{sign}{below.inside}", False, apply(below.holds))):
                    yield made
        for left in range(1, size - 1):
            for f in levels[left]:
                for g in levels[size - 1 - left]:
                    for sign, join in binary.items():
                        if sign in "&|" and 2 * left > size - 1:
                            continue
                        text = f"{f.inside} {sign} {g.inside}"
                        if new(made := Tried(text, True, join(f.holds, g.holds))):
                            yield made


@lru_cache(maxsize=8)
def first_formulas(
    alphabet: tuple[str, ...], letters: tuple[str, ...], most: int
) -> tuple[Positions, dict[int, list[str]]]:
    """Return words over an alphabet and the first so many formulas by size, by the words on which they hold.

    All tasks over the alphabet share them.
    """
    words = [word for word in EVERYWHERE.words(DFA.constant(alphabet, True)) if len(word) <= LONGEST]
    short, long = words[: MOST_WORDS // 2], words[MOST_WORDS // 2 :]
    on = Positions(short + long[:: 1 + 2 * len(long) // MOST_WORDS])
    texts: dict[int, list[str]] = {}
    for one in islice(formulas_by_size(on, letters), most):
        texts.setdefault(one.holds & on.first, []).append(one.text)
    return on, texts


def shortest_formula(task: DFA, letters: tuple[str, ...], most: int) -> str | None:
    """Return the first formula by size that says a task; None where `most` formulas do not."""
    on, texts = first_formulas(task.alphabet, letters, most)
    for text in texts.get(on.marked(task), ()):
        if DFA.from_formula(text, task.alphabet) == task:
            return text
    return None
