"""Texts of tasks: their tokens, letters in quotes, and the forms of an automaton.

One lexer cuts every text into tokens that know their place: formulas, clauses, and other programs' formats.
Letters in quotes are read and written as JSON does. An automaton is one line to paste, or many to read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from demospec.errors import InputError, TaskError
from demospec.limits import STATES, whole
from demospec.tasks.propositions import guard
from demospec.tasks.tables import Table, by_target
from demospec.wording import listing

END = "end"  # the kind of the last token


@dataclass(frozen=True)
class Token:
    """A piece of a text: the group of the pattern that it is of, and where it begins."""

    kind: str
    text: str
    value: str  # what it stands for: of a string, what is between the quotes
    at: int  # in characters, from 0
    line: int  # from 1

    @property
    def word(self) -> str:
        """Return the token in small letters: sentences may begin with a capital."""
        return self.text.lower()

    def refuse(self, reason: str) -> NoReturn:
        """Refuse the text for something on the token's line."""
        refuse_line(self.line, reason)


def refuse_line(line: int, reason: str) -> NoReturn:
    """Refuse a text for something on a line."""
    raise TaskError(reason, place=f"line {line}")


def tokens_of(
    text: str,
    pattern: re.Pattern[str],
    unreadable: Callable[[Token], NoReturn],
    ends: Mapping[str, Callable[[Token], int]] | None = None,
) -> Iterator[Token]:
    """Yield the tokens that a pattern's groups name, but for `space`; the last one is the end.

    What follows and is no token goes to `unreadable`, which refuses it. Of groups in `ends`, which only
    begin something, a function says where that ends; it is left out as well.

    >>> found = tokens_of("F y", re.compile(r"(?P<space>\\s)|(?P<name>\\w)"), lambda token: token.refuse("?"))
    >>> [(token.text, token.at) for token in found]
    [('F', 0), ('y', 2), ('the end of the text', 3)]
    """
    at, line = 0, 1
    while at < len(text):
        found = pattern.match(text, at)
        if found is None:
            unreadable(Token("", text[at:], "", at, line))
        kind, piece, end = str(found.lastgroup), found[0], found.end()
        value = re.sub(r"\\(.)", r"\1", piece[1:-1], flags=re.DOTALL) if kind == "string" else piece
        token = Token(kind, piece, value, at, line)
        if ends and kind in ends:
            end = ends[kind](token)
        elif kind != "space":
            yield token
        line += text.count("\n", at, end)
        at = end
    yield Token(END, "the end of the text", "the end of the text", at, line)


