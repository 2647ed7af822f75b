"""Guards: which letters an edge has, said of propositions, as shortly as what occurs allows.

The letters of an edge are those at which an expression holds: terms joined by `|`, each of propositions that
hold or do not, joined by `&`. Sets of propositions that never occur may come out either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

from demospec.tasks.propositions import are_sets, names, propositions_of

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
