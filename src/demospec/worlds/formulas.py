"""Formulas: expressions over variables and coins as text, so that a factored world can be a file.

    if slip then place else clip(place, place - 1)
    place == 4 and not any(lamp[i] for i in 0..3)

From loose to tight: `if … then … else …`; `or`; `xor`; `and`; `not`; `==` `!=` `<` `<=` `>` `>=`; `+` `-`.
`|` `^` `&` `!` are other ways to write `or` `xor` `and` `not`, and `a if p else b` is Python's for the first.
A text is turned into Python's words token by token, and Python's own parser tells how they belong together;
nothing is evaluated. Whether something is a condition or a number is known from the text alone, and so are
bounds of a number.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, NoReturn

import numpy as np

from demospec.errors import WorldError
from demospec.limits import DIGITS, EXPRESSION
from demospec.wording import listing, nearest
from demospec.worlds.expressions import (
    COMPARISONS,
    SUMS,
    Choice,
    Coin,
    Constant,
    Expression,
    Join,
    Kind,
    Lifted,
    Member,
    Variable,
    bounds_of,
    clipped,
    kind_of,
    leaves,
)

DEEPEST = 100  # levels, and open parentheses: whatever works on expressions calls itself for each
TOO_DEEP = f"the formula is nested more than {DEEPEST} levels deep"
MOST_PARTS = 100_000  # of a formula in which arrays are written out, member by member

SIGNS = {"or": "|", "xor": "^", "and": "&"}
CALLS = {"all": "and", "any": "or", "clip": ""}
INFIX = frozenset((*SIGNS, *COMPARISONS, *SUMS, "..", ",", "in", "[", "for", "if else"))
PREFIX = frozenset((*CALLS, "(", "not", "-", "true", "false", "if"))
WORDS = frozenset((*SIGNS, *CALLS, "true", "false", "not", "if", "then", "else", "for", "in"))


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


# -- A text as Python's words ---------------------------------------------------------------------------

NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    rf"(?P<number>[0-9]+)|(?P<name>{NAME.pattern})|`(?P<quoted>(?:[^`]|``)+)`"
    r"|(?P<sign>\.\.|[=!<>]=|[-+<>()\[\],&|^!~])|(?P<other>\S)"
)
MEANT = {"=": "==", "≠": "!=", "≤": "<=", "≥": ">="}
SAME = {"&": "and", "|": "or", "^": "xor", "!": "not", "~": "not"}
# What Python says for our words. Nothing of Python's stands between `or` and `and`: which `or` was a `xor` is
# seen from the tokens. What stands behind `if`, `then`, `else` becomes { } if { } else …, in this order.
PYTHON = {"true": "True", "false": "False", "xor": "or", "..": "@"}
PYTHON |= {"if": "{", "then": "} if {", "if else": "if"}
CLOSES = {"(": ")", "[": "]", "if": "then", "then": "else", "if else": "else"}
CLOSED_BY = frozenset(CLOSES.values())


class FormulaToken(NamedTuple):
    """A word, name, number or sign of a formula, and where it is; a sign is a word."""

    kind: str  # word, name, number or end
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text if self.kind == "word" else ""


class FormulaText:
    """A formula's text and its tokens; it tells what is wrong by its place."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > EXPRESSION:
            raise WorldError(f"the formula has {len(text)} characters; at most {EXPRESSION} are read")
        self.tokens: list[FormulaToken] = []
        for match in _TOKEN.finditer(text):
            kind, piece, start = match.lastgroup or "", match[0], match.start()
            if kind == "other":
                meant = f'; write "{MEANT[piece]}"' if piece in MEANT else ""
                self.refuse(start, f'"{piece}" is no sign of formulas{meant}')
            if kind == "number" and len(piece) > DIGITS:
                self.refuse(start, f"a number has {len(piece)} digits; at most {DIGITS} are read")
            if kind == "quoted":
                kind, piece = "name", match["quoted"].replace("``", "`")
            elif kind == "sign" or piece in WORDS:
                kind, piece = "word", SAME.get(piece, piece)
            self.tokens.append(FormulaToken(kind, piece, start, match.end()))
        self.tokens.append(FormulaToken("end", "", len(text), len(text)))

    def wrong(self, expected: str, token: FormulaToken) -> NoReturn:
        """Complain about a token."""
        found = "the end" if token.kind == "end" else self.shown(token.start, token.end)
        self.refuse(token.start, f"{expected}, found {found}")

    def shown(self, start: int, end: int) -> str:
        """Return a piece of the text for a message."""
        piece = " ".join(self.text[start:end].split())
        return f'"{piece}"' if len(piece) <= 60 else f'"{piece[:59]}…"'

    def place(self, start: int) -> str:
        """Tell a place in the text, counting from 1."""
        line, column = self.text.count("\n", 0, start) + 1, start - self.text.rfind("\n", 0, start)
        return f"line {line}, column {column}" if "\n" in self.text else f"column {column}"

    def refuse(self, start: int, message: str) -> NoReturn:
        """Complain about a place in the text."""
        raise WorldError(message, place=self.place(start))


