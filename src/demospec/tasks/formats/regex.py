"""Regular expressions of tasks, by state elimination.

Where every letter is one character, the expression is about words written without blanks, such as `bgy`.
Otherwise each letter of a word has one blank behind it, `go stop `, and letters with blanks or quotes are
written as JSON strings. The signs are those that nearly every program reads: `( ) | * + ? [ ]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from demospec.errors import TaskError
from demospec.tasks.dfa import DFA
from demospec.tasks.tables import by_target
from demospec.tasks.task import Task
from demospec.tasks.text import spelled

LONGEST = 2000  # characters; nobody reads more
FLAT = 100  # factors of a product that are kept side by side, to be compared with those of others
PLAIN = re.compile(r'[^\s"]+')  # a letter that needs no quotes
NOTHING = "(?!)"  # an expression that matches no text, not even the empty one


def to_regex(task: Task, longest: int = LONGEST) -> str:
    """Write a task as a regular expression that matches whole words; refuse where it would be long."""
    dfa = task.automaton
    found = _Elimination(dfa).expression()
    if found is None:
        return NOTHING
    if found.length > longest:
        raise TaskError(
            f"its regular expression would be {found.length:,} characters long; "
            f"at most {longest:,} are written"
        )
    return found.write()


def regex_word(alphabet: Sequence[str], word: Iterable[str]) -> str:
    """Write a word as the text that the regular expression of a task over these letters is about.

    >>> regex_word(["b", "g"], ["b", "g"]), regex_word(["go", "stop"], ["go", "stop"])
    ('bg', 'go stop ')
    """
    if _short(alphabet):
        return "".join(word)
    return "".join(f"{spelled(letter, PLAIN)} " for letter in word)


def _short(alphabet: Sequence[str]) -> bool:
    return all(len(letter) == 1 for letter in alphabet)


# -- expressions: the same one is the same object ------------------------------------------------------

OR, AND, REPEAT = range(3)  # how tightly an expression holds together


@dataclass(frozen=True, eq=False)
class _Expression:
    """A tree; its length is known without writing it."""

    kind: str  # "letters", "and", "or", "*", "+" or "?"
    parts: tuple[_Expression, ...]
    text: str  # of letters
    nullable: bool
    tightness: int
    length: int = field(init=False)

    def __post_init__(self) -> None:
        inside = sum(part.length + 2 * self.parenthesised(part) for part in self.parts)
        signs = {"or": len(self.parts) - 1, "and": 0, "letters": len(self.text)}.get(self.kind, 1)
        object.__setattr__(self, "length", inside + signs)

    def parenthesised(self, part: _Expression) -> bool:
        needed = {"or": OR, "and": AND}.get(self.kind, REPEAT)
        return part.tightness < needed

    def write(self) -> str:
        if self.kind == "letters":
            return self.text
        written = [f"({part.write()})" if self.parenthesised(part) else part.write() for part in self.parts]
        if self.kind in ("or", "and"):
            return ("|" if self.kind == "or" else "").join(written)
        return written[0] + self.kind


@dataclass
class _Algebra:
    """Makes expressions, as short as a few laws allow. None stands for the empty language."""

    alphabet: tuple[str, ...]
    known: dict[object, _Expression] = field(default_factory=dict)
    sets: dict[_Expression, frozenset[str]] = field(default_factory=dict)

    def _made(self, kind: str, parts: tuple[_Expression, ...], nullable: bool, tightness: int) -> _Expression:
        key = kind, tuple(map(id, parts))
        if key not in self.known:
            self.known[key] = _Expression(kind, parts, "", nullable, tightness)
        return self.known[key]

    @property
    def empty_word(self) -> _Expression:
        return self._made("and", (), True, AND)

    def letters(self, letters: frozenset[str]) -> _Expression | None:
        if not letters:
            return None
        if letters not in self.known:
            several, short = len(letters) > 1, _short(self.alphabet)
            if short:
                signs = "".join(map(re.escape, sorted(letters)))
                text = f"[{signs}]" if several else signs
            else:
                names = "|".join(re.escape(spelled(letter, PLAIN)) for letter in sorted(letters))
                text = f"({names}) " if several else f"{names} "
            made = _Expression("letters", (), text, False, REPEAT if short else AND)
            self.known[letters], self.sets[made] = made, letters
        return self.known[letters]

    def product(self, *factors: _Expression | None) -> _Expression | None:
        flat: list[_Expression] = []
        for factor in factors:
            if factor is None:
                return None
            inside = factor.parts if factor.kind == "and" and len(factor.parts) <= FLAT else (factor,)
            for one in inside:
                joined = self._joined(flat[-1], one) if flat else None
                if joined is None:
                    flat.append(one)
                else:
                    flat[-1] = joined
        if len(flat) == 1:
            return flat[0]
        return self._made("and", tuple(flat), all(one.nullable for one in flat), AND)

    def _joined(self, left: _Expression, right: _Expression) -> _Expression | None:
        """Return two neighbours as one: r r* and r* r are r+, and r* swallows r*, r+ and r?."""
        for one, other in ((left, right), (right, left)):
            if one.kind == "*":
                if other is one.parts[0] or (other.kind == "+" and other.parts == one.parts):
                    return self._made("+", one.parts, one.parts[0].nullable, REPEAT)
                if other.kind in ("*", "?") and other.parts == one.parts:
                    return one
        return None

    def star(self, inside: _Expression | None) -> _Expression:
        if inside is None or inside is self.empty_word:
            return self.empty_word
        while inside.kind in ("*", "+", "?"):
            inside = inside.parts[0]
        return self._made("*", (inside,), True, REPEAT)

    def optional(self, inside: _Expression) -> _Expression:
        if inside.nullable:
            return inside
        if inside.kind == "+":
            return self.star(inside)
        return self._made("?", (inside,), True, REPEAT)

    def union(self, *terms: _Expression | None) -> _Expression | None:
        flat: dict[_Expression, None] = {}
        empty_word = False
        for term in terms:
            inside = () if term is None else term.parts if term.kind == "or" else (term,)
            for one in inside:
                if one is self.empty_word:
                    empty_word = True
                elif one.kind == "?":
                    empty_word = True
                    flat |= dict.fromkeys(one.parts[0].parts if one.parts[0].kind == "or" else one.parts)
                else:
                    flat[one] = None
        alone = [one for one in flat if one.kind == "letters"]
        if len(alone) > 1:
            merged = self.letters(frozenset().union(*(self.sets[one] for one in alone)))
            assert merged is not None
            flat = dict.fromkeys([merged, *(one for one in flat if one not in alone)])
        found = self._factored(list(flat))
        if found is None:
            return self.empty_word if empty_word else None
        return self.optional(found) if empty_word else found

    def _factored(self, terms: list[_Expression]) -> _Expression | None:
        """Join terms that begin or end alike: a x | a y is a (x|y)."""
        if not terms:
            return None
        factors = [term.parts if term.kind == "and" else (term,) for term in terms]
        for i, j in combinations(range(len(terms)), 2):
            one, other = factors[i], factors[j]
            joined = None
            if one[0] is other[0]:
                rest = self.union(self.product(*one[1:]), self.product(*other[1:]))
                joined = self.product(one[0], rest)
            elif one[-1] is other[-1]:
                rest = self.union(self.product(*one[:-1]), self.product(*other[:-1]))
                joined = self.product(rest, one[-1])
            if joined is not None:
                return self.union(*(term for k, term in enumerate(terms) if k not in (i, j)), joined)
        if len(terms) == 1:
            return terms[0]
        return self._made("or", tuple(terms), any(term.nullable for term in terms), OR)


# -- elimination --------------------------------------------------------------------------------------


class _Elimination:
    """An automaton whose arrows carry expressions, and which loses one state after the other."""

    def __init__(self, dfa: DFA) -> None:
        self.algebra = _Algebra(dfa.alphabet)
        self.begin, self.end = -1, -2
        self.arrows: dict[tuple[int, int], _Expression] = {(self.begin, 0): self.algebra.empty_word}
        for state, row in enumerate(dfa.table):
            for target, letters in sorted(by_target(dfa.alphabet, row).items()):
                label = self.algebra.letters(frozenset(letters))
                assert label is not None
                self.arrows[state, target] = label
            if dfa.accepting[state]:
                self.arrows[state, self.end] = self.algebra.empty_word

    def expression(self) -> _Expression | None:
        left = {state for arrow in self.arrows for state in arrow} - {self.begin, self.end}
        while left:
            state = min(left, key=lambda one: (self.cost(one), one))
            self.eliminate(state)
            left.remove(state)
        return self.arrows.get((self.begin, self.end))

    def neighbours(self, state: int) -> tuple[list[int], list[int]]:
        sources = [p for p, q in self.arrows if q == state and p != state]
        targets = [q for p, q in self.arrows if p == state and q != state]
        return sources, targets

    def cost(self, state: int) -> int:
        """Return how much longer all expressions get, about, when a state goes."""
        sources, targets = self.neighbours(state)
        loop = self.arrows.get((state, state))
        through = 0 if loop is None else loop.length
        enters = sum(self.arrows[p, state].length for p in sources)
        leaves = sum(self.arrows[state, q].length for q in targets)
        pairs = len(sources) * len(targets)
        return enters * (len(targets) - 1) + leaves * (len(sources) - 1) + through * (pairs - 1)

    def eliminate(self, state: int) -> None:
        sources, targets = self.neighbours(state)
        loop = self.algebra.star(self.arrows.get((state, state)))
        for p in sources:
            for q in targets:
                through = self.algebra.product(self.arrows[p, state], loop, self.arrows[state, q])
                joined = self.algebra.union(self.arrows.get((p, q)), through)
                assert joined is not None
                self.arrows[p, q] = joined
        self.arrows = {arrow: label for arrow, label in self.arrows.items() if state not in arrow}
