"""The largest counts and sizes that input may ask for, all in one place: what is beyond is refused.

They are far above what anybody has had a use for, and low enough that a slip of the finger, or a file that is
none, is told at once instead of filling the memory. Budgets of single algorithms stand beside these.
"""

from __future__ import annotations

from collections.abc import Sized

from demospec.errors import InputError

TEXT_BYTES = 1 << 28  # of a file that is read as a whole: a problem, a task, examples, a map, a model
LINE = 1 << 20  # characters of a line, where a file is read line by line
JOURNAL_BYTES = 1 << 32  # of an unfinished run
SEED = (1 << 64) - 1
COUNT = 10**9  # what is counted and never stored: iterations, evaluations, things to print
CHAINS = 10_000  # each takes memory from the start
JOBS = 1_000  # processes
THREADS = 1_000
DRAWN = 10**6  # demonstrations that are drawn, automata that are listed
CANDIDATES = 10**6  # automata of which each step draws one
STATES_LOOKED_FOR = 1_000  # of an automaton that is looked for
PARTS = 100  # automata that a task is made of
LETTERS = 1 << 16  # of an alphabet
STATES = 100_000  # of a task; those that are not reached take memory too
PICTURED_STATES = 100  # of a task that is drawn; of a larger one only its size is told
DESCRIBED_STATES = 200  # of a task that is put into words
DESCRIBED_LETTERS = 200  # that change something
SENTENCE = 20_000  # characters of clauses or of a formula
EXPRESSION = 100_000  # characters of a formula in a factored world
CELLS = 1 << 20  # of a map that is a picture
VARIABLES = 10_000  # of a factored world
VALUES = 1 << 16  # of one variable
PLAN = 1 << 28  # horizon × world states; beyond, one plan takes minutes
SEEDS = 10_000  # in one range
DIGITS = 18  # of a whole number in a text: below 10¹⁸, and so in 64 bits


def whole(text: str, most: int = 10**DIGITS - 1, what: str = "the number") -> int:
    """Read a whole number that is written in digits; refuse what is over a limit, however long it is.

    >>> whole("0012", 20)
    12
    >>> whole("9" * 5000, 20)
    Traceback (most recent call last):
    demospec.errors.InputError: the number must be 20 at most; found one of 5,000 digits
    """
    digits = text.lstrip("0") or "0"
    found = int(digits) if len(digits) <= DIGITS else None
    if found is None or found > most:
        told = f"{found:,}" if found is not None else f"one of {len(digits):,} digits"
        raise InputError(f"{what} must be {most:,} at most; found {told}")
    return found


def check_count(things: Sized, most: int, what: str) -> None:
    """Refuse more things than there may be.

    >>> check_count("abc", 2, "letters")
    Traceback (most recent call last):
    demospec.errors.InputError: has 3 letters; at most 2 can be read
    """
    if len(things) > most:
        raise InputError(f"has {len(things):,} {what}; at most {most:,} can be read")
