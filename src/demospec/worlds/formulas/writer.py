"""The printer of formulas: what it writes is read back as an expression with the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from demospec.errors import WorldError
from demospec.limits import DIGITS, EXPRESSION
from demospec.worlds.expressions import (
    Choice,
    Coin,
    Constant,
    Expression,
    Join,
    Lifted,
    Variable,
    clipped,
    leaves,
)
from demospec.worlds.formulas.language import (
    COMPARISONS,
    DEEPEST,
    IF,
    NOT,
    SIGNS,
    SUM,
    SUMS,
    TIGHT,
    VALUE,
    WORDS,
    Kind,
    Member,
)
from demospec.worlds.formulas.tokens import NAME

REFUSED = "cannot be written as a formula"
WORD_OF = {sign: word for word, sign in SIGNS.items()}


class Piece(NamedTuple):
    """A part as text, and how tightly the text binds; the depth is that which a reader will count."""

    text: str
    kind: Kind
    tight: int = VALUE
    depth: int = 1


def quoted(name: str) -> str:
    """Return how a formula writes a name: as it is, or between backticks.

    >>> quoted("place"), quoted("if"), quoted("room-7")
    ('place', '`if`', '`room-7`')
    """
    if NAME.fullmatch(name) and name not in WORDS:
        return name
    return "`" + name.replace("`", "``") + "`"


def written(
    whole: Expression, arrays: Mapping[str, tuple[Variable, ...]] | None = None, kind: Kind | None = None
) -> str:
    """Write an expression as a formula; variables that are members of arrays are written as such.

    Refuse it where it is not of the kind that is asked for.

    >>> from demospec.worlds.expressions import bits, integer
    >>> place, lamps = integer("place", 0, 9), bits("lamp", 9)
    >>> written(lamps[4] ^ (place == 4) & ~lamps[5], {"lamp": tuple(lamps)})
    'lamp[4] xor place == 4 and not lamp[5]'
    """
    piece = Writer(arrays or {}).write(whole)
    if kind is not None and piece.kind != kind:
        raise WorldError(f'expected a {kind}; "{piece.text}" is a {piece.kind}')
    return piece.text


class Writer:
    """Writes expressions; parts that are shared are written out at every place."""

    def __init__(self, arrays: Mapping[str, tuple[Variable, ...]]) -> None:
        self.member = {
            variable.name: (array, number)
            for array, members in arrays.items()
            for number, variable in enumerate(members)
        }
        self._known: dict[int, tuple[Expression, Piece]] = {}  # by identity; kept alive for it
        self._nested = 0

    def write(self, whole: Expression) -> Piece:
        """Return an expression as text."""
        known = self._known.get(id(whole))
        if known is None:
            self._nested += 1
            piece = self._write(whole) if self._nested <= DEEPEST else None
            if piece is None or piece.depth > DEEPEST:
                raise WorldError(f"an expression that is nested more than {DEEPEST} levels deep {REFUSED}")
            if len(piece.text) > EXPRESSION:
                raise WorldError(f"an expression of more than {EXPRESSION} characters {REFUSED}")
            known = self._known[id(whole)] = whole, piece
            self._nested -= 1
        return known[1]

    def _write(self, whole: Expression) -> Piece:
        if isinstance(whole, Constant):
            return self.constant(whole.value)
        if isinstance(whole, Variable):
            kind: Kind = "condition" if whole.is_bit else "number"
            if whole.name in self.member:
                own, number = self.member[whole.name]
                return Piece(f"{quoted(own)}[{number}]", kind, depth=2)
            return Piece(quoted(whole.name), kind)
        if isinstance(whole, Coin):
            return Piece(quoted(whole.name), "condition")
        if isinstance(whole, Join):
            return self.join(whole)
        if isinstance(whole, Member) and (array := self.array_of(whole)) is not None:
            return self.chosen(array, whole)
        if isinstance(whole, Choice):
            return self.choice(*map(self.write, whole.parts))
        assert isinstance(whole, Lifted)
        return self.lifted(whole)

    def constant(self, value: object) -> Piece:
        """Write a plain value."""
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, bool):
            return Piece("true" if value else "false", "condition")
        if not isinstance(value, int) or len(str(abs(value))) > DIGITS:
            raise WorldError(f"{value!r} {REFUSED}: a value is true, false, or a number of few digits")
        return Piece(str(value), "number")

    def join(self, whole: Join) -> Piece:
        """Write conditions that are joined; constants that do not matter are left out."""
        word, tight = WORD_OF[whole.sign], TIGHT[WORD_OF[whole.sign]]
        parts: list[Piece] = []
        odd = False  # whether an exclusive or is turned round
        for part in flat(whole):
            constant = part.value if isinstance(part, Constant) else None
            if word == "xor" and constant is True:
                odd = not odd
            elif constant is not (word == "and"):
                parts.append(self.condition(self.write(part), word))
        if not parts:
            return self.constant(odd or word == "and")
        joined = parts[0]
        if len(parts) > 1:
            joined = infix(f" {word} ", [around(part, tight + 1) for part in parts], "condition", tight)
        if not odd:
            return joined
        inner = around(joined, NOT)
        return Piece(f"not {inner.text}", "condition", NOT, 1 + inner.depth)

    def array_of(self, whole: Member) -> str | None:
        """Return the array of which a member is chosen, if there is one by these numbers."""
        found = [self.member.get(variable.name) for variable in whole.members]
        array = found[0][0] if found[0] else ""
        numbers = range(whole.first, whole.first + len(found))
        return array if found == [(array, number) for number in numbers] else None

    def chosen(self, array: str, whole: Member) -> Piece:
        """Write the member of an array that an index chooses."""
        index, halvings = self.write(whole.index), (len(whole.members) - 1).bit_length()
        kind: Kind = "condition" if whole.members[0].is_bit else "number"
        return Piece(f"{quoted(array)}[{index.text}]", kind, depth=index.depth + halvings + 2)

    def choice(self, condition: Piece, yes: Piece, no: Piece) -> Piece:
        """Write a choice between two values of one kind."""
        self.condition(condition, "then")
        if yes.kind != no.kind:
            raise WorldError(f"a choice between a condition and a number {REFUSED}")
        parts = [around(condition, IF + 1), around(yes, IF + 1), no]
        text = "if {} then {} else {}".format(*(part.text for part in parts))
        return Piece(text, yes.kind, IF, 1 + max(part.depth for part in parts))

    def lifted(self, whole: Lifted) -> Piece:
        """Write a function that the language knows."""
        parts, function = [self.write(part) for part in whole.parts], whole.function
        for sign, known in {**SUMS, **COMPARISONS}.items():
            if function is known and len(parts) == 2:
                tight = TIGHT[sign]
                alike = sign in ("==", "!=") and parts[0].kind == parts[1].kind
                left, right = parts if alike else map(as_number, parts)
                kind: Kind = "number" if sign in SUMS else "condition"
                left = around(left, tight if tight == SUM else tight + 1)
                return infix(f" {sign} ", [left, around(right, tight + 1)], kind, tight)
        if isinstance(function, partial) and function.func is clipped and is_range(function.args):
            low, high = function.args
            inside = (one for one in leaves(whole) if isinstance(one, Variable) and not one.is_bit)
            clip = next((one for one in inside if one.domain == tuple(range(low, high + 1))), None)
            first = f"{low}..{high}" if clip is None else self.write(clip).text
            part = as_number(parts[0])
            return Piece(f"clip({first}, {part.text})", "number", depth=1 + part.depth)
        name = getattr(function, "__name__", str(function))
        raise WorldError(
            f"the Python function {name} {REFUSED}: known are and, or, xor, not, if, clip, "
            f"{', '.join([*COMPARISONS, *SUMS])}"
        )

    def condition(self, piece: Piece, word: str) -> Piece:
        """Refuse a number where a condition belongs."""
        if piece.kind != "condition":
            raise WorldError(f'{word} needs a condition, true or false; found the number "{piece.text}"')
        return piece


def is_range(ends: Sequence[object]) -> bool:
    """Say whether these are the ends of a range of whole numbers."""
    return len(ends) == 2 and all(type(end) is int for end in ends)


def flat(whole: Join) -> list[Expression]:
    """Return what a condition joins, at any depth, by its own sign."""
    stack: list[Expression] = [whole]
    found: list[Expression] = []
    while stack:
        part = stack.pop()
        if isinstance(part, Join) and part.sign == whole.sign:
            stack.extend(reversed(part.parts))
        else:
            found.append(part)
        if len(found) > EXPRESSION:
            raise WorldError(f"an expression of more than {EXPRESSION} characters {REFUSED}")
    return found


def around(piece: Piece, tight: int) -> Piece:
    """Put a part in parentheses unless it binds at least so tightly."""
    return piece if piece.tight >= tight else Piece(f"({piece.text})", piece.kind, VALUE, 1 + piece.depth)


def as_number(piece: Piece) -> Piece:
    """Return a condition as the number that it counts for."""
    if piece.kind == "number":
        return piece
    inner = around(piece, IF + 1)
    return Piece(f"if {inner.text} then 1 else 0", "number", IF, 1 + inner.depth)


def infix(sign: str, parts: Sequence[Piece], kind: Kind, tight: int) -> Piece:
    """Write parts with a sign between them."""
    text = sign.join(part.text for part in parts)
    return Piece(text, kind, tight, 1 + max(part.depth for part in parts))
