"""The words of a formula's text, each with its place; what other tools spell otherwise is made one."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from demospec.errors import PointedError
from demospec.limits import SENTENCE
from demospec.tasks.ltlf.syntax import CONSTANTS, LEVEL, NAME, PREFIXES, quoted

END, LETTER, CONSTANT, PREFIX, INFIX, BRACKET = "end", "letter", "constant", "prefix", "infix", "bracket"

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
    r'(?P<next>X\s*\[\s*!\s*\])|(?P<name>\w+)|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<sign>'
    + "|".join(map(re.escape, _SIGNS))
    + ")",
    re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A word: its kind, what it stands for, how it is written, and where, in characters from 0."""

    kind: str
    value: str
    written: str
    at: int


def tokens_of(text: str) -> list[Token]:
    """Cut a text into words; the last one is the end."""
    if len(text) > SENTENCE:
        raise PointedError(
            f"the formula has {len(text):,} characters; at most {SENTENCE:,} are read", text=text, at=SENTENCE
        )
    found: list[Token] = []
    at = 0
    while True:
        while text[at : at + 1].isspace():
            at += 1
        if at == len(text):
            found.append(Token(END, "", "", at))
            return found
        word = _WORD.match(text, at)
        if word is None:
            raise PointedError(_unreadable(text[at]), text=text, at=at)
        found.append(_token(text, word[0], str(word.lastgroup), at))
        at = word.end()


def _unreadable(character: str) -> str:
    if character == '"':
        return 'a quoted letter is not closed: expected one more "'
    return f'"{character}" is not part of a formula; a letter with such characters is written in quotes'


def _token(text: str, written: str, group: str, at: int) -> Token:
    if group == "next":
        return Token(PREFIX, "X[!]", written, at)
    if group == "quoted":
        try:
            return Token(LETTER, json.loads(written, strict=False), written, at)
        except json.JSONDecodeError as error:
            what = f"the quoted letter cannot be read ({error.msg}); a backslash is written \\\\"
            raise PointedError(what, text=text, at=at + error.pos) from None
    value = _SPELLINGS.get(written, written)
    if value in _KINDS:
        return Token(_KINDS[value], value, written, at)
    if not NAME.fullmatch(written):
        what = f'"{written}" is no name; as a letter it is written in quotes: {quoted(written)}'
        raise PointedError(what, text=text, at=at)
    return Token(LETTER, written, written, at)
