"""Expressions over variables and coins: conditions and small whole numbers, written once.

A world evaluates them state by state; a planner on decision diagrams lifts them to sets of states. For both
an expression is a Python function of its parts, so that any function of a few small values can be used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Literal

import numpy as np

from demospec.errors import WorldError

Value = int  # True and False are conditions' values
Kind = Literal["condition", "number"]


class Expression:
    """What depends on the state and the coins: a condition, or a whole number.

    Conditions are joined by `&`, `|`, `^` and `~`. Numbers are compared by `==`, `<` and so on, and added;
    bits and other conditions can be compared too. `condition.then(a, b)` is a where it holds, else b.
    """

    parts: tuple[Expression, ...] = ()

    def at(self, values: Mapping[str, Value]) -> Value:
        """Return the value where variables and coins have these values."""
        raise NotImplementedError

    def then(self, yes: Expression | Value, no: Expression | Value) -> Expression:
        """Return the first where this condition holds, else the second."""
        return Choice((self, expression(yes), expression(no)))

    def __and__(self, other: Expression | Value) -> Expression:
        return Join("&", (self, expression(other)))

    def __or__(self, other: Expression | Value) -> Expression:
        return Join("|", (self, expression(other)))

    def __xor__(self, other: Expression | Value) -> Expression:
        return Join("^", (self, expression(other)))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Expression:
        return Join("^", (self, Constant(True)))

    def __add__(self, other: Expression | Value) -> Expression:
        return Lifted(operator.add, (self, expression(other)))

    __radd__ = __add__

    def __sub__(self, other: Expression | Value) -> Expression:
        return Lifted(operator.sub, (self, expression(other)))

    def __rsub__(self, other: Value) -> Expression:
        return Lifted(operator.sub, (expression(other), self))

    def __eq__(self, other: Expression | Value) -> Expression:  # type: ignore[override]
        return Lifted(operator.eq, (self, expression(other)))

    def __ne__(self, other: Expression | Value) -> Expression:  # type: ignore[override]
        return Lifted(operator.ne, (self, expression(other)))

    def __lt__(self, other: Expression | Value) -> Expression:
        return Lifted(operator.lt, (self, expression(other)))

    def __le__(self, other: Expression | Value) -> Expression:
        return Lifted(operator.le, (self, expression(other)))

    def __gt__(self, other: Expression | Value) -> Expression:
        return Lifted(operator.gt, (self, expression(other)))

    def __ge__(self, other: Expression | Value) -> Expression:
        return Lifted(operator.ge, (self, expression(other)))

    def __bool__(self) -> bool:
        raise WorldError(
            "an expression is neither true nor false before a state is known; "
            "join conditions with &, | and ~, not with and, or and not"
        )


@dataclass(frozen=True, eq=False)
class Constant(Expression):
    """The same value everywhere."""

    value: Value

    def at(self, values: Mapping[str, Value]) -> Value:
        return self.value


@dataclass(frozen=True, eq=False)
class Variable(Expression):
    """A part of the state: a bit (true or false), or a whole number from `low` to `high`."""

    name: str
    domain: tuple[Value, ...]

    @property
    def is_bit(self) -> bool:
        """Say whether the values are true and false."""
        return self.domain[0] is False

    def can_be(self, value: object) -> bool:
        """Say whether a value is one of the variable's: 1 is not true, and 1.0 not a whole number."""
        return type(value) is type(self.domain[0]) and value in self.domain

    @property
    def expected(self) -> str:
        """Return what a message calls the values."""
        return "true or false" if self.is_bit else f"a number from {self.domain[0]} to {self.domain[-1]}"

    def at(self, values: Mapping[str, Value]) -> Value:
        return values[self.name]

    def clip(self, number: Expression | Value) -> Expression:
        """Return the value of this variable's range that is nearest to a number: walls stop a walker."""
        return Lifted(partial(clipped, self.domain[0], self.domain[-1]), (expression(number),))


@dataclass(frozen=True, eq=False)
class Coin(Expression):
    """A coin that the world throws anew in every step, independently of all others."""

    name: str
    probability: float  # of true

    def at(self, values: Mapping[str, Value]) -> Value:
        return values[self.name]


@dataclass(frozen=True, eq=False)
class Join(Expression):
    """Several conditions in one."""

    sign: str  # & | or ^
    parts: tuple[Expression, ...]

    def at(self, values: Mapping[str, Value]) -> Value:
        return reduce(JOINS[self.sign], [truth(part.at(values), self.sign) for part in self.parts])


JOINS: dict[str, Callable[[Any, Any], Any]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}


@dataclass(frozen=True, eq=False)
class Choice(Expression):
    """One of two values, by a condition."""

    parts: tuple[Expression, ...]  # condition, where it holds, where not

    def at(self, values: Mapping[str, Value]) -> Value:
        condition, yes, no = self.parts
        return (yes if truth(condition.at(values), "then") else no).at(values)


