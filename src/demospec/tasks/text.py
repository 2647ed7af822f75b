"""Text forms of an automaton: one line to paste, many lines to read in a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from demospec.errors import TaskError
from demospec.tasks.guards import guard
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
_PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|.', re.DOTALL)


def _write(letter: str) -> str:
    # Letters that would read as something else are quoted.
    return letter if _PLAIN.fullmatch(letter) else json.dumps(letter, ensure_ascii=False)


def _split(line: str, at: str) -> list[str]:
    parts = [""]
    for piece in _PIECES.findall(line):
        if piece in at:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


_STATE = re.compile(r"^\s*(?P<marks>[>*\s]*)(?P<state>\d+)\s*:(?P<moves>.*)$", re.DOTALL)
_MOVE = re.compile(r'^\s*(?P<letter>"(?:[^"\\]|\\.)*"|\S+?)\s*(?:→|->)\s*(?P<target>\d+)\s*$')


def parse(line: str, alphabet: Sequence[str] | None) -> dict[str, Any]:
    """Read the one-line form into the arguments of `DFA.build`.

    Without an alphabet the letters are those that occur.
    """
    states: list[int] = []
    accepting: list[int] = []
    starts: list[int] = []
    transitions: list[tuple[int, str, int]] = []
    for number, part in enumerate(_split(line.strip(), "|\n"), start=1):
        found = _STATE.match(part)
        if not found:
            raise TaskError(f'part {number}, "{part.strip()}": expected a state such as "*1: b→0, r→2"')
        state = int(found["state"])
        if state in states:
            raise TaskError(f"part {number}: state {state} is written twice")
        states.append(state)
        if ">" in found["marks"]:
            starts.append(state)
        if "*" in found["marks"]:
            accepting.append(state)
        for move in filter(None, (m.strip() for m in _split(found["moves"], ","))):
            step = _MOVE.match(move)
            if not step:
                raise TaskError(f'state {state}, "{move}": expected a move such as "b→0"')
            letter = json.loads(step["letter"]) if step["letter"].startswith('"') else step["letter"]
            transitions.append((state, letter, int(step["target"])))
    if len(starts) != 1:
        raise TaskError(f'exactly one state must be marked ">" as the start; found {len(starts)}')
    if sorted(states) != list(range(len(states))):
        raise TaskError(f"states must be numbered 0 to {len(states) - 1}; found {sorted(states)}")
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
