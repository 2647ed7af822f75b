"""Formulas as values: frozen, hashable, printed so that the parser gives them back.

| node | operators |
|---|---|
| `Letter` | a letter of the alphabet, which holds where it is read |
| `Constant` | `true`, `false`, `last` |
| `Unary` | `!`, next `X[!]` (strong) and `X` (weak), `F`, `G`; past `Y`, `O`, `H` |
| `Binary` | `U`, `W`, `R`, `M`, `->`, `<->`; past `S` |
| `Many` | `&` and `|`, of two or more |

What a formula means on a word: the definition, written down; the witness of the translation.

A word has n letters, at positions 0 to n − 1. Position n is behind the end; in the empty word it is the
first one too. Operators that look ahead never look behind the end: next at the last letter is false when
strong, true when weak.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from demospec.errors import TaskError
from demospec.wording import count, listing

DEEPEST = 200  # levels of operators within operators: deeper ones would overrun Python's stack

# What binds tighter has the higher level. Binary operators lean to the right: a U b U c is a U (b U c).
LEVEL = {"<->": 1, "->": 2, "|": 3, "&": 4, **dict.fromkeys("UWRMS", 5)}
PREFIX, ATOM = 6, 7

PREFIXES = ("!", "X[!]", "X", "F", "G", "Y", "O", "H")
INFIXES = ("U", "W", "R", "M", "S", "->", "<->")
LISTS = ("&", "|")
CONSTANTS = ("true", "false", "last")
PAST = frozenset("YOHS")
FUTURE = frozenset(("X[!]", "X", "F", "G", "U", "W", "R", "M", "last"))

# Names that mean something else in a formula. A letter that is spelt like one of them is quoted.
RESERVED = frozenset((*"XFGYOHUWRMS", "WX", "true", "false", "tt", "ff", "last"))
NAME = re.compile(r"[^\W\d]\w*")


def quoted(letter: str) -> str:
    """Write a letter as a formula has it: a name as it is, anything else in quotes.

    >>> quoted("wet"), quoted("two words"), quoted("G")
    ('wet', '"two words"', '"G"')
    """
    plain = NAME.fullmatch(letter) and letter not in RESERVED
    return letter if plain else json.dumps(letter, ensure_ascii=False)


class Formula:
    """A formula. Two are equal when they are written the same, parentheses apart.

    >>> from demospec.tasks.ltlf import parse_formula
    >>> formula = parse_formula("(F (y)) & ((!r) W y)")
    >>> print(formula, formula.size, formula.letters)
    F y & (!r W y) 7 ('r', 'y')
    """

    depth: int  # levels of operators
    ahead: bool  # whether it looks at what comes later

    @property
    def symbol(self) -> str:
        """Return the operator, the constant or the letter."""
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Formula, ...]:
        """Return the operands, in order."""
        return ()

    @property
    def level(self) -> int:
        """Return how tightly it binds when it is printed."""
        return ATOM

    def walk(self) -> Iterator[Formula]:
        """Yield the formula and all its parts, the operator before its operands."""
        todo: list[Formula] = [self]
        while todo:
            found = todo.pop()
            yield found
            todo += reversed(found.parts)

    @property
    def size(self) -> int:
        """Return the number of nodes, where `a & b & c` counts as two operators and three letters."""
        return sum(max(1, len(found.parts) - 1) for found in self.walk())

    @property
    def letters(self) -> tuple[str, ...]:
        """Return the letters that occur, sorted."""
        return tuple(sorted({found.name for found in self.walk() if isinstance(found, Letter)}))

    def _settle(self, known: tuple[str, ...]) -> None:
        if self.symbol not in known:
            raise TaskError(f'operator "{self.symbol}" is not one of {listing(known)}')
        # A frozen value keeps what would take a walk to find again.
        object.__setattr__(self, "depth", 1 + max((part.depth for part in self.parts), default=0))
        ahead = self.symbol in FUTURE or any(part.ahead for part in self.parts)
        object.__setattr__(self, "ahead", ahead)
        if self.depth > DEEPEST:
            raise TaskError(f"operators within operators are more than {DEEPEST} levels deep")
        if ahead and self.symbol in PAST:
            seen = next(
                found.symbol
                for part in self.parts
                for found in part.walk()
                if not isinstance(found, Letter) and found.symbol in FUTURE
            )
            raise TaskError(f"{self.symbol} looks back, so {seen}, which looks ahead, cannot stand inside it")

    def _within(self, level: int) -> str:
        return str(self) if self.level >= level else f"({self})"


@dataclass(frozen=True)
class Letter(Formula):
    """A letter; it holds at a position where it is read."""

    name: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1)
        object.__setattr__(self, "ahead", False)

    @property
    def symbol(self) -> str:
        return self.name

    def __str__(self) -> str:
        return quoted(self.name)


@dataclass(frozen=True)
class Constant(Formula):
    """`true`, `false`, or `last`, which holds at the last letter of the word."""

    name: str

    def __post_init__(self) -> None:
        self._settle(CONSTANTS)

    @property
    def symbol(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Unary(Formula):
    """An operator before its operand: `!f`, `X[!] f`, `X f`, `F f`, `G f`, `Y f`, `O f`, `H f`."""

    operator: str
    operand: Formula

    def __post_init__(self) -> None:
        self._settle(PREFIXES)

    @property
    def symbol(self) -> str:
        return self.operator

    @property
    def parts(self) -> tuple[Formula, ...]:
        return (self.operand,)

    @property
    def level(self) -> int:
        """Return how tightly it binds: tighter than any operator between two operands."""
        return PREFIX

    def __str__(self) -> str:
        return self.operator + ("" if self.operator == "!" else " ") + self.operand._within(PREFIX)


@dataclass(frozen=True)
class Binary(Formula):
    """An operator between two operands: `f U g`, `W`, `R`, `M`, `S`, `->`, `<->`."""

    operator: str
    left: Formula
    right: Formula

    def __post_init__(self) -> None:
        self._settle(INFIXES)

    @property
    def symbol(self) -> str:
        return self.operator

    @property
    def parts(self) -> tuple[Formula, ...]:
        return (self.left, self.right)

    @property
    def level(self) -> int:
        return LEVEL[self.operator]

    def __str__(self) -> str:
        level = self.level
        return f"{self.left._within(level + 1)} {self.operator} {self.right._within(level)}"


@dataclass(frozen=True)
class Many(Formula):
    """Two or more operands joined by `&` or by `|`."""

    operator: str
    operands: tuple[Formula, ...]

    def __post_init__(self) -> None:
        if len(self.operands) < 2:
            raise TaskError(f"{self.operator} joins two formulas or more; found {len(self.operands)}")
        self._settle(LISTS)

    @property
    def symbol(self) -> str:
        return self.operator

    @property
    def parts(self) -> tuple[Formula, ...]:
        return self.operands

    @property
    def level(self) -> int:
        return LEVEL[self.operator]

    def __str__(self) -> str:
        # "F y & (!r W y)" reads better than what needs no parentheses
        return f" {self.operator} ".join([operand._within(self._above(operand)) for operand in self.operands])

    def _above(self, operand: Formula) -> int:
        return PREFIX if operand.level == LEVEL["U"] else self.level + 1


def applied(operator: str, *operands: Formula) -> Formula:
    """Return an operator with its operands.

    >>> str(applied("U", Letter("a"), applied("&", Letter("b"), Letter("c"), Letter("d"))))
    'a U (b & c & d)'
    """
    if operator in LISTS:
        return Many(operator, operands)
    wanted = 1 if operator in PREFIXES else 2
    if len(operands) != wanted:
        raise TaskError(f'operator "{operator}" takes {count(wanted, "operand")}; found {len(operands)}')
    return Unary(operator, *operands) if wanted == 1 else Binary(operator, *operands)


# -- What a formula means on a word ----------------------------------------------------------------------

Propositions = Mapping[str, Collection[str]]  # which propositions hold where a letter is read


def holds(
    formula: Formula, word: Sequence[str], at: int = 0, *, propositions: Propositions | None = None
) -> bool:
    """Say whether a formula holds on a word, at a position from 0 to its length.

    >>> from demospec.tasks.ltlf import parse_formula
    >>> holds(parse_formula("F y & (!r W y)"), "bgy"), holds(parse_formula("X[!] a"), "")
    (True, False)
    """
    if not 0 <= at <= len(word):
        raise TaskError(f"position {at} is not among 0 to {len(word)}, the length of the word")
    return _values(formula, word, propositions)[at]


def _values(formula: Formula, word: Sequence[str], propositions: Propositions | None) -> list[bool]:
    """Return whether the formula holds at each position, 0 to n."""
    n = len(word)
    everywhere = range(n + 1)
    if isinstance(formula, Letter):
        p = formula.name
        seen = [(p == letter if propositions is None else p in propositions[letter]) for letter in word]
        return [*seen, False]
    operands = [_values(part, word, propositions) for part in formula.parts]
    f, g = operands[0] if operands else [], operands[-1] if operands else []
    match formula.symbol:
        case "true":
            return [True for i in everywhere]
        case "false":
            return [False for i in everywhere]
        case "last":
            return [i == n - 1 for i in everywhere]
        case "!":
            return [not f[i] for i in everywhere]
        case "&":
            return [all(value[i] for value in operands) for i in everywhere]
        case "|":
            return [any(value[i] for value in operands) for i in everywhere]
        case "->":
            return [not f[i] or g[i] for i in everywhere]
        case "<->":
            return [f[i] == g[i] for i in everywhere]
        case "X[!]":
            return [i + 1 < n and f[i + 1] for i in everywhere]
        case "X":
            return [i + 1 >= n or f[i + 1] for i in everywhere]
        case "F":
            return [any(f[i:n]) for i in everywhere]
        case "G":
            return [all(f[i:n]) for i in everywhere]
        case "U":
            return _until(f, g)
        case "W":
            return [all(f[i:n]) or reached for i, reached in enumerate(_until(f, g))]
        case "R":
            return [not broken for broken in _until([not v for v in f], [not v for v in g])]
        case "M":
            return _until(g, [p and q for p, q in zip(f, g, strict=True)])
        case "Y":
            return [i > 0 and f[i - 1] for i in everywhere]
        case "O":
            return [any(f[: min(i, n - 1) + 1]) for i in everywhere]
        case "H":
            return [all(f[: min(i, n - 1) + 1]) for i in everywhere]
        case "S":
            return [_since(f, g, min(i, n - 1)) for i in everywhere]
    raise TaskError(f'operator "{formula.symbol}" has no meaning')


def _until(f: list[bool], g: list[bool]) -> list[bool]:
    n = len(f) - 1
    return [any(g[j] and all(f[i:j]) for j in range(i, n)) for i in range(n + 1)]


def _since(f: list[bool], g: list[bool], i: int) -> bool:
    return any(g[k] and all(f[k + 1 : i + 1]) for k in range(i + 1))
