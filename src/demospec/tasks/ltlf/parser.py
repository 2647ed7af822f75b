"""The words of a formula's text, each with its place; what other tools spell otherwise is made one.

Text to formula: recursive descent by levels of operators, with errors that point at the place.

    formula = operand, then any number of: operator operand
    operand = any number of prefix operators, then a letter, a constant or ( formula )

Between two operands the operator with the higher level of `syntax.LEVEL` takes them first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NoReturn

from demospec.errors import PointedError, TaskError
from demospec.limits import SENTENCE
from demospec.tasks.ltlf.syntax import (
    CONSTANTS,
    DEEPEST,
    LEVEL,
    LISTS,
    NAME,
    PREFIXES,
    Constant,
    Formula,
    Letter,
    applied,
    quoted,
)
from demospec.tasks.text import END, Token, tokens_of
from demospec.wording import listing, nearest

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
        raise PointedError(_unreadable(rest.text[0]), text=text, at=rest.at)

    for token in tokens_of(text, _WORD, unreadable):
        kind, value = (END, "") if token.kind == END else _meaning(token, text)
        yield replace(token, kind=kind, value=value)


def _unreadable(character: str) -> str:
    if character == '"':
        return 'a quoted letter is not closed: expected one more "'
    return f'"{character}" is not part of a formula; a letter with such characters is written in quotes'


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


# -- Text to formula -------------------------------------------------------------------------------------

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
    return _Parser(text, None if alphabet is None else tuple(alphabet)).everything()


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

    def everything(self) -> Formula:
        found = self.formula(0)
        if self.token.kind != END:
            hint = ", which closes nothing" if self.token.text == ")" else ""
            raise self.unexpected("an operator such as & or U, or the end", hint)
        return found

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
            found: Formula = self.letter(token)
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
            return applied(operator.value, *operands)
        except TaskError as error:
            raise self.error(error.message, operator.at) from None

    def letter(self, token: Token) -> Letter:
        if self.alphabet is not None and token.value not in self.alphabet:
            hint = self.in_quotes(token.at) or self.taken_apart(token) or nearest(token.value, self.alphabet)
            raise self.error(
                f'letter "{token.value}" is not in the alphabet {listing(self.alphabet)}{hint}', token.at
            )
        return Letter(token.value)

    def constant(self, token: Token) -> Constant:
        if token.text in (self.alphabet or ()):
            others = [one for one in _OTHER_SPELLING[token.value] if one not in (self.alphabet or ())]
            constant = f"the constant is written {others[0]}" if others else "rename the letter"
            raise self.error(
                f'"{token.text}" is a constant and a letter of the alphabet: '
                f'the letter is written in quotes, "{token.text}"; {constant}',
                token.at,
            )
        return Constant(token.value)

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
