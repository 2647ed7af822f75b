"""Letters that are sets of propositions: where key and door hold at once, the letter `door&key` is read.

A letter is a word of the world's own, or several joined by `&`. Only the sets that occur are letters, and
where nothing holds, nothing is read. Clauses and formulas speak of atoms: a proposition, or several that hold
together. An atom holds where a letter has all of its propositions. Over letters of one proposition each,
atoms are the letters, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

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
def names_in(alphabet: tuple[str, ...]) -> tuple[str, ...]:
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
    found = {extension(name, alphabet): name for name in reversed(names_in(alphabet))}
    for letter in sorted(alphabet, key=lambda one: (len(propositions_of(one)), one)):
        found.setdefault(extension(letter, alphabet), letter)
    return tuple(sorted({*names_in(alphabet), *found.values()}))


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


# -- Guards: which letters an edge has, said of propositions, as shortly as what occurs allows ----------

# The letters of an edge are those at which an expression holds: terms joined by `|`, each of propositions
# that hold or do not, joined by `&`. Sets of propositions that never occur may come out either way.

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
    for term in terms_tried(alphabet, letters):
        held = [letter for letter in alphabet if term_holds(term, letter)]
        if held and letters.issuperset(held):
            covered = sum(place[letter] for letter in held)
            known = cheapest.get(covered)
            if known is None or term_order([term]) < term_order([known]):
                cheapest[covered] = term
    chosen = fewest_terms(cheapest, (1 << len(wanted)) - 1, exact=len(wanted) <= EXACT)
    return tuple(map(term_text, sorted(chosen, key=lambda term: term_order([term]))))


def terms_tried(alphabet: tuple[str, ...], letters: frozenset[str]) -> Iterator[Term]:
    """Yield the terms that are tried: those of a few propositions, and each letter in full."""
    known = names_in(alphabet)
    for count in range(1, min(LONGEST, len(known)) + 1):
        for some in combinations(known, count):
            for signs in product((True, False), repeat=count):
                yield tuple(zip(some, signs, strict=True))
    for letter in sorted(letters):
        yield tuple((name, name in propositions_of(letter)) for name in known)


def term_holds(term: Term, letter: str) -> bool:
    """Say whether a term holds where a letter is read."""
    own = propositions_of(letter)
    return all((name in own) == sign for name, sign in term)


def fewest_terms(cheapest: dict[int, Term], every: int, *, exact: bool) -> list[Term]:
    """Return terms that together cover all letters: the shortest such list, or a short one."""
    if not exact:
        chosen, left = list[Term](), every
        while left:
            covered = min(
                (one for one in cheapest if one & left),
                key=lambda one: (len(cheapest[one]) / (one & left).bit_count(), term_order([cheapest[one]])),
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
                if known is None or term_order(longer) < term_order(known):
                    best[at] = longer
    found = best[every]
    assert found is not None  # each letter in full is a term
    return found


def term_order(chosen: Sequence[Term]) -> tuple[int, int, int, list[Term]]:
    """Return what expressions are ranked by: propositions, terms, negations, and what is always the same."""
    literals = [literal for term in chosen for literal in term]
    return len(literals), len(chosen), sum(not sign for _, sign in literals), sorted(chosen)


def term_text(term: Term) -> str:
    """Write a term.

    >>> term_text((("door", False), ("key", True)))
    'key & !door'
    """
    parts = sorted(term, key=lambda literal: (not literal[1], literal[0]))
    return " & ".join(name if sign else f"!{name}" for name, sign in parts)
