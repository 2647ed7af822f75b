"""Letters that are sets of propositions: where key and door hold at once, the letter `door&key` is read.

A letter is a word of the world's own, or several joined by `&`. Only the sets that occur are letters, and
where nothing holds, nothing is read. Clauses and formulas speak of atoms: a proposition, or several that hold
together. An atom holds where a letter has all of its propositions. Over letters of one proposition each,
atoms are the letters, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from demospec.errors import InputError

JOIN = "&"


def letter_of(propositions: Iterable[str]) -> str | None:
    """Return the letter that is read where some propositions hold; None where none do.

    >>> letter_of(["key", "door", "key"]), letter_of([])
    ('door&key', None)
    """
    names = sorted(set(propositions))
    for name in names:
        if not name or (JOIN in name and len(names) > 1):
            raise InputError(f'"{name}" cannot be a proposition: "{JOIN}" joins several, and none is empty')
    return JOIN.join(names) if names else None


@lru_cache(maxsize=1 << 12)
def propositions_of(letter: str) -> tuple[str, ...]:
    """Return the propositions that hold where a letter is read.

    A name with spaces around its `&` is one proposition: people write "check & approve".

    >>> propositions_of("door&key"), propositions_of("check & approve"), propositions_of("&")
    (('door', 'key'), ('check & approve',), ('&',))
    """
    parts = tuple(letter.split(JOIN))
    return parts if all(part and part == part.strip() for part in parts) else (letter,)


@lru_cache(maxsize=256)
def are_sets(alphabet: tuple[str, ...]) -> bool:
    """Say whether some letter has several propositions."""
    return any(len(propositions_of(letter)) > 1 for letter in alphabet)


@lru_cache(maxsize=256)
def names(alphabet: tuple[str, ...]) -> tuple[str, ...]:
    """Return the propositions of all letters, sorted."""
    return tuple(sorted({name for letter in alphabet for name in propositions_of(letter)}))


@lru_cache(maxsize=256)
def atoms(alphabet: tuple[str, ...]) -> tuple[str, ...]:
    """Return what clauses speak of, sorted: the propositions, and sets of them that say something else.

    >>> atoms(("a", "b")), atoms(("a", "a&b", "b")), atoms(("a", "a&b"))
    (('a', 'b'), ('a', 'a&b', 'b'), ('a', 'b'))
    """
    if not are_sets(alphabet):
        return tuple(alphabet)
    found = {extension(name, alphabet): name for name in reversed(names(alphabet))}
    for letter in sorted(alphabet, key=lambda one: (len(propositions_of(one)), one)):
        found.setdefault(extension(letter, alphabet), letter)
    return tuple(sorted({*names(alphabet), *found.values()}))


@lru_cache(maxsize=1 << 14)
def extension(atom: str, alphabet: tuple[str, ...]) -> frozenset[str]:
    """Return the letters at which an atom holds."""
    if not are_sets(alphabet):
        return frozenset([atom]) & frozenset(alphabet)
    needed = set(propositions_of(atom))
    return frozenset(letter for letter in alphabet if needed.issubset(propositions_of(letter)))


@lru_cache(maxsize=64)
def holding(alphabet: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the atoms that hold at each letter."""
    return {
        letter: tuple(atom for atom in atoms(alphabet) if letter in extension(atom, alphabet))
        for letter in alphabet
    }
