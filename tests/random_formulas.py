"""Formulas and words drawn at random."""

from __future__ import annotations

import numpy as np

from demospec.tasks.ltlf.syntax import Formula

BOOLEAN = ("!", "&", "|", "->", "<->")
FUTURE = ("X[!]", "X", "F", "G", "U", "W", "R", "M")
PAST = ("Y", "O", "H", "S")
UNARY = frozenset(("!", "X[!]", "X", "F", "G", "Y", "O", "H"))


def a_letter(name: str) -> Formula:
    """Return the formula that is a letter."""
    return Formula(name, is_letter=True)


def applied(operator: str, *operands: Formula) -> Formula:
    """Return an operator with its operands."""
    return Formula(operator, operands)


def random_formula(
    rng: np.random.Generator, letters: str, size: int, *, past: bool = False, future: bool = True
) -> Formula:
    """Return a formula of `size` nodes; inside a past operator none that looks ahead."""
    if size == 1:
        constants = ("true", "false", "last") if future else ("true", "false")
        drawn = int(rng.integers(len(letters) + (rng.random() < 0.3) * len(constants)))
        if drawn < len(letters):
            return a_letter(letters[drawn])
        return applied(constants[drawn - len(letters)])
    known = BOOLEAN + FUTURE * future + PAST * past
    choices = [operator for operator in known if operator in UNARY or size > 2]
    operator = choices[int(rng.integers(len(choices)))]
    future = future and operator not in PAST
    if operator in UNARY:
        shares = [size - 1]
    elif operator in "&|" and size >= 5 and rng.random() < 0.5:
        cuts = sorted(1 + int(cut) for cut in rng.choice(size - 3, 2, replace=False))
        shares = [cuts[0], cuts[1] - cuts[0], size - 2 - cuts[1]]
    else:
        left = 1 + int(rng.integers(size - 2))
        shares = [left, size - 1 - left]
    return applied(
        operator, *[random_formula(rng, letters, share, past=past, future=future) for share in shares]
    )


def random_word(rng: np.random.Generator, letters: str, longest: int) -> str:
    """Return a word of 0 to `longest` letters."""
    return "".join(letters[k] for k in rng.integers(len(letters), size=int(rng.integers(longest + 1))))
