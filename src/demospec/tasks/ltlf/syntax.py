"""Formulas as values: frozen, hashable, printed so that the parser gives them back.

| node | operators |
|---|---|
| `Letter` | a letter of the alphabet, which holds where it is read |
| `Constant` | `true`, `false`, `last` |
| `Unary` | `!`, next `X[!]` (strong) and `X` (weak), `F`, `G`; past `Y`, `O`, `H` |
| `Binary` | `U`, `W`, `R`, `M`, `->`, `<->`; past `S` |
| `Many` | `&` and `|`, of two or more |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from demospec.errors import TaskError, count, listing

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

    >>> from demospec.tasks.ltlf import parse
    >>> formula = parse("(F (y)) & ((!r) W y)")
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
        """Return the letter."""
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
        """Return the constant."""
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
        """Return the operator."""
        return self.operator

    @property
    def parts(self) -> tuple[Formula, ...]:
        """Return the operand."""
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
        """Return the operator."""
        return self.operator

    @property
    def parts(self) -> tuple[Formula, ...]:
        """Return the left and the right operand."""
        return (self.left, self.right)

    @property
    def level(self) -> int:
        """Return how tightly the operator binds."""
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
        """Return the operator."""
        return self.operator

    @property
    def parts(self) -> tuple[Formula, ...]:
        """Return the operands."""
        return self.operands

    @property
    def level(self) -> int:
        """Return how tightly the operator binds."""
        return LEVEL[self.operator]

    def __str__(self) -> str:
        # "F y & (!r W y)" reads better than what needs no parentheses
        return f" {self.operator} ".join([operand._within(self._above(operand)) for operand in self.operands])

    def _above(self, operand: Formula) -> int:
        return PREFIX if operand.level == LEVEL["U"] else self.level + 1


def joined(operator: str, *operands: Formula) -> Formula:
    """Return an operator with its operands.

    >>> str(joined("U", Letter("a"), joined("&", Letter("b"), Letter("c"), Letter("d"))))
    'a U (b & c & d)'
    """
    if operator in LISTS:
        return Many(operator, operands)
    wanted = 1 if operator in PREFIXES else 2
    if len(operands) != wanted:
        raise TaskError(f'operator "{operator}" takes {count(wanted, "operand")}; found {len(operands)}')
    return Unary(operator, *operands) if wanted == 1 else Binary(operator, *operands)
