"""What a formula means on a word: the definition, written down; the witness of the translation.

A word has n letters, at positions 0 to n − 1. Position n is behind the end; in the empty word it is the
first one too. Operators that look ahead never look behind the end: next at the last letter is false when
strong, true when weak.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from demospec.errors import TaskError
from demospec.tasks.ltlf.syntax import Formula, Letter

Propositions = Mapping[str, Collection[str]]  # which propositions hold where a letter is read


def holds(
    formula: Formula, word: Sequence[str], at: int = 0, *, propositions: Propositions | None = None
) -> bool:
    """Say whether a formula holds on a word, at a position from 0 to its length.

    >>> from demospec.tasks.ltlf import parse
    >>> holds(parse("F y & (!r W y)"), "bgy"), holds(parse("X a"), ""), holds(parse("X[!] a"), "")
    (True, True, False)
    """
    if not 0 <= at <= len(word):
        raise TaskError(f"position {at} is not among 0 to {len(word)}, the length of the word")
    return _values(formula, word, propositions)[at]


def _values(formula: Formula, word: Sequence[str], propositions: Propositions | None) -> list[bool]:
    """Return whether the formula holds at each position, 0 to n."""
    n = len(word)
    everywhere = range(n + 1)
    if isinstance(formula, Letter):
        p = formula.name
        seen = [(p == letter if propositions is None else p in propositions[letter]) for letter in word]
        return [*seen, False]
    operands = [_values(part, word, propositions) for part in formula.parts]
    f, g = operands[0] if operands else [], operands[-1] if operands else []
    match formula.symbol:
        case "true":
            return [True for i in everywhere]
        case "false":
            return [False for i in everywhere]
        case "last":
            return [i == n - 1 for i in everywhere]
        case "!":
            return [not f[i] for i in everywhere]
        case "&":
            return [all(value[i] for value in operands) for i in everywhere]
        case "|":
            return [any(value[i] for value in operands) for i in everywhere]
        case "->":
            return [not f[i] or g[i] for i in everywhere]
        case "<->":
            return [f[i] == g[i] for i in everywhere]
        case "X[!]":
            return [i + 1 < n and f[i + 1] for i in everywhere]
        case "X":
            return [i + 1 >= n or f[i + 1] for i in everywhere]
        case "F":
            return [any(f[i:n]) for i in everywhere]
        case "G":
            return [all(f[i:n]) for i in everywhere]
        case "U":
            return _until(f, g)
        case "W":
            return [all(f[i:n]) or reached for i, reached in enumerate(_until(f, g))]
        case "R":
            return [not broken for broken in _until([not v for v in f], [not v for v in g])]
        case "M":
            return _until(g, [p and q for p, q in zip(f, g, strict=True)])
        case "Y":
            return [i > 0 and f[i - 1] for i in everywhere]
        case "O":
            return [any(f[: min(i, n - 1) + 1]) for i in everywhere]
        case "H":
            return [all(f[: min(i, n - 1) + 1]) for i in everywhere]
        case "S":
            return [_since(f, g, min(i, n - 1)) for i in everywhere]
    raise TaskError(f'operator "{formula.symbol}" has no meaning')


def _until(f: list[bool], g: list[bool]) -> list[bool]:
    n = len(f) - 1
    return [any(g[j] and all(f[i:j]) for j in range(i, n)) for i in range(n + 1)]


def _since(f: list[bool], g: list[bool], i: int) -> bool:
    return any(g[k] and all(f[k + 1 : i + 1]) for k in range(i + 1))