class Cursor:
    """Tokens that are read one after the other."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens, self.at = tokens, 0

    @property
    def now(self) -> Token:
        """Return the next token that is read."""
        return self.tokens[self.at]

    def skip(self, sign: str) -> bool:
        """Read a sign, if it comes next."""
        if self.now.text != sign:
            return False
        self.at += 1
        return True


# -- Letters in quotes -----------------------------------------------------------------------------------


def spelled(letter: str, plain: re.Pattern[str]) -> str:
    """Write a letter as it is where a pattern says that it cannot be misread, else in quotes.

    >>> spelled("red", re.compile("[a-z]+")), spelled("red door", re.compile("[a-z]+"))
    ('red', '"red door"')
    """
    return letter if plain.fullmatch(letter) else json.dumps(letter, ensure_ascii=False)


def unquoted(text: str) -> str:
    r"""Read a letter in quotes; refuse what is no string, or holds half a character.

    >>> unquoted('"red door"')
    'red door'
    >>> unquoted(r'"\q"')
    Traceback (most recent call last):
    demospec.errors.TaskError: "\q" is not a letter in quotes (Invalid \escape); a backslash is written \\
    """
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        wrong = error.msg.removesuffix(" at").removesuffix(":")
        advice = "a line break is written \\n" if "control" in wrong else "a backslash is written \\\\"
        raise TaskError(f"{text} is not a letter in quotes ({wrong}); {advice}") from None
    if not isinstance(found, str):
        raise TaskError(f"{text} is not a letter in quotes")
    if re.search(r"[\ud800-\udfff]", found):
        raise TaskError(f"{text} holds half a character; its other half is missing")
    return found


# -- Text forms of an automaton --------------------------------------------------------------------------


def one_line(table: Table, alphabet: Sequence[str], accepting: Sequence[bool], start: int) -> str:
    """Write `>0: b→1 | *1: b→0`: `>` start, `*` accepting, omitted letters stay in their state."""
    parts = []
    for state, row in enumerate(table):
        moves = ", ".join(
            f"{spelled(a, _PLAIN)}→{q}" for a, q in zip(alphabet, row, strict=True) if q != state
        )
        marks = ">" * (state == start) + "*" * accepting[state]
        parts.append(f"{marks}{state}:" + (f" {moves}" if moves else ""))
    return " | ".join(parts)


_PLAIN = re.compile(r'[^\s,|"]+')
_QUOTED = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'  # also where the quote is not closed: what follows is inside
_PARTS = re.compile(rf"{_QUOTED}|(?P<end>[|\n])", re.DOTALL)
_MOVES = re.compile(rf"{_QUOTED}|(?P<end>,)", re.DOTALL)
_STATE = re.compile(r"(?P<marks>[>*\s]*)(?P<state>[0-9]+)\s*:(?P<moves>.*)", re.DOTALL)
_ARROWS = ("→", "->")


def _split_outside_quotes(line: str, at: re.Pattern[str]) -> list[str]:
    """Return what stands between ends that are not in quotes, without blanks around."""
    parts, begin = [], 0
    for found in at.finditer(line):
        if found["end"]:
            parts.append(line[begin : found.start()].strip())
            begin = found.end()
    return [*parts, line[begin:].strip()]


def _move(move: str, state: int) -> tuple[str, int]:
    """Read a move: a letter, plain or in quotes, an arrow, and the state that it leads to."""
    place, arrow = max([(move.rfind(arrow), arrow) for arrow in _ARROWS])
    letter, target = move[:place].rstrip(), move[place + len(arrow) :].lstrip()
    quoted = letter.startswith('"')
    plain = letter and not re.search(r"\s", letter)
    if place < 0 or not (quoted or plain) or not re.fullmatch("[0-9]+", target):
        raise TaskError(f'state {state}, "{move}": expected a move such as "b→0"')
    try:
        return unquoted(letter) if quoted else letter, whole(target, STATES - 1, "the number of a state")
    except InputError as error:
        raise TaskError(str(error), place=f"state {state}") from None


def parse_line(line: str, alphabet: Sequence[str] | None) -> dict[str, Any]:
    """Read the one-line form into the arguments of `DFA.build`.

    Without an alphabet the letters are those that occur.
    """
    states: dict[int, None] = {}
    accepting: list[int] = []
    starts: list[int] = []
    transitions: list[tuple[int, str, int]] = []
    for number, part in enumerate(_split_outside_quotes(line.strip(), _PARTS), start=1):
        found = _STATE.fullmatch(part)
        if not found:
            raise TaskError(f'part {number}, "{part}": expected a state such as "*1: b→0, r→2"')
        try:
            state = whole(found["state"], STATES - 1, "the number of a state")
        except InputError as error:
            raise TaskError(str(error), place=f"part {number}") from None
        if state in states:
            raise TaskError(f"part {number}: state {state} is written twice")
        states[state] = None
        if ">" in found["marks"]:
            starts.append(state)
        if "*" in found["marks"]:
            accepting.append(state)
        for move in filter(None, _split_outside_quotes(found["moves"], _MOVES)):
            transitions.append((state, *_move(move, state)))
    if len(starts) != 1:
        raise TaskError(f'exactly one state must be marked ">" as the start; found {len(starts)}')
    if sorted(states) != list(range(len(states))):
        raise TaskError(f"states must be numbered 0 to {len(states) - 1}; found {listing(sorted(states))}")
    letters = sorted({letter for _, letter, _ in transitions}) if alphabet is None else list(alphabet)
    if not letters:
        raise TaskError("a task without transitions needs its alphabet to be given")
    return {
        "alphabet": letters,
        "states": len(states),
        "start": starts[0],
        "accepting": accepting,
        "transitions": transitions,
    }


def many_lines(table: Table, alphabet: Sequence[str], accepting: Sequence[bool], start: int) -> str:
    """Write one line for each state, moves with the same target together."""
    lines = []
    for state, row in enumerate(table):
        moves = [
            f"──{','.join(guard(letters, tuple(alphabet)))}──▸ {target}"
            for target, letters in sorted(by_target(alphabet, row).items())
            if target != state
        ]
        circle = f"(({state}))" if accepting[state] else f" ({state}) "
        notes = [
            name for name, holds in (("start", state == start), ("accepting", accepting[state])) if holds
        ]
        if not moves:
            notes.append("stays for ever")
        lead = "─▸" if state == start else "  "
        lines.append(
            f"{lead} {circle}  {'  '.join(moves)}".rstrip() + (f"   [{', '.join(notes)}]" if notes else "")
        )
    return "\n".join(lines)
