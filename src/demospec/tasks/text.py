"""Letters in quotes, as JSON writes strings: one way to read them for every text form of a task.

Guards: which letters an edge has, said of propositions, as shortly as what occurs allows.

The letters of an edge are those at which an expression holds: terms joined by `|`, each of propositions that
hold or do not, joined by `&`. Sets of propositions that never occur may come out either way.

Text forms of an automaton: one line to paste, many lines to read in a terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Any

from demospec.errors import InputError, TaskError
from demospec.limits import STATES, whole
from demospec.tasks.propositions import are_sets, names, propositions_of
from demospec.tasks.tables import Table
from demospec.wording import listing


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
    if any("\ud800" <= sign <= "\udfff" for sign in found):
        raise TaskError(f"{text} holds half a character; its other half is missing")
    return found


# -- Guards ----------------------------------------------------------------------------------------------

LONGEST = 4  # propositions in a term, beyond those that name a letter in full
EXACT = 12  # letters of an edge up to which the shortest expression is found; beyond, a short one
ALWAYS = "any"

Term = tuple[tuple[str, bool], ...]  # propositions, and whether each holds


def guard(letters: Sequence[str], alphabet: tuple[str, ...]) -> list[str]:
    """Return the terms of the shortest guard; over plain letters they are the letters themselves.

    >>> guard(["key", "door&key"], ("door", "door&key", "key"))
    ['key']
    >>> guard(["key"], ("door", "door&key", "key")), guard(["b", "a"], ("a", "b", "c"))
    (['!door'], ['b', 'a'])
    """
    if not are_sets(alphabet):
        return list(letters)
    return list(_guard(frozenset(letters), alphabet))


@lru_cache(maxsize=1 << 12)
def _guard(letters: frozenset[str], alphabet: tuple[str, ...]) -> tuple[str, ...]:
    if letters == frozenset(alphabet):
        return (ALWAYS,)
    wanted = sorted(letters)
    place = {letter: 1 << number for number, letter in enumerate(wanted)}
    cheapest: dict[int, Term] = {}
    for term in terms(alphabet, letters):
        held = [letter for letter in alphabet if holds(term, letter)]
        if held and letters.issuperset(held):
            covered = sum(place[letter] for letter in held)
            known = cheapest.get(covered)
            if known is None or order([term]) < order([known]):
                cheapest[covered] = term
    chosen = shortest(cheapest, (1 << len(wanted)) - 1, exact=len(wanted) <= EXACT)
    return tuple(map(written, sorted(chosen, key=lambda term: order([term]))))


def terms(alphabet: tuple[str, ...], letters: frozenset[str]) -> Iterator[Term]:
    """Yield the terms that are tried: those of a few propositions, and each letter in full."""
    known = names(alphabet)
    for count in range(1, min(LONGEST, len(known)) + 1):
        for some in combinations(known, count):
            for signs in product((True, False), repeat=count):
                yield tuple(zip(some, signs, strict=True))
    for letter in sorted(letters):
        yield tuple((name, name in propositions_of(letter)) for name in known)


def holds(term: Term, letter: str) -> bool:
    """Say whether a term holds where a letter is read."""
    own = propositions_of(letter)
    return all((name in own) == sign for name, sign in term)


def shortest(cheapest: dict[int, Term], every: int, *, exact: bool) -> list[Term]:
    """Return terms that together cover all letters: the shortest such list, or a short one."""
    if not exact:
        chosen, left = list[Term](), every
        while left:
            covered = min(
                (one for one in cheapest if one & left),
                key=lambda one: (len(cheapest[one]) / (one & left).bit_count(), order([cheapest[one]])),
            )
            chosen.append(cheapest[covered])
            left &= ~covered
        return chosen
    best: list[list[Term] | None] = [[], *[None] * every]
    for covered in range(every):
        so_far = best[covered]
        if so_far is None:
            continue
        lowest = ~covered & (covered + 1)  # the first letter that is not covered yet
        for mask, term in cheapest.items():
            if mask & lowest:
                longer, at = [*so_far, term], covered | mask
                known = best[at]
                if known is None or order(longer) < order(known):
                    best[at] = longer
    found = best[every]
    assert found is not None  # each letter in full is a term
    return found


def order(chosen: Sequence[Term]) -> tuple[int, int, int, list[Term]]:
    """Return what expressions are ranked by: propositions, terms, negations, and what is always the same."""
    literals = [literal for term in chosen for literal in term]
    return len(literals), len(chosen), sum(not sign for _, sign in literals), sorted(chosen)


def written(term: Term) -> str:
    """Write a term.

    >>> written((("door", False), ("key", True)))
    'key & !door'
    """
    parts = sorted(term, key=lambda literal: (not literal[1], literal[0]))
    return " & ".join(name if sign else f"!{name}" for name, sign in parts)


# -- Text forms of an automaton --------------------------------------------------------------------------


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