@dataclass(frozen=True, eq=False, kw_only=True)
class Member(Choice):
    """The member of an array that an index chooses; it remembers how a formula wrote it."""

    index: Expression
    first: int  # the least number that the index can be
    members: tuple[Variable, ...]  # from that one on


@dataclass(frozen=True, eq=False)
class Lifted(Expression):
    """A Python function of the parts' values; a diagram needs its value for all of their combinations."""

    function: Callable[..., Value]
    parts: tuple[Expression, ...]

    def at(self, values: Mapping[str, Value]) -> Value:
        return self.apply(*(part.at(values) for part in self.parts))

    def apply(self, *values: Value) -> Value:
        """Return the function's value for values of the parts, as plain Python."""
        found = self.function(*values)
        return found.item() if isinstance(found, np.generic) else found


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SUMS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub}


def clipped(low: int, high: int, number: int) -> int:
    """Return the number from `low` to `high` that is nearest to another."""
    return min(max(number, low), high)


def expression(value: Expression | Value) -> Expression:
    """Return an expression as it is, and a plain value as a constant one."""
    return value if isinstance(value, Expression) else Constant(value)


def truth(value: Value, place: str) -> bool:
    """Return a condition's value; refuse a number that stands where a condition belongs."""
    if not isinstance(value, bool):
        raise WorldError(f"{place} needs a condition, true or false; found the number {value}")
    return value


def bit(name: str) -> Variable:
    """Make a variable that is true or false."""
    return Variable(checked_name(name), (False, True))


def bits(prefix: str, count: int) -> list[Variable]:
    """Make bits with the names prefix0, prefix1, …"""
    return [bit(f"{prefix}{number}") for number in range(count)]


def integer(name: str, low: int, high: int) -> Variable:
    """Make a variable that is a whole number from `low` to `high`."""
    if low > high:
        raise WorldError(f'variable "{name}": the range from {low} to {high} is empty')
    return Variable(checked_name(name), tuple(range(low, high + 1)))


def coin(name: str, probability: float) -> Expression:
    """Make a coin that shows true with a probability; at 0 and 1 nothing needs to be thrown."""
    if not 0 <= probability <= 1:
        raise WorldError(f'coin "{name}": the probability {probability:g} is not between 0 and 1')
    return Coin(checked_name(name), probability) if 0 < probability < 1 else Constant(probability == 1)


def all_of(conditions: Iterable[Expression]) -> Expression:
    """Return the condition that all of these hold."""
    return Join("&", (Constant(True), *conditions))


def any_of(conditions: Iterable[Expression]) -> Expression:
    """Return the condition that at least one of these holds."""
    return Join("|", (Constant(False), *conditions))


def lift(function: Callable[..., Value]) -> Callable[..., Expression]:
    """Turn a Python function of small values into one of expressions.

    >>> near = lift(lambda column, row: abs(column - 3) + abs(row - 3) <= 1)
    >>> near(integer("column", 1, 8), integer("row", 1, 8)).at({"column": 3, "row": 4})
    True
    """
    return lambda *parts: Lifted(function, tuple(expression(part) for part in parts))


def checked_name(name: str) -> str:
    """Refuse a name that could not be read back from the name of a state."""
    if not name or any(sign.isspace() or sign in "=," for sign in name):
        raise WorldError(f'the name "{name}" is empty, or has a space, a comma or = in it')
    return name


def leaves(whole: Expression) -> Iterator[Variable | Coin]:
    """Yield the variables and coins that an expression mentions, in order; parts that are shared once."""
    stack, seen = [whole], set()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, (Variable, Coin)):
            yield part
        stack.extend(reversed(part.parts))


def kind_of(whole: Expression) -> Kind:
    """Say whether an expression is a condition or a number."""
    if isinstance(whole, Choice):
        return kind_of(whole.parts[1])
    if isinstance(whole, Constant):
        return "condition" if isinstance(whole.value, bool | np.bool_) else "number"
    if isinstance(whole, Variable):
        return "condition" if whole.is_bit else "number"
    is_number = isinstance(whole, Lifted) and whole.function not in COMPARISONS.values()
    return "number" if is_number else "condition"


def bounds_of(whole: Expression) -> tuple[int, int]:
    """Return between which numbers a number of the language is."""
    if isinstance(whole, Constant):
        return whole.value, whole.value
    if isinstance(whole, Variable):
        return whole.domain[0], whole.domain[-1]
    (low, high), *others = (bounds_of(part) for part in whole.parts[isinstance(whole, Choice) :])
    if isinstance(whole, Choice):
        return min(low, others[0][0]), max(high, others[0][1])
    assert isinstance(whole, Lifted)
    if others:
        other_low, other_high = others[0]
        add = whole.function is operator.add
        return (low + other_low, high + other_high) if add else (low - other_high, high - other_low)
    return whole.function(low), whole.function(high)  # clipped