def parse_formula(text: str, names: Names, kind: Kind = "condition", *, coins: bool = True) -> Expression:
    """Read a formula for a condition or a number; `coins` tells whether it may depend on chance.

    >>> place = Variable("place", tuple(range(40)))
    >>> parse_formula("place < 3 or place == 7", Names({"place": place})).at({"place": 7})
    True
    """
    reader = FormulaReader(text, names, coins=coins)
    return reader.need(reader.tree, kind, "", "here")


class FormulaReader(FormulaText):
    """Lets Python's parser see a formula, and makes an expression of it, node by node."""

    def __init__(self, text: str, names: Names, *, coins: bool = True) -> None:
        super().__init__(text)
        self.known, self.coins = names, coins
        self.nested = 0
        self.bound: dict[str, int] = {}  # by `for`
        self.index_is: tuple[list[str], int] | None = None  # the words of an index, and its value
        self._measured: dict[int, tuple[Expression, int, int]] = {}  # by identity; kept alive for it
        if len(self.tokens) == 1:
            raise WorldError("the formula is empty")
        self.names: list[str] = []  # name k is called nk for Python
        self._starts: dict[int, int] = {}  # by the column in Python's text: which token
        self._ends: dict[int, int] = {}
        source = self._translated()
        try:
            self.tree = ast.parse(source, mode="eval").body
        except (RecursionError, MemoryError):  # MemoryError: what Python's parser says of its own stack
            raise WorldError(TOO_DEEP) from None
        except SyntaxError as error:
            at = max((one for one in self._starts if one < (error.offset or 1)), default=2)
            found = self.tokens[self._starts[at]]
            self.refuse(found.start, f"{self.shown(found.start, found.end)} cannot stand here")

    def _translated(self) -> str:
        """Return the text for Python; refuse what lacks a value, an operator or a parenthesis here."""
        numbers: dict[str, int] = {}
        opened: list[tuple[str, FormulaToken]] = []
        commas: dict[int, FormulaToken] = {}  # by how many are open around it: the last one there
        pieces, length, ended = ["("], 2, False  # whether a value has ended
        for at, token in enumerate(self.tokens):
            word, (within, opener) = token.word, opened[-1] if opened else ("", token)
            if word == "if" and ended:
                word = "if else"  # as Python has it
            self._check_follows(at, word, ended)
            if word == "for" and (comma := commas.get(len(opened))) is not None:
                self.wrong('expected an operator or "for"', comma)
            if ended:
                self._check_operator(token, word, within, opener)
            piece = PYTHON.get(word, word)
            if token.kind == "name":
                piece = f"n{numbers.setdefault(token.text, len(numbers))}"
            elif token.kind == "number":
                piece = str(int(token.text))
            elif word == "else" and within == "then":
                piece = "} else"
            if word == ",":
                commas[len(opened)] = token
            elif word in CLOSED_BY:
                commas.pop(len(opened), None)
                del opened[-1:]
            if word in CLOSES:
                opened.append((word, token))
                if len(opened) > DEEPEST:
                    self.refuse(token.start, TOO_DEEP)
            pieces.append(piece)
            self._starts[length], self._ends[length + len(piece)] = at, at
            length += len(piece) + 1
            ended = token.kind in ("name", "number") or word in (")", "]", "true", "false")
        self.names = list(numbers)
        source = " ".join([*pieces, ")"])
        self._starts[0], self._ends[len(source)] = 0, len(self.tokens) - 2
        return source

    def _check_follows(self, at: int, word: str, ended: bool) -> None:
        """Refuse a token that cannot follow the one before it, where that is no matter of what is open."""
        token = self.tokens[at]
        before, earlier = (self.tokens[at - back].word if at >= back else "" for back in (1, 2))
        if word == "not" and before in (*COMPARISONS, *SUMS):
            self.refuse(token.start, 'put parentheses around "not …"')
        if word == "if" and before in (*SIGNS, *COMPARISONS, *SUMS, "not"):
            self.refuse(token.start, 'put parentheses around "if … then … else …"')
        if before in CALLS and word != "(":
            self.wrong('expected "("', token)
        if before == "for" and token.kind != "name":
            self.wrong('expected a name after "for"', token)
        if earlier == "for" and word != "in":
            self.wrong('expected "in"', token)
        if not (ended or token.kind in ("name", "number") or word in PREFIX):
            self.wrong("expected a value", token)

    def _check_operator(self, token: FormulaToken, word: str, within: str, opener: FormulaToken) -> None:
        """Refuse what is no operator behind a value, and closes nothing that is open."""
        closing, any_operator = CLOSES.get(within, ""), "expected an operator or the end"
        if token.kind == "end" or word in CLOSED_BY:
            if closing and word != closing:
                of = f' for the "{within}" at {self.place(opener.start)}' if within in ("(", "[") else ""
                self.wrong(f'expected "{closing}"{of}', token)
            if word and not closing:
                self.wrong(any_operator, token)
        elif word not in INFIX:
            self.wrong(any_operator if within in ("", "(", "[") else f'expected "{closing}"', token)

    def span_of(self, node: ast.expr) -> list[FormulaToken]:
        """Return the tokens of a node."""
        return self.tokens[self._starts[node.col_offset] : self._ends[node.end_col_offset or 0] + 1]

    def operator_after(self, node: ast.expr) -> FormulaToken:
        """Return the operator behind a node, and behind the parentheses around it."""
        at = self._ends[node.end_col_offset or 0] + 1
        while self.tokens[at].text == ")":
            at += 1
        return self.tokens[at]

    def words(self, node: ast.expr) -> list[str]:
        """Return what the tokens of a node say, wherever it stands."""
        return [token.text for token in self.span_of(node)]

    def written(self, node: ast.expr) -> str:
        """Return the text of a node for a message."""
        tokens = self.span_of(node)
        return self.shown(tokens[0].start, tokens[-1].end)

    def wrong_at(self, node: ast.expr, message: str) -> NoReturn:
        """Complain about the place where a node begins."""
        self.refuse(self.span_of(node)[0].start, message)

    def name(self, node: ast.expr) -> str | None:
        """Return the name that a node is."""
        if isinstance(node, ast.Name) and node.id not in CALLS:
            return self.names[int(node.id[1:])]
        return None

    # -- from the nodes to the expression ----------------------------------------------------------------

    def need(self, node: ast.expr, kind: Kind, what: str, where: str = "") -> Expression:
        """Read a node; refuse a condition where a number belongs, and the other way round."""
        return self.check(node, self.part(node), kind, what, where)

    def check(self, node: ast.expr, part: Expression, kind: Kind, what: str, where: str = "") -> Expression:
        """Refuse what was read of a node where it is of the other kind."""
        if kind_of(part) != kind:
            told = f"{what} needs a {kind}" if what else f"expected a {kind} {where}"
            self.wrong_at(node, f"{told}; {self.told(node, part)}")
        return part

    def told(self, node: ast.expr, part: Expression) -> str:
        """Tell the kind of a part."""
        return f"{self.written(node)} is a {kind_of(part)}"

    def measure(self, whole: Expression) -> tuple[int, int]:
        """Return how deep an expression is, and how many parts it has when nothing is shared."""
        known = self._measured.get(id(whole))
        if known is None:
            parts = [self.measure(part) for part in whole.parts]
            depth, size = 1 + max((d for d, _ in parts), default=0), 1 + sum(s for _, s in parts)
            known = self._measured[id(whole)] = whole, depth, size
        return known[1:]

    def check_size(self, size: int, start: int) -> int:
        """Refuse a formula of too many parts."""
        if size > MOST_PARTS:
            self.refuse(start, f"the formula has more than {MOST_PARTS} parts when arrays are written out")
        return size

    def part(self, node: ast.expr) -> Expression:
        """Read one node, and all below it."""
        self.nested += 1
        deep = self.nested > DEEPEST
        part = Constant(False) if deep else self._part(node)
        depth, size = self.measure(part)
        if deep or depth > DEEPEST:
            self.wrong_at(node, TOO_DEEP)
        self.check_size(size, self.span_of(node)[0].start)
        self.nested -= 1
        return part

    def _part(self, node: ast.expr) -> Expression:
        """Read one of the nodes of Python's that formulas are made of."""
        match node:
            case ast.Constant(value=bool() | int() as value):
                return Constant(value)
            case ast.Name() if (name := self.name(node)) is not None:
                return self.named(name, node)
            case ast.Subscript(value=ast.Name() as array, slice=inner):
                return self.member(self.array(array), self.index(array, inner))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                part = self.need(inner, "number", "-")
                return Constant(-part.value) if isinstance(part, Constant) else 0 - part
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return ~self.need(inner, "condition", "not")
            case ast.BinOp(op=ast.Add() | ast.Sub() as op, left=left, right=right):
                add = "+" if isinstance(op, ast.Add) else "-"
                return Lifted(SUMS[add], (self.need(left, "number", add), self.need(right, "number", add)))
            case ast.BoolOp(values=values):
                return self.join(values)
            case ast.Compare(left=left, comparators=[right]):
                return self.comparison(left, right)
            case ast.Compare(comparators=[second, *_]):
                chained = self.operator_after(second).start
                return self.refuse(chained, "comparisons cannot be chained; join two of them by and")
            case ast.IfExp(body=ast.Set(elts=[condition]), test=ast.Set(elts=[yes]), orelse=no):
                return self.choice(node, condition, yes, no)
            case ast.IfExp(test=condition, body=yes, orelse=no) if not isinstance(yes, ast.Set):
                return self.choice(node, condition, yes, no)
            case ast.Call(func=ast.Name(id="clip"), args=[within, inner]):
                clip = partial(clipped, *self.clip_range(within))
                return Lifted(clip, (self.need(inner, "number", "clip"),))
            case ast.Call(func=ast.Name(id="all" | "any" as called), args=values):
                word = CALLS[called]
                if values and isinstance(values[0], ast.GeneratorExp):
                    return Join(SIGNS[word], self.each(word, values[0], self.span_of(node)[0].start))
                return Join(SIGNS[word], tuple([self.need(one, "condition", word) for one in values]))
            case ast.Call():
                return self.wrong_at(node, "expected a range or a name, a comma and a number in clip(…)")
            case ast.GeneratorExp(elt=inner) | ast.SetComp(elt=inner):
                sign = self.operator_after(inner)
                return self.refuse(sign.start, '"for" belongs into all(…) and any(…)')
            case _:
                return self.wrong_at(node, f"expected one value, found {self.written(node)}")

    def join(self, nodes: Sequence[ast.expr]) -> Expression:
        """Read what `and`, or what `or` and `xor` join: `xor` binds more tightly."""
        words = [self.operator_after(node).text for node in nodes[:-1]]
        outer = "or" if "or" in words else words[0]
        groups: list[list[Expression]] = [[]]
        for node, before, after in zip(nodes, ["", *words], [*words, ""], strict=True):
            if before == outer:
                groups.append([])
            groups[-1].append(self.need(node, "condition", "xor" if "xor" in (before, after) else outer))
        parts = [Join("^", tuple(group)) if len(group) > 1 else group[0] for group in groups]
        return Join(SIGNS[outer], tuple(parts))

    def comparison(self, left_node: ast.expr, right_node: ast.expr) -> Expression:
        """Read a comparison: of two numbers, or whether two conditions are alike."""
        sign = self.operator_after(left_node)
        if sign.text not in COMPARISONS:
            self.wrong("expected an operator or the end", sign)
        nodes, parts = (left_node, right_node), (self.part(left_node), self.part(right_node))
        if sign.text in ("==", "!="):
            self.alike(nodes, parts, sign.text, sign.start)
        else:
            for node, part in zip(nodes, parts, strict=True):
                self.check(node, part, "number", sign.text)
        return Lifted(COMPARISONS[sign.text], parts)

    def alike(self, nodes: Sequence[ast.expr], parts: Sequence[Expression], what: str, start: int) -> None:
        """Refuse a condition beside a number."""
        if len(set(map(kind_of, parts))) > 1:
            told = ", ".join(map(self.told, nodes, parts))
            self.refuse(start, f"{what} needs two of one kind; {told}")

    def choice(self, whole: ast.expr, condition: ast.expr, *nodes: ast.expr) -> Expression:
        """Read a choice of one of two."""
        decides = self.need(condition, "condition", "if")
        parts = [self.part(node) for node in nodes]
        self.alike(nodes, parts, "then … else", self.span_of(whole)[0].start)
        return Choice((decides, *parts))

    def named(self, name: str, node: ast.expr) -> Expression:
        """Return what a name stands for."""
        known = self.known
        if name in self.bound:
            return Constant(self.bound[name])
        if name in known.variables:
            return known.variables[name]
        if name in known.arrays:
            last = len(known.arrays[name]) - 1
            self.wrong_at(node, f'"{name}" is an array; its members are {name}[0] to {name}[{last}]')
        if name not in known.coins:
            near = nearest(name, [*known.known, *known.variables, *self.bound, *sorted(WORDS)])
            self.wrong_at(node, f"{self.written(node)} is not known{near}; names: {listing(known.known)}")
        if not self.coins:
            self.wrong_at(node, f'"{name}" is a coin, but only the state decides here')
        return known.coins[name]

    def array(self, node: ast.Name) -> tuple[Variable, ...]:
        """Return the members of an array; refuse what is none."""
        name = self.name(node) or node.id
        if name not in self.known.arrays:
            self.named(name, node)  # a name that is not known is told as such
            opened = self.operator_after(node)
            self.refuse(opened.start, f'"{name}" is one variable; only an array has members')
        return self.known.arrays[name]

    def index(self, array: ast.Name, node: ast.expr) -> Expression:
        """Read the index of an array."""
        last, name = len(self.array(array)) - 1, self.name(array)
        index = self.need(node, "number", f"the index of {name}")
        if self.index_is is not None and self.words(node) == self.index_is[0]:
            index = Constant(self.index_is[1])
        low, high = bounds_of(index)
        if low < 0 or high > last:
            span = f"{low}" if low == high else f"anything from {low} to {high}"
            self.wrong_at(node, f'"{name}" has the members 0 to {last}; the index can be {span}')
        return index

    def member(self, array: tuple[Variable, ...], index: Expression) -> Expression:
        """Choose between the members of an array by halving, so that few steps do."""

        def among(low: int, high: int) -> Expression:
            if low == high:
                return array[low]
            middle = (low + high + 1) // 2
            return (index < middle).then(among(low, middle - 1), among(middle, high))

        low, high = bounds_of(index)
        whole = among(low, high)
        if low == high:
            return whole
        return Member(parts=whole.parts, index=index, first=low, members=array[low : high + 1])

    def each(self, word: str, node: ast.GeneratorExp, start: int) -> tuple[Expression, ...]:
        """Read `(… for i in 0..3)` after `all` or `any`: the part before `for` once for each number."""
        name, numbers = self.binder(node)
        parts: list[Expression] = []
        size = 0
        for self.bound[name] in numbers:
            parts.append(self.need(node.elt, "condition", word))
            size = self.check_size(size + self.measure(parts[-1])[1], start)
        del self.bound[name]
        return tuple(parts)

    def binder(self, node: ast.GeneratorExp) -> tuple[str, range]:
        """Read `for i in 0..39`."""
        (one, *others) = node.generators
        name = self.name(one.target)
        if others or name is None:
            self.wrong_at(one.target, 'expected one name and one range after "for"')
        if name in self.known or name in self.bound:
            self.wrong_at(one.target, f'"{name}" has a meaning already; take another name after "for"')
        low, high = self.span(one.iter)
        return name, range(low, high + 1)

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Read `0..39`."""
        match node:
            case ast.BinOp(op=ast.MatMult(), left=left, right=right):
                ends = [part.value for part in map(self.part, (left, right)) if isinstance(part, Constant)]
            case _:
                ends = []
        if len(ends) != 2:
            self.wrong_at(node, f"expected a range such as 0..9, found {self.written(node)}")
        if ends[0] > ends[1]:
            self.wrong_at(node, f"the range from {ends[0]} to {ends[1]} is empty")
        return ends[0], ends[1]

    def clip_range(self, node: ast.expr) -> tuple[int, int]:
        """Read the first part of `clip(x, number)` and `clip(0..9, number)`."""
        named = node.value if isinstance(node, ast.Subscript) else node
        name = self.name(named)
        if name is None or name in self.bound:
            return self.span(node)
        if name in self.known.arrays:
            if isinstance(node, ast.Subscript) and isinstance(named, ast.Name):
                self.index(named, node.slice)
            variable: Variable | None = self.known.arrays[name][0]
        else:
            variable = self.known.variables.get(name)
        if variable is None or variable.is_bit:
            near = "" if name in self.known else nearest(name, self.known.known)
            what = self.written(named)
            self.wrong_at(node, f"clip needs the name of a number or a range, found {what}{near}")
        return variable.domain[0], variable.domain[-1]


# -- Effects: which variables change, and the formula of their new value for each of them -----------------


@dataclass(frozen=True)
class Target:
    """A variable that changes: always, or where an index has the number of this member of an array."""

    variable: Variable
    bound: Mapping[str, int]  # by `for`
    index: Expression | None = None
    words: Sequence[str] = ()  # of the index
    number: int = 0


def parse_targets(key: str, names: Names) -> list[Target]:
    """Read what an effect changes.

    It is written `place`, `lamp[4]`, `lamp[place]` (the member that the index chooses; the others stay) or
    `lamp[i] for i in 0..39`.
    """
    if key in names.variables:
        return [Target(names.variables[key], {})]
    if not key.strip():
        raise WorldError("expected the name of a variable, found nothing")
    reader = FormulaReader(key, names)
    if not isinstance(tree := reader.tree, ast.GeneratorExp):
        return read_targets(reader, tree)
    name, numbers = reader.binder(tree)
    return [target for reader.bound[name] in numbers for target in read_targets(reader, tree.elt)]


def read_targets(reader: FormulaReader, node: ast.expr) -> list[Target]:
    """Read a variable's name, or an array's with an index."""
    bound = dict(reader.bound)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        index, array = reader.index(node.value, node.slice), reader.array(node.value)
        low, high = bounds_of(index)
        if low == high:
            return [Target(array[low], bound)]
        words = reader.words(node.slice)
        return [Target(array[number], bound, index, words, number) for number in range(low, high + 1)]
    name = reader.name(node)
    if name is None:
        reader.wrong_at(node, f"expected the name of a variable, found {reader.written(node)}")
    whole = reader.named(name, node)
    if not isinstance(whole, Variable):
        reader.wrong_at(node, f'"{name}" is no variable, and only variables change')
    return [Target(whole, bound)]


def parse_effects(targets: Iterable[Target], text: str, names: Names) -> dict[str, Expression]:
    """Read the formula for the new value of each target, and return the effects by variable.

    Where an index chooses the member that changes, the same index in the formula is the member's number:
    for lamp[4], "not lamp[place]" is read as "not lamp[4]".
    """
    reader, effects, size = FormulaReader(text, names), dict[str, Expression](), 0
    for target in targets:
        variable, index = target.variable, target.index
        reader.bound = dict(target.bound)
        reader.index_is = None if index is None else (list(target.words), target.number)
        kind: Kind = "condition" if variable.is_bit else "number"
        value = reader.need(reader.tree, kind, "", f'for "{variable.name}"')
        size = reader.check_size(size + reader.measure(value)[1], 0)
        effects[variable.name] = value if index is None else (index == target.number).then(value, variable)
    return effects


# -- From the expression to the text: what is written is read back as an expression with the same values --

REFUSED = "cannot be written as a formula"
# How tightly operators bind.
IF, NOT, COMPARISON, SUM, VALUE = 0, 4, 5, 6, 7
TIGHT = {"or": 1, "xor": 2, "and": 3, **dict.fromkeys(COMPARISONS, COMPARISON), **dict.fromkeys(SUMS, SUM)}


class Piece(NamedTuple):
    """A part as text, and how tightly the text binds; no reader will find it deeper than `depth`."""

    text: str
    tight: int = VALUE
    depth: int = 1

    def within(self, tight: int) -> Piece:
        """Return it in parentheses unless it binds at least so tightly."""
        return self if self.tight >= tight else Piece(f"({self.text})", VALUE, 1 + self.depth)


def quoted_name(name: str) -> str:
    """Return how a formula writes a name: as it is, or between backticks.

    >>> quoted_name("place"), quoted_name("if"), quoted_name("room-7")
    ('place', '`if`', '`room-7`')
    """
    return name if NAME.fullmatch(name) and name not in WORDS else "`" + name.replace("`", "``") + "`"


def written_formula(
    whole: Expression, arrays: Mapping[str, tuple[Variable, ...]] | None = None, kind: Kind | None = None
) -> str:
    """Write an expression as a formula; variables that are members of arrays are written as such.

    Refuse it where it is not of the kind that is asked for.

    >>> from demospec.worlds.expressions import bits, integer
    >>> place, lamps = integer("place", 0, 9), bits("lamp", 9)
    >>> written_formula(lamps[4] ^ (place == 4) & ~lamps[5], {"lamp": tuple(lamps)})
    'lamp[4] xor place == 4 and not lamp[5]'
    """
    text = FormulaWriter(arrays or {}).write(whole).text
    if kind is not None and kind_of(whole) != kind:
        raise WorldError(f'expected a {kind}; "{text}" is a {kind_of(whole)}')
    return text


class FormulaWriter:
    """Writes expressions; parts that are shared are written out at every place."""

    def __init__(self, arrays: Mapping[str, tuple[Variable, ...]]) -> None:
        self.place = {
            variable.name: (array, number)
            for array, members in arrays.items()
            for number, variable in enumerate(members)
        }
        self._known: dict[int, tuple[Expression, Piece]] = {}  # by identity; kept alive for it
        self._nested = 0

    def write(self, whole: Expression) -> Piece:
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
        match whole:
            case Constant(value=value):
                return Piece(constant_text(value))
            case Variable(name=name) if name in self.place:
                own, number = self.place[name]
                return Piece(f"{quoted_name(own)}[{number}]", depth=2)
            case Variable(name=name) | Coin(name=name):
                return Piece(quoted_name(name))
            case Join():
                return self.join(whole)
            case Member() if (array := self.array_of(whole)) is not None:
                index, halvings = self.write(whole.index), (len(whole.members) - 1).bit_length()
                return Piece(f"{quoted_name(array)}[{index.text}]", depth=index.depth + halvings + 2)
            case Choice(parts=(condition, yes, no)):
                pieces = [self.condition(condition, "then"), self.write(yes), self.write(no)]
                if kind_of(yes) != kind_of(no):
                    raise WorldError(f"a choice between a condition and a number {REFUSED}")
                return if_then_else(*pieces)
        assert isinstance(whole, Lifted)
        return self.lifted(whole)

    def condition(self, part: Expression, word: str) -> Piece:
        """Write a condition; refuse a number in its place."""
        piece = self.write(part)
        if kind_of(part) != "condition":
            raise WorldError(f'{word} needs a condition, true or false; found the number "{piece.text}"')
        return piece

    def number(self, part: Expression) -> Piece:
        """Write a number; a condition is the number that it counts for."""
        piece = self.write(part)
        return piece if kind_of(part) == "number" else if_then_else(piece, Piece("1"), Piece("0"))

    def join(self, whole: Join) -> Piece:
        """Write conditions that are joined; constants that do not matter are left out."""
        word = next(word for word, sign in SIGNS.items() if sign == whole.sign)
        parts: list[Piece] = []
        odd = False  # whether an exclusive or is turned round
        for part in flat(whole):
            constant = part.value if isinstance(part, Constant) else None
            if word == "xor" and constant is True:
                odd = not odd
            elif constant is not (word == "and"):
                parts.append(self.condition(part, word))
        if not parts:
            return Piece(constant_text(odd or word == "and"))
        joined = parts[0] if len(parts) == 1 else infix(word, parts)
        inner = joined.within(NOT)
        return Piece(f"not {inner.text}", NOT, 1 + inner.depth) if odd else joined

    def array_of(self, whole: Member) -> str | None:
        """Return the array of which a member is chosen, if there is one by these numbers."""
        places = [self.place.get(variable.name) for variable in whole.members]
        array = places[0][0] if places[0] else ""
        numbers = range(whole.first, whole.first + len(places))
        return array if places == [(array, number) for number in numbers] else None

    def lifted(self, whole: Lifted) -> Piece:
        """Write a function that the language knows."""
        parts, function = whole.parts, whole.function
        for sign, known in {**SUMS, **COMPARISONS}.items():
            if function is known and len(parts) == 2:
                alike = sign in ("==", "!=") and kind_of(parts[0]) == kind_of(parts[1])
                return infix(sign, list(map(self.write if alike else self.number, parts)))
        if isinstance(function, partial) and function.func is clipped:
            low, high = function.args
            if type(low) is type(high) is int:
                inside = (one for one in leaves(whole) if isinstance(one, Variable) and not one.is_bit)
                like = next((one for one in inside if one.domain == tuple(range(low, high + 1))), None)
                first = f"{low}..{high}" if like is None else self.write(like).text
                part = self.number(parts[0])
                return Piece(f"clip({first}, {part.text})", depth=1 + part.depth)
        name = getattr(function, "__name__", str(function))
        raise WorldError(
            f"the Python function {name} {REFUSED}: known are and, or, xor, not, if, clip, "
            f"{', '.join([*COMPARISONS, *SUMS])}"
        )


def constant_text(value: object) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, int) or len(str(abs(value))) > DIGITS:
        raise WorldError(f"{value!r} {REFUSED}: a value is true, false, or a number of few digits")
    return str(value).lower()


def flat(whole: Join) -> list[Expression]:
    """Return what a condition joins, at any depth, by its own sign."""
    stack, parts = list[Expression]([whole]), list[Expression]()
    while stack:
        part = stack.pop()
        if isinstance(part, Join) and part.sign == whole.sign:
            stack.extend(reversed(part.parts))
        else:
            parts.append(part)
        if len(parts) > EXPRESSION:
            raise WorldError(f"an expression of more than {EXPRESSION} characters {REFUSED}")
    return parts


def infix(sign: str, pieces: Sequence[Piece]) -> Piece:
    """Write parts with a sign between them; the first of a sum or difference may be one itself."""
    tight = TIGHT[sign]
    parts = [pieces[0].within(tight + (sign not in SUMS)), *(piece.within(tight + 1) for piece in pieces[1:])]
    text = f" {sign} ".join(part.text for part in parts)
    return Piece(text, tight, 1 + max(part.depth for part in parts))


def if_then_else(condition: Piece, yes: Piece, no: Piece) -> Piece:
    parts = [condition.within(IF + 1), yes.within(IF + 1), no]
    text = "if {} then {} else {}".format(*(part.text for part in parts))
    return Piece(text, IF, 1 + max(part.depth for part in parts))
