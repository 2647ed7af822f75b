"""What formulas are made of: words, signs, the names of a world; and how large they may be."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from demospec.worlds.expressions import Choice, Expression, Variable

Kind = Literal["condition", "number"]

DEEPEST = 100  # levels, parentheses included: whatever works on expressions calls itself for each
MOST_PARTS = 100_000  # of a formula in which arrays are written out, member by member

WORDS = frozenset(
    ("true", "false", "not", "and", "or", "xor", "if", "then", "else", "clip", "all", "any", "for", "in")
)
SIGNS = {"or": "|", "xor": "^", "and": "&"}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SUMS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub}

# How tightly operators bind.
IF, NOT, COMPARISON, SUM, VALUE = 0, 4, 5, 6, 7
TIGHT = {"or": 1, "xor": 2, "and": 3, **dict.fromkeys(COMPARISONS, COMPARISON), **dict.fromkeys(SUMS, SUM)}


@dataclass(frozen=True)
class Names:
    """What formulas can mention: variables, arrays of some of them, and coins.

    The member 4 of an array `lamp` is written lamp[4]; it is also known by the name of the variable, lamp4.
    """

    variables: Mapping[str, Variable]
    arrays: Mapping[str, tuple[Variable, ...]] = field(default_factory=dict)
    coins: Mapping[str, Expression] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.variables or name in self.arrays or name in self.coins

    @property
    def known(self) -> list[str]:
        """Return the names for a message; an array is one of them, its members are not."""
        members = {variable.name for array in self.arrays.values() for variable in array}
        return [*(name for name in self.variables if name not in members), *self.arrays, *self.coins]


@dataclass(frozen=True, eq=False, kw_only=True)
class Member(Choice):
    """The member of an array that an index chooses; it remembers how it was written."""

    index: Expression
    first: int  # the least number that the index can be
    members: tuple[Variable, ...]  # from that one on
