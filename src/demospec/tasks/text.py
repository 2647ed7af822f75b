"""Text forms of an automaton: one line to paste, many lines to read in a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from demospec.errors import InputError, TaskError, listing
from demospec.limits import STATES, whole
from demospec.tasks.guards import guard
from demospec.tasks.quoting import unquoted
from demospec.tasks.tables import Table


def _marks(state: int, accepting: Sequence[bool], start: int) -> str:
    return (">" if state == start else "") + ("*" if accepting[state] else "")


def one_line(table: Table, alphabet: Sequence[str], accepting: Sequence[bool], start: int) -> str:
    """Write `>0: b→1 | *1: b→0`: `>` start, `*` accepting, omitted letters stay in their state."""
    parts = []
    for state, row in enumerate(table):
        moves = ", ".join(f"{_write(a)}→{q}" for a, q in zip(alphabet, row, strict=True) if q != state)
        parts.append(f"{_marks(state, accepting, start)}{state}:" + (f" {moves}" if moves else ""))
    return " | ".join(parts)


_PLAIN = re.compile(r'[^\s,|"]+')
_QUOTED = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'  # also where the quote is not closed: what follows is inside


def _write(letter: str) -> str:
    # Letters that would read as something else are quoted.
    return letter if _PLAIN.fullmatch(letter) else json.dumps(letter, ensure_ascii=False)


_PARTS = re.compile(rf"{_QUOTED}|(?P<end>[|\n])", re.DOTALL)
_MOVES = re.compile(rf"{_QUOTED}|(?P<end>,)", re.DOTALL)
_STATE = re.compile(r"(?P<marks>[>*\s]*)(?P<state>[0-9]+)\s*:(?P<moves>.*)", re.DOTALL)
_ARROWS = ("→", "->")


def _split(line: str, at: re.Pattern[str]) -> list[str]:
    """Return what stands between ends that are not in quotes, without blanks around."""
    parts, begin = [], 0
    for found in at.finditer(line):
        if found["end"]:
            parts.append(line[begin : found.start()].strip())
            begin = found.end()
    return [*parts, line[begin:].strip()]


def _move(move: str, state: int) -> tuple[str, int]:
    """Read a move: a letter, plain or in quotes, an arrow, and the state that it leads to."""
    place, arrow = max((move.rfind(arrow), arrow) for arrow in _ARROWS)
    letter, target = move[:place].rstrip(), move[place + len(arrow) :].lstrip()
    quoted = letter.startswith('"')
    plain = letter and not re.search(r"\s", letter)
    if place < 0 or not (quoted or plain) or not re.fullmatch("[0-9]+", target):
        raise TaskError(f'state {state}, "{move}": expected a move such as "b→0"')
    try:
        return unquoted(letter) if quoted else letter, whole(target, STATES - 1, "the number of a state")
    except InputError as error:
        raise TaskError(str(error), place=f"state {state}") from None


def parse(line: str, alphabet: Sequence[str] | None) -> dict[str, Any]:
    """Read the one-line form into the arguments of `DFA.build`.

    Without an alphabet the letters are those that occur.
    """
    states: dict[int, None] = {}
    accepting: list[int] = []
    starts: list[int] = []
    transitions: list[tuple[int, str, int]] = []
    for number, part in enumerate(_split(line.strip(), _PARTS), start=1):
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
        for move in filter(None, _split(found["moves"], _MOVES)):
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
        grouped: dict[int, list[str]] = {}
        for letter, target in zip(alphabet, row, strict=True):
            if target != state:
                grouped.setdefault(target, []).append(letter)
        moves = [
            f"──{','.join(guard(letters, tuple(alphabet)))}──▸ {target}"
            for target, letters in sorted(grouped.items())
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
