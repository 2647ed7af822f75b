"""Formulas as values: frozen, hashable, printed so that the parser gives them back.

| operands | operators |
|---|---|
| none | `true`, `false`, and `last`, which holds at the last letter of the word |
| one | `!`, next `X[!]` (strong) and `X` (weak), `F`, `G`; past `Y`, `O`, `H` |
| two | `U`, `W`, `R`, `M`, `->`, `<->`; past `S` |
| two or more | `&` and `|` |

Text to formula: recursive descent by levels of operators, with errors that point at the place.

    formula = operand, then any number of: operator operand
    operand = any number of prefix operators, then a letter, a constant or ( formula )

Between two operands the operator with the higher level of `LEVEL` takes them first. What other tools spell
otherwise is made one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn

from demospec.errors import PointedError, TaskError
from demospec.limits import SENTENCE
from demospec.tasks.text import END, Token, tokens_of
from demospec.wording import count, listing, nearest

DEEPEST = 200  # levels of operators within operators: deeper ones would overrun Python's stack

# What binds tighter has the higher level. Binary operators lean to the right: a U b U c is a U (b U c).
LEVEL = {"<->": 1, "->": 2, "|": 3, "&": 4, **dict.fromkeys("UWRMS", 5)}
PREFIX_LEVEL, ATOM_LEVEL = 6, 7

PREFIXES = ("!", "X[!]", "X", "F", "G", "Y", "O", "H")
INFIXES = ("U", "W", "R", "M", "S", "->", "<->")
LISTS = ("&", "|")
CONSTANTS = ("true", "false", "last")
TAKES = {**dict.fromkeys(CONSTANTS, 0), **dict.fromkeys(PREFIXES, 1), **dict.fromkeys(INFIXES, 2)}
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


@dataclass(frozen=True)
class Formula:
    """A letter, which holds where it is read, a constant, or an operator with its operands.

    Two are equal when they are written the same, parentheses apart.

    >>> formula = parse_formula("(F (y)) & ((!r) W y)")
    >>> print(formula, formula.size, formula.letters)
    F y & (!r W y) 7 ('r', 'y')
    """

    symbol: str  # the operator, the constant or the letter
    parts: tuple[Formula, ...] = ()  # the operands, in order
    is_letter: bool = False
    # A frozen value keeps what would take a walk to find again.
    depth: int = field(init=False, repr=False, compare=False)  # levels of operators
    ahead: bool = field(init=False, repr=False, compare=False)  # whether it looks at what comes later

    def __post_init__(self) -> None:
        if not self.is_letter:
            self._check_operands()
        ahead = any(part.ahead for part in self.parts) or (self.symbol in FUTURE and not self.is_letter)
        object.__setattr__(self, "depth", 1 + max((part.depth for part in self.parts), default=0))
        object.__setattr__(self, "ahead", ahead)
        if self.depth > DEEPEST:
            raise TaskError(f"operators within operators are more than {DEEPEST} levels deep")
        if ahead and self.symbol in PAST:
            inside = [one for part in self.parts for one in part.walk() if not one.is_letter]
            seen = next(one.symbol for one in inside if one.symbol in FUTURE)
            raise TaskError(f"{self.symbol} looks back, so {seen}, which looks ahead, cannot stand inside it")

    def _check_operands(self) -> None:
        found, takes = len(self.parts), TAKES.get(self.symbol)
        if self.symbol in LISTS and found < 2:
            raise TaskError(f"{self.symbol} joins two formulas or more; found {found}")
        if takes is None and self.symbol not in LISTS:
            raise TaskError(f'operator "{self.symbol}" is not one of {listing(INFIXES)}')
        if takes is not None and found != takes:
            raise TaskError(f'operator "{self.symbol}" takes {count(takes, "operand")}; found {found}')

    @property
    def level(self) -> int:
        """Return how tightly it binds when it is printed: one before its operand tighter than any between."""
        return LEVEL.get(self.symbol, PREFIX_LEVEL) if self.parts else ATOM_LEVEL

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
        return tuple(sorted({found.symbol for found in self.walk() if found.is_letter}))

    def _within(self, level: int) -> str:
        return str(self) if self.level >= level else f"({self})"

    def __str__(self) -> str:
        symbol, level = self.symbol, self.level
        if not self.parts:
            return quoted(symbol) if self.is_letter else symbol
        if symbol in LISTS:  # "F y & (!r W y)" reads better than what needs no parentheses
            needed = [PREFIX_LEVEL if part.level == LEVEL["U"] else level + 1 for part in self.parts]
            return f" {symbol} ".join([part._within(n) for part, n in zip(self.parts, needed, strict=True)])
        *left, last = self.parts
        before = f"{left[0]._within(level + 1)} {symbol} " if left else symbol + " " * (symbol != "!")
        return before + last._within(level)


# -- Text to formula -------------------------------------------------------------------------------------

LETTER, CONSTANT, PREFIX, INFIX, BRACKET = "letter", "constant", "prefix", "infix", "bracket"

_AS_OURS = {
    "!": "~ ¬",
    "G": "[]",
    "F": "<>",
    "X": "WX",
    "&": "&& /\\ ∧",
    "|": "|| \\/ ∨",
    "->": "=> →",
    "<->": "<=> ↔",
    "true": "1 tt",
    "false": "0 ff",
}
_SPELLINGS = {other: ours for ours, others in _AS_OURS.items() for other in others.split()}
_KINDS = {
    **dict.fromkeys(PREFIXES, PREFIX),
    **dict.fromkeys(LEVEL, INFIX),
    **dict.fromkeys(CONSTANTS, CONSTANT),
    **dict.fromkeys("()", BRACKET),
}
_SIGNS = sorted((sign for sign in {*_SPELLINGS, *_KINDS} if not re.match(r"\w", sign)), key=len, reverse=True)
_WORD = re.compile(
    r'(?P<space>\s+)|(?P<next>X\s*\[\s*!\s*\])|(?P<name>\w+)|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<sign>'
    + "|".join(map(re.escape, _SIGNS))
    + ")",
    re.DOTALL,
)


def formula_tokens(text: str) -> Iterator[Token]:
    """Cut a text into words, each with what it is; the last one is the end."""
    if len(text) > SENTENCE:
        raise PointedError(
            f"the formula has {len(text):,} characters; at most {SENTENCE:,} are read", text=text, at=SENTENCE
        )

    def unreadable(rest: Token) -> NoReturn:
        what = (
            f'"{rest.text[0]}" is not part of a formula; a letter with such characters is written in quotes'
        )
        if rest.text[0] == '"':
            what = 'a quoted letter is not closed: expected one more "'
        raise PointedError(what, text=text, at=rest.at)

    for token in tokens_of(text, _WORD, unreadable):
        kind, value = (END, "") if token.kind == END else _meaning(token, text)
        yield replace(token, kind=kind, value=value)


def _meaning(token: Token, text: str) -> tuple[str, str]:
    """Return the kind of a word, and what it stands for."""
    written = token.text
    if token.kind == "next":
        return PREFIX, "X[!]"
    if token.kind == "quoted":
        try:
            return LETTER, json.loads(written, strict=False)
        except json.JSONDecodeError as error:
            what = f"the quoted letter cannot be read ({error.msg}); a backslash is written \\\\"
            raise PointedError(what, text=text, at=token.at + error.pos) from None
    value = _SPELLINGS.get(written, written)
    if value in _KINDS:
        return _KINDS[value], value
    if not NAME.fullmatch(written):
        what = f'"{written}" is no name; as a letter it is written in quotes: {quoted(written)}'
        raise PointedError(what, text=text, at=token.at)
    return LETTER, written


_NAME_BEFORE = re.compile(r"\w*\Z")
_WITHIN = re.compile(r"\w\w")
_PREFIX = re.compile("WX|[FGXYOH]")
_GLUED = re.compile("(?:WX|[FGXYOH])+")
_OTHER_SPELLING = {
    "true": ("true", "tt", "1"),
    "false": ("false", "ff", "0"),
    "last": ("(X false & F true)",),
}


def parse_formula(text: str, alphabet: Iterable[str] | None = None) -> Formula:
    """Read a formula; with an alphabet, a letter that is not in it is refused.

    >>> print(parse_formula("<>y && (~r W y)", "bry"))
    F y & (!r W y)
    """
    parser = _Parser(text, None if alphabet is None else tuple(alphabet))
    found = parser.formula(0)
    if parser.token.kind != END:
        hint = ", which closes nothing" if parser.token.text == ")" else ""
        raise parser.unexpected("an operator such as & or U, or the end", hint)
    return found


class _Parser:
    """One text that is being read."""

    def __init__(self, text: str, alphabet: tuple[str, ...] | None) -> None:
        self.text, self.alphabet = text, alphabet
        self.place = 0  # in the tokens
        self.brackets: list[Token] = []  # those that are open
        self.operators = 0  # those whose last operand is being read
        try:
            self.tokens = list(formula_tokens(text))
        except PointedError as error:
            word = error.at - len(_NAME_BEFORE.findall(text[: error.at])[0])
            raise self.error(error.message + self.in_quotes(word), error.at) from None

    # -- the grammar --------------------------------------------------------------------------

    def formula(self, level: int) -> Formula:
        """Read operands and the operators between them, down to those that bind at `level`."""
        found = self.operand()
        while self.token.kind == INFIX and LEVEL[self.token.value] >= level:
            operator = self.token
            own, several = LEVEL[operator.value], operator.value in LISTS
            operands = [found]
            self.operators += 1
            while self.token.kind == INFIX and self.token.value == operator.value:
                self.go_on()
                operands.append(self.formula(own + 1 if several else own))
            self.operators -= 1
            found = self.made(operator, *operands)
        return found

    def operand(self) -> Formula:
        """Read prefix operators and what they stand before."""
        prefixes: list[Token] = []
        while self.token.kind == PREFIX:
            prefixes.append(self.token)
            self.operators += 1
            self.go_on()
        token = self.token
        if token.kind == LETTER:
            found = self.letter(token)
        elif token.kind == CONSTANT:
            found = self.constant(token)
        elif token.text == "(":
            self.brackets.append(token)
            self.go_on()
            found = self.formula(0)
            if self.token.text != ")":
                begun = f", for the ( at character {token.at + 1}"
                raise self.unexpected(f"an operator such as & or U, or ){begun}")
            self.brackets.pop()
        else:
            raise self.unexpected("a formula: a letter, an operator such as F, or (")
        self.go_on()
        for prefix in reversed(prefixes):
            found = self.made(prefix, found)
        self.operators -= len(prefixes)
        return found

    # -- one step -----------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def go_on(self) -> None:
        """Go to the next word, unless what is open is too deep."""
        for what, deep in (("parentheses", len(self.brackets)), ("operators", self.operators)):
            if deep > DEEPEST:
                raise self.error(f"{what} within {what} are more than {DEEPEST} levels deep", self.token.at)
        self.place += 1

    def made(self, operator: Token, *operands: Formula) -> Formula:
        try:
            return Formula(operator.value, operands)
        except TaskError as error:
            raise self.error(error.message, operator.at) from None

    def letter(self, token: Token) -> Formula:
        if self.alphabet is not None and token.value not in self.alphabet:
            hint = self.in_quotes(token.at) or self.taken_apart(token) or nearest(token.value, self.alphabet)
            raise self.error(
                f'letter "{token.value}" is not in the alphabet {listing(self.alphabet)}{hint}', token.at
            )
        return Formula(token.value, is_letter=True)

    def constant(self, token: Token) -> Formula:
        if token.text in (self.alphabet or ()):
            others = [one for one in _OTHER_SPELLING[token.value] if one not in (self.alphabet or ())]
            constant = f"the constant is written {others[0]}" if others else "rename the letter"
            raise self.error(
                f'"{token.text}" is a constant and a letter of the alphabet: '
                f'the letter is written in quotes, "{token.text}"; {constant}',
                token.at,
            )
        return Formula(token.value)

    # -- what went wrong ------------------------------------------------------------------------

    def error(self, message: str, at: int) -> PointedError:
        return PointedError(message, text=self.text, at=at)

    def unexpected(self, expected: str, hint: str = "") -> PointedError:
        token, before = self.token, self.tokens[max(0, self.place - 1)]
        found = "the end" if token.kind == END else token.text
        hint = hint or self.in_quotes(before.at) or self.in_quotes(token.at)
        return self.error(f"expected {expected}; found {found}{hint}", token.at)

    def in_quotes(self, at: int) -> str:
        """Return advice when a letter of the alphabet that needs quotes is written here without."""
        bare = [
            letter
            for letter in filter(None, self.alphabet or ())
            if quoted(letter) != letter
            and self.text.startswith(letter, at)
            # not the beginning of a longer name
            and not _WITHIN.match(self.text, at + len(letter) - 1)
        ]
        return f"; the letter is written in quotes: {quoted(max(bare, key=len))}" if bare else ""

    def taken_apart(self, token: Token) -> str:
        """Return advice when an unknown letter is operators and letters without space: `Fa`, `aUb`."""
        known = self.alphabet or ()
        for end in range(1, len(token.value)):
            prefixes, letter, rest = token.value[:end], token.value[end:], token.value[end + 1 :]
            if letter in known and _GLUED.fullmatch(prefixes):
                return f"; operators need a space: {' '.join([*_PREFIX.findall(prefixes), quoted(letter)])}"
            if prefixes in known and rest in known and letter[0] in "UWRMS":
                return f"; operators need a space: {quoted(prefixes)} {letter[0]} {quoted(rest)}"
        return ""
