"""The sentences that people use to say tasks: each is one definition, and one of your own joins by `join`."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.errors import TaskError, nearest
from demospec.tasks.clauses.kind import Kind


def any_of(letters: Sequence[str]) -> str:
    """Return the formula that one of some letters holds."""
    return letters[0] if len(letters) == 1 else f"({' | '.join(letters)})"


def in_order(letters: Sequence[str]) -> str:
    """Return the formula of letters that come one after the other, with anything between."""
    first, *others = letters
    return f"F ({first} & X[!] {in_order(others)})" if others else f"F {first}"


def none_before(avoided: str, chain: Sequence[str]) -> str:
    """Return the formula that a letter does not come before a chain is through."""
    first, *others = chain
    rest = f"({first} & X ({none_before(avoided, others)}))" if others else first
    return f"!{avoided} W {rest}"


def at_least(letter: str, number: int) -> str:
    """Return the formula that a letter comes so often or more."""
    return in_order([letter] * number)


def counting(letter: str, number: int, marked: Sequence[int]) -> str:
    """Return an automaton's line that counts a letter up to a number, where it stays."""
    states = [f"{'>' * (n == 0)}{'*' * (n in marked)}{n}:" for n in range(number + 1)]
    steps = [f" {letter}→{n + 1}" for n in range(number)] + [""]
    return " | ".join(state + step for state, step in zip(states, steps, strict=True))


def in_turn(letters: Sequence[str]) -> str:
    """Return an automaton's line that waits for one letter after the other."""
    steps = [f"{'>' * (n == 0)}{n}: {letter}→{n + 1}" for n, letter in enumerate(letters)]
    return " | ".join([*steps, f"*{len(letters)}:"])


def in_turn_without(avoided: str, letters: Sequence[str]) -> str:
    """Return an automaton's line that waits for one letter after the other, and fails at another."""
    end, fail = len(letters), len(letters) + 1
    steps = [f"{'>' * (n == 0)}*{n}: {one}→{n + 1}, {avoided}→{fail}" for n, one in enumerate(letters)]
    return " | ".join([*steps, f"*{end}:", f"{fail}:"])


def modulo(letter: str, number: int) -> str:
    """Return an automaton's line that counts a letter modulo a number."""
    steps = [f"{'>*' * (n == 0)}{n}: {letter}→{(n + 1) % number}" for n in range(number)]
    return " | ".join(steps)


VOCABULARY: list[Kind] = [
    Kind(
        name="reach",
        sentence="reach {letters}",
        also=("visit {letters}", "eventually {letters}"),
        formula=lambda letters, _: f"F {any_of(letters)}",
        line=lambda letters, _: ">0: " + ", ".join(f"{one}→1" for one in letters) + " | *1:",
        weight=8,
    ),
    Kind(
        name="never",
        sentence="never {a}",
        also=("avoid {a}", "no {a}"),
        formula="G !{a}",
        line=">*0: {a}→1 | 1:",
        weight=8,
    ),
    Kind(
        name="in order",
        sentence="{chain}",
        also=("first {chain}",),
        formula=lambda letters, _: in_order(letters),
        line=lambda letters, _: in_turn(letters),
        fewest=2,
        weight=6,
    ),
    Kind(
        name="not before",
        sentence="no {a} before {chain}",
        formula=lambda letters, _: none_before(letters[0], letters[1:]),
        line=lambda letters, _: in_turn_without(letters[0], letters[1:]),
        apart=("a…",),
        weight=4,
    ),
    Kind(
        name="reach before",
        sentence="reach {a} before {b}",
        formula="!{b} U {a}",
        line=">0: {a}→1, {b}→2 | *1: | 2:",
        short_for=("reach {a}", "no {b} before {a}"),
        apart=("ab",),
        weight=0,
    ),
    Kind(
        name="response",
        sentence="after {a}, {b}",
        formula="G ({a} -> F {b})",
        line=">*0: {a}→1 | 1: {b}→0",
        apart=("ab",),
        weight=2,
    ),
    Kind(
        name="not until",
        sentence="after {b}, no {c} until {a}",
        formula="G ({b} -> X (!{c} W {a}))",
        line=">*0: {b}→1 | *1: {a}→0, {c}→2 | 2:",
        apart=("ab", "ac"),
        weight=3,
    ),
    Kind(
        name="never after",
        sentence="after {a}, never {b}",
        also=("after {a}, no {b}",),
        formula="G ({a} -> X G !{b})",
        line=">*0: {a}→1 | *1: {b}→2 | 2:",
        apart=("ab",),
        weight=2,
    ),
    Kind(
        name="reach clear",
        sentence="reach {a} with no {b} since {c}",
        formula="F ({a} & (!{b} S {c} | H !{b}))",
        line=">0: {b}→1, {a}→2 | 1: {c}→0 | *2:",
        apart=("ab", "ac", "bc"),
        weight=2,
    ),
    Kind(
        name="reach clear before",
        sentence="reach {a} before {d} with no {b} since {c}",
        formula="!{d} U ({a} & (!{b} S {c} | H !{b}))",
        line=">0: {b}→1, {a}→2, {d}→3 | 1: {c}→0, {d}→3 | *2: | 3:",
        apart=("ab", "ac", "ad", "bc", "bd", "cd"),
        weight=0,
    ),
    Kind(
        name="at least",
        sentence="{a} at least {times}",
        formula=lambda letters, number: at_least(letters[0], number),
        line=lambda letters, number: counting(letters[0], number, [number]),
        fewest=2,
        weight=2,
    ),
    Kind(
        name="at most",
        sentence="{a} at most {times}",
        formula=lambda letters, number: f"!({at_least(letters[0], number + 1)})",
        line=lambda letters, number: counting(letters[0], number + 1, range(number + 1)),
        weight=2,
    ),
    Kind(
        name="start",
        sentence="start with {a}",
        formula="{a}",
        line=">0: {a}→1, …→2 | *1: | 2:",
    ),
    Kind(
        name="end",
        sentence="end with {a}",
        formula="F ({a} & last)",
        line=">0: {a}→1 | *1: {a}→1, …→0",
    ),
    Kind(
        name="multiple",
        sentence="{a} {multiple}",
        line=lambda letters, number: modulo(letters[0], number),
        fewest=2,
    ),
]


def join(kind: Kind) -> Kind:
    """Add a kind of clause to the vocabulary: it is read, printed, described and searched like the others."""
    if any(kind.name == other.name for other in VOCABULARY):
        raise TaskError(f'there is a kind of clause called "{kind.name}" already')
    VOCABULARY.append(kind)
    return kind


_now: tuple[Kind, ...] = ()


def kinds() -> tuple[Kind, ...]:
    """Return the vocabulary as it is now: the same object until it changes."""
    global _now
    if _now != (every := tuple(VOCABULARY)):
        _now = every
    return _now


def by_name(name: str) -> Kind:
    """Return the kind of clause with a name."""
    for kind in VOCABULARY:
        if kind.name == name:
            return kind
    known = [kind.name for kind in VOCABULARY]
    raise TaskError(f'there is no kind of clause called "{name}"{nearest(name, known)}')
