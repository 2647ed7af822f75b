"""Every clause that a search starts from, and what is near a clause."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from demospec.tasks.clauses.clause import Clause, instances
from demospec.tasks.clauses.kind import CHAIN, LETTERS, MULTIPLE, TIMES, Kind, kinds
from demospec.tasks.propositions import atoms

MORE = {LETTERS: 2, CHAIN: 1, TIMES: 1, MULTIPLE: 1}  # how much larger than the smallest of its kind
MOST = 2_000  # clauses of a size: over many letters, chains of three are left to the moves


def library(alphabet: tuple[str, ...]) -> tuple[Clause, ...]:
    """Return the clauses of every kind over some letters, the smallest ones and those a little larger."""
    return _library(alphabet, kinds())


@lru_cache(maxsize=8)
def _library(alphabet: tuple[str, ...], known: tuple[Kind, ...]) -> tuple[Clause, ...]:
    said = atoms(alphabet)
    return tuple(
        clause
        for kind in known
        if kind.weight
        for size in sizes(kind, len(said))
        if kind.count(size, len(said)) <= MOST
        for clause in instances(kind, size, said)
    )


def sizes(kind: Kind, letters: int) -> range:
    """Return the sizes of a kind that a library has."""
    most = kind.most(letters)
    last = kind.fewest + MORE.get(kind.several or "", 0)
    return range(kind.fewest, (last if most is None else min(last, most)) + 1)


def neighbours(clause: Clause, alphabet: tuple[str, ...]) -> list[Clause]:
    """Return the clauses that say nearly the same: stronger, weaker, of another letter or another kind.

    One letter is another, one more or one less stands in a set or chain, the number is one up or down, or a
    kind with as many places says something of the same letters.
    """
    found = dict.fromkeys([*_other_letters(clause, alphabet), *_other_sizes(clause, alphabet)])
    found.update(dict.fromkeys(_other_kinds(clause)))
    found.pop(clause, None)
    return list(found)


def _other_letters(clause: Clause, alphabet: tuple[str, ...]) -> Iterator[Clause]:
    for position in range(len(clause.letters)):
        for letter in atoms(alphabet):
            changed = (*clause.letters[:position], letter, *clause.letters[position + 1 :])
            yield from made(clause.kind, changed, clause.number)


def _other_sizes(clause: Clause, alphabet: tuple[str, ...]) -> Iterator[Clause]:
    kind, letters, single = clause.kind, clause.letters, len(clause.kind.places)
    if kind.several in (TIMES, MULTIPLE):
        yield from made(kind, letters, clause.number - 1)
        yield from made(kind, letters, clause.number + 1)
    elif kind.several is not None:
        for position in range(single, len(letters) + 1):
            yield from made(kind, (*letters[:position], *letters[position + 1 :]), 0)
            for letter in atoms(alphabet):
                yield from made(kind, (*letters[:position], letter, *letters[position:]), 0)


def _other_kinds(clause: Clause) -> Iterator[Clause]:
    for kind in kinds():
        if kind == clause.kind or not kind.weight:
            continue
        for letters in dict.fromkeys([clause.letters, clause.letters[::-1]]):
            for shorter in dict.fromkeys([letters, letters[:1], letters[-1:]]):
                yield from made(kind, shorter, max(clause.number, kind.fewest))


def made(kind: Kind, letters: tuple[str, ...], number: int) -> Iterator[Clause]:
    """Yield a clause if its letters may stand together, and nothing otherwise."""
    counted = kind.several in (TIMES, MULTIPLE)
    if kind.several == LETTERS:
        letters = tuple(sorted(set(letters)))
    single = len(kind.places)
    size = len(letters) - single if kind.several in (LETTERS, CHAIN) else number if counted else kind.fewest
    if size >= kind.fewest and (size <= 100) and kind.allows(letters, size):
        yield Clause(kind, letters, number if counted else 0)
