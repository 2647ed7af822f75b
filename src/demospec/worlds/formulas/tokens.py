"""A formula's text as a row of tokens, and how to tell what is wrong with it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, NoReturn

from demospec.errors import WorldError
from demospec.limits import DIGITS, EXPRESSION
from demospec.worlds.formulas.language import WORDS

NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    rf"(?P<number>[0-9]+)|(?P<name>{NAME.pattern})|`(?P<quoted>(?:[^`]|``)+)`"
    r"|(?P<sign>\.\.|[=!<>]=|[-+<>()\[\],])|(?P<other>\S)"
)
MEANT = {"=": "==", "&": "and", "|": "or", "^": "xor", "~": "not", "!": "not"}
MEANT |= {"≠": "!=", "≤": "<=", "≥": ">="}


class Token(NamedTuple):
    """A word, name, number or sign of a formula, and where it is."""

    kind: Literal["word", "name", "number", "sign", "end"]
    text: str
    start: int
    end: int


class Tokens:
    """The tokens of a text, of which the next one is looked at."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        if len(text) > EXPRESSION:
            raise WorldError(f"the formula has {len(text)} characters; at most {EXPRESSION} are read")
        self.tokens = self.tokenize()
        self.fors = self.find_fors()

    def tokenize(self) -> list[Token]:
        """Return the tokens; the last one is the end."""
        found: list[Token] = []
        for match in _TOKEN.finditer(self.text):
            kind, text, span = match.lastgroup, match[0], match.span()
            if kind == "name":
                found.append(Token("word" if text in WORDS else "name", text, *span))
            elif kind == "quoted":
                found.append(Token("name", match["quoted"].replace("``", "`"), *span))
            elif kind == "sign":
                found.append(Token("sign", text, *span))
            elif kind == "other":
                meant = f'; write "{MEANT[text]}"' if text in MEANT else ""
                self.refuse(span[0], f'"{text}" is no sign of formulas{meant}')
            elif len(text) > DIGITS:
                self.refuse(span[0], f"a number has {len(text)} digits; at most {DIGITS} are read")
            else:
                found.append(Token("number", text, *span))
        return [*found, Token("end", "", len(self.text), len(self.text))]

    def find_fors(self) -> dict[int, int]:
        """Return, for each parenthesis that has a `for` in it, where both are; -1 is outside of all."""
        found: dict[int, int] = {}
        opened = [-1]
        for at, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in "([":
                opened.append(at)
            elif token.kind == "sign" and token.text in ")]" and len(opened) > 1:
                opened.pop()
            elif token.kind == "word" and token.text == "for":
                found.setdefault(opened[-1], at)
        return found

    @property
    def token(self) -> Token:
        """Return the next token."""
        return self.tokens[self.at]

    @property
    def end(self) -> int:
        """Return where the last token that was taken ends."""
        return self.tokens[self.at - 1].end

    def sees(self, *texts: str) -> bool:
        """Say whether one of these words and signs is next."""
        return self.token.kind in ("word", "sign") and self.token.text in texts

    def take(self) -> Token:
        """Go past the next token."""
        token = self.token
        self.at += token.kind != "end"
        return token

    def take_name(self, what: str) -> Token:
        """Go past a name that must be next."""
        if self.token.kind != "name":
            self.wrong(f"expected {what}")
        return self.take()

    def expect(self, text: str, why: str = "") -> Token:
        """Go past a word or sign that must be next."""
        if not self.sees(text):
            self.wrong(f'expected "{text}"{why}')
        return self.take()

    def close(self, opened: Token) -> None:
        """Go past the sign that closes what another one opened."""
        closing = {"(": ")", "[": "]"}[opened.text]
        if not self.sees(closing):
            self.wrong(f'expected "{closing}" for the "{opened.text}" at {self.place(opened.start)}')
        self.take()

    def finish(self, what: str) -> None:
        """Refuse whatever comes before the end."""
        if self.token.kind != "end":
            self.wrong(f"expected {what}")

    def wrong(self, expected: str) -> NoReturn:
        """Complain about the next token."""
        here = self.token
        found = "the end" if here.kind == "end" else self.shown(here.start, here.end)
        self.refuse(here.start, f"{expected}, found {found}")

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
