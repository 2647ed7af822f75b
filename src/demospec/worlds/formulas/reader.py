"""The parser of formulas: by recursive descent, with the kind, the bounds and the size of every part."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, NoReturn

from demospec.errors import WorldError
from demospec.wording import listing, nearest
from demospec.worlds.expressions import (
    Choice,
    Constant,
    Expression,
    Join,
    Lifted,
    Value,
    Variable,
    clipped,
)
from demospec.worlds.formulas.language import (
    COMPARISONS,
    DEEPEST,
    IF,
    MOST_PARTS,
    NOT,
    SIGNS,
    SUMS,
    TIGHT,
    VALUE,
    WORDS,
    Kind,
    Member,
    Names,
)
from demospec.worlds.formulas.tokens import Token, Tokens


def parse(text: str, names: Names, kind: Kind = "condition", *, coins: bool = True) -> Expression:
    """Read a formula for a condition or a number; `coins` tells whether it may depend on chance.

    >>> place = Variable("place", tuple(range(40)))
    >>> parse("place < 3 or place == 7", Names({"place": place})).at({"place": 7})
    True
    """
    return Reader(text, names, coins=coins).whole(kind, "here").expression


class Part(NamedTuple):
    """What was read between two places of the text, and what is known of it whatever the state."""

    expression: Expression
    kind: Kind
    start: int
    end: int
    low: int = 0  # bounds of a number
    high: int = 0
    depth: int = 1  # levels, parentheses included
    size: int = 1  # parts that it has when nothing is shared


class Reader(Tokens):
    """Reads one formula from left to right."""

    def __init__(self, text: str, names: Names, *, coins: bool = True) -> None:
        super().__init__(text)
        self.names, self.coins = names, coins
        self.nested = 0
        self.bound: dict[str, int] = {}  # by `for`
        self.index_is: tuple[Sequence[Token], int] | None = None  # the text of an index, and its value

    # Parts of what was read.

    def made(
        self, whole: Expression, kind: Kind, parts: Sequence[Part], start: int, low: int = 0, high: int = 0
    ) -> Part:
        """Return a part that is made of others."""
        depth = 1 + max(part.depth for part in parts)
        if depth > DEEPEST:
            self.too_deep(start)
        size = self.check_size(1 + sum(part.size for part in parts), start)
        return Part(whole, kind, start, self.end, low, high, depth, size)

    def too_deep(self, start: int) -> NoReturn:
        """Refuse a formula that is nested too deeply."""
        self.refuse(start, f"the formula is nested more than {DEEPEST} levels deep")

    def check_size(self, size: int, start: int) -> int:
        """Return how many parts a formula has; refuse too many."""
        if size > MOST_PARTS:
            self.refuse(start, f"the formula has more than {MOST_PARTS} parts when arrays are written out")
        return size

    def enclosed(self, part: Part, start: int) -> Part:
        """Return a part with the level that parentheses take."""
        return self.made(part.expression, part.kind, [part], start, part.low, part.high)

    def constant(self, value: Value, start: int) -> Part:
        """Return a plain value."""
        kind: Kind = "condition" if isinstance(value, bool) else "number"
        return Part(Constant(value), kind, start, self.end, value, value)

    def leaf(self, variable: Variable, start: int) -> Part:
        """Return a variable."""
        kind: Kind = "condition" if variable.is_bit else "number"
        return Part(variable, kind, start, self.end, variable.domain[0], variable.domain[-1])

    def choice(self, condition: Part, yes: Part, no: Part, start: int) -> Part:
        """Return one of two parts, by a condition."""
        parts = (condition, yes, no)
        whole = Choice(tuple(part.expression for part in parts))
        return self.made(whole, yes.kind, parts, start, min(yes.low, no.low), max(yes.high, no.high))

    def join(self, word: str, parts: Sequence[Part], start: int) -> Part:
        """Return several conditions in one."""
        for part in parts:
            self.need(part, "condition", word)
        whole = Join(SIGNS[word], tuple(part.expression for part in parts))
        return self.made(whole, "condition", parts, start)

    def added(self, left: Part, sign: str, right: Part, start: int) -> Part:
        """Return the sum or the difference of two numbers."""
        for part in (left, right):
            self.need(part, "number", sign)
        low, high = (right.low, right.high) if sign == "+" else (-right.high, -right.low)
        whole = Lifted(SUMS[sign], (left.expression, right.expression))
        return self.made(whole, "number", (left, right), start, left.low + low, left.high + high)

    def comparison(self, left: Part, sign: Token, right: Part, start: int) -> Part:
        """Return a comparison: of two numbers, or whether two conditions are alike."""
        if self.sees(*COMPARISONS):
            self.refuse(self.token.start, "comparisons cannot be chained; join two of them by and")
        if sign.text in ("==", "!="):
            self.alike(left, right, sign.text, sign.start)
        else:
            self.need(left, "number", sign.text)
            self.need(right, "number", sign.text)
        whole = Lifted(COMPARISONS[sign.text], (left.expression, right.expression))
        return self.made(whole, "condition", (left, right), start)

    def need(self, part: Part, kind: Kind, what: str) -> None:
        """Refuse a condition where a number belongs, and the other way round."""
        if part.kind != kind:
            self.refuse(part.start, f"{what} needs a {kind}; {self.told(part)}")

    def alike(self, one: Part, other: Part, what: str, start: int) -> None:
        """Refuse a condition beside a number."""
        if one.kind != other.kind:
            self.refuse(start, f"{what} needs two of one kind; {self.told(one)}, {self.told(other)}")

    def told(self, part: Part) -> str:
        """Tell the kind of a part."""
        return f"{self.shown(part.start, part.end)} is a {part.kind}"

    # The grammar.

    def whole(self, kind: Kind, where: str) -> Part:
        """Read all of the text."""
        if self.token.kind == "end":
            raise WorldError("the formula is empty")
        try:
            part = self.formula()
        except RecursionError:  # whoever called was deep down already
            raise WorldError("the formula is nested too deeply") from None
        if self.sees("for"):
            self.refuse(self.token.start, '"for" belongs into all(…) and any(…)')
        self.finish("an operator or the end")
        if part.kind != kind:
            self.refuse(part.start, f"expected a {kind} {where}; {self.told(part)}")
        return part

    def formula(self) -> Part:
        """Read `if … then … else …`, or whatever binds more tightly."""
        self.nested += 1
        if self.nested > DEEPEST:
            self.too_deep(self.token.start)
        chosen: list[tuple[int, Part, Part]] = []
        while self.sees("if"):  # after `else` as well: a long row of cases is not nested
            start = self.take().start
            condition = self.formula()
            self.need(condition, "condition", "if")
            self.expect("then")
            yes = self.formula()
            self.expect("else")
            chosen.append((start, condition, yes))
        part = self.binary(IF)
        for start, condition, yes in reversed(chosen):
            self.alike(yes, part, "then … else", start)
            part = self.choice(condition, yes, part, start)
        self.nested -= 1
        return part

    def binary(self, least: int) -> Part:
        """Read operators that bind at least so tightly, and what they join."""
        start, part = self.token.start, self.prefix(least)
        while self.token.kind != "name" and TIGHT.get(self.token.text, -1) >= least:
            sign = self.take()
            right = self.binary(TIGHT[sign.text] + 1)
            if sign.text in SIGNS:
                parts = [part, right]
                while self.sees(sign.text):
                    self.take()
                    parts.append(self.binary(TIGHT[sign.text] + 1))
                part = self.join(sign.text, parts, start)
            elif sign.text in SUMS:
                part = self.added(part, sign.text, right, start)
            else:
                part = self.comparison(part, sign, right, start)
        return part

    def prefix(self, least: int) -> Part:
        """Read `not …`, `-…`, or a value."""
        start = self.token.start
        if not self.sees("not", "-"):
            return self.value()
        if self.sees("not") and least > NOT:
            self.refuse(start, 'put parentheses around "not …"')
        negative = self.take().text == "-"
        if negative and self.token.kind == "number":
            return self.constant(-int(self.take().text), start)
        self.nested += 1
        if self.nested > DEEPEST:
            self.too_deep(start)
        part = self.binary(VALUE if negative else NOT)
        self.nested -= 1
        if negative:
            return self.added(self.constant(0, start), "-", part, start)
        self.need(part, "condition", "not")
        return self.made(Join("^", (part.expression, Constant(True))), "condition", [part], start)

    def value(self) -> Part:
        """Read a constant, a variable, a coin, a call, or something in parentheses."""
        start = self.token.start
        if self.token.kind == "number":
            return self.constant(int(self.take().text), start)
        if self.token.kind == "name":
            return self.named(self.take())
        if self.sees("true", "false"):
            return self.constant(self.take().text == "true", start)
        if self.sees("all", "any"):
            return self.several({"all": "and", "any": "or"}[self.take().text], start)
        if self.sees("clip"):
            self.take()
            return self.clip(start)
        if self.sees("if"):
            self.refuse(start, 'put parentheses around "if … then … else …"')
        if not self.sees("("):
            self.wrong("expected a value")
        opened = self.take()
        part = self.formula()
        self.close(opened)
        return self.enclosed(part, start)

    def named(self, token: Token) -> Part:
        """Return what a name stands for."""
        name, names, start = token.text, self.names, token.start
        if name in self.bound:
            return self.constant(self.bound[name], start)
        if name in names.variables:
            if self.sees("["):
                self.refuse(self.token.start, f'"{name}" is one variable; only an array has members')
            return self.leaf(names.variables[name], start)
        if name in names.arrays:
            if not self.sees("["):
                last = len(names.arrays[name]) - 1
                self.refuse(start, f'"{name}" is an array; its members are {name}[0] to {name}[{last}]')
            index, _ = self.index(token)
            return self.member(names.arrays[name], index, start)
        if name not in names.coins:
            near = nearest(name, [*names.known, *names.variables, *self.bound, *sorted(WORDS)])
            what = self.shown(start, token.end)
            self.refuse(start, f"{what} is not known{near}; names: {listing(names.known)}")
        if not self.coins:
            self.refuse(start, f'"{name}" is a coin, but only the state decides here')
        return Part(names.coins[name], "condition", start, token.end)

    def index(self, token: Token) -> tuple[Part, Sequence[Token]]:
        """Read the index of an array; return it with its tokens."""
        opened, first = self.take(), self.at
        part = self.formula()
        tokens = self.tokens[first : self.at]
        self.close(opened)
        self.need(part, "number", f"the index of {token.text}")
        if self.index_is is not None and same(tokens, self.index_is[0]):
            part = self.constant(self.index_is[1], part.start)
        last = len(self.names.arrays[token.text]) - 1
        if part.low < 0 or part.high > last:
            span = f"{part.low}" if part.low == part.high else f"anything from {part.low} to {part.high}"
            self.refuse(part.start, f'"{token.text}" has the members 0 to {last}; the index can be {span}')
        return part, tokens

    def member(self, array: tuple[Variable, ...], index: Part, start: int) -> Part:
        """Return the member of an array that an index chooses."""
        part = self.among(array, index, index.low, index.high)
        if index.low < index.high:
            members = array[index.low : index.high + 1]
            parts, low = part.expression.parts, index.low
            whole = Member(parts=parts, index=index.expression, first=low, members=members)
            part = part._replace(expression=whole)
        return self.enclosed(part, start)

    def among(self, array: tuple[Variable, ...], index: Part, low: int, high: int) -> Part:
        """Choose between the members from one number to another by halving, so that few steps do."""
        if low == high:
            return self.leaf(array[low], index.start)
        middle = (low + high + 1) // 2
        below = Lifted(operator.lt, (index.expression, Constant(middle)))
        condition = self.made(below, "condition", [index], index.start)
        halves = self.among(array, index, low, middle - 1), self.among(array, index, middle, high)
        return self.choice(condition, *halves, index.start)

    def several(self, word: str, start: int) -> Part:
        """Read `(…, …)` or `(… for i in 0..3)` after `all` or `any`."""
        at = self.at
        opened = self.expect("(")
        parts: list[Part] = []
        if at in self.fors:
            body, self.at = self.at, self.fors[at]
            name, numbers = self.binder()
            self.close(opened)
            after, size = self.at, 0
            for number in numbers:
                self.at, self.bound[name] = body, number
                parts.append(self.formula())
                if self.at != self.fors[at]:
                    self.wrong('expected an operator or "for"')
                size = self.check_size(size + parts[-1].size, start)
            del self.bound[name]
            self.at = after
        else:
            parts.append(self.formula())
            while self.sees(","):
                self.take()
                parts.append(self.formula())
            self.close(opened)
        return self.join(word, parts, start)

    def binder(self) -> tuple[str, range]:
        """Read `for i in 0..39`."""
        self.expect("for")
        token = self.take_name('a name after "for"')
        if token.text in self.names or token.text in self.bound:
            self.refuse(token.start, f'"{token.text}" has a meaning already; take another name after "for"')
        self.expect("in")
        low, high = self.span()
        return token.text, range(low, high + 1)

    def span(self) -> tuple[int, int]:
        """Read `0..39`."""
        start, low = self.token.start, self.number()
        self.expect("..", " and the end of the range")
        high = self.number()
        if low > high:
            self.refuse(start, f"the range from {low} to {high} is empty")
        return low, high

    def number(self) -> int:
        """Read a plain number."""
        sign = -1 if self.sees("-") and self.take() else 1
        if self.token.kind != "number":
            self.wrong("expected a number of a range such as 0..9")
        return sign * int(self.take().text)

    def clip(self, start: int) -> Part:
        """Read `(x, number)` or `(0..9, number)` after `clip`."""
        opened = self.expect("(")
        if self.token.kind == "name" and self.token.text not in self.bound:
            token = self.take()
            array = self.names.arrays.get(token.text, ())
            if array and self.sees("["):
                self.index(token)
            variable = array[0] if array else self.names.variables.get(token.text)
            if variable is None or variable.is_bit:
                near = "" if token.text in self.names else nearest(token.text, self.names.known)
                what = self.shown(token.start, token.end)
                self.refuse(token.start, f"clip needs the name of a number or a range, found {what}{near}")
            low, high = variable.domain[0], variable.domain[-1]
        else:
            low, high = self.span()
        self.expect(",")
        part = self.formula()
        self.need(part, "number", "clip")
        self.close(opened)
        whole = Lifted(partial(clipped, low, high), (part.expression,))
        bounds = clipped(low, high, part.low), clipped(low, high, part.high)
        return self.made(whole, "number", [part], start, *bounds)


def same(tokens: Sequence[Token], others: Sequence[Token]) -> bool:
    """Say whether tokens say the same, wherever they stand."""
    return [token[:2] for token in tokens] == [token[:2] for token in others]
